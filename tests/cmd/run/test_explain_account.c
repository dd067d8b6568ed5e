/* SPDX-License-Identifier: Apache-2.0 */
/* The account of two cases, of results that are made up. */
#include "explain/explain_private.h"
#include "surgery.h"
#include "unit.h"

#define OPS 1000.0
#define N_ROUNDS 10

/* A takes 2000 ns a call and B 1000 ns, at 3 and 4 GHz. */
struct both {
    struct run *run;
    struct subject a, b;
    struct inspect_loop loop_a, loop_b;
};

static void set(char **where, const char *text)
{
    string_set(where, text);
}

static void fill(struct both *both, struct subject *subject, size_t number,
                 struct inspect_loop *loop, double instructions)
{
    const double slower = number ? 1 : 2;
    struct result *const result = run_add_result(both->run);
    set(&result->id, number ? "B" : "A");
    result->status = STATUS_OK;
    result->work.ops = OPS;
    result->samples.iterations = 1;
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        result_add_sample(result, round, slower * (1000 + round));
        result_add_clock(result, 4 - (slower - 1) + 0.001 * round);
    }
    subject->base.run = both->run;
    subject->base.result = number;
    subject->trace.known = true;
    subject->trace.instructions_per_op = instructions;
    subject->trace.census.loop = loop;
    subject->trace.census.n_loops = 1;
    subject->trace.census.whole = true;
    subject->trace.census.instructions = (uint64_t)(instructions * OPS);
    loop->iterations = OPS;
}

static void begin(struct both *both)
{
    *both = (struct both){.run = run_new()};
    assert_non_null(both->run);
    fill(both, &both->a, 0, &both->loop_a, 2.5);
    fill(both, &both->b, 1, &both->loop_b, 2);
}

static struct account *account(struct both *both)
{
    run_summarise(both->run, GROUP_ALL);
    return explain_account(&both->a, &both->b);
}

static void end(struct both *both, struct account *made)
{
    account_free(made);
    run_free(both->run);
}

TEST(test_product)
{
    struct both both;
    begin(&both);
    struct account *const made = account(&both);
    assert_int_equal(made->factors.n, 4);
    const struct account_row *const row = made->factors.row;
    assert_near(row[0].ratio, 2, 1e-12);
    assert_near(row[0].a, 2.009, 1e-9);
    assert_near(row[1].ratio, 1.25, 1e-12);
    assert_true(row[1].exact);
    assert_near(row[3].ratio, 4.0045 / 3.0045, 1e-12);
    assert_near(row[1].ratio * row[2].ratio * row[3].ratio, row[0].ratio, 1e-12);
    assert_near(row[2].a / row[2].b, row[2].ratio, 1e-12);
    for (size_t i = 0; i < 4; i++)
        if (i != 1) {
            assert_true(row[i].ci.known);
            assert_in_range(row[i].ratio * 1e6, row[i].ci.lo * 1e6 - 1,
                            row[i].ci.hi * 1e6 + 1);
        }
    assert_null(made->absent);
    end(&both, made);
}

static void try_it(struct subject *subject, const char *name, double ratio)
{
    subject->experiments.item[subject->experiments.n++] = (struct experiment){
        .name = name,
        .ratio = ratio,
        .ci = {.known = true, .lo = ratio - 0.02, .hi = ratio + 0.02, .level = 0.95}};
}

/* Another process of A that is faster, with its whole interval, tells what A takes, about
 * so well; but not if one at other addresses is not. */
TEST(test_luck)
{
    static const struct {
        double high, moved;
        bool lucky;
    } rows[] = {{0.95, 0.5, false}, {0.55, 0.5, true}, {0.55, 0.95, false}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const double ratio = rows[i].lucky ? 1 : 2;
        struct both both;
        begin(&both);
        try_it(&both.a, "control", 0.5);
        both.a.experiments.item[0].ci.hi = rows[i].high;
        try_it(&both.a, "layout", rows[i].moved);
        struct account *const made = account(&both);
        const struct account_row *const time = &made->factors.row[0];
        assert_near(time->ratio, ratio, 1e-3);
        assert_near(time->a / time->b, ratio, 1e-3);
        assert_near(time->ci.lo, rows[i].lucky ? 2 * 0.48 : 2, 1e-2);
        assert_near(time->ci.hi, rows[i].lucky ? 2 * 0.55 : 2, 1e-2);
        end(&both, made);
    }
}

/* Differences of less than a hundredth of all instructions are left out. */
TEST(test_classes)
{
    struct both both;
    begin(&both);
    both.loop_a.loads = 1;
    both.loop_b.loads = 0.5;
    both.loop_a.stores = 0.25;
    both.loop_b.stores = 0.24;
    struct account *const made = account(&both);
    assert_int_equal(made->classes.n, 1);
    assert_string_equal(made->classes.row[0].name, "loads");
    assert_near(made->classes.row[0].a, 1, 1e-12);
    assert_near(made->classes.row[0].b, 0.5, 1e-12);
    end(&both, made);
}

/* Forms are told by what they are, not by their registers. */
TEST(test_forms)
{
    char compress[] = "vpcompressd zmmword ptr [rdi+r8*4]{k1}, zmm3",
         load[] = "vmovups zmm1, zmmword ptr [rsi]", load_too[] = "vmovups zmm7, [rdx]",
         pack[] = "vpcompressd zmm2{k1}{z}, zmm1", count[] = "add rax, 0x10";
    struct inspect_line a[] = {{.executed = 1000, .text = compress},
                               {.executed = 1000, .text = load},
                               {.executed = 500, .text = count}},
                        b[] = {{.executed = 1000, .text = pack},
                               {.executed = 1000, .text = load_too}};
    struct both both;
    begin(&both);
    both.a.trace.census.line = a;
    both.a.trace.census.n_lines = ARRAY_LEN(a);
    both.b.trace.census.line = b;
    both.b.trace.census.n_lines = ARRAY_LEN(b);
    struct account *const made = account(&both);
    static const struct {
        const char *name;
        double a, b;
    } rows[] = {{"vpcompressd [], zmm", 1, 0},
                {"vpcompressd zmm, zmm", 0, 1},
                {"add r, n", 0.5, 0}};
    assert_int_equal(made->classes.n, ARRAY_LEN(rows));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_string_equal(made->classes.row[i].name, rows[i].name);
        assert_near(made->classes.row[i].a, rows[i].a, 1e-12);
        assert_near(made->classes.row[i].b, rows[i].b, 1e-12);
    }
    end(&both, made);
}

/* A counter with a metric of it, per element unless it is a share. */
static void count(struct both *both, const char *name, const char *unit, double a,
                  double b, const char *doubt)
{
    for (size_t i = 0; i < 2; i++) {
        struct result *const result = &both->run->results[i];
        struct counter *const counter = result_add_counter(result, name);
        assert_non_null(counter);
        set(&counter->doubt, doubt);
        assert_int_equal(counter_add_sample(counter, i ? b : a), 0);
        const char *const formula = text_same(unit, "per element") ? " / elements" : "";
        char text[64];
        snprintf(text, sizeof text, "%s%s", name, formula);
        assert_non_null(result_add_metric(result, name, unit, text));
    }
}

TEST(test_counters)
{
    struct both both;
    begin(&both);
    count(&both, "branch-misses", "per element", 500, 0, NULL);
    count(&both, "nearly-same", "per element", 500, 490, NULL);
    count(&both, "doubtful", "per element", 500, 100, "it did not prove itself");
    count(&both, "too-few", "per element", 0.5, 0, NULL);
    count(&both, "stalls", "%", 60, 20, NULL);
    count(&both, "faults", "per call", 0, 3, NULL);
    count(&both, "traffic", "GB/s", 60, 20, NULL);
    struct account *const made = account(&both);
    static const struct {
        const char *name, *unit;
        double a, b;
    } rows[] = {{"branch-misses", NULL, 0.5, 0},
                {"stalls", "%", 60, 20},
                {"faults", NULL, 0, 0.003}};
    assert_int_equal(made->counters.n, ARRAY_LEN(rows));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct account_row *const row = &made->counters.row[i];
        assert_string_equal(row->name, rows[i].name);
        assert_true(text_same(row->unit, rows[i].unit) || (!row->unit && !rows[i].unit));
        assert_near(row->a, rows[i].a, 1e-12);
        assert_near(row->b, rows[i].b, 1e-12);
    }
    end(&both, made);
}

/* A call that was not traced whole may have been counted: that is not exact. */
TEST(test_instructions)
{
    struct both both;
    begin(&both);
    both.a.trace.instructions_per_op = NAN;
    both.a.trace.census.whole = false;
    struct account *made = account(&both);
    assert_string_equal(made->absent, "instructions an operation are not known: sampled");
    assert_int_equal(made->factors.n, 2);
    account_free(made);
    both.a.trace.known = false;
    snprintf(both.a.trace.absent, sizeof both.a.trace.absent, "no tracer");
    made = account(&both);
    assert_non_null(strstr(made->absent, "no tracer"));
    account_free(made);
    count(&both, "instructions", "per element", 3000, 2000, NULL);
    made = account(&both);
    assert_null(made->absent);
    assert_near(made->factors.row[1].a, 3, 1e-12);
    assert_false(made->factors.row[1].exact);
    end(&both, made);
}

/* Windows of a call tell about how many there are, or nothing if they cannot be true. */
TEST(test_samples)
{
    struct both both;
    begin(&both);
    both.a.trace.census.whole = false;
    struct account *made = account(&both);
    assert_near(made->factors.row[1].ratio, 1.25, 1e-12);
    assert_false(made->factors.row[1].exact);
    account_free(made);
    both.a.doubt = "its windows contradict each other";
    made = account(&both);
    assert_non_null(strstr(made->absent, both.a.doubt));
    assert_int_equal(made->factors.n, 2);
    assert_int_equal(made->classes.n, 0);
    end(&both, made);
}

TEST(test_conditions)
{
    struct both both;
    begin(&both);
    try_it(&both.a, "control", 1.5);
    try_it(&both.b, "control", 1);
    try_it(&both.a, "huge_pages", 0.5);
    try_it(&both.b, "huge_pages", 1);
    try_it(&both.a, "alignment", 1);
    try_it(&both.b, "alignment", 1.03);
    try_it(&both.a, "other_core", 0.5);
    struct account *const made = account(&both);
    assert_int_equal(made->conditions.n, 1);
    assert_string_equal(made->conditions.row[0].name, "huge_pages");
    assert_near(made->conditions.row[0].a_ci.lo, 0.48, 1e-12);
    assert_near(made->conditions.row[0].ci.hi, 0.52 / 0.98, 1e-12);
    end(&both, made);
}

TEST(test_not_measured)
{
    struct both both;
    begin(&both);
    result_clear_samples(&both.run->results[1]);
    struct account *const made = account(&both);
    assert_string_equal(made->absent, "one of them was not measured");
    assert_int_equal(made->factors.n, 0);
    end(&both, made);
}

static void know(struct inspect_facts *facts, double call_cycles, double loop_share)
{
    inspect_fact_set(facts, FACT_call_cycles, call_cycles);
    inspect_fact_set(facts, FACT_loop_share, loop_share);
    inspect_fact_set(facts, FACT_cycles, 10);
    inspect_fact_set(facts, FACT_chain_cycles, 9);
    inspect_fact_set(facts, FACT_place, 1);
}

/* Bounds of a hot loop are those of the call if the loop is most of it. */
TEST(test_bounds)
{
    struct both both;
    begin(&both);
    know(&both.a.facts, 6000, 0.6);
    know(&both.b.facts, 3000, 0.6);
    struct account *made = account(&both);
    assert_int_equal(made->bounds.n, 2);
    assert_string_equal(made->bounds.row[1].name, "chain_cycles");
    assert_near(made->bounds.row[1].a, 5.4, 1e-9);
    account_free(made);
    /* A window that waits for no more than that instructions enter is no bound of its
     * own. */
    inspect_fact_set(&both.a.facts, FACT_window_cycles, 8);
    inspect_fact_set(&both.a.facts, FACT_dispatch_cycles, 7);
    inspect_fact_set(&both.b.facts, FACT_window_cycles, 3);
    inspect_fact_set(&both.b.facts, FACT_dispatch_cycles, 3);
    made = account(&both);
    assert_null(account_find(&made->bounds, "window_cycles"));
    account_free(made);
    inspect_fact_set(&both.a.facts, FACT_dispatch_cycles, 6);
    made = account(&both);
    assert_non_null(account_find(&made->bounds, "window_cycles"));
    account_free(made);
    for (int i = 0; i < 2; i++) {
        struct inspect_facts *const facts = i ? &both.b.facts : &both.a.facts;
        inspect_fact_set_absent(facts, FACT_window_cycles, NULL);
        inspect_fact_set_absent(facts, FACT_dispatch_cycles, NULL);
    }
    know(&both.a.facts, 6000, 0.4);
    made = account(&both);
    assert_int_equal(made->bounds.n, 1);
    end(&both, made);
}

static void divide(struct both *both, size_t side, double left)
{
    struct inspect_facts *const facts = side ? &both->b.facts : &both->a.facts;
    inspect_fact_set(facts, FACT_divide_cycles, 6);
    inspect_fact_set_interval(facts, FACT_edit_divide, left, left - 0.01, left + 0.01);
}

/* SSE beside AVX: its calculated cost, or what an edit takes away from the one that has
 * it. */
TEST(test_costs)
{
    struct both both;
    begin(&both);
    know(&both.a.facts, 6000, 0.6);
    know(&both.b.facts, 3000, 0.6);
    static const struct {
        enum inspect_fact fact;
        double a, b;
    } facts[] = {{FACT_chain_cycles, 1, 1},
                 {FACT_mixes_sse_avx, 1, 0},
                 {FACT_legacy_sse, 1, 0},
                 {FACT_gap_cycles, 9, 9},
                 {FACT_mixed_cycles, 8, 0}};
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        inspect_fact_set(&both.a.facts, facts[i].fact, facts[i].a);
        inspect_fact_set(&both.b.facts, facts[i].fact, facts[i].b);
    }
    inspect_fact_set_absent(&both.b.facts, FACT_edit_vex, SURGERY_NOTHING);
    static const double taken[] = {4.8, 5.4};
    for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
        if (i)
            inspect_fact_set_interval(&both.a.facts, FACT_edit_vex, 0.1, 0.09, 0.11);
        struct account *const made = account(&both);
        assert_int_equal(made->bounds.n, 2);
        assert_string_equal(made->bounds.row[1].name, "mixed-sse-avx");
        assert_near(made->bounds.row[1].a, taken[i], 1e-9);
        assert_near(made->bounds.row[1].b, 0, 1e-9);
        account_free(made);
    }
    run_free(both.run);
}

/* Around the hot loops they cost a part of the call, however small a part these are. */
TEST(test_costs_around)
{
    struct both both;
    begin(&both);
    for (size_t i = 0; i < 2; i++) {
        struct inspect_facts *const facts = i ? &both.b.facts : &both.a.facts;
        know(facts, i ? 3000 : 6000, 0.4);
        inspect_fact_set(facts, FACT_mixes_sse_avx, !i);
        inspect_fact_set(facts, FACT_mixed_share, i ? 0 : 0.7);
        inspect_fact_set(facts, FACT_gap_share, 0.9);
    }
    struct account *const made = account(&both);
    assert_int_equal(made->bounds.n, 2);
    assert_string_equal(made->bounds.row[1].name, "mixed-sse-avx");
    assert_near(made->bounds.row[1].a, 4.2, 1e-9);
    assert_near(made->bounds.row[1].b, 0, 1e-9);
    end(&both, made);
}

/* An experiment shows the cause of one of them. It takes time away from the other, too,
 * as far as is known: no row says that it takes nothing there if nobody tried. */
TEST(test_causes)
{
    struct both both;
    begin(&both);
    know(&both.a.facts, 6000, 0.4);
    know(&both.b.facts, 3000, 0.4);
    divide(&both, 0, 0.4);
    struct account *made = account(&both);
    assert_int_equal(made->bounds.n, 1);
    account_free(made);
    /* One without divisions has none that it could lose. */
    inspect_fact_set_absent(&both.b.facts, FACT_edit_divide, SURGERY_NOTHING);
    made = account(&both);
    assert_int_equal(made->bounds.n, 2);
    assert_near(made->bounds.row[1].b, 0, 1e-9);
    account_free(made);
    inspect_fact_set_absent(&both.b.facts, FACT_edit_divide, "it was not tried");
    inspect_fact_set(&both.b.facts, FACT_divides, 0);
    made = account(&both);
    assert_int_equal(made->bounds.n, 2);
    account_free(made);
    inspect_fact_set(&both.b.facts, FACT_divides, 0.05); /* of 3000 cycles */
    made = account(&both);
    assert_int_equal(made->bounds.n, 1);
    account_free(made);
    /* 10% of the other is no finding, but a part of the difference. */
    static const double left[] = {0.9, 1.05}, freed[] = {0.3, 0};
    for (size_t i = 0; i < ARRAY_LEN(left); i++) {
        divide(&both, 1, left[i]);
        made = account(&both);
        assert_int_equal(made->bounds.n, 2);
        assert_string_equal(made->bounds.row[1].name, "divider");
        assert_near(made->bounds.row[1].a, 3.6, 1e-9);
        assert_near(made->bounds.row[1].b, freed[i], 1e-9);
        account_free(made);
    }
    /* The bound of divisions stands for the same. */
    for (size_t side = 0; side < 2; side++) {
        struct inspect_facts *const facts = side ? &both.b.facts : &both.a.facts;
        know(facts, side ? 3000 : 6000, 0.6);
        inspect_fact_set(facts, FACT_divide_cycles, side ? 1 : 8);
    }
    made = account(&both);
    assert_non_null(account_find(&made->bounds, "divide_cycles"));
    assert_null(account_find(&made->bounds, "divider"));
    end(&both, made);
}
