/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows `streams` and `load` of op roof: all operands side by side, as a kernel reads and
 * writes them, or those that it reads. roof_body.h includes it.
 */

/* Pieces of equal length that one loop streams: a vector of each at a time. An operand
 * that is twice as long as the shortest one is two pieces. */
enum { SIDE_LOADS = 4, SIDE_STORES = 2, SIDE_UPDATES = 1 };
struct side {
    char *load[SIDE_LOADS], *store[SIDE_STORES], *update[SIDE_UPDATES];
    uint32_t loads, stores, updates;
    size_t bytes; /* of a piece, in whole blocks of eight vectors */
    size_t
        all; /* bytes of operands but for what side_left() streams: pieces share them */
};

/* One loop for all passes: one that ended with each pass took 10% more of 16 KiB. No
 * vector is loaded to be stored: behind 64 stores, one of which has its page offset, such
 * a load took up to 15% (Zen 4). */
__attribute__((always_inline)) static inline void
side_loop(const struct side *side, size_t blocks, const uint32_t loads,
          const uint32_t stores, const uint32_t updates)
{
    char *const load0 = side->load[0], *const load1 = side->load[1],
                *const load2 = side->load[2], *const load3 = side->load[3],
                *const store0 = side->store[0], *const store1 = side->store[1],
                *const update0 = side->update[0];
    const size_t bytes = side->bytes;
    size_t at = 0;
#define SIDE(there, text, name, base) \
    if (there)                        \
    __asm__ volatile(text : : [name] "r"((base) + at) : CLOBBERS, "memory")
#define SIDE_STEP(k)                                     \
    SIDE(loads > 0, LOAD_BODY(k), from, load0);          \
    SIDE(loads > 1, LOAD_BODY(k), from, load1);          \
    SIDE(loads > 2, LOAD_BODY(k), from, load2);          \
    SIDE(loads > 3, LOAD_BODY(k), from, load3);          \
    SIDE(stores > 0, ONES(0) WRITE_BODY(k), to, store0); \
    SIDE(stores > 1, ONES(0) WRITE_BODY(k), to, store1); \
    SIDE(updates > 0, UPDATE(k), to, update0);
    for (; blocks > 0; blocks--) {
        EIGHT(SIDE_STEP)
        at += 8 * VECTOR;
        at &= -(size_t)(at != bytes);
    }
}

static inline void side_run(const struct side *side, int64_t passes)
{
    const uint32_t all = 100 * side->loads + 10 * side->stores + side->updates;
    const size_t block = (side->loads + side->stores + side->updates) * 8 * VECTOR;
    const size_t blocks = block ? ((size_t)passes * side->all + block - 1) / block : 0;
#define SIDE_CASE(loads, stores, updates)                 \
    if (all == 100 * (loads) + 10 * (stores) + (updates)) \
    side_loop(side, blocks, loads, stores, updates)
#define SIDE_CASES(loads)   \
    SIDE_CASE(loads, 0, 0); \
    SIDE_CASE(loads, 0, 1); \
    SIDE_CASE(loads, 1, 0); \
    SIDE_CASE(loads, 1, 1); \
    SIDE_CASE(loads, 2, 0); \
    SIDE_CASE(loads, 2, 1)
    SIDE_CASES(0);
    SIDE_CASES(1);
    SIDE_CASES(2);
    SIDE_CASES(3);
    SIDE_CASES(4);
}

/* Operands that a stream uses, and those that it loads alone. */
static inline bool side_has(const struct simdbench_operands *operands, uint32_t i,
                            bool load)
{
    return load ? operands->operand[i]->role != SIMDBENCH_OUT
                : !roof_is_source(operands, i);
}

/* The length of pieces: the shortest operand, but for those that are short beside the
 * longest one. */
static inline size_t side_bytes(const struct simdbench_operands *operands, bool load)
{
    size_t longest = 0, shortest;
    for (uint32_t i = 0; i < operands->count; i++) {
        const size_t bytes = operand_bytes(operands->operand[i]);
        if (side_has(operands, i, load))
            longest = bytes > longest ? bytes : longest;
    }
    shortest = longest;
    for (uint32_t i = 0; i < operands->count; i++) {
        const size_t bytes = operand_bytes(operands->operand[i]);
        if (side_has(operands, i, load) && bytes >= longest / 8)
            shortest = bytes < shortest ? bytes : shortest;
    }
    return shortest / (8 * VECTOR) * (8 * VECTOR);
}

/* Adds as many pieces of an operand as there is room for. The bytes that are in none; of
 * several passes, less than a block for each piece makes longer passes instead, and less
 * than a line is nothing beside the cost of a pass over it. */
static inline size_t side_add(struct side *side, const struct simdbench_operand *operand,
                              uint32_t role, bool several)
{
    const bool update = role == SIMDBENCH_INOUT, store = role == SIMDBENCH_OUT;
    char **const piece = update ? side->update : store ? side->store : side->load;
    uint32_t *const n = update ? &side->updates : store ? &side->stores : &side->loads;
    const uint32_t room = update ? SIDE_UPDATES : store ? SIDE_STORES : SIDE_LOADS;
    const size_t bytes = operand_bytes(operand);
    size_t pieces = 0;
    while (side->bytes > 0 && *n < room && (pieces + 1) * side->bytes <= bytes)
        piece[(*n)++] = (char *)operand->data + pieces++ * side->bytes;
    const size_t left = bytes - pieces * side->bytes;
    const bool apart = pieces ? left >= pieces * 8 * VECTOR : left >= 64;
    const size_t rest = !several || apart ? left : 0;
    side->all += bytes - rest;
    return rest;
}

static inline void side_left(const struct simdbench_operand *operand, uint32_t role,
                             size_t bytes)
{
    static const char ones[64] = {[0 ... 63] = -1};
    char *const data = (char *)operand->data + operand_bytes(operand) - bytes;
    if (role == SIMDBENCH_INOUT)
        update_bytes(data, bytes);
    else if (role == SIMDBENCH_OUT)
        write_bytes(data, bytes, ones);
    else
        load_bytes(data, bytes);
}

static inline void side_all(const struct simdbench_operands *operands, int64_t passes,
                            bool load)
{
    struct side side = {.bytes = side_bytes(operands, load)};
    size_t left[SIMDBENCH_MAX_OPERANDS] = {0};
    uint32_t role[SIMDBENCH_MAX_OPERANDS];
    for (uint32_t i = 0; i < operands->count; i++) {
        role[i] = load ? SIMDBENCH_IN : operands->operand[i]->role;
        if (side_has(operands, i, load))
            left[i] = side_add(&side, operands->operand[i], role[i], passes > 1);
    }
    side_run(&side, passes);
    for (uint32_t i = 0; i < operands->count; i++)
        for (int64_t pass = left[i] ? passes : 0; pass > 0; pass--)
            side_left(operands->operand[i], role[i], left[i]);
}
