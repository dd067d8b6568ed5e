/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution as a matrix product. The image's columns, one for each pixel of y, hold all
 * the x that the pixel needs: a matrix r*s times as large as x, made anew for every image
 * inside the timed call. Where it would be x itself (1x1, stride 1, no padding), x is
 * multiplied as it lies.
 */
#include "openblas.h"

#include <limits.h>
#include <stdlib.h>

#include "conv/conv.h"
#include "library.h"

struct im2col {
    struct conv_shape shape;
    int m, n, k;    /* of the product: k/g, oh * ow, c/g * r * s */
    float *columns; /* k x n, or NULL: x is that matrix */
    uint64_t bytes;
};

static int im2col_prepare(const struct simdbench_operands *operands, void **state,
                          char *error, size_t error_size)
{
    const struct conv_shape shape = conv_shape_of(operands->shape);
    const int64_t n = shape.oh * shape.ow, k = shape.cg * shape.r * shape.s;
    if (shape.kg > INT_MAX || n > INT_MAX || k > INT_MAX)
        return refuse(error, error_size, -ENOTSUP, "OpenBLAS takes dimensions up to %d",
                      INT_MAX);
    struct im2col *work = calloc(1, sizeof *work);
    if (!work)
        return -ENOMEM;
    *work = (struct im2col){.shape = shape, .m = (int)shape.kg, .n = (int)n, .k = (int)k};
    if (shape.r * shape.s * shape.u * shape.v > 1 || shape.p + shape.q > 0) {
        /* Both are below 2^31. */
        work->bytes = (uint64_t)n * (uint64_t)k * sizeof(float);
        work->columns = work->bytes > PTRDIFF_MAX ? NULL : malloc(work->bytes);
        if (!work->columns) {
            snprintf(error, error_size, "no memory for a matrix of %lld x %lld",
                     (long long)k, (long long)n);
            free(work);
            return -ENOMEM;
        }
        memset(work->columns, 0, work->bytes);
    }
    *state = work;
    return 0;
}

static void im2col_release(void *state)
{
    struct im2col *work = state;
    free(work->columns);
    free(work);
}

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* One row of columns, seen from kernel element e: x at e - q, e - q + v, ... */
static void copy_row(const struct conv_shape *s, const float *x, int64_t e, float *to)
{
    const int64_t start = e * s->d - s->q;
    /* The first pixel that is not left of x, and the first that is right of it. */
    const int64_t first = clamp((s->v - 1 - start) / s->v, s->ow);
    const int64_t end =
        start >= s->w ? first : clamp((s->w - 1 - start) / s->v + 1, s->ow);
    memset(to, 0, (size_t)first * sizeof *to);
    if (s->v == 1 && end > first)
        memcpy(to + first, x + start + first, (size_t)(end - first) * sizeof *to);
    for (int64_t j = first; s->v > 1 && j < end; j++)
        to[j] = x[start + j * s->v];
    memset(to + end, 0, (size_t)(s->ow - end) * sizeof *to);
}

static void fill_columns(const struct conv_shape *s, const float *x, float *to)
{
    for (int64_t c = 0; c < s->cg; c++) {
        for (int64_t a = 0; a < s->r; a++) {
            for (int64_t e = 0; e < s->s; e++) {
                for (int64_t i = 0; i < s->oh; i++, to += s->ow) {
                    const int64_t row = i * s->u - s->p + a * s->d;
                    if (row < 0 || row >= s->h)
                        memset(to, 0, (size_t)s->ow * sizeof *to);
                    else
                        copy_row(s, x + (c * s->h + row) * s->w, e, to);
                }
            }
        }
    }
}

static void im2col_run(const struct simdbench_operands *operands, void *state)
{
    const struct im2col *work = state;
    const struct conv_shape *s = &work->shape;
    const float *x = operands->operand[0]->data, *weights = operands->operand[1]->data;
    float *y = operands->operand[2]->data;
    for (int64_t image = 0; image < s->n; image++) {
        for (int64_t group = 0; group < s->g; group++) {
            const float *columns = x;
            if (work->columns) {
                fill_columns(s, x, work->columns);
                columns = work->columns;
            }
            blas.sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, work->m, work->n, work->k,
                       1, weights + group * work->m * (int64_t)work->k, work->k, columns,
                       work->n, 0, y, work->n);
            x += s->cg * s->h * s->w;
            y += work->m * (int64_t)work->n;
        }
    }
}

static void im2col_choice(const struct simdbench_operands *operands, const void *state,
                          struct simdbench_choice *choice)
{
    const struct im2col *work = state;
    choice->implementation = work->columns ? "im2col, sgemm" : "sgemm alone";
    choice->note = work->columns ? "im2col is inside the timed call" : NULL;
    choice->workspace_bytes = work->bytes;
}

const struct simdbench_kernel conv_im2col = {
    .size = sizeof conv_im2col,
    .type = SIMDBENCH_F32,
    .op = "conv",
    .isa = "lib",
    .variant = "im2col",
    .layout = "nchw",
    .roof = "fma",
    .prepare = im2col_prepare,
    .run = im2col_run,
    .release = im2col_release,
    .choice = im2col_choice,
};
