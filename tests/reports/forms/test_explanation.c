/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations: through JSON and back, and as people read them. */
#include "golden.h"
#include "read_back.h"
#include "sample_explained.h"

static char *explained_text(const struct run *run, const struct text_options *options)
{
    char *text = NULL;
    size_t size;
    FILE *const file = open_memstream(&text, &size);
    assert_non_null(file);
    explain_write(run, options, file);
    account_write(run, &(struct text_page){file, false, 0});
    assert_int_equal(fclose(file), 0);
    return text;
}

TEST(round_trip)
{
    for (int hostile = 0; hostile < 2; hostile++) {
        struct run *const run = hostile ? sample_explained_hostile() : sample_explained();
        struct run *const again = read_back(run);
        const struct explanation *const why = again->results[0].explanation;
        assert_int_equal(why->n_findings, 3);
        assert_int_equal(why->findings[1].n_evidence, 2);
        assert_near(why->findings[0].share, 0.53, 0);
        assert_true(isnan(why->findings[1].share));
        assert_near(loop_count(&why->loops[0], "loads"), 64, 0);
        assert_true(isnan(loop_count(&why->loops[0], "no such count")));
        assert_null(again->results[1].explanation->executed.mode);
        assert_null(again->results[2].explanation);
        assert_true(again->account->factors.row[1].exact);
        assert_near(again->account->factors.row[0].ratio, 1.779, 0);
        assert_near(again->account->conditions.row[0].a_ci.lo, 0.45, 0);
        assert_true(isnan(again->account->classes.row[0].ratio)); /* over 0 */
        if (!hostile)
            assert_prints_the_same(run, again, FORMAT_JUNIT);
        char *const live = explained_text(run, NULL);
        char *const later = explained_text(again, NULL);
        /* Bytes that are no UTF-8 are kept as escapes. */
        if (!hostile)
            assert_string_equal(live, later);
        free(live);
        free(later);
        run_free(again);
        run_free(run);
    }
}

TEST(golden_outputs)
{
    static const struct {
        const char *name;
        bool hostile;
        struct text_options options;
    } rows[] = {{"explain.txt", false, {.width = 0}},
                {"explain_narrow.txt", false, {.width = 70, .colour = true}},
                {"explain_hostile.txt", true, {.width = 0}}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run =
            rows[i].hostile ? sample_explained_hostile() : sample_explained();
        check_golden(rows[i].name, explained_text(run, &rows[i].options));
        run_free(run);
    }
    struct run *const run = sample_explained();
    check_golden("explain.md", sample_text(run, FORMAT_MARKDOWN, NULL));
    run_free(run);
}

/* Lines of the first case, its title included. */
static size_t lines_of_first(const char *text)
{
    size_t n = 0;
    for (const char *c = text + 1; *c && strncmp(c, "\n\n", 2) != 0; c++)
        n += *c == '\n';
    return n + 1;
}

/* As much as can be of everything. */
static void add_all(struct explanation *why)
{
    static const char *const long_text = "6 of 6 batches were disturbed (preempted, "
                                         "stolen time, migration or major faults)";
    for (size_t i = 0; i < 25; i++) {
        struct explained_finding *const finding = explanation_add_finding(why, "tlb");
        struct explained_exclusion *const exclusion =
            explanation_add_exclusion(why, "register-copies");
        struct explained_unknown *const unknown =
            NAMED_ADD(why, unknown, n_unknown, "core-shared");
        struct explained_ratio *const ratio = explanation_add_ratio(why, "input_sorted");
        assert_true(finding && exclusion && unknown && ratio);
        string_set(&finding->confidence, "structural");
        string_set(&exclusion->why.what, "copy_share");
        exclusion->why.value = 0.0225;
        string_set(&unknown->missing, "other_core");
        string_set(&unknown->why, long_text);
        ratio->ratio = 1.5;
    }
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 2; k++) {
            struct explained_finding *const finding = &why->findings[i % 2];
            struct explained_evidence *const evidence =
                k ? finding_add_against(finding, "code_cycles")
                  : finding_add_evidence(finding, "code_cycles");
            assert_non_null(evidence);
            string_set(&evidence->unit, "cycles/iteration");
        }
    string_set(&why->executed.modules, long_text);
    string_set(&why->findings[0].remedy, long_text);
    why->loops[0].n_lines = 0; /* code is extra */
}

TEST(at_most_40_lines)
{
    static const char rest[] =
        "\n            lines that end in ... are cut: the JSON file has the rest\n";
    struct run *const run = sample_explained();
    char *text = explained_text(run, NULL);
    assert_null(strstr(text, rest));
    free(text);
    add_all(run->results[0].explanation);
    text = explained_text(run, NULL);
    assert_int_equal(lines_of_first(text), 40);
    assert_non_null(strstr(text, " ...\n"));
    assert_non_null(strstr(text, rest));
    /* Each part is there, if cut. */
    static const char *const parts[] = {"hot loop", "bounds",      "findings",
                                        "not it",   "not known",   "residual",
                                        "  try",    "experiments", "cost"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        assert_non_null(strstr(text, parts[i]));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 100);
    free(text);
    run->results[0].explanation->loops[0].n_lines = 2;
    run_free(run);
}

TEST(time_that_is_not_known)
{
    struct run *const run = sample_explained();
    run->results[0].summary.median_ns = 0;
    string_set(&run->results[0].reason, "all batches were disturbed");
    char *const text = explained_text(run, NULL);
    assert_non_null(strstr(text, "time        not known: all batches were disturbed"));
    free(text);
    run_free(run);
}

TEST(table_and_report_show_it)
{
    struct run *const run = sample_explained();
    char *const table = sample_text(run, FORMAT_TABLE, NULL);
    char *const why = explained_text(run, NULL);
    assert_non_null(strstr(table, why)); /* the answer follows */
    free(table);
    free(why);
    run_free(run);
}

TEST(junit_tells_the_cause)
{
    struct run *const run = sample_explained();
    char *const text = sample_text(run, FORMAT_JUNIT, NULL);
    assert_non_null(strstr(text, ":cause\" value=\"tlb\"/>"));
    assert_non_null(strstr(text, ":cause_confidence\" value=\"flipped\"/>"));
    assert_non_null(strstr(text, ":cause_share\" value=\"0.53\"/>"));
    assert_non_null(strstr(text, ":residual_share\" value=\"0.38\"/>"));
    free(text);
    run_free(run);
}

TEST(hostile_texts_are_escaped)
{
    struct run *const run = sample_explained_hostile();
    char *const table = explained_text(run, NULL);
    char *const markdown = sample_text(run, FORMAT_MARKDOWN, NULL);
    assert_null(strchr(table, '\033'));
    assert_null(strchr(table, '\t'));
    assert_null(strpbrk(markdown, "<>\033"));
    free(table);
    free(markdown);
    run_free(run);
}

/* The first `from` in the JSON of the sample becomes `to`: then it is refused. */
static void check_refused(const char *from, const char *to, const char *message)
{
    struct run *const run = sample_explained();
    struct run *again = NULL;
    struct error error = {.text = ""};
    char *const json = sample_text(run, FORMAT_JSON, NULL), *bad = NULL;
    char *const at = strstr(json, from);
    assert_non_null(at);
    assert_true(
        asprintf(&bad, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from)) > 0);
    assert_int_equal(run_read_json(&again, bad, strlen(bad), &error), -EINVAL);
    if (!strstr(error.text, message))
        fail_msg("'%s' is not in '%s'", message, error.text);
    free(json);
    free(bad);
    run_free(run);
}

TEST(bad_documents)
{
    check_refused("\"cause\":\t\"tlb\"", "\"cause\":\t7", "results[0].findings[0].cause");
    check_refused("\"share\":\t0.88", "\"share\":\t-1",
                  "results[0].explanation.loops[0].share");
    check_refused("\"loads\":\t64", "\"loads\":\tnull",
                  "explanation.loops[0].counts.loads");
    check_refused("\"mode\":\t\"whole\"", "\"mode\":\tnull", "explanation.executed.mode");
    check_refused("\"residual\":\t{", "\"residue\":\t{", "explanation.residual");
    check_refused("\"missing\":\t\"alignment\"", "\"missing\":\t[]",
                  "unknown[0].missing");
    check_refused("\"factors\":\t[", "\"factor\":\t[", "account.factors");
    check_refused("\"a\":\t0.01703", "\"a\":\t-1", "account.factors[0].a");
}
