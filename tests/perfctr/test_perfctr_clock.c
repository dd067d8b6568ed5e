/* SPDX-License-Identifier: Apache-2.0 */
/* The clock probe, the arithmetic environment and CPU lists. */
#include <fenv.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfctr_private.h"
#include "rates.h"
#include "unit.h"

/* No made-up time of a test is taken for a measured one. */
TEST(test_script)
{
    struct sample sample = {.ns = 1, .minor_faults = 3, .cpu_begin = 1};
    unsetenv("SIMDBENCH_TEST_CLOCK");
    assert_null(clock_script());
    setenv("SIMDBENCH_TEST_CLOCK", "", 1);
    assert_null(clock_script());
    setenv("SIMDBENCH_TEST_CLOCK", "2,bad=8,add=0.5", 1);
    assert_string_equal(clock_script(), "2,bad=8,add=0.5");
    assert_int_equal(clock_budget(), 0);
    assert_int_equal(clock_patience(3), 300);
    assert_true(fabs(clock_script_rate("good") - 2) < 1e-9);
    assert_true(fabs(clock_script_rate("ad") - 2) < 1e-9);
    assert_true(fabs(clock_script_rate("bad") - 8) < 1e-9);
    assert_true(fabs(clock_script_rate("add") - 0.5) < 1e-9);
    assert_true(fabs(clock_script_copy_rate("bad", 3) - 8) < 1e-9);
    setenv("SIMDBENCH_TEST_CLOCK", "2,bad=8,bad@3=4", 1);
    assert_true(fabs(clock_script_copy_rate("bad", 3) - 4) < 1e-9);
    assert_true(fabs(clock_script_copy_rate("bad", 4) - 8) < 1e-9);
    assert_true(fabs(clock_ghz(20000) - 3) < 1e-9);
    assert_true(fabs(clock_ghz_imul(20000) - 3) < 1e-9);
    assert_int_equal(clock_core_split(), 0);
    assert_int_equal(cpus_steal(0), -1);
    for (uint64_t turn = 0; turn < 40; turn++) {
        sample_script(&sample, 1e6, turn);
        assert_in_range(sample.ns, 999000, 1001001);
        assert_int_equal(sample.cpu_ns, sample.ns);
        assert_int_equal(sample.process_ns, sample.ns);
        assert_int_equal(sample.minor_faults, 3);
        assert_int_equal(sample.cpu_begin, sample.cpu_end);
    }
    unsetenv("SIMDBENCH_TEST_CLOCK");
    assert_true(clock_budget() > 0);
    assert_int_equal(clock_patience(3), 3);
}

/* However long they take. */
TEST(test_probes_answer)
{
    const double share = clock_core_share();
    assert_true(share >= 0 && share <= 4);
    assert_true(clock_ghz(20000) > 0);
    assert_in_range(clock_core_split() + 1, 0, 2);
    assert_true(clock_core_whole(1) >= 1 && clock_core_whole(4) <= 4);
    /* A core whose store queue is known starts all adds that it is asked for, unless it
     * seems to lack AVX2. */
    const double whole = clock_core_whole(0);
    assert_true(clock_core_split() < 0 || whole >= 4 || !(whole > 0));
    assert_true(clock_core_alone(0, 0, 0) && !clock_core_alone(1, 4, 0));
    assert_true(clock_core_alone(-1, 4, 0) && !clock_core_alone(-1, 3, 4));
}

/* A pause between takes no time of the sample: wall time, or CPU time. All that the
 * sample may have is the time around it without the pause. */
static void pause_for(int64_t ns, bool asleep)
{
    struct sampler sampler = {.counters = NULL};
    struct sample sample;
    const int64_t before = clock_now();
    sampler_begin(&sampler);
    sampler_pause(&sampler);
    const int64_t begin = clock_now();
    if (asleep)
        usleep((useconds_t)(ns / 1000));
    while (clock_now() < begin + ns)
        continue;
    const int64_t between = clock_now() - begin;
    sampler_resume(&sampler);
    sampler_end(&sampler, &sample);
    const int64_t most = clock_now() - before - between;
    assert_in_range(sample.ns, 0, most);
    /* Clocks of CPU time run a little apart. */
    assert_in_range(sample.cpu_ns, 0, most + between / 100);
    assert_in_range(sample.process_ns, 0, most + between / 100);
}

TEST(test_pause)
{
    pause_for(2000000, false);
    pause_for(3000000, true);
}

/* Loops are timed at the highest clock of several, of which half of the probes tell. One
 * of many that is too high says nothing. */
TEST(test_rates_clock)
{
    double turbo[] = {3.6, 4.1, 3.7, 3.5, 4.1, 3.6, 4.1, 3.6, 4.1, 4.4}, one[] = {3.8};
    assert_near(rates_clock(turbo, ARRAY_LEN(turbo)), 4.1, 1e-12);
    assert_near(rates_clock(one, 1), 3.8, 1e-12);
}

TEST(test_cost)
{
    double resolution = 0, cost = 0;
    clock_cost(&resolution, &cost);
    assert_true(resolution >= 1);
    assert_true(cost > 1);
}

#if defined __x86_64__
static void set_modes(unsigned bits)
{
    const unsigned mxcsr = 0x1f80 | bits;
    __asm__ volatile("ldmxcsr %0" ::"m"(mxcsr));
}
static const unsigned modes[] = {0x2000, 0x4000, 0x6000, 0x8000, 0x0040};
#elif defined __aarch64__
static void set_modes(unsigned bits)
{
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)bits));
}
static const unsigned modes[] = {1u << 22, 1u << 23, 1u << 24};
#endif

TEST(test_float_state)
{
    volatile float tiny = 1e-38f;
    float_state_reset();
    assert_false(float_state_changed());
    for (size_t k = 0; k < ARRAY_LEN(modes); k++) {
        set_modes(modes[k]);
        const bool changed = float_state_changed();
        float_state_reset();
        assert_true(changed);
        assert_false(float_state_changed());
        assert_true(tiny / 16 > 0);
        assert_int_equal(fegetround(), FE_TONEAREST);
    }
    volatile float least = 1e-38f;
    float_state_flush();
    least = least / 16;
    float_state_reset();
    assert_true(least >= 0 && least <= 0);
    /* Flags that arithmetic raises are no change. */
    assert_true(float_state_subnormal() <= 0);
    tiny = tiny * tiny;
    assert_false(float_state_changed());
    assert_int_not_equal(float_state_subnormal(), 0);
}

static void expect_list(const char *text, int code, const char *word)
{
    int cpu[4];
    size_t n;
    struct error error = {.text = ""};
    const int got = cpus_parse(text, cpu, ARRAY_LEN(cpu), &n, &error);
    if (got != code || !strstr(error.text, word))
        fail_msg("\"%s\": %d, \"%s\"", text, got, error.text);
}

TEST(test_cpu_lists)
{
    static const char *const bad[] = {"",     ",",    "0,", ",0",    "-",  "0-",
                                      "-1",   "1-0",  "a",  "0 ",    " 0", "0x1",
                                      "0,,1", "0--1", "+1", "0-1-2", "0;1"};
    int allowed[CPUS_MAX], cpu[CPUS_MAX];
    char text[64];
    size_t n = 0;
    const size_t count = cpus_allowed(allowed, CPUS_MAX);
    assert_true(count >= 1);
    for (size_t k = 0; k < ARRAY_LEN(bad); k++)
        expect_list(bad[k], -EINVAL, "expected numbers and ranges");
    expect_list("1023", -ENODEV, "CPU 1023");
    expect_list("99999999999999999999", -ENODEV, "1024 or above");

    snprintf(text, sizeof text, "%d", allowed[0]);
    assert_int_equal(cpus_parse(text, cpu, CPUS_MAX, &n, NULL), 0);
    assert_int_equal(n, 1);
    assert_int_equal(cpu[0], allowed[0]);
    snprintf(text, sizeof text, "%d,%d", allowed[0], allowed[0]);
    expect_list(text, -EINVAL, "twice");
    if (count < 2 || allowed[1] != allowed[0] + 1)
        return;
    snprintf(text, sizeof text, "%d-%d", allowed[0], allowed[1]);
    assert_int_equal(cpus_parse(text, cpu, CPUS_MAX, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_int_equal(cpu[1], allowed[1]);
    assert_int_equal(cpus_parse(text, cpu, 1, &n, NULL), -EINVAL);
    snprintf(text, sizeof text, "%d,%d", allowed[1], allowed[0]);
    assert_int_equal(cpus_parse(text, cpu, CPUS_MAX, &n, NULL), 0);
    assert_int_equal(cpu[0], allowed[1]);
}

TEST(test_pin)
{
    int allowed[CPUS_MAX], now[CPUS_MAX];
    struct error error = {.text = ""};
    const int absent = CPUS_MAX - 1;
    const size_t n = cpus_allowed(allowed, CPUS_MAX);
    assert_int_equal(cpus_pin(&allowed[n - 1], 1, &error), 0);
    assert_int_equal(cpus_allowed(now, CPUS_MAX), 1);
    assert_int_equal(now[0], allowed[n - 1]);
    assert_int_equal(cpus_pin(allowed, n, &error), 0);
    assert_int_equal(cpus_allowed(now, CPUS_MAX), n);
    assert_int_equal(cpus_pin(&absent, 1, &error), -EINVAL);
    assert_non_null(strstr(error.text, "CPU 1023"));
}

struct priority_case {
    int niceness;
    size_t cpus;    /* of the parent, at most */
    rlim_t rest_us; /* limit of the time without a rest */
};

/* Zero: a child runs first if the system lets it, its own child does not, and it gives
 * that up again. */
static int child_priority(const struct priority_case *of, size_t cpus)
{
    const struct sched_param least = {.sched_priority = 1}, none = {.sched_priority = 0};
    const struct rlimit rest = {of->rest_us, of->rest_us};
    const bool able = sched_setscheduler(0, SCHED_FIFO, &least) == 0;
    sched_setscheduler(0, SCHED_OTHER, &none);
    setpriority(PRIO_PROCESS, 0, of->niceness);
    setrlimit(RLIMIT_RTTIME, &rest);
    const bool may = able && cpus > 1 && getpriority(PRIO_PROCESS, 0) <= 0 &&
                     rest.rlim_cur == RLIM_INFINITY;
    if (priority_raise() != may)
        return 1;
    if (may && (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_FIFO)
        return 2;
    const pid_t child = fork();
    if (child == 0)
        _exit(sched_getscheduler(0) == SCHED_OTHER ? 0 : 3);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status)
        return 3;
    if (priority_raise())
        return 4; /* only who is ordinary can be raised */
    priority_drop();
    return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_OTHER ? 0 : 5;
}

/* A thread that never rests must leave a CPU to the process that would end it. */
TEST(test_priority)
{
    static const struct priority_case cases[] = {{0, CPUS_MAX, RLIM_INFINITY},
                                                 {5, CPUS_MAX, RLIM_INFINITY},
                                                 {0, 1, RLIM_INFINITY},
                                                 {0, CPUS_MAX, 1000000}};
    int allowed[CPUS_MAX];
    const size_t n = cpus_allowed(allowed, CPUS_MAX);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const size_t cpus = cases[i].cpus < n ? cases[i].cpus : n;
        assert_int_equal(cpus_pin(allowed, cpus, NULL), 0);
        const pid_t child = fork();
        int status = 0;
        if (child == 0)
            _exit(child_priority(&cases[i], cpus));
        assert_true(child > 0 && waitpid(child, &status, 0) == child);
        assert_int_equal(status, 0);
    }
    assert_int_equal(cpus_pin(allowed, n, NULL), 0);
}
