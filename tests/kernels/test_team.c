/* SPDX-License-Identifier: Apache-2.0 */
/* A team of threads: parts, mistakes, an end and a new beginning. */
#include "open_team.h"

static void count_up(void *context, uint32_t index, uint32_t count)
{
    uint32_t *const seen = context;
    seen[index * 64] += count;
}

TEST(team_runs_each_part_once)
{
    uint32_t seen[8 * 64] = {0};
    for (uint32_t threads = 1; threads <= 7; threads++) {
        memset(seen, 0, sizeof seen);
        for (int turn = 0; turn < 50; turn++) {
            team_run(threads, count_up, seen);
            if (turn % 10 == 0)
                team_rest();
        }
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(seen[i * 64], i < threads ? 50 * threads : 0);
    }
    team_rest();
}

TEST(team_refuses)
{
    struct error error = {.text = ""};
    const int nowhere = 1 << 20;
    assert_int_equal(team_start(0, NULL, 0, &error), -EINVAL);
    assert_int_equal(team_start(TEAM_MAX + 1, NULL, 0, &error), -EINVAL);
    assert_int_equal(team_start(1, &nowhere, 1, &error), -EINVAL);
    assert_non_null(strstr(error.text, "1048576"));
}

TEST(team_ends_and_begins_again)
{
    struct error error;
    uint32_t seen[8 * 64] = {0};
    team_stop();
    assert_int_equal(team_start(7, NULL, 0, &error), 0);
    team_run(7, count_up, seen);
    assert_int_equal(seen[6 * 64], 7);
}
