/* SPDX-License-Identifier: Apache-2.0 */
/* The rows `auto`: ordinary stores or streaming ones, whichever are faster here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fastest.h"
#include "kernels.h"
#include "relu.h"

static const struct fastest_pace pace = {
    .sample_ns = 0.2e6, .spell_ns = 1e6, .budget_ns = 50e6};

/* Streaming never wins where everything fits into the caches of this core. */
static bool fits_level_2(const struct simdbench_operands *operands, size_t size)
{
    const long level_2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return level_2 > 0 && 2 * operands->operand[1]->count * size <= (size_t)level_2;
}

static int choose(struct relu_auto *state, run_function *const pair[2],
                  const struct simdbench_operands *operands)
{
    const size_t size = operands->operand[1]->type == SIMDBENCH_F32 ? 4 : 8;
    double ns[2];
    snprintf(state->text, sizeof state->text, "max");
    if (fits_level_2(operands, size))
        return 0;
    const int status = fastest_measure("relu", pair, 2, operands, &pace, ns);
    if (status < 0)
        return status;
    const double speed = ns[0] / ns[1];
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
