/* SPDX-License-Identifier: Apache-2.0 */
/* Functions `prepare` that accept multiples alone, for the file with a module's table. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "simdbench.h"

/* Each dimension is a multiple of a number, or of the last one. */
static int multiples(const struct simdbench_operands *operands, const int64_t of[],
                     size_t count, char *error, size_t error_size)
{
    for (uint32_t d = 0; d < operands->shape->rank; d++) {
        const int64_t n = operands->shape->dim[d], unit = of[d < count ? d : count - 1];
        if (n == 0 || n % unit) {
            snprintf(error, error_size, "only multiples of %lld", (long long)unit);
            return -ENOTSUP;
        }
    }
    return 0;
}

#define PREPARE(name)                                                        \
    static int name(const struct simdbench_operands *operands, void **state, \
                    char *error, size_t error_size)

#define MULTIPLES(name, ...)                                                       \
    PREPARE(name)                                                                  \
    {                                                                              \
        const int64_t of[] = {__VA_ARGS__};                                        \
        return multiples(operands, of, sizeof of / sizeof *of, error, error_size); \
    }
