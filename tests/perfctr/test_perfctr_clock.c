/* SPDX-License-Identifier: Apache-2.0 */
/* The clock probe, the arithmetic environment and CPU lists. */
#include <fenv.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "payload_here.h"
#include "perfctr_private.h"
#include "unit.h"

/* Two chains of different instructions tell the same clock. The machine may be shared, so
 * the best of many pairs counts. */
static void test_probe(void **state)
{
    double best = INFINITY;
    for (int k = 0; k < 20; k++) {
        const double add = clock_ghz(20000), imul = clock_ghz_imul(20000);
        assert_true(add > 0.1 && add < 20);
        if (fabs(add / imul - 1) < best)
            best = fabs(add / imul - 1);
    }
    if (best > 0.05)
        fail_msg("the chains differ by %.1f%% at best", best * 100);
}

static double ns_per_turn(payload_function *run, const struct payload_data *data)
{
    enum { TURNS = 1000 };
    double best = INFINITY;
    for (int k = 0; k < 5; k++) {
        const int64_t begin = clock_now();
        run(TURNS, data);
        best = fmin(best, (double)(clock_now() - begin) / TURNS);
    }
    return best;
}

/* Work around the chain does not lengthen it: narrow payloads tell the clock of the
 * chain alone, and wide ones leave the work less time than the chain takes. */
static void test_payloads(void **state)
{
    struct payload_data data;
    double best[PAYLOADS_MAX], share[PAYLOADS_MAX];
    payload_fill(&data, 1);
    /* An emulator does the work after the chain, not beside it. */
    if (ns_per_turn(payload_get(0)->chained[1], &data) >
        1.2 * ns_per_turn(payload_get(0)->chained[0], &data))
        skip();
    for (size_t i = 0; i < payload_count(); i++) {
        const struct payload *const payload = payload_get(i);
        best[i] = share[i] = INFINITY;
        for (int k = 0; k < 20 && payload_here(payload); k++) {
            const double chained = ns_per_turn(payload->chained[0], &data);
            const double ghz = PAYLOAD_CYCLES / chained;
            best[i] = fmin(best[i], fabs(ghz / clock_ghz(20000) - 1));
            share[i] = fmin(share[i], ns_per_turn(payload->bare[0], &data) / chained);
        }
        if (payload_here(payload) && payload->bits <= 128 && best[i] > 0.03)
            fail_msg("%s: %.1f%% from the clock", payload->name, 100 * best[i]);
        if (payload_here(payload) && share[i] > 0.9)
            fail_msg("%s: work takes %.2f of the chain", payload->name, share[i]);
    }
}

/* Every core that simdbench knows starts two adds in a cycle, none of them more than the
 * four that the chains allow; one try is undisturbed. */
static void test_core_share(void **state)
{
    bool found = false;
    for (int k = 0; k < 400 && !found; k++) {
        const double share = clock_core_share();
        assert_true(share >= 0 && share <= 4);
        found = share > 1.5;
        if (k >= 20)
            usleep(5000); /* the machine may be shared */
    }
    assert_true(found);
}

/* Known on the cores whose store queue is; a machine may be shared all the time. */
static void test_core_split(void **state)
{
    const bool known = !strncmp(uarch_host()->name, "zen", 3);
    for (int k = 0; k < 20; k++) {
        const int split = clock_core_split();
        assert_true(known ? split == 0 || split == 1 : split >= -1 && split <= 1);
    }
}

/* What comes between takes no time of the sample: wall time, or CPU time. */
static void test_pause(void **state)
{
    struct sampler sampler = {.counters = NULL};
    struct sample sample;
    bool found = false;
    for (int k = 0; k < 50 && !found; k++) {
        const int64_t before = clock_now();
        sampler_begin(&sampler);
        sampler_pause(&sampler);
        while (clock_now() < before + 2000000)
            continue;
        sampler_resume(&sampler);
        sampler_end(&sampler, &sample);
        found = sample.ns >= 0 && sample.ns < 200000 && sample.cpu_ns < 500000 &&
                sample.process_ns < 500000;
    }
    assert_true(found);
    /* Asleep. */
    sampler_begin(&sampler);
    sampler_pause(&sampler);
    usleep(3000);
    sampler_resume(&sampler);
    sampler_end(&sampler, &sample);
    assert_int_equal(sample.cpu_ns, 0);
}

static void test_cost(void **state)
{
    double resolution = 0, cost = 0;
    clock_cost(&resolution, &cost);
    assert_true(resolution >= 1 && resolution < 1e8);
    assert_true(cost > 1 && cost < 1e5);
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

static void test_float_state(void **state)
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
    tiny = tiny * tiny;
    assert_false(float_state_changed());
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

static void test_cpu_lists(void **state)
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

static void test_pin(void **state)
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

int main(void)
{
    return RUN_TESTS(TEST(test_probe), TEST(test_payloads), TEST(test_core_share),
                     TEST(test_core_split), TEST(test_pause), TEST(test_cost),
                     TEST(test_float_state), TEST(test_cpu_lists), TEST(test_pin));
}
