/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define PAGE UINT64_C(4096)
#define LINE UINT64_C(64)
/* More than any 64-bit user space has: whatever is below can be added up safely. */
#define BYTES_MAX (UINT64_C(1) << 56)

double random_uniform(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-52 - 1;
}

void operand_set(const struct simdbench_operand *operand, uint64_t e, double value)
{
    type_set(operand->type, operand->data, e, value);
}

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* A page offset that no earlier operand has: two streams at one offset would make every
 * load wait for the other stream's store (4K aliasing), for some seeds only. */
static uint64_t page_offset(const struct operands_map *map, uint32_t index,
                            uint64_t align, uint64_t *random)
{
    uint64_t step = align < LINE ? LINE : align;
    uint64_t slots = step < PAGE ? PAGE / step : 1;
    uint64_t odd = align < LINE ? align : 0;
    uint64_t slot = random_next(random) % slots;
    for (uint64_t tries = 0; tries < slots; tries++) {
        bool taken = false;
        for (uint32_t i = 0; i < index; i++)
            taken = taken || map->offset[i] % PAGE == slot * step + odd;
        if (!taken)
            break;
        slot = (slot + 1) % slots;
    }
    return slot * step + odd;
}

/* Further sets begin where the first one does within `step` bytes. */
static uint64_t place_sets(struct operands_map *map, uint32_t i, uint64_t step,
                           uint64_t end)
{
    const uint64_t bytes = operand_bytes(&map->operand[i]);
    map->pitch[i] = round_up(bytes, step);
    map->more[i] = map->offset[i] + round_up(bytes + OPERANDS_RED_ZONE, step);
    if (map->sets < 2)
        return end;
    return map->pitch[i] > BYTES_MAX / map->sets
               ? BYTES_MAX + 1
               : map->more[i] + (map->sets - 1) * map->pitch[i] + OPERANDS_RED_ZONE;
}

uint64_t operands_set_bytes(const struct operands_map *map)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < map->count; i++)
        bytes += map->pitch[i];
    return bytes;
}

int operands_offsets(struct operands_map *map, uint64_t align, uint64_t seed,
                     struct error *error)
{
    if (align == 0 || (align & (align - 1)) || align >= BYTES_MAX)
        return invalid(error, "alignment %llu is not a power of two",
                       (unsigned long long)align);
    if (map->count > SIMDBENCH_MAX_OPERANDS)
        return invalid(error, "%u operands are more than the %d allowed", map->count,
                       SIMDBENCH_MAX_OPERANDS);
    uint64_t random = seed;
    uint64_t end = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct simdbench_operand *operand = &map->operand[i];
        uint64_t size = type_bytes(operand->type);
        if (size == 0)
            return invalid(error, "operand %u has unknown element type %u", i,
                           operand->type);
        if (align < size && type_kind(operand->type) != TYPE_OPAQUE)
            return invalid(error, "alignment %llu is below the size of a %s (%llu)",
                           (unsigned long long)align, type_name(operand->type),
                           (unsigned long long)size);
        if (operand->role == SIMDBENCH_INOUT &&
            (operand->source >= map->count ||
             map->operand[operand->source].type != operand->type ||
             map->operand[operand->source].count != operand->count))
            return invalid(
                error, "operand %u begins as a copy of operand %u, which is not like it",
                i, operand->source);
        if (operand->count > BYTES_MAX / size)
            return error_set(error, -EOVERFLOW, "operand %u has too many elements: %llu",
                             i, (unsigned long long)operand->count);
        uint64_t start = round_up(end + OPERANDS_RED_ZONE, align > PAGE ? align : PAGE);
        map->offset[i] = start + page_offset(map, i, align, &random);
        end = map->offset[i] + operand->count * size + OPERANDS_RED_ZONE;
        end = place_sets(map, i, align < LINE ? LINE : align, end);
        if (end > BYTES_MAX)
            break;
    }
    map->bytes = round_up(end, PAGE);
    if (map->bytes > BYTES_MAX)
        return error_set(error, -ENOMEM, "the operands take %llu bytes",
                         (unsigned long long)map->bytes);
    return 0;
}

void operands_spread(struct operands_map *map)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const uint64_t distance = PAGE * i / map->count / LINE * LINE;
        map->offset[i] += distance;
        map->more[i] += distance;
    }
    map->bytes += PAGE;
}

int operands_place(const struct simdbench_op *op, const struct simdbench_shape *shape,
                   uint32_t type, uint64_t align, uint64_t seed, struct operands_map *map,
                   struct error *error)
{
    struct simdbench_operand *operand[SIMDBENCH_MAX_OPERANDS];
    memset(map, 0, sizeof *map);
    for (size_t i = 0; i < SIMDBENCH_MAX_OPERANDS; i++) {
        map->operand[i].size = sizeof map->operand[i];
        operand[i] = &map->operand[i];
    }
    int count = op->layout(shape, type, operand);
    if (count < 0 || count > SIMDBENCH_MAX_OPERANDS) {
        char text[256] = "";
        op->format(shape, text, sizeof text);
        return error_set(error, count < 0 ? count : -EINVAL,
                         "op %s cannot lay out shape %s for type %s: %s", op->name, text,
                         type_name(type) ? type_name(type) : "?",
                         count == -EOVERFLOW ? "it is too large"
                         : count < 0         ? strerror(-count)
                                             : "too many operands");
    }
    map->count = (uint32_t)count;
    return operands_offsets(map, align, seed, error);
}

void operands_bind_set(struct operands *operands, const struct operands_map *map,
                       const struct simdbench_shape *shape, uint32_t threads, void *base,
                       uint64_t set)
{
    operands_bind(operands, map, shape, threads, base);
    for (uint32_t i = 0; i < map->count && set; i++)
        operands->operand[i].data =
            (char *)base + map->more[i] + (set - 1) * map->pitch[i];
}

void operands_bind(struct operands *operands, const struct operands_map *map,
                   const struct simdbench_shape *shape, uint32_t threads, void *base)
{
    memset(operands, 0, sizeof *operands);
    operands->shape = *shape;
    operands->view = (struct simdbench_operands){
        .size = sizeof operands->view,
        .count = map->count,
        .threads = threads,
        .shape = &operands->shape,
    };
    for (uint32_t i = 0; i < map->count; i++) {
        operands->operand[i] = map->operand[i];
        operands->operand[i].data = (char *)base + map->offset[i];
        operands->view.operand[i] = &operands->operand[i];
    }
}

/* ---- red zones ---- */

/* Differs from byte to byte, so that no copied row or repeated value looks like it. */
static uint8_t zone_byte(size_t i)
{
    return (uint8_t)(0xa5 ^ i * 37);
}

void operands_guard(const struct operands *operands)
{
    FOR_EACH (const struct simdbench_operand, operand, operands->operand,
              operands->view.count) {
        uint8_t *before = (uint8_t *)operand->data - OPERANDS_RED_ZONE;
        uint8_t *after = (uint8_t *)operand->data + operand_bytes(operand);
        for (size_t b = 0; b < OPERANDS_RED_ZONE; b++)
            before[b] = after[b] = zone_byte(b);
    }
}

int operands_damaged(const struct operands *operands)
{
    for (uint32_t i = 0; i < operands->view.count; i++) {
        const struct simdbench_operand *operand = &operands->operand[i];
        const uint8_t *before = (const uint8_t *)operand->data - OPERANDS_RED_ZONE;
        const uint8_t *after = (const uint8_t *)operand->data + operand_bytes(operand);
        for (size_t b = 0; b < OPERANDS_RED_ZONE; b++) {
            if (before[b] != zone_byte(b) || after[b] != zone_byte(b))
                return (int)i;
        }
    }
    return -1;
}

/* ---- contents ---- */

enum { LANES = 8 };

/* One step is a bijection of the lane for each word, so no single change is lost. The
 * rotation brings high bits down again: without it two flipped signs would cancel. */
static uint64_t mix(uint64_t lane, uint64_t word)
{
    lane = (lane ^ word) * UINT64_C(0x9fb21c651e98df25);
    return lane << 31 | lane >> 33;
}

static void hash_bytes(uint64_t lane[LANES], const uint8_t *bytes, size_t n)
{
    uint64_t word[LANES];
    for (; n >= sizeof word; n -= sizeof word, bytes += sizeof word) {
        memcpy(word, bytes, sizeof word);
        for (int i = 0; i < LANES; i++)
            lane[i] = mix(lane[i], word[i]);
    }
    memset(word, 0, sizeof word);
    memcpy(word, bytes, n);
    for (int i = 0; i < LANES; i++)
        lane[i] = mix(lane[i], word[i]);
}

uint64_t operands_hash(const struct operands *operands)
{
    uint64_t lane[LANES];
    for (uint64_t i = 0; i < LANES; i++)
        lane[i] = i;
    FOR_EACH (const struct simdbench_operand, operand, operands->operand,
              operands->view.count)
        if (!operand_is_output(operand))
            hash_bytes(lane, operand->data, operand_bytes(operand));
    uint64_t hash = 0;
    for (int i = 0; i < LANES; i++)
        hash = mix(hash, lane[i]);
    return hash;
}

void operands_reset(const struct operands *operands)
{
    for (uint32_t i = 0; i < operands->view.count; i++) {
        const struct simdbench_operand *operand = &operands->operand[i];
        if (operand->role == SIMDBENCH_INOUT)
            memcpy(operand->data, operands->operand[operand->source].data,
                   operand_bytes(operand));
    }
}

void operands_poison(const struct operands *operands)
{
    operands_reset(operands);
    FOR_EACH (const struct simdbench_operand, operand, operands->operand,
              operands->view.count)
        if (operand->role == SIMDBENCH_OUT)
            type_poison(operand->type, operand->data, operand->count);
}

enum { CHANGE_STEP = 63 }; /* at most so far from one to the next */

void operands_change(const struct operands *operands, const struct operands *other,
                     bool whole, uint64_t seed)
{
    for (uint32_t i = 0; i < operands->view.count; i++) {
        const struct simdbench_operand *operand = &operands->operand[i];
        const size_t size = type_bytes(operand->type);
        const uint64_t count = operand->role == SIMDBENCH_IN ? operand->count : 0;
        const uint64_t step = whole ? 1 : CHANGE_STEP;
        for (uint64_t e = random_next(&seed) % (count && count < step ? count : step);
             e < count; e += 1 + random_next(&seed) % step)
            memcpy((char *)operand->data + e * size,
                   (const char *)other->operand[i].data + e * size, size);
    }
}

void operands_touch(const struct operands *operands, uint64_t most)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < operands->view.count; i++)
        bytes += operand_bytes(&operands->operand[i]);
    if (bytes > most)
        return;
    FOR_EACH (const struct simdbench_operand, operand, operands->operand,
              operands->view.count)
        for (uint64_t at = 0; at < operand_bytes(operand); at += LINE)
            (void)((const volatile unsigned char *)operand->data)[at];
}

#if defined(__x86_64__)
/* Asked once: CPUID leaves a virtual machine, which takes longer than the lines do. */
static bool has_clflushopt(void)
{
    static int has = -1;
    uint32_t a, b = 0, c, d;
    if (has < 0)
        has = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_CLFLUSHOPT;
    return has;
}

void operands_evict(const struct operands *operands)
{
    const bool optimised = has_clflushopt();
    FOR_EACH (const struct simdbench_operand, operand, operands->operand,
              operands->view.count) {
        const char *end = (const char *)operand->data + operand_bytes(operand);
        const char *line = (const char *)((uintptr_t)operand->data & ~(LINE - 1));
        for (; line < end; line += LINE) {
            if (optimised)
                __asm__ volatile("clflushopt %0" : : "m"(*line) : "memory");
            else
                __asm__ volatile("clflush %0" : : "m"(*line) : "memory");
        }
    }
    __asm__ volatile("mfence" : : : "memory");
}
#else
/* Reads and writes more than any cache holds, because there is no portable flush. */
void operands_evict(const struct operands *operands)
{
    static volatile char other[64 << 20];
    for (size_t i = 0; i < sizeof other; i += LINE)
        other[i]++;
}
#endif
