/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves and workers return -ENOMEM; the parent has nothing better to do than to end. The
 * files of a run hold what was saved of it. */
#include <stdlib.h>

#include "process/process.h"

static _Noreturn void end(void)
{
    complain("out of memory");
    exit(EXIT_USAGE);
}

void *must_have(void *pointer)
{
    if (!pointer)
        end();
    return pointer;
}

void must(int status)
{
    if (status < 0)
        end();
}
