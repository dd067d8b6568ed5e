/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and their order tell what accesses to memory cost beyond themselves. */
#include "inspect_private.h"

enum { LINE = 64, TABLE = 256, PAGE = 4096, RED_ZONE = 128, SCALAR = 8 };

/* Does a load of these bytes find them in a store that is still in flight, younger ones
 * first? One that has some of them and not all holds it up. */
static void look_at_stores(const struct memory *memory, uint64_t address, uint32_t bytes,
                           bool slot, struct access_counts *counts)
{
    const uint64_t n =
        memory->n_stores < STORES_IN_FLIGHT ? memory->n_stores : STORES_IN_FLIGHT;
    bool alias = false;
    for (uint64_t i = 1; i <= n; i++) {
        const struct store *store =
            &memory->store[(memory->n_stores - i) % STORES_IN_FLIGHT];
        if (memory->now - store->at > FLIGHT_INSTRUCTIONS)
            break;
        if (store->address < address + bytes && address < store->address + store->bytes) {
            counts->failed_forwards += store->address > address ||
                                       store->address + store->bytes < address + bytes;
            counts->forwards += !slot;
            counts->masked_forwards += store->masked;
            counts->taken_apart += bytes <= SCALAR && store->bytes > SCALAR;
            break;
        }
        const uint64_t apart = (address - store->address) % PAGE;
        alias |= apart < store->bytes || PAGE - apart < bytes;
    }
    counts->aliases += alias;
}

/* A line that is not in its set takes the place of another. It is crowded if that one was
 * used so lately that the other sets had room for more lines; lines that come and go
 * evenly, or at random, take places of older ones. */
static void look_at_set(struct memory *memory, uint64_t line,
                        struct access_counts *counts)
{
    enum { LATELY = SETS * WAYS / 2 };
    struct set *const set = &memory->set[line % SETS];
    unsigned i = 0;
    while (i < WAYS - 1 && set->line[i] != line)
        i++;
    if (set->line[i] != line)
        counts->crowded += set->line[i] && memory->moves - set->used[i] <= LATELY;
    memory->moves += i > 0; /* older lines that are used again fill the cache, too */
    memmove(&set->line[1], set->line, i * sizeof *set->line);
    memmove(&set->used[1], set->used, i * sizeof *set->used);
    set->line[0] = line;
    set->used[0] = memory->moves;
}

/* Some cores read three places in a cycle, but the same bytes of lines in no more than
 * two of them. What is beyond two in three then waits. */
static void look_at_banks(struct memory *memory, uint64_t address, uint32_t bytes,
                          struct access_counts *counts)
{
    unsigned most = 0;
    for (uint64_t i = address / BANK_BYTES; i <= (address + bytes - 1) / BANK_BYTES; i++)
        memory->bank[i % BANKS]++;
    if (++memory->n_loads < LOADS_MIXED)
        return;
    for (unsigned i = 0; i < BANKS; i++)
        most = memory->bank[i] > most ? memory->bank[i] : most;
    counts->banked += most > LOADS_MIXED / 3 * 2 ? most - LOADS_MIXED / 3 * 2 : 0;
    memset(memory->bank, 0, sizeof memory->bank);
    memory->n_loads = 0;
}

/* It goes on by another step than before, and its places lie no more near each other, or,
 * of stores, near its last one. Near is a line; of loads, which may be of a table, what
 * permutes could hold. */
static void look_at_step(struct node *node, unsigned number, uint64_t address)
{
    struct trail *const trail = &node->trail[number];
    const bool write = node->code.access[number].write;
    const int64_t step = (int64_t)(address - trail->last);
    const bool other = trail->step != NO_STEP && step != trail->step;
    if (!trail->last) {
        *trail = (struct trail){address, NO_STEP, address, address};
        return;
    }
    trail->low = address < trail->low ? address : trail->low;
    trail->high = address > trail->high ? address : trail->high;
    trail->last = address;
    trail->step = step;
    node->counts.wild += other && trail->high - trail->low > (write ? LINE : TABLE);
    node->counts.wild_stores += other && write && llabs(step) > LINE;
}

bool access_is_counted(const struct code *code, const struct access *access)
{
    const bool of_call = access->hidden && (code->is_call || code->flow == FLOW_RETURN);
    return (access->read || access->write) && !of_call;
}

static void look_at_beginning(struct beginning *beginning, uint64_t address)
{
    if (!beginning->any)
        *beginning = (struct beginning){.first = address % LINE, .any = true};
    beginning->varies |= (uint8_t)(address % LINE ^ beginning->first);
}

static void add_to_span(struct span *span, uint64_t address, uint32_t bytes)
{
    span->lo = span->bytes && span->lo < address ? span->lo : address;
    span->hi = span->hi > address ? span->hi : address;
    span->bytes = span->bytes > bytes ? span->bytes : bytes;
}

bool access_is_slot(const struct access *access)
{
    return access->index == NO_GPR &&
           (access->base == GPR_RSP || (access->base == GPR_RBP && !access->elsewhere));
}

static void look_at_stack(struct memory *memory, struct nodes *nodes, struct node *node,
                          const struct access *access, uint64_t address)
{
    struct slot *slot = &memory->slot[address / 4 % SLOTS];
    if (access->write) {
        *slot = (struct slot){.address = address,
                              .number = memory->n_stores,
                              .node = (uint32_t)(node - nodes->node),
                              .vector = node->code.vector};
        return;
    }
    if (!node->code.vector)
        return;
    const bool stored = slot->number && slot->address == address && slot->vector;
    if (!stored || slot->number == node->loaded_store) {
        node->counts.constants++;
        return;
    }
    node->counts.reloads++;
    node->loaded_store = slot->number;
    nodes->node[slot->node].counts.spills += !slot->loaded;
    slot->loaded = true;
}

/* True if no access was on this page lately: unrolled loops go through a page with
 * several instructions. */
static bool is_new_page(struct memory *memory, uint64_t page)
{
    for (unsigned i = 0; i < PAGES_RECENT; i++)
        if (memory->page[i] == page)
            return false;
    memory->page[memory->n_pages++ % PAGES_RECENT] = page;
    return true;
}

void memory_access(struct memory *memory, struct nodes *nodes, struct node *node,
                   unsigned number, uint64_t address)
{
    struct access *access = &node->code.access[number];
    struct access_counts *counts = &node->counts;
    const uint32_t bytes = access->bytes;
    const bool elsewhere =
        address >= memory->stack_top || address + RED_ZONE < memory->rsp;
    const uint64_t page = address / PAGE;
    access->elsewhere |= elsewhere;
    counts->addressed++;
    counts->line_splits += address % LINE + bytes > LINE;
    counts->split_stores += access->write && address % LINE + bytes > LINE;
    counts->page_splits += address % PAGE + bytes > PAGE;
    if (node->last_page[number] != page)
        counts->page_changes += is_new_page(memory, page) && node->last_page[number];
    node->last_page[number] = page;
    look_at_set(memory, address / LINE, counts);
    if (access->read) {
        look_at_stores(memory, address, bytes, access_is_slot(access), counts);
        look_at_banks(memory, address, bytes, counts);
    }
    look_at_step(node, number, address);
    look_at_beginning(&node->beginning[number], address);
    if (access->write)
        memory->store[memory->n_stores++ % STORES_IN_FLIGHT] =
            (struct store){.address = address,
                           .at = memory->now,
                           .bytes = bytes,
                           .masked = access->masked};
    if (access->read)
        add_to_span(&node->loads, address, bytes);
    if (access->write)
        add_to_span(&node->stores, address, bytes);
    if (access->hidden || elsewhere)
        return;
    counts->stack += !node->code.vector;
    if (access_is_slot(access))
        look_at_stack(memory, nodes, node, access, address);
}

void memory_forget(struct memory *memory)
{
    *memory = (struct memory){.stack_top = memory->stack_top, .now = memory->now};
}
