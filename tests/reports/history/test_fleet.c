/* SPDX-License-Identifier: Apache-2.0 */
/* Accused hosts of random fleets of a fixed seed. */
#include "effort.h"
#include "fleet/fleet.h"
#include "sample_run.h"
#include "unit.h"

enum { FLEETS = 3000, CASES = 4 };
#define SPREAD 0.05 /* of hosts, far above FLEET_LEAST in the tails */

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005 + 1442695040888963407;
    return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    const double radius = sqrt(-2 * log(uniform(seed)));
    return radius * cos(2 * acos(-1) * uniform(seed));
}

static void add_run(struct fleet *fleet, size_t host, const char *fingerprint,
                    const double *ns)
{
    struct run *const run = run_new();
    char text[32];

    snprintf(text, sizeof text, "n%zu", host);
    need(run);
    string_set(&run->fingerprint, fingerprint);
    facts_text(&run->host, "node", text);
    snprintf(text, sizeof text, "%zu", fleet->runs);
    string_set(&run->seed, text);
    facts_text(&run->host, "kernel", host == 2 ? "6.2" : "6.1");
    for (size_t i = 0; i < CASES; i++) {
        struct result *const result = run_add_result(run);
        snprintf(text, sizeof text, "gemm/f32/avx2/v@%zu", i);
        need(result);
        string_set(&result->id, text);
        result->status = STATUS_OK;
        result->summary.median_ns = ns[i];
    }
    const char *twin = NULL;
    need(!fleet_add(fleet, run, "file", &twin));
    /* The same run counts once. */
    need(fleet_add(fleet, run, "another name", &twin) == -EEXIST &&
         !strcmp(twin, "file"));
    run_free(run);
}

/* The number of accusations of a fleet in which host 3 takes `slow` times as long. */
static size_t accused(size_t hosts, double slow, uint64_t *seed, size_t *rightly)
{
    struct fleet fleet = {.n_hosts = 0};
    size_t n = 0;

    for (size_t host = 0; host < hosts; host++) {
        double ns[CASES];
        for (size_t i = 0; i < CASES; i++)
            ns[i] = 1000 * exp(SPREAD * normal(seed)) * (host == 3 ? slow : 1);
        add_run(&fleet, host, "a", ns);
    }
    fleet_judge(&fleet);
    *rightly = 0;
    FOR_EACH (const struct fleet_case, one, fleet.cases, fleet.n_cases)
        FOR_EACH (const struct fleet_point, point, one->points, one->n) {
            n += point->verdict != FLEET_ALIKE;
            *rightly += point->verdict == FLEET_SLOW && point->host == 3;
        }
    fleet_free(&fleet);
    return n;
}

TEST(test_false_alarms)
{
    static const size_t hosts[] = {6, 8, 16, 40};
    const size_t fleets = effort_of(FLEETS);
    uint64_t seed = 17;

    for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
        size_t alarms = 0, rightly;
        for (size_t fleet = 0; fleet < fleets; fleet++)
            alarms += accused(hosts[i], 1, &seed, &rightly) > 0;
        print_message("%zu hosts: %zu of %zu fleets of equal hosts accuse one\n",
                      hosts[i], alarms, fleets);
        /* The stated rate, with what so many fleets leave open. */
        const double expected = FLEET_ALARM * (double)fleets, open = 2.7 * sqrt(expected);
        assert_true((double)alarms <= expected + open);
        assert_true((double)alarms >= expected - 1.5 * open);
    }
}

TEST(test_slow_host_is_found)
{
    uint64_t seed = 18;

    for (size_t fleet = 0; fleet < effort_of(200); fleet++) {
        size_t rightly;
        accused(40, 2, &seed, &rightly);
        assert_int_equal(rightly, CASES);
    }
}

/* Hosts of another fingerprint are a kind of their own; the median over the runs of a
 * host forgives one that was disturbed. */
TEST(test_kinds_and_runs)
{
    struct fleet fleet = {.n_hosts = 0};

    for (size_t run = 0; run < 3; run++)
        for (size_t host = 0; host < 7; host++) {
            const double time = host == 6           ? 5000
                                : host == 1 && !run ? 3000
                                : host == 4         ? 2000
                                                    : 1000 + (double)host;
            add_run(&fleet, host, host == 6 ? "b" : "a",
                    (const double[CASES]){time, time, time, time});
        }
    fleet_judge(&fleet);
    assert_int_equal(fleet.n_hosts, 7);
    assert_int_equal(fleet.runs, 21);
    assert_int_equal(fleet.n_cases, 2 * CASES);
    FOR_EACH (const struct fleet_case, one, fleet.cases, fleet.n_cases) {
        const bool other = text_same(one->fingerprint, "b");
        assert_int_equal(one->judged, !other);
        assert_true(one->max_ns <= 2000.001 || other);
        FOR_EACH (const struct fleet_point, point, one->points, one->n) {
            assert_int_equal(point->n, 3);
            assert_int_equal(point->verdict, point->host == 4 ? FLEET_SLOW : FLEET_ALIKE);
        }
    }
    struct answer answer = fleet_answer(&fleet);
    assert_int_equal(answer.n, 2);
    assert_string_equal(answer.line[0],
                        "7 hosts, 21 runs: 1 does otherwise than its kind");
    assert_string_equal(answer.line[1],
                        "n4 is slow: 99.5% more time in gemm/f32/avx2/v@0, and "
                        "in 3 more cases");
    answer_free(&answer);
    fleet_free(&fleet);
}

TEST(test_limit)
{
    /* Student's distribution: t(0.025) of 1, 2 and 4 degrees of freedom. */
    assert_true(fabs(fleet_limit(2, 0.05) - 12.7062) < 1e-3);
    assert_true(fabs(fleet_limit(4, 0.05) - 4.30265) < 1e-4);
    assert_true(fabs(fleet_limit(8, 0.05) - 2.77645) < 1e-4);
}
