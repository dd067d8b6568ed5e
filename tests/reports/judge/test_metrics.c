/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas: what they come to, and that nonsense comes to nothing. */
#include "reports.h"
#include "unit.h"

/* 100 elements and 50 ns a call of 2 calls a batch: 400 cycles, 1200 instructions, no
 * misses, and `gone` that could not be counted. */
static struct run *make_run(void)
{
    static const struct {
        const char *name;
        double batch;
    } counts[] = {{"cycles", 800}, {"instructions", 2400}, {"X.A:B", 0}, {"gone", NAN}};
    struct run *run = run_new();
    struct result *result = run_add_result(run);

    assert_non_null(result);
    facts_number(&run->host, "tsc_ghz", 2.5);
    result_set_status(result, STATUS_OK, NULL);
    result->work.ops = 100;
    result->samples.iterations = 2;
    assert_int_equal(result_add_sample(result, 0, 100), 0);
    assert_int_equal(result_add_clock(result, 4), 0);
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        struct counter *counter = result_add_counter(result, counts[i].name);
        assert_non_null(counter);
        if (isnan(counts[i].batch))
            string_set(&counter->absent, "no PMU");
        else
            assert_int_equal(counter_add_sample(counter, counts[i].batch), 0);
    }
    return run;
}

static double value_of(const char *formula)
{
    struct run *run = make_run();
    struct metric *metric = result_add_metric(&run->results[0], "m", "", formula);
    double value;
    assert_non_null(metric);
    assert_true(isnan(metric->value));
    run_summarise(run, GROUP_ALL);
    value = run->results[0].metrics[0].value;
    run_free(run);
    return value;
}

TEST(values)
{
    static const struct {
        const char *formula;
        double value;
    } rows[] = {{"instructions / cycles", 3},
                {"cycles / elements", 4},
                {"probe-ghz * ns / elements", 2},
                {"tsc-ghz * cycles / instructions", 2.5 / 3},
                {"100 * cycles / (cycles + instructions)", 25},
                {"100 * cycles / (6 * cycles)", 100.0 / 6},
                {"(cycles + (instructions + 2 * X.A:B)) / elements", 16},
                {"instructions - cycles - 300", 500},
                {"2 * (instructions - cycles)", 1600},
                {"X.A:B / elements", 0},
                {"cycles + instructions * 2", 2800},
                {"cycles", 400},
                {"0.5*cycles", 200}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (!(fabs(value_of(rows[i].formula) - rows[i].value) < 1e-12))
            fail_msg("%s = %g", rows[i].formula, value_of(rows[i].formula));
}

TEST(nonsense)
{
    static const char *const rows[] = {
        "",
        "gone / cycles",
        "unknown",
        "cycles / X.A:B",
        "X.A:B / X.A:B",
        "cycles +",
        "cycles cycles",
        "(cycles",
        "cycles)",
        "* cycles",
        "1e999",
        "%n",
        "((((((((((((((((((((((cycles))))))))))))))))))))))"};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (!isnan(value_of(rows[i])))
            fail_msg("%s = %g", rows[i], value_of(rows[i]));
    assert_true(isnan(value_of(NULL)));
}

/* A group that starts again has no values until it is measured again; what came from
 * another machine keeps its own. */
TEST(lifetime)
{
    struct run *run = make_run();
    struct result *result = &run->results[0];
    struct metric *metric = result_add_metric(result, "GHz", "GHz", "tsc-ghz");
    assert_non_null(metric);
    run_summarise(run, GROUP_ALL);
    assert_true(metric->value == 2.5);
    result_clear_samples(result);
    assert_true(isnan(metric->value));
    metric->value = 3.5;
    string_set(&result->source, "b.json");
    run_summarise(run, GROUP_ALL);
    assert_true(metric->value == 3.5);
    run_free(run);
}

static void expect_text(const struct run *run, const char *wanted)
{
    struct buffer buffer = {.text = NULL};
    assert_true(metrics_text(&run->results[0], &buffer));
    assert_string_equal(buffer_text(&buffer), wanted);
    buffer_free(&buffer);
}

/* A number that a counter in doubt is a part of is in doubt. */
TEST(doubts)
{
    static const char *const formulas[] = {"instructions / cycles", "cycles / elements",
                                           "tsc-ghz"};
    struct run *run = make_run();
    for (size_t i = 0; i < ARRAY_LEN(formulas); i++) {
        struct metric *metric = result_add_metric(
            &run->results[0], i ? i > 1 ? "c" : "b" : "a", "GHz", formulas[i]);
        assert_non_null(metric);
        metric->asked = true;
    }
    run_summarise(run, GROUP_ALL);
    expect_text(run, "a 3.000 GHz, b 4.000 GHz, c 2.500 GHz");
    string_set(&run->results[0].samples.counters[1].doubt, "who knows");
    expect_text(run, "a 3.000? GHz, b 4.000 GHz, c 2.500 GHz");
    string_set(&run->results[0].samples.counters[0].doubt, "who knows");
    expect_text(run, "a 3.000? GHz, b 4.000? GHz, c 2.500 GHz");
    run_free(run);
}
