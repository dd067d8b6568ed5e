/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of code as a text by which another process of the same files finds them. */
#pragma once

#include "reports.h"
#include "service.h"

/* Addresses of instructions in the order of their first execution. */
struct executed_code {
    uint64_t *at;
    uint64_t *times; /* executions of each; NULL: not known */
    size_t n;
};

/* "PATH\n" and "OFFSET OFFSET ...\n" in hexadecimal, for each run of them in one object.
 * False if any is neither in one nor in the thunk, as other generated code is. */
bool executed_write(run_function *run, const struct executed_code *executed,
                    struct buffer *text);
/* Allocates `at`. 0 or an errno. */
int executed_read(run_function *run, const char *text, struct executed_code *executed,
                  struct error *error);
