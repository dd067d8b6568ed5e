/* SPDX-License-Identifier: Apache-2.0 */
/* How programs of scripts/bench harness differ: EXTRA percent more work, PAD bytes before
 * the code, and TEXT, data that no case reads. */
#pragma once

#ifndef EXTRA
#define EXTRA 0
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef TEXT
#define TEXT "text"
#endif
#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

__asm__(".text\n.fill " STRING(PAD) ", 1, 0x90\n");
