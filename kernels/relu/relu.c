/* SPDX-License-Identifier: Apache-2.0 */
#include "relu.h"

#include <inttypes.h>
#include <unistd.h>

#include "kernels.h"
#include "matrix_op.h"
#include "split_rules.h"
#include "vector_input.h"

/* ---- shapes ---- */

static const char in_place[] = "inplace";

static bool is_in_place(const struct simdbench_shape *shape)
{
    return shape->rank == 2;
}

static int relu_parse(const char *text, struct simdbench_shape *shape, char *error,
                      size_t error_size)
{
    const size_t prefix = strlen(in_place);
    const bool inside = strncmp(text, in_place, prefix) == 0;
    const int status =
        vector_parse(inside ? text + prefix : text, shape, error, error_size);

    if (status == -EINVAL)
        snprintf(error, error_size, "'%s' is no shape: write N or %sN", text, in_place);
    if (status == 0 && inside) {
        shape->rank = 2;
        shape->dim[1] = 1;
    }
    return status;
}

static void relu_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    snprintf(text, text_size, "%s%" PRId64, is_in_place(shape) ? in_place : "",
             shape->dim[0]);
}

static const char *relu_layout_of(const struct simdbench_shape *shape)
{
    return is_in_place(shape) ? in_place : "separate";
}

static int relu_relayout(struct simdbench_shape *shape, const char *layout, char *error,
                         size_t error_size)
{
    const bool inside = strcmp(layout, in_place) == 0;

    if (!inside && strcmp(layout, "separate") != 0) {
        snprintf(error, error_size, "'%s' is no layout of relu: separate or %s", layout,
                 in_place);
        return -EINVAL;
    }
    shape->rank = inside ? 2 : 1;
    shape->dim[1] = inside;
    return 0;
}

static int relu_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const uint32_t out = is_in_place(shape) ? SIMDBENCH_INOUT : SIMDBENCH_OUT;

    return vector_layout(shape, type, out, operand);
}

/* Zeros are given the least slack there is, which makes both of them right. */
static int relu_reference(const struct simdbench_operands *operands, const char *semiring,
                          const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const struct simdbench_operand *x = operands->operand[0];

    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = index ? index[i] : i;
        const double in = operand_float(x, at), out = in < 0 ? 0 : in;
        answer_set(x, i, value, out);
        slack[i] = out == 0 ? type_least(x->type) : 0;
    }
    return 0;
}

/* ---- rows `auto` ---- */

/* Streaming never wins where everything fits into the caches of this core: the first row
 * of the table is taken there. */
static bool fits_level_2(const struct simdbench_operands *operands)
{
    const struct simdbench_operand *const y = operands->operand[1];
    const long level_2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return level_2 > 0 && 2 * y->count * type_bytes(y->type) <= (size_t)level_2;
}

static int relu_auto(const char *isa, const struct simdbench_operands *operands,
                     void **state, char *error, size_t error_size)
{
    static const struct fastest_pace pace = {
        .sample_ns = 0.2e6, .spell_ns = 1e6, .budget_ns = 50e6};
    return fastest_choose("relu", isa, fits_level_2(operands) ? 1 : SIZE_MAX, operands,
                          &pace, state, error, error_size);
}

#define AUTO(isa) KERNEL_HOOKS(relu_auto_##isa, relu_auto, #isa, free, fastest_tell)
AUTO(scalar)
EACH_VECTOR_ISA(AUTO)

/* ---- the op ---- */

const struct simdbench_op relu_op = {
    .size = sizeof relu_op,
    .name = "relu",
    .summary = "rectifier y = max(0, x)",
    .shape_help = "N or inplaceN",
    .default_shapes = "1k,16k,128k,1M,16M",
    .parse = relu_parse,
    .format = relu_format,
    .layout = relu_layout,
    .fill = vector_op_fill,
    .reference = relu_reference,
    .work = vector_work,
    .layouts = "separate,inplace",
    .relayout = relu_relayout,
    .layout_of = relu_layout_of,
    /* Vectors that fit in L1, L2 and L3 of most CPUs, and in none. */
    .lists = SHAPE_SUITE("2048 32768 524288 16777216"),
    .inputs = VECTOR_INPUTS,
};

const struct op_row relu_row = {
    .op = &relu_op,
    .libraries = OP_LIST("onednn"),
    .examples =
        OP_LIST("--sizes=1k..16M*4", "--layout=inplace --type=f32,f64 --sizes=1M"),
    .threads_sizes = "1Ki..4Mi*4",
    .license = {.turn = 2, .variant = "auto", .layout = "separate", .sizes = "1k..1M*10"},
    .split = split_by_elements_shared,
};
