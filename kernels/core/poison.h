/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of an output before a kernel writes it: quiet NaNs with a payload, which
 * have no meaning to integers; single bytes and blocks differ from one to the next.
 */
#pragma once

#define POISON_8(i) ((uint8_t)(0xc3 ^ (i) * 29))
#define POISON_16 UINT16_C(0x7fd5) /* a NaN of f16 and of bf16 */

#define POISON_32 UINT32_C(0x7fd5a5c3)
#define POISON_64 UINT64_C(0x7ffd5a3cc5a3965a)
