/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op `every`: y = x, for each element type, shape N, and no fill of its own. Row `last`
 * forgets the last bit of the last element. Rows of instruction sets with additions copy
 * too.
 */
#include "modules/library.h"

#include <inttypes.h>
#include <stdlib.h>

static int every_parse(const char *text, struct simdbench_shape *shape, char *error,
                       size_t error_size)
{
    char *end;
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = 1};
    shape->dim[0] = strtoll(text, &end, 10);
    if (!*end && shape->dim[0] > 0)
        return 0;
    snprintf(error, error_size, "'%s' is no N", text);
    return -EINVAL;
}

static void every_format(const struct simdbench_shape *shape, char *text,
                         size_t text_size)
{
    snprintf(text, text_size, "%" PRId64, shape->dim[0]);
}

static int every_layout(const struct simdbench_shape *shape, uint32_t type,
                        struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    for (int i = 0; i < 2; i++) {
        operand[i]->type = type;
        operand[i]->role = i == 0 ? SIMDBENCH_IN : SIMDBENCH_OUT;
        operand[i]->count = (uint64_t)shape->dim[0];
        operand[i]->ld = shape->dim[0];
    }
    return 2;
}

static size_t size_of(uint32_t type)
{
    static const size_t sizes[] = {0, 4, 8, 4, 8, 1, 1, 2, 2, 4, 8, 2, 2};
    return type < SIMDBENCH_BYTES(0) ? sizes[type] : type - SIMDBENCH_BYTES(0);
}

static int every_reference(const struct simdbench_operands *operands,
                           const char *semiring, const uint64_t *index, uint64_t n,
                           void *value, double *slack)
{
    const struct simdbench_operand *x = operands->operand[0];
    const size_t size = size_of(x->type);
    (void)semiring;
    for (uint64_t i = 0; i < n; i++) {
        memcpy((char *)value + i * size,
               (const char *)x->data + (index ? index[i] : i) * size, size);
        slack[i] = 0;
    }
    return 0;
}

static void every_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                       double *bytes)
{
    *ops = (double)shape->dim[0];
    *bytes = 2 * *ops * (double)size_of(type);
}

static const struct simdbench_op every_op = {
    .size = sizeof every_op,
    .name = "every",
    .summary = "y = x, in every type",
    .shape_help = "N",
    .default_shapes = "100",
    .parse = every_parse,
    .format = every_format,
    .layout = every_layout,
    .reference = every_reference,
    .work = every_work,
};

static void copy_run(const struct simdbench_operands *operands, void *state)
{
    const struct simdbench_operand *x = operands->operand[0];
    (void)state;
    memcpy(operands->operand[1]->data, x->data, x->count * size_of(x->type));
}

static void last_run(const struct simdbench_operands *operands, void *state)
{
    const struct simdbench_operand *y = operands->operand[1];
    copy_run(operands, state);
    ((uint8_t *)y->data)[y->count * size_of(y->type) - 1] ^= 1;
}

#define ROW(type_, isa_, variant_)                                               \
    &(const struct simdbench_kernel)                                             \
    {                                                                            \
        .size = sizeof(struct simdbench_kernel), .type = type_, .op = "every",   \
        .isa = isa_, .variant = #variant_, .roof = "copy", .run = variant_##_run \
    }
#define ROWS(type) ROW(type, "scalar", copy), ROW(type, "scalar", last)

static const struct simdbench_kernel *const kernels[] = {
    ROWS(SIMDBENCH_F32),
    ROWS(SIMDBENCH_U8),
    ROWS(SIMDBENCH_I8),
    ROWS(SIMDBENCH_U16),
    ROWS(SIMDBENCH_I16),
    ROWS(SIMDBENCH_U32),
    ROWS(SIMDBENCH_U64),
    ROWS(SIMDBENCH_F16),
    ROWS(SIMDBENCH_BF16),
    ROWS(SIMDBENCH_BYTES(18)),
#if defined(__x86_64__)
    ROW(SIMDBENCH_U8, "scalar+popcnt", copy),
    ROW(SIMDBENCH_U8, "sse2+ssse3", copy),
    ROW(SIMDBENCH_U8, "avx2+f16c", copy),
    ROW(SIMDBENCH_U8, "avx512+vnni+vbmi2", copy),
    ROW(SIMDBENCH_U8, "avx512+vp2intersect", copy),
#else
    ROW(SIMDBENCH_U8, "scalar+crc32", copy),
    ROW(SIMDBENCH_U8, "neon+dotprod", copy),
    ROW(SIMDBENCH_U8, "neon+sve2", copy),
#endif
    NULL,
};

static const struct simdbench_op *const ops[] = {&every_op, NULL};

MODULE(.name = "every_type", .ops = ops, .kernels = kernels)
