/* SPDX-License-Identifier: Apache-2.0 */
/* Code at its best places, and as built. */
#include "gate_trials.h"
#include "tables/comparison/comparison_sheet.h"

/* A case whose code takes exp(d) of base's time, and as built exp(built) of it. */
static struct comparison *add_moved(struct run *run, double d, double built)
{
    struct comparison *const comparison = add_case(run);
    struct placement *const placement = comparison_placement(comparison);
    assert_non_null(placement);
    placement->equality = EQUALITY_SAME;
    for (uint32_t process = 0; process < 16; process++) {
        const double own = 0.0001 * process;
        const struct trial trial = {.process = process,
                                    .base_ns = 100,
                                    .head_ns = 100 * exp(d + own),
                                    .control_ns = 100 * exp(own),
                                    .built_base_ns = 120,
                                    .built_head_ns = 120 * exp(built + own)};
        assert_int_equal(comparison_add_trial(comparison, &trial), 0);
    }
    return comparison;
}

TEST(verdicts_mean_the_code)
{
    static const struct {
        double d, built;
        enum verdict verdict;
    } rows[] = {
        {0, 0, VERDICT_SAME},
        {0, 0.7, VERDICT_PLACED},
        {0, -0.5, VERDICT_SAME}, /* luck is no merit */
        {0.05, 0.05, VERDICT_REGRESSED},
        {0.7, 0, VERDICT_REGRESSED}, /* which luck hides */
        {0.7, -0.5, VERDICT_REGRESSED},
        {-0.1, 0.7, VERDICT_PLACED},
        {-0.1, -0.1, VERDICT_IMPROVED},
        {0.0195, 0.7, VERDICT_INCONCLUSIVE},
        {0, 0.015, VERDICT_SAME},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run = new_run(0.02);
        const struct comparison *const c = add_moved(run, rows[i].d, rows[i].built);
        run_judge(run);
        if (c->verdict != rows[i].verdict)
            fail_msg("row %zu is %s: %s", i, verdict_name(c->verdict), c->reason ?: "");
        assert_near(log1p(c->change), rows[i].d + 0.00075, 1e-9);
        assert_near(log1p(c->placement->change), rows[i].built + 0.00075, 1e-9);
        assert_true(c->placement->ci.known);
        assert_near(c->placement->base_ns, 120, 1e-9);
        assert_int_equal(run->gate->placed, c->verdict == VERDICT_PLACED);
        run_free(run);
    }
}

/* A place is no reason if most of what differs is the code's own change. */
TEST(the_note_blames_what_is_more)
{
    static const struct {
        double d, built;
        const char *says;
    } rows[] = {{0.05, 0.7, "], by its place"},
                {0.05, -0.7, "], by its place"},
                {2, 2.35, "]"},
                {-2, -2.35, "]"},
                {0.05, 0.05, NULL}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        FREED_BY(buffer_free) struct buffer note = {.text = NULL};
        struct run *const run = new_run(0.02);
        add_moved(run, rows[i].d, rows[i].built)->placement->equality = EQUALITY_OTHER;
        run_judge(run);
        change_note(run, &run->results[0], &note);
        const char *const built = strstr(buffer_text(&note), "; as built ");
        assert_int_equal(built != NULL, rows[i].says != NULL);
        if (built)
            assert_string_equal(strchr(built, ']'), rows[i].says);
        run_free(run);
    }
}

/* A case that nobody could move, whose code lies elsewhere. */
TEST(places_could_give_it)
{
    static const struct {
        double d, by_place;
        enum verdict verdict;
    } rows[] = {
        {0.1, 0, VERDICT_REGRESSED},      {0.1, 0.05, VERDICT_REGRESSED},
        {0.1, 0.2, VERDICT_INCONCLUSIVE}, {-0.1, 0.2, VERDICT_INCONCLUSIVE},
        {-0.1, 0.05, VERDICT_IMPROVED},   {0.6, 1, VERDICT_INCONCLUSIVE},
        {1.2, 1, VERDICT_REGRESSED},      {0, 1, VERDICT_SAME},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run = new_run(0.02);
        struct comparison *const c = add_moved(run, rows[i].d, 0);
        string_set(&c->placement->unmoved, "nobody could");
        c->placement->equality = EQUALITY_UNKNOWN;
        c->placement->by_place = rows[i].by_place;
        run_judge(run);
        if (c->verdict != rows[i].verdict)
            fail_msg("row %zu is %s: %s", i, verdict_name(c->verdict), c->reason ?: "");
        run_free(run);
    }
}

TEST(the_reason_names_the_loop)
{
    static const struct {
        double base_offset, head_offset, loop;
        enum code_equality equality;
        const char *says;
    } rows[] = {
        {0, 48, 23, EQUALITY_SAME,
         "the code is the same, as built it is slower by 101.53% because its loop of 23 "
         "bytes "
         "lies across a line (at 48 of 64): align it, as -falign-loops=64 does"},
        {0, 41, 23, EQUALITY_SAME, "begins at 41 of 64, in base at 0"},
        {48, 50, 23, EQUALITY_SAME, "begins at 50 of 64, in base at 48"},
        {0, 48, 100, EQUALITY_SAME, "begins at 48 of 64"},
        {NAN, NAN, NAN, EQUALITY_NEARLY,
         "the code is the same but for 2 instructions, as built it is slower by 101.53% "
         "by "
         "its place"},
        {NAN, NAN, NAN, EQUALITY_UNKNOWN, "the code is no slower, as built"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run = new_run(0.02);
        struct comparison *const c = add_moved(run, 0, 0.7);
        c->placement->base_offset = rows[i].base_offset;
        c->placement->head_offset = rows[i].head_offset;
        c->placement->base_loop = c->placement->head_loop = rows[i].loop;
        c->placement->equality = rows[i].equality;
        c->placement->instructions = 2;
        run_judge(run);
        if (!strstr(c->reason, rows[i].says))
            fail_msg("row %zu: %s", i, c->reason);
        run_free(run);
    }
}

/* The columns belong together: head's is base's with the change. */
TEST(columns_belong_together)
{
    struct run *const run = new_run(0.02);
    struct comparison *const c = add_case(run);
    /* Base is slow in the first half of the processes, head in the last. */
    for (uint32_t process = 0; process < 16; process++)
        add_trial(c, process, process < 9 ? 365 : 320, 0, 0);
    run_judge(run);
    assert_near(c->base_ns, 365, 0);
    assert_near(c->head_ns, 365, 1e-9);
    assert_near(c->head_ns / c->base_ns - 1, c->change, 1e-12);
    run_free(run);
}

/* Code that was not moved has no times as built, whatever its trials say. */
TEST(unmoved_is_judged_as_ever)
{
    struct run *const run = new_run(0.02);
    struct comparison *const c = add_moved(run, 0.1, 0.7);
    string_set(&c->placement->unmoved, "several threads");
    run_judge(run);
    assert_int_equal(c->verdict, VERDICT_REGRESSED);
    assert_false(comparison_is_moved(c));
    assert_true(isnan(c->placement->change));
    run_free(run);
}

/* Nothing but places differs: it is no change of the code, whatever the times say. */
TEST(same_data_never_changes)
{
    static const struct {
        double change;
        bool unmoved;
        enum verdict verdict;
        const char *says;
        double noise; /* of each process, in turns up and down */
    } rows[] = {
        {0, true, VERDICT_SAME, "though times could not tell", 0.08},
        {0.1, true, VERDICT_PLACED, "it cannot be moved, as built it is slower by 10.",
         0},
        {0.1, false, VERDICT_PLACED,
         "and so are the data of its program; it is slower by 10.", 0},
        {-0.1, true, VERDICT_SAME, "it cannot be moved, as built it is faster by 9.", 0},
        {0, true, VERDICT_SAME, NULL, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run = new_run(0.02);
        struct comparison *const c = add_moved(run, rows[i].change, rows[i].change);
        for (size_t t = 0; t < c->n_trials; t++) {
            c->trials[t].control_ns *= exp(rows[i].noise * (t % 4 < 2 ? 1 : -1));
            c->trials[t].head_ns *= exp(rows[i].noise * (t % 2 ? 1 : -1));
        }
        if (rows[i].unmoved)
            string_set(&c->placement->unmoved, "several threads");
        c->placement->equality = EQUALITY_SAME;
        c->placement->same_data = true;
        run_judge(run);
        assert_int_equal(c->verdict, rows[i].verdict);
        if (rows[i].says ? !c->reason || !strstr(c->reason, rows[i].says) : !!c->reason)
            fail_msg("row %zu: %s", i, c->reason ? c->reason : "-");
        run_free(run);
    }
}
