/* SPDX-License-Identifier: Apache-2.0 */
/* main() of all programs that define tests by TEST(). */
#include "unit.h"

enum { TESTS_MAX = 100, SKIPPED = 77 };
static struct CMUnitTest tests[TESTS_MAX];
static size_t n_tests;
static int argument_count;
static char **arguments;
CMFixtureFunction unit_setup, unit_teardown;
bool (*unit_skip)(void);

void unit_add(struct CMUnitTest test)
{
    if (n_tests == TESTS_MAX)
        abort();
    tests[n_tests++] = test;
}

const char *unit_argument(int i)
{
    return i < argument_count ? arguments[i] : NULL;
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    if (unit_skip && unit_skip())
        return SKIPPED;
    if (!n_tests)
        abort();
    return cmocka_run_group_tests_name("tests", tests, unit_setup, unit_teardown);
}
