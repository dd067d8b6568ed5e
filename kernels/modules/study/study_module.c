/* SPDX-License-Identifier: Apache-2.0 */
#include "study_rows.h"

#include "modules/library.h"
#include "prototypes.h"

void study_hook(const struct simdbench_operands *operands)
{
}

static int study_open(const struct simdbench_option *const *options, size_t n,
                      char *error, size_t error_size)
{
    return library_no_options(options, n, error, error_size);
}

static int study_describe(struct simdbench_description *description)
{
    description->version = "simdbench " STUDY_VERSION;
    return 0;
}

/* ---- rows of study.def ---- */

#define PROBE_NONE_ ~, NULL
#define PROBE_NONE_none ~, NULL
/* In place there is nothing to allocate. */
#define PROBE_LAYOUT_relu ~, "separate"
#define ROW(op_, semiring_, isa_, variant_, hooks_, roof_, flags_)          \
    ROW_IF(BUILT_##isa_,                                                    \
           &(const struct simdbench_kernel){                                \
               .size = sizeof(struct simdbench_kernel),                     \
               .flags = flags_,                                             \
               .type = SIMDBENCH_F32,                                       \
               .op = #op_,                                                  \
               .semiring = SECOND_OF(PROBE_NONE_##semiring_, #semiring_),   \
               .isa = #isa_,                                                \
               .variant = #variant_,                                        \
               .layout = SECOND_OF(PROBE_LAYOUT_##op_, NULL),               \
               .roof = SECOND_OF(PROBE_NONE_##roof_, #roof_),               \
               .prepare = SECOND_OF(PROBE_NONE_##hooks_, hooks_##_prepare), \
               .run = STUDY_SYMBOL(op_, semiring_, isa_, variant_),         \
               .release = SECOND_OF(PROBE_NONE_##hooks_, hooks_##_release), \
               .choice = SECOND_OF(PROBE_NONE_##hooks_, hooks_##_choice)}, )

static const struct simdbench_kernel *const kernels[] = {
#include "study.def"
    NULL,
};

MODULE(.name = "study", .ops = study_ops, .kernels = kernels, .open = study_open,
       .describe = study_describe)
