/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for packed blocks: the state of the rows of gemm and gemm_argmax.
 */
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

/* Limits of a block: k-steps of elements of 4 and of 8 bytes, and bytes of A. With deep
 * ones C is read and written less often, but B comes from the second cache. */
struct limits {
    int64_t depth[2], bytes;
};
static const struct limits shallow = {{GEMM_ARGMAX_DEPTH, GEMM_ARGMAX_DEPTH},
                                      GEMM_ARGMAX_BYTES};

/* A block of A that is less deep than this is no taller. */
enum { LEAST_DEPTH = 256 };

static void set_limits(struct gemm_workspace *workspace, const struct limits *limits,
                       int64_t k, size_t size)
{
    const int64_t depth = limits->depth[size == 8];
    const int64_t full = k < LEAST_DEPTH ? LEAST_DEPTH : k < depth ? k : depth;

    workspace->depth = depth;
    workspace->tall = limits->bytes / (full * (int64_t)size);
}

/* Sets the sizes of blocks of B and A; k-steps are a multiple of `span`. */
static void block_sizes(const struct simdbench_operands *operands,
                        const struct gemm_workspace *workspace, size_t span,
                        size_t *panels, size_t *rows)
{
    const int64_t *const dim = operands->shape->dim;
    const size_t size = type_bytes(operands->operand[0]->type);
    const size_t steps = round_up(least_of(dim[2], workspace->depth), span);
    const size_t narrow = least_of(dim[2], GEMM_COLUMN_BYTES / (int64_t)size);
    const size_t wide = least_of(dim[1], GEMM_WIDTH);
    const size_t tall = least_of(dim[0], workspace->tall) + 1;

    /* The last tile of columns may overlap its neighbour, so it is a whole one; copied
     * rows begin in lines of their own. Few columns may be deeper. */
    *panels = round_up((wide < GEMM_LANES && narrow > steps ? narrow : steps) *
                           (wide + GEMM_LANES) * size,
                       PAGE);
    *rows = round_up(tall * (steps * size + 128), PAGE);
}

/* Zeros. NULL: out of memory. */
static char *pages_make(size_t bytes)
{
    char *const memory = aligned_alloc(PAGE, bytes);

    return memory ? memset(memory, 0, bytes) : NULL;
}

/* Room for a block of A and `copies` of one of B. */
static int workspace_make(const struct simdbench_operands *operands,
                          const struct limits *limits, size_t span, size_t copies,
                          void **state, char *error, size_t error_size)
{
    struct gemm_workspace made = {.problem.k = -1};
    size_t panels, rows;

    set_limits(&made, limits, operands->shape->dim[2],
               type_bytes(operands->operand[0]->type));
    block_sizes(operands, &made, span, &panels, &rows);
    made.bytes = copies * panels + rows;

    struct gemm_workspace *const workspace = malloc(sizeof *workspace);
    char *const memory = pages_make(made.bytes);
    if (!workspace || !memory) {
        free(workspace);
        free(memory);
        snprintf(error, error_size, "no memory for %zu bytes of packed blocks",
                 made.bytes);
        return -ENOMEM;
    }
    made.panels = memory;
    made.columns = copies > 1 ? memory + panels : NULL;
    made.rows = memory + copies * panels;
    *workspace = made;
    *state = workspace;
    return 0;
}

/* ---- rows of the tables ---- */

static void workspace_free(struct gemm_workspace *workspace)
{
    if (workspace)
        free(workspace->panels);
    free(workspace);
}

static void workspace_tell(const struct gemm_workspace *workspace,
                           struct simdbench_choice *choice)
{
    choice->workspace_bytes = workspace->bytes;
}

static int gemm_make(const struct limits *limits,
                     const struct simdbench_operands *operands, void **state, char *error,
                     size_t error_size)
{
    return workspace_make(operands, limits, 1, 1, state, error, error_size);
}

/* B twice. */
static int argmax_make(const struct limits *limits,
                       const struct simdbench_operands *operands, void **state,
                       char *error, size_t error_size)
{
    return workspace_make(operands, limits, GEMM_SPAN, 2, state, error, error_size);
}

#define WORKSPACE(name, make, limits) \
    KERNEL_HOOKS(name, make, &(limits), workspace_free, workspace_tell)
WORKSPACE(gemm_argmax_workspace, argmax_make, shallow)
WORKSPACE(gemm_workspace_scalar, gemm_make, shallow)
#if defined(__x86_64__)
WORKSPACE(gemm_workspace_sse2, gemm_make, shallow)
WORKSPACE(gemm_workspace_avx2, gemm_make, shallow)
static const struct limits deep = {{1024, 512}, 240 << 10};
WORKSPACE(gemm_workspace_avx512, gemm_make, deep)
#elif defined(__aarch64__)
WORKSPACE(gemm_workspace_neon, gemm_make, shallow)
#endif
