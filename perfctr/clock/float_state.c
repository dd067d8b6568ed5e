/* SPDX-License-Identifier: Apache-2.0 */
#include "perfctr_private.h"

#if defined __x86_64__

/* All exceptions masked, round to nearest, denormals kept. */
static const uint32_t mxcsr_default = 0x1f80;
/* Rounding control, flush to zero, denormals are zero. */
static const uint32_t mxcsr_modes = 0x6000 | 0x8000 | 0x0040;
/* Flags that stay until they are cleared: a subnormal operand; a result that was rounded
 * to a subnormal number, or to zero. */
static const uint32_t mxcsr_subnormal = 0x0002 | 0x0010;

void float_state_reset(void)
{
    __asm__ volatile("ldmxcsr %0" ::"m"(mxcsr_default));
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                               "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
                               "xmm14", "xmm15");
}

static uint32_t read_mxcsr(void)
{
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    return mxcsr;
}

bool float_state_changed(void)
{
    return (read_mxcsr() & mxcsr_modes) != 0;
}

int float_state_subnormal(void)
{
    return (read_mxcsr() & mxcsr_subnormal) != 0;
}

void float_state_flush(void)
{
    const uint32_t flush = mxcsr_default | 0x8000 | 0x0040;
    __asm__ volatile("ldmxcsr %0" ::"m"(flush));
}

#elif defined __aarch64__

/* Alternative half, default NaN, flush to zero, rounding mode, flush halves to zero. */
static const uint64_t fpcr_modes = 0x07c80000;

void float_state_reset(void)
{
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0));
}

bool float_state_changed(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return (fpcr & fpcr_modes) != 0;
}

/* Inputs raise a flag only where they are flushed. */
int float_state_subnormal(void)
{
    return -1;
}

void float_state_flush(void)
{
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)1 << 24));
}

#endif
