/* SPDX-License-Identifier: Apache-2.0 */
/* Thunks for functions of tests. */
#pragma once

#include "declare.h"
#include "unit.h"

#define NAKED __attribute__((naked, noinline)) static void

static inline struct thunk *make(const struct call_signature *signature,
                                 const void *function)
{
    struct thunk *thunk = NULL;
    struct error error = {.text = ""};
    assert_int_equal(thunk_make(signature, function, &thunk, &error), 0);
    return thunk;
}
