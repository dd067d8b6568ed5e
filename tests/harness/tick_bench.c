/* SPDX-License-Identifier: Apache-2.0 */
/* A program that measures as checkasm does: `--bench` prints ticks of the time-stamp
 * counter for four functions, each of which does EXTRA percent more work, behind PAD
 * bytes. Compiled by scripts/bench harness. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "planted.h"

/* Whole vectors: remainders would take more time than their share. */
enum { MOST = 8192, SIZE = 64 * (100 + EXTRA), RUNS = 400, CALLS = 10 };

static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t now;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
#error "which counter?"
#endif
}

uint8_t from[MOST], to[MOST]; /* others may read and write them */

static void copy(void)
{
    for (int i = 0; i < SIZE; i++)
        to[i] = from[i];
}

static void average(void)
{
    for (int i = 0; i < SIZE; i++)
        to[i] = (uint8_t)((from[i] + to[i] + 1) / 2);
}

static void sum(void)
{
    unsigned total = 0;
    for (int i = 0; i < SIZE; i++)
        total += from[i];
    to[0] = (uint8_t)total;
}

static void hash(void)
{
    uint32_t h = 1;
    for (int i = 0; i < SIZE; i++)
        h = (h ^ from[i]) * 16777619u;
    to[0] = (uint8_t)h;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void measure(const char *name, void (*volatile work)(void))
{
    double time[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const uint64_t begun = ticks();
        for (int i = 0; i < CALLS; i++)
            work();
        time[run] = (double)(ticks() - begun) / CALLS;
    }
    qsort(time, RUNS, sizeof *time, ascending);
    printf("  %s: %.1f\n", name, time[RUNS / 2]);
}

int main(void)
{
    fprintf(stderr, "%s\n", TEXT);
    measure("copy_c", copy);
    measure("average_c", average);
    measure("sum_c", sum);
    measure("hash_c", hash);
    return 0;
}
