/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled for an ABI that does not exist yet; nothing behind `abi` may be looked at. */
#include "simdbench.h"

static const struct {
    uint32_t size, abi;
    uint64_t other[7];
} newer = {sizeof newer, SIMDBENCH_ABI + 1, {1, 2, 3, 4, 5, 6, 7}};

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    return (const struct simdbench_module *)(const void *)&newer;
}
