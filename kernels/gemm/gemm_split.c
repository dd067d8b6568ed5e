/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "gemm.h"
#include "gemm_backward/gemm_backward.h"
#include "split_rules.h"

/* Rows of C that a part has at least, and columns: a line of f32, two of f64. Tiles adapt
 * their height to the rows there are. */
enum { ROWS = 4, COLUMNS = 16, PAGE = 4096 };

struct range {
    int64_t from, to;
};

/* Part `index` of `count` in whole steps. */
static struct range range_of(int64_t n, int64_t step, uint32_t index, uint32_t count)
{
    const int64_t steps = (n + step - 1) / step;
    const int64_t from = steps * index / count * step;
    const int64_t to = steps * (index + 1) / count * step;
    return (struct range){.from = from, .to = to < n ? to : n};
}

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

bool split_gemm(struct operands *part, uint32_t index, uint32_t count)
{
    struct simdbench_shape *const shape = &part->shape;
    const struct grid grid = choose(shape, count);
    const struct range deep = range_of(gemm_matrices(shape), 1,
                                       index / (grid.rows * grid.columns), grid.matrices);
    const struct range tall =
        range_of(shape->dim[0], ROWS, index / grid.columns % grid.rows, grid.rows);
    const struct range wide =
        range_of(shape->dim[1], COLUMNS, index % grid.columns, grid.columns);
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

/* ---- gemm_backward ---- */

/* A part keeps its rows of dA and columns of dB behind the dimensions. */
enum { ROW = 3, ROW_END, COLUMN, COLUMN_END, PART_DIMS };

bool split_backward(struct operands *part, uint32_t index, uint32_t count)
{
    struct simdbench_shape *const shape = &part->shape;
    const struct range rows = range_of(shape->dim[0], 1, index, count);
    const struct range columns = range_of(shape->dim[1], COLUMNS, index, count);
    shape->rank = PART_DIMS;
    shape->dim[ROW] = rows.from;
    shape->dim[ROW_END] = rows.to;
    shape->dim[COLUMN] = columns.from;
    shape->dim[COLUMN_END] = columns.to;
    return rows.to > rows.from || columns.to > columns.from;
}

uint64_t split_bytes_backward(const struct simdbench_operands *part)
{
    const int64_t *const dim = part->shape->dim;
    return (uint64_t)(dim[2] * (dim[COLUMN_END] - dim[COLUMN])) *
           type_bytes(part->operand[3]->type);
}

int split_share_backward(const struct simdbench_kernel *kernel,
                         const struct simdbench_operands *part, void *whole, void **state)
{
    const int64_t *const dim = part->shape->dim;
    struct backward_part *const made = malloc(sizeof *made);
    /* Whole pages, so that no two parts are neighbours. */
    const size_t bytes = split_bytes_backward(part) / PAGE * PAGE + PAGE;
    void *const sums = aligned_alloc(PAGE, bytes);
    (void)kernel;
    (void)whole;
    if (!made || !sums) {
        free(made);
        free(sums);
        return -ENOMEM;
    }
    *made = (struct backward_part){.row = dim[ROW],
                                   .row_end = dim[ROW_END],
                                   .column = dim[COLUMN],
                                   .column_end = dim[COLUMN_END],
                                   .sums = sums};
    *state = made;
    return 0;
}

void split_release_backward(const struct simdbench_kernel *kernel, void *state)
{
    struct backward_part *const made = state;
    (void)kernel;
    free(made->sums);
    free(made);
}
