/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that are compared: the copy of base, and how one is run. */
#include "harness_private.h"

#include "ab/private_copy.h"

#include <math.h>
#include <sys/stat.h>

static const char *const flags[] = {"BASE", "HEAD"};

/* A process hangs that takes so many times as long as another one of its side, and two
 * seconds. It runs again so often. The first one of all has a part of --timeout. */
enum { LATE_TIMES = 20, LATE_TRIES = 4, FIRST_PART = 4 };
#define LATE_NS 2000000000LL
#define NO_TIMEOUT_NS (INT64_MAX / 2)

static const struct adapter *adapter_of_file(const char *name, const char *path)
{
    FREED_BY(free_memory) char *bytes = NULL;
    size_t size = 0;
    if (file_load(path, (size_t)1 << 30, &bytes, &size) < 0)
        size = 0;
    return adapter_find(name, bytes ?: "", size);
}

bool command_path(const char *command, const char *cwd, char *path, size_t size)
{
    FREED_BY(text_list_free) struct text_list words = {.n = 0};
    FREED_BY(text_list_free) struct text_list variables = {.n = 0};
    return words_split(command, cwd ?: "", &variables, &words) &&
           words_program(words.item[0], &variables, cwd ?: "", path, size);
}

const char *harness_recognise(const char *command, const char *cwd)
{
    char path[PATH_MAX];
    const struct adapter *const adapter = command_path(command, cwd, path, sizeof path)
                                              ? adapter_of_file(NULL, path)
                                              : NULL;
    return adapter ? adapter->name : NULL;
}

/* Both programs are asked in the way that the older one understands. */
static void choose_version(struct harness *harness)
{
    if (!adapter_has_versions(harness->adapter))
        return;
    const struct adapter *const base =
        adapter_of_file(harness->adapter->name, harness->side[SIDE_BASE].path);
    const struct adapter *const head =
        adapter_of_file(harness->adapter->name, harness->side[SIDE_HEAD].path);
    harness->adapter = base > head ? base : head;
}

static int find(struct harness *harness, int which, struct error *error)
{
    struct side *const side = &harness->side[which];
    struct error why = {.text = ""};
    if (!words_split(side->command, side->cwd, &side->variables, &side->words)) {
        text_list_cut(&side->words, 0);
        text_list_cut(&side->variables, 0);
        text_list_add(&side->words, "/bin/sh");
        text_list_add(&side->words, "-c");
        snprintf(side->told, sizeof side->told, "%s", side->command);
        /* The shell gives its own arguments to the last command. */
        FREED_BY(buffer_free) struct buffer script = {.text = NULL};
        buffer_format(&script, "%s \"$@\"", side->command);
        text_list_add(&side->words, buffer_text(&script));
        text_list_add(&side->words, "sh");
        return 0;
    }
    if (!words_program(side->words.item[0], &side->variables, side->cwd, side->path,
                       sizeof side->path))
        return error_set(error, -ENOENT, "%s=%.200s: %.200s: no program%s%.200s%s",
                         flags[which], side->command, side->words.item[0],
                         *side->cwd ? " in " : "", side->cwd,
                         harness->request.build ? "; --build should have made it there"
                         : strchr(side->words.item[0], '/')
                             ? ""
                             : "; a commit needs --build=COMMAND and --run=PROGRAM");
    if (elf_read(side->path, true, &side->file, &why) < 0)
        side->file = (struct elf_file){.kind = ELF_OTHER};
    snprintf(side->told, sizeof side->told, "%s", side->command);
    return 0;
}

/* ---- control ---- */

void side_uncopy(struct harness *harness)
{
    struct side *const control = &harness->side[SIDE_CONTROL];
    text_list_cut(&control->words, 0);
    text_list_add_all(&control->words, &harness->side[SIDE_BASE].words);
    text_list_cut(&control->variables, 0);
    text_list_add_all(&control->variables, &harness->side[SIDE_BASE].variables);
    snprintf(control->told, sizeof control->told, "%s (again)", control->command);
    harness->copied = false;
}

/* A script finds its files by its own path, so that only programs are copied. */
static int make_control(struct harness *harness, struct error *error)
{
    const struct side *const base = &harness->side[SIDE_BASE];
    struct side *const control = &harness->side[SIDE_CONTROL];
    char copy[PATH_MAX];
    control->command = base->command;
    control->file = base->file;
    snprintf(control->cwd, sizeof control->cwd, "%s", base->cwd);
    side_uncopy(harness);
    if (base->file.kind == ELF_OTHER || !*base->path)
        return 0;
    const int status = private_copy(harness->folder, "control", base->path, true, copy,
                                    sizeof copy, error);
    if (status < 0)
        return status;
    string_set(&control->words.item[0], copy);
    snprintf(control->told, sizeof control->told, "%s (a copy)", control->command);
    harness->copied = true;
    return 0;
}

static int make_homes(struct harness *harness, struct error *error)
{
    for (int i = 0; i < SIDES && harness->adapter->home; i++) {
        struct side *const side = &harness->side[i];
        snprintf(side->home, sizeof side->home, "%.3000s/%s-home", harness->folder,
                 side->name);
        if (mkdir(side->home, 0700) < 0)
            return error_set(error, -errno, "cannot make %s: %s", side->home,
                             strerror(errno));
    }
    return 0;
}

static bool same_words(const struct text_list *a, const struct text_list *b, size_t from)
{
    bool same = a->n == b->n;
    for (size_t i = from; i < a->n && same; i++)
        same = !strcmp(a->item[i], b->item[i]);
    return same;
}

bool same_arguments(const struct side *base, const struct side *head)
{
    return same_words(&base->words, &head->words, 1) &&
           same_words(&base->variables, &head->variables, 0);
}

static bool is_inside(const struct side *side)
{
    const size_t n = strlen(side->cwd);
    return n && !strncmp(side->path, side->cwd, n) &&
           (side->cwd[n - 1] == '/' || side->path[n] == '/');
}

/* A program from elsewhere, as an interpreter, reads files of its folder that differ. */
static bool same_program(const struct side *base, const struct side *head)
{
    return (!strcmp(base->cwd, head->cwd) || (is_inside(base) && is_inside(head))) &&
           base->file.loaded && base->file.loaded == head->file.loaded &&
           same_arguments(base, head);
}

int sides_open(struct harness *harness, struct error *error)
{
    static const char *const names[] = {"base", "head", "control"};
    const struct harness_request *const request = &harness->request;
    int status = private_folder(harness->folder, sizeof harness->folder,
                                &harness->folder_lock, error);
    for (int i = 0; i < SIDES; i++)
        harness->side[i].name = names[i];
    for (int i = 0; i < 2 && status == 0; i++) {
        struct side *const side = &harness->side[i];
        side->command = i ? request->head : request->base;
        snprintf(side->cwd, sizeof side->cwd, "%s", request->cwd[i] ?: "");
    }
    if (status == 0 && request->build)
        status = checkout_build(harness, error);
    for (int i = 0; i < 2 && status == 0; i++)
        status = find(harness, i, error);
    if (status == 0) {
        harness->plan.equal =
            same_program(&harness->side[SIDE_BASE], &harness->side[SIDE_HEAD]);
        choose_version(harness);
        status = make_control(harness, error);
    }
    return status ?: relink_open(harness, error) ?: make_homes(harness, error);
}

void sides_close(struct harness *harness)
{
    for (int i = 0; i < SIDES; i++) {
        text_list_free(&harness->side[i].words);
        text_list_free(&harness->side[i].variables);
        free(harness->side[i].commit);
    }
    private_remove(harness->folder, harness->folder_lock);
}

/* ---- a run ---- */

static char **make_words(const struct side *side, const struct text_list *more)
{
    char **const words = must_have(calloc(side->words.n + more->n + 1, sizeof *words));
    memcpy(words, side->words.item, side->words.n * sizeof *words);
    if (more->n)
        memcpy(words + side->words.n, more->item, more->n * sizeof *words);
    return words;
}

/* An output with this end has all cases, and tells which ones failed. */
static bool tells_failures(const struct adapter *adapter, const char *text)
{
    const size_t n = adapter->failed ? strlen(adapter->failed) : 0, length = strlen(text);
    return n && length >= n && !strcmp(text + length - n, adapter->failed);
}

static int read_output(struct harness *harness, harness_reader *reader,
                       struct readings *readings, const struct slice *slice,
                       struct error *error)
{
    if (slice->complaint && !tells_failures(harness->adapter, slice->text))
        return error_set(error, -EPROTO, "%s", slice->complaint);
    if (!reader)
        return 0;
    struct error why = {.text = ""};
    if (reader(slice->text, &harness->form, readings, &why) < 0)
        return error_set(error, -EPROTO, "its output cannot be read: %.200s%s%.200s",
                         why.text, slice->said ? "; it said: " : "", slice->said ?: "");
    return readings->n > READINGS_MOST
               ? error_set(error, -EPROTO, "its output has more than %d cases",
                           READINGS_MOST)
               : 0;
}

/* The median of the samples that a harness keeps stands a busy machine; what it prints,
 * such as a slope through them, does not. */
static void take_samples(const char *home, struct readings *readings)
{
    FREED_BY(run_delete) struct run *kept = NULL;
    struct error none_kept;
    if (run_load(&kept, home, &none_kept) < 0)
        return;
    FOR_EACH (const struct result, result, kept->results, kept->n_results) {
        struct reading *const reading = readings_find(readings, result->id);
        if (reading && !reading->reason && result->summary.median_ns > 0)
            reading->ns = result->summary.median_ns;
    }
}

static struct harness_case *case_named(const struct harness *harness, const char *name)
{
    for (size_t c = 0; name && c < harness->n_cases; c++)
        if (!strcmp(harness->cases[c].name, name))
            return &harness->cases[c];
    return NULL;
}

/* A slice holds as many repetitions of a case as fit, at least one. The first process has
 * few of them, as each may have to prepare its data again. */
static struct slice_length length_of(const struct harness *harness,
                                     const struct harness_case *entry)
{
    double parts = harness->adapter->repetitions, count = parts;
    if (entry && parts > 1) {
        if (entry->listed_ns > 0)
            parts = fmin(parts, (double)harness->slice_ns / entry->listed_ns);
        count = fmin(parts, entry->repetitions ? entry->repetitions : FIRST_REPETITIONS);
    }
    return (struct slice_length){harness->slice_ns, (uint32_t)fmax(parts, 1),
                                 (uint32_t)fmax(count, 1), harness->prefix};
}

void side_words(const struct harness *harness, int which, size_t c,
                struct text_list *words)
{
    const struct side *const side = &harness->side[which];
    const struct adapter *const adapter = harness->adapter;
    const struct harness_case *const entry = &harness->cases[c];
    const struct slice_length length = length_of(harness, entry);
    FREED_BY(buffer_free) struct buffer home = {.text = NULL};
    if (adapter->home) {
        buffer_format(&home, "%s=%s", adapter->home, side->home);
        text_list_add(words, buffer_text(&home));
    }
    text_list_add_all(words, &side->variables);
    text_list_add_all(words, &side->words);
    adapter_words(adapter->run, entry->name, adapter->choice, &length, words);
}

/* ---- processes that hang ---- */

/* A time in which each process should end that does not hang, if one of the side is
 * known: `sure`; else a guess. */
static int64_t long_enough(const struct harness_case *entry, int which,
                           int64_t timeout_ns, bool *sure)
{
    int64_t usual = entry ? entry->usual_ns[which] : 0;
    *sure = usual > 0;
    for (int i = 0; entry && i < SIDES && !*sure; i++)
        usual = usual > entry->usual_ns[i] ? usual : entry->usual_ns[i];
    const int64_t enough = usual ? LATE_TIMES * usual + LATE_NS : timeout_ns / FIRST_PART;
    return enough < timeout_ns ? enough : timeout_ns;
}

/* A thread that waits for others of its CPU, spinning, must not keep them from it: a
 * process of each build runs as any other one before, and has no other threads. */
static bool may_be_first(const struct harness *harness, const struct harness_case *entry)
{
    return entry && entry->usual_ns[SIDE_BASE] && entry->usual_ns[SIDE_HEAD] &&
           !entry->not_first && harness->plan.settled.n_cpu == 1;
}

/* Harnesses may hang by chance, as checkasm does that is preempted while it looks how
 * fast its clock is. So a process that takes much longer than others did runs again, and
 * may take all of --timeout in the end. */
static int run_again_if_late(struct harness *harness, struct harness_case *entry,
                             int which, struct slice_request *request,
                             struct slice *slice, struct error *error)
{
    const int64_t timeout = request->timeout_ns ? request->timeout_ns : NO_TIMEOUT_NS;
    bool sure;
    int64_t enough = long_enough(entry, which, timeout, &sure);
    int tries = sure ? LATE_TRIES : 1, status;
    size_t late = 0;
    request->is_first = may_be_first(harness, entry);
    request->crowded = entry && entry->crowded;
    for (;; slice_free(slice)) {
        request->timeout_ns = tries-- > 0 ? enough : timeout;
        status = slice_run(request, slice, error);
        if (status < 0 || !slice->late || request->timeout_ns == timeout)
            break;
        late++;
    }
    /* One that always takes so long is slow. */
    if (status == 0 && !slice->late && slice->wall_ns < enough)
        harness->n_late[which] += late;
    if (status < 0 || !entry)
        return status;
    entry->crowded |= slice->crowded;
    entry->not_first |= !slice->may_be_first;
    if (!slice->complaint &&
        (!entry->usual_ns[which] || slice->wall_ns < entry->usual_ns[which]))
        entry->usual_ns[which] = slice->wall_ns;
    return 0;
}

int side_run(struct harness *harness, int which, size_t place, const char *arguments,
             harness_reader *reader, const char *name, struct readings *readings,
             struct slice *slice, struct error *error)
{
    const struct side *const side = &harness->side[which];
    const struct adapter *const adapter = harness->adapter;
    const struct plan *const plan = &harness->plan.settled;
    FREED_BY(text_list_free) struct text_list more = {.n = 0};
    struct harness_case *const entry = case_named(harness, name);
    const struct slice_length length = length_of(harness, entry);
    adapter_words(arguments, name ?: "", adapter->choice, &length, &more);
    FREED_BY(free_memory) char **words = make_words(side, &more);
    if (*side->place[place])
        words[0] = (char *)(uintptr_t)side->place[place];
    struct slice_request request = {
        .words = words,
        .variables = &side->variables,
        .cwd = *side->cwd ? side->cwd : NULL,
        .home = adapter->home,
        .folder = side->home,
        .padding = random_next(&harness->random) % 4096,
        .cpu = plan->cpu,
        .n_cpu = plan->n_cpu,
        .timeout_ns = harness->request.how->timeout_ns,
        .silent = !reader,
        .is_measured = true,
        .asks = adapter->asks,
        .cpu_counts = !reader && !harness->request.wall,
    };
    int status = run_again_if_late(harness, entry, which, &request, slice, error);
    if (status == 0)
        status = read_output(harness, reader, readings, slice, error);
    else if (status != -EINTR)
        status = -EPROTO;
    if (status == 0 && adapter->home)
        take_samples(side->home, readings);
    return status;
}

void case_fail(struct harness *harness, size_t c, int which, const char *reason)
{
    struct harness_case *const entry = &harness->cases[c];
    struct result *const result = &harness->run->results[entry->result];
    char text[600];
    snprintf(text, sizeof text, "%s: %.500s",
             which == SIDE_CONTROL && harness->copied ? "control (a copy of base)"
                                                      : harness->side[which].name,
             reason);
    entry->active = false;
    result_clear_samples(result);
    struct comparison *const comparison = result->comparison;
    free(comparison->trials);
    *comparison = (struct comparison){.verdict = VERDICT_UNUSABLE,
                                      .reason = comparison->reason,
                                      .placement = comparison->placement};
    string_set(&comparison->reason, text);
    result_set_status(result, STATUS_FAILED, text);
}
