/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the same work tell of each other what can be done faster; and experiments,
 * which loop takes the time. */
#include "explain/explain_private.h"
#include "unit.h"

enum { CASES = 3, ROUNDS = 10 };

/* Cases of one run; call times are theirs, spread by 1%. */
struct cases {
    struct run *run;
    struct case_name name[CASES];
    struct subject subject[CASES];
};

static void begin(struct cases *cases, const char *const *id, const double *ns)
{
    *cases = (struct cases){.run = run_new()};
    for (size_t i = 0; i < CASES; i++) {
        struct error error;
        assert_int_equal(case_name_parse(id[i], &cases->name[i], &error), 0);
        struct result *const result = run_add_result(cases->run);
        string_set(&result->id, id[i]);
        result->status = STATUS_OK;
        result->work.ops = result->samples.iterations = 1;
        for (uint32_t round = 0; round < ROUNDS; round++)
            result_add_sample(result, round, ns[i] * (1 + 0.001 * round));
        cases->subject[i].name = &cases->name[i];
        cases->subject[i].base.run = cases->run;
        cases->subject[i].base.result = i;
    }
    run_summarise(cases->run, GROUP_ALL);
}

static void end(struct cases *cases)
{
    for (size_t i = 0; i < CASES; i++)
        case_name_free(&cases->name[i]);
    run_free(cases->run);
}

/* The status of a case at 85% of the limit of its work, beside the others. */
static enum inspect_cause first_cause(struct cases *cases)
{
    static struct inspect_findings findings;
    struct subject *const subject = &cases->subject[0];
    inspect_fact_set(&subject->facts, FACT_cycles, 10);
    inspect_fact_set(&subject->facts, FACT_arithmetic_cycles, 8.5);
    inspect_fact_set(&subject->facts, FACT_loop_share, 1);
    explain_siblings(subject, cases->subject, CASES);
    inspect_fact_set(&subject->facts, FACT_limit_cycles, 8.5);
    inspect_find(&subject->facts, &findings);
    return findings.finding[0].cause;
}

#define ID "mine:sad/f32/sse2/old@64"

TEST(test_faster_siblings)
{
    static const struct {
        const char *other;
        double ns;
        enum inspect_cause first;
    } rows[] = {
        {"mine:sad/f32/avx2/new@64", 830, CAUSE_unexplained},
        {"sad/f32/sse2/own@64;threads=1", 830, CAUSE_unexplained},
        {"mine:sad/f32/avx2/new@64", 960, CAUSE_at_limit}, /* within 5% */
        {"mine:sad/f32/avx2/new@65", 500, CAUSE_at_limit}, /* other work */
        {"mine:sad/f64/avx2/new@64", 500, CAUSE_at_limit},
        {"mine:sad/f32/avx2/new@64;threads=2", 500, CAUSE_at_limit},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cases cases;
        begin(&cases, (const char *const[]){ID, rows[i].other, "add/f32/avx2/x@64"},
              (const double[]){1000, rows[i].ns, 10});
        assert_int_equal(first_cause(&cases), rows[i].first);
        end(&cases);
    }
}

/* Another process tells what a case takes whose own one was unlucky. */
TEST(test_unlucky_siblings)
{
    for (size_t unlucky = 0; unlucky <= 1; unlucky++) {
        struct cases cases;
        begin(&cases,
              (const char *const[]){ID, "mine:sad/f32/avx2/new@64", "add/f32/avx2/x@64"},
              (const double[]){1000, unlucky ? 1000 : 500, 10});
        struct experiments *const experiments = &cases.subject[unlucky].experiments;
        experiments->item[0] =
            (struct experiment){.name = "control",
                                .ratio = 0.5,
                                .ci = {.known = true, .lo = 0.49, .hi = 0.51}};
        experiments->n = 1;
        assert_int_equal(first_cause(&cases),
                         unlucky ? CAUSE_unexplained : CAUSE_at_limit);
        end(&cases);
    }
}

/* One that failed tells nothing. */
TEST(test_failed_sibling)
{
    struct cases cases;
    begin(&cases,
          (const char *const[]){ID, "mine:sad/f32/avx2/new@64", "add/f32/avx2/x@64"},
          (const double[]){1000, 500, 10});
    cases.run->results[1].status = STATUS_WRONG;
    assert_int_equal(first_cause(&cases), CAUSE_at_limit);
    end(&cases);
}

static double *rates_of_core(void)
{
    double *const rates = must_have(calloc(core_rate_count(), sizeof *rates));
    for (size_t i = 0; i < core_rate_count(); i++)
        rates[i] = !strcmp(core_rate_name(i), "cost_forward")        ? 100
                   : !strcmp(core_rate_name(i), "cost_mispredict")   ? 20
                   : !strcmp(core_rate_name(i), "rate_instructions") ? 6
                                                                     : NAN;
    return rates;
}

/* Failed forwards make a loop the hot one, unless an experiment refutes that they cost,
 * and wrong predictions, if nothing else tells of them. */
TEST(test_hot_loop)
{
    struct inspect_loop loop[] = {
        {.iterations = 1, .instructions = 60, .failed_forwards = 9, .undecided = 6},
        {.iterations = 100, .instructions = 6}};
    const struct inspect_census census = {
        .loop = loop, .n_loops = ARRAY_LEN(loop), .instructions = 660, .whole = true};
    double *const rates = rates_of_core();
    double part;
    assert_int_equal(variant_hot_loop(&census, rates, true, false, &part), 0);
    assert_int_equal(variant_hot_loop(&census, rates, false, true, &part), 0);
    assert_int_equal(variant_hot_loop(&census, rates, false, false, &part), 1);
    free(rates);
}

/* Wrong predictions choose the hot loop if nobody knows what they cost: not where zeros
 * were tried, or where they were counted, or would take more than the whole time. */
TEST(test_told_guesses)
{
    static const struct {
        const char *name; /* of an experiment, or a metric */
        double ns;
        size_t hot;
    } rows[] = {
        {NULL, 110, 0}, {NULL, 90, 1}, {"input_zero", 110, 1}, {"branch misses", 110, 1}};
    char isa[] = "avx2";
    struct worker worker = {.fd = -1};
    struct offer offer = {.worker = &worker, .isa = isa};
    struct plan_case row = {.offer = 0};
    struct plan_group group = {.cases = &row, .n_cases = 1};
    struct inspect_loop loop[] = {{.iterations = 1, .instructions = 60, .undecided = 6},
                                  {.iterations = 100, .instructions = 6}};
    double *const rates = rates_of_core();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cases cases;
        begin(&cases, (const char *const[]){ID, ID, ID},
              (const double[]){rows[i].ns, 1, 1});
        struct subject *const subject = &cases.subject[0];
        struct result *const result = variant_result(&subject->base);
        result->summary.ghz = 1;
        subject->base.catalog.offers = &offer;
        subject->base.plan.groups = &group;
        subject->trace.known = true;
        subject->trace.census = (struct inspect_census){.loop = loop,
                                                        .n_loops = ARRAY_LEN(loop),
                                                        .instructions = 660,
                                                        .call_instructions = 660,
                                                        .share_undecided = 6.0 / 660,
                                                        .whole = true};
        if (i == 2)
            subject->experiments =
                (struct experiments){.item[0] = {.name = rows[i].name,
                                                 .ratio = 1,
                                                 .ci = {.known = true, .lo = 1, .hi = 1}},
                                     .n = 1};
        if (i == 3) {
            struct counter *const counter = result_add_counter(result, "branch-misses");
            assert_int_equal(counter_add_sample(counter, 0), 0);
            assert_non_null(result_add_metric(result, rows[i].name, "per element",
                                              "branch-misses / elements"));
            run_summarise(cases.run, GROUP_ALL);
            result->summary.ghz = 1;
        }
        explain_facts(subject, rates);
        assert_int_equal(subject->hot_loop, rows[i].hot);
        end(&cases);
    }
    free(rates);
}
