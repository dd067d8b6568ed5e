/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op `refill` works in place: its kernel ends the process unless each call begins with a
 * copy of operand 0. Row `refill` has SIMDBENCH_RESETS, row `keeps` has not.
 * Op `pack` writes the bytes of x that are not 0, and how many they are. Row `rest`
 * writes what it likes behind them, `short` says one less than there are, `late` errs in
 * the last.
 */
#include "modules/library.h"

#include <inttypes.h>
#include <stdlib.h>

static int n_parse(const char *text, struct simdbench_shape *shape, char *error,
                   size_t error_size)
{
    char *end;
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = 2};
    shape->dim[1] = *text == 'k';
    shape->dim[0] = strtoll(text + shape->dim[1], &end, 10);
    if (!*end && shape->dim[0] > 0)
        return 0;
    snprintf(error, error_size, "'%s' is no N", text);
    return -EINVAL;
}

static void n_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    snprintf(text, text_size, "%s%" PRId64, shape->dim[1] ? "k" : "", shape->dim[0]);
}

static void n_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                   double *bytes)
{
    (void)type;
    *ops = *bytes = 2 * (double)shape->dim[0];
}

static void set(struct simdbench_operand *operand, uint32_t type, uint32_t role,
                int64_t count)
{
    operand->type = type;
    operand->role = role;
    operand->count = (uint64_t)count;
    operand->ld = count;
}

/* ---- in place ---- */

static int refill_layout(const struct simdbench_shape *shape, uint32_t type,
                         struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    set(operand[0], type, SIMDBENCH_IN, shape->dim[0]);
    set(operand[1], type, SIMDBENCH_INOUT, shape->dim[0]);
    return 2;
}

static int refill_reference(const struct simdbench_operands *operands,
                            const char *semiring, const uint64_t *index, uint64_t n,
                            void *value, double *slack)
{
    const uint8_t *x = operands->operand[0]->data;
    (void)semiring;
    for (uint64_t i = 0; i < n; i++) {
        ((uint8_t *)value)[i] = (uint8_t)(x[index ? index[i] : i] + 1);
        slack[i] = 0;
    }
    return 0;
}

static void refill_run(const struct simdbench_operands *operands, void *state)
{
    const uint8_t *x = operands->operand[0]->data;
    uint8_t *y = operands->operand[1]->data;
    const uint64_t n = operands->operand[1]->count;
    (void)state;
    /* The call before the clock may be the second one on these operands. */
    if (y[0] != x[0] && y[0] != (uint8_t)(x[0] + 1))
        abort();
    for (uint64_t i = 0; i < n; i++)
        y[i]++;
}

static void keeps_run(const struct simdbench_operands *operands, void *state)
{
    refill_run(operands, state);
}

static const struct simdbench_op refill_op = {.size = sizeof refill_op,
                                              .name = "refill",
                                              .summary = "y += 1",
                                              .shape_help = "N or kN",
                                              .default_shapes = "100",
                                              .inputs = "uniform:0..200",
                                              .parse = n_parse,
                                              .format = n_format,
                                              .layout = refill_layout,
                                              .reference = refill_reference,
                                              .work = n_work};

/* ---- lengths ---- */

static int pack_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    set(operand[0], type, SIMDBENCH_IN, shape->dim[0]);
    set(operand[1], type, SIMDBENCH_OUT, shape->dim[0]);
    set(operand[2], SIMDBENCH_U64, SIMDBENCH_OUT, 1);
    return 3;
}

static uint64_t pack(const struct simdbench_operand *x, uint8_t *y)
{
    const uint8_t *from = x->data;
    uint64_t n = 0;
    for (uint64_t i = 0; i < x->count; i++)
        if (from[i])
            y[n++] = from[i];
    return n;
}

static int pack_reference(const struct simdbench_operands *operands, const char *semiring,
                          const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const struct simdbench_operand *x = operands->operand[0];
    uint8_t *all = calloc(x->count, 1);
    (void)semiring;
    if (!all)
        return -ENOMEM;
    pack(x, all);
    for (uint64_t i = 0; i < n; i++) {
        ((uint8_t *)value)[i] = all[index ? index[i] : i];
        slack[i] = 0;
    }
    free(all);
    return 0;
}

static uint64_t pack_length(const struct simdbench_operands *operands)
{
    return *(const uint64_t *)operands->operand[2]->data;
}

static int pack_verify(const struct simdbench_operands *operands, const char *semiring,
                       const uint64_t *index, uint64_t n, char *error, size_t error_size)
{
    const struct simdbench_operand *x = operands->operand[0];
    uint64_t right = 0;
    (void)semiring, (void)index, (void)n;
    for (uint64_t i = 0; i < x->count; i++)
        right += ((const uint8_t *)x->data)[i] != 0;
    if (right == pack_length(operands))
        return 0;
    snprintf(error, error_size, "the length is %" PRIu64 ", should be %" PRIu64,
             pack_length(operands), right);
    return -EDOM;
}

static const struct simdbench_op pack_op = {.size = sizeof pack_op,
                                            .name = "pack",
                                            .summary = "bytes that are not 0",
                                            .shape_help = "N",
                                            .default_shapes = "100",
                                            .inputs = "uniform:0..2",
                                            .parse = n_parse,
                                            .format = n_format,
                                            .layout = pack_layout,
                                            .reference = pack_reference,
                                            .work = n_work,
                                            .verify = pack_verify,
                                            .length = pack_length};

static void rest_run(const struct simdbench_operands *operands, void *state)
{
    uint8_t *y = operands->operand[1]->data;
    const uint64_t n = pack(operands->operand[0], y);
    (void)state;
    memset(y + n, 77, operands->operand[1]->count - n);
    *(uint64_t *)operands->operand[2]->data = n;
}

static void short_run(const struct simdbench_operands *operands, void *state)
{
    rest_run(operands, state);
    --*(uint64_t *)operands->operand[2]->data;
}

static void late_run(const struct simdbench_operands *operands, void *state)
{
    rest_run(operands, state);
    ((uint8_t *)operands->operand[1]->data)[pack_length(operands) - 1] ^= 64;
}

#define ROW(op_, variant_, ...)                                                   \
    &(const struct simdbench_kernel)                                              \
    {                                                                             \
        .size = sizeof(struct simdbench_kernel), .type = SIMDBENCH_U8, .op = op_, \
        .isa = "scalar", .variant = #variant_, .run = variant_##_run, __VA_ARGS__ \
    }

static const struct simdbench_kernel *const kernels[] = {
    ROW("refill", refill, .flags = SIMDBENCH_RESETS),
    ROW("refill", keeps),
    ROW("pack", rest),
    ROW("pack", short),
    ROW("pack", late),
    NULL};

static const struct simdbench_op *const ops[] = {&refill_op, &pack_op, NULL};

MODULE(.name = "lengths", .ops = ops, .kernels = kernels)
