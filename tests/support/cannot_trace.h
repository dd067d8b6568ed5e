/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "inspect.h"
#include "unit.h"

/* True, and a line tells why, where no process can trace another one. */
static inline bool cannot_trace(void)
{
    struct error error = {.text = "valgrind runs the program, not the CPU"};
    const char *const preload = getenv("LD_PRELOAD");
    const bool valgrind = preload && strstr(preload, "vgpreload");
    if (!valgrind && inspect_available(NULL, &error) == 0)
        return false;
    print_message("skipped, nothing can be traced here: %s\n", error.text);
    return true;
}
