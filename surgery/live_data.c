/* SPDX-License-Identifier: Apache-2.0 */
/* Values of variables as they are now. */
#include "surgery_private.h"

__attribute__((no_sanitize("address"))) uint64_t read_memory(uint64_t address, size_t n)
{
    const volatile unsigned char *const bytes =
        (const volatile unsigned char *)(uintptr_t)address;
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Exchanges a pointer of an object for what is the same wherever files were loaded.
 * False: it leads to memory of no file. */
static bool without_place(const struct objects *objects, const struct object *of,
                          uint64_t *value)
{
    const struct object *object;
    if (*value <= UINT32_MAX || !region_at(objects, *value))
        return true;
    object = object_at(objects, *value);
    return object && named_place(object, object != of, *value, value);
}

bool live_hash(const struct objects *objects, const struct object *of, uint64_t address,
               uint64_t n, uint64_t *hash)
{
    enum { BYTES_MOST = 64 << 20 };
    const uint64_t end = address + n;
    if (n > BYTES_MOST)
        return false;
    *hash ^= n;
    while (address < end) {
        const uint64_t rest = end - address;
        const size_t bytes = address % 8 || rest < 8 ? 1 : 8;
        uint64_t value = read_memory(address, bytes);
        if (bytes == 8 && !without_place(objects, of, &value))
            return false;
        *hash = hash_bytes(*hash, &value, bytes);
        address += bytes;
    }
    return true;
}

bool surgery_data(const struct surgery *surgery, uint64_t *hash)
{
    *hash = HASH_FIRST;
    for (size_t p = 0; p < surgery->n_parts; p++) {
        const struct object *const object = surgery->part[p].block->object;
        uint64_t own;
        bool again = !object;
        for (size_t i = 0; i < p; i++)
            again |= surgery->part[i].block->object == object;
        if (again)
            continue;
        if (!data_hash(&surgery->objects, object, &own))
            return false;
        *hash = hash_bytes(*hash, &own, sizeof own);
    }
    return true;
}
