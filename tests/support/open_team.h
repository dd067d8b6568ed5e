/* SPDX-License-Identifier: Apache-2.0 */
/* A team of seven threads before the first test, none after the last. */
#pragma once

#include "team.h"
#include "unit.h"

static inline int open_team(void **state)
{
    struct error error;
    return team_start(7, NULL, 0, &error);
}

static inline int close_team(void **state)
{
    team_stop();
    return 0;
}

TESTS_BETWEEN(open_team, close_team)
