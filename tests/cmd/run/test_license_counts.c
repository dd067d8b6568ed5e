/* SPDX-License-Identifier: Apache-2.0 */
/* Licence events of several CPUs, from a scripted kernel to the report. */
#include "fake_perf.h"
#include "license/license_private.h"

enum { ROUNDS = 20, CLASSES = 4, LEVELS = 3, TURNS = 1000 };

/* Cycles of a thread and of the three licence events in a turn, by the class of work. */
static const double cycles = 110;
static const double turbo[CLASSES][LEVELS] = {
    {100, 0, 0}, {80, 20, 0}, {2, 5, 93}, {100, 0, 0}};
static const double numbered[CLASSES][LEVELS] = {
    {0, 0, 0}, {20, 0, 0}, {2, 5, 93}, {0, 0, 0}};

static size_t working; /* number of the class that runs */
static const uint64_t *configs;
static const double (*counts)[LEVELS];

static double counted(uint64_t config, enum proof_loop loop)
{
    for (size_t k = 0; k < LEVELS; k++)
        if (config == configs[k])
            return counts[working][k];
    assert_int_equal(config, PERF_COUNT_HW_CPU_CYCLES);
    return cycles;
}

static const char *const names[CLASSES] = {"scalar", "256 heavy", "512 heavy", "scalar"};

/* The clock tells nothing of the wide classes. */
static void make_class(struct license_scope *scope, size_t i)
{
    struct license_class *const class = &scope->class[i];
    class->name = names[i];
    class->bits = i % 3 ? 256 * (int)i : 0;
    class->control = i == CLASSES - 1;
    class->ghz = calloc(ROUNDS, sizeof *class->ghz);
    assert_non_null(class->ghz);
    for (size_t round = 0; round < ROUNDS; round++)
        class->ghz[round] = 3;
    if (class->bits) {
        class->untimed = true;
        snprintf(class->skip, sizeof class->skip, "no clock");
    }
}

/* The words of `simdbench license` about such a CPU: text, Markdown, JSON. */
static void report(const char *cpu, const uint64_t *config, struct license *license,
                   char *text[3])
{
    struct license_counters counters;
    struct error error = {.text = ""};
    struct license_scope *const scope = &license->scope[0];
    configs = config;
    fake.answer = counted;
    assert_int_equal(license_counters_open(uarch_find(cpu), &fake_system, &counters,
                                           license->counters, sizeof license->counters,
                                           &error),
                     0);
    assert_string_equal(license->counters, "");
    assert_non_null(counters.perf);
    *scope = (struct license_scope){
        .name = "one core", .n_classes = CLASSES, .rounds = ROUNDS, .n_cpu = 1};
    snprintf(license->scope[1].skip, sizeof license->scope[1].skip, "one core only");
    license->scope[1].name = "all cores";
    for (size_t i = 0; i < CLASSES; i++) {
        make_class(scope, i);
        license_levels_make(&counters, ROUNDS, &scope->class[i]);
        for (size_t round = 0; round < ROUNDS; round++) {
            working = i;
            counters_begin(counters.perf);
            fake_loop(0, TURNS, NULL);
            counters_end(counters.perf);
            license_levels_read(&counters, &scope->class[i], round);
        }
    }
    snprintf(license->top, sizeof license->top, "%s", counters.top);
    license_counters_close(&counters);
    license_summarise(scope);
    struct json json = {.root = NULL};
    license_judge(license->scope, LICENSE_SCOPES, &license->verdict);
    for (size_t k = 0; k < 3; k++) {
        size_t size;
        FILE *const file = open_memstream(&text[k], &size);
        assert_non_null(file);
        if (k < 2)
            license_write(license, &(struct text_page){file, k == 1, 0});
        else
            license_json(license, &json);
        if (k == 2)
            assert_int_equal(json_end(&json, file, &error), 0);
        fclose(file);
    }
    license_scope_free(scope);
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
}

static void check(const char *cpu, const uint64_t config[LEVELS],
                  const char *const expected[], size_t n)
{
    struct license *const license = calloc(1, sizeof *license);
    char *text[3] = {NULL};
    assert_non_null(license);
    report(cpu, config, license, text);
    assert_int_equal(license->verdict.cost, LICENSE_HEAVY);
    assert_true(license->verdict.by_counters);
    for (size_t i = 0; i < n; i++)
        expect(text[i % 3], expected[i]);
    for (size_t k = 0; k < 3; k++)
        free(text[k]);
    free(license);
    assert_int_equal(fake.open_files, 0);
}

/* Three events are all licences there are: their shares are of their sum, 93%; of the
 * cycles of the thread the highest one has 93 of 110. */
FAKE_TEST(test_levels_of_turbo)
{
    static const uint64_t config[LEVELS] = {0x728, 0x1828, 0x2028};
    static const char *const expected[] = {
        "  2.0 / 5.0 / 93.0%      84.5%\n",
        "| 512\u00a0heavy | skipped: no clock |  | 2.0 / 5.0 / 93.0% | 84.5% |",
        "\"license_2_share\":\t0.93",
        "of cycles: CORE_POWER.LVL2_TURBO_LICENSE over the cycles",
        "| work | clock | of scalar | licence 0 / 1 / 2 | of cycles |",
        "\"top_license_of_cycles\":\t0.8454",
        "much clock on this machine: 512 heavy on one core has licence 2, say",
        "**Wide SIMD costs much clock",
        "\"verdict_by\":\t\"licence counters\"",
    };
    static const char *const cpus[] = {"skx", "clx", "icx"};
    counts = turbo;
    for (size_t i = 0; i < ARRAY_LEN(cpus); i++)
        check(cpus[i], config, expected, ARRAY_LEN(expected));
}

/* Alder Lake counts licences 1 to 3; what is left of the cycles has licence 0. */
FAKE_TEST(test_numbered_licences)
{
    static const uint64_t config[LEVELS] = {0x228, 0x428, 0x828};
    static const char *const expected[] = {
        "  9.1 / 1.8 / 4.5 / 84.5%      84.5%\n",
        "| work | clock | of scalar | licence 0 / 1 / 2 / 3 | of cycles |",
        "\"license_3_share\":\t0.8454",
        "of cycles: CORE_POWER.LICENSE_3 over the cycles",
        "\u00a0\\[3.000,\u00a03.000\\] |  | 100.0 / 0.0 / 0.0 / 0.0% | 0.0% |",
        "\"license_3_share\":\t0",
        "much clock on this machine: 512 heavy on one core has licence 3, say",
    };
    counts = numbered;
    check("adl", config, expected, ARRAY_LEN(expected));
}

static void absent(const char *cpu, const char *word)
{
    struct license_counters counters;
    char why[320] = "";
    assert_int_equal(license_counters_open(uarch_find(cpu), &fake_system, &counters, why,
                                           sizeof why, NULL),
                     0);
    assert_null(counters.perf);
    expect(why, word);
    assert_int_equal(fake.open_files, 0);
}

FAKE_TEST(test_none)
{
    absent("spr", "Sapphire Rapids and later have no licence events");
    absent("emr", "Sapphire Rapids and later have no licence events");
    absent("gnr", "Sapphire Rapids and later have no licence events");
    absent("zen2", "Zen has no licence events");
    absent("zen4", "Zen has no licence events");
    absent("zen5", "Zen has no licence events");
    absent("v2", "Neoverse has no licence events");
    absent("generic", "no table for this CPU");
}

FAKE_TEST(test_refused)
{
    static const uint64_t config[LEVELS] = {0x728, 0x1828, 0x2028};
    configs = config;
    counts = turbo;
    fake.answer = counted;
    fake.refused_config = 0x2028;
    fake.refused_errno = EACCES;
    absent("icx", "perf_event_paranoid");
    fake.refused_errno = 0;
    fake.capacity = 3;
    absent("icx", "do not fit into one group");
}
