/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, the headers that it wants before it, and those that nearly every test needs. */
#pragma once

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

#define TEST(name) cmocka_unit_test(name)
/* The value that main() returns. */
#define RUN_TESTS_BETWEEN(setup, teardown, ...)                                      \
    cmocka_run_group_tests_name("tests", ((const struct CMUnitTest[]){__VA_ARGS__}), \
                                setup, teardown)
#define RUN_TESTS(...) RUN_TESTS_BETWEEN(NULL, NULL, __VA_ARGS__)
