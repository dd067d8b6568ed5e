/* SPDX-License-Identifier: Apache-2.0 */
/* Dies while it is loaded, before anybody can ask it anything. */
#include "twice.h"

__attribute__((constructor)) static void crash(void)
{
    abort();
}

MODULE("crash_load", twice_run)
