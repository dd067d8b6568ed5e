/* SPDX-License-Identifier: Apache-2.0 */
/* What the probes of the clock tell of this machine. Other programs that run decide it,
 * too: scripts/bench clock runs this, and no check does. */
#include <unistd.h>

#include "payload_here.h"
#include "unit.h"

/* Two chains of different instructions tell the same clock. The machine may be shared, so
 * the best of many pairs counts. */
TEST(test_probe)
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
TEST(test_payloads)
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
            const double ghz = payload_cycles() / chained;
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
TEST(test_core_share)
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

/* Known on the cores whose store queue is. */
TEST(test_core_split)
{
    bool alone = false;
    for (int k = 0; k < 400 && !alone; k++) {
        const int split = clock_core_split();
        if (split < 0)
            skip();
        alone = split == 0;
        if (k >= 20)
            usleep(5000); /* the machine may be shared */
    }
    assert_true(alone);
}

static double rate(const double *value, const char *name)
{
    for (size_t i = 0; i < core_rate_count(); i++)
        if (strcmp(core_rate_name(i), name) == 0)
            return value[i];
    return NAN;
}

TEST(test_rates_order)
{
    double value[128];
    bool alone[128];
    assert_in_range(core_rate_count(), 1, ARRAY_LEN(value));
    for (size_t i = 0; i < ARRAY_LEN(value); i++)
        value[i] = NAN;
    core_rates_measure(value, alone);
    if (isnan(rate(value, "rate_instructions")))
        skip();
    const double fmas = rate(value, "rate_fmas_256");
    assert_true(isnan(fmas) || rate(value, "rate_divides_256") < fmas);
    assert_true(rate(value, "cost_mispredict") > rate(value, "cost_call"));
    /* No core that we know goes to two functions and back in a cycle. */
    assert_true(rate(value, "cost_few_calls") > 0.4);
    /* The system needs hundreds of cycles to map a page. */
    assert_true(rate(value, "cost_fault") > 50);
    /* The CPU finishes all that it has begun before it answers. */
    assert_false(rate(value, "cost_cpuid") < 10);
}
