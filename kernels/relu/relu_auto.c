/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows `auto`: which of two kernels is faster depends on the machine's caches and
 * memory and on what else runs there, so prepare measures it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "relu.h"

enum { ROUNDS_MIN = 3, ROUNDS_MAX = 51, PAGE = 4096 };
#define SPELL_NS 1e6
#define BUDGET_NS 50e6

typedef void run_function(const struct simdbench_operands *operands, void *state);

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calls for one millisecond: how long each of them took. */
static double call_ns(run_function *run, const struct simdbench_operands *operands)
{
    const double begin = now_ns();
    double end = begin;
    size_t n = 0;
    for (; end - begin < SPELL_NS; n++) {
        run(operands, NULL);
        end = now_ns();
    }
    return (end - begin) / (double)n;
}

/* A shared cache takes some calls to hold what a kernel needs, after one that streamed.
 */
static double settled_ns(run_function *run, const struct simdbench_operands *operands)
{
    call_ns(run, operands);
    return call_ns(run, operands);
}

/* How many times as fast as `a` the kernel `b` is: the median of pairs in turns. */
static double speed_of(run_function *b, run_function *a,
                       const struct simdbench_operands *operands)
{
    double ratio[ROUNDS_MAX];
    const double begin = now_ns();
    size_t n = 0;
    while (n < ROUNDS_MIN || (n < ROUNDS_MAX && now_ns() - begin < BUDGET_NS)) {
        const double first = settled_ns(n % 2 ? b : a, operands);
        const double second = settled_ns(n % 2 ? a : b, operands);
        ratio[n] = n % 2 ? second / first : first / second;
        n++;
    }
    qsort(ratio, n, sizeof *ratio, by_size);
    return n % 2 ? ratio[n / 2] : (ratio[n / 2 - 1] + ratio[n / 2]) / 2;
}

/* The case's operands in other memory, at the same page offsets, since the values of its
 * own are nothing to prepare. Positive numbers, because some machines stream lines that
 * are all zeros nearly twice as fast as others. NULL if there is not enough memory. */
static char *workspace_make(const struct simdbench_operands *operands, size_t size,
                            struct simdbench_operand copy[2])
{
    size_t at[2], end = 0;
    for (int i = 0; i < 2; i++) {
        copy[i] = *operands->operand[i];
        at[i] = end + (uintptr_t)copy[i].data % PAGE;
        end = (at[i] + copy[i].count * size + PAGE - 1) / PAGE * PAGE;
    }
    char *memory = aligned_alloc(PAGE, end);
    if (!memory)
        return NULL;
    memset(memory, 0x3f, end);
    for (int i = 0; i < 2; i++)
        copy[i].data = memory + at[i];
    return memory;
}

/* Streaming never wins where everything fits into the caches of this core. */
static bool fits_level_2(const struct simdbench_operands *operands, size_t size)
{
    const long level_2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return level_2 > 0 && 2 * operands->operand[1]->count * size <= (size_t)level_2;
}

static void choose(struct relu_auto *state, run_function *max, run_function *stream,
                   const struct simdbench_operands *operands)
{
    const size_t size = operands->operand[1]->type == SIMDBENCH_F32 ? 4 : 8;
    struct simdbench_operand copy[2];
    struct simdbench_operands view = *operands;
    snprintf(state->text, sizeof state->text, "max");
    if (fits_level_2(operands, size))
        return;
    char *memory = workspace_make(operands, size, copy);
    if (!memory)
        return;
    for (int i = 0; i < 2; i++)
        view.operand[i] = &copy[i];
    const double speed = speed_of(stream, max, &view);
    free(memory);
    state->stream = speed > 1;
    snprintf(state->text, sizeof state->text, "%s: %.2f times %s here",
             speed > 1 ? "stream" : "max", speed > 1 ? speed : 1 / speed,
             speed > 1 ? "max" : "stream");
}

static int auto_prepare(run_function *const pair[2],
                        const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    struct relu_auto *made = calloc(1, sizeof *made);
    if (!made) {
        snprintf(error, error_size, "out of memory");
        return -ENOMEM;
    }
    choose(made, pair[0], pair[1], operands);
    *state = made;
    return 0;
}

#define AUTO(isa)                                                                     \
    int relu_auto_##isa##_prepare(const struct simdbench_operands *operands,          \
                                  void **state, char *error, size_t error_size)       \
    {                                                                                 \
        static run_function *const f32[] = {relu_f32_##isa##_max,                     \
                                            relu_f32_##isa##_stream};                 \
        static run_function *const f64[] = {relu_f64_##isa##_max,                     \
                                            relu_f64_##isa##_stream};                 \
        return auto_prepare(operands->operand[1]->type == SIMDBENCH_F32 ? f32 : f64,  \
                            operands, state, error, error_size);                      \
    }                                                                                 \
    void relu_auto_##isa##_release(void *state)                                       \
    {                                                                                 \
        free(state);                                                                  \
    }                                                                                 \
    void relu_auto_##isa##_choice(const struct simdbench_operands *operands,          \
                                  const void *state, struct simdbench_choice *choice) \
    {                                                                                 \
        (void)operands;                                                               \
        choice->implementation = ((const struct relu_auto *)state)->text;             \
    }

AUTO(scalar)
AUTO(sse2)
AUTO(avx2)
AUTO(avx512)
