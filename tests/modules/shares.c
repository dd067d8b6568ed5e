/* SPDX-License-Identifier: Apache-2.0 */
/* relu whose work as many threads share as the case asks for. */
#include <pthread.h>

#include "modules/library.h"

enum { MOST = 8 };

struct share {
    const float *x;
    float *y;
    size_t n;
};

static uint32_t told;

static void *work(void *context)
{
    const struct share *const share = context;
    for (size_t i = 0; i < share->n; i++)
        share->y[i] = share->x[i] < 0 ? 0 : share->x[i];
    return NULL;
}

static void shares_run(const struct simdbench_operands *operands, void *state)
{
    const float *const x = operands->operand[0]->data;
    float *const y = operands->operand[1]->data;
    const size_t n = operands->operand[1]->count;
    const uint32_t threads = operands->threads < MOST ? operands->threads : MOST;
    struct share share[MOST] = {{0}};
    pthread_t thread[MOST];
    int failed[MOST] = {0};
    for (uint32_t i = 0; i < threads; i++) {
        const size_t from = n * i / threads;
        share[i] = (struct share){x + from, y + from, n * (i + 1) / threads - from};
    }
    for (uint32_t i = 1; i < threads; i++)
        if ((failed[i] = pthread_create(&thread[i], NULL, work, &share[i])))
            work(&share[i]);
    work(&share[0]);
    for (uint32_t i = 1; i < threads; i++)
        if (!failed[i])
            pthread_join(thread[i], NULL);
}

static void shares_choice(const struct simdbench_operands *operands, const void *state,
                          struct simdbench_choice *choice)
{
    static char text[64];
    snprintf(text, sizeof text, "told %u, asked for %u", told, operands->threads);
    choice->implementation = text;
}

static int shares_set_threads(uint32_t threads)
{
    told = threads;
    return 0;
}

static const struct simdbench_kernel kernel = {.size = sizeof kernel,
                                               .type = SIMDBENCH_F32,
                                               .op = "relu",
                                               .isa = "lib",
                                               .variant = "shares",
                                               .run = shares_run,
                                               .choice = shares_choice};

static const struct simdbench_kernel *const kernels[] = {&kernel, NULL};

MODULE(.name = "shares", .kernels = kernels, .set_threads = shares_set_threads)
