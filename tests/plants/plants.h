/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that are slow for one known reason each, beside sound twins, to judge
 * diagnoses. They are compiled for several instruction sets and optimisation levels, and
 * plants.c, which any CPU can run, has the module's table. Shapes that would need a tail
 * are refused by prepare.
 *
 * relu: its rectifier. gemm: max-plus. conv: plain images, whole taps only.
 * curve: y[i] = sum over j < CURVE_TERMS of x^j / (j + 1), with x[i] clamped to [-1, 1].
 * dot: y[0] = sum of a[i] * b[i]. pick: y[i] = x[order[i]] for a known permutation.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "simdbench.h"

enum { CURVE_TERMS = 8, CHUNK = 16384 };

extern const struct simdbench_op *const plants_ops[];

#define RUN(name) void name(const struct simdbench_operands *operands, void *state)
#define PLANT(name, op, type, isa, prepare, release) RUN(name);
#include "plants.def"
#undef PLANT

#define INLINE static inline __attribute__((always_inline))
/* All operands are in memory again: no value is kept in a register across this. */
#define FORGET __asm__ volatile("" ::: "memory")
/* An array is in memory, whatever becomes of it. */
#define WRITE(array) __asm__ volatile("" : "+m"(array))
/* A compiler no longer knows the value of an integer or pointer, or of a vector. */
#define HIDE(value) __asm__ volatile("" : "+r"(value))
#define HIDE_VECTOR(value) __asm__ volatile("" : "+x"(value))

INLINE const float *in(const struct simdbench_operands *operands, int index)
{
    return operands->operand[index]->data;
}

INLINE float *out(const struct simdbench_operands *operands)
{
    return operands->operand[operands->count - 1]->data;
}

/* Elements of operand 0. */
INLINE ptrdiff_t size(const struct simdbench_operands *operands)
{
    return (ptrdiff_t)operands->operand[0]->count;
}

/* No more threads than plants_two_threads() has. */
int plants_two_at_most(uint32_t threads);

/* A permutation of [0, n) that looks random, the same for one seed. */
void plants_shuffle(uint32_t *order, size_t n, uint64_t seed);

/* Calls part(operands, from, to) for [0, cut) and, on a second thread if there is one,
 * [cut, end). */
typedef void plants_part(const struct simdbench_operands *operands, ptrdiff_t from,
                         ptrdiff_t to);
void plants_two_threads(const struct simdbench_operands *operands, plants_part *part,
                        ptrdiff_t cut, ptrdiff_t end);
