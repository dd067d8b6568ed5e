/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose counts are known beforehand. Those that count instructions are assembly, so
 * that no compiler changes what they count. */
#include <sys/mman.h>
#include <time.h>

#include "proofs.h"

enum { LINE_SHIFT = 6, PAGE_SHIFT = 12, PAGE = 1 << PAGE_SHIFT };
enum { LINES_BYTES = 8 << 20, PAGES = 8192, FLUSHED = 256, UNROLL = 50, STRAIGHT = 8192 };

#if defined __x86_64__
#define TURN "dec %[turns]\n\tjnz 1b\n\t"
#define VECTORS "xmm0", "xmm1"
#define LOAD "mov (%[at]), %[x]\n\t"
#define STORE "mov %[x], (%[at])\n\t"
#define ADD "add %[y], %[x]\n\t"
/* xorshift64, of which a bit decides a branch. */
#define RANDOM                                                                \
    "mov %[x], %[y]\n\tshl $13, %[y]\n\txor %[y], %[x]\n\tmov %[x], %[y]\n\t" \
    "shr $7, %[y]\n\txor %[y], %[x]\n\tmov %[x], %[y]\n\tshl $17, %[y]\n\t"   \
    "xor %[y], %[x]\n\ttest $1, %b[x]\n\tjz 2f\n\tmov %[x], %[y]\n\t2:\n\t"
#define SCALAR "addss %%xmm1, %%xmm0\n\t"
#define ADD_128 "addps %%xmm1, %%xmm0\n\t"
#define ADD_256 "vaddps %%ymm1, %%ymm0, %%ymm0\n\t"
#define ADD_512 "vaddps %%zmm1, %%zmm0, %%zmm0\n\t"
#define FMA_256 "vfmadd231ps %%ymm1, %%ymm1, %%ymm0\n\t"
#define ZERO "xorps %%xmm0, %%xmm0\n\txorps %%xmm1, %%xmm1\n\t"
#define ZERO_WIDE "vpxor %%xmm0, %%xmm0, %%xmm0\n\tvpxor %%xmm1, %%xmm1, %%xmm1\n\t"
#define LEAVE_WIDE "vzeroupper\n\t"
#define FLUSH "clflush (%[at])\n\tmfence\n\t"
#elif defined __aarch64__
#define TURN "subs %[turns], %[turns], #1\n\tb.ne 1b\n\t"
#define VECTORS "v0", "v1"
#define LOAD "ldr %[x], [%[at]]\n\t"
#define STORE "str %[x], [%[at]]\n\t"
#define ADD "add %[x], %[x], %[y]\n\t"
#define RANDOM                                                          \
    "eor %[x], %[x], %[x], lsl #13\n\teor %[x], %[x], %[x], lsr #7\n\t" \
    "eor %[x], %[x], %[x], lsl #17\n\ttbz %[x], #0, 2f\n\tmov %[y], %[x]\n\t2:\n\t"
#define SCALAR "fadd s0, s0, s1\n\t"
#define ADD_128 "fadd v0.4s, v0.4s, v1.4s\n\t"
#define ZERO "movi v0.2d, #0\n\tmovi v1.2d, #0\n\t"
#define FLUSH "dc civac, %[at]\n\tdsb ish\n\t"
#endif

/* `before` runs once, `body` each turn. */
#define ASM_LOOP(before, body, after)                                \
    __asm__ volatile(before ".p2align 6\n1:\n\t" body TURN after     \
                     : [turns] "+r"(turns), [x] "+r"(x), [y] "+r"(y) \
                     : [at] "r"(at)                                  \
                     : "cc", "memory", VECTORS)

/* The loops in assembly leave this in x. */
static uint64_t assembly(enum proof_loop loop, uint64_t turns, uint64_t x, void *at)
{
    uint64_t y = 1;
    switch (loop) {
    case LOOP_count:
        ASM_LOOP("", "", "");
        break;
    case LOOP_chain:
        turns /= UNROLL;
        ASM_LOOP("", ".rept 50\n\t" ADD ".endr\n\t", "");
        break;
    case LOOP_load:
        ASM_LOOP("", LOAD, "");
        break;
    case LOOP_store:
        ASM_LOOP("", STORE, "");
        break;
    case LOOP_branch:
        ASM_LOOP("", RANDOM, "");
        break;
    case LOOP_straight:
        turns /= STRAIGHT;
        ASM_LOOP("", ".rept 8192\n\t" ADD ".endr\n\t", "");
        break;
    case LOOP_scalar:
        ASM_LOOP(ZERO, SCALAR, "");
        break;
    case LOOP_add128:
        ASM_LOOP(ZERO, ADD_128, "");
        break;
#ifdef __x86_64__
    case LOOP_add256:
        ASM_LOOP(ZERO_WIDE, ADD_256, LEAVE_WIDE);
        break;
    case LOOP_add512:
        ASM_LOOP(ZERO_WIDE, ADD_512, LEAVE_WIDE);
        break;
    case LOOP_fma256:
        ASM_LOOP(ZERO_WIDE, FMA_256, LEAVE_WIDE);
        break;
#endif
    default:
        break;
    }
    return x;
}

static bool has_instructions(enum proof_loop loop)
{
#ifdef __x86_64__
    return loop == LOOP_add256   ? __builtin_cpu_supports("avx2")
           : loop == LOOP_add512 ? __builtin_cpu_supports("avx512f")
           : loop == LOOP_fma256 ? __builtin_cpu_supports("fma")
                                 : true;
#else
    return loop != LOOP_add256 && loop != LOOP_add512 && loop != LOOP_fma256 &&
           loop != LOOP_ticks;
#endif
}

static unsigned char *map(size_t bytes, int protection)
{
    void *const at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    /* Pages of 2 MiB would leave TLBs and page faults without work. */
    madvise(at, bytes, MADV_NOHUGEPAGE);
    return at;
}

/* Memory of zeros, of which the first `bytes` are there: what was only read is the same
 * page everywhere. */
static unsigned char *lines(struct proof_memory *memory, size_t bytes)
{
    if (!memory->lines)
        memory->lines = map(LINES_BYTES, PROT_READ | PROT_WRITE);
    for (; memory->lines && memory->written < bytes; memory->written += PAGE)
        *(volatile unsigned char *)(memory->lines + memory->written) = 0;
    return memory->lines;
}

/* Addresses of one and the same page: they miss TLBs and no cache. */
static unsigned char *pages(struct proof_memory *memory)
{
    if (memory->pages)
        return memory->pages;
    memory->pages = map((size_t)PAGES * PAGE, PROT_READ);
    for (size_t i = 0; memory->pages && i < PAGES; i++)
        (void)*(const volatile unsigned char *)(memory->pages + i * PAGE);
    return memory->pages;
}

/* Loads from `mask` + 1 places, each once before any twice, in an order that no
 * prefetcher guesses. What is loaded, 0, leads to the next place: one load waits for the
 * other. */
static uint64_t chase(const unsigned char *at, uint64_t mask, unsigned shift,
                      uint64_t turns)
{
    uint64_t x = 1;
    for (uint64_t i = 0; at && i < turns; i++) {
        x = (x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407)) & mask;
        x += *(const volatile unsigned char *)(at + (x << shift));
    }
    return at ? turns : 0;
}

static uint64_t flush(unsigned char *memory, uint64_t turns)
{
    for (uint64_t i = 0; memory && i < turns; i++) {
        unsigned char *const at = memory + ((i % FLUSHED) << LINE_SHIFT);
        __asm__ volatile(FLUSH : : [at] "r"(at) : "memory");
        (void)*(const volatile unsigned char *)at;
    }
    return memory ? turns : 0;
}

/* A sanitizer would touch pages of its own beside each store. */
__attribute__((no_sanitize("address"))) static uint64_t touch(uint64_t turns)
{
    unsigned char *const at = map(turns * PAGE, PROT_READ | PROT_WRITE);
    for (uint64_t i = 0; at && i < turns; i++)
        *(volatile unsigned char *)(at + i * PAGE) = 1;
    if (at)
        munmap(at, turns * PAGE);
    return at ? turns : 0;
}

static uint64_t sleeps(uint64_t turns)
{
    const struct timespec moment = {.tv_nsec = 1000};
    for (uint64_t i = 0; i < turns; i++)
        nanosleep(&moment, NULL);
    return turns;
}

static uint64_t wait_ns(uint64_t ns)
{
    const int64_t begin = clock_now();
    int64_t passed;
    do {
        passed = clock_now() - begin;
    } while (passed < (int64_t)ns);
    return (uint64_t)passed;
}

static uint64_t wait_ticks(uint64_t ticks)
{
#ifdef __x86_64__
    const uint64_t begin = __builtin_ia32_rdtsc();
    uint64_t passed;
    do {
        passed = __builtin_ia32_rdtsc() - begin;
    } while (passed < ticks);
    return passed;
#else
    return 0 * ticks;
#endif
}

uint64_t proof_loop_run(enum proof_loop loop, uint64_t turns, void *context)
{
    struct proof_memory *const memory = context;
    uint64_t word = 0;
    if (!has_instructions(loop))
        return 0;
    switch (loop) {
    case LOOP_nothing:
        return 1;
    case LOOP_chase_l1:
        return chase(lines(memory, 16 << 10), 255, LINE_SHIFT, turns);
    case LOOP_chase_l2:
        return chase(lines(memory, 256 << 10), 4095, LINE_SHIFT, turns);
    case LOOP_chase_l3:
        return chase(lines(memory, LINES_BYTES), 131071, LINE_SHIFT, turns);
    case LOOP_flush:
        return flush(lines(memory, FLUSHED << LINE_SHIFT), turns);
    case LOOP_pages_near:
        return chase(pages(memory), 511, PAGE_SHIFT, turns);
    case LOOP_pages_far:
        return chase(pages(memory), PAGES - 1, PAGE_SHIFT, turns);
    case LOOP_touch:
        return touch(turns);
    case LOOP_sleep:
        return sleeps(turns);
    case LOOP_wait:
        return wait_ns(turns);
    case LOOP_ticks:
        return wait_ticks(turns);
    default:
        break;
    }
    const uint64_t left = assembly(loop, turns, memory->random | 1, &word);
    /* The numbers of one run follow those of the last: nothing can learn them. */
    if (loop == LOOP_branch)
        memory->random = left;
    return turns;
}

void proof_memory_free(struct proof_memory *memory)
{
    if (memory->lines)
        munmap(memory->lines, LINES_BYTES);
    if (memory->pages)
        munmap(memory->pages, (size_t)PAGES * PAGE);
    *memory = (struct proof_memory){0};
}
