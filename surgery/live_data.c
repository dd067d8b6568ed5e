/* SPDX-License-Identifier: Apache-2.0 */
/* Values of variables as they are now. */
#include "surgery_private.h"

#include <string.h>

/* Variables may lie beside bytes that a sanitizer guards. */
__attribute__((no_sanitize("address"))) static uint64_t read_bytes(uint64_t address,
                                                                   size_t n)
{
    const volatile unsigned char *const bytes =
        (const volatile unsigned char *)(uintptr_t)address;
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Exchanges a pointer for what is the same wherever files were loaded: the name of a
 * function, or a place in a section of data. False: it leads to memory of no file. */
static bool without_place(const struct objects *objects, uint64_t *value)
{
    const struct region *const region =
        *value > UINT32_MAX ? region_at(objects, *value) : NULL;
    const struct object *const object = region ? object_at(objects, *value) : NULL;
    struct symbol symbol;
    if (!region)
        return true;
    if (!object)
        return false;
    if (!region->executable)
        return data_place(object, *value, value);
    const bool known = symbol_at(object, *value, &symbol);
    *value = known ? hash_bytes(HASH_FIRST ^ (*value - symbol.lo),
                                (const unsigned char *)symbol.name, strlen(symbol.name))
                   : 0;
    return true;
}

bool live_hash(const struct objects *objects, uint64_t address, uint64_t n,
               uint64_t *hash)
{
    const uint64_t end = address + n;
    *hash ^= n;
    while (address < end) {
        const uint64_t rest = end - address;
        const size_t bytes = address % 8 || rest < 8 ? 1 : 8;
        uint64_t value = read_bytes(address, bytes);
        if (bytes == 8 && !without_place(objects, &value))
            return false;
        *hash = hash_bytes(*hash, (const unsigned char *)&value, bytes);
        address += bytes;
    }
    return true;
}
