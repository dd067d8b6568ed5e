/* SPDX-License-Identifier: Apache-2.0 */
/* Counts that cannot be: alone, and beside others. */
#include "fake_perf.h"

static struct event raw(uint64_t config)
{
    return (struct event){.type = PERF_TYPE_RAW,
                          .config = config,
                          .kind = uarch_kind(uarch_find("zen3"), config)};
}

/* ---- samples that cannot be ---- */

static void expect_impossible(struct counters *counters, const char *word)
{
    struct count count;
    fake_region(counters);
    assert_true(counters_get(counters, 0, &count));
    assert_true(count.impossible);
    fake_absent(counters, 0, word);
}

FAKE_TEST(test_impossible)
{
    struct event event = raw(0xc0);
    event.config = 1;
    struct counters *counters = fake_open_events(&event, 1, COUNTERS_PINNED);
    fake_region(counters);
    fake_counts(counters, 0, 1000);
    fake.jump_every = 2;
    fake.reads = 0;
    fake.jump = INT64_C(1) << 48;
    expect_impossible(counters, "more than a core can do: a jump of 2^48");
    fake.jump = -fake.jump;
    expect_impossible(counters, "went backwards");
    expect_impossible(counters, "a jump of 2^48");
    fake.jump = INT64_C(1) << 40;
    expect_impossible(counters, "more than a core can do");
    fake_finish(counters);

    /* A region of no time may have what takes a microsecond. */
    fake.files = 0;
    fake.reads = 0;
    fake.jump = 90000;
    counters = fake_open_events(&event, 1, COUNTERS_PINNED);
    fake_region(counters);
    fake_counts(counters, 0, 91000);
    fake_finish(counters);

    /* Operations on vectors are many, what is not of the core may be as it likes. */
    fake.files = 0;
    fake.jump = 300000;
    fake.reads = 0;
    event.kind = KIND_flops;
    counters = fake_open_events(&event, 1, COUNTERS_PINNED);
    fake_region(counters);
    fake_counts(counters, 0, 301000);
    fake_finish(counters);
    fake.files = 0;
    fake.reads = 0;
    event.kind = KIND_none; /* a code that nobody knows may be of such operations */
    fake.jump = 300000;
    counters = fake_open_events(&event, 1, COUNTERS_PINNED);
    fake_region(counters);
    fake_counts(counters, 0, 301000);
    fake_finish(counters);
    fake.files = 0;
    fake.reads = 0;
    fake.jump = INT64_C(1) << 48;
    event.type = PERF_TYPE_MAX + 3;
    counters = fake_open_events(&event, 1, COUNTERS_PINNED);
    fake_region(counters);
    fake_counts(counters, 0, (UINT64_C(1) << 48) + 1000);
    fake_finish(counters);
}

/* ---- counts that contradict each other ---- */

enum {
    INSTRUCTIONS,
    BRANCHES,
    MISSES,
    OPS,
    CYCLES,
    LOADS,
    STORES,
    L2,
    L3,
    MEMORY,
    KINDS
};
static const uint64_t configs[KINDS] = {0xc0,  0xc2,  0xc3,  0xc1,  0x76,
                                        0x129, 0x229, 0x144, 0x244, 0x4844};

static void contradict(size_t at, double value, double clock_cycles, size_t a, size_t b)
{
    double count[KINDS] = {1000, 200, 10, 1000, 500, 300, 100, 50, 50, 50};
    struct event event[KINDS];
    struct contradiction found[CONTRADICTIONS_MAX];
    for (size_t i = 0; i < KINDS; i++)
        event[i] = raw(configs[i]);
    count[at] = value;
    const size_t n = counts_contradict(event, count, KINDS, clock_cycles, found);
    assert_int_equal(n, a != b);
    if (n > 0) {
        assert_int_equal(found[0].a, a);
        assert_int_equal(found[0].b, b);
    }
}

TEST(test_contradictions)
{
    contradict(INSTRUCTIONS, 1000, 500, 0, 0);
    contradict(BRANCHES, 1021, 500, BRANCHES, INSTRUCTIONS);
    contradict(BRANCHES, 1019, 500, 0, 0);
    contradict(BRANCHES, NAN, 500, 0, 0);
    contradict(MISSES, 205, 500, MISSES, BRANCHES);
    contradict(OPS, 440, 500, INSTRUCTIONS, OPS);
    contradict(OPS, 460, 500, 0, 0);
    contradict(CYCLES, 551, 500, CYCLES, CONTRADICTS_CLOCK);
    contradict(CYCLES, 449, 500, CYCLES, CONTRADICTS_CLOCK);
    contradict(CYCLES, 549, 500, 0, 0);
    contradict(CYCLES, 451, 500, 0, 0);
    contradict(CYCLES, 900, NAN, 0, 0);
    contradict(MEMORY, 701, 500, L2, LOADS);
    contradict(MEMORY, 699, 500, 0, 0);
    contradict(L3, NAN, 500, 0, 0);
}

/* Unknown fills count as none. */
TEST(test_fills)
{
    const struct event event[] = {raw(0x129), raw(0x229), raw(0x144), raw(0x244),
                                  raw(0x4844)};
    double count[] = {300, 100, NAN, NAN, 800};
    struct contradiction found[CONTRADICTIONS_MAX];
    assert_int_equal(counts_contradict(event, count, 5, NAN, found), 0);
    count[4] = 801;
    assert_int_equal(counts_contradict(event, count, 5, NAN, found), 1);
    assert_true(found[0].a == 4 && found[0].b == 0);
    count[1] = NAN; /* stores, too, would fill lines */
    assert_int_equal(counts_contradict(event, count, 5, NAN, found), 0);
    count[1] = 100;
    count[4] = NAN;
    assert_int_equal(counts_contradict(event, count, 5, NAN, found), 0);
    const struct event all[] = {
        raw(0x129), raw(0x229), {.kind = KIND_fills, .type = PERF_TYPE_RAW}};
    const double sum[] = {300, 100, 801};
    assert_int_equal(counts_contradict(all, sum, 3, NAN, found), 1);
    assert_int_equal(found[0].a, 2);
}
