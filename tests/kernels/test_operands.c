/* SPDX-License-Identifier: Apache-2.0 */
/* Placement, red zones, hash, poison, and the choice of what is checked. */
#include <sys/mman.h>

#include "effort.h"
#include "kernels.h"
#include "page_faults.h"
#include "unit.h"

/* Matrices of which the last is an output. */
static struct operands_map map_of(uint32_t count, uint32_t type, uint64_t elements)
{
    struct operands_map map = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        map.operand[i] = (struct simdbench_operand){.size = sizeof map.operand[i],
                                                    .type = type,
                                                    .role = i + 1 == count ? SIMDBENCH_OUT
                                                                           : SIMDBENCH_IN,
                                                    .count = elements,
                                                    .ld = (int64_t)elements};
    }
    return map;
}

struct bound {
    struct operands operands;
    void *base;
};

static void bind(struct bound *bound, struct operands_map *map, uint64_t align)
{
    const struct simdbench_shape shape = {.size = sizeof shape, .rank = 1, .dim = {5}};
    assert_int_equal(operands_offsets(map, align, 3, NULL), 0);
    bound->base = aligned_alloc(4096, map->bytes);
    assert_non_null(bound->base);
    memset(bound->base, 0, map->bytes);
    operands_bind(&bound->operands, map, &shape, 3, bound->base);
}

static uint64_t bytes_of(const struct simdbench_operand *operand)
{
    return operand->count * type_bytes(operand->type);
}

/* ---- random numbers ---- */

TEST(test_random)
{
    uint64_t seed = 0;
    double sum = 0;
    assert_true(random_next(&seed) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(random_next(&seed) == UINT64_C(0x6e789e6aa1b965f4));
    for (int i = 0; i < 10000; i++) {
        double x = random_uniform(&seed);
        assert_true(x >= -1 && x < 1);
        sum += x;
    }
    assert_true(fabs(sum / 10000) < 0.05);
}

/* ---- placement ---- */

TEST(test_place)
{
    static const uint64_t aligns[] = {4, 16, 32, 64, 128, 2048, 4096, 65536};
    for (size_t a = 0; a < ARRAY_LEN(aligns); a++) {
        for (uint64_t seed = 0; seed < effort_of(50); seed++) {
            struct operands_map map = map_of(4, SIMDBENCH_F32, seed * 37);
            assert_int_equal(operands_offsets(&map, aligns[a], seed, NULL), 0);
            uint64_t end = 0;
            for (uint32_t i = 0; i < map.count; i++) {
                assert_true(map.offset[i] >= end + OPERANDS_RED_ZONE);
                assert_int_equal(map.offset[i] % aligns[a], 0);
                if (aligns[a] < 64)
                    assert_int_equal(map.offset[i] % (2 * aligns[a]), aligns[a]);
                /* A page of its own. */
                assert_true(map.offset[i] / 4096 > (end ? end - 1 : 0) / 4096);
                for (uint32_t j = 0; j < i && aligns[a] <= 64; j++)
                    assert_true(map.offset[i] % 4096 != map.offset[j] % 4096);
                end = map.offset[i] + bytes_of(&map.operand[i]) + OPERANDS_RED_ZONE;
            }
            assert_true(map.bytes >= end);
            assert_int_equal(map.bytes % 4096, 0);
        }
    }
}

TEST(test_place_seeds)
{
    struct operands_map a = map_of(2, SIMDBENCH_F64, 100), b = a, c = a;
    unsigned differ = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(operands_offsets(&a, 64, seed, NULL), 0);
        assert_int_equal(operands_offsets(&b, 64, seed, NULL), 0);
        assert_int_equal(operands_offsets(&c, 64, seed + 1000, NULL), 0);
        assert_memory_equal(a.offset, b.offset, sizeof a.offset);
        differ += a.offset[0] != c.offset[0];
    }
    assert_true(differ > 10);
}

TEST(test_place_limits)
{
    struct error error;
    struct operands_map map = map_of(2, SIMDBENCH_F64, 10);
    assert_int_equal(operands_offsets(&map, 0, 1, &error), -EINVAL);
    assert_int_equal(operands_offsets(&map, 48, 1, &error), -EINVAL);
    assert_non_null(strstr(error.text, "48"));
    assert_int_equal(operands_offsets(&map, 4, 1, &error), -EINVAL);
    assert_int_equal(operands_offsets(&map, 8, 1, &error), 0);
    map.operand[1].count = UINT64_MAX / 2;
    assert_int_equal(operands_offsets(&map, 64, 1, &error), -EOVERFLOW);
    map.operand[0].count = map.operand[1].count = UINT64_C(1) << 53;
    assert_int_equal(operands_offsets(&map, 64, 1, &error), -ENOMEM);
    map.operand[1].type = 77;
    map.operand[0].count = 1;
    assert_int_equal(operands_offsets(&map, 64, 1, &error), -EINVAL);
    map.count = SIMDBENCH_MAX_OPERANDS + 1;
    assert_int_equal(operands_offsets(&map, 64, 1, &error), -EINVAL);
}

static int too_large(const struct simdbench_shape *shape, uint32_t type,
                     struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    return -EOVERFLOW;
}

TEST(test_place_op)
{
    struct simdbench_op op = *op_find("roof");
    struct simdbench_shape shape = {.size = sizeof shape, .rank = 1, .dim = {800}};
    struct operands_map map;
    struct error error;
    assert_int_equal(operands_place(&op, &shape, SIMDBENCH_F64, 64, 1, &map, &error), 0);
    assert_int_equal(map.count, 2);
    assert_int_equal(map.operand[1].count, 100);
    assert_int_equal(map.operand[1].size, sizeof map.operand[1]);
    op.layout = too_large;
    assert_int_equal(operands_place(&op, &shape, SIMDBENCH_F64, 64, 1, &map, &error),
                     -EOVERFLOW);
    assert_string_equal(error.text,
                        "op roof cannot lay out shape 800 for type f64: it is too large");
}

TEST(test_bind)
{
    struct operands_map map = map_of(3, SIMDBENCH_F32, 10);
    struct bound bound;
    bind(&bound, &map, 64);
    assert_int_equal(bound.operands.view.count, 3);
    assert_int_equal(bound.operands.view.threads, 3);
    assert_int_equal(bound.operands.view.size, sizeof bound.operands.view);
    assert_int_equal(bound.operands.view.shape->dim[0], 5);
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(bound.operands.view.operand[i]->data,
                         (char *)bound.base + map.offset[i]);
    free(bound.base);
}

/* ---- red zones, hash, poison ---- */

TEST(test_guard)
{
    struct operands_map map = map_of(3, SIMDBENCH_F32, 33);
    struct bound bound;
    bind(&bound, &map, 64);
    operands_guard(&bound.operands);
    assert_int_equal(operands_damaged(&bound.operands), -1);
    for (int i = 0; i < 3; i++) {
        uint8_t *data = bound.operands.operand[i].data;
        memset(data, 0xff, 33 * 4);
        assert_int_equal(operands_damaged(&bound.operands), -1);
        for (int at = -OPERANDS_RED_ZONE; at < 33 * 4 + OPERANDS_RED_ZONE; at++) {
            if (at == 0)
                at = 33 * 4;
            data[at] ^= 1;
            assert_int_equal(operands_damaged(&bound.operands), i);
            data[at] ^= 1;
        }
    }
    free(bound.base);
}

TEST(test_hash)
{
    struct operands_map map = map_of(3, SIMDBENCH_F64, 45);
    struct bound bound;
    map.operand[1].role = SIMDBENCH_CONST;
    bind(&bound, &map, 64);
    const uint64_t before = operands_hash(&bound.operands);
    for (int i = 0; i < 2; i++) {
        uint64_t *data = bound.operands.operand[i].data;
        for (int bit = 0; bit < 45 * 64; bit++) {
            data[bit / 64] ^= UINT64_C(1) << bit % 64;
            assert_true(operands_hash(&bound.operands) != before);
            data[bit / 64] ^= UINT64_C(1) << bit % 64;
        }
        /* Pairs of signs, also those whose words meet in one lane. */
        for (int a = 0; a < 45; a++) {
            for (int b = 0; b < a; b++) {
                data[a] ^= UINT64_C(1) << 63, data[b] ^= UINT64_C(1) << 63;
                assert_true(operands_hash(&bound.operands) != before);
                data[a] ^= UINT64_C(1) << 63, data[b] ^= UINT64_C(1) << 63;
            }
        }
    }
    memset(bound.operands.operand[2].data, 1, 45 * 8);
    assert_true(operands_hash(&bound.operands) == before);
    free(bound.base);
}

TEST(test_poison_and_evict)
{
    static const uint32_t types[] = {SIMDBENCH_F32, SIMDBENCH_F64};
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        struct operands_map map = map_of(2, types[t], 1001);
        struct bound bound;
        bind(&bound, &map, 16);
        operands_guard(&bound.operands);
        memset(bound.operands.operand[0].data, 1, bytes_of(&map.operand[0]));
        const uint64_t before = operands_hash(&bound.operands);
        operands_poison(&bound.operands);
        operands_evict(&bound.operands);
        assert_true(operands_hash(&bound.operands) == before);
        assert_int_equal(operands_damaged(&bound.operands), -1);
        for (int i = 0; i < 1001; i++) {
            const void *out = bound.operands.operand[1].data;
            assert_true(t == 0 ? isnan(((const float *)out)[i])
                               : isnan(((const double *)out)[i]));
        }
        free(bound.base);
    }
}

/* Each page of theirs faults once, unless they take more bytes than they may. */
TEST(test_touch)
{
    enum { PAGES = 16 };
    struct operands_map map = map_of(2, SIMDBENCH_F32, PAGES / 2 * 4096 / 4);
    struct bound bound;
    bind(&bound, &map, 64);
    char *const memory =
        mmap(NULL, map.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise(memory, map.bytes, MADV_NOHUGEPAGE);
    operands_bind(&bound.operands, &map, &bound.operands.shape, 3, memory);
    long before = page_faults();
    operands_touch(&bound.operands, PAGES * 4096 - 1);
    assert_true(page_faults() - before < PAGES / 2);
    before = page_faults();
    operands_touch(&bound.operands, PAGES * 4096);
    assert_true(page_faults() - before >= PAGES);
    munmap(memory, map.bytes);
    free(bound.base);
}

/* ---- experiments ---- */

/* Numbers 700, 699, ... so that order and values show. */
static void count_down(const struct simdbench_operand *operand)
{
    for (uint64_t e = 0; e < operand->count; e++)
        operand_set(operand, e, 700 - (double)(e % 700));
}

static double value_of(const struct simdbench_operand *operand, uint64_t e)
{
    return type_get(operand->type, operand->data, e);
}

TEST(test_values)
{
    static const uint32_t types[] = {SIMDBENCH_F32, SIMDBENCH_F64, SIMDBENCH_I32,
                                     SIMDBENCH_I64, SIMDBENCH_I16, SIMDBENCH_U32};
    enum { MANY = 140000 }; /* more than are sorted */
    /* With less effort the first and the last type are enough. */
    const size_t step = effort_divisor() > 1 ? ARRAY_LEN(types) - 1 : 1;
    for (size_t t = 0; t < ARRAY_LEN(types); t += step) {
        struct operands_map map = map_of(3, types[t], MANY);
        struct bound bound;
        map.operand[1].role = SIMDBENCH_CONST;
        bind(&bound, &map, 64);
        const struct simdbench_operand *const in = &bound.operands.operand[0];
        for (int i = 0; i < 3; i++)
            count_down(&bound.operands.operand[i]);
        assert_int_equal(operands_set_values(&bound.operands, "sorted"), 0);
        assert_near(value_of(in, 0), 1, 0);
        assert_near(value_of(in, MANY - 1), 700, 0);
        assert_near(value_of(in, MANY / 2), 350, 2);
        for (uint64_t e = 1; e < MANY; e += effort_step())
            assert_true(value_of(in, e - 1) <= value_of(in, e));
        count_down(in);
        assert_int_equal(operands_set_values(&bound.operands, "constant"), 0);
        assert_near(value_of(in, 0), 700, 0);
        assert_near(value_of(in, MANY - 1), 700, 0);
        count_down(in);
        assert_int_equal(operands_set_values(&bound.operands, "repeated"), 0);
        assert_near(value_of(in, 0), 700, 0);
        assert_near(value_of(in, MANY - 1), 700 - (MANY - 1) % 700, 0);
        for (uint64_t e = 128; e < MANY - 64; e += effort_step())
            assert_near(value_of(in, e), value_of(in, e - 64), 0);
        assert_near(value_of(in, 127), 700 - 127, 0);
        assert_int_equal(operands_set_values(&bound.operands, "zero"), 0);
        assert_near(value_of(in, 0), 0, 0);
        assert_near(value_of(in, MANY - 1), 0, 0);
        assert_int_equal(operands_set_values(&bound.operands, "loud"), -EINVAL);
        /* Weights and outputs stay. */
        for (int i = 1; i < 3; i++)
            assert_near(value_of(&bound.operands.operand[i], 1), 699, 0);
        free(bound.base);
    }
}

/* A table in order stays beside the keys that are looked for in it. */
TEST(test_keys)
{
    enum { MANY = 5000 };
    struct operands_map map = map_of(3, SIMDBENCH_I32, MANY);
    struct bound bound;
    bind(&bound, &map, 64);
    const struct simdbench_operand *const table = &bound.operands.operand[0];
    const struct simdbench_operand *const keys = &bound.operands.operand[1];
    count_down(table);
    count_down(keys);
    assert_int_equal(operands_set_values(&bound.operands, "keys"), -ENOTSUP);
    count_down(keys);
    for (uint64_t e = 0; e < MANY; e++)
        operand_set(table, e, (double)e);
    assert_int_equal(operands_set_values(&bound.operands, "keys"), 0);
    for (uint64_t e = 0; e < MANY; e++)
        assert_near(value_of(table, e), (double)e, 0);
    for (uint64_t e = 128; e < MANY - 64; e++)
        assert_near(value_of(keys, e), value_of(keys, e - 64), 0);
    assert_near(value_of(keys, 127), 700 - 127, 0);
    assert_int_equal(operand_sort(keys), 0);
    assert_int_equal(operands_set_values(&bound.operands, "keys"), -ENOTSUP);
    free(bound.base);
    /* A search finds few keys nearer than many in a table beyond the first cache. */
    map = map_of(3, SIMDBENCH_I64, MANY);
    bind(&bound, &map, 64);
    for (uint64_t e = 0; e < MANY; e++)
        operand_set(&bound.operands.operand[0], e, (double)e);
    count_down(&bound.operands.operand[1]);
    assert_int_equal(operands_set_values(&bound.operands, "keys"), -ENOTSUP);
    free(bound.base);
}

TEST(test_spread)
{
    for (uint32_t n = 1; n <= SIMDBENCH_MAX_OPERANDS; n++) {
        struct operands_map map = map_of(n, SIMDBENCH_F32, 5000);
        assert_int_equal(operands_offsets(&map, OPERANDS_PAGE, 3, NULL), 0);
        operands_spread(&map);
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t end = i + 1 < n ? map.offset[i + 1] : map.bytes;
            const uint64_t gap = i + 1 < n ? 2 * OPERANDS_RED_ZONE : OPERANDS_RED_ZONE;
            assert_int_equal(map.offset[i] % OPERANDS_PAGE,
                             OPERANDS_PAGE * i / n / 64 * 64);
            assert_true(map.offset[i] + 5000 * sizeof(float) + gap <= end);
        }
    }
}

/* ---- several sets ---- */

/* No set touches another one or a red zone, and all begin alike. */
TEST(test_sets)
{
    static const uint64_t aligns[] = {4, 64, 128, 4096};
    const struct simdbench_shape shape = {.size = sizeof shape, .rank = 1, .dim = {5}};
    enum { SETS = 5 };
    for (size_t a = 0; a < ARRAY_LEN(aligns); a++) {
        struct operands_map map = map_of(3, SIMDBENCH_F32, 130);
        struct operands sets[SETS];
        map.sets = SETS;
        assert_int_equal(operands_offsets(&map, aligns[a], 3, NULL), 0);
        char *const base = aligned_alloc(4096, map.bytes);
        assert_non_null(base);
        memset(base, 0, map.bytes);
        for (int k = 0; k < SETS; k++)
            operands_bind_set(&sets[k], &map, &shape, 1, base, (uint64_t)k);
        assert_ptr_equal(sets[0].operand[2].data, base + map.offset[2]);
        operands_guard(&sets[0]);
        for (int k = 1; k < SETS; k++)
            for (uint32_t i = 0; i < map.count; i++) {
                struct simdbench_operand *const operand = &sets[k].operand[i];
                assert_int_equal((uintptr_t)operand->data % aligns[a],
                                 (uintptr_t)sets[0].operand[i].data % aligns[a]);
                assert_true((char *)operand->data + bytes_of(operand) <=
                            base + map.bytes);
                for (uint64_t e = 0; e < operand->count; e++)
                    operand_set(operand, e, (double)k);
            }
        assert_int_equal(operands_damaged(&sets[0]), -1);
        for (int k = 0; k < SETS; k++)
            for (uint32_t i = 0; i < map.count; i++)
                for (uint64_t e = 0; e < map.operand[i].count; e++)
                    assert_true(((float *)sets[k].operand[i].data)[e] == (float)k);
        assert_int_equal(operands_set_bytes(&map),
                         map.pitch[0] + map.pitch[1] + map.pitch[2]);
        free(base);
    }
    struct operands_map map = map_of(1, SIMDBENCH_F32, UINT64_C(1) << 50);
    map.sets = 4096;
    assert_int_equal(operands_offsets(&map, 64, 3, NULL), -ENOMEM);
}
