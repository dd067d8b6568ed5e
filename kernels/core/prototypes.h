/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares all that kernels.def names: ops, kernels, prepare, release, choice.
 * For the files that define them, and for the registry.
 */
#pragma once

#include "op_row.h"
#include "simdbench.h"

/* SECOND_OF(PROBE_##x, y) is y, unless x has a PROBE_x macro "~, z": then it is z. */
#define SECOND(first, second, ...) second
#define SECOND_OF(...) SECOND(__VA_ARGS__, ~)
#define PROBE_SEMIRING_ ~,

/* ROW_IF(BUILT_<isa>, row) is that row, or nothing if this build has no kernels for the
 * instruction set (Meson's option `isas`). */
#define ROW_IF(built, ...) ROW_IF_EXPANDED(built, __VA_ARGS__)
#define ROW_IF_EXPANDED(built, ...) ROW_IF_##built(__VA_ARGS__)
#define ROW_IF_0(...)
#define ROW_IF_1(...) __VA_ARGS__

/* Name of a kernel's function. An empty semiring leaves its part out. */
#define PASTE(a, b, c, d, e) a##b##_##c##_##d##_##e
#define PASTE_EXPANDED(...) PASTE(__VA_ARGS__)
#define KERNEL_SYMBOL(op, semiring, type, isa, variant)                              \
    PASTE_EXPANDED(op, SECOND_OF(PROBE_SEMIRING_##semiring, _##semiring), type, isa, \
                   variant)

/* Defines what the prepare column `name` of a row names: make(argument, ...the hook's),
 * and release_(state) and tell(state, choice). */
#define KERNEL_HOOKS(name, make, argument, release_, tell)                           \
    int name##_prepare(const struct simdbench_operands *operands, void **state,      \
                       char *error, size_t error_size)                               \
    {                                                                                \
        return make(argument, operands, state, error, error_size);                   \
    }                                                                                \
    void name##_release(void *state)                                                 \
    {                                                                                \
        release_(state);                                                             \
    }                                                                                \
    void name##_choice(const struct simdbench_operands *operands, const void *state, \
                       struct simdbench_choice *choice)                              \
    {                                                                                \
        tell(state, choice);                                                         \
    }

/* Begins the definition of a kernel in a body for type T on instruction set ISA. */
#define KERNEL_FUNCTION(op, semiring, variant) \
    void KERNEL_SYMBOL(op, semiring, T, ISA,   \
                       variant)(const struct simdbench_operands *operands, void *state)

#define OP(op)                                \
    extern const struct simdbench_op op##_op; \
    extern const struct op_row op##_row;
#define KERNEL(op, semiring, type, isa, variant, prepare, roof, flags, ...)              \
    void KERNEL_SYMBOL(op, semiring, type, isa,                                          \
                       variant)(const struct simdbench_operands *operands, void *state); \
    int prepare##_prepare(const struct simdbench_operands *operands, void **state,       \
                          char *error, size_t error_size);                               \
    void prepare##_release(void *state);                                                 \
    void prepare##_choice(const struct simdbench_operands *operands, const void *state,  \
                          struct simdbench_choice *choice);
#include "kernels.def"
