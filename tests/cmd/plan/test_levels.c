/* SPDX-License-Identifier: Apache-2.0 */
/* Working sets of a ladder: each in the level that it is for. */
#include "kernels.h"
#include "plan/plan.h"
#include "unit.h"

/* 64 cores with two threads each; eight of them share an L3. */
static struct host big_host(void)
{
    return (struct host){
        .cpus = 128,
        .cores = 64,
        .caches = 4,
        .cache = {{.level = 1, .type = 'd', .bytes = 32 << 10, .sharing = 2},
                  {.level = 1, .type = 'i', .bytes = 64 << 10, .sharing = 2},
                  {.level = 2, .type = 'u', .bytes = 1 << 20, .sharing = 2},
                  {.level = 3, .type = 'u', .bytes = 32 << 20, .sharing = 16}}};
}

TEST(test_levels)
{
    const struct host host = big_host();
    const struct memory_levels levels = levels_of(&host);
    assert_int_equal(levels.n, 3);
    assert_string_equal(levels.level[1].name, "L2");
    assert_true(level_bytes(&levels.level[0], 1) == 32 << 10);
    assert_true(level_bytes(&levels.level[0], 3) == 3 * (32 << 10));
    assert_true(level_bytes(&levels.level[0], 128) == 64 * (32 << 10));
    assert_true(level_bytes(&levels.level[2], 8) == 32 << 20);
    assert_true(level_bytes(&levels.level[2], 9) == 64 << 20);
    assert_true(level_bytes(&levels.level[2], 128) == 8.0 * (32 << 20));
    assert_string_equal(levels_find(&levels, 1, 32 << 10), "L1");
    assert_string_equal(levels_find(&levels, 1, (32 << 10) + 1), "L2");
    assert_string_equal(levels_find(&levels, 2, (32 << 10) + 1), "L1");
    assert_string_equal(levels_find(&levels, 1, (32 << 20) + 1), "memory");
    assert_true(levels_fit(&levels, 1024) == 32);
    assert_true(levels_fit(&levels, 32 << 10) == 1);
    assert_true(levels_fit(&levels, (32 << 20) + 1) == 2);
}

TEST(test_unknown)
{
    const struct host host = {.cpus = 4};
    const struct memory_levels levels = levels_of(&host);
    struct text_list shapes = {.n = 0};
    assert_int_equal(levels.n, 0);
    assert_null(levels_find(&levels, 1, 1));
    levels_rungs(&levels, 1, &shapes);
    assert_int_equal(shapes.n, 0);
}

/* Reads and copies of a rung lie in the same level, and every level has rungs. */
static void check_rungs(const struct memory_levels *levels, uint32_t threads,
                        size_t wanted)
{
    const struct simdbench_op *const op = op_find("roof");
    struct text_list shapes = {.n = 0};
    size_t seen = 0;
    const char *last = "";
    levels_rungs(levels, threads, &shapes);
    for (size_t i = 0; i < shapes.n; i++) {
        struct simdbench_shape shape;
        char error[100];
        assert_int_equal(op->parse(shapes.item[i], &shape, error, sizeof error), 0);
        const double read = roof_working_set(&shape, "read");
        const double copied = roof_working_set(&shape, "copy_stream");
        assert_true(copied == 2 * read);
        const char *const level = levels_find(levels, threads, read);
        assert_string_equal(level, levels_find(levels, threads, copied));
        assert_int_equal((uint64_t)read % (64 * threads), 0);
        /* A call of each thread moves 4 MiB or more. */
        const double passes = shape.rank > 1 ? (double)shape.dim[1] : 1;
        assert_true(read / threads * passes >= 4 << 20);
        seen += strcmp(last, level) != 0;
        last = level;
    }
    assert_int_equal(seen, wanted);
    assert_string_equal(last, "memory");
    text_list_free(&shapes);
}

TEST(test_rungs)
{
    const struct host big = big_host();
    const struct memory_levels levels = levels_of(&big);
    check_rungs(&levels, 1, 4);
    check_rungs(&levels, 3, 4);
    check_rungs(&levels, 128, 4);
    /* All L2 together are larger than the L3: no working set is in the L3 alone. */
    struct host small = big;
    small.cache[3].bytes = 2 << 20;
    small.cache[3].sharing = 128;
    const struct memory_levels flat = levels_of(&small);
    check_rungs(&flat, 64, 3);
}
