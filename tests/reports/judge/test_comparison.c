/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons as text and as JSON. */
#include "bad_json.h"
#include "effort.h"
#include "fuzz_json.h"
#include "golden.h"
#include "read_back.h"
#include "sample_gate.h"
#include "unit.h"

TEST(golden_outputs)
{
    struct run *const run = sample_gate(), *const hostile = sample_gate_hostile();
    const struct text_options colour = {.colour = true}, narrow = {.width = 80},
                              tiny = {.width = 60};
    check_golden("gate_table.txt", sample_text(run, FORMAT_TABLE, &colour));
    check_golden("gate_narrow.txt", sample_text(run, FORMAT_TABLE, &narrow));
    check_golden("gate_tiny.txt", sample_text(run, FORMAT_TABLE, &tiny));
    check_golden("gate.md", sample_text(run, FORMAT_MARKDOWN, NULL));
    check_golden("gate_hostile.txt", sample_text(hostile, FORMAT_TABLE, NULL));
    check_golden("gate_hostile.md", sample_text(hostile, FORMAT_MARKDOWN, NULL));
    run_free(run);
    run_free(hostile);
}

TEST(sample_shows_every_verdict)
{
    struct run *const run = sample_gate();
    const struct gate *const gate = run->gate;
    assert_int_equal(gate->regressed, 1);
    assert_int_equal(gate->improved, 1);
    assert_int_equal(gate->same, 1);
    assert_int_equal(gate->placed, 1);
    assert_int_equal(gate->inconclusive, 1);
    assert_int_equal(gate->unusable, 2);
    assert_int_equal(gate->only_one, 1);
    run_free(run);
}

/* No line is wider than the terminal, and no title stands over an empty table. */
TEST(widths_are_kept)
{
    struct run *const run = sample_gate();
    for (int width = 60; width <= 200; width += 7) {
        const struct text_options options = {.width = width};
        char *const text = sample_text(run, FORMAT_TABLE, &options), *rest = text, *line;
        while ((line = strsep(&rest, "\n")))
            if (strlen(line) > (size_t)width)
                fail_msg("more than %d columns: '%s'", width, line);
        free(text);
    }
    run_free(run);
}

TEST(live_prints_the_same)
{
    struct run *const run = sample_gate();
    char *const whole = sample_text(run, FORMAT_TABLE, NULL), *live = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&live, &size);
    assert_non_null(file);
    table_begin(run, NULL, file);
    table_group(run, 0, NULL, file);
    table_group(run, 1, NULL, file);
    table_end(run, NULL, file);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(live, whole);
    free(live);
    free(whole);
    run_free(run);
}

/* Up to ten cases are one table, and of more the worst and the best are shown. */
TEST(worst_and_best)
{
    for (size_t n = 10; n <= 11; n++) {
        struct run *const run = sample_gate_small(n);
        char *const text = sample_text(run, FORMAT_MARKDOWN, NULL);
        assert_true(!strstr(text, "| case, the worst first | change |") == (n > 10));
        const char *const best = strstr(text, "| best | change |");
        assert_true(!best == (n <= 10));
        assert_true(!best || strstr(text, "| worst | change |") < best);
        /* The worst case is the first one of its table, the best one of the other. */
        assert_true(!best || strstr(best, run->results[1].id) < strstr(best, "\n\n"));
        free(text);
        run_free(run);
    }
}

/* The tags that are the page's own become blanks. */
static void drop_folds(char *text)
{
    static const char *const tags[] = {"<details>\n<summary>", "</summary>\n",
                                       "\n</details>\n", "<br>"};
    for (size_t i = 0; i < ARRAY_LEN(tags); i++)
        for (char *at = text; (at = strstr(at, tags[i]));)
            memset(at, ' ', strlen(tags[i]));
}

TEST(hostile_names)
{
    static const enum format formats[] = {FORMAT_TABLE, FORMAT_MARKDOWN};
    struct run *const run = sample_gate_hostile();
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        char *const text = sample_text(run, formats[i], NULL);
        drop_folds(text);
        for (const char *c = text; *c; c++) {
            assert_true((unsigned char)*c >= 0x20 || *c == '\n');
            assert_false(formats[i] == FORMAT_MARKDOWN && (*c == '<' || *c == '>'));
        }
        assert_null(strstr(text, "\xe2\x80\xae"));
        assert_null(strchr(text, '\xff'));
        free(text);
    }
    run_free(run);
}

/* ---- JSON ---- */

TEST(round_trip)
{
    struct run *const runs[] = {sample_gate(), sample_gate_small(2),
                                sample_gate_hostile()};
    for (size_t k = 0; k < runs[2]->n_results; k++) {
        char id[300];
        snprintf(id, sizeof id, "%s%zu", SAMPLE_HOSTILE, k);
        string_set(&runs[2]->results[k].id, id);
    }
    for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
        struct run *const again = read_back(runs[i]);
        for (enum format format = FORMAT_TABLE; format <= FORMAT_MARKDOWN; format++)
            assert_prints_the_same(runs[i], again, format);
        run_free(again);
        run_free(runs[i]);
    }
}

TEST(every_field_is_read)
{
    struct run *const run = sample_gate(), *const again = read_back(run);
    const struct comparison *const a = run->results[2].comparison, *const b =
                                                                       again->results[2]
                                                                           .comparison;
    assert_string_equal(again->gate->kind, "paired");
    assert_string_equal(again->gate->selftest, run->gate->selftest);
    assert_null(again->gate->refused);
    assert_true(again->gate->own_processes && !again->gate->strict);
    assert_true(again->gate->threshold == 0.02 && again->gate->seconds == 3.25);
    assert_true(again->gate->geomean_change == run->gate->geomean_change);
    assert_int_equal(again->gate->same, 1);
    assert_int_equal(again->gate->placed, 1);
    assert_string_equal(again->gate->left_out, run->gate->left_out);
    assert_string_equal(again->gate->lacking, run->gate->lacking);
    const struct placement *const p = run->results[0].comparison->placement,
                                  *const q = again->results[0].comparison->placement;
    assert_int_equal(q->equality, EQUALITY_NEARLY);
    assert_string_equal(q->where, p->where);
    assert_true(q->instructions == p->instructions && q->change == p->change &&
                q->ci.lo == p->ci.lo && q->base_ns == p->base_ns &&
                q->head_offset == 48 && q->head_loop == 23);
    assert_string_equal(again->results[5].comparison->placement->unmoved,
                        "base: several threads");
    assert_int_equal(again->gate->n_arms, 3);
    assert_string_equal(again->gate->arms[1].objects[1], "libopenblas.so.0 cc33");
    assert_string_equal(again->gate->arms[1].version, "0.2");
    assert_null(again->gate->arms[2].build_id);
    assert_int_equal(b->n_trials, 32 * 6);
    for (size_t i = 0; i < b->n_trials; i++)
        assert_true(a->trials[i].process == b->trials[i].process &&
                    a->trials[i].base_ns == b->trials[i].base_ns &&
                    a->trials[i].head_ns == b->trials[i].head_ns &&
                    a->trials[i].control_ns == b->trials[i].control_ns &&
                    a->trials[i].built_head_ns == b->trials[i].built_head_ns);
    assert_int_equal(b->processes, 32);
    assert_int_equal(b->voided, 3);
    assert_int_equal(b->verdict, VERDICT_INCONCLUSIVE);
    assert_string_equal(a->reason, b->reason);
    assert_true(a->change == b->change && a->change_ci.lo == b->change_ci.lo &&
                a->change_ci.hi == b->change_ci.hi &&
                a->change_ci.level == b->change_ci.level);
    assert_true(a->control_change == b->control_change &&
                a->control_ci.hi == b->control_ci.hi && a->floor == b->floor &&
                a->delta == b->delta && a->detectable == b->detectable && a->p == b->p &&
                a->least_change == b->least_change && a->base_ns == b->base_ns &&
                a->head_ns == b->head_ns && a->significant == b->significant);
    /* Judged again, it says the same. */
    run_judge(again);
    for (size_t i = 0; i < run->n_results; i++)
        assert_int_equal(run->results[i].comparison->verdict,
                         again->results[i].comparison->verdict);
    run_free(run);
    run_free(again);
}

TEST(bad_inputs)
{
#define CASE "results[0].comparison"
    static const struct bad_edit edits[] = {
        {"", "\"gate\":\t{", "\"gate\":\t7, \"x\":\t{", "gate: expected an object"},
        {"", "\"gate\"", "\"goat\"", CASE ": a run without a gate compares nothing"},
        {"gate", "\"kind\":\t\"paired\"", "\"kind\":\t2", "gate.kind: expected a string"},
        {"gate", "\"threshold\":\t0.02", "\"threshold\":\t-1",
         "gate.threshold: expected a number from 0 up"},
        {"gate", "\"strict\":\tfalse", "\"strict\":\tnull",
         "gate.strict: expected true or false"},
        {"gate", "\"same\":\t", "\"same\":\t0.5, \"x\":\t",
         "gate.same: expected a whole number"},
        {"gate", "\"arms\"", "\"arm\"", "gate.arms: missing; expected an array"},
        {"gate", "\"arms\":\t[", "\"arms\":\t[3, ", "gate.arms[0]: expected an object"},
        {"gate", "\"build_id\":\t\"0123abcd\"", "\"build_id\":\t[]",
         "gate.arms[0].build_id: expected a string or null"},
        {"gate", "\"objects\":\t[", "\"objects\":\t[null, ",
         "gate.arms[0].objects[0]: expected a string"},
        {"results", "\"comparison\":\t{", "\"comparison\":\t[], \"x\":\t{",
         CASE ": expected an object"},
        {"results", "\"verdict\":\t\"REGRESSED\"", "\"verdict\":\t\"FINE\"",
         CASE ".verdict: unknown verdict"},
        {"results", "\"verdict\"", "\"verdikt\"", CASE ".verdict: missing"},
        {"verdict", "\"change\":\t", "\"change\":\ttrue, \"x\":\t",
         CASE ".change: expected a number"},
        {"verdict", "\"ci\":\t[", "\"ci\":\t[9, ",
         CASE ".ci: expected two numbers or null"},
        {"verdict", "\"processes\":\t8", "\"processes\":\t-8", CASE ".processes: "},
        {"verdict", "\"control\":\t{", "\"control\":\t[], \"x\":\t{",
         CASE ".control: expected an object"},
        {"verdict", "\"trials\"", "\"trails\"", CASE ".trials: missing"},
        {"trials", "\"process\":\t[0", "\"process\":\t[9",
         CASE ".trials.process[1]: processes must ascend"},
        {"trials", "\"process\":\t[0", "\"process\":\t[0.5", CASE ".trials.process[0]: "},
        {"trials", "\"process\":\t[", "\"process\":\t[0, ",
         CASE ".trials.base_ns: fewer entries than process"},
        {"trials", "\"head_ns\":\t[", "\"head_ns\":\t[1, ",
         CASE ".trials.head_ns: more entries than process"},
        {"trials", "\"base_ns\":\t[", "\"base_ns\":\t[0, ",
         CASE ".trials.base_ns[0]: expected a number from 1e-100 to 1e+100"},
        {"trials", "\"base_ns\":\t[", "\"base_ns\":\t[1e-308, ",
         CASE ".trials.base_ns[0]: expected a number from 1e-100 to 1e+100"},
        {"trials", "\"control_ns\":\t[", "\"control_ns\":\t[\"1\", ",
         CASE ".trials.control_ns[0]: expected a number"},
        {"trials", "\"control_ns\":\t[", "\"control_ns\":\t[-1, ",
         CASE ".trials.control_ns[0]: expected 0 or a number from 1e-100 to 1e+100"},
        {"trials", "\"control_ns\":\t[", "\"control_ns\":\t{}, \"x\":\t[",
         CASE ".trials.control_ns: expected an array"}};
    struct run *const run = sample_gate_small(2);
    char *const good = sample_text(run, FORMAT_JSON, NULL);

    check_edits(good, edits, ARRAY_LEN(edits));
    free(good);
    run_free(run);
}

TEST(bad_places)
{
    static const struct bad_edit edits[] = {
        {"results", "\"code\":\t\"nearly\"", "\"code\":\t\"equal\"",
         CASE ".placement.code: unknown code"},
        {"results", "\"placement\":\t{", "\"placement\":\t3, \"x\":\t{",
         CASE ".placement: expected an object"}};
    struct run *const run = sample_gate();
    char *const good = sample_text(run, FORMAT_JSON, NULL);

    check_edits(good, edits, ARRAY_LEN(edits));
    free(good);
    run_free(run);
}

/* Cut off anywhere, and with bytes changed by a fixed generator. */
TEST(mutated_bytes)
{
    struct run *const run = sample_gate_small(2);
    char *const good = sample_text(run, FORMAT_JSON, NULL);
    const size_t size = strlen(good);
    char *const bad = malloc(size);
    uint32_t seed = 1;
    assert_non_null(bad);
    for (size_t i = 0; i < effort_of(600); i++) {
        memcpy(bad, good, size);
        for (size_t k = 0; k < 1 + i % 3; k++) {
            seed = seed * 1664525 + 1013904223;
            const size_t at = (seed >> 8) % size;
            seed = seed * 1664525 + 1013904223;
            bad[at] =
                i % 2 ? (char)(seed >> 24) : "0123456789-[]{}\",e."[(seed >> 8) % 19];
        }
        LLVMFuzzerTestOneInput((const uint8_t *)bad, i % 5 ? size : i * 7 % size);
    }
    free(bad);
    free(good);
    run_free(run);
}
