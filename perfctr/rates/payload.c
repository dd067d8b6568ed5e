/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "numbers.h"
#include "perfctr.h"

/*
 * A turn is a chain of 24 loads from the first cache, each of which tells the next one's
 * address: loads share no port with vector work on registers, as multiplies do on some
 * cores. They go around a ring of another length, as some cores foresee what an
 * instruction loads again and again. On arm64 it is 72 dependent exclusive ors. The
 * vector work stands around them, 96 operations (dense) or 48 (sparse) on eight
 * accumulators, so that none waits for another. PASS brings each accumulator forward
 * (FORTH) and the next one back (BACK): FMA adds and subtracts the same products, so that
 * the numbers stay normal and random forever, and the multipliers see all their bits.
 */
#define DENSE(chain, op)                                                           \
    chain op(0, 8, 12) op(1, 9, 13) op(2, 10, 14) op(3, 11, 15) chain op(4, 8, 13) \
        op(5, 9, 14) op(6, 10, 15) op(7, 11, 12)
#define SPARSE(chain, op)                                                                \
    chain op(0, 8, 12) op(1, 9, 13) chain op(2, 10, 14) op(3, 11, 15) chain op(4, 8, 13) \
        op(5, 9, 14) chain op(6, 10, 15) op(7, 11, 12)
#define TURN(pass, times, chain, forth, back) \
    ".rept " #times "\n\t" pass(chain, forth) pass(chain, back) ".endr\n\t"

/* The four functions of a payload. */
#define PAYLOAD(name, load, forth, back, leave)                                 \
    FUNCTION(name##_sparse, load, TURN(SPARSE, 3, CHAIN, forth, back), leave)   \
    FUNCTION(name##_sparse_bare, load, TURN(SPARSE, 3, "", forth, back), leave) \
    FUNCTION(name##_dense, load, TURN(DENSE, 6, CHAIN, forth, back), leave)     \
    FUNCTION(name##_dense_bare, load, TURN(DENSE, 6, "", forth, back), leave)

#define ROW(name, isa, bits, heavy, function)                          \
    {                                                                  \
        name, isa, bits, heavy, {function##_sparse, function##_dense}, \
        {                                                              \
            function##_sparse_bare, function##_dense_bare              \
        }                                                              \
    }

#define LOAD_ALL(load)                                                              \
    load(0) load(1) load(2) load(3) load(4) load(5) load(6) load(7) load(8) load(9) \
        load(10) load(11) load(12) load(13) load(14) load(15)

#if defined __x86_64__

#define CHAIN "mov (%[x]), %[x]\n\t"
#define FUNCTION(name, load, turn, leave)                                           \
    static void name(uint64_t turns, const struct payload_data *data)               \
    {                                                                               \
        const void *x = data->ring;                                                 \
        __asm__ volatile(load ".p2align 6\n"                                        \
                              "1:\n\t" turn "dec %[turns]\n\t"                      \
                              "jnz 1b\n\t" leave                                    \
                         : [x] "+r"(x), [turns] "+r"(turns)                         \
                         : [data] "r"(data), "m"(*data)                             \
                         : "cc", "r8", "r9", "r10", "xmm0", "xmm1", "xmm2", "xmm3", \
                           "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
                           "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");            \
    }

#define LOAD_SCALAR "mov (%[data]), %%r8\n\tmov 8(%[data]), %%r9\n\t"
#define SCALAR(i, j, k) "lea (%%r8, %%r9), %%r10\n\t"

#define LOAD_128(i) "movups " #i "*64(%[data]), %%xmm" #i "\n\t"
#define ADD_128(i, j, k) "paddd %%xmm" #j ", %%xmm" #i "\n\t"
#define XOR_128(i, j, k) "pxor %%xmm" #k ", %%xmm" #i "\n\t"

#define THREE(name, v, i, j, k) name " %%" #v #k ", %%" #v #j ", %%" #v #i "\n\t"
#define LOAD_256(i) "vmovups " #i "*64(%[data]), %%ymm" #i "\n\t"
#define ADD_256(i, j, k) THREE("vpaddd", ymm, i, i, j)
#define XOR_256(i, j, k) THREE("vpxor", ymm, i, i, k)
#define FMA_256(i, j, k) THREE("vfmadd231ps", ymm, i, j, k)
#define BACK_256(i, j, k) THREE("vfnmadd231ps", ymm, i, j, k)

#define LOAD_512(i) "vmovups " #i "*64(%[data]), %%zmm" #i "\n\t"
#define ADD_512(i, j, k) THREE("vpaddd", zmm, i, i, j)
#define XOR_512(i, j, k) THREE("vpxord", zmm, i, i, k)
#define FMA_512(i, j, k) THREE("vfmadd231ps", zmm, i, j, k)
#define BACK_512(i, j, k) THREE("vfnmadd231ps", zmm, i, j, k)

#define NOTHING(i, j, k)

FUNCTION(chain_alone, "", TURN(DENSE, 6, CHAIN, NOTHING, NOTHING), "")
PAYLOAD(scalar, LOAD_SCALAR, SCALAR, SCALAR, "")
PAYLOAD(light_128, LOAD_ALL(LOAD_128), ADD_128, XOR_128, "")
PAYLOAD(light_256, LOAD_ALL(LOAD_256), ADD_256, XOR_256, "vzeroupper\n\t")
PAYLOAD(heavy_256, LOAD_ALL(LOAD_256), FMA_256, BACK_256, "vzeroupper\n\t")
PAYLOAD(light_512, LOAD_ALL(LOAD_512), ADD_512, XOR_512, "vzeroupper\n\t")
PAYLOAD(heavy_512, LOAD_ALL(LOAD_512), FMA_512, BACK_512, "vzeroupper\n\t")

static const struct payload payloads[] = {
    ROW("scalar", "scalar", 0, false, scalar),
    ROW("128 light", "sse2", 128, false, light_128),
    ROW("256 light", "avx2", 256, false, light_256),
    ROW("256 heavy", "avx2", 256, true, heavy_256),
    ROW("512 light", "avx512", 512, false, light_512),
    ROW("512 heavy", "avx512", 512, true, heavy_512),
};

#elif defined __aarch64__

#define CHAIN                  \
    "eor %[x], %[x], %[y]\n\t" \
    "eor %[x], %[x], %[y]\n\t" \
    "eor %[x], %[x], %[y]\n\t"
#define FUNCTION(name, load, turn, leave)                                                \
    static void name(uint64_t turns, const struct payload_data *data)                    \
    {                                                                                    \
        uint64_t x = 1, y = 3;                                                           \
        __asm__ volatile(load "1:\n\t" turn "subs %[turns], %[turns], #1\n\t"            \
                              "b.ne 1b\n\t" leave                                        \
                         : [x] "+r"(x), [turns] "+r"(turns)                              \
                         : [y] "r"(y), [data] "r"(data), "m"(*data)                      \
                         : "cc", "x9", "x10", "x11", "v0", "v1", "v2", "v3", "v4", "v5", \
                           "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",    \
                           "v15");                                                       \
    }

#define LOAD_SCALAR "ldp x9, x10, [%[data]]\n\t"
#define SCALAR(i, j, k) "add x11, x9, x10\n\t"
#define LOAD_128(i) "ldr q" #i ", [%[data], #64*" #i "]\n\t"
#define ADD_128(i, j, k) "add v" #i ".4s, v" #i ".4s, v" #j ".4s\n\t"
#define XOR_128(i, j, k) "eor v" #i ".16b, v" #i ".16b, v" #k ".16b\n\t"
#define FMA_128(i, j, k) "fmla v" #i ".4s, v" #j ".4s, v" #k ".4s\n\t"
#define BACK_128(i, j, k) "fmls v" #i ".4s, v" #j ".4s, v" #k ".4s\n\t"

PAYLOAD(scalar, LOAD_SCALAR, SCALAR, SCALAR, "")
PAYLOAD(light_128, LOAD_ALL(LOAD_128), ADD_128, XOR_128, "")
PAYLOAD(heavy_128, LOAD_ALL(LOAD_128), FMA_128, BACK_128, "")

static const struct payload payloads[] = {
    ROW("scalar", "scalar", 0, false, scalar),
    ROW("128 light", "neon", 128, false, light_128),
    ROW("128 heavy", "neon", 128, true, heavy_128),
};

#endif

_Static_assert(ARRAY_LEN(payloads) <= PAYLOADS_MAX, "PAYLOADS_MAX is too small");

size_t payload_count(void)
{
    return ARRAY_LEN(payloads);
}

const struct payload *payload_get(size_t index)
{
    return &payloads[index];
}

double payload_cycles(void)
{
#if defined __x86_64__
    /* A load takes whole cycles. Interrupts make a try longer, and a probe of the clock
     * can be wrong both ways: the median of tries counts, each by the clock before it. */
    enum { LOADS = 24, TURNS = 400, TRIES = 9 };
    struct payload_data data;
    double cycles[TRIES];
    payload_fill(&data, 1);
    for (int k = 0; k < TRIES; k++) {
        const double ghz = clock_ghz(20000);
        const int64_t begin = clock_now();
        chain_alone(TURNS, &data);
        cycles[k] = (double)(clock_now() - begin) * ghz;
    }
    qsort(cycles, TRIES, sizeof *cycles, by_double);
    return LOADS * fmax(1, round(cycles[TRIES / 2] / (TURNS * LOADS)));
#else
    return 72;
#endif
}

void payload_fill(struct payload_data *data, uint64_t seed)
{
    for (size_t i = 0; i < PAYLOAD_RING; i++)
        data->ring[i] = &data->ring[(i + 7) % PAYLOAD_RING];
    for (size_t i = 0; i < ARRAY_LEN(data->value); i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        data->value[i] = 0.5f + (float)(seed >> 40) / (float)(1 << 25);
    }
}
