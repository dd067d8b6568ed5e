/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that a test builds with the compilers of this machine. */
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include "unit.h"

static char built_folder[] = "/tmp/simdbench-built-XXXXXX";

/* NULL: there is no such compiler. */
static inline void *build_operated(const char *compiler, const char *flags)
{
    static unsigned number;
    char path[64], command[1024];
    if (!number && !mkdtemp(built_folder))
        fail_msg("no folder in /tmp");
    snprintf(path, sizeof path, "%s/%u.so", built_folder, number++);
    snprintf(command, sizeof command,
             "command -v %s >/dev/null && %s -O2 -fPIC -shared -fexceptions %s -o %s "
             "%s/tests/surgery/operated.c",
             compiler, compiler, flags, path, getenv("SOURCE_ROOT"));
    if (system(command) != 0)
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

/* The files stay while they are loaded: symbols are read from them. */
static inline int forget_built(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", built_folder);
    return system(command);
}
