/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>

#include "perfctr_private.h"

bool page_read(const struct perf_system *system, const struct perf_event_mmap_page *page,
               uint64_t *value)
{
    /* The kernel rewrites the page when it moves the event: once in a while, not always.
     */
    enum { TRIES = 100 };
    const volatile struct perf_event_mmap_page *const now = page;
    for (int k = 0; k < TRIES; k++) {
        const uint32_t lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
        const uint32_t index = now->index;
        const unsigned width = now->pmc_width;
        if (!now->cap_user_rdpmc || index == 0 || width == 0 || width > 64)
            return false;
        const int64_t offset = now->offset;
        const uint64_t top = system->rdpmc(index - 1) << (64 - width);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (now->lock == lock) {
            *value = (uint64_t)offset + (uint64_t)((int64_t)top >> (64 - width));
            return true;
        }
    }
    return false;
}
