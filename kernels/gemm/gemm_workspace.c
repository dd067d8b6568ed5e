/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for packed blocks: the state of the rows of gemm and gemm_argmax.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"
#include "gemm_argmax.h"
#include "kernels.h"

static size_t least_of(int64_t a, int64_t b)
{
    return (size_t)(a < b ? a : b);
}

static size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

enum { PAGE = 4096 };

/* Bytes of a block of B and of one of A. */
struct block_sizes {
    size_t panels, rows;
};

/* With k-steps in whole spans of `span`. */
static struct block_sizes block_sizes(const struct simdbench_operands *operands,
                                      size_t span)
{
    const int64_t *const dim = operands->shape->dim;
    const size_t size = type_bytes(operands->operand[0]->type);
    const int64_t most = GEMM_BLOCK_BYTES / (GEMM_DEPTH * (int64_t)size);
    const size_t deep = round_up(least_of(dim[2], GEMM_DEPTH), span);
    const size_t narrow = least_of(dim[2], GEMM_COLUMN_BYTES / (int64_t)size);
    const size_t wide = least_of(dim[1], GEMM_WIDTH);
    const size_t tall = least_of(dim[0], most) + 1;

    /* The last tile of columns may overlap its neighbour, so it is a whole one; copied
     * rows begin in lines of their own. Few columns may be deeper. */
    return (struct block_sizes){
        .panels = round_up((wide < GEMM_TILE && narrow > deep ? narrow : deep) *
                               (wide + GEMM_TILE) * size,
                           PAGE),
        .rows = round_up(tall * (deep * size + 128), PAGE),
    };
}

/* Zeros. NULL: out of memory. */
static char *pages_make(size_t bytes)
{
    char *const memory = aligned_alloc(PAGE, bytes);

    return memory ? memset(memory, 0, bytes) : NULL;
}

/* Room for a block of A and `copies` of one of B. */
static int workspace_make(const struct simdbench_operands *operands, size_t span,
                          size_t copies, void **state, char *error, size_t error_size)
{
    const struct block_sizes sizes = block_sizes(operands, span);
    const size_t bytes = copies * sizes.panels + sizes.rows;
    struct gemm_workspace *workspace = malloc(sizeof *workspace);
    char *memory = pages_make(bytes);

    if (!workspace || !memory) {
        free(workspace);
        free(memory);
        snprintf(error, error_size, "no memory for %zu bytes of packed blocks", bytes);
        return -ENOMEM;
    }
    *workspace = (struct gemm_workspace){
        .panels = memory,
        .columns = copies > 1 ? memory + sizes.panels : NULL,
        .rows = memory + copies * sizes.panels,
        .bytes = bytes,
        .problem.k = -1,
    };
    *state = workspace;
    return 0;
}

/* ---- gemm ---- */

int gemm_workspace_prepare(const struct simdbench_operands *operands, void **state,
                           char *error, size_t error_size)
{
    return workspace_make(operands, 1, 1, state, error, error_size);
}

void gemm_workspace_release(void *state)
{
    struct gemm_workspace *workspace = state;

    if (workspace)
        free(workspace->panels);
    free(workspace);
}

void gemm_workspace_choice(const struct simdbench_operands *operands, const void *state,
                           struct simdbench_choice *choice)
{
    const struct gemm_workspace *workspace = state;

    (void)operands;
    choice->workspace_bytes = workspace->bytes;
}

/* ---- gemm_argmax: B twice ---- */

int gemm_argmax_workspace_prepare(const struct simdbench_operands *operands, void **state,
                                  char *error, size_t error_size)
{
    return workspace_make(operands, GEMM_SPAN, 2, state, error, error_size);
}

void gemm_argmax_workspace_release(void *state)
{
    gemm_workspace_release(state);
}

void gemm_argmax_workspace_choice(const struct simdbench_operands *operands,
                                  const void *state, struct simdbench_choice *choice)
{
    gemm_workspace_choice(operands, state, choice);
}
