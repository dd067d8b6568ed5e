/* SPDX-License-Identifier: Apache-2.0 */
#include "maxpool.h"

#include <inttypes.h>
#include <math.h>

#include "kernels.h"
#include "matrix_op.h"
#include "split_rules.h"

static const char letters[] = "nchwrs";
enum { DIMS = sizeof letters - 1 };

static int maxpool_parse(const char *text, struct simdbench_shape *shape, char *error,
                         size_t error_size)
{
    struct simdbench_shape read = {.size = sizeof read, .rank = DIMS};
    const char *at = text;
    bool good = true;
    char square[64];
    if (*text && strlen(text) <= 6 && text[strspn(text, "0123456789")] == '\0') {
        snprintf(square, sizeof square, "n1c64h%sw%sr2s2", text, text);
        at = square;
    }
    for (int i = 0; i < DIMS && good; i++) {
        const size_t digits = *at == letters[i] ? strspn(at + 1, "0123456789") : 0;
        good = digits > 0 && digits <= 6;
        read.dim[i] = good ? strtol(at + 1, NULL, 10) : 0;
        good = read.dim[i] > 0;
        at += digits + 1;
    }
    if (!good || *at) {
        snprintf(error, error_size,
                 "'%s' is no shape: write n1c64h112w112r2s2, for images, channels, "
                 "height, width, window and stride, or 112",
                 text);
        return -EINVAL;
    }
    if (read.dim[4] > read.dim[2] || read.dim[4] > read.dim[3]) {
        snprintf(error, error_size, "'%s': the window is larger than the image", text);
        return -EINVAL;
    }
    *shape = read;
    return 0;
}

static void maxpool_format(const struct simdbench_shape *shape, char *text,
                           size_t text_size)
{
    const int64_t *const d = shape->dim;
    snprintf(text, text_size,
             "n%" PRId64 "c%" PRId64 "h%" PRId64 "w%" PRId64 "r%" PRId64 "s%" PRId64,
             d[0], d[1], d[2], d[3], d[4], d[5]);
}

static int maxpool_layout(const struct simdbench_shape *shape, uint32_t type,
                          struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const struct pool pool = pool_of(shape);
    const __int128 count = (__int128)pool.planes * pool.height * pool.width;
    if (count > PTRDIFF_MAX)
        return -EOVERFLOW;
    const int status = operand_plain(operand[0], type, SIMDBENCH_IN, (uint64_t)count);
    if (status < 0)
        return status;
    operand_plain(operand[1], type, SIMDBENCH_OUT,
                  (uint64_t)(pool.planes * pool.rows * pool.columns));
    return 2;
}

static double largest(const struct simdbench_operand *x, const struct pool *pool,
                      uint64_t at)
{
    const int64_t e = (int64_t)at, j = e % pool->columns * pool->stride,
                  i = e / pool->columns % pool->rows * pool->stride,
                  plane = e / pool->columns / pool->rows;
    double most = -INFINITY;
    for (int64_t a = 0; a < pool->window; a++)
        for (int64_t b = 0; b < pool->window; b++)
            most = fmax(most, operand_float(x, (uint64_t)((plane * pool->height + i + a) *
                                                              pool->width +
                                                          j + b)));
    return most;
}

static int maxpool_reference(const struct simdbench_operands *operands,
                             const char *semiring, const uint64_t *index, uint64_t n,
                             void *value, double *slack)
{
    const struct pool pool = pool_of(operands->shape);
    const struct simdbench_operand *const x = operands->operand[0];
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const double right = largest(x, &pool, index ? index[i] : i);
        answer_set(operands->operand[1], i, value, right);
        slack[i] = right == 0 ? type_least(x->type) : 0;
    }
    return 0;
}

/* An operation for each element of a window but the first. */
static void maxpool_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                         double *bytes)
{
    const struct pool pool = pool_of(shape);
    const double in = (double)(pool.planes * pool.height * pool.width),
                 out = (double)(pool.planes * pool.rows * pool.columns);
    *ops = out * (double)(pool.window * pool.window - 1);
    *bytes = (in + out) * (double)type_bytes(type);
}

/* Whole planes for each thread. */
static bool part_of_planes(struct operands *part, uint32_t index, uint32_t count)
{
    const struct pool pool = pool_of(&part->shape);
    const struct split_range planes = split_range(pool.planes, 1, index, count);
    const int64_t each[] = {pool.height * pool.width, pool.rows * pool.columns};
    part->shape.dim[0] = planes.to - planes.from;
    part->shape.dim[1] = 1;
    for (int i = 0; i < 2; i++) {
        struct simdbench_operand *const operand = &part->operand[i];
        const size_t bytes = type_bytes(operand->type);
        operand->data = (char *)operand->data + (size_t)(planes.from * each[i]) * bytes;
        operand->count = (uint64_t)(part->shape.dim[0] * each[i]);
    }
    return planes.to > planes.from;
}

static const struct split_rule by_planes[] = {{.part = part_of_planes}, {.part = NULL}};

const struct simdbench_op maxpool_op = {
    .size = sizeof maxpool_op,
    .name = "maxpool",
    .summary = "largest element of each window of an image",
    .shape_help = "nNcChHwWrRsS, or H of a square image: 64 is n1c64h64w64r2s2",
    .default_shapes = "n1c64h112w112r2s2,n1c64h112w112r3s2,n1c64h112w112r3s1",
    .parse = maxpool_parse,
    .format = maxpool_format,
    .layout = maxpool_layout,
    .fill = matrix_fill,
    .reference = maxpool_reference,
    .work = maxpool_work,
    .inputs = "normal, uniform:LO..HI",
    .lists = SHAPE_SUITE(
        "n1c4h28w28r2s2 n1c64h28w28r2s2 n1c64h112w112r3s2 n16c64h112w112r2s2"),
};

const struct op_row maxpool_row = {
    .op = &maxpool_op,
    .libraries = OP_LIST("onednn"),
    .examples = OP_LIST("--sizes=n1c64h112w112r2s2 --isa=all"),
    .threads_sizes = "n1c8h56w56r2s2,n1c64h112w112r2s2",
    .split = by_planes,
};
