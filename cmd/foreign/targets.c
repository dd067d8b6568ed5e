/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a program that the user asked for, file by file as they are mapped. */
#include "foreign_private.h"

#include <inttypes.h>

/* ---- names ---- */

/* The colon between a library and a function; those of C++ come in pairs. */
static const char *find_colon(const char *glob)
{
    for (const char *at = strchr(glob, ':'); at; at = strchr(at + 1, ':')) {
        if (at[1] != ':')
            return at > glob ? at : NULL;
        at++;
    }
    return NULL;
}

/* "libz" means libz.so.1 too. */
static bool matches_file(const char *glob, size_t length, const char *name)
{
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%.*s", (int)length, glob);
    if (text_glob(basename(pattern), name))
        return true;
    snprintf(pattern, sizeof pattern, "%.*s.so*", (int)length, glob);
    return text_glob(pattern, name);
}

bool target_matches(const char *glob, const struct symbol_file *file, const char *name,
                    const char *demangled)
{
    const char *const colon = find_colon(glob);
    if (colon && !matches_file(glob, (size_t)(colon - glob), file->name))
        return false;
    const char *const pattern = colon ? colon + 1 : glob;
    char plain[512];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(demangled ?: "", "("),
             demangled ?: "");
    return text_glob(pattern, name) ||
           (demangled && (text_glob(pattern, plain) || text_glob(pattern, demangled)));
}

/* A cold part is jumped to. */
static bool glob_wants(const char *glob, const struct symbol_file *file,
                       const struct library_function *function)
{
    return !function->is_data && function->address &&
           function->binding != FUNCTION_ELSEWHERE && !strstr(function->name, ".cold") &&
           target_matches(glob, file, function->name, function->demangled);
}

static bool is_wanted(const struct foreign *foreign, const struct symbol_file *file,
                      const struct library_function *function)
{
    for (size_t i = 0; i < foreign->globs.n; i++)
        if (glob_wants(foreign->globs.item[i], file, function))
            return true;
    return false;
}

/* ---- files ---- */

static struct target *target_at(const struct symbol_file *file, uint64_t address)
{
    for (size_t i = 0; i < file->n; i++)
        if (file->target[i]->address == address)
            return file->target[i];
    return NULL;
}

/* True of the function main of C, C++, Rust or Go, unless a user names it. */
static bool is_main(const struct foreign *foreign, const struct symbol_file *file,
                    const struct library_function *function)
{
    const char *const whole = function->demangled ?: "";
    const size_t n = strlen(whole);
    bool named = false;
    if (strcmp(function->name, "main") && strcmp(function->name, "main.main") &&
        (n < 6 || strcmp(whole + n - 6, "::main")))
        return false;
    for (size_t i = 0; i < foreign->globs.n; i++)
        named |= !strpbrk(foreign->globs.item[i], "*?[") &&
                 target_matches(foreign->globs.item[i], file, function->name,
                                function->demangled);
    return !named;
}

static struct target *target_add(struct foreign *foreign, struct symbol_file *file,
                                 const struct library_function *function)
{
    struct target *const target = must_have(calloc(1, sizeof *target));
    *target = (struct target){.file = file,
                              .name = function->name,
                              .demangled = function->demangled,
                              .address = function->address,
                              .is_main = is_main(foreign, file, function)};
    must_grow(file->target, file->n);
    file->target[file->n++] = target;
    foreign->n_targets++;
    return target;
}

static int by_address(const void *a, const void *b)
{
    const struct library_function *x = *(const struct library_function *const *)a,
                                  *y = *(const struct library_function *const *)b;
    return x->address != y->address ? (x->address < y->address ? -1 : 1)
                                    : (x < y ? -1 : x > y);
}

static int by_name(const void *a, const void *b)
{
    const struct target *x = *(const struct target *const *)a,
                        *y = *(const struct target *const *)b;
    return strcmp(x->name, y->name);
}

/* The first of several names at one address counts. */
static void find_wanted(struct foreign *foreign, struct symbol_file *file)
{
    FREED_BY(free_memory) const struct library_function **wanted =
        must_have(calloc(file->library.n + 1, sizeof *wanted));
    size_t n = 0;
    for (size_t i = 0; i < file->library.n; i++)
        if (is_wanted(foreign, file, &file->library.function[i]))
            wanted[n++] = &file->library.function[i];
    if (n)
        qsort(wanted, n, sizeof *wanted, by_address);
    for (size_t i = 0; i < n; i++)
        if (!i || wanted[i]->address != wanted[i - 1]->address)
            target_add(foreign, file, wanted[i])->resolver = wanted[i]->is_chosen;
    file->ascending = must_have(calloc(file->n + 1, sizeof *file->ascending));
    file->n_ascending = file->n;
    if (file->n) {
        memcpy(file->ascending, file->target, file->n * sizeof *file->target);
        qsort(file->target, file->n, sizeof *file->target, by_name);
    }
}

static uint64_t address_of(const struct library *library, const char *name)
{
    for (size_t i = 0; i < library->n; i++)
        if (!strcmp(library->function[i].name, name))
            return library->function[i].binding == FUNCTION_EXPORTED
                       ? library->function[i].address
                       : 0;
    return 0;
}

static struct symbol_file *file_read(struct foreign *foreign, const char *path)
{
    struct error error;
    struct symbol_file *const file = must_have(calloc(1, sizeof *file));
    file->path = must_have(strdup(path));
    file->name = basename(file->path);
    must_grow(foreign->file, foreign->n_files);
    foreign->file[foreign->n_files++] = file;
    if (library_read(path, &file->library, &error) < 0)
        return file;
    file->is_loader = address_of(&file->library, "_dl_debug_state") != 0;
    find_wanted(foreign, file);
    return file;
}

/* A file may be replaced while the program runs, and may have several paths. */
static bool is_file(const struct symbol_file *file, const char *path,
                    const struct stat *state)
{
    const struct stat *const then = &file->state;
    return then->st_dev == state->st_dev && then->st_ino == state->st_ino &&
           then->st_size == state->st_size &&
           then->st_mtim.tv_sec == state->st_mtim.tv_sec &&
           then->st_mtim.tv_nsec == state->st_mtim.tv_nsec &&
           (state->st_ino || !strcmp(file->path, path));
}

static struct symbol_file *file_of(struct foreign *foreign, const char *path)
{
    struct stat state = {.st_dev = 0};
    stat(path, &state);
    for (size_t i = 0; i < foreign->n_files; i++)
        if (is_file(foreign->file[i], path, &state))
            return foreign->file[i];
    struct symbol_file *const file = file_read(foreign, path);
    file->state = state;
    return file;
}

/* Only a loader exports that. */
static void watch_loader(const struct symbol_file *file, struct program *program,
                         struct program_space *space, uint64_t bias)
{
    const uint64_t function = address_of(&file->library, "_dl_debug_state"),
                   state = address_of(&file->library, "_r_debug");
    if (function)
        program_watch_loader(program, space, bias + function, state ? bias + state : 0);
}

void targets_find(void *context, struct program *program, struct program_space *space,
                  const char *path, uint64_t bias, uint64_t end)
{
    struct foreign *const foreign = context;
    struct symbol_file *const file = file_of(foreign, path);
    foreign->program = program;
    must_grow(foreign->placed, foreign->n_placed);
    foreign->placed[foreign->n_placed++] =
        (struct placed){program_layout(space), file, bias, end};
    watch_loader(file, program, space, bias);
    for (size_t i = 0; i < file->n && !foreign->spent; i++) {
        struct target *const target =
            i < file->n_ascending ? file->ascending[i] : file->target[i];
        program_watch(program, space, bias + target->address, target);
    }
}

/* ---- resolvers ---- */

/* The file at an address, as it was mapped last. The page of the kernel is of none. */
static struct placed placed_at(const struct foreign *foreign, unsigned layout,
                               uint64_t address)
{
    for (size_t i = foreign->n_placed; i-- > 0;) {
        const struct placed *const placed = &foreign->placed[i];
        if (placed->layout == layout && placed->bias <= address && address < placed->end)
            return *placed;
    }
    return (struct placed){.file = NULL};
}

static const struct library_function *function_at(const struct placed *placed,
                                                  uint64_t address)
{
    for (size_t i = 0; placed->file && i < placed->file->library.n; i++) {
        const struct library_function *const function =
            &placed->file->library.function[i];
        if (function->address == address - placed->bias && !function->is_chosen &&
            !function->is_data)
            return function;
    }
    return NULL;
}

/* The code that a stub jumps to, by the loader's rule: of the first file that exports the
 * function. Code that a resolver has still to choose is not known here. */
static uint64_t behind_stub(const struct foreign *foreign, unsigned layout,
                            const struct library_function *stub)
{
    FOR_EACH (const struct placed, placed, foreign->placed, foreign->n_placed) {
        const uint64_t address =
            placed->layout == layout ? address_of(&placed->file->library, stub->name) : 0;
        if (address)
            return function_at(placed, placed->bias + address) ? placed->bias + address
                                                               : 0;
    }
    return 0;
}

void targets_chosen(struct foreign *foreign, struct program_space *space,
                    struct target *resolver, uint64_t address)
{
    const unsigned layout = program_layout(space);
    struct placed placed = placed_at(foreign, layout, address);
    const struct library_function *function = function_at(&placed, address);
    const uint64_t behind = function && function->binding == FUNCTION_ELSEWHERE
                                ? behind_stub(foreign, layout, function)
                                : 0;
    resolver->calls++;
    if (behind) {
        address = behind;
        placed = placed_at(foreign, layout, address);
        function = function_at(&placed, address);
    }
    if (!placed.file)
        placed.file = file_of(foreign, "/[no file]");
    const uint64_t own = address - placed.bias;
    struct target *target = target_at(placed.file, own);
    if (!target) {
        const struct library_function chosen = {.name = (char *)resolver->name,
                                                .address = own};
        target = target_add(foreign, placed.file, &chosen);
    }
    if (!target->chosen && function)
        target->chosen = must_have(strdup(function->name));
    else if (!target->chosen)
        must(asprintf(&target->chosen, "%s+0x%" PRIx64, placed.file->name, own));
    program_watch(foreign->program, space, address, target);
}

/* ---- */

char *target_where(const struct foreign *foreign, unsigned layout, uint64_t address)
{
    const struct placed placed = placed_at(foreign, layout, address);
    char *text = NULL;
    const uint64_t at = address - placed.bias;
    if (!placed.file) {
        must(asprintf(&text, "0x%" PRIx64, address));
        return text;
    }
    FOR_EACH (const struct library_function, function, placed.file->library.function,
              placed.file->library.n) {
        if (function->is_data || at < function->address ||
            at - function->address >= function->bytes)
            continue;
        must(asprintf(&text, "%s %s+0x%" PRIx64, placed.file->name, function->name,
                      at - function->address));
        return text;
    }
    must(asprintf(&text, "%s+0x%" PRIx64, placed.file->name, at));
    return text;
}

bool target_in_loader(const struct foreign *foreign, uint64_t address)
{
    FOR_EACH (const struct placed, placed, foreign->placed, foreign->n_placed)
        if (placed->file->is_loader && address >= placed->bias && address < placed->end)
            return true;
    return false;
}

bool target_is_counted(const struct foreign *foreign, const struct target *target)
{
    const struct program_cost cost = program_cost(foreign->program);
    const bool missed =
        foreign->capturing ? cost.threads > cost.processes : foreign->missed;
    return !target->rested && !missed && !cost.open;
}

static bool is_better(const struct seen *seen, const struct seen *best)
{
    return seen->cut != best->cut             ? best->cut
           : !seen->binding != !best->binding ? !seen->binding
                                              : seen->instructions > best->instructions;
}

const struct seen *target_seen(const struct target *target)
{
    const struct seen *best = NULL;
    for (size_t i = 0; i < target->n_seen; i++)
        if (!target->seen[i].error && (!best || is_better(&target->seen[i], best)))
            best = &target->seen[i];
    return best;
}

void targets_tell_unread(const struct foreign *foreign, struct buffer *text)
{
    const char *before = "no functions are known of files that cannot be read here: ";
    for (size_t i = 0; i < foreign->n_files; i++) {
        if (foreign->file[i]->library.path)
            continue;
        buffer_add(text, before);
        buffer_plain(text, foreign->file[i]->path);
        before = ", ";
    }
}

int targets_check(const struct foreign *foreign, struct error *error)
{
    FREED_BY(text_list_free) struct text_list names = {.n = 0};
    FREED_BY(buffer_free) struct buffer unread = {.text = NULL};
    char hint[200] = "", globs[160];
    size_t n = 0;
    if (foreign->n_targets)
        return 0;
    const char *const first = foreign->globs.item[0], *const colon = find_colon(first);
    for (size_t i = 0; i < foreign->n_files; i++)
        for (size_t k = 0; k < foreign->file[i]->library.n; k++, n++) {
            const struct library_function *const function =
                &foreign->file[i]->library.function[k];
            text_list_add(&names, function->name);
            if (colon && colon[1] != '*' && !*hint &&
                glob_wants(colon + 1, foreign->file[i], function))
                snprintf(hint, sizeof hint, "; %.180s has one", foreign->file[i]->name);
        }
    if (!*hint)
        text_list_hint(&names, colon ? colon + 1 : first, hint, sizeof hint);
    text_list_join(&foreign->globs, ", ", globs, sizeof globs);
    targets_tell_unread(foreign, &unread);
    return error_set(error, -ENOENT,
                     "%s: no function of the program has that name: %zu files with code "
                     "were loaded, with %zu symbols%s; a file whose symbols were "
                     "stripped shows exported ones alone%s%.200s",
                     globs, foreign->n_files, n, hint, unread.length ? "; " : "",
                     buffer_text(&unread));
}

void targets_free(struct foreign *foreign)
{
    for (size_t i = 0; i < foreign->n_files; i++) {
        struct symbol_file *const file = foreign->file[i];
        for (size_t k = 0; k < file->n; k++) {
            struct target *const target = file->target[k];
            for (size_t s = 0; s < target->n_seen; s++)
                FREE_EACH(target->seen[s].error, target->seen[s].loop,
                          target->seen[s].source);
            capture_forget(target);
            FREE_EACH(target->seen, target->captured, target->chosen, target);
        }
        library_close(&file->library);
        FREE_EACH(file->target, file->ascending, file->path, file);
    }
    free(foreign->file);
}
