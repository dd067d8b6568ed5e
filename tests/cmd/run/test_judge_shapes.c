/* SPDX-License-Identifier: Apache-2.0 */
#include "referee/referee_private.h"
#include "unit.h"

static uint32_t read_shape(const char *text, uint64_t dim[SIMDBENCH_MAX_DIMS])
{
    uint32_t n = 0;
    for (char *end; *text && n < SIMDBENCH_MAX_DIMS; text = *end ? end + 1 : end)
        dim[n++] = strtoull(text, &end, 10);
    return n;
}

/* Each size once in each dimension, and no dimension tells that of another one. */
TEST(test_each_size_once)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        uint64_t random = seed, dim[SIMDBENCH_MAX_DIMS];
        struct small_shapes shapes;
        char text[SHAPE_TEXT];
        bool met[2][SMALL_SHAPES] = {{false}}, parity[2][2] = {{false}};
        shapes_draw(&shapes, &random);
        for (size_t i = 0; i < SMALL_SHAPES; i++) {
            shape_small(&shapes, i, 2, text);
            assert_int_equal(read_shape(text, dim), 2);
            parity[dim[0] % 2][dim[1] % 2] = true;
            for (size_t d = 0; d < 2; d++) {
                assert_in_range(dim[d], 1, SMALL_SHAPES);
                assert_false(met[d][dim[d] - 1]);
                met[d][dim[d] - 1] = true;
            }
        }
        assert_true(parity[0][0] && parity[0][1] && parity[1][0] && parity[1][1]);
    }
}

/* The last dimensions are drawn, too, and all together are no more than a call can do. */
TEST(test_many_dimensions)
{
    uint64_t random = 1, dim[SIMDBENCH_MAX_DIMS];
    bool rest[64] = {false};
    struct small_shapes shapes;
    char text[SHAPE_TEXT];
    shapes_draw(&shapes, &random);
    for (uint32_t rank = 1; rank <= SIMDBENCH_MAX_DIMS; rank++)
        for (size_t i = 0; i < SMALL_SHAPES; i++) {
            double work = 1;
            shape_small(&shapes, i, rank, text);
            assert_int_equal(read_shape(text, dim), rank);
            for (uint32_t d = 0; d < rank; d++) {
                assert_in_range(dim[d], 1, SMALL_SHAPES);
                work *= (double)dim[d];
            }
            assert_true(work <= 1 << 18);
            if (rank == 3)
                rest[dim[2] % 64] = true;
        }
    for (size_t i = 0; i < ARRAY_LEN(rest); i++)
        assert_true(rest[i]);
    for (size_t d = 1; d < SIMDBENCH_MAX_DIMS; d++)
        assert_memory_not_equal(shapes.size[0], shapes.size[d], sizeof shapes.size[0]);
}

/* One number stands for all dimensions, of which each gets a size of its own. */
TEST(test_near)
{
    uint64_t random = 1, dim[SIMDBENCH_MAX_DIMS];
    char text[SHAPE_TEXT];
    bool square = true;
    for (size_t i = 0; i < 100; i++) {
        shape_near(&random, i % 2 ? "64" : "64x64", 2, text);
        assert_int_equal(read_shape(text, dim), 2);
        square &= dim[0] == dim[1];
        for (size_t d = 0; d < 2; d++)
            assert_in_range(dim[d], 48, 80);
        shape_near(&random, "0x4096", 2, text);
        assert_int_equal(read_shape(text, dim), 2);
        assert_int_equal(dim[0], 0);
        assert_in_range(dim[1], 4096 - 70, 4096 + 70);
    }
    assert_false(square);
}

TEST(test_between)
{
    uint64_t random = 1, dim[SIMDBENCH_MAX_DIMS];
    char text[SHAPE_TEXT];
    for (size_t i = 0; i < 100; i++) {
        assert_true(shape_between(&random, "4096x64", 2, text));
        assert_int_equal(read_shape(text, dim), 2);
        assert_in_range(dim[0], SMALL_SHAPES, 4096);
        assert_int_equal(dim[1], 64);
    }
    assert_false(shape_between(&random, "64", 2, text));
    assert_string_equal(text, "64x64");
}
