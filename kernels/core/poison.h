/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of an output before a kernel writes it: quiet NaNs with a payload.
 */
#pragma once

#define POISON_32 UINT32_C(0x7fd5a5c3)
#define POISON_64 UINT64_C(0x7ffd5a3cc5a3965a)
