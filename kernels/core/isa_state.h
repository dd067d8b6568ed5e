/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers of CPU and operating system about instruction sets, apart from the
 * conclusions: so any machine can test the conclusions for every other one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_state {
    uint32_t leaf1_ecx, leaf1_edx;
    uint32_t leaf7_ebx, leaf7_ecx, leaf7_edx;
    uint32_t leaf7_1_eax, leaf7_1_edx; /* subleaf 1 */
    uint32_t extended1_ecx;            /* leaf 0x80000001 */
    uint64_t saved; /* x86: XCR0, 0 if the operating system has not set OSXSAVE; ARM:
                       bytes of a vector of SVE, 0 without */
    uint32_t hwcap, hwcap2; /* ARM: what Linux tells each process */
};

/* As isa_available(), for any machine. */
bool isa_state_has(const struct isa_state *state, size_t index, char *reason,
                   size_t reason_size);
/* As isa_runs(). */
bool isa_state_runs(const struct isa_state *state, const char *isa, char *reason,
                    size_t reason_size);
