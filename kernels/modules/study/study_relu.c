/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of relu: one plain loop, and what people put around it. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include VECTOR_HEADER

#include "study_rows.h"

#define T f32

/* A loop unrolled so far that one turn is 1024 elements of AVX-512. */
enum { TURN = 64 };

/* Elements of a chunk of `tiled`. */
enum { CHUNK = 65536 };

/* The largest block that a program is taken to have freed before, if its vectors are
 * smaller: the resamples of a harness, 100000 numbers of f64. */
enum { HARNESS_BYTES = 800000 };

/* After this the compiler knows neither a block nor what it holds: else it would see that
 * the blocks are needless. */
#define HIDE_BLOCK(block) __asm__ volatile("" : "+r"(block) : : "memory")

struct vectors {
    const float *x;
    float *y;
    size_t n, bytes;
};

static struct vectors vectors_of(const struct simdbench_operands *operands)
{
    const size_t n = operands->operand[1]->count;

    return (struct vectors){operands->operand[0]->data, operands->operand[1]->data, n,
                            n * sizeof(float)};
}

static __attribute__((noinline)) void rectify(const float *restrict x, float *restrict y,
                                              size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] < 0 ? 0 : x[i];
}

STUDY_ROW(relu, , autovec)
{
    const struct vectors v = vectors_of(operands);

    rectify(v.x, v.y, v.n);
}

STUDY_ROW(relu, , unroll64)
{
    const struct vectors v = vectors_of(operands);
    size_t i = 0;

    for (; i + (size_t)TURN * LANES <= v.n; i += (size_t)TURN * LANES)
        _Pragma("GCC unroll 64") for (size_t u = 0; u < TURN; u++)
            STORE(v.y + i + u * LANES, MAX(SPLAT(0), LOAD(v.x + i + u * LANES)));
    rectify(v.x + i, v.y + i, v.n - i);
}

STUDY_ROW(relu, , tiled)
{
    const struct vectors v = vectors_of(operands);

    for (size_t i = 0; i < v.n; i += CHUNK)
        rectify(v.x + i, v.y + i, v.n - i < CHUNK ? v.n - i : CHUNK);
}

/* ---- ways to call it ---- */

typedef void rectify_function(const float *x, float *y, size_t n);

STUDY_ROW(relu, , call_pointer)
{
    const struct vectors v = vectors_of(operands);
    rectify_function *volatile const function = rectify;

    function(v.x, v.y, v.n);
}

/* x, y, n. */
static __attribute__((noinline)) void rectify_arguments(int n_arguments, ...)
{
    va_list arguments;
    va_start(arguments, n_arguments);
    const float *const x = va_arg(arguments, const float *);
    float *const y = va_arg(arguments, float *);
    const size_t n = va_arg(arguments, size_t);
    va_end(arguments);
    rectify(x, y, n);
}

STUDY_ROW(relu, , call_variadic)
{
    const struct vectors v = vectors_of(operands);

    rectify_arguments(3, v.x, v.y, v.n);
}

STUDY_ROW(relu, , hook)
{
    const struct vectors v = vectors_of(operands);
    study_hook_function *volatile const hook = study_hook;

    hook(operands);
    rectify(v.x, v.y, v.n);
    hook(operands);
}

/* ---- ways to return the result by value: in a block, which is copied to another ---- */

static void through_blocks(struct vectors v, float *first, float *second)
{
    rectify(v.x, first, v.n);
    HIDE_BLOCK(first);
    memcpy(second, first, v.bytes);
    HIDE_BLOCK(second);
    memcpy(v.y, second, v.bytes);
}

STUDY_ROW(relu, , alloc_pool)
{
    const struct study_blocks *const kept = state;

    through_blocks(vectors_of(operands), kept->a, kept->b);
}

/* Without memory there is nothing to show, but still a result. */
STUDY_ROW(relu, , alloc_twice)
{
    const struct vectors v = vectors_of(operands);

    heap_settle(v.bytes > HARNESS_BYTES ? v.bytes : HARNESS_BYTES);
    float *const first = calloc(v.n, sizeof *first), *const second = malloc(v.bytes);
    if (first && second)
        through_blocks(v, first, second);
    else
        rectify(v.x, v.y, v.n);
    free(first);
    free(second);
}

static float *pages_map(size_t bytes)
{
    void *const pages =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

static void pages_unmap(float *pages, size_t bytes)
{
    if (pages)
        munmap(pages, bytes);
}

STUDY_ROW(relu, , alloc_mmap)
{
    const struct vectors v = vectors_of(operands);
    float *const first = pages_map(v.bytes), *const second = pages_map(v.bytes);

    if (first && second)
        through_blocks(v, first, second);
    else
        rectify(v.x, v.y, v.n);
    pages_unmap(first, v.bytes);
    pages_unmap(second, v.bytes);
}
