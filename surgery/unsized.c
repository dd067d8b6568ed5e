/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of which the file has the beginning alone. */
#include "sections.h"

bool unsized_at(const struct object *object, uint64_t address, uint64_t *lo, uint64_t *hi)
{
    const ElfW(Shdr) * table;
    bool sized = true;
    if (!section_at(object, address, lo, hi))
        return false;
    for (size_t s = 0; (table = section(object, s)); s++) {
        size_t n;
        const ElfW(Sym) *const symbol = symbols_in(object, table, &n);
        for (size_t i = 0; i < n; i++) {
            const uint64_t at = object->bias + symbol[i].st_value;
            if (ELF64_ST_TYPE(symbol[i].st_info) != STT_FUNC || at < *lo || at >= *hi)
                continue;
            if (at > address) {
                *hi = at;
            } else {
                *lo = at;
                sized = symbol[i].st_size > 0;
            }
        }
    }
    return !sized;
}
