/* SPDX-License-Identifier: Apache-2.0 */
#if defined __x86_64__
#include <cpuid.h>
#endif
#include <math.h>
#include <sched.h>
#include <time.h>

#include "perfctr_private.h"
#include "uarch.h"

/* Dependent operations in one turn of the loop. The count-down and branch run beside the
 * chain, but can take an execution port from it: on Zen 4 one cycle a turn in some
 * processes and none in others, so turns are long. */
enum { UNROLL = 1000 };
#define CLOCK_SCRIPT_GHZ 3.0

typedef void chain_fn(uint64_t turns);

/* x += y, and another operation whose latency is known: the latency of a multiply differs
 * between ARM cores (2 to 4 cycles), that of eor does not. The loop counts operand 0
 * down.
 */
#if defined __x86_64__
#define ADD(x, y) "add %" y ", %" x "\n"
#define OTHER(x, y) "imul %" y ", %" x "\n"
#define LOOP(body) ".p2align 6\n1:\n" body "dec %0\njnz 1b\n"
enum { OTHER_CYCLES = 3 };
#elif defined __aarch64__
#define ADD(x, y) "add %" x ", %" x ", %" y "\n"
#define OTHER(x, y) "eor %" x ", %" x ", %" y "\n"
#define LOOP(body) "1:\n" body "subs %0, %0, #1\nb.ne 1b\n"
enum { OTHER_CYCLES = 1 };
#else
#error "the clock probe needs a chain of dependent adds for this architecture"
#endif

/* A chain of operations: each needs the result of the one before. */
#define CHAIN(name, operations, OPERATION)                                             \
    __attribute__((noinline)) static void name(uint64_t turns)                         \
    {                                                                                  \
        uint64_t x = 1, y = 3;                                                         \
        __asm__ volatile(LOOP(".rept " #operations "\n" OPERATION("1", "2") ".endr\n") \
                         : "+r"(turns), "+r"(x)                                        \
                         : "r"(y)                                                      \
                         : "cc");                                                      \
    }
CHAIN(chain_add, 1000, ADD)
CHAIN(chain_other, 1000, OTHER)

/* The same number of adds a turn in one chain and in four: as many as the integer units
 * of any of these cores take. Turns are short, so that a probe does not drive the kernel
 * that it stands beside out of the caches of instructions. */
enum { SHORT_TURN = 100, SHARE_WIDTH = 4 };
CHAIN(short_chain, 100, ADD)

__attribute__((noinline)) static void short_chains(uint64_t turns)
{
    uint64_t a = 1, b = 1, c = 1, d = 1;
    __asm__ volatile(LOOP(".rept 25\n" ADD("1", "1") ADD("2", "2") ADD("3", "3")
                              ADD("4", "4") ".endr\n")
                     : "+r"(turns), "+r"(a), "+r"(b), "+r"(c), "+r"(d)
                     :
                     : "cc");
}

/* One probe. The time of a short chain is taken off that of the long one, and with it
 * what the readings of the clock and the start of the loop cost. Returns false if the
 * thread did not have the CPU all the time. */
static bool probe(chain_fn *chain, int cycles, int64_t ns, double *ghz)
{
    const uint64_t per_turn = UNROLL * (uint64_t)cycles;
    const uint64_t few = (uint64_t)ns * 3 / 16 / per_turn + 1; /* 1/16 of ns at 3 GHz */
    const int64_t thread_begin = clock_cpu();
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
    const int64_t thread = clock_cpu() - thread_begin;

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
    if (clock_script())
        return CLOCK_SCRIPT_GHZ;
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
    return probe_retried(chain_other, OTHER_CYCLES, ns);
}

static int64_t chain_ns(chain_fn *chain, uint64_t turns)
{
    const int64_t begin = clock_now();
    chain(turns);
    return clock_now() - begin;
}

/* One chain tells the clock, four tell how many adds start in its cycles. An interrupt
 * makes the share look small, so the larger of two tries is taken unless the first one is
 * beyond doubt. */
double clock_core_share(void)
{
    enum { TURNS = 40, TRIES = 2 };
    double best = 0;
    for (int k = 0; k < TRIES && best < 0.9 * SHARE_WIDTH; k++) {
        const int64_t begin = clock_now(), reading = clock_now() - begin;
        const int64_t one = chain_ns(short_chain, TURNS) - reading;
        const int64_t four = chain_ns(short_chains, SHARE_WIDTH * TURNS) - reading;
        if (one > 0 && four > 0)
            best = fmax(best, SHARE_WIDTH * (double)one / (double)four);
    }
    /* A larger one is an interrupt in the first chain. */
    return fmin(best, SHARE_WIDTH);
}

double clock_core_whole(double best)
{
#if defined __x86_64__
    __builtin_cpu_init();
    const bool known = __builtin_cpu_is("amd") || uarch_host()->bit & INTEL;
    if (__builtin_cpu_supports("avx2"))
        best = fmax(best, known ? SHARE_WIDTH : 3.4);
#endif
    return best;
}

bool clock_core_alone(int split, double share, double best)
{
    return split < 0 ? share >= CLOCK_CORE_SHARED * clock_core_whole(best) : !split;
}

#if defined __x86_64__
/* Chains that do not depend on each other, with stores between them. A core runs one
 * chain beside the next if its store queue holds the stores between them. While two
 * threads run on a core, each has half of the queue, whatever the other does. */
enum { SPLIT_CYCLES = 96, SPLIT_LONG_CYCLES = 144 };
#define SPLIT(name, multiplies, stores)                                    \
    __attribute__((noinline)) static void name(uint64_t turns)             \
    {                                                                      \
        uint64_t x, y = 3, place = 0;                                      \
        __asm__ volatile(LOOP("mov %2, %1\n.rept " #multiplies "\n" OTHER( \
            "1", "2") ".endr\n.rept " #stores "\nmov %2, %3\n.endr\n")     \
                         : "+r"(turns), "=&r"(x)                           \
                         : "r"(y), "m"(place)                              \
                         : "cc", "memory");                                \
    }
SPLIT(split_40, 32, 40)
SPLIT(split_80, 48, 80)

/* Stores that the queue holds, and half of it does not: these have 48, 64 (Zen 3 and 4),
 * 56, 72; then 104, 112 places. */
static const struct split {
    uint32_t set;
    chain_fn *chain;
    int cycles;
} splits[] = {{ZEN2 | ZEN3 | ZEN4 | SKYLAKE | ICX, split_40, SPLIT_CYCLES},
              {ZEN5 | GOLDEN_ALL, split_80, SPLIT_LONG_CYCLES}};

/* True of a small core of a hybrid CPU, whose store queue is another one than that of the
 * CPU's model. A virtual machine may take long for CPUID: each CPU is asked once, by a
 * thread that stays there meanwhile. */
static bool core_is_small(void)
{
    enum { UNKNOWN, SMALL, LARGE };
    enum { CPUS = 1024, HYBRID = 1 << 15, ATOM = 0x20 };
    static _Atomic unsigned char kinds[CPUS];
    const int cpu = sched_getcpu();
    unsigned a = 0, b, c, d = 0;
    if (cpu < 0 || cpu >= CPUS)
        return false;
    if (kinds[cpu] != UNKNOWN)
        return kinds[cpu] == SMALL;
    const bool small = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & HYBRID) &&
                       __get_cpuid_count(0x1a, 0, &a, &b, &c, &d) && a >> 24 == ATOM;
    if (sched_getcpu() == cpu)
        kinds[cpu] = small ? SMALL : LARGE;
    return small;
}

int clock_core_split(void)
{
    enum { TURNS = 20, ADD_TURNS = 20, TRIES = 3 };
    const struct split *known = NULL;
    if (clock_script())
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(splits); i++)
        if (splits[i].set & uarch_host()->bit)
            known = &splits[i];
    if (!known || core_is_small())
        return -1;
    /* An interrupt makes it look split. */
    bool split = true;
    known->chain(1);
    for (int k = 0; k < TRIES && split; k++) {
        const int64_t begin = clock_now(), reading = clock_now() - begin;
        const int64_t adds = chain_ns(short_chain, ADD_TURNS) - reading;
        const int64_t chains = chain_ns(known->chain, TURNS) - reading;
        const double cycle = (double)adds / (ADD_TURNS * SHORT_TURN);
        split = (double)chains > 0.9 * cycle * known->cycles * TURNS;
    }
    return split;
}
#else
int clock_core_split(void)
{
    return clock_script() ? 0 : -1;
}
#endif

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
