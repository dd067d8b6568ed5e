/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench judge`: checks each candidate at shapes that are drawn after it was loaded,
 * times it beside what is known, and measures an ordinary run of those that are right. */
#include "elf_image.h"
#include "referee_private.h"

#include <inttypes.h>
#include <limits.h>
#include <sys/random.h>

#include "output/output.h"

/* ---- candidates ---- */

/* A library, and the function of it. */
struct candidate {
    char library[PATH_MAX];
    char *symbol, *written;
};
struct candidates {
    struct candidate *item;
    size_t n;
};

static void add_candidate(struct candidates *all, const char *library, const char *symbol,
                          const char *written)
{
    must_grow(all->item, all->n);
    struct candidate *const item = &all->item[all->n++];
    snprintf(item->library, sizeof item->library, "%s", library);
    item->symbol = must_have(strdup(symbol));
    must(
        asprintf(&item->written, "%.*s:%s", (int)strcspn(written, ":"), written, symbol));
}

static void candidates_free(const struct candidates *all)
{
    for (size_t i = 0; i < all->n; i++)
        FREE_EACH(all->item[i].symbol, all->item[i].written);
    free(all->item);
}

/* Those functions of the op that a library has. */
static int add_namesakes(const struct referee *referee, const char *library,
                         const char *written, struct candidates *all, struct error *error)
{
    FREED_BY(library_close) struct library read = {.path = NULL};
    const size_t before = all->n;
    const int status = library_read(library, &read, error);
    if (status < 0)
        return status;
    for (size_t i = 0; i < referee->n_known; i++) {
        const struct library_function *function;
        struct error why;
        const char *const name = referee->known[i].name;
        if (library_find(&read, name, &function, &why) == 0 &&
            function->binding == FUNCTION_EXPORTED)
            add_candidate(all, library, name, written);
    }
    return all->n > before ? 0
                           : error_set(error, -ENOENT,
                                       "--candidate=%.200s: it has no function of op "
                                       "%.60s; name one: --candidate=%.100s:FUNCTION",
                                       written, op_of(referee)->name, written);
}

static int add_written(const struct referee *referee, const char *written,
                       struct candidates *all, struct error *error)
{
    char file[PATH_MAX], found[PATH_MAX], library[PATH_MAX];
    const char *symbol = NULL;
    int status = place_split(written, file, sizeof file, &symbol, error)
                     ?: library_where(file, found, sizeof found, error);
    if (status == 0 && !realpath(found, library))
        status = error_set(error, -errno, "%.300s: %s", found, strerror(errno));
    if (status == 0 && library_must_link(library))
        status = invalid(error, "--candidate=%.200s: link it to a shared object first",
                         written);
    if (status < 0)
        return status;
    if (!symbol || !*symbol)
        return add_namesakes(referee, library, written, all, error);
    add_candidate(all, library, symbol, written);
    return 0;
}

/* ---- one of them ---- */

/* Enough for any kernel; data behind it are no code. */
enum { CODE_MAX = 1 << 20 };

static size_t code_of(const char *path, const char *symbol, unsigned char *code)
{
    struct error error;
    FREED_BY(library_close) struct library library = {.path = NULL};
    struct image image;
    struct place place;
    const struct library_function *function;
    size_t n = 0;
    if (place_parse(symbol, &place, &error) < 0 || place.kind != PLACE_SYMBOL ||
        library_read(path, &library, &error) < 0)
        return 0;
    if (library_find(&library, place.name, &function, &error) == 0 &&
        function->bytes <= CODE_MAX && image_open(path, &image, &error) == 0) {
        const unsigned char *const found =
            image_loaded(&image, function->address, function->bytes);
        if (found) {
            n = function->bytes;
            memcpy(code, found, n);
        }
        image_close(&image);
    }
    return n;
}

/* True if both functions have the same bytes. */
static bool same_code(const char *library, const char *symbol, const char *other_library,
                      const char *other_symbol)
{
    FREED_BY(free_memory) unsigned char *code = must_have(malloc(2 * (size_t)CODE_MAX));
    const size_t n = code_of(library, symbol, code);
    return n && n == code_of(other_library, other_symbol, code + CODE_MAX) &&
           !memcmp(code, code + CODE_MAX, n);
}

/* A candidate may be a copy of what is known already. */
static void name_twin(struct referee *referee)
{
    for (size_t i = 0; i < referee->n_known; i++)
        if (!referee->judgement->same_as &&
            same_code(referee->library, referee->symbol, referee->known_library,
                      referee->known[i].name))
            referee->judgement->same_as = must_have(strdup(referee->known[i].name));
}

/* Nobody knows what is drawn before the candidate is loaded, unless --seed was given. */
static void draw_seed(struct referee *referee)
{
    if (referee->options->seed_given ||
        getrandom(&referee->random, sizeof referee->random, 0) != sizeof referee->random)
        referee->random = referee->options->how.seed;
    must(asprintf(&referee->judgement->seed, "%" PRIu64, referee->random));
}

/* Planes begin at multiples of 64 bytes, so their array does. */
static bool has_planes(const struct declared_op *op)
{
    bool any = false;
    for (uint32_t i = 0; i < op->declaration.n; i++)
        any |= op->declaration.argument[i].planes.n > 0;
    return any;
}

static int judge_one(struct referee *referee, const struct candidate *candidate,
                     const struct text_list *shapes, struct run *run, struct error *error)
{
    struct judgement *const judgement = LIST_ADD(run, judgements, n_judgements);
    referee->judgement = judgement;
    referee->symbol = candidate->symbol;
    referee->aligned = has_planes(op_of(referee));
    judgement->candidate = must_have(strdup(candidate->written));
    judgement->op = must_have(strdup(op_of(referee)->name));
    snprintf(referee->library, sizeof referee->library, "%s", candidate->library);
    for (size_t i = 0; i < referee->n_known; i++)
        referee->known[i].runs = !strcmp(referee->known[i].isa, "lib") ||
                                 i == referee->reference ||
                                 isa_runs(referee->known[i].isa, NULL, 0);
    int status = files_write_candidate(referee, error);
    /* The candidate is loaded before the judges exist: it can open nothing of theirs. */
    if (status == 0)
        status = candidate_start(referee, error) ?: judges_start(referee, error);
    draw_seed(referee);
    if (status == 0)
        status =
            judge_right(referee, shapes, error)
                ?: judge_time(referee, shapes, error)
                ?: judge_edges(referee, shapes, error);
    if (status == 0)
        name_twin(referee);
    cell_end(&referee->candidate);
    cell_end(&referee->judges);
    return status < 0 ? status : 0;
}

/* ---- the command ---- */

static void choose_shapes(const struct referee *referee, struct text_list *shapes)
{
    const struct request *const request = &referee->options->request;
    struct error error;
    const struct declared_op *const op = op_of(referee);
    text_list_add_all(shapes, &request->sizes);
    text_list_add_all(shapes, &request->shapes);
    if (!shapes->n)
        sizes_expand(op->sizes                           ? op->sizes
                     : op->declaration.n_dimensions == 0 ? "1"
                     : op->declaration.n_dimensions == 1 ? "1Ki,16Ki,256Ki"
                                                         : "64",
                     shapes, &error);
}

static int take_cpu(struct referee *referee, struct cpu_lock **lock, struct error *error)
{
    const struct how *const how = &referee->options->how;
    int order[CPUS_MAX];
    const size_t n = how->n_cpu ? 1 : cpu_order(order);
    if (how->n_cpu)
        order[0] = how->cpu[0];
    const int status = cpu_lock_take(order, n, 1, how->wait_ns, how->quiet, lock, error);
    referee->cpu = order[0];
    return status;
}

static int judge_all(struct referee *referee, const struct candidates *all,
                     const struct text_list *shapes, struct run *verdicts,
                     struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < all->n && status == 0; i++) {
        status = judge_one(referee, &all->item[i], shapes, verdicts, error);
        if (status == 0 && !referee->judgement->reason)
            text_list_add(&referee->accepted, referee->candidate_path);
    }
    return status;
}

/* The verdicts move into the run that has the rows. */
static int finish(struct referee *referee, const struct candidates *all,
                  struct error *error)
{
    struct options *const options = referee->options;
    FREED_BY(text_list_free) struct text_list shapes = {.n = 0};
    struct cpu_lock *lock = NULL;
    FREED_BY(run_delete) struct run *verdicts = run_new();
    FREED_BY(run_delete) struct run *run = NULL;
    choose_shapes(referee, &shapes);
    int status = take_cpu(referee, &lock, error)
                     ?: judge_all(referee, all, &shapes, verdicts, error)
                     ?: rows_measure(referee, &shapes, verdicts, &run, error);
    cpu_lock_free(lock);
    if (run) {
        run->judgements = verdicts->judgements;
        run->n_judgements = verdicts->n_judgements;
        run->interrupted = status == -EINTR;
        verdicts->n_judgements = 0;
        verdicts->judgements = NULL;
    }
    if (status == 0 || (run && run->interrupted)) {
        const struct text_options text = text_of_stdout(options);
        if (referee->printed)
            table_end(run, &text, stdout);
        status = outputs_write(options, !referee->printed, run, error);
    }
    return status < 0 ? status : run_exit_status(run);
}

int command_judge(struct options *options)
{
    struct error error = {.text = ""};
    struct referee referee = {
        .options = options, .judges = {.memory_fd = -1}, .candidate = {.memory_fd = -1}};
    struct candidates all = {.n = 0};
    const char *const op = options->files.n > 1 ? options->files.item[1] : NULL;
    signals_catch();
    int status = outputs_check(options, &error);
    if (status == 0 && !options->candidates.n)
        status = invalid(&error, "whose function is judged? As in simdbench judge "
                                 "mix.json --candidate=./new.so; mix.json declares it, "
                                 "and call --save=mix.json writes that");
    if (status == 0)
        status = files_write(&referee, options->files.item[0], op, &error);
    for (size_t i = 0; i < options->candidates.n && status == 0; i++)
        status = add_written(&referee, options->candidates.item[i], &all, &error);
    status = status ?: finish(&referee, &all, &error);
    candidates_free(&all);
    text_list_free(&referee.accepted);
    files_remove(&referee);
    return exit_status_of(status, &error);
}
