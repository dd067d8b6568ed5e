/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include "prototypes.h"
#include "roof/roof.h"

/* ---- rows of kernels.def ---- */

#define PROBE_NONE_ ~, NULL
#define PROBE_NONE_none ~, NULL
#define TYPE_f32 SIMDBENCH_F32
#define TYPE_f64 SIMDBENCH_F64
#define TYPE_i32 SIMDBENCH_I32
#define TYPE_i64 SIMDBENCH_I64
/* Limits are there for all sets. */
#define PROBE_ALL_roof ~, 1
#define KERNEL(op_, semiring_, type_, isa_, variant_, prepare_, roof_, flags_, ...) \
    ROW_IF(SECOND_OF(PROBE_ALL_##op_, BUILT_##isa_),                                \
           &(const struct simdbench_kernel){                                        \
               .size = sizeof(struct simdbench_kernel),                             \
               .flags = flags_,                                                     \
               .type = TYPE_##type_,                                                \
               .op = #op_,                                                          \
               .semiring = SECOND_OF(PROBE_NONE_##semiring_, #semiring_),           \
               .isa = #isa_,                                                        \
               .variant = #variant_,                                                \
               .roof = SECOND_OF(PROBE_NONE_##roof_, #roof_),                       \
               .prepare = SECOND_OF(PROBE_NONE_##prepare_, prepare_##_prepare),     \
               .run = KERNEL_SYMBOL(op_, semiring_, type_, isa_, variant_),         \
               .release = SECOND_OF(PROBE_NONE_##prepare_, prepare_##_release),     \
               .choice = SECOND_OF(PROBE_NONE_##prepare_, prepare_##_choice),       \
               __VA_ARGS__}, )

static const struct simdbench_kernel *const kernels[] = {
#include "kernels.def"
    NULL,
};

static const struct simdbench_op *const ops[] = {
#define OP(op) &op##_op,
#include "kernels.def"
    NULL,
};

static const struct op_row *const rows[] = {
#define OP(op) &op##_row,
#include "kernels.def"
    NULL,
};

const struct simdbench_op *const *op_list(void)
{
    return ops;
}

const struct op_row *const *op_rows(void)
{
    return rows;
}

const struct simdbench_kernel *const *kernel_list(void)
{
    return kernels;
}

const struct op_row *op_row_find(const char *op)
{
    for (size_t i = 0; rows[i]; i++) {
        if (strcmp(rows[i]->op->name, op) == 0)
            return rows[i];
    }
    return NULL;
}

const struct simdbench_op *op_find(const char *name)
{
    const struct op_row *const row = op_row_find(name);
    return row ? row->op : NULL;
}
