/* SPDX-License-Identifier: Apache-2.0 */
/* Microarchitectures, the built-in encodings, the named groups and their formulas. */
#include <ctype.h>
#include <linux/perf_event.h>

#include "uarch.h"
#include "unit.h"

static void expect_cpu(const char *vendor, int family, int model, int stepping,
                       const char *name)
{
    struct host host = {.family = family, .model = model, .stepping = stepping};
    snprintf(host.vendor, sizeof host.vendor, "%s", vendor);
    if (strcmp(uarch_of(&host)->name, name) != 0)
        fail_msg("%s %d/%d/%d is %s, not %s", vendor, family, model, stepping,
                 uarch_of(&host)->name, name);
}

TEST(test_detection)
{
    expect_cpu("GenuineIntel", 6, 85, 4, "skx");
    expect_cpu("GenuineIntel", 6, 85, 7, "clx");
    expect_cpu("GenuineIntel", 6, 106, 6, "icx");
    expect_cpu("GenuineIntel", 6, 143, 8, "spr");
    expect_cpu("GenuineIntel", 6, 207, 2, "emr");
    expect_cpu("GenuineIntel", 6, 173, 1, "gnr");
    expect_cpu("GenuineIntel", 6, 151, 2, "adl");
    expect_cpu("GenuineIntel", 6, 183, 1, "adl");
    expect_cpu("GenuineIntel", 6, 26, 5, "generic"); /* Nehalem */
    expect_cpu("AuthenticAMD", 0x17, 0x01, 2, "generic");
    expect_cpu("AuthenticAMD", 0x17, 0x31, 0, "zen2");
    expect_cpu("AuthenticAMD", 0x19, 0x01, 1, "zen3");
    expect_cpu("AuthenticAMD", 0x19, 0x21, 2, "zen3");
    expect_cpu("AuthenticAMD", 0x19, 0x11, 1, "zen4"); /* Genoa */
    expect_cpu("AuthenticAMD", 0x19, 0x61, 2, "zen4"); /* Raphael */
    expect_cpu("AuthenticAMD", 0x19, 0xa0, 2, "zen4"); /* Bergamo */
    expect_cpu("AuthenticAMD", 0x1a, 0x02, 1, "zen5");
    expect_cpu("AuthenticAMD", 0x1a, 0x44, 0, "zen5");
    expect_cpu("ARM", 8, 0xd0c, 1, "n1");
    expect_cpu("ARM", 8, 0xd49, 0, "n2");
    expect_cpu("ARM", 8, 0xd40, 1, "v1");
    expect_cpu("ARM", 8, 0xd4f, 1, "v2");
    expect_cpu("ARM", 8, 0xd03, 4, "generic");
    expect_cpu("", -1, -1, -1, "generic");

    assert_string_equal(uarch_get(0)->name, "generic");
    assert_ptr_equal(uarch_find("amd64_fam19h_zen4"), uarch_find("Zen4"));
    assert_null(uarch_find("zen"));
    assert_non_null(uarch_host());
}

static void expect_raw(const char *uarch, const char *name, uint64_t config)
{
    struct event event;
    if (uarch_encode(uarch_find(uarch), name, &event) != 0 || event.config != config)
        fail_msg("%s::%s: %#llx", uarch, name, (unsigned long long)event.config);
    assert_int_equal(event.type, PERF_TYPE_RAW);
    assert_int_equal(event.config1, 0);
}

/* CPUs that libpfm4 4.13 does not know. */
TEST(test_unknown_cpus)
{
    struct event event;
    expect_raw("zen5", "retired_ops", 0xc1);
    expect_raw("zen5", "OP_CACHE_HIT_MISS:OC_MISS", 0x20000048f);
    expect_raw("zen5", "P0_FREQ_CYCLES_NOT_IN_HALT.P0_FREQ_CYCLES", 0x100000120);
    expect_raw("emr", "UOPS_ISSUED.ANY", 0x1ae);
    expect_raw("gnr", "L2_LINES_IN.ALL", 0x1f25);
    expect_raw("gnr", "IDQ.MS_UOPS", 0x2079);
    expect_raw("adl", "CORE_POWER.LICENSE_3", 0x828);
    assert_int_equal(
        uarch_encode(uarch_find("spr"), "CORE_POWER.LVL2_TURBO_LICENSE", &event),
        -ENOENT);
    assert_int_equal(uarch_encode(uarch_find("generic"), "UOPS_ISSUED.ANY", &event),
                     -ENOENT);
}

/* Every row of this machine's table is an event that can be asked for by name. */
static void encode_here(const char *name, const char *description, void *context)
{
    struct event event;
    struct error error = {.text = ""};
    assert_non_null(strstr(description, "built-in"));
    if (event_encode(name, &event, &error) != 0)
        fail_msg("%s", error.text);
    assert_string_equal(event.name, name);
    if (event_encode(strstr(name, "::") + 2, &event, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(event.type, PERF_TYPE_RAW);
}

TEST(test_here)
{
    struct event event;
    uarch_each(uarch_host(), encode_here, NULL);
    /* The table of another CPU does not count here. */
    const char *const other =
        uarch_host() == uarch_find("v2") ? "zen5::RETIRED_OPS" : "v2::STALL_BACKEND";
    assert_int_equal(event_encode(other, &event, NULL), -EINVAL);
}

TEST(test_groups)
{
    assert_int_equal(counter_group_count(), 6);
    for (size_t u = 0; u < uarch_count(); u++) {
        const struct uarch *const uarch = uarch_get(u);
        for (size_t g = 0; g < counter_group_count(); g++) {
            const char *names[COUNTER_GROUP_EVENTS];
            const size_t n = counter_group_events(g, uarch, names);
            if (n == 0 && !counter_group_note(g, uarch))
                fail_msg("%s on %s has neither events nor a reason",
                         counter_group_get(g)->name, uarch->name);
            for (size_t i = 0; i < n; i++) {
                struct event event;
                const bool kernel = islower((unsigned char)names[i][0]);
                if (kernel ? event_encode(names[i], &event, NULL)
                           : uarch_encode(uarch, names[i], &event))
                    fail_msg("%s on %s: no encoding of %s", counter_group_get(g)->name,
                             uarch->name, names[i]);
                for (size_t k = 0; k < i; k++)
                    assert_string_not_equal(names[k], names[i]);
            }
        }
    }
}

struct use {
    const char *name;
    bool used;
};

static void note_use(const struct formula *formula, void *context)
{
    struct use *const use = context;
    assert_true(formula->name[0] && formula->text[0]);
    use->used |= strstr(formula->text, use->name) != NULL;
}

/* A group counts nothing that no formula of its CPU needs. */
TEST(test_formulas_use_events)
{
    for (size_t u = 0; u < uarch_count(); u++)
        for (size_t g = 0; g < counter_group_count(); g++) {
            const char *names[COUNTER_GROUP_EVENTS];
            const size_t n = counter_group_events(g, uarch_get(u), names);
            for (size_t i = 0; i < n; i++) {
                struct use use = {.name = names[i]};
                formulas_each(uarch_get(u), names, n, note_use, &use);
                if (!use.used)
                    fail_msg("%s on %s: no formula uses %s", counter_group_get(g)->name,
                             uarch_get(u)->name, names[i]);
            }
        }
}

static void count_formula(const struct formula *formula, void *context)
{
    size_t *const counts = context;
    counts[0]++;
    counts[1] += !strcmp(formula->name, "IPC");
    counts[2] += !strcmp(formula->name, "cycles per element");
    counts[3] += !strcmp(formula->name, "effective clock") &&
                 strstr(formula->text, "ref-cycles") != NULL;
}

TEST(test_formulas_fit)
{
    const char *const names[] = {"cycles", "instructions", "ref-cycles"};
    size_t none[4] = {0}, two[4] = {0}, all[4] = {0};
    formulas_each(uarch_find("icx"), NULL, 0, count_formula, none);
    formulas_each(uarch_find("icx"), names, 2, count_formula, two);
    formulas_each(uarch_find("icx"), names, 3, count_formula, all);
    assert_int_equal(none[0], 4);
    assert_int_equal(none[1], 0);
    assert_int_equal(none[2], 1);
    assert_int_equal(two[0], 7);
    assert_int_equal(two[1], 1);
    assert_int_equal(all[3], 1);
}

#ifdef HAVE_PFM
struct compared {
    const struct uarch *uarch;
    size_t equal, refused;
};

/* Pairs of unit masks that the hardware takes and libpfm4 refuses from Ice Lake on. */
static bool refused_pair(const char *name)
{
    return strstr(name, "FP_ARITH_INST_RETIRED.") && strstr(name, "_SINGLE:");
}

static void compare_row(const char *name, const char *description, void *context)
{
    struct compared *const compared = context;
    struct event ours, theirs = {.type = 0};
    struct error error = {.text = ""};
    const char *const event = strstr(name, "::") + 2;
    char qualified[2 * EVENT_NAME_SIZE];
    assert_int_equal(uarch_encode(compared->uarch, event, &ours), 0);
    snprintf(qualified, sizeof qualified, "%s::%s", compared->uarch->pfm, event);
    if (libpfm_encode(qualified, &theirs, &error) != 0) {
        if (!refused_pair(event))
            fail_msg("%s: %s", qualified, error.text);
        compared->refused++;
        return;
    }
    compared->equal++;
    if (ours.type != theirs.type || ours.config != theirs.config ||
        ours.config1 != theirs.config1 || ours.config2 != theirs.config2)
        fail_msg("%s: %#llx here, %#llx in libpfm4", qualified,
                 (unsigned long long)ours.config, (unsigned long long)theirs.config);
}

/* libpfm4 has tables of its own architecture alone, and not of every CPU. */
TEST(test_equals_libpfm)
{
    size_t known = 0;
    for (size_t u = 1; u < uarch_count(); u++) {
        struct compared compared = {.uarch = uarch_get(u)};
        struct event event;
        char cycles[EVENT_NAME_SIZE];
        const char *const name =
            strstr(compared.uarch->pfm, "amd64") == compared.uarch->pfm
                ? "CYCLES_NOT_IN_HALT"
            : strstr(compared.uarch->pfm, "arm") == compared.uarch->pfm
                ? "CPU_CYCLES"
                : "UNHALTED_CORE_CYCLES";
        snprintf(cycles, sizeof cycles, "%s::%s", compared.uarch->pfm, name);
        if (libpfm_encode(cycles, &event, NULL) != 0)
            continue;
        known++;
        uarch_each(compared.uarch, compare_row, &compared);
        assert_true(compared.equal >= 11);
        assert_true(compared.refused <= 4);
        if (compared.uarch->bit & (SKYLAKE | ZEN | NEOVERSE))
            assert_int_equal(compared.refused, 0);
    }
#if defined __x86_64__
    assert_true(known >= 7);
#elif defined __aarch64__
    assert_true(known >= 4);
#endif
}
#endif

/* libpfm4 reads it when it is first used. */
static int encode_inactive(void **state)
{
    return setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
}

TESTS_BETWEEN(encode_inactive, NULL)
