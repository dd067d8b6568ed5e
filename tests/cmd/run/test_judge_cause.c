/* SPDX-License-Identifier: Apache-2.0 */
/* The cause that a verdict names for a candidate that is behind. */
#include "referee/referee_private.h"
#include "unit.h"

#include <math.h>

/* The candidate has `to_best` of the best one's speed, and its best place makes it faster
 * by `share`. */
static void expect(double to_best, double share, const char *cause)
{
    struct explained_finding findings[] = {
        {.cause = (char[]){"placement"}, .text = (char[]){"a"}, .share = share},
        {.cause = (char[]){"latency-chain"}, .text = (char[]){"b"}, .share = NAN}};
    const struct explanation found = {.findings = findings,
                                      .n_findings = ARRAY_LEN(findings)};
    struct judged_time time = {.shape = (char[]){"256"},
                               .to_best = to_best,
                               .best_ci = {true, to_best - 0.01, to_best + 0.01, 0.95}};
    struct judgement judgement = {.time = &time, .n_times = 1};
    judgement_explain(&judgement, "256", &found);
    assert_string_equal(judgement.cause, cause);
    assert_string_equal(judgement.cause_shape, "256");
    assert_string_equal(judgement.cause_text, *cause == 'p' ? "a" : "b");
    assert_true(judgement.cause_share >= 0);
    FREE_EACH(judgement.cause, judgement.cause_text, judgement.cause_shape);
}

TEST(test_placement)
{
    expect(0.8, 0.3, "placement");
    expect(0.8, 0.1, "latency-chain"); /* it would be behind at its best place, too */
    expect(0.8, NAN, "latency-chain"); /* nobody measured what places do */
    expect(1.1, 0.1, "placement");     /* it is behind no function */
}

TEST(test_no_cause)
{
    const struct explanation none = {.n_findings = 0};
    struct judgement judgement = {.n_times = 0};
    judgement_explain(&judgement, "256", NULL);
    judgement_explain(&judgement, "256", &none);
    assert_null(judgement.cause);
}
