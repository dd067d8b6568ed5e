/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads that can run, told by the compiler's own means: perfctr cannot tell. */
#pragma once

#include "perfctr.h"

static inline bool payload_here(const struct payload *payload)
{
#if defined __x86_64__
    if (payload->bits == 256)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (payload->bits == 512)
        return __builtin_cpu_supports("avx512f");
#endif
    return payload->bits <= 128;
}
