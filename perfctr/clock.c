/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "perfctr_private.h"

/* Dependent operations in one turn of the loop. The count-down and branch run beside the
 * chain, but can take an execution port from it: on Zen 4 one cycle a turn in some
 * processes and none in others, so turns are long. */
enum { UNROLL = 1000 };

typedef void chain_fn(uint64_t turns);

#if defined __x86_64__

__attribute__((noinline)) static void chain_add(uint64_t turns)
{
    uint64_t x = 1, y = 3;
    __asm__ volatile(".p2align 6\n"
                     "1:\n"
                     ".rept 1000\n"
                     "add %2, %0\n"
                     ".endr\n"
                     "dec %1\n"
                     "jnz 1b\n"
                     : "+r"(x), "+r"(turns)
                     : "r"(y)
                     : "cc");
}

__attribute__((noinline)) static void chain_imul(uint64_t turns)
{
    uint64_t x = 1, y = 3;
    __asm__ volatile(".p2align 6\n"
                     "1:\n"
                     ".rept 1000\n"
                     "imul %2, %0\n"
                     ".endr\n"
                     "dec %1\n"
                     "jnz 1b\n"
                     : "+r"(x), "+r"(turns)
                     : "r"(y)
                     : "cc");
}

enum { IMUL_CYCLES = 3 };

/* Four independent chains: as many adds as the integer units of any of these cores take.
 */
__attribute__((noinline)) static void chains_add(uint64_t turns)
{
    uint64_t a = 1, b = 1, c = 1, d = 1;
    __asm__ volatile(".p2align 6\n"
                     "1:\n"
                     ".rept 250\n"
                     "add %0, %0\n"
                     "add %1, %1\n"
                     "add %2, %2\n"
                     "add %3, %3\n"
                     ".endr\n"
                     "dec %4\n"
                     "jnz 1b\n"
                     : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(turns)
                     :
                     : "cc");
}

#elif defined __aarch64__

__attribute__((noinline)) static void chain_add(uint64_t turns)
{
    uint64_t x = 1, y = 3;
    __asm__ volatile("1:\n"
                     ".rept 1000\n"
                     "add %0, %0, %2\n"
                     ".endr\n"
                     "subs %1, %1, #1\n"
                     "b.ne 1b\n"
                     : "+r"(x), "+r"(turns)
                     : "r"(y)
                     : "cc");
}

/* The latency of a multiply differs between ARM cores (2 to 4 cycles), that of eor does
 * not. */
__attribute__((noinline)) static void chain_imul(uint64_t turns)
{
    uint64_t x = 1, y = 3;
    __asm__ volatile("1:\n"
                     ".rept 1000\n"
                     "eor %0, %0, %2\n"
                     ".endr\n"
                     "subs %1, %1, #1\n"
                     "b.ne 1b\n"
                     : "+r"(x), "+r"(turns)
                     : "r"(y)
                     : "cc");
}

enum { IMUL_CYCLES = 1 };

__attribute__((noinline)) static void chains_add(uint64_t turns)
{
    uint64_t a = 1, b = 1, c = 1, d = 1;
    __asm__ volatile("1:\n"
                     ".rept 250\n"
                     "add %0, %0, %0\n"
                     "add %1, %1, %1\n"
                     "add %2, %2, %2\n"
                     "add %3, %3, %3\n"
                     ".endr\n"
                     "subs %4, %4, #1\n"
                     "b.ne 1b\n"
                     : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(turns)
                     :
                     : "cc");
}

#else
#error "the clock probe needs a chain of dependent adds for this architecture"
#endif

static int64_t thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One probe. The time of a short chain is taken off that of the long one, and with it
 * what the readings of the clock and the start of the loop cost. Returns false if the
 * thread did not have the CPU all the time. */
static bool probe(chain_fn *chain, int cycles, int64_t ns, double *ghz)
{
    const uint64_t per_turn = UNROLL * (uint64_t)cycles;
    const uint64_t few = (uint64_t)ns * 3 / 16 / per_turn + 1; /* 1/16 of ns at 3 GHz */
    const int64_t thread_begin = thread_ns();
    chain(few);
    const int64_t t0 = clock_now();
    chain(few);
    const int64_t t1 = clock_now();
    chain(few);
    const int64_t t2 = clock_now();
    const int64_t shorter = t1 - t0 < t2 - t1 ? t1 - t0 : t2 - t1;
    const int64_t few_ns = shorter > 0 ? shorter : 1;
    uint64_t many = few * (uint64_t)ns / (uint64_t)few_ns + few;
    /* An interrupted guess must not shrink the probe to nothing. */
    if (many < 8 * few)
        many = 8 * few;
    const int64_t t3 = clock_now();
    chain(many);
    const int64_t t4 = clock_now();
    const int64_t thread = thread_ns() - thread_begin;

    const int64_t chain_ns = (t4 - t3) - few_ns;
    if (chain_ns <= 0)
        return false;
    *ghz = (double)((many - few) * per_turn) / (double)chain_ns;
    /* The window of the CPU time encloses that of the wall time. */
    return t4 - t0 <= thread + thread / 100;
}

static double probe_retried(chain_fn *chain, int cycles, int64_t ns)
{
    enum { TRIES = 4 };
    double ghz = 0;
    for (int k = 0; k < TRIES && !probe(chain, cycles, ns, &ghz); k++)
        continue;
    return ghz;
}

double clock_ghz(int64_t ns)
{
    return probe_retried(chain_add, 1, ns);
}

double clock_ghz_imul(int64_t ns)
{
    return probe_retried(chain_imul, IMUL_CYCLES, ns);
}

double clock_core_share(double ghz)
{
    return ghz > 0 ? probe_retried(chains_add, 1, 5000) / ghz : 0;
}

void clock_cost(double *resolution_ns, double *cost_ns)
{
    enum { BATCHES = 20, READINGS = 200 };
    int64_t step = 0, batch = 0;
    for (int k = 0; k < BATCHES; k++) {
        const int64_t begin = clock_now();
        int64_t last = begin;
        for (int i = 0; i < READINGS; i++) {
            const int64_t now = clock_now();
            if (now > last && (step == 0 || now - last < step))
                step = now - last;
            last = now;
        }
        if (batch == 0 || last - begin < batch)
            batch = last - begin;
    }
    /* A step between two readings is at least their cost: a clock that counts finer says
     * so itself. */
    struct timespec said = {0};
    clock_getres(CLOCK_MONOTONIC, &said);
    const double cost = (double)batch / READINGS;
    *resolution_ns = (double)step > 2 * cost ? (double)step : (double)said.tv_nsec;
    *cost_ns = cost;
}
