/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_op.h"

#include "gemm.h"

/* Rows of C that a part has at least, and columns: a line of f32, two of f64. Tiles adapt
 * their height to the rows there are. */
enum { ROWS = 4, COLUMNS = 16 };

static int64_t largest(int64_t n, int64_t step, uint32_t count)
{
    const int64_t steps = (n + step - 1) / step;
    const int64_t most = (steps + count - 1) / count * step;
    return most < n ? most : n;
}

struct grid {
    uint32_t matrices, rows, columns;
};

/* The grid whose largest part is smallest, of several of them the one that reads the
 * least of A and B, and of those the one with the most rows: cores that write to the same
 * row of C fetch each other's lines ahead. */
static struct grid choose(const struct simdbench_shape *shape, uint32_t count)
{
    struct grid best = {.matrices = 1, .rows = count, .columns = 1};
    double best_work = 0, best_reads = 0;
    for (uint32_t d = 1; d <= count; d++)
        for (uint32_t r = 1; count % d == 0 && r <= count / d; r++) {
            if (count / d % r)
                continue;
            const double deep = (double)largest(gemm_matrices(shape), 1, d);
            const double tall = (double)largest(shape->dim[0], ROWS, r);
            const double wide = (double)largest(shape->dim[1], COLUMNS, count / d / r);
            const double work = deep * tall * wide, reads = deep * (tall + wide);
            if (best_work > 0 &&
                (work > best_work || (work == best_work && reads > best_reads)))
                continue;
            best = (struct grid){.matrices = d, .rows = r, .columns = count / d / r};
            best_work = work;
            best_reads = reads;
        }
    return best;
}

static void move(struct simdbench_operand *operand, int64_t matrix, int64_t row,
                 int64_t column)
{
    const int64_t elements = matrix * operand->stride + row * operand->ld + column;
    operand->data = (char *)operand->data + elements * (int64_t)type_bytes(operand->type);
}

static bool split_gemm(struct operands *part, uint32_t index, uint32_t count)
{
    struct simdbench_shape *const shape = &part->shape;
    const struct grid grid = choose(shape, count);
    const struct split_range deep = split_range(
        gemm_matrices(shape), 1, index / (grid.rows * grid.columns), grid.matrices);
    const struct split_range tall =
        split_range(shape->dim[0], ROWS, index / grid.columns % grid.rows, grid.rows);
    const struct split_range wide =
        split_range(shape->dim[1], COLUMNS, index % grid.columns, grid.columns);
    shape->dim[0] = tall.to - tall.from;
    shape->dim[1] = wide.to - wide.from;
    if (shape->rank == 4)
        shape->dim[3] = deep.to - deep.from;
    move(&part->operand[0], deep.from, tall.from, 0);
    move(&part->operand[1], deep.from, 0, wide.from);
    for (uint32_t i = 2; i < part->view.count; i++)
        move(&part->operand[i], deep.from, tall.from, wide.from);
    return tall.to > tall.from && wide.to > wide.from && deep.to > deep.from;
}

const struct split_rule gemm_split[] = {{.part = split_gemm}, {.part = NULL}};
