/* SPDX-License-Identifier: Apache-2.0 */
/* Two stored runs: what differs between runs without a reason in the code, the verdicts
 * in spite of it, and what a reader is told first. Made-up samples. */
#include "effort.h"
#include "random.h"
#include "read_back.h"
#include "sample_run.h"
#include "unit.h"

enum { SAMPLES = 18, OWN = 60, CONTROLS = 24 };

static struct result *add(struct run *run, const char *id, const char *op,
                          const char *isa, size_t group, double ns)
{
    struct result *const result = run_add_result(run);
    assert_non_null(result);
    string_set(&result->id, id);
    string_set(&result->op, op);
    string_set(&result->isa, isa);
    string_set(&result->type, "f32");
    string_set(&result->variant, "max");
    string_set(&result->shape, "64");
    result_set_status(result, STATUS_OK, NULL);
    result->group = group;
    result->threads = 1;
    result->samples.iterations = 10;
    result->work.ops = 1000;
    for (uint32_t i = 0; i < SAMPLES; i++) /* a fixed wave of 0.2% within the run */
        assert_int_equal(
            result_add_sample(result, i, 10 * ns * (1 + 0.00005 * (i * 17 % SAMPLES))),
            0);
    return result;
}

static struct run *begin(void)
{
    struct run *const run = run_new();
    assert_non_null(run);
    string_set(&run->fingerprint, "0011");
    string_set(&run->tool_version, "0.1.0");
    return run;
}

struct noise {
    uint64_t *random;
    double spread;  /* of each case, as a logarithm */
    double machine; /* of all cases, likewise */
    double own;     /* of own cases alone: what their code changed by */
};

/* A third of the deviations is twice as far as a normal one. */
static double deviation(const struct noise *noise)
{
    if (!noise->random)
        return 0;
    const double wide = uniform(noise->random) < 1.0 / 3 ? 2 : 1;
    return wide * noise->spread * normal(noise->random);
}

static struct run *make(const struct noise *noise, size_t own, size_t controls)
{
    struct run *const run = begin();
    char id[80];
    for (size_t i = 0; i < own + controls; i++) {
        const bool control = i >= own;
        snprintf(id, sizeof id,
                 control ? "lib:relu/f32/lib/relu@%zu" : "relu/f32/avx2/max@%zu", i + 1);
        struct result *const result = add(
            run, id, "relu", control ? "lib" : "avx2", i,
            1000 * exp(noise->machine + deviation(noise) + (control ? 0 : noise->own)));
        result->is_baseline = control;
        string_set(&result->module.name, control ? "lib" : NULL);
    }
    run_summarise(run, GROUP_ALL);
    return run;
}

static struct run *compare(struct run *base, struct run *head)
{
    struct error error = {.text = ""};
    if (run_compare(head, "head.json", base, "base.json", 0.02, &error))
        fail_msg("%s", error.text);
    run_free(base);
    return head;
}

/* The share of `pairs` pairs, of which head is slower by `own`, in which a regression is
 * called. */
static double called(double spread, double machine, double own, size_t n_own,
                     size_t controls, size_t pairs)
{
    uint64_t random = 5;
    size_t n = 0;
    pairs = effort_of(pairs);
    for (size_t i = 0; i < pairs; i++) {
        const struct noise before = {&random, spread, 0, 0},
                           after = {&random, spread, machine, own};
        struct run *const base = make(&before, n_own, controls);
        struct run *const run = compare(base, make(&after, n_own, controls));
        n += run->gate->regressed > 0;
        run_free(run);
    }
    return (double)n / (double)pairs;
}

/* ---- noise between runs is no regression, and a regression is found beside it ---- */

TEST(noise_is_no_regression)
{
    assert_true(called(0.02, 0, 0, OWN, CONTROLS, 1000) <= 0.02);
    assert_true(called(0.005, 0.13, 0, OWN, CONTROLS, 500) <= 0.02);
    assert_true(called(0.005, -0.13, 0, OWN, CONTROLS, 500) <= 0.02);
    /* Nothing is known of the noise, but it is assumed. */
    assert_true(called(0.005, 0, 0, 6, 0, 500) <= 0.02);
}

TEST(regressions_are_found)
{
    assert_true(called(0.003, 0, 0.05, OWN, CONTROLS, 50) >= 0.98);
    assert_true(called(0.003, 0.03, 0.05, OWN, CONTROLS, 50) >= 0.98);
    assert_true(called(0.006, 0, 0.10, OWN, CONTROLS, 50) >= 0.98);
    assert_true(called(0.005, 0, 0.10, 6, 0, 50) >= 0.98);
}

/* ---- the machine ---- */

static const struct comparison *first(const struct run *run)
{
    return run->results[0].comparison;
}

TEST(libraries_are_the_control)
{
    const struct noise still = {0}, slower = {.machine = log(1.13)},
                       faster_alone = {.machine = log(1.13), .own = -log(1.13)};
    struct run *run = compare(make(&still, 3, 9), make(&slower, 3, 9));
    assert_near(run->gate->drift, 0.13, 1e-9);
    assert_true(run->gate->controls == 9);
    assert_near(run->gate->between, 0, 1e-9);
    assert_int_equal(first(run)->verdict, VERDICT_SAME);
    assert_near(first(run)->change, 0.13, 1e-9);
    assert_near(comparison_relative(run->gate, first(run)->change), 0, 1e-9);
    run_free(run);
    /* A case that stays while the machine gets slower is told, and is no improvement. */
    run = compare(make(&still, 3, 9), make(&faster_alone, 3, 9));
    assert_near(first(run)->change, 0, 1e-9);
    assert_int_equal(first(run)->verdict, VERDICT_INCONCLUSIVE);
    assert_string_equal(first(run)->reason,
                        "libraries and limits changed by +13.00%, this did not");
    run_free(run);
    /* Seven are too few. */
    run = compare(make(&still, 3, 7), make(&slower, 3, 7));
    assert_true(isnan(run->gate->drift) && run->gate->between == 0.03);
    char *const text = sample_text(run, FORMAT_TABLE, NULL);
    assert_non_null(strstr(text, "too few libraries and limits to know: 7"));
    free(text);
    assert_int_equal(first(run)->verdict, VERDICT_REGRESSED);
    run_free(run);
}

static void times(struct result *result, double by, bool shared)
{
    for (size_t i = 0; i < result->samples.n; i++)
        result->samples.ns[i] *= by;
    result->samples.shared |= shared;
}

/* Half of the libraries moved by a factor, beside a neighbour. */
TEST(neighbours_blur_their_cases_only)
{
    const struct noise still = {0};
    struct run *const head = make(&still, 3, 20);
    times(&head->results[0], 1.2, false);
    times(&head->results[1], 1.2, true);
    for (size_t i = 13; i < 23; i++)
        times(&head->results[i], i % 2 ? 1.5 : 0.7, true);
    run_summarise(head, GROUP_ALL);
    struct run *const run = compare(make(&still, 3, 20), head);
    assert_true(run->gate->between > 0.5 && run->gate->between_alone < 0.01);
    assert_true(run->gate->controls == 10);
    assert_int_equal(run->results[0].comparison->verdict, VERDICT_REGRESSED);
    assert_int_equal(run->results[1].comparison->verdict, VERDICT_INCONCLUSIVE);
    assert_int_equal(run->results[2].comparison->verdict, VERDICT_SAME);
    run_free(run);
}

/* Nearly all had a neighbour, which slowed them all by as much: no case of theirs is
 * judged by the few that had none. */
TEST(few_cases_alone_do_not_narrow_the_others)
{
    const struct noise still = {0};
    struct run *const head = make(&still, 1, 200);
    for (size_t i = 0; i < head->n_results; i++)
        if (i == 0 || i >= 10)
            times(&head->results[i], 1.2, true);
    run_summarise(head, GROUP_ALL);
    struct run *const run = compare(make(&still, 1, 200), head);
    assert_true(run->gate->between > 0.2 && run->gate->between_alone < 0.01);
    assert_int_equal(first(run)->verdict, VERDICT_INCONCLUSIVE);
    run_free(run);
}

/* Another version of a library is other code. */
TEST(other_versions_control_nothing)
{
    const struct noise still = {0};
    struct run *const base = make(&still, 3, 9), *const head = make(&still, 3, 9);
    for (size_t i = 3; i < 12; i++)
        string_set(&head->results[i].module.version, "2");
    assert_true(compare(base, head)->gate->controls == 0);
    run_free(head);
}

/* The thirds of its samples lie 9% apart. */
TEST(a_case_that_moves_has_a_floor_of_its_own)
{
    const struct noise still = {0}, slower = {.own = log(1.09)};
    struct run *const base = make(&still, 2, 9), *const head = make(&slower, 2, 9);
    for (size_t i = SAMPLES * 2 / 3; i < SAMPLES; i++)
        base->results[0].samples.ns[i] *= 1.09;
    run_summarise(base, GROUP_ALL);
    compare(base, head);
    assert_in_range((long)(1e4 * head->results[0].comparison->floor), 890, 910);
    /* The other one did not move. */
    assert_in_range((long)(1e4 * head->results[1].comparison->floor), 0, 20);
    assert_int_not_equal(head->results[0].comparison->verdict, VERDICT_REGRESSED);
    assert_int_equal(head->results[1].comparison->verdict, VERDICT_REGRESSED);
    run_free(head);
}

/* ---- equal builds ---- */

static struct run *built(struct run *run, const char *build, const char *plugin)
{
    string_set(&run->tool_build_id, build);
    if (plugin)
        strings_add(&run->plugins, &run->n_plugins, plugin);
    return run;
}

TEST(equal_builds_never_regress)
{
    static const struct {
        const char *base, *base_plugin, *head, *head_plugin;
        bool equal;
    } cases[] = {{"ab", NULL, "ab", NULL, true},
                 {"ab", NULL, "cd", NULL, false},
                 {NULL, NULL, NULL, NULL, false},
                 {"ab", "a/k.so 12", "ab", "b/k.so 12", true},
                 {"ab", "a/k.so 12", "ab", "a/k.so 13", false},
                 {"ab", "a/k.so 12-3", "ab", "a/k.so 13-3", true},
                 {"ab", "a/k.so 12-3", "ab", "a/k.so 12-4", false},
                 {"ab", "a/k.so ", "ab", "a/k.so ", false},
                 {"ab", NULL, "ab", "a/k.so 13", false}};
    const struct noise still = {0}, slower = {.own = log(1.20)};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct run *const run =
            compare(built(make(&still, 3, 9), cases[i].base, cases[i].base_plugin),
                    built(make(&slower, 3, 9), cases[i].head, cases[i].head_plugin));
        char *const text = sample_text(run, FORMAT_MARKDOWN, NULL);
        assert_int_equal(run->gate->equal, cases[i].equal);
        assert_int_equal(run->gate->regressed, cases[i].equal ? 0 : 3);
        assert_int_equal(strstr(text, "same build: what differs is the noise between the "
                                      "runs, 20.00% at the median") != NULL,
                         cases[i].equal);
        free(text);
        run_free(run);
    }
}

/* Cases with the same code do not change, whatever else the build has. */
TEST(equal_code_never_regresses)
{
    static const char *const prints[][2] = {{"a", "a"}, {"a", "b"}, {NULL, NULL}};
    /* The same code does other work if it is called with other values. */
    static const char *const works[] = {"a/k.so 12-3", "call f declared-1",
                                        "call f declared-2", "call f "};
    const struct noise still = {0}, slower = {.own = log(1.20)};
    for (size_t work = 0; work < ARRAY_LEN(works); work++) {
        struct run *const base = built(make(&still, 3, 9), "ab", works[work == 2]);
        struct run *const head = built(make(&slower, 3, 9), "cd", works[work]);
        const bool same = work < 2;
        if (work == 1)
            string_set(&base->plugins[0], works[1]);
        for (size_t i = 0; i < ARRAY_LEN(prints); i++) {
            string_set(&base->results[i].code.print, prints[i][0]);
            string_set(&head->results[i].code.print, prints[i][1]);
        }
        compare(base, head);
        assert_int_equal(head->results[0].comparison->verdict,
                         same ? VERDICT_INCONCLUSIVE : VERDICT_REGRESSED);
        assert_int_equal(head->results[1].comparison->verdict, VERDICT_REGRESSED);
        assert_int_equal(head->results[2].comparison->verdict, VERDICT_REGRESSED);
        char *const text = sample_text(head, FORMAT_TABLE, NULL);
        assert_int_equal(strstr(text, "same code: 1 of 1 case") != NULL, same);
        free(text);
        run_free(head);
    }
}

/* Another thread on the core may double times, and few controls do not tell. */
TEST(company_is_no_regression)
{
    static const struct {
        double factor;
        size_t controls;
        bool base, head;
        enum verdict verdict;
    } cases[] = {{1.9, 4, false, true, VERDICT_INCONCLUSIVE},
                 {1.9, 9, false, true, VERDICT_INCONCLUSIVE},
                 {1.9, 9, true, true, VERDICT_REGRESSED},
                 {1.9, 4, true, false, VERDICT_REGRESSED},
                 {2.1, 4, false, true, VERDICT_REGRESSED},
                 {0.55, 4, true, true, VERDICT_INCONCLUSIVE},
                 {0.55, 4, false, true, VERDICT_IMPROVED}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct noise still = {0}, other = {.own = log(cases[i].factor)};
        struct run *const base = make(&still, 1, cases[i].controls);
        struct run *const head = make(&other, 1, cases[i].controls);
        base->results[0].samples.shared = cases[i].base;
        head->results[0].samples.shared = cases[i].head;
        compare(base, head);
        assert_int_equal(head->results[0].comparison->verdict, cases[i].verdict);
        run_free(head);
    }
}

/* ---- what is told first ---- */

static struct run *told(const char *label, const char *commit, double fma, double library,
                        double roof_ns)
{
    struct run *const run = begin();
    facts_text(&run->settings, "label", label);
    facts_text(&run->host, "cpu", "Example CPU");
    string_set(&run->tool_commit, commit);
    string_set(&run->started_at, "2024-05-06T07:08:09Z");
    add(run, "relu/f32/avx2/max@64", "relu", "avx2", 0, fma);
    add(run, "relu/f32/avx2/and@64", "relu", "avx2", 0, fma);
    struct result *const lib =
        add(run, "lib:relu/f32/lib/relu@64", "relu", "lib", 0, library);
    lib->is_baseline = true;
    string_set(&lib->module.name, "lib");
    struct result *const roof =
        add(run, "roof/f32/avx2/copy@64", "roof", "avx2", 0, roof_ns);
    roof->is_roof = true;
    for (size_t i = 0; i < 2; i++)
        string_set(&run->results[i].limit_id, roof->id);
    struct result *const odd = add(run, "relu/f32/sse2/max@64", "relu", "sse2", 1, 100);
    result_set_status(odd, STATUS_NOISY, "noisy");
    run_summarise(run, GROUP_ALL);
    return run;
}

TEST(rows_of_op_and_isa)
{
    struct run *const run = compare(told("old", "c0ffee", 1000, 2000, 800),
                                    told("new", "decaf", 1250, 2000, 800));
    struct gate_row *rows;
    size_t n;
    gate_rows(run, &rows, &n);
    assert_int_equal(n, 2);
    assert_string_equal(rows[0].op, "relu");
    assert_string_equal(rows[0].isa, "avx2");
    assert_int_equal(rows[0].usable, 2);
    assert_int_equal(rows[0].regressed, 2);
    assert_near(rows[0].raw, 0.25, 1e-9);
    assert_near(rows[0].change, 0.25, 1e-9); /* two controls: no drift is known */
    assert_true(rows[0].ci.known && rows[0].ci.lo < 0.25 && rows[0].ci.hi > 0.25);
    assert_near(rows[0].share_before, 0.8, 1e-9);
    assert_near(rows[0].share_after, 0.64, 1e-9);
    assert_int_equal(rows[0].n_versus, 1);
    assert_near(rows[0].versus[0].before, 2, 1e-9);
    assert_near(rows[0].versus[0].after, 1.6, 1e-9);
    /* Nothing of a noisy case stands in a mean. */
    assert_int_equal(rows[1].cases, 1);
    assert_int_equal(rows[1].usable, 0);
    assert_true(isnan(rows[1].change));
    gate_rows_free(rows, n);
    assert_near(run->gate->geomean_change, 0.25, 1e-9);
    struct run *const again = read_back(run);
    assert_prints_the_same(run, again, FORMAT_MARKDOWN);
    assert_prints_the_same(run, again, FORMAT_TABLE);
    run_free(again);

    char *const text = sample_text(run, FORMAT_MARKDOWN, NULL);
    static const char *const lines[] = {
        "\n**REGRESSED: 2 of 3 cases by more than 2%",
        "\n| label | old | new |\n| file | base.json | head.json |\n",
        "\n| commit | c0ffee | decaf |\n",
        "\n| measured | 2024-05-06T07:08:09Z | 2024-05-06T07:08:09Z |\n",
        "\n| host | Example CPU, 0011 | Example CPU, 0011 |\n",
        "\n- libraries, the same code in both: 1 case, +0.00% (+0.00 to +0.00)\n",
        "| 80.0% to 64.0% | lib 2.000x to 1.600x |\n",
        "\n- no usable case: relu sse2 (1)\n"};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        if (!strstr(text, lines[i]))
            fail_msg("no '%s' in %s", lines[i], text);
    free(text);
    run_free(run);
}

/* Before the first fold 4 kB, in all no more than a comment of GitHub has room for. */
TEST(a_comment_holds_it)
{
    static const size_t sizes[] = {10, 100, 1000, 2000};
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        const size_t n = sizes[s];
        const struct noise still = {0}, slower = {.own = log(1.2)};
        struct run *const run = compare(make(&still, n, 9), make(&slower, n, 9));
        for (size_t i = 0; i < run->n_results; i++)
            if (n == 1000) { /* an op of its own each: too many rows */
                char op[32];
                snprintf(op, sizeof op, "op%zu", i);
                string_set(&run->results[i].op, op);
            }
        char *const text = sample_text(run, FORMAT_MARKDOWN, NULL);
        const char *const fold = strstr(text, "<details>");
        assert_non_null(fold);
        assert_in_range(fold - text, 1, 4200);
        assert_in_range(strlen(text), 1, 65536);
        assert_int_equal(strstr(text, "**Cut here: ") != NULL, n >= 1000);
        assert_int_equal(strstr(text, " more rows are below.") != NULL, n == 1000);
        free(text);
        run_free(run);
    }
}

/* Two runs of which one alone had no other program beside its calls. */
TEST(schedules_are_told)
{
    static const struct {
        const char *base, *head, *remark;
    } cases[] = {{"first", "in turn", "calls of run 1 alone ran before other programs"},
                 {"in turn", "first", "calls of run 2 alone ran before other programs"},
                 {"first", "first", NULL},
                 {"first", NULL, NULL}};
    uint64_t random = 1;
    const struct noise noise = {&random, 0.005, 0, 0};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct run *const base = make(&noise, 2, 0), *const head = make(&noise, 2, 0);
        facts_text(&base->settings, "scheduled", cases[i].base);
        if (cases[i].head)
            facts_text(&head->settings, "scheduled", cases[i].head);
        struct run *const run = compare(base, head);
        assert_true(text_same(run->gate->remark, cases[i].remark));
        run_free(run);
    }
}
