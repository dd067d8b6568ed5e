/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows `auto`: which of two kernels is faster depends on the machine's caches and
 * memory, on how many threads share them and on what else runs there, so prepare measures
 * it, on the team of the case.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "relu.h"
#include "split.h"
#include "team.h"

enum { ROUNDS_MIN = 3, SAMPLES_MAX = 256, PAGE = 4096 };
#define SAMPLE_NS 0.2e6
#define SPELL_NS 1e6
#define BUDGET_NS 50e6

typedef void run_function(const struct simdbench_operands *operands, void *state);

static double clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

struct timing {
    struct simdbench_kernel kernel;
    struct split *split;
    size_t n;
    double ns[SAMPLES_MAX]; /* of a call */
};

/* Time of this thread, which spins until the last part is done, as what others took of
 * the CPU says nothing of the kernel; of some calls, as that clock is slow. */
static double call_ns(struct split *split, const struct simdbench_operands *operands)
{
    const double end = clock_ns(CLOCK_MONOTONIC) + SAMPLE_NS;
    const double begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    double n = 0;
    do {
        split_run(operands, split);
        n++;
    } while (clock_ns(CLOCK_MONOTONIC) < end);
    return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / n;
}

static void spell(struct timing *timing, const struct simdbench_operands *operands,
                  bool keep)
{
    const double end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + SPELL_NS;
    do {
        const double ns = call_ns(timing->split, operands);
        if (keep && timing->n < SAMPLES_MAX)
            timing->ns[timing->n++] = ns;
    } while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(struct timing *timing)
{
    qsort(timing->ns, timing->n, sizeof *timing->ns, by_size);
    return timing->ns[timing->n / 2];
}

/* The first spell of each turn only settles the caches: a shared one takes some calls
 * until it holds what an ordinary store needs, after others went past it. */
static double speedup(struct timing *old, struct timing *new,
                      const struct simdbench_operands *operands)
{
    const double end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + BUDGET_NS;
    for (int rounds = 0; rounds < ROUNDS_MIN || clock_ns(CLOCK_THREAD_CPUTIME_ID) < end;
         rounds++) {
        spell(old, operands, false);
        spell(old, operands, true);
        spell(new, operands, false);
        spell(new, operands, true);
    }
    return median(old) / median(new);
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

/* Measures both on the operands, by all threads of the case. */
static int measure(run_function *const pair[2], const struct simdbench_operands *operands,
                   double *speed)
{
    struct timing *const timing = calloc(2, sizeof *timing);
    int status = timing ? 0 : -ENOMEM;
    for (int i = 0; i < 2 && status == 0; i++) {
        timing[i].kernel = (struct simdbench_kernel){
            .size = sizeof timing[i].kernel, .op = "relu", .run = pair[i]};
        status = split_make(&timing[i].split, &timing[i].kernel, operands, NULL, 0);
    }
    if (status == 0) {
        *speed = speedup(&timing[0], &timing[1], operands);
        team_rest();
    }
    for (int i = 0; i < 2 && timing; i++)
        split_free(timing[i].split);
    free(timing);
    return status;
}

static int choose(struct relu_auto *state, run_function *const pair[2],
                  const struct simdbench_operands *operands)
{
    const size_t size = operands->operand[1]->type == SIMDBENCH_F32 ? 4 : 8;
    struct simdbench_operand copy[2];
    struct simdbench_operands view = *operands;
    double speed = 0;
    snprintf(state->text, sizeof state->text, "max");
    if (fits_level_2(operands, size))
        return 0;
    char *const memory = workspace_make(operands, size, copy);
    if (!memory)
        return -ENOMEM;
    for (int i = 0; i < 2; i++)
        view.operand[i] = &copy[i];
    const int status = measure(pair, &view, &speed);
    free(memory);
    if (status < 0)
        return status;
    state->stream = speed > 1;
    snprintf(state->text, sizeof state->text, "%s: %.2f times %s here",
             speed > 1 ? "stream" : "max", speed > 1 ? speed : 1 / speed,
             speed > 1 ? "max" : "stream");
    return 0;
}

static int auto_prepare(run_function *const pair[2],
                        const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    struct relu_auto *made = calloc(1, sizeof *made);
    if (!made || choose(made, pair, operands) < 0) {
        free(made);
        snprintf(error, error_size, "no memory to measure which kernel is faster");
        return -ENOMEM;
    }
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
        const struct relu_auto *made = state;                                         \
        choice->implementation = made->text;                                          \
        choice->roof = made->stream ? "copy_stream" : "copy";                         \
    }

AUTO(scalar)
EACH_VECTOR_ISA(AUTO)
