/* SPDX-License-Identifier: Apache-2.0 */
/* Events that must prove themselves, on scripted PMUs: most of what they count was seen
 * on a Zen 3 in a virtual machine. */
#include "fake_perf.h"

static const struct proof_machine machine = {&fake_system, fake_loop, NULL};

/* Counts of a turn. 0x1aa and 0x2aa open there and stay at 0. */
static const struct {
    uint64_t config;
    double count[PROOF_LOOPS];
} zen3[] = {
    {0xc0,
     {[LOOP_count] = 2.00002,
      [LOOP_load] = 3.00002,
      [LOOP_store] = 3.00002,
      [LOOP_branch] = 13.5,
      [LOOP_fma256] = 3.00002}},
    {0xc1,
     {[LOOP_count] = 1.00006,
      [LOOP_load] = 2.00008,
      [LOOP_store] = 2.00006,
      [LOOP_branch] = 12.0}},
    {0xc2,
     {[LOOP_count] = 1.00001,
      [LOOP_load] = 1.00001,
      [LOOP_store] = 1.00001,
      [LOOP_branch] = 2.00001}},
    {0xc3, {[LOOP_count] = 9e-6, [LOOP_branch] = 0.499693}},
    {0x76, {[LOOP_count] = 1.0003, [LOOP_chain] = 1.0003}},
    {0x129, {[LOOP_load] = 1.00002, [LOOP_store] = 34e-6}},
    {0x229, {[LOOP_load] = 1e-5, [LOOP_store] = 1.00001}},
    {0xf03, {[LOOP_fma256] = 16, [LOOP_add128] = 4}},
    {0x144, {[LOOP_chase_l1] = 0.0004, [LOOP_chase_l2] = 0.994, [LOOP_chase_l3] = 0.384}},
    {0x244, {[LOOP_chase_l2] = 0.0043, [LOOP_chase_l3] = 0.453}},
    {0x4844, {[LOOP_chase_l1] = 25e-6, [LOOP_chase_l3] = 0.951, [LOOP_flush] = 1}},
    {0xf45, {[LOOP_chase_l1] = 15e-6, [LOOP_pages_near] = 0.99992}},
    {0xf045,
     {[LOOP_chase_l1] = 0, [LOOP_pages_near] = 15e-6, [LOOP_pages_far] = 1.00007}},
    {0x1aa, {0}},
    {0x2aa, {0}},
};

static double zen3_answer(uint64_t config, enum proof_loop loop)
{
    if (config == PERF_COUNT_HW_INSTRUCTIONS)
        config = 0xc0;
    for (size_t i = 0; i < ARRAY_LEN(zen3); i++)
        if (zen3[i].config == config)
            return zen3[i].count[loop];
    fail_msg("config %#llx was not seen", (unsigned long long)config);
    return 0;
}

static double twice(uint64_t config, enum proof_loop loop)
{
    return 2 * zen3_answer(config, loop);
}

/* Every event counts branches. */
static double branches(uint64_t config, enum proof_loop loop)
{
    return zen3_answer(0xc2, loop);
}

static double nothing(uint64_t config, enum proof_loop loop)
{
    return 0;
}

static struct event raw(uint64_t config)
{
    return (struct event){.type = PERF_TYPE_RAW,
                          .config = config,
                          .kind = uarch_kind(uarch_find("zen3"), config)};
}

static struct proof prove(uint64_t config)
{
    const struct event event = raw(config);
    struct proof proof;
    fake.files = 0;
    event_prove_on(&machine, &event, &proof);
    assert_int_equal(fake.open_files, 0);
    return proof;
}

static void expect(uint64_t config, enum proof_verdict verdict, const char *reason)
{
    const struct proof proof = prove(config);
    if (proof.verdict != verdict || !strstr(proof.reason, reason) ||
        (!*reason && proof.reason[0]))
        fail_msg("%#llx is %s: \"%s\"", (unsigned long long)config,
                 proof_verdict_name(proof.verdict), proof.reason);
}

FAKE_TEST(test_seen)
{
    fake.answer = zen3_answer;
    for (size_t i = 0; i < ARRAY_LEN(zen3); i++) {
        const bool dead = zen3[i].config == 0x1aa || zen3[i].config == 0x2aa;
        expect(zen3[i].config, dead ? PROOF_DEAD : PROOF_PROVEN, dead ? "reads 0" : "");
    }
    const struct proof loads = prove(0x129);
    assert_string_equal(loads.loop, "loads");
    assert_true(loads.expected == 100000);
    assert_true(loads.counted == 100002);
}

FAKE_TEST(test_dead)
{
    fake.answer = nothing;
    fake_file("/proc/cpuinfo", "processor : 0\nflags : fpu hypervisor sse2\n");
    expect(0x129, PROOF_DEAD,
           "opens but reads 0 for 100000 loads: this hypervisor does not count it");
    expect(0x144, PROOF_DEAD, "reads 0 for 20000 loads from 256 KiB in a random order");
    /* A cache that nothing comes from may be right to stay at 0. */
    expect(0x244, PROOF_UNPROVEN, "counts 0.00 times");
    fake_file("/proc/cpuinfo", "processor : 0\nflags : fpu sse2\n");
    expect(0x129, PROOF_DEAD, "this PMU does not count it");
}

FAKE_TEST(test_wrong)
{
    fake.answer = twice;
    expect(0xc0, PROOF_WRONG,
           "counts 2.00 times what it should: 400004 for 100000 turns");
    expect(0x129, PROOF_WRONG, "counts 2.00 times");
    expect(0xc3, PROOF_WRONG, "counts 2.00 times what it should: 19988 for 20000 unpre");
    /* Effects of caches and hypervisors are no proof of a wrong count. */
    expect(0xf45, PROOF_UNPROVEN, "counts 2.00 times");
    fake.answer = branches;
    expect(0x129, PROOF_WRONG, "counts what it should not: 100001 for 100000 stores");
    expect(0xc0, PROOF_WRONG, "counts 0.50 times");
    expect(0xc2, PROOF_PROVEN, "");
}

/* The edges of what is allowed: 2% of two, and 5% of two for what must rest. */
static double almost_factor, almost_more;
static double almost(uint64_t config, enum proof_loop loop)
{
    const double turn = loop == LOOP_load    ? almost_factor
                        : loop == LOOP_store ? almost_more
                                             : 0;
    return turn;
}

FAKE_TEST(test_tolerance)
{
    fake.answer = almost;
    almost_factor = 1.019;
    expect(0x129, PROOF_PROVEN, "");
    almost_factor = 1.021;
    expect(0x129, PROOF_WRONG, "counts 1.02 times");
    almost_factor = 0.981;
    almost_more = 0.049;
    expect(0x129, PROOF_PROVEN, "");
    almost_more = 0.051;
    expect(0x129, PROOF_WRONG,
           "counts what it should not: 5100 for 100000 stores, not 0");
}

/* The first run warms up; five runs count. */
static int runs;
static double restless(uint64_t config, enum proof_loop loop)
{
    static const double counts[] = {9, 1, 5, 3, 2, 4, 7};
    return loop == LOOP_load ? counts[runs++] : 0;
}

FAKE_TEST(test_unproven)
{
    fake.answer = nothing;
    expect(0xcb, PROOF_UNPROVEN, "no loop is known");
    fake.answer = restless;
    runs = 0;
    expect(0x129, PROOF_UNPROVEN, "differs from run to run: 100000 to 500000 for");
    assert_int_equal(runs, 6);
}

FAKE_TEST(test_refused)
{
    fake.answer = zen3_answer;
    fake.refused_config = 0x129;
    fake.refused_errno = EACCES;
    expect(0x129, PROOF_REFUSED, "perf_event_paranoid is 3");
    expect(0x229, PROOF_PROVEN, "");
}

/* One read in a few is off by 2^48: it has no part in the verdict. */
FAKE_TEST(test_jumps)
{
    fake.answer = zen3_answer;
    fake.jump_every = 9;
    fake.jump = INT64_C(1) << 48;
    expect(0xc0, PROOF_PROVEN, "");
    fake.jump = -fake.jump;
    expect(0xc0, PROOF_PROVEN, "");
    fake.jump_every = 2;
    expect(0xc0, PROOF_WRONG, "a jump of 2^48");
}

FAKE_TEST(test_slots)
{
    struct slots slots;
    fake.answer = zen3_answer;
    for (fake.dead_slot = 0; fake.dead_slot <= 6; fake.dead_slot++) {
        fake.files = 0;
        slots = slots_find(&machine);
        assert_int_equal(slots.announced, 6);
        assert_int_equal(slots.live, fake.dead_slot ? fake.dead_slot - 1 : 6);
        assert_int_equal(fake.open_files, 0);
    }
    fake.files = 0;
    fake.refused_config = PERF_COUNT_HW_INSTRUCTIONS;
    fake.refused_errno = ENOENT;
    slots = slots_find(&machine);
    assert_int_equal(slots.announced, 0);
    assert_int_equal(slots.live, 0);
}

/* ---- what follows for the counters of a run ---- */

static struct counters *open_slots(const struct event *events, size_t n, unsigned slots,
                                   struct perf_system *system)
{
    struct counters *counters = NULL;
    *system = fake_system;
    system->slots = slots;
    assert_int_equal(counters_open(&counters, events, n, COUNTERS_PINNED, system, NULL),
                     0);
    return counters;
}

FAKE_TEST(test_live_slots_only)
{
    struct perf_system system;
    struct event events[7];
    for (size_t i = 0; i < 7; i++)
        events[i] = (struct event){.type = PERF_TYPE_RAW, .config = i + 1};
    for (unsigned slots = 1; slots <= 7; slots++) {
        fake.files = 0;
        struct counters *const counters = open_slots(events, 7, slots, &system);
        const unsigned most = slots < 6 ? slots : 6;
        assert_int_equal(counters_passes(counters), (7 + most - 1) / most);
        fake_finish(counters);
    }
    events[0].takes = 2;
    fake.files = 0;
    struct counters *const counters = open_slots(events, 5, 5, &system);
    struct count count;
    assert_int_equal(counters_passes(counters), 2);
    counters_select(counters, 1);
    fake_region(counters);
    fake_counts(counters, 4, 5000);
    assert_false(counters_get(counters, 3, &count));
    fake_finish(counters);
}

FAKE_TEST(test_withheld)
{
    struct event events[3] = {raw(1), raw(2), raw(3)};
    const struct proof dead = {.verdict = PROOF_DEAD, .reason = "opens but reads 0"};
    const struct proof unproven = {.verdict = PROOF_UNPROVEN, .reason = "nobody knows"};
    event_judge(&events[0], &unproven);
    event_judge(&events[1], &dead);
    struct counters *const counters = fake_open_events(events, 3, COUNTERS_PINNED);
    assert_int_equal(fake.open_files, 2);
    fake_region(counters);
    fake_absent(counters, 1, "opens but reads 0");
    fake_counts(counters, 2, 3000);
    fake_finish(counters);
    event_judge(&events[1], &unproven);
    assert_string_equal(events[1].withheld, "");
}

/* ---- the loops themselves ---- */

TEST(test_loops)
{
    struct proof_memory memory = {.lines = NULL};
    for (int loop = 0; loop < PROOF_LOOPS; loop++) {
        const uint64_t turns = loop == LOOP_straight ? 16384 : 100;
        const uint64_t ran = proof_loop_run((enum proof_loop)loop, turns, &memory);
        if (loop == LOOP_nothing)
            assert_int_equal(ran, 1);
        else if (ran != 0) /* 0: this CPU has no such instructions */
            assert_true(ran >= turns);
    }
    const uint64_t random = memory.random;
    assert_int_equal(proof_loop_run(LOOP_branch, 10, &memory), 10);
    assert_int_not_equal(memory.random, random);
    proof_memory_free(&memory);
    assert_null(memory.lines);
}

/* The kernel's own counters can be proven without a PMU. */
TEST(test_software)
{
    struct event events[3];
    struct proof proofs[3];
    static const char *const names[] = {"page-faults", "task-clock", "context-switches"};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(event_encode(names[i], &events[i], NULL), 0);
    events_prove(events, 3, proofs);
    if (proofs[0].verdict != PROOF_REFUSED && proofs[0].verdict != PROOF_PROVEN)
        fail_msg("%s: %s", names[0], proofs[0].reason);
    /* A busy machine may let the others look odd, but not wrong. */
    for (size_t i = 1; i < 3; i++)
        if (proofs[i].verdict == PROOF_WRONG || proofs[i].verdict == PROOF_DEAD)
            fail_msg("%s: %s", names[i], proofs[i].reason);
}

TEST(test_names)
{
    for (int v = PROOF_UNPROVEN; v <= PROOF_REFUSED; v++)
        assert_int_equal(proof_verdict_find(proof_verdict_name((enum proof_verdict)v)),
                         v);
    assert_int_equal(proof_verdict_find("true"), -1);
    assert_int_equal(proof_verdict_find(NULL), -1);
}

/* Generic names, raw codes and names of the table are of one kind. */
TEST(test_kinds)
{
    struct event event;
    assert_int_equal(event_encode("instructions", &event, NULL), 0);
    assert_int_equal(event.kind, KIND_instructions);
    assert_int_equal(event_encode("branch-misses", &event, NULL), 0);
    assert_int_equal(event.kind, KIND_mispredictions);
    assert_int_equal(event_encode("Page-Faults", &event, NULL), 0);
    assert_int_equal(event.kind, KIND_page_faults);
#ifdef HAVE_PFM
    assert_int_equal(event_encode("perf::PERF_COUNT_HW_INSTRUCTIONS", &event, NULL), 0);
    assert_int_equal(event.kind, KIND_instructions);
#endif
    assert_int_equal(event_encode("stalled-cycles-backend", &event, NULL), 0);
    assert_int_equal(event.kind, KIND_none);
    assert_int_equal(event_encode("rc0", &event, NULL), 0);
    assert_int_equal(event.kind, uarch_kind(uarch_host(), 0xc0));
    assert_int_equal(uarch_kind(uarch_find("skx"), 0x81d0), KIND_loads);
    assert_int_equal(uarch_kind(uarch_find("zen3"), 0x81d0), KIND_none);
    assert_int_equal(uarch_kind(uarch_find("n1"), 0x8), KIND_instructions);
    assert_int_equal(uarch_takes(uarch_find("zen3"), 0xff03), 2);
    assert_int_equal(uarch_takes(uarch_find("zen4"), 0x803), 2);
    assert_int_equal(uarch_takes(uarch_find("zen5"), 0xf03), 1);
    assert_int_equal(uarch_takes(uarch_find("zen3"), 0xf45), 1);
    assert_int_equal(uarch_takes(uarch_find("zen4"), 0x100000f03), 1);
    assert_int_equal(uarch_takes(uarch_find("icx"), 0x803), 1);
    assert_int_equal(uarch_encode(uarch_find("zen2"), "RETIRED_UOPS", &event), 0);
    assert_int_equal(event.kind, KIND_uops);
}
