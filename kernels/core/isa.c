/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "isa_state.h"

/* A feature is needed by the first bundle that is named and all wider ones. */
struct feature {
    const char *name;
    size_t first; /* bundle */
    size_t field; /* of struct isa_state */
    int bit;
};

/* State that the operating system must save for a bundle's registers; of SVE the length
 * of a vector in bytes, as code for one length runs on no other. */
struct saved {
    const char *name;
    uint64_t state;
};

#if defined(__x86_64__)
enum bundle { SCALAR, SSE2, AVX2, AVX512, BUNDLES };

static const struct isa isas[BUNDLES] = {
    [SCALAR] = {"scalar", "plain C code", "plain C, one element at a time", 0},
    [SSE2] = {"sse2", "SSE2", "x86-64: SSE, SSE2", 128},
    [AVX2] = {"avx2", "AVX2", "x86-64-v3: AVX, AVX2, BMI1, BMI2, F16C, FMA, LZCNT, MOVBE",
              256},
    [AVX512] = {"avx512", "AVX-512", "x86-64-v4: AVX-512 F, BW, DQ, VL, CD", 512},
};

/* All that a compiler may use with the bundle's -march=, so also what it has from
 * x86-64-v2. */
static const struct feature features[] = {
#define LEAF1_ECX offsetof(struct isa_state, leaf1_ecx)
#define LEAF1_EDX offsetof(struct isa_state, leaf1_edx)
#define LEAF7_EBX offsetof(struct isa_state, leaf7_ebx)
#define EXTENDED1_ECX offsetof(struct isa_state, extended1_ecx)
    {"sse", SSE2, LEAF1_EDX, 25},        {"sse2", SSE2, LEAF1_EDX, 26},
    {"sse3", AVX2, LEAF1_ECX, 0},        {"ssse3", AVX2, LEAF1_ECX, 9},
    {"cx16", AVX2, LEAF1_ECX, 13},       {"sse4_1", AVX2, LEAF1_ECX, 19},
    {"sse4_2", AVX2, LEAF1_ECX, 20},     {"popcnt", AVX2, LEAF1_ECX, 23},
    {"lahf_lm", AVX2, EXTENDED1_ECX, 0}, {"avx", AVX2, LEAF1_ECX, 28},
    {"avx2", AVX2, LEAF7_EBX, 5},        {"bmi1", AVX2, LEAF7_EBX, 3},
    {"bmi2", AVX2, LEAF7_EBX, 8},        {"f16c", AVX2, LEAF1_ECX, 29},
    {"fma", AVX2, LEAF1_ECX, 12},        {"lzcnt", AVX2, EXTENDED1_ECX, 5},
    {"movbe", AVX2, LEAF1_ECX, 22},      {"xsave", AVX2, LEAF1_ECX, 26},
    {"avx512f", AVX512, LEAF7_EBX, 16},  {"avx512bw", AVX512, LEAF7_EBX, 30},
    {"avx512dq", AVX512, LEAF7_EBX, 17}, {"avx512vl", AVX512, LEAF7_EBX, 31},
    {"avx512cd", AVX512, LEAF7_EBX, 28},
};

static const struct saved saved[BUNDLES] = {
    [AVX2] = {"YMM", 0x06},
    [AVX512] = {"ZMM", 0xe6},
};

#elif defined(__aarch64__)
enum bundle { SCALAR, NEON, BUNDLES };

static const struct isa isas[BUNDLES] = {
    [SCALAR] = {"scalar", "plain C code", "plain C, one element at a time", 0},
    [NEON] = {"neon", "NEON", "ARMv8.0-A: Advanced SIMD", 128},
};

static const struct feature features[] = {
    {"fp", NEON, offsetof(struct isa_state, hwcap), 0},
    {"asimd", NEON, offsetof(struct isa_state, hwcap), 1},
};

/* Linux has no bit of its own for the registers: without them it names no feature. */
static const struct saved saved[BUNDLES];
#endif

size_t isa_count(void)
{
    return BUNDLES;
}

const struct isa *isa_get(size_t index)
{
    return &isas[index];
}

int isa_find(const char *name)
{
    for (int i = 0; i < BUNDLES; i++) {
        if (strcmp(isas[i].name, name) == 0)
            return i;
    }
    return -1;
}

static struct isa_state isa_state_read(void)
{
    struct isa_state state = {0};
#if defined(__x86_64__)
    uint32_t a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        state.leaf1_ecx = c;
        state.leaf1_edx = d;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        state.leaf7_ebx = b;
    if (__get_cpuid(0x80000001, &a, &b, &c, &d))
        state.extended1_ecx = c;
    if (state.leaf1_ecx & bit_OSXSAVE) {
        uint32_t low, high;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        state.saved = (uint64_t)high << 32 | low;
    }
#elif defined(__aarch64__)
    const int sve = prctl(PR_SVE_GET_VL);
    state.hwcap = (uint32_t)getauxval(AT_HWCAP);
    state.saved = sve < 0 ? 0 : (uint32_t)sve & PR_SVE_VL_LEN_MASK;
#endif
    return state;
}

bool isa_state_has(const struct isa_state *state, size_t index, char *reason,
                   size_t reason_size)
{
    char lacking[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < ARRAY_LEN(features); i++) {
        uint32_t word;
        memcpy(&word, (const char *)state + features[i].field, sizeof word);
        if (features[i].first > index || (word >> features[i].bit & 1))
            continue;
        used += (size_t)snprintf(lacking + used, sizeof lacking - used, "%s%s",
                                 used ? ", " : "", features[i].name);
    }
    if (used) {
        if (reason)
            snprintf(reason, reason_size, "the CPU lacks %s", lacking);
        return false;
    }
    if ((state->saved & saved[index].state) != saved[index].state) {
        if (reason)
            snprintf(reason, reason_size,
                     "the operating system has not enabled %s state (XCR0 = 0x%llx)",
                     saved[index].name, (unsigned long long)state->saved);
        return false;
    }
    return true;
}

bool isa_available(size_t index, char *reason, size_t reason_size)
{
    struct isa_state state = isa_state_read();
    return isa_state_has(&state, index, reason, reason_size);
}

size_t isa_best(void)
{
    size_t best = SCALAR;
    for (size_t i = 0; i < BUNDLES; i++) {
        if (isa_available(i, NULL, 0))
            best = i;
    }
    return best;
}
