/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `graphblas`: SuiteSparse:GraphBLAS 7 (Debian: libgraphblas7), the library whose
 * semirings make it one for max-plus and min-plus, as baseline of op gemm.
 *
 * All three matrices are full, held by row, and lie in the operands: to pack one hands
 * over a pointer, to unpack it gives the pointer back. C is filled with the semiring's
 * zero and accumulated into: so maxtimes begins at 0, as op gemm wants it.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include <GraphBLAS.h>

#include "library.h"

/* clang-format off */
#define FUNCTIONS(F) \
    F(GrB_init) F(GrB_finalize) F(GrB_Matrix_new) F(GrB_Matrix_free) F(GrB_Matrix_wait) \
    F(GrB_mxm) F(GxB_Matrix_pack_FullR) F(GxB_Matrix_unpack_FullR) \
    F(GxB_Global_Option_set_INT32) F(GxB_Global_Option_get)
/* semiring, type, their names elsewhere, the zero, the roof */
#define ROWS(ROW) \
    ROW(maxplus, f32, F32, FP32, MAX, PLUS, -INFINITY, add_max) \
    ROW(minplus, f32, F32, FP32, MIN, PLUS, INFINITY, add_max) \
    ROW(maxtimes, f32, F32, FP32, MAX, TIMES, 0, mul_max) \
    ROW(maxplus, f64, F64, FP64, MAX, PLUS, -INFINITY, add_max) \
    ROW(minplus, f64, F64, FP64, MIN, PLUS, INFINITY, add_max) \
    ROW(maxtimes, f64, F64, FP64, MAX, TIMES, 0, mul_max)
/* clang-format on */

static struct {
    void *handle;
    char version[64];
#define POINTER(name) __typeof__(name) *name;
    FUNCTIONS(POINTER)
#undef POINTER
} graph;

/* Objects are variables of the library, which GrB_init sets. */
struct row {
    const GrB_Type *type;
    const GrB_BinaryOp *accumulate;
    const GrB_Semiring *semiring;
    double zero;
};

struct state {
    const struct row *row;
    GrB_Matrix matrix[3]; /* C is empty but while run works */
    void *data[2];        /* the values of A and B */
};

static uint64_t bytes_of(const struct simdbench_operand *operand)
{
    return operand->count *
           (operand->type == SIMDBENCH_F32 ? sizeof(float) : sizeof(double));
}

/* Gives back what was packed, and frees the handles. */
static void mxm_release(void *opaque)
{
    struct state *state = opaque;
    for (int i = 0; i < 3; i++) {
        void *data = NULL;
        GrB_Index bytes;
        bool same;
        if (i < 2 && state->data[i])
            graph.GxB_Matrix_unpack_FullR(state->matrix[i], &data, &bytes, &same, NULL);
        if (state->matrix[i])
            graph.GrB_Matrix_free(&state->matrix[i]);
    }
    free(state);
}

static GrB_Info pack(const struct simdbench_operand *operand, GrB_Matrix matrix)
{
    void *data = operand->data;
    return graph.GxB_Matrix_pack_FullR(matrix, &data, bytes_of(operand), false, NULL);
}

static GrB_Info make_matrices(const struct simdbench_operands *operands,
                              struct state *state)
{
    const int64_t *dim = operands->shape->dim, m = dim[0], n = dim[1], k = dim[2];
    const int64_t rows[] = {m, k, m}, columns[] = {k, n, n};
    GrB_Info status = GrB_SUCCESS;
    for (int i = 0; i < 3 && status == GrB_SUCCESS; i++) {
        status = graph.GrB_Matrix_new(&state->matrix[i], *state->row->type,
                                      (GrB_Index)rows[i], (GrB_Index)columns[i]);
        if (status == GrB_SUCCESS && i < 2) {
            status = pack(operands->operand[i], state->matrix[i]);
            state->data[i] = status == GrB_SUCCESS ? operands->operand[i]->data : NULL;
        }
    }
    return status;
}

static int mxm_prepare(const struct simdbench_operands *operands, const struct row *row,
                       void **out, char *error, size_t error_size)
{
    const int64_t *dim = operands->shape->dim;
    const int64_t columns[] = {dim[2], dim[1], dim[1]};
    if (operands->shape->rank != 3)
        return refuse(error, error_size, -ENOTSUP,
                      "GraphBLAS multiplies two matrices, no batch");
    for (int i = 0; i < 3; i++) {
        if (dim[i] == 0 || operands->operand[i]->ld != columns[i])
            return refuse(error, error_size, -ENOTSUP,
                          "full matrices of GraphBLAS have elements, and "
                          "no gaps between rows");
    }
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return -ENOMEM;
    state->row = row;
    GrB_Info status = make_matrices(operands, state);
    if (status == GrB_SUCCESS) {
        *out = state;
        return 0;
    }
    mxm_release(state);
    snprintf(error, error_size, "GraphBLAS refuses the matrices (GrB_Info %d)",
             (int)status);
    return status == GrB_OUT_OF_MEMORY ? -ENOMEM : -EIO;
}

static void fill(const struct simdbench_operand *operand, double value)
{
    float *single = operand->data;
    double *twice = operand->data;
    if (operand->type == SIMDBENCH_F32) {
        for (uint64_t i = 0; i < operand->count; i++)
            single[i] = (float)value;
    } else {
        for (uint64_t i = 0; i < operand->count; i++)
            twice[i] = value;
    }
}

static void mxm_run(const struct simdbench_operands *operands, void *opaque)
{
    const struct state *state = opaque;
    const struct simdbench_operand *c = operands->operand[2];
    void *data = NULL;
    GrB_Index bytes;
    bool same;
    fill(c, state->row->zero);
    pack(c, state->matrix[2]);
    graph.GrB_mxm(state->matrix[2], NULL, *state->row->accumulate, *state->row->semiring,
                  state->matrix[0], state->matrix[1], NULL);
    graph.GrB_Matrix_wait(state->matrix[2], GrB_MATERIALIZE);
    graph.GxB_Matrix_unpack_FullR(state->matrix[2], &data, &bytes, &same, NULL);
}

static void mxm_choice(const struct simdbench_operands *operands, const void *state,
                       struct simdbench_choice *choice)
{
    choice->implementation = "GrB_mxm, full by row";
    choice->note = "filling C with the semiring's zero is inside, and so is memory that "
                   "GrB_mxm allocates";
}

/* ---- rows ---- */

/* clang-format off */
#define ROW(semiring_, type_, simdbench_type, graph_type, add, multiply, zero_, roof_) \
    static struct row row_##semiring_##_##type_ = {.zero = (zero_)}; \
    static PREPARE(prepare_##semiring_##_##type_, mxm_prepare, &row_##semiring_##_##type_) \
    static const struct simdbench_kernel kernel_##semiring_##_##type_ = { \
        .size = sizeof kernel_##semiring_##_##type_, \
        .type = SIMDBENCH_##simdbench_type, \
        .op = "gemm", \
        .semiring = #semiring_, \
        .isa = "lib", \
        .variant = "mxm", \
        .roof = #roof_, \
        .prepare = prepare_##semiring_##_##type_, \
        .run = mxm_run, \
        .release = mxm_release, \
        .choice = mxm_choice, \
    };
#define SYMBOL(name) {#name, &graph.name},
#define ROW_SYMBOLS(semiring_, type_, simdbench_type, graph_type, add, multiply, ...) \
    {"GrB_" #graph_type, &row_##semiring_##_##type_.type}, \
    {"GrB_" #add "_" #graph_type, &row_##semiring_##_##type_.accumulate}, \
    {"GrB_" #add "_" #multiply "_SEMIRING_" #graph_type, \
     &row_##semiring_##_##type_.semiring},
#define KERNEL(semiring_, type_, ...) &kernel_##semiring_##_##type_,
/* clang-format on */

ROWS(ROW)

static const struct simdbench_kernel *const kernels[] = {ROWS(KERNEL) NULL};

/* ---- module ---- */

static int graphblas_set_threads(uint32_t threads)
{
    if (threads == 0 || threads > INT_MAX)
        return -EINVAL;
    return graph.GxB_Global_Option_set_INT32(GxB_GLOBAL_NTHREADS, (int32_t)threads) ==
                   GrB_SUCCESS
               ? 0
               : -EIO;
}

static int graphblas_open(const struct simdbench_option *const *options, size_t n,
                          char *error, size_t error_size)
{
    static const struct library library = {
        "libgraphblas.so.7",
        "install SuiteSparse:GraphBLAS 7, e.g. package libgraphblas7"};
    static const struct symbol symbols[] = {FUNCTIONS(SYMBOL) ROWS(ROW_SYMBOLS)};
    int version[3] = {0};
    int status = library_no_options(options, n, error, error_size)
                     ?: library_load(&library, &graph.handle, symbols, SYMBOLS(symbols),
                                     error, error_size);
    if (status < 0)
        return status;
    if (graph.GrB_init(GrB_NONBLOCKING) != GrB_SUCCESS || graphblas_set_threads(1) < 0)
        return refuse(error, error_size, -EIO, "GraphBLAS does not start");
    graph.GxB_Global_Option_get(GxB_LIBRARY_VERSION, version);
    snprintf(graph.version, sizeof graph.version, "SuiteSparse:GraphBLAS %d.%d.%d",
             version[0], version[1], version[2]);
    return 0;
}

static void graphblas_close(void)
{
    graph.GrB_finalize();
}

/* Its build names no instruction set; only plus-times has code for wider ones. */
static int graphblas_describe(struct simdbench_description *description)
{
    description->version = graph.version;
    description->core = "x86-64";
    description->isa = "sse2";
    return 0;
}

MODULE(.name = "graphblas", .kernels = kernels, .open = graphblas_open,
       .describe = graphblas_describe, .set_threads = graphblas_set_threads,
       .close = graphblas_close)
