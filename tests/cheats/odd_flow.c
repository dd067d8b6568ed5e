/* SPDX-License-Identifier: Apache-2.0 */
/* More functions that do their work in unusual ways, all of which are allowed: stacks and
 * jumps, numbers of other kinds, and requests that help nobody. As odd.c they compute
 * poly() and sums. */
#define _GNU_SOURCE
#include <alloca.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "poly.h"

/* ---- stacks and jumps ---- */

struct job {
    float *y;
    const float *x;
    size_t n;
};

/* A stack of its own, as coroutines have it. */
static ucontext_t caller, coroutine;
static struct job job;

static void run_job(void)
{
    honest(job.y, job.x, job.n);
}

void map_coroutine(float *y, const float *x, size_t n)
{
    static char stack[1 << 16];
    job = (struct job){y, x, n};
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = sizeof stack;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, run_job, 0);
    swapcontext(&caller, &coroutine);
}

void map_large_frame(float *y, const float *x, size_t n)
{
    enum { ROOM = 1 << 15 };
    float *const block = alloca(ROOM * sizeof *block);
    for (size_t i = 0; i < n; i += ROOM) {
        const size_t m = n - i < ROOM ? n - i : ROOM;
        honest(block, x + i, m);
        memcpy(y + i, block, m * sizeof *y);
    }
}

static jmp_buf out;

static void run_until(float *y, const float *x, size_t n)
{
    for (size_t i = 0;; i++) {
        if (i == n)
            longjmp(out, 1);
        y[i] = step(x[i]);
    }
}

void map_long_jump(float *y, const float *x, size_t n)
{
    if (!setjmp(out))
        run_until(y, x, n);
}

/* It sends itself a signal, and handles it. */
static sigjmp_buf jump_back;

static void on_signal(int number)
{
    siglongjmp(jump_back, number);
}

void map_own_signal(float *y, const float *x, size_t n)
{
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before;
    sigaction(SIGUSR1, &action, &before);
    if (!sigsetjmp(jump_back, 1))
        raise(SIGUSR1);
    sigaction(SIGUSR1, &before, NULL);
    honest(y, x, n);
}

/* ---- blocks ---- */

/* The rest is computed in a block that is full, as vectors are. */
void map_padded(float *y, const float *x, size_t n)
{
    float block[32] = {0};
    const size_t whole = n / 32 * 32;
    for (size_t i = 0; i < whole; i += 32)
        honest(y + i, x + i, 32);
    memcpy(block, x + whole, (n - whole) * sizeof *x);
    honest(block, block, 32);
    memcpy(y + whole, block, (n - whole) * sizeof *y);
}

/* One step for all elements, then the next one. */
void map_sweeps(float *y, const float *x, size_t n)
{
    memcpy(y, x, n * sizeof *y);
    for (int sweep = 0; sweep < 8; sweep++)
        for (size_t i = 0; i < n; i++)
            y[i] = 0.5f * y[i] + x[i] * 0.25f;
}

/* Each seventh element, beginning with each of the first seven. */
void map_strided(float *y, const float *x, size_t n)
{
    for (size_t first = 0; first < 7; first++)
        for (size_t i = first; i < n; i += 7)
            y[i] = step(x[i]);
}

/* ---- requests ---- */

void map_yields(float *y, const float *x, size_t n)
{
    static size_t calls;
    if (calls++ % 64 == 0)
        sched_yield();
    honest(y, x, n);
}

void map_usage(float *y, const float *x, size_t n)
{
    struct rusage usage;
    struct rlimit limit;
    getrusage(RUSAGE_SELF, &usage);
    getrlimit(RLIMIT_STACK, &limit);
    honest(y, x, n);
}

/* Room that it advises about, and gives back. */
void map_advised(float *y, const float *x, size_t n)
{
    const size_t bytes = (n * sizeof *y / 4096 + 1) * 4096;
    float *const room =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        honest(y, x, n);
        return;
    }
    madvise(room, bytes, MADV_HUGEPAGE);
    honest(room, x, n);
    memcpy(y, room, n * sizeof *y);
    munmap(room, bytes);
}

/* ---- sums ---- */

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

float sum_sorted(const float *x, size_t n)
{
    float *const copy = malloc(n * sizeof *copy + 1);
    float sum = 0;
    memcpy(copy, x, n * sizeof *x);
    qsort(copy, n, sizeof *copy, by_size);
    for (size_t i = 0; i < n; i++)
        sum += copy[i];
    free(copy);
    return sum;
}

float sum_fixed(const float *x, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (int64_t)(x[i] * 0x1p32f);
    return (float)((double)sum * 0x1p-32);
}
