/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of points and of claims. */
#include "sample_study.h"
#include "unit.h"

#define RATIO MEASURE_TIME_RATIO, AS_RATIO
#define THREADS MEASURE_THREAD_RATIO, AS_VALUE
#define STATIC(as) MEASURE_STATIC, AS_##as

TEST(verdicts)
{
    static const struct {
        enum study_measure measure;
        enum study_as as;
        double expect[2], ci[2], floor;
        enum study_verdict verdict;
        enum study_how how;
    } rows[] = {
        {RATIO, {1.5, 2}, {1.6, 1.9}, 0, STUDY_CONFIRMED, HOW_NONE},
        {RATIO, {1.5, 2}, {1.4, 1.9}, 0, STUDY_UNDECIDED, HOW_NONE},
        {RATIO, {1.5, 2}, {1.9, 2.1}, 0, STUDY_UNDECIDED, HOW_NONE},
        {RATIO, {1.5, 2}, {1.2, 1.4}, 0, STUDY_REFUTED, HOW_SMALLER},
        {RATIO, {1.5, 2}, {2.1, 3}, 0, STUDY_REFUTED, HOW_LARGER},
        {RATIO, {1.5, 2}, {0.9, 1.1}, 0, STUDY_REFUTED, HOW_NO_EFFECT},
        {RATIO, {1.5, 2}, {1.01, 1.02}, 0.03, STUDY_REFUTED, HOW_NO_EFFECT},
        /* An interval that is too wide does not tell that the arms are equal. */
        {RATIO, {30, 44}, {0.8, 6}, 0, STUDY_REFUTED, HOW_SMALLER},
        {RATIO, {0, 0.1}, {0.2, 2}, 0, STUDY_REFUTED, HOW_LARGER},
        {STATIC(DIFFERENCE), {10, 20}, {-1, 8}, 0, STUDY_REFUTED, HOW_SMALLER},
        /* A cause must beat the floor. */
        {RATIO, {1, INFINITY}, {1.02, 1.04}, 0.01, STUDY_CONFIRMED, HOW_NONE},
        {RATIO, {1, INFINITY}, {1.02, 1.04}, 0.03, STUDY_UNDECIDED, HOW_NONE},
        {RATIO, {1, INFINITY}, {1.001, 1.015}, 0.03, STUDY_REFUTED, HOW_NO_EFFECT},
        /* Noise that is larger than an effect does not refute it. */
        {RATIO, {1, INFINITY}, {0.930, 1.084}, 0.09, STUDY_UNDECIDED, HOW_NONE},
        {RATIO, {1, INFINITY}, {0.999, 1.004}, 0, STUDY_REFUTED, HOW_NO_EFFECT},
        {RATIO, {1, INFINITY}, {0.8, 0.9}, 0.03, STUDY_REFUTED, HOW_SMALLER},
        /* So must an effect of any size: equal arms differ by 2%. */
        {RATIO, {1.01, 1.05}, {1.014, 1.029}, 0.0204, STUDY_UNDECIDED, HOW_NONE},
        {RATIO, {1.01, 1.05}, {1.021, 1.029}, 0.0204, STUDY_CONFIRMED, HOW_NONE},
        {RATIO, {0.9, 0.995}, {0.985, 0.99}, 0.0204, STUDY_UNDECIDED, HOW_NONE},
        {RATIO, {0.9, 0.995}, {0.95, 0.97}, 0.0204, STUDY_CONFIRMED, HOW_NONE},
        /* An interval that lies outside by less than equal arms differ by refutes
           nothing. */
        {RATIO, {1.01, 1.03}, {1.038, 1.134}, 0.044, STUDY_UNDECIDED, HOW_NONE},
        {RATIO, {1.5, 2}, {1.4, 1.45}, 0.044, STUDY_UNDECIDED, HOW_NONE},
        /* No effect is none of any size. */
        {RATIO, {1.01, 1.05}, {1.0, 1.006}, 0.01, STUDY_REFUTED, HOW_NO_EFFECT},
        {RATIO, {0.9, 0.95}, {0.99, 1.006}, 0.1, STUDY_UNDECIDED, HOW_NONE},
        {RATIO, {0.8, 0.9}, {0.99, 1.006}, 0.1, STUDY_REFUTED, HOW_NO_EFFECT},
        /* No effect is what these claim. */
        {RATIO, {0.97, 1.03}, {0.99, 1.01}, 0.0204, STUDY_CONFIRMED, HOW_NONE},
        {STATIC(RATIO), {1, 1}, {1, 1}, 0, STUDY_CONFIRMED, HOW_NONE},
        /* Counts are exact. */
        {STATIC(RATIO), {1, INFINITY}, {1, 1}, 0, STUDY_REFUTED, HOW_NO_EFFECT},
        {STATIC(RATIO), {1, INFINITY}, {1.001, 1.001}, 0, STUDY_CONFIRMED, HOW_NONE},
        {STATIC(DIFFERENCE), {1, INFINITY}, {1, 1}, 0, STUDY_CONFIRMED, HOW_NONE},
        {STATIC(DIFFERENCE), {1, INFINITY}, {0, 0}, 0, STUDY_REFUTED, HOW_NO_EFFECT},
        {STATIC(VALUE), {1, 1}, {1, 1}, 0, STUDY_CONFIRMED, HOW_NONE},
        {STATIC(VALUE), {1, 2}, {0, 0}, 0, STUDY_REFUTED, HOW_SMALLER},
        {MEASURE_METRIC, AS_VALUE, {-INFINITY, 2}, {3, 4}, 0, STUDY_REFUTED, HOW_LARGER},
        {THREADS, {4, 5}, {0.9, 1.1}, 0, STUDY_REFUTED, HOW_NO_EFFECT},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct study_check check = {.measure = rows[i].measure,
                                          .as = rows[i].as,
                                          .lo = rows[i].expect[0],
                                          .hi = rows[i].expect[1]};
        struct study_point point = {
            .value = (rows[i].ci[0] + rows[i].ci[1]) / 2,
            .ci = {.known = true, .lo = rows[i].ci[0], .hi = rows[i].ci[1]},
            .floor = rows[i].floor};
        enum study_how how = HOW_LARGER;
        if (study_point_verdict(&check, &point, &how) != rows[i].verdict ||
            how != rows[i].how)
            fail_msg("row %zu is %s", i, study_how_name(how));
        point.ci.known = false;
        assert_int_equal(study_point_verdict(&check, &point, &how), STUDY_NOT_MEASURABLE);
    }
}

TEST(verdicts_of_claims)
{
    static const struct {
        const char *id;
        enum study_verdict verdict;
        enum study_how how;
        size_t decided_by;
        bool contested;
    } rows[] = {{"5a", STUDY_CONFIRMED, HOW_NONE, 0, true},
                {"5b", STUDY_CONFIRMED, HOW_NONE, 0, false},
                {"8", STUDY_REFUTED, HOW_NO_EFFECT, 1, false},
                {"9", STUDY_REFUTED, HOW_LARGER, 0, false},
                {"14", STUDY_UNDECIDED, HOW_NONE, 0, false},
                {"16", STUDY_REFUTED, HOW_SMALLER, 0, false},
                {"18", STUDY_REFUTED, HOW_LARGER, 0, false},
                {"19", STUDY_NOT_MEASURABLE, HOW_NONE, 0, false},
                {"A", STUDY_PENDING, HOW_NONE, 0, false}};
    struct run *const run = sample_study_run();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct study_claim *const claim =
            study_find_claim(&run->studies[0], rows[i].id);
        assert_int_equal(claim->check.verdict, rows[i].verdict);
        assert_int_equal(claim->check.how, rows[i].how);
        assert_int_equal(claim->check.decided_by, rows[i].decided_by);
        assert_int_equal(claim->contested, rows[i].contested);
    }
    run_free(run);
}

/* An absent point decides if no other refutes. */
TEST(absent_points)
{
    struct study study = {.name = NULL};
    struct study_claim *const claim = study_add_claim(&study, "1");
    struct study_check *const check = &claim->check;
    check->lo = 1;
    study_point_exact(study_add_point(check, "8"), 2);
    study_judge(&study);
    assert_int_equal(check->verdict, STUDY_CONFIRMED);
    assert_null(check->reason);
    study_add_absent(check, "9", "wrong", "try");
    study_judge(&study);
    assert_int_equal(check->verdict, STUDY_NOT_MEASURABLE);
    assert_string_equal(check->reason, "wrong");
    assert_string_equal(check->type, "try");
    assert_int_equal(study_expect_confirmed(&study, false), 0);
    assert_int_equal(study_expect_confirmed(&study, true), 3);
    study_point_exact(study_add_point(check, "10"), 0);
    study_judge(&study);
    assert_int_equal(check->verdict, STUDY_REFUTED);
    assert_int_equal(check->decided_by, 2);
    assert_null(check->reason);
    assert_int_equal(study_expect_confirmed(&study, false), 1);
    study_clear(&study);
}

/* ---- the author's exam ---- */

/* Points whose values all lie there. */
static void say(struct study_check *check, double value)
{
    struct study_point *const point = study_add_point(check, "64");
    assert_non_null(point);
    study_point_exact(point, value);
}

/* A value that confirms an expectation, and one that refutes it. Both lie far from 1 and
 * from the border, where they can. */
static double inside(const struct study_check *check)
{
    if (isinf(check->lo))
        return check->hi > 0 ? check->hi / 2 : check->hi - 1;
    if (isinf(check->hi))
        return check->lo > 0 ? 2 * check->lo : check->lo + 1;
    return (check->lo + check->hi) / 2;
}

static double outside(const struct study_check *check)
{
    return isinf(check->lo) ? 2 * fabs(check->hi) + 1
                            : check->lo - fabs(check->lo) / 2 - 1e-3;
}

/* Each claim of the studies that are brought comes out both ways, and says so in a
 * sentence of its own. What arithmetic decides has no samples. */
TEST(every_claim_can_go_both_ways)
{
    static const char *const names[] = {"burn-conv", "nnc-relu", "rusttensor",
                                        "tropical-gemm", "trueno"};
    size_t claims = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        for (int refuted = 0; refuted < 2; refuted++) {
            char path[4096];
            struct study study = {.name = NULL};
            struct error error = {.text = ""};
            snprintf(path, sizeof path, "%s/studies/%s.json", getenv("SOURCE_ROOT"),
                     names[i]);
            char *bytes = NULL;
            size_t size;
            if (study_load(&study, path, &bytes, &size, &error))
                fail_msg("%s", error.text);
            free(bytes);
            FOR_EACH (struct study_claim, claim, study.claims, study.n_claims)
                if (claim->check.measure != MEASURE_ARITHMETIC)
                    say(&claim->check,
                        refuted ? outside(&claim->check) : inside(&claim->check));
            study_judge(&study);
            FOR_EACH (const struct study_claim, claim, study.claims, study.n_claims) {
                struct buffer text = {.text = NULL};
                if (claim->check.measure == MEASURE_ARITHMETIC)
                    continue;
                if (claim->check.verdict != (refuted ? STUDY_REFUTED : STUDY_CONFIRMED))
                    fail_msg("%s %s: %s", names[i], claim->id,
                             study_verdict_name(claim->check.verdict));
                study_sentence_tell(claim, &text);
                const char *const said = refuted ? claim->refutes : claim->confirms;
                assert_int_equal(strncmp(buffer_text(&text), said, strlen(said) - 1), 0);
                buffer_free(&text);
                claims++;
            }
            study_clear(&study);
        }
    assert_true(claims > 150);
}

TEST(a_number_is_said_once)
{
    static const struct {
        double value;
        const char *text;
        enum study_measure measure;
        enum study_as as;
    } rows[] = {
        {0.98, "It is 0.98, not 0.97.", MEASURE_ARITHMETIC, AS_VALUE},
        {0.9, "It is 0.98, not 0.97: 0.90.", MEASURE_ARITHMETIC, AS_VALUE},
        {98, "It is 0.98, not 0.97: 98.", MEASURE_ARITHMETIC, AS_VALUE},
        {0.9, "It is 0.98, not 0.97: 0.90x.", MEASURE_METRIC, AS_RATIO},
        {98, "It is 0.98, not 0.97: 98 cycles per element.", MEASURE_METRIC, AS_VALUE}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct study_point point = {.value = rows[i].value};
        const struct study_claim claim = {
            .confirms = (char *)(uintptr_t)"It is 0.98, not 0.97.",
            .check = {.measure = rows[i].measure,
                      .as = rows[i].as,
                      .what = (char *)(uintptr_t)"cycles per "
                                                 "element",
                      .points = &point,
                      .n_points = 1,
                      .verdict = STUDY_CONFIRMED}};
        struct buffer text = {.text = NULL};
        study_sentence_tell(&claim, &text);
        assert_string_equal(buffer_text(&text), rows[i].text);
        buffer_free(&text);
    }
}
