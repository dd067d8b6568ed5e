/* SPDX-License-Identifier: Apache-2.0 */
/* Studies: what a file says, what is wrong with it, and what is printed. */
#include "golden.h"
#include "read_back.h"
#include "sample_study.h"

static void drop(struct study *study)
{
    study_clear(study);
    free(study);
}

/* ---- the file ---- */

TEST(arms_inherit)
{
    struct study *const study = sample_study();
    const struct study_arm *const clean = study_find_arm(study, "clean");
    const struct study_arm *const pad = study_find_arm(study, "pad");
    assert_string_equal(clean->op, "conv");
    assert_string_equal(clean->isa, "avx2");
    assert_null(clean->shape);
    assert_int_equal(clean->threads, 1);
    assert_int_equal(pad->threads, STUDY_THREADS_ALL);
    assert_string_equal(pad->pages, "2m");
    assert_near(pad->align, 64, 0);
    assert_string_equal(study_find_arm(study, "fma")->op, "roof");
    assert_null(study_find_arm(study, "none"));
    drop(study);
}

TEST(checks_inherit)
{
    struct study *const study = sample_study();
    const struct study_check *const first = &study->claims[0].check;
    const struct study_check *const sizes = &study_find_claim(study, "8")->check;
    assert_string_equal(first->at[0], "n1c16h512w512k16r3s3b8");
    assert_string_equal(first->quick[0], "n1c16h66w66k16r3s3b8");
    assert_near(first->lo, 1, 0);
    assert_true(isinf(first->hi));
    assert_int_equal(first->as, AS_RATIO);
    assert_int_equal(study->claims[0].evidence[0].as, AS_DIFFERENCE);
    assert_int_equal(sizes->n_at, 2);
    assert_int_equal(sizes->n_quick, 1);
    assert_string_equal(study_find_claim(study, "9")->check.what, "mad");
    assert_string_equal(study_find_claim(study, "15")->check.what, "max_ulp");
    assert_int_equal(study_find_claim(study, "17")->check.n_at, 0);
    assert_int_equal(study->account.n_at, 1);
    assert_near(study->level, 1 - 0.05 / 11, 1e-12);
    drop(study);
}

/* Reads the sample with one text of it replaced; the error, or "". */
static const char *changed(const char *from, const char *to)
{
    static struct error error;
    struct study study = {.name = NULL};
    const char *const at = strstr(sample_study_file, from);
    char *text = NULL;
    assert_non_null(at);
    assert_true(asprintf(&text, "%.*s%s%s", (int)(at - sample_study_file),
                         sample_study_file, to, at + strlen(from)) > 0);
    error.text[0] = '\0';
    const int code = study_read_json(&study, text, strlen(text), &error);
    assert_int_equal(code, error.text[0] ? -EINVAL : 0);
    study_clear(&study);
    free(text);
    return error.text;
}

TEST(mistakes_name_their_field)
{
    static const struct {
        const char *from, *to, *error;
    } rows[] = {
        {"\"study\": 1", "\"study\": 2",
         "study: 2 is not supported; this program reads 1"},
        {"burnt-conv", "burnt conv", "name: expected up to 64 letters, digits, - _ ."},
        {"\"sha256\"", "\"sha\"", "source.sha: no such field"},
        {"\"isa\"", "\"isas\"", "work.isas: no such field"},
        {"\"op\": \"conv\", ", "", "arms.clean.op: missing, and so it is in work"},
        {"\"2m\"", "\"1g\"", "arms.pad.pages: expected \"4k\" or \"2m\""},
        {"\"cold\"", "\"ice\"", "arms.pad.cache: expected \"warm\" or \"cold\""},
        {"\"input\": \"zero\", \"threads\": \"all\"", "\"threads\": 0",
         "arms.pad.threads: expected a number of threads or \"all\""},
        {"\"align\": 64", "\"align\": -1", "arms.pad.align: expected a number from 0"},
        {"time_ratio", "time", "claims[0].measure: no measure 'time'"},
        {"[1, null], \"ev", "[2, 1], \"ev",
         "claims[0].expect: the first end is above the second"},
        {"[1, null], \"ev", "[null, null], \"ev", "claims[0].expect: both ends are open"},
        {"[1, null], \"ev", "[\"1\", 2], \"ev", "claims[0].expect: expected two numbers"},
        {"[1, null], \"ev", "1, \"ev", "claims[0].expect: expected two numbers"},
        {SAMPLE_STUDY_OF, "\"of\": [\"spill\", \"cleen\"]",
         "claims[0].of[1]: no arm 'cleen'"},
        {SAMPLE_STUDY_OF, "\"of\": [\"spill\"]", "claims[0].of: time_ratio takes 2 arms"},
        {"\"as\": \"difference\"", "\"as\": \"value\"",
         "claims[0].evidence[0].as: static of 2 arms has no value"},
        {"\"as\": \"difference\"", "\"as\": \"sum\"",
         "claims[0].evidence[0].as: expected"},
        {"\"fact\"", "\"metric\"", "claims[0].evidence[0].fact: missing"},
        {"\"kind\": \"C\"", "\"kind\": \"X\"",
         "claims[0].kind: expected P, C, F, T or S"},
        {"\"id\": \"5b\"", "\"id\": \"5a\"", "claims[1].id: another claim is '5a'"},
        {"and too many branches", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
         "claims[1].quote: more than 15 words"},
        {"8.33 / 3.06", "8.33 / cycles", "claims[8].formula: expected numbers"},
        {"\"threads\": \"all\", \"expect\"", "\"expect\"", "claims[9].threads: missing"},
        {"cpus:8", "cores:8", "claims[9].needs[0]: expected cpus:N"},
        {"cpus:8", "cpus:x", "claims[9].needs[0]: expected cpus:N"},
        {"cpus:8", "cpus:0", "claims[9].needs[0]: expected cpus:N"},
        {"cpus:8", "cpus:-1", "claims[9].needs[0]: expected cpus:N"},
        {"cpus:8", "memory:2 GB", "claims[9].needs[0]: expected memory:SIZE"},
        {"cpus:8", "memory:2gb", "claims[9].needs[0]: expected memory:SIZE"},
        {"cpus:8", "memory:1e6TiB", "claims[9].needs[0]: expected memory:SIZE"},
        {"cpus:8", "memory:-5", "claims[9].needs[0]: expected memory:SIZE"},
        {"cpus:8", "memory:nan", "claims[9].needs[0]: expected memory:SIZE"},
        {"cpus:8", "memory:2.GB", "claims[9].needs[0]: expected memory:SIZE"},
        {"\"instead\": \"16\"", "\"instead\": \"61\"",
         "claims[9].instead: no claim '61'"},
        {"\"by\": \"us\", \"text\"", "\"by\": \"us\", \"note\"",
         "claims[10].text: missing"},
        {"\"by\": \"us\"", "\"by\": \"them\"", "claims[10].by: expected \"us\""},
        {"\"by\": \"us\", ", "", "claims[10].quote: missing"},
        {"[[\"spill\"", "[[\"spit\"", "account.parts[0]: no arm 'spit'"},
        {"\"total\": [\"both\", \"clean\"]", "\"total\": [\"both\"]",
         "account.total: expected the names of two arms"},
        {"\"shapes\": [\"n1c16h512w512k16r3s3b8\"], ", "",
         "claims[0].at: missing, and work has no shapes"},
        {"\"account\"", "\"accounts\"", "accounts: no such field"},
        {"\"study\": 1,", "\"study\": 1, \"study\": 1,",
         "study: this key is there twice"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *const error = changed(rows[i].from, rows[i].to);
        if (strncmp(error, rows[i].error, strlen(rows[i].error)) != 0)
            fail_msg("'%s' for '%s': %s", rows[i].to, rows[i].error, error);
    }
    assert_string_equal(changed("\"threads\": 1", "\"threads\": 2"), "");
}

TEST(numbers_of_needs)
{
    assert_true(study_need_number("cpus:8") == 8);
    assert_true(study_need_number("memory:2TB") == 2e12);
    assert_true(study_need_number("memory:1.5GiB") == 1.5 * 0x1p30);
    assert_true(study_need_number("memory:12MB") == 12e6);
    assert_true(isnan(study_need_number("module:torch")));
    assert_true(isnan(study_need_number("memory:2")));
}

TEST(shapes_of_arms)
{
    static const struct {
        const char *arm, *at, *shape;
    } rows[] = {{NULL, "64x64x64", "64x64x64"},
                {"100", "64x64x64", "100"},
                {"+p1q1", "n1c16h66w66", "n1c16h66w66p1q1"},
                {"+c8p1", "n1c16h66w66", "n1c8h66w66p1"},
                {"+p1", "64x64x64", NULL},
                {"+", "n1", NULL},
                {"+p1", NULL, NULL}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct study_arm arm = {.shape = (char *)rows[i].arm};
        struct error error;
        char *shape = NULL;
        const int code = study_arm_shape(&arm, rows[i].at, &shape, &error);
        assert_int_equal(code, rows[i].shape ? 0 : -EINVAL);
        if (rows[i].shape)
            assert_string_equal(shape, rows[i].shape);
        free(shape);
    }
}

/* A claim without a number is quoted, with the reason that there is none. */
TEST(unlearned)
{
    struct study *const study = sample_study();
    struct study_claim *const claim = &study->claims[1];
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    claim->check.verdict = STUDY_UNDECIDED;
    study_unlearned_tell(study, claim, &text);
    assert_string_equal(
        buffer_text(&text),
        "Not decided here: claim 5b, \"and too many branches\"; more time "
        "may tell: simdbench study burnt-conv --claim=5b");
    buffer_clear(&text);
    claim->check.verdict = STUDY_NOT_MEASURABLE;
    string_set(&claim->check.reason, "it needs 16 CPUs");
    string_set(&claim->check.type, "claim 5a");
    study_unlearned_tell(study, claim, &text);
    assert_string_equal(
        buffer_text(&text),
        "Not measured here: claim 5b, \"and too many branches\": it needs "
        "16 CPUs; type: claim 5a");
    drop(study);
}

/* An interval beyond a range by less than the floor says why it decides nothing. */
TEST(beyond_by_less_than_noise)
{
    struct study *const study = sample_study();
    struct study_claim *const claim = &study->claims[0];
    struct study_point *const point = study_add_point(&claim->check, "64");
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    claim->check.lo = 1.01;
    claim->check.hi = 1.03;
    assert_non_null(point);
    point->value = 1.07;
    point->ci = (struct interval){true, 1.038, 1.134, 0.99};
    point->floor = 0.044;
    study_judge(study);
    assert_int_equal(claim->check.verdict, STUDY_UNDECIDED);
    study_notes_tell(claim, &text);
    assert_non_null(strstr(buffer_text(&text),
                           "between 1.038x and 1.13x, and the claim says 1.01x to 1.03x, "
                           "but equal arms differ by 4.4%"));
    drop(study);
}

/* ---- outputs ---- */

TEST(round_trip)
{
    for (int hostile = 0; hostile < 2; hostile++) {
        struct run *const run = hostile ? sample_study_hostile() : sample_study_run();
        struct run *const again = read_back(run);
        assert_prints_the_same(run, again, FORMAT_TABLE);
        assert_prints_the_same(run, again, FORMAT_MARKDOWN);
        assert_prints_the_same(run, again, FORMAT_JUNIT);
        assert_prints_the_same(run, again, FORMAT_ANNOTATIONS);
        run_free(run);
        run_free(again);
    }
}

TEST(golden_outputs)
{
    static const struct {
        const char *name;
        bool hostile;
        enum format format;
        struct text_options options;
    } rows[] = {{"study.txt", false, FORMAT_TABLE, {.width = 0}},
                {"study_narrow.txt", false, FORMAT_TABLE, {.width = 80}},
                {"study_colour.txt", false, FORMAT_TABLE, {.width = 140, .colour = true}},
                {"study_hostile.txt", true, FORMAT_TABLE, {.width = 100}},
                {"study.md", false, FORMAT_MARKDOWN, {.width = 0}},
                {"study.annotations", false, FORMAT_ANNOTATIONS, {.width = 0}},
                {"study.xml", false, FORMAT_JUNIT, {.width = 0}}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run =
            rows[i].hostile ? sample_study_hostile() : sample_study_run();
        check_golden(rows[i].name, sample_text(run, rows[i].format, &rows[i].options));
        run_free(run);
    }
}

/* Wide columns beside it do not make a column of claims wider than its text. */
TEST(short_claims)
{
    struct run *const run = sample_study_run();
    for (size_t i = 0; i < run->n_studies; i++)
        FOR_EACH (struct study_claim, claim, run->studies[i].claims,
                  run->studies[i].n_claims) {
            claim->id[1] = '\0';
            if (claim->quote)
                claim->quote[1] = '\0';
            else if (claim->text)
                claim->text[1] = '\0';
        }
    char *const text =
        sample_text(run, FORMAT_TABLE, &(struct text_options){.width = 40});
    assert_non_null(strstr(text, "\n  claim       their"));
    free(text);
    run_free(run);
}
