/* SPDX-License-Identifier: Apache-2.0 */
/* A function that is judged does not read in its process that simdbench calls it: a
 * candidate that is right only there is no use to anybody. */
#include "confine.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "perfctr.h"

/* Variables of this program; and that by which a shell tells its path. */
static bool names_us(const char *variable)
{
    return !strncmp(variable, "SIMDBENCH_", 10) || !strncmp(variable, "_=", 2);
}

/* The words of the command line lie where /proc/self/stat says. */
static void wipe_arguments(void)
{
    enum { BEFORE = 45 }; /* fields between the state and them */
    char line[2048] = "";
    uintptr_t begin = 0, end = 0;
    file_read("/proc", "/self/stat", line, sizeof line);
    const char *at = strrchr(line, ')');
    at = at ? at + 2 : NULL;
    for (int i = 0; at && i < BEFORE; i++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    if (at && sscanf(at, "%" SCNuPTR " %" SCNuPTR, &begin, &end) == 2 && begin < end)
        memset((void *)begin, 0, end - begin);
}

/* They are overwritten, as /proc/self/environ shows the memory that they were in. */
void hide_names(void)
{
    char **to = environ;
    clock_script_keep();
    for (char **from = environ; from && *from; from++)
        if (names_us(*from))
            memset(*from, 0, strlen(*from));
        else
            *to++ = *from;
    if (to)
        *to = NULL;
    wipe_arguments();
}
