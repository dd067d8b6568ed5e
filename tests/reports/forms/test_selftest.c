/* SPDX-License-Identifier: Apache-2.0 */
/* Gates that were made up: counts, rates, the recommended threshold, what is cited. */
#include <cjson/cJSON.h>

#include "reports.h"
#include "unit.h"

static void begin(struct selftest *selftest, const double *effects, size_t n)
{
    *selftest = (struct selftest){.threshold = 0.02, .seed = UINT64_MAX, .n_effects = n};
    selftest->effects = calloc(n, sizeof *selftest->effects);
    assert_non_null(selftest->effects);
    for (size_t i = 0; i < n; i++)
        selftest->effects[i].effect = effects[i];
    string_set(&selftest->started_at, "2026-02-03T04:05:06Z");
    string_set(&selftest->fingerprint, "0123456789abcdef");
    string_set(&selftest->cpu, "CPU \"x\"");
}

/* A gate whose interval is change -+ half. */
static void add(struct selftest_effect *effect, enum verdict verdict, double change,
                double half, double floor, double seconds)
{
    const double delta = fmax(0.02, 2 * floor);
    const struct comparison c = {
        .verdict = verdict,
        .change = change,
        .change_ci = {.known = true, .lo = change - half, .hi = change + half},
        .floor = floor,
        .delta = delta,
        .detectable = (1 + delta) * (1 + half) - 1};
    selftest_add(effect, &c, seconds);
}

TEST(counts_and_rates)
{
    static const double effects[] = {0.03, 0};
    struct selftest s;
    begin(&s, effects, 2);
    for (int i = 0; i < 10; i++)
        add(&s.effects[0], i ? VERDICT_REGRESSED : VERDICT_SAME, 0.03, 0.001, 0.002,
            0.1 * i);
    for (int i = 0; i < 4; i++)
        add(&s.effects[1], VERDICT_SAME, 0, 0.001, 0.002, 0.5);
    add(&s.effects[1], VERDICT_INCONCLUSIVE, 0, 0.001, 0.002, 0.5);
    add(&s.effects[1], VERDICT_IMPROVED, 0, 0.001, 0.002, 0.5);
    selftest_add(&s.effects[1], &(struct comparison){.verdict = VERDICT_UNUSABLE}, 1);
    selftest_derive(&s);
    assert_int_equal(s.effects[0].regressed, 9);
    assert_int_equal(s.effects[0].same, 1);
    assert_near(s.effects[0].rate, 0.9, 1e-12);
    /* Clopper-Pearson for 9 of 10, from tables. */
    assert_near(s.effects[0].rate_ci.lo, 0.5550, 5e-5);
    assert_near(s.effects[0].rate_ci.hi, 0.9975, 5e-5);
    assert_near(s.effects[0].change, 0.03, 1e-12);
    assert_near(s.effects[0].seconds, 0.45, 1e-12);
    assert_int_equal(s.effects[1].same, 4);
    assert_int_equal(s.effects[1].improved, 1);
    assert_int_equal(s.effects[1].inconclusive, 1);
    assert_int_equal(s.effects[1].unusable, 1);
    assert_int_equal(s.effects[1].regressed, 0);
    assert_near(s.effects[1].floor, 0.002, 1e-12); /* of those that have one */
    assert_null(s.found);                          /* 9 of 10 are not 95% */
    assert_int_equal(s.equal.slower + s.equal.faster, 0);
    assert_string_equal(
        s.summary, "2026-02-03, threshold 2%: 0 of 7 false alarms, +3% found in 9 of "
                   "10");
    assert_true(isinf(s.recommended)); /* one of 7 gates of equal code has no result */
    selftest_clear(&s);
}

TEST(directions_are_tested)
{
    static const double effects[] = {0.05, 0};
    struct selftest s;
    begin(&s, effects, 2);
    add(&s.effects[0], VERDICT_REGRESSED, 0.05, 0.001, 0.001, 0.5);
    for (int i = 0; i < 10; i++)
        add(&s.effects[1], VERDICT_SAME, i < 9 ? 1e-4 : -1e-4, 0.001, 0.001, 0.5);
    selftest_derive(&s);
    assert_int_equal(s.equal.slower, 9);
    assert_int_equal(s.equal.faster, 1);
    assert_near(s.equal.p, 2 * 11 / 1024.0, 1e-12); /* 1 + 10 of 2^10, both sides */
    selftest_clear(&s);
}

/* 20 gates of equal code: 19 of them would have been SAME with 0.6%, one only with 5%. */
TEST(threshold_is_recommended)
{
    static const double effects[] = {0};
    struct selftest s;
    begin(&s, effects, 1);
    for (int i = 0; i < 18; i++)
        add(&s.effects[0], VERDICT_SAME, 0, 0.001, 0.0005 + 1e-5 * i, 0.5);
    add(&s.effects[0], VERDICT_SAME, 0.002, 0.004, 0.0004, 0.5);
    add(&s.effects[0], VERDICT_SAME, 0, 0.001, 0.025, 0.5);
    selftest_derive(&s);
    assert_near(s.recommended, 0.01, 1e-12); /* 0.6%, in steps of 0.5% */
    assert_near(s.reliable, 1.01 * 1.001 - 1, 1e-9);
    assert_string_equal(s.summary, "2026-02-03, threshold 2%: 0 of 20 false alarms");
    /* One more noisy gate, and 95% of all need what it needs. */
    add(&s.effects[0], VERDICT_SAME, -0.021, 0.001, 0.001, 0.5);
    selftest_derive(&s);
    assert_near(s.recommended, 0.025, 1e-12); /* 1 / 0.978 - 1 = 2.25% */
    selftest_clear(&s);
}

TEST(quiet_machine_gets_the_least_threshold)
{
    static const double effects[] = {0};
    struct selftest s;
    begin(&s, effects, 1);
    add(&s.effects[0], VERDICT_SAME, 0, 0, 0, 0.5);
    selftest_derive(&s);
    assert_near(s.recommended, SELFTEST_THRESHOLD_STEP, 1e-12);
    selftest_clear(&s);
}

/* +2% was found by chance: what is above it has to be found, too. */
TEST(least_found)
{
    static const double effects[] = {0.05, 0.01, 0.02, 0.03, 0};
    static const int found[] = {20, 0, 20, 18, 0};
    struct selftest s;
    begin(&s, effects, 5);
    for (int e = 0; e < 5; e++)
        for (int i = 0; i < 20; i++)
            add(&s.effects[e], i < found[e] ? VERDICT_REGRESSED : VERDICT_SAME,
                effects[e], 0.001, 0.001, 0.5);
    selftest_derive(&s);
    assert_ptr_equal(s.found, &s.effects[0]);
    add(&s.effects[3], VERDICT_REGRESSED, 0.03, 0.001, 0.001, 0.5);
    s.effects[3].outcomes[18].verdict = s.effects[3].outcomes[19].verdict =
        VERDICT_REGRESSED;
    selftest_derive(&s);
    assert_ptr_equal(s.found, &s.effects[2]);
    assert_string_equal(
        s.summary,
        "2026-02-03, threshold 2%: 0 of 20 false alarms, +2% found in 20 of 20");
    selftest_clear(&s);
}

TEST(nothing_is_known_without_gates)
{
    static const double effects[] = {0, 0.02};
    struct selftest s;
    begin(&s, effects, 2);
    selftest_derive(&s);
    assert_true(isnan(s.effects[0].rate) && !s.effects[0].rate_ci.known);
    assert_true(!(s.recommended > 0) && isnan(s.reliable));
    assert_null(s.found);
    assert_null(s.summary);
    selftest_clear(&s);
}

static char *as_json(const struct selftest *selftest, size_t *size)
{
    char *text = NULL;
    struct error error = {.text = ""};
    FILE *const file = open_memstream(&text, size);
    assert_non_null(file);
    assert_int_equal(selftest_write_json(selftest, file, &error), 0);
    fclose(file);
    return text;
}

TEST(json_is_cited_on_the_same_host)
{
    static const double effects[] = {0, 0.03};
    struct selftest s;
    size_t size;
    begin(&s, effects, 2);
    add(&s.effects[0], VERDICT_SAME, 0, 0.001, 0.001, 0.5);
    add(&s.effects[1], VERDICT_REGRESSED, 0.03, 0.001, 0.001, 0.5);
    selftest_add(&s.effects[1], &(struct comparison){.verdict = VERDICT_UNUSABLE}, 1);
    selftest_derive(&s);
    char *const text = as_json(&s, &size);
    cJSON *const root = cJSON_ParseWithLength(text, size);
    assert_non_null(root);
    const cJSON *const list = cJSON_GetObjectItem(root, "effects");
    assert_int_equal(cJSON_GetArraySize(list), 2);
    assert_string_equal(cJSON_GetObjectItem(root, "seed")->valuestring,
                        "18446744073709551615");
    const cJSON *const outcomes =
        cJSON_GetObjectItem(cJSON_GetArrayItem(list, 1), "outcomes");
    assert_int_equal(cJSON_GetArraySize(outcomes), 2);
    assert_true(
        cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(outcomes, 1), "change")));
    cJSON_Delete(root);

    char *const line = selftest_cite(text, size, "0123456789abcdef");
    assert_string_equal(line, s.summary);
    free(line);
    assert_null(selftest_cite(text, size, "0123456789abcdee"));
    for (size_t cut = 0; cut + 2 < size; cut++) /* the file ends with "}\n" */
        assert_null(selftest_cite(text, cut, "0123456789abcdef"));
    free(text);
    selftest_clear(&s);
}

TEST(other_documents_are_not_cited)
{
    static const char *const documents[] = {
        "",
        "null",
        "[]",
        "{}",
        "\xff",
        "{\"selftest_schema_version\":2,\"summary\":\"x\",\"host\":{\"fingerprint\":"
        "\"f\"}}",
        "{\"selftest_schema_version\":1,\"summary\":3,\"host\":{\"fingerprint\":\"f\"}}",
        "{\"selftest_schema_version\":1,\"summary\":null,\"host\":{\"fingerprint\":\"f\"}"
        "}",
        "{\"selftest_schema_version\":1,\"summary\":\"\",\"host\":{\"fingerprint\":\"f\"}"
        "}",
        "{\"selftest_schema_version\":1,\"summary\":\"x\",\"host\":\"f\"}",
        "{\"selftest_schema_version\":1,\"summary\":\"x\"}"};
    static const char good[] = "{\"selftest_schema_version\":1,\"summary\":\"x\","
                               "\"host\":{\"fingerprint\":\"f\"}}";
    for (size_t i = 0; i < ARRAY_LEN(documents); i++)
        assert_null(selftest_cite(documents[i], strlen(documents[i]), "f"));
    char *const line = selftest_cite(good, strlen(good), "f");
    assert_string_equal(line, "x");
    free(line);
}
