/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

/* For programs that bring none, as tests do. */
__attribute__((weak)) void memory_out(void)
{
    __builtin_trap();
}
