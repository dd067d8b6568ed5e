/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of an object by address: a program has tens of thousands. */
#include "sections.h"

#include "numbers.h"

#include <stdlib.h>

struct entry {
    struct symbol symbol;
    uint64_t reach; /* the highest end up to this one */
    size_t number;  /* in the order of the file */
};
struct symbols {
    struct entry *entry;
    size_t n;
};

void symbols_free(struct symbols *symbols)
{
    if (symbols)
        free(symbols->entry);
    free(symbols);
}

static int by_place(const void *a, const void *b)
{
    const struct entry *const x = a, *const y = b;
    return by_u64(a, b) ?: (x->number > y->number) - (x->number < y->number);
}

static bool add_table(struct symbols *symbols, const struct object *object,
                      const ElfW(Shdr) * table)
{
    size_t n;
    const ElfW(Sym) *const symbol = symbols_in(object, table, &n);
    for (size_t i = 0; i < n; i++) {
        const unsigned type = ELF64_ST_TYPE(symbol[i].st_info);
        const uint64_t lo = object->bias + symbol[i].st_value;
        if ((type != STT_FUNC && type != STT_OBJECT) || symbol[i].st_shndx == SHN_UNDEF ||
            !symbol[i].st_size)
            continue;
        if (!array_room(&symbols->entry, symbols->n, sizeof *symbols->entry))
            return false;
        symbols->entry[symbols->n] = (struct entry){
            .symbol = {.lo = lo,
                       .hi = lo + symbol[i].st_size,
                       .name = text_of(object, table->sh_link, symbol[i].st_name),
                       .code = type == STT_FUNC},
            .number = symbols->n,
        };
        symbols->n++;
    }
    return true;
}

/* NULL: out of memory. */
static struct symbols *read_symbols(const struct object *object)
{
    struct symbols *const symbols = calloc(1, sizeof *symbols);
    const ElfW(Shdr) * table;
    bool complete = symbols;
    for (size_t i = 0; complete && (table = section(object, i)); i++)
        complete = add_table(symbols, object, table);
    if (!complete) {
        symbols_free(symbols);
        return NULL;
    }
    if (symbols->n)
        qsort(symbols->entry, symbols->n, sizeof *symbols->entry, by_place);
    uint64_t reach = 0;
    FOR_EACH (struct entry, entry, symbols->entry, symbols->n) {
        reach = entry->symbol.hi > reach ? entry->symbol.hi : reach;
        entry->reach = reach;
    }
    return symbols;
}

bool symbol_at(const struct object *object, uint64_t address, struct symbol *symbol)
{
    struct symbols **const known = (struct symbols **)(uintptr_t)&object->symbols;
    const struct symbols *const all = *known = *known ?: read_symbols(object);
    size_t i = all ? count_below(all->entry, all->n, sizeof *all->entry, address + 1) : 0;
    *symbol = (struct symbol){.lo = 0};
    while (i && all->entry[i - 1].reach > address)
        if (all->entry[--i].symbol.hi > address) {
            *symbol = all->entry[i].symbol;
            return true;
        }
    return false;
}
