/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the second-level TLB for data, which no file of the system tells. */
#include "perfctr_private.h"

#if defined __x86_64__
#include <cpuid.h>
#endif

/* ---- AMD: a leaf of caches, with 12 bits for pages of 4 KiB ---- */

static int entries_amd(cpuid_reader *read)
{
    uint32_t r[4];
    return read(0x80000006, 0, r) ? (int)(r[1] >> 16 & 0xfff) : 0;
}

/* ---- Intel: a table of translation caches, and before it a list of bytes ---- */

static int entries_table(cpuid_reader *read)
{
    enum { DATA = 1, SHARED = 3, PAGES_4K = 1 };
    uint32_t r[4];
    if (!read(0x18, 0, r))
        return 0;
    for (uint32_t k = 0, last = r[0]; k <= last && read(0x18, k, r); k++) {
        const uint32_t type = r[3] & 31, level = r[3] >> 5 & 7;
        if ((type == DATA || type == SHARED) && level == 2 && r[1] & PAGES_4K)
            return (int)((r[1] >> 16) * r[2]);
    }
    return 0;
}

static int entries_list(cpuid_reader *read)
{
    static const struct {
        uint8_t byte;
        int entries;
    } known[] = {{0xc1, 1024}, {0xc3, 1536}, {0xca, 512}};
    uint32_t r[4];
    if (!read(2, 0, r))
        return 0;
    r[0] &= ~UINT32_C(0xff); /* a count */
    for (unsigned i = 0; i < 16; i++)
        for (size_t k = 0; k < ARRAY_LEN(known); k++)
            if (!(r[i / 4] >> 31) && (r[i / 4] >> i % 4 * 8 & 0xff) == known[k].byte)
                return known[k].entries;
    return 0;
}

int host_tlb_entries(cpuid_reader *read)
{
    return entries_amd(read) ?: entries_table(read) ?: entries_list(read);
}

bool host_cpuid(uint32_t leaf, uint32_t k, uint32_t r[4])
{
#if defined __x86_64__
    return __get_cpuid_count(leaf, k, &r[0], &r[1], &r[2], &r[3]);
#else
    (void)leaf, (void)k, (void)r;
    return false;
#endif
}
