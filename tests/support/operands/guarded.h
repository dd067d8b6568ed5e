/* SPDX-License-Identifier: Apache-2.0 */
/* Memory between two pages that nobody may touch: what reads or writes beyond it dies. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

/* `size` bytes of zeros, a multiple of PAGE. */
static inline char *guarded_new(size_t size)
{
    char *memory =
        mmap(NULL, size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    if (mprotect(memory + PAGE, size, PROT_READ | PROT_WRITE) != 0)
        assert(!"mprotect");
    return memory + PAGE;
}

static inline void guarded_free(char *region, size_t size)
{
    munmap(region - PAGE, size + 2 * PAGE);
}
