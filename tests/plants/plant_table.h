/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a module. PLANTS is the file with its rows, PLANTS_MORE(op) what else the
 * rows of an op say, PLANTS_MODULE what the module says. */
#define PLANT(name_, op_, type_, isa_, prepare_, release_) \
    static const struct simdbench_kernel name_##_row = {   \
        .size = sizeof(struct simdbench_kernel),           \
        .type = SIMDBENCH_##type_,                         \
        .op = #op_,                                        \
        .isa = #isa_,                                      \
        .variant = #name_,                                 \
        .prepare = prepare_,                               \
        .run = name_,                                      \
        .release = release_,                               \
        PLANTS_MORE(op_)};
#include PLANTS
#undef PLANT

#define PLANT(name, op, type, isa, prepare, release) &name##_row,
static const struct simdbench_kernel *const kernels[] = {
#include PLANTS
    NULL};
#undef PLANT

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    static const struct simdbench_module module = {
        .size = sizeof module, .abi = SIMDBENCH_ABI, .kernels = kernels, PLANTS_MODULE};
    return &module;
}
