/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>

#include "event_refused.h"
#include "perfctr_private.h"
#include "proofs.h"
#include "unit.h"

static void expect(const char *name, uint32_t type, uint64_t config)
{
    struct event event;
    struct error error = {.text = ""};
    if (event_encode(name, &event, &error) != 0)
        fail_msg("%s", error.text);
    assert_string_equal(event.name, name);
    assert_int_equal(event.type, type);
    assert_int_equal(event.config, config);
    assert_int_equal(event.config1, 0);
}

TEST(test_raw)
{
    expect("r1828", PERF_TYPE_RAW, 0x1828);
    expect("R30C7", PERF_TYPE_RAW, 0x30c7);
    expect("r0", PERF_TYPE_RAW, 0);
    expect("rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX);
    expect_error("r", "event r");
    expect_error("r12345678123456781", "event r12345678123456781");
    expect_error("r12g4", "event r12g4");
}

TEST(test_generic)
{
    expect("cycles", PERF_TYPE_HARDWARE, 0);
    expect("Instructions", PERF_TYPE_HARDWARE, 1);
    expect("cache-misses", PERF_TYPE_HARDWARE, 3);
    expect("branch-misses", PERF_TYPE_HARDWARE, 5);
    expect("ref-cycles", PERF_TYPE_HARDWARE, 9);
    expect("task-clock", PERF_TYPE_SOFTWARE, 1);
    expect("page-faults", PERF_TYPE_SOFTWARE, 2);
    expect("context-switches", PERF_TYPE_SOFTWARE, 3);
    expect("major-faults", PERF_TYPE_SOFTWARE, 6);
    struct event event;
    assert_int_equal(event_encode("cycles", &event, NULL), 0);
    assert_string_equal(event.string, "perf::cycles:u");
}

TEST(test_unknown)
{
    char name[EVENT_NAME_SIZE + 10];
    expect_error("", "empty");
    expect_error("cycels", "near matches: cycles");
    expect_error("context_switches", "context-switches");
    expect_error("fault", "page-faults");
    expect_error("qqqqqqqqqqqq", "simdbench list events");
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    expect_error(name, "too long");
    name[EVENT_NAME_SIZE - 1] = '\0';
    expect_error(name, "simdbench list events");
    expect_error("%s%n", "event %s%n");
}

TEST(test_distance)
{
    assert_int_equal(event_distance("a.b", "A:B"), 0);
    assert_int_equal(event_distance("", "abc"), 3);
    assert_int_equal(event_distance("abc", ""), 3);
    assert_int_equal(event_distance("kitten", "sitting"), 3);
}

struct seen {
    size_t n, failed;
    bool faults;
};

static void each(const char *name, const char *description, void *context)
{
    struct seen *const seen = context;
    struct event event;
    assert_true(name[0] && description);
    seen->n++;
    seen->failed += event_encode(name, &event, NULL) != 0;
    seen->faults |= !strcmp(name, "page-faults");
}

TEST(test_each)
{
    struct seen all = {0}, some = {0}, none = {0};
    assert_int_equal(event_each(NULL, each, &all, NULL), 0);
    assert_true(all.n >= 15 && all.faults);
    assert_int_equal(all.failed, 0);
    assert_int_equal(event_each("FAULTS", each, &some, NULL), 0);
    assert_true(some.n >= 3 && some.n < all.n && some.faults);
    assert_int_equal(event_each("qqqqqqqq", each, &none, NULL), 0);
    assert_int_equal(none.n, 0);
}

#ifdef HAVE_PFM
static void count_qualified(const char *name, const char *description, void *context)
{
    struct seen *const seen = context;
    seen->n++;
    seen->failed += strstr(name, "::") == NULL;
}

/* Also of CPUs that this machine is not. */
TEST(test_each_of_pmu)
{
#ifdef __x86_64__
    const char *const all = "skx::", *const one = "skx::lvl2_turbo";
#else
    const char *const all = "arm_n2::", *const one = "arm_n2::inst_retired";
#endif
    struct seen every = {0}, some = {0}, none = {0};
    assert_int_equal(event_each(all, count_qualified, &every, NULL), 0);
    assert_int_equal(event_each(one, count_qualified, &some, NULL), 0);
    assert_int_equal(event_each("no_such_pmu::", count_qualified, &none, NULL), 0);
    assert_true(every.n > 50 && some.n >= 1 && some.n < 5 && none.n == 0);
    assert_true(every.failed == 0 && some.failed == 0);
}

/* No CPU has all of these, not even one that valgrind makes up in part. */
TEST(test_foreign)
{
    static const char *const events[] = {"UOPS_ISSUED:ANY", "RETIRED_SSE_AVX_FLOPS:ANY",
                                         "CORE_POWER:LVL2_TURBO_LICENSE"};
    struct event event;
    size_t foreign = 0;

    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        const bool here = event_encode(events[i], &event, NULL) == 0;
        assert_int_equal(event_encode_any(events[i], &event, NULL), 0);
        assert_int_equal(event.foreign, !here);
        assert_int_equal(event.withheld[0] != 0, !here);
        foreign += event.foreign;
        if (here)
            continue;
        struct proof proof;
        event_prove_on(NULL, &event, &proof);
        assert_int_equal(proof.verdict, PROOF_REFUSED);
        event_judge(&event, &proof);
        assert_string_equal(event.withheld, proof.reason);
    }
    assert_true(foreign > 0);
    assert_int_equal(event_encode_any("NO_SUCH:EVENT", &event, NULL), -EINVAL);
}

TEST(test_modifiers)
{
    struct event event;
    expect("cycles:u", PERF_TYPE_HARDWARE, 0);
    expect("perf::cycles", PERF_TYPE_HARDWARE, 0);
    expect("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000);
    expect_error("cycles:k", "user space");
    expect_error("cycles:u:k", "user space");
    expect_error("cycles:precise=2", "modifier");
    assert_int_equal(event_encode("perf::page-faults", &event, NULL), 0);
    assert_string_equal(event.string, "perf::PERF_COUNT_SW_PAGE_FAULTS:u");
}
#endif
