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

/* Begins the definition of a test: TEST(no_shapes) { ... }. The tests of a file run in
 * their order there. */
#define TEST(name) TEST_BETWEEN(name, NULL, NULL)
/* The same with functions that run before and after it; or NULL. */
#define TEST_BETWEEN(name, setup, teardown)                                \
    static void name(void **state);                                        \
    __attribute__((constructor)) static void unit_add_##name(void)         \
    {                                                                      \
        unit_add((struct CMUnitTest){#name, name, setup, teardown, NULL}); \
    }                                                                      \
    static void name(void **state)
/* Functions before the first test of the program and after the last; or NULL. */
#define TESTS_BETWEEN(setup, teardown)                            \
    __attribute__((constructor)) static void unit_add_setup(void) \
    {                                                             \
        unit_setup = setup;                                       \
        unit_teardown = teardown;                                 \
    }
/* No test runs if that function returns true: the program was skipped. */
#define TESTS_SKIPPED_IF(function)                               \
    __attribute__((constructor)) static void unit_add_skip(void) \
    {                                                            \
        unit_skip = function;                                    \
    }

void unit_add(struct CMUnitTest test);
extern CMFixtureFunction unit_setup, unit_teardown;
extern bool (*unit_skip)(void);
/* Argument `i` of the program; NULL: there are less. */
const char *unit_argument(int i);
