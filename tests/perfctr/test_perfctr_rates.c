/* SPDX-License-Identifier: Apache-2.0 */
/* Rates and costs of this core: each within what any core of today does. */
#include "perfctr.h"
#include "unit.h"

enum { MOST = 128 };

static double value[MOST];
static bool alone[MOST];

static int measure(void **state)
{
    assert_in_range(core_rate_count(), 1, MOST);
    for (size_t i = 0; i < core_rate_count(); i++)
        value[i] = NAN;
    core_rates_measure(value, alone);
    return 0;
}

TEST(test_range)
{
    for (size_t i = 0; i < core_rate_count(); i++) {
        const bool is_cost = strncmp(core_rate_name(i), "cost_", 5) == 0;
        assert_true(is_cost || strncmp(core_rate_name(i), "rate_", 5) == 0);
        assert_false(value[i] < 0 || isinf(value[i]));
        assert_false(!is_cost && (value[i] == 0 || value[i] > 100));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(core_rate_name(i), core_rate_name(k));
    }
}

TEST(test_better_stays)
{
    double again[MOST];
    for (size_t i = 0; i < core_rate_count(); i++)
        again[i] = core_rate_name(i)[0] == 'c' ? 1e-9 : 1e9;
    core_rates_measure(again, alone);
    for (size_t i = 0; i < core_rate_count(); i++)
        assert_true(isnan(value[i]) ||
                    again[i] == (core_rate_name(i)[0] == 'c' ? 1e-9 : 1e9) ||
                    again[i] == 0);
}

/* If the program has an argument. */
static int print(void **state)
{
    for (size_t i = 0; unit_argument(1) && i < core_rate_count(); i++)
        printf("%-20s %8.3f\n", core_rate_name(i), value[i]);
    return 0;
}

TESTS_BETWEEN(measure, print)
