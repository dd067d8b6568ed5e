/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench selftest`: this program against itself, with and without more work. */
#include "ab/ab.h"
#include "commands/commands.h"
#include "output/output.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

/* ---- as text ---- */

static void put_percent(struct grid *grid, double x)
{
    if (isfinite(x))
        grid_cell(grid, "%.2f%%", 100 * x);
    else
        GRID_TEXTS(grid, "-");
}

static void put_effect(struct grid *grid, const struct selftest_effect *effect)
{
    const size_t counts[] = {effect->n,       effect->regressed, effect->improved,
                             effect->same,    effect->placed,    effect->inconclusive,
                             effect->unusable};
    grid_cell(grid, "%+.3g%%%s", 100 * effect->effect, effect->as_built ? "*" : " ");
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        grid_cell(grid, "%zu", counts[i]);
    if (effect->rate_ci.known)
        grid_cell(grid, "%.0f%% [%.1f, %.1f]", 100 * effect->rate,
                  100 * effect->rate_ci.lo, 100 * effect->rate_ci.hi);
    else
        GRID_TEXTS(grid, "-");
    put_percent(grid, effect->change);
    put_percent(grid, effect->floor);
    put_percent(grid, effect->detectable);
    grid_cell(grid, "%.2f", effect->seconds);
}

static void print_recommendation(const struct selftest *selftest, FILE *file)
{
    if (!isfinite(selftest->recommended))
        fputs("recommended threshold: none: too often gates of equal code have no result "
              "here\n",
              file);
    else if (selftest->recommended > 0)
        fprintf(file,
                "recommended threshold: %.3g%%; with it %.0f%% of the gates of equal "
                "code are SAME, and a change of %+.1f%% is found\n",
                100 * selftest->recommended, 100 * SELFTEST_SHARE,
                100 * selftest->reliable);
}

static void print_directions(const struct directions *equal, FILE *file)
{
    if (!equal->slower && !equal->faster)
        return;
    fprintf(file,
            "equal code seemed slower in %zu gates and faster in %zu: %s (sign test p = "
            "%.2g)\n",
            equal->slower, equal->faster,
            equal->p < DIRECTIONS_P ? "one of both is at a disadvantage here"
                                    : "no direction is preferred",
            equal->p);
}

static void print(const struct selftest *selftest, FILE *file)
{
    struct grid grid = {.at = "r", .columns = 13};
    text_line(file,
              "gates of %s (%.3g us a call) with a threshold of %.3g%%, simdbench "
              "against itself",
              selftest->case_id, selftest->call_ns * 1e-3, 100 * selftest->threshold);
    fputc('\n', file);
    GRID_TEXTS(&grid, "more work", "gates", "REGRESSED", "IMPROVED", "SAME", "PLACED",
               "INCONCLUSIVE", "UNUSABLE", "REGRESSED [95% CI]", "change", "floor",
               "detectable", "s/gate");
    for (size_t i = 0; i < selftest->n_effects; i++)
        put_effect(&grid, &selftest->effects[i]);
    const struct text_page page = page_of(file, FORMAT_TABLE);
    grid_write(&grid, &page, 0);
    fputs("\nA change of no more than the threshold is not to be called. change, floor, "
          "detectable, s/gate: medians.\n* where its code was built alone, as if its "
          "place there were bad: to be called PLACED\n",
          file);
    if (selftest->found)
        fprintf(file, "found with this threshold: %+.3g%% and more\n",
                100 * selftest->found->effect);
    print_directions(&selftest->equal, file);
    print_recommendation(selftest, file);
    text_line(file, "host: %s, fingerprint %s", selftest->cpu, selftest->fingerprint);
}

/* ---- files in the user's cache, one for each host, as hosts may share a home ---- */

#define SELFTEST_BYTES_MAX ((size_t)64 << 20)

static int find_path(const char *fingerprint, bool make, char *path, size_t size,
                     struct error *error)
{
    char name[128];
    snprintf(name, sizeof name, "selftest-%.64s.json", fingerprint);
    return state_path(STATE_CACHE, name, make, path, size, error);
}

static int write_as(const void *selftest, enum format format, FILE *file,
                    struct error *error)
{
    if (format == FORMAT_JSON)
        return selftest_write_json(selftest, file, error);
    print(selftest, file);
    return 0;
}

static int save(const void *selftest, FILE *file, struct error *error)
{
    return selftest_write_json(selftest, file, error);
}

static int keep(const struct selftest *selftest, struct error *error)
{
    char path[PATH_MAX];
    return find_path(selftest->fingerprint, true, path, sizeof path, error)
               ?: file_save(path, save, selftest, error);
}

char *selftest_known(const char *fingerprint)
{
    char path[PATH_MAX], *bytes, *line = NULL;
    size_t size;
    if (fingerprint && find_path(fingerprint, false, path, sizeof path, NULL) == 0 &&
        file_load(path, SELFTEST_BYTES_MAX, &bytes, &size) == 0) {
        line = selftest_cite(bytes, size, fingerprint);
        free(bytes);
    }
    return line;
}

/* ---- gates ---- */

enum { GATES = 20 };
static const double default_effects[] = {0, 0.01, 0.02, 0.03, 0.05};

/* The cost of a bad place. */
#define PLACE_EFFECT 0.5

/* One case on every machine, whose call is so short that a batch has thousands, and 1%
 * more of them is 1% more work. The request lives as long as the gates. */
static int open_self(const struct options *options, struct request *what, struct how *how,
                     struct ab **ab, struct error *error)
{
    const struct ab_request request = {.base = "/proc/self/exe",
                                       .head = "/proc/self/exe",
                                       .what = what,
                                       .how = how,
                                       .threshold = options->threshold};
    request_init(what);
    what->op = must_have(strdup("gemm"));
    text_list_add(&what->filters, "gemm/maxplus-f32/*/add@*");
    text_list_add(&what->isas, "auto");
    text_list_add(&what->sizes, "16");
    *how = options->how;
    how->quiet = true;
    return ab_open(&request, ab, error);
}

static void describe(const struct options *options, struct selftest *selftest)
{
    struct host host;
    char date[24];
    date_text(date);
    host_read(&host, "");
    const struct {
        char **where;
        const char *text;
    } texts[] = {{&selftest->tool_version, simdbench_version.number},
                 {&selftest->tool_commit, simdbench_version.commit},
                 {&selftest->started_at, date},
                 {&selftest->cpu, host.cpu},
                 {&selftest->fingerprint, host.fingerprint}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        string_set(texts[i].where, texts[i].text);
    selftest->seed = options->how.seed;
    selftest->threshold = options->threshold;
    const size_t n = options->n_effects ? options->n_effects : ARRAY_LEN(default_effects);
    selftest->n_effects = n + 1;
    selftest->effects = must_have(calloc(selftest->n_effects, sizeof *selftest->effects));
    for (size_t i = 0; i < n; i++)
        selftest->effects[i].effect =
            options->n_effects ? options->effect[i] : default_effects[i];
    selftest->effects[n] =
        (struct selftest_effect){.effect = PLACE_EFFECT, .as_built = true};
}

/* Takes from any gate what all have in common. */
static void note_case(struct selftest *selftest, const struct run *run)
{
    const struct result *const result = &run->results[0];
    if (result->comparison->base_ns > 0)
        selftest->call_ns = result->comparison->base_ns;
    FOR_EACH (const struct fact, fact, run->settings.fact, run->settings.n) {
        if (!strcmp(fact->name, "processes"))
            selftest->processes = (uint32_t)fact->number;
        else if (!strcmp(fact->name, "process_rounds"))
            selftest->rounds = (uint32_t)fact->number;
    }
    string_set(&selftest->case_id, result->id);
}

static int take_gate(struct ab *ab, uint64_t seed, struct selftest *selftest,
                     struct selftest_effect *effect, struct error *error)
{
    const struct ab_gate gate = {.seed = seed,
                                 .extra_work = effect->as_built ? 0 : effect->effect,
                                 .built_work = effect->as_built ? effect->effect : 0,
                                 .times_alone = true};
    FREED_BY(run_delete) struct run *run = run_new();
    int rc = ab_measure(ab, &gate, NULL, run, error);
    if (rc == 0 && run_exit_status(run) == EXIT_WRONG)
        rc = error_set(error, -EIO, "%.100s: %.400s", run->results[0].id,
                       run->results[0].reason);
    if (rc == 0) {
        selftest_add(effect, run->results[0].comparison, run->gate->seconds);
        note_case(selftest, run);
    }
    return rc;
}

/* Effects take turns, so that a machine that changes meanwhile changes for all. */
static int take_gates(const struct options *options, struct ab *ab,
                      struct selftest *selftest, struct error *error)
{
    const size_t gates = options->gates ? options->gates : GATES;
    const size_t all = gates * selftest->n_effects;
    const int64_t started = clock_now();
    uint64_t random = options->how.seed;
    int rc = 0;
    if (!options->quiet)
        complain("%zu gates will take about %.0f s", all, (double)all * ab_seconds(ab));
    for (size_t i = 0; i < all && rc == 0; i++) {
        struct selftest_effect *const effect =
            &selftest->effects[i % selftest->n_effects];
        if (!options->quiet)
            progress_show("gate %zu of %zu, %.0f s so far", i + 1, all,
                          (double)(clock_now() - started) * 1e-9);
        rc = take_gate(ab, random_next(&random), selftest, effect, error);
    }
    progress_end();
    selftest->total_seconds = (double)(clock_now() - started) * 1e-9;
    return rc;
}

static void tell(const char *what, const struct error *error)
{
    text_line(stderr, "simdbench selftest: %s%s", what, error->text);
}

/* A selftest that cannot be kept for ab is still printed. */
static int write_outputs(const struct options *options, const struct selftest *selftest,
                         struct error *error)
{
    struct error why = {.text = ""};
    if (keep(selftest, &why) < 0)
        tell("ab will not cite this: ", &why);
    return document_write(options, write_as, selftest, error);
}

int command_selftest(struct options *options)
{
    struct error error = {.text = ""};
    struct selftest selftest = {.seed = 0};
    struct ab *ab = NULL;
    FREED_BY(request_free) struct request what = {.op = NULL};
    struct how how;
    signals_catch();
    int rc = outputs_check(options, &error);
    describe(options, &selftest);
    if (rc == 0)
        rc = open_self(options, &what, &how, &ab, &error)
                 ?: take_gates(options, ab, &selftest, &error);
    ab_close(ab);
    if (rc == 0) {
        selftest_derive(&selftest);
        rc = write_outputs(options, &selftest, &error);
    }
    selftest_clear(&selftest);
    if (rc == 0)
        return EXIT_OK;
    tell("", &error);
    return rc == -EINTR ? EXIT_INTERRUPTED : rc == -CPUS_BUSY ? EXIT_BUSY : EXIT_USAGE;
}
