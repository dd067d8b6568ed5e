/* SPDX-License-Identifier: Apache-2.0 */
/* Short loops, of which each asks one thing of the core; and their table. */
#include <sys/mman.h>

#include "rates.h"

static void nothing(uint64_t turns, struct lines *lines)
{
}

/* Pages that come and go with the work, as those of a kernel that allocates do: they are
 * written whole, since lines of a fresh page miss, and are more than a near cache holds.
 */
enum { PAGE_SHIFT = 12, PAGES = 1024 };
__attribute__((no_sanitize("address"))) static void touch(uint64_t turns,
                                                          struct lines *lines)
{
    for (uint64_t turn = 0; turn < turns; turn++) {
        unsigned char *const at =
            mmap(NULL, (size_t)PAGES << PAGE_SHIFT, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            return;
        madvise(at, (size_t)PAGES << PAGE_SHIFT, MADV_NOHUGEPAGE);
        memset(at, 1, (size_t)PAGES << PAGE_SHIFT);
        munmap(at, (size_t)PAGES << PAGE_SHIFT);
    }
}
#define FAULT_ROW {"cost_fault", NULL, PAGES, touch, nothing}

#if defined __x86_64__

static uint64_t global;

/* `call` writes below the stack pointer, where the compiler may keep variables. */
#define LEAVE_STACK "lea -256(%%rsp), %%rsp\n\t"
#define BACK_TO_STACK "lea 256(%%rsp), %%rsp\n\t"
#define LOOP(name, before, body, after)                                                 \
    static void loop_##name(uint64_t turns, struct lines *lines)                        \
    {                                                                                   \
        __asm__ volatile(                                                               \
            before ".p2align 6\n1:\n\t" body "dec %[turns]\n\tjnz 1b\n\t" after         \
            : [turns] "+r"(turns), [global] "+m"(global)                                \
            : [at] "r"(lines)                                                           \
            : "cc", "memory", "rax", "rcx", "rdx", "r8", "r9", "xmm0", "xmm1", "xmm2",  \
              "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
              "xmm12", "xmm13", "xmm14", "xmm15");                                      \
    }
#define TIMES(n, body) ".rept " #n "\n\t" body ".endr\n\t"
#define CLEAN "vzeroupper\n\t"

/* clang-format off */
#define SIX(M, ...) \
    M(0, __VA_ARGS__) M(1, __VA_ARGS__) M(2, __VA_ARGS__) \
    M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(5, __VA_ARGS__)
#define EIGHT(M, ...) SIX(M, __VA_ARGS__) M(6, __VA_ARGS__) M(7, __VA_ARGS__)
#define TEN_FMAS(s, v) \
    FMA(s, v, 0) FMA(s, v, 1) FMA(s, v, 2) FMA(s, v, 3) FMA(s, v, 4) FMA(s, v, 5) \
    FMA(s, v, 6) FMA(s, v, 7) FMA(s, v, 8) FMA(s, v, 9)
#define TEN_PAIRS(OP, s, v) \
    FMA(s, v, 0) FMA(s, v, 1) OP(s, v, 10) OP(s, v, 11) \
    FMA(s, v, 2) FMA(s, v, 3) OP(s, v, 12) OP(s, v, 13) \
    FMA(s, v, 4) FMA(s, v, 5) OP(s, v, 14) OP(s, v, 10) \
    FMA(s, v, 6) FMA(s, v, 7) OP(s, v, 11) OP(s, v, 12) \
    FMA(s, v, 8) FMA(s, v, 9) OP(s, v, 13) OP(s, v, 14)
/* clang-format on */

/* Cores drop these on the way, but each takes a place there, as few nops do. */
#define DROPPED "xor %%ecx, %%ecx\n\tmov %%r9, %%r8\n\t"
LOOP(instructions, "", TIMES(48, DROPPED), "")
/* They write flags alone, and wait for nothing. */
LOOP(integers, "", TIMES(48, "test %%r9, %%r9\n\t"), "")
/* Longer than the buffers of decoded instructions, and shorter than the cache. */
LOOP(decoded, "", TIMES(8000, "vxorps %%xmm0, %%xmm0, %%xmm0\n\t"), "")

/* Longer than the first cache of instructions. Some cores ask for lines ahead as far as
 * they predict jumps, so that code that jumps from line to line comes faster. */
#define NOP_9 ".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n\t"
LOOP(fetched, "", TIMES(10000, NOP_9), "")
LOOP(lines, "", TIMES(1406, "jmp 2f\n\t.p2align 6\n2:\n\t"), "")
/* Never taken. */
LOOP(branches, "mov $9, %%r8\n\t", TIMES(32, "cmp $1, %%r8\n\tjb 2f\n\t"), "2:\n\t")
/* Always taken, two in a line of the cache. */
LOOP(taken, "", TIMES(32, "jmp 2f\n\t.p2align 5\n2:\n\t"), "")

/* Loops of all four widths, with the first of their addresses and the steps. */
#define WIDTHS(name, MANY, OP, from, step_64, step_128, step_256, step_512) \
    LOOP(name##_64, "", TIMES(8, MANY(OP##_64, from, step_64)), "")         \
    LOOP(name##_128, "", TIMES(8, MANY(OP##_128, from, step_128)), "")      \
    LOOP(name##_256, "", TIMES(8, MANY(OP##_256, from, step_256)), CLEAN)   \
    LOOP(name##_512, "", TIMES(8, MANY(OP##_512, from, step_512)), CLEAN)
#define PLACE(i, from, step) #from "+" #i "*" #step "(%[at])"
#define LOAD_64(i, ...) "mov " PLACE(i, __VA_ARGS__) ", %%rax\n\t"
#define LOAD_128(i, ...) "movups " PLACE(i, __VA_ARGS__) ", %%xmm" #i "\n\t"
#define LOAD_256(i, ...) "vmovups " PLACE(i, __VA_ARGS__) ", %%ymm" #i "\n\t"
#define LOAD_512(i, ...) "vmovups " PLACE(i, __VA_ARGS__) ", %%zmm" #i "\n\t"
/* Each lies in a line and, but the widest ones, in a bank of its own. */
WIDTHS(loads, EIGHT, LOAD, 0, 72, 80, 96, 64)
/* Each lies in the same bank of another line, and all at one place, which some cores read
 * as often as they can. */
LOOP(banked, "", TIMES(8, EIGHT(LOAD_64, 0, 64)), "")
LOOP(one_place, "", TIMES(8, EIGHT(LOAD_64, 0, 0)), "")
/* Each begins 4 bytes before its line ends. */
WIDTHS(splits, EIGHT, LOAD, 60, 64, 64, 64, 64)

/* Elements that lie side by side: 8 of 256 bits, 16 of 512. */
#define BYTES_IN_ORDER                                               \
    "mov $0x0706050403020100, %%rax\n\tvmovq %%rax, %%xmm14\n\t"     \
    "mov $0x0f0e0d0c0b0a0908, %%rax\n\tvpinsrq $1, %%rax, %%xmm14, " \
    "%%xmm14\n\t"
#define PLACES_256                                  \
    BYTES_IN_ORDER "vpmovzxbd %%xmm14, %%ymm14\n\t" \
                   "vpcmpeqd %%ymm13, %%ymm13, %%ymm13\n\t"
#define PLACES_512 \
    BYTES_IN_ORDER "vpmovzxbd %%xmm14, %%zmm14\n\tkxnorw %%k2, %%k2, %%k2\n\t"
#define GATHER_256 \
    "vmovaps %%ymm13, %%ymm1\n\tvgatherdps %%ymm1, (%[at],%%ymm14,4), %%ymm0\n\t"
#define GATHER_512 "kmovw %%k2, %%k1\n\tvgatherdps (%[at],%%zmm14,4), %%zmm0%{%%k1%}\n\t"
#define SCATTER_512 \
    "kmovw %%k2, %%k1\n\tvscatterdps %%zmm0, (%[at],%%zmm14,4)%{%%k1%}\n\t"
LOOP(gathered_256, PLACES_256, TIMES(8, GATHER_256), CLEAN)
LOOP(gathered_512, PLACES_512, TIMES(8, GATHER_512), CLEAN)
LOOP(scattered_512, PLACES_512, TIMES(8, SCATTER_512), CLEAN)
/* The same eight elements one by one, each with a load of its index. */
#define PICK(i, x, from)                                                       \
    "mov " #from "+4*" #i "(%[at]), %%eax\n\tvpinsrd $" #i ", " #from "+4*" #i \
    "(%[at],%%r8,4), %%xmm" #x ", %%xmm" #x "\n\t"
#define PICK_4(x, from)                                                      \
    "mov " #from "(%[at]), %%eax\n\tvmovd " #from "(%[at],%%r8,4), %%xmm" #x \
    "\n\t" PICK(1, x, from) PICK(2, x, from) PICK(3, x, from)
#define PICK_8 PICK_4(0, 0) PICK_4(1, 16) "vinsertf128 $1, %%xmm1, %%ymm0, %%ymm0\n\t"
LOOP(picked_256, "xor %%r8d, %%r8d\n\t", TIMES(8, PICK_8), CLEAN)

#define STORE_64(i, ...) "mov %%rax, " PLACE(i, __VA_ARGS__) "\n\t"
#define STORE_128(i, ...) "movups %%xmm" #i ", " PLACE(i, __VA_ARGS__) "\n\t"
#define STORE_256(i, ...) "vmovups %%ymm" #i ", " PLACE(i, __VA_ARGS__) "\n\t"
#define STORE_512(i, ...) "vmovups %%zmm" #i ", " PLACE(i, __VA_ARGS__) "\n\t"
WIDTHS(stores, EIGHT, STORE, 0, 8, 16, 32, 64)

/* Six of them keep clear of the numbers below. */
WIDTHS(split_stores, SIX, STORE, 60, 64, 64, 64, 64)

/* 1/2 in register 15: t * 1/2 + 1/2 comes to rest at 1, and every quotient is normal. */
#define HALF "mov $0x3f000000, %%eax\n\tvmovd %%eax, %%xmm15\n\t"
#define HALVES HALF "vbroadcastss %%xmm15, %%ymm15\n\t"
#define HALVES_512 HALF "vbroadcastss %%xmm15, %%zmm15\n\t"
#define FMA(s, v, i) "vfmadd213" s " %%" #v "15, %%" #v "15, %%" #v #i "\n\t"
/* These two wait for nothing, as a maximum may take as long as an FMA. */
#define MAX(s, v, i) "vmax" s " %%" #v "15, %%" #v "15, %%" #v #i "\n\t"
#define ADD(s, v, i) "vadd" s " %%" #v "15, %%" #v "15, %%" #v #i "\n\t"
#define DIVIDE(s, v, i) "vdiv" s " %%" #v "15, %%" #v "15, %%" #v #i "\n\t"
#define FOUR_DIVIDES(s, v) DIVIDE(s, v, 0) DIVIDE(s, v, 1) DIVIDE(s, v, 2) DIVIDE(s, v, 3)
/* A division beside FMAs takes turns of their units, too. */
#define FMAS_AND_DIVIDE(s, v) TEN_FMAS(s, v) TEN_FMAS(s, v) DIVIDE(s, v, 10)
#define WIDTH(bits, set, s, d, v)                                      \
    LOOP(fmas_##bits, set, TIMES(5, TEN_FMAS(s, v)), CLEAN)            \
    LOOP(maxima_##bits, set, TIMES(5, TEN_PAIRS(MAX, s, v)), CLEAN)    \
    LOOP(sums_##bits, set, TIMES(5, TEN_PAIRS(ADD, s, v)), CLEAN)      \
    LOOP(divides_##bits, set, TIMES(2, FOUR_DIVIDES(s, v)), CLEAN)     \
    LOOP(divides_f64_##bits, set, TIMES(2, FOUR_DIVIDES(d, v)), CLEAN) \
    LOOP(beside_##bits, set, TIMES(4, FMAS_AND_DIVIDE(s, v)), CLEAN)   \
    LOOP(alone_##bits, set, TIMES(8, TEN_FMAS(s, v)), CLEAN)
WIDTH(64, HALVES, "ss", "sd", xmm)
WIDTH(128, HALVES, "ps", "pd", xmm)
WIDTH(256, HALVES, "ps", "pd", ymm)
WIDTH(512, HALVES_512, "ps", "pd", zmm)
/* Each waits for the one before, and the first for nothing. */
LOOP(chain, HALVES, "vmovaps %%ymm15, %%ymm0\n\t" TIMES(64, FMA("ps", ymm, 0)), CLEAN)
LOOP(chain_64, "mov $1, %%ecx\n\t",
     "mov %%rcx, %%rax\n\t" TIMES(64, "xor %%rcx, %%rax\n\t"), "")

/* The cheapest of what vector units compute, of shuffles, which are two on some cores,
 * and of two-source permutes. */
#define COMPUTE(i, v) "vandps %%" #v "15, %%" #v "15, %%" #v #i "\n\t"
#define SHUFFLE(i, v) "vunpcklps %%" #v "15, %%" #v "15, %%" #v #i "\n\t"
#define SELECT(i, v) "vshufps $0, %%" #v "15, %%" #v "15, %%" #v #i "\n\t"
#define PERMUTE(i, v) "vpermt2ps %%" #v "15, %%" #v "15, %%" #v #i "\n\t"
#define UNITS(bits, v)                                            \
    LOOP(computed_##bits, "", TIMES(8, EIGHT(COMPUTE, v)), CLEAN) \
    LOOP(shuffles_##bits, "", TIMES(8, EIGHT(SHUFFLE, v)), CLEAN) \
    LOOP(selects_##bits, "", TIMES(8, EIGHT(SELECT, v)), CLEAN)   \
    LOOP(permutes_##bits, "", TIMES(8, EIGHT(PERMUTE, v)), CLEAN)
UNITS(128, xmm)
UNITS(256, ymm)
UNITS(512, zmm)

/* Behind some of them are many that wait for nothing, and hold their registers. */
LOOP(behind, HALVES,
     "vmovaps %%ymm15, %%ymm0\n\t" TIMES(16, FMA("ps", ymm, 0))
         TIMES(18, EIGHT(COMPUTE, ymm)),
     CLEAN)

/* The indices have 32 bits, as most have. */
LOOP(integer_divides, "mov $7, %%ecx\n\tmov $1000003, %%r8d\n\t",
     TIMES(8, "xor %%edx, %%edx\n\tmov %%r8d, %%eax\n\tdiv %%ecx\n\t"), "")

#define NARROW_STORES "mov %%rax, (%[at])\n\tmov %%rax, 8(%[at])\n\t"
LOOP(forward, "", TIMES(8, NARROW_STORES "movups (%[at]), %%xmm0\n\t"), "")
LOOP(no_forward, "", TIMES(8, NARROW_STORES "movups 256(%[at]), %%xmm0\n\t"), "")

/* The mask leaves out the upper half, which comes from an older store. */
#define MASKED_STORE "vmaskmovps %%ymm0, %%ymm15, (%[at])\n\t"
#define HALF_MASK "vpcmpeqd %%xmm15, %%xmm15, %%xmm15\n\t"
LOOP(masked, HALF_MASK, TIMES(8, MASKED_STORE "vmovups (%[at]), %%ymm1\n\t"), CLEAN)
LOOP(no_masked, HALF_MASK, TIMES(8, MASKED_STORE "vmovups 256(%[at]), %%ymm1\n\t"), CLEAN)

/* A value goes through memory again and again. Beside it what computes it, alone. Some
 * cores know that a place is the last one by the names of its base and offset, and pass
 * the value on before the addresses are known; an index that is computed hides it, and on
 * some the instruction pointer, by which code names variables of its own. */
#define PASS_64(at) "mov " at ", %%rax\n\tnot %%rax\n\tmov %%rax, " at "\n\t"
#define PASS_128 \
    "movups (%[at]), %%xmm0\n\tpxor %%xmm1, %%xmm0\n\tmovups %%xmm0, (%[at])\n\t"
#define COMPUTED "xor %%ecx, %%ecx\n\t"
LOOP(pass_64, "", TIMES(16, COMPUTED PASS_64("(%[at],%%rcx,8)")), "")
LOOP(pass_128, "", TIMES(16, PASS_128), "")
LOOP(named_64, "", TIMES(16, PASS_64("(%[at])")), "")
LOOP(global_64, "", TIMES(16, PASS_64("%[global]")), "")
LOOP(stay_64, "", TIMES(16, "not %%rax\n\t"), "")
LOOP(stay_128, "", TIMES(16, "pxor %%xmm1, %%xmm0\n\t"), "")

/* A byte is stored where the last load says, one place farther each time, and loads find
 * what was stored just before now and then. A core that learnt that lets such a load wait
 * until it knows the places of all stores before it. All bytes are 1. */
#define ONES                                                               \
    "mov $0x0101010101010101, %%rax\n\tmov $32, %%ecx\n\t2:\t"             \
    "mov %%rax, -8(%[at],%%rcx,8)\n\tdec %%ecx\n\tjnz 2b\n\tinc %%ecx\n\t" \
    "xor %%edx, %%edx\n\txor %%r8d, %%r8d\n\t"
LOOP(guard, ONES,
     TIMES(8, "movzbl (%[at],%%r8), %%eax\n\tadd %%al, %%dl\n\t"
              "mov %%cl, (%[at],%%rdx)\n\tadd $5, %%r8b\n\t"),
     "")

/* xorshift64, whose lowest bit decides a branch, or none of its bits. The numbers go on
 * where the last loop left them, so that no predictor knows them. */
#define RANDOM(bit)                                                                  \
    "mov %%rax, %%rcx\n\tshl $13, %%rcx\n\txor %%rcx, %%rax\n\tmov %%rax, %%rcx\n\t" \
    "shr $7, %%rcx\n\txor %%rcx, %%rax\n\tmov %%rax, %%rcx\n\tshl $17, %%rcx\n\t"    \
    "xor %%rcx, %%rax\n\ttest $" #bit ", %%al\n\tjz 2f\n\tmov %%rax, %%rcx\n\t2:\n\t"
#define RESUME "mov 512(%[at]), %%rax\n\tor $1, %%rax\n\t"
#define KEEP "mov %%rax, 512(%[at])\n\t"
LOOP(mispredict, RESUME, RANDOM(1), KEEP)
LOOP(predict, RESUME, RANDOM(0), KEEP)

/* It stores 32 bytes, or copies them; no instruction with REP that does so takes less.
 * Its registers may be those of the loop. */
#define STRING(store)                                                            \
    "mov %[at], %%rax\n\tmov %%rdi, %%r9\n\tmov %%rsi, %%rdx\n\t"                \
    "lea 256(%%rax), %%rdi\n\tlea 128(%%rax), %%rsi\n\tmov $32, %%ecx\n\t" store \
    "mov %%r9, %%rdi\n\tmov %%rdx, %%rsi\n\t"
LOOP(string, "", TIMES(4, STRING("rep stosb\n\t")), "")
LOOP(string_copies, "", TIMES(4, STRING("rep movsb\n\t")), "")
LOOP(no_string, "", TIMES(4, STRING("")), "")
/* Searches: bytes that are 0, as nobody stores here; and a jump that counts. */
#define SCAN(n)                                                          \
    "mov %%rdi, %%r8\n\tlea 704(%[at]), %%rdi\n\tmov $" #n ", %%ecx\n\t" \
    "xor %%eax, %%eax\n\trepe scasb\n\tmov %%r8, %%rdi\n\t"
LOOP(scan, "", TIMES(4, SCAN(192)), "")
LOOP(scan_less, "", TIMES(4, SCAN(64)), "")
LOOP(counted, "", "mov $64, %%ecx\n\t2:\tloop 2b\n\t", "")

/* Cores have no pause between few jumps, and one between many. A lone call may take no
 * longer than the jump of its loop. */
#define CALL LEAVE_STACK "jmp 1f\n3:\n\tret\n"
LOOP(call, CALL, TIMES(8, "call 3b\n\t"), BACK_TO_STACK)
LOOP(few_calls, CALL, TIMES(4, "call 3b\n\t"), BACK_TO_STACK)
LOOP(no_call, "", "", "")

/* It overwrites rbx, which compilers keep. */
LOOP(cpuid, "", "mov %%rbx, %%r8\n\txor %%eax, %%eax\n\tcpuid\n\tmov %%r8, %%rbx\n\t", "")

/* With their upper halves in use, SSE instructions must keep them: each waits for the
 * last one that wrote the register. The VEX ones clear them and wait for nothing. */
#define SSE "cvtdq2ps %%xmm1, %%xmm0\n\t"
#define VEX "vcvtdq2ps %%xmm1, %%xmm0\n\t"
#define DIRTY "vorps %%ymm1, %%ymm2, %%ymm3\n\t"
LOOP(mixed, DIRTY, DIRTY TIMES(16, SSE), CLEAN)
LOOP(unmixed, DIRTY, DIRTY TIMES(16, VEX), CLEAN)
/* Some cores save and restore upper halves where one kind follows the other. */
LOOP(mixed_once, DIRTY, DIRTY SSE, CLEAN)
LOOP(unmixed_once, DIRTY, DIRTY VEX, CLEAN)

/* clang-format off */
#define WIDTHS_ROWS(name, n) \
    {"rate_" #name "_64", NULL, n, loop_##name##_64, NULL}, \
    {"rate_" #name "_128", NULL, n, loop_##name##_128, NULL}, \
    {"rate_" #name "_256", "avx2", n, loop_##name##_256, NULL}, \
    {"rate_" #name "_512", "avx512", n, loop_##name##_512, NULL}
#define WIDTH_ROWS(bits, isa) \
    {"rate_floats_" #bits, isa, 100, loop_maxima_##bits, loop_sums_##bits}, \
    {"rate_fmas_" #bits, isa, 50, loop_fmas_##bits, NULL}, \
    {"rate_divides_" #bits, isa, 8, loop_divides_##bits, NULL}, \
    {"rate_divides_f64_" #bits, isa, 8, loop_divides_f64_##bits, NULL}, \
    {"cost_divide_" #bits, isa, 4, loop_beside_##bits, loop_alone_##bits}
#define UNIT_ROWS(bits, isa) \
    {"rate_computed_" #bits, isa, 64, loop_computed_##bits, NULL}, \
    {"rate_shuffles_" #bits, isa, 64, loop_shuffles_##bits, loop_selects_##bits}, \
    {"rate_permutes_" #bits, "avx512", 64, loop_permutes_##bits, NULL}
const struct rate core_rates[] = {
    {"rate_instructions", NULL, 98, loop_instructions, NULL},
    {"rate_integers", NULL, 49, loop_integers, NULL},
    {"rate_decoded", "avx2", 8002, loop_decoded, NULL},
    {"rate_fetched", NULL, 90000, loop_fetched, loop_lines},
    {"rate_branches", NULL, 33, loop_branches, NULL},
    {"rate_taken", NULL, 33, loop_taken, NULL},
    WIDTHS_ROWS(loads, 64),
    {"rate_loads_banked", NULL, 64, loop_banked, loop_one_place},
    WIDTHS_ROWS(stores, 64),
    WIDTHS_ROWS(splits, 64),
    WIDTHS_ROWS(split_stores, 48),
    {"rate_gathered_256", "avx2", 64, loop_gathered_256, NULL},
    {"rate_gathered_512", "avx512", 128, loop_gathered_512, NULL},
    {"rate_picked_256", "avx2", 64, loop_picked_256, NULL},
    {"rate_scattered_512", "avx512", 128, loop_scattered_512, NULL},
    {"rate_integer_divides", NULL, 8, loop_integer_divides, NULL},
    WIDTH_ROWS(64, "avx2"),
    WIDTH_ROWS(128, "avx2"),
    WIDTH_ROWS(256, "avx2"),
    WIDTH_ROWS(512, "avx512"),
    UNIT_ROWS(128, "avx2"),
    UNIT_ROWS(256, "avx2"),
    UNIT_ROWS(512, "avx512"),
    {"cost_chain", "avx2", 1, loop_chain, nothing},
    {"cost_chain_64", NULL, 1, loop_chain_64, nothing},
    {"cost_behind", "avx2", 1, loop_behind, nothing},
    {"cost_forward", NULL, 8, loop_forward, loop_no_forward},
    {"cost_masked", "avx2", 8, loop_masked, loop_no_masked},
    {"cost_pass_64", NULL, 16, loop_pass_64, loop_stay_64},
    {"cost_pass_128", NULL, 16, loop_pass_128, loop_stay_128},
    {"cost_named_64", NULL, 16, loop_named_64, loop_stay_64},
    {"cost_global_64", NULL, 16, loop_global_64, loop_stay_64},
    {"cost_guard", NULL, 8, loop_guard, loop_no_call},
    {"cost_mispredict", NULL, 0.5, loop_mispredict, loop_predict},
    {"cost_call", NULL, 8, loop_call, loop_no_call},
    {"cost_few_calls", NULL, 4, loop_few_calls, nothing},
    {"cost_string", NULL, 4, loop_string, loop_no_string},
    {"cost_string_copies", NULL, 4, loop_string_copies, loop_no_string},
    {"cost_scan", NULL, 512, loop_scan, loop_scan_less},
    {"cost_counted", NULL, 64, loop_counted, loop_no_call},
    {"cost_cpuid", NULL, 1, loop_cpuid, nothing},
    {"cost_mixed", "avx2", 16, loop_mixed, loop_unmixed},
    {"cost_mixed_once", "avx2", 1, loop_mixed_once, loop_unmixed_once},
    FAULT_ROW,
};
/* clang-format on */

bool rate_has_isa(const char *isa)
{
    __builtin_cpu_init();
    if (!isa)
        return true;
    return isa[3] == '2' ? __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                         : __builtin_cpu_supports("avx512f") &&
                               __builtin_cpu_supports("avx512vl") &&
                               __builtin_cpu_supports("avx512dq");
}

bool rate_fills_core(const struct rate *rate)
{
    return rate->loop == loop_chain || rate->loop == loop_chain_64 ||
           rate->loop == loop_behind;
}

#else

const struct rate core_rates[] = {FAULT_ROW};

bool rate_fills_core(const struct rate *rate)
{
    return false;
}

bool rate_has_isa(const char *isa)
{
    return !isa;
}

#endif

_Static_assert(ARRAY_LEN(core_rates) <= RATES_MAX, "more rates than there is room for");

size_t core_rate_count(void)
{
    return ARRAY_LEN(core_rates);
}

const char *core_rate_name(size_t index)
{
    return core_rates[index].name;
}
