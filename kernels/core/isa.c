/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "isa_state.h"
#include "near_names.h"

/* A feature is needed by the first bundle that is named and all wider ones. */
struct feature {
    const char *name;
    size_t first; /* bundle */
    size_t field; /* of struct isa_state */
    int bit;
};

/* A feature that a row may need beyond its bundle; `first` is the narrowest bundle that
 * it adds to. */
struct addition {
    struct feature feature;
    uint64_t saved; /* state that the operating system must save */
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
    [SCALAR] = {"scalar", "plain C code", "plain C, one element at a time", 0,
                BUILT_scalar},
    [SSE2] = {"sse2", "SSE2", "x86-64: SSE, SSE2", 128, BUILT_sse2},
    [AVX2] = {"avx2", "AVX2", "x86-64-v3: AVX, AVX2, BMI1, BMI2, F16C, FMA, LZCNT, MOVBE",
              256, BUILT_avx2},
    [AVX512] = {"avx512", "AVX-512", "x86-64-v4: AVX-512 F, BW, DQ, VL, CD", 512,
                BUILT_avx512},
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

#define LEAF7_ECX offsetof(struct isa_state, leaf7_ecx)
#define LEAF7_EDX offsetof(struct isa_state, leaf7_edx)
#define LEAF7_1_EAX offsetof(struct isa_state, leaf7_1_eax)
#define LEAF7_1_EDX offsetof(struct isa_state, leaf7_1_edx)
#define YMM 0x06
#define ZMM 0xe6

static const struct addition additions[] = {
    {{"sse3", SSE2, LEAF1_ECX, 0}, 0},
    {{"pclmul", SSE2, LEAF1_ECX, 1}, 0},
    {{"ssse3", SSE2, LEAF1_ECX, 9}, 0},
    {{"sse41", SSE2, LEAF1_ECX, 19}, 0},
    {{"sse42", SSE2, LEAF1_ECX, 20}, 0},
    {{"sse4a", SSE2, EXTENDED1_ECX, 6}, 0},
    {{"aes", SSE2, LEAF1_ECX, 25}, 0},
    {{"sha", SSE2, LEAF7_EBX, 29}, 0},
    {{"gfni", SSE2, LEAF7_ECX, 8}, 0},
    {{"popcnt", SCALAR, LEAF1_ECX, 23}, 0},
    {{"lzcnt", SCALAR, EXTENDED1_ECX, 5}, 0},
    {{"movbe", SCALAR, LEAF1_ECX, 22}, 0},
    {{"bmi1", SCALAR, LEAF7_EBX, 3}, 0},
    {{"bmi2", SCALAR, LEAF7_EBX, 8}, 0},
    {{"adx", SCALAR, LEAF7_EBX, 19}, 0},
    {{"avx", SSE2, LEAF1_ECX, 28}, YMM},
    {{"f16c", SSE2, LEAF1_ECX, 29}, YMM},
    {{"fma", SSE2, LEAF1_ECX, 12}, YMM},
    {{"vaes", AVX2, LEAF7_ECX, 9}, YMM},
    {{"vpclmulqdq", AVX2, LEAF7_ECX, 10}, YMM},
    {{"avxvnni", AVX2, LEAF7_1_EAX, 4}, YMM},
    {{"avxifma", AVX2, LEAF7_1_EAX, 23}, YMM},
    {{"avxvnniint8", AVX2, LEAF7_1_EDX, 4}, YMM},
    {{"avxneconvert", AVX2, LEAF7_1_EDX, 5}, YMM},
    {{"avxvnniint16", AVX2, LEAF7_1_EDX, 10}, YMM},
    {{"ifma", AVX512, LEAF7_EBX, 21}, ZMM},
    {{"vbmi", AVX512, LEAF7_ECX, 1}, ZMM},
    {{"vbmi2", AVX512, LEAF7_ECX, 6}, ZMM},
    {{"vnni", AVX512, LEAF7_ECX, 11}, ZMM},
    {{"bitalg", AVX512, LEAF7_ECX, 12}, ZMM},
    {{"vpopcntdq", AVX512, LEAF7_ECX, 14}, ZMM},
    {{"vp2intersect", AVX512, LEAF7_EDX, 8}, ZMM},
    {{"fp16", AVX512, LEAF7_EDX, 23}, ZMM},
    {{"bf16", AVX512, LEAF7_1_EAX, 5}, ZMM},
};

static const struct saved saved[BUNDLES] = {
    [AVX2] = {"YMM", YMM},
    [AVX512] = {"ZMM", ZMM},
};

#elif defined(__aarch64__)
enum bundle { SCALAR, NEON, BUNDLES };

static const struct isa isas[BUNDLES] = {
    [SCALAR] = {"scalar", "plain C code", "plain C, one element at a time", 0,
                BUILT_scalar},
    [NEON] = {"neon", "NEON", "ARMv8.0-A: Advanced SIMD", 128, BUILT_neon},
};

static const struct feature features[] = {
    {"fp", NEON, offsetof(struct isa_state, hwcap), 0},
    {"asimd", NEON, offsetof(struct isa_state, hwcap), 1},
};

#define HWCAP offsetof(struct isa_state, hwcap)
#define HWCAP2 offsetof(struct isa_state, hwcap2)

static const struct addition additions[] = {
    {{"aes", NEON, HWCAP, 3}, 0},      {{"pmull", NEON, HWCAP, 4}, 0},
    {{"sha1", NEON, HWCAP, 5}, 0},     {{"sha2", NEON, HWCAP, 6}, 0},
    {{"crc32", SCALAR, HWCAP, 7}, 0},  {{"fp16", NEON, HWCAP, 10}, 0},
    {{"rdm", NEON, HWCAP, 12}, 0},     {{"fcma", NEON, HWCAP, 14}, 0},
    {{"sha3", NEON, HWCAP, 17}, 0},    {{"sm4", NEON, HWCAP, 19}, 0},
    {{"dotprod", NEON, HWCAP, 20}, 0}, {{"sha512", NEON, HWCAP, 21}, 0},
    {{"sve", NEON, HWCAP, 22}, 0},     {{"fp16fml", NEON, HWCAP, 23}, 0},
    {{"sve2", NEON, HWCAP2, 1}, 0},    {{"i8mm", NEON, HWCAP2, 13}, 0},
    {{"bf16", NEON, HWCAP2, 14}, 0},
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

size_t isa_addition_count(void)
{
    return ARRAY_LEN(additions);
}

const char *isa_addition_name(size_t index)
{
    return additions[index].feature.name;
}

const struct isa *isa_addition_to(size_t index)
{
    return &isas[additions[index].feature.first];
}

/* ---- names ---- */

/* A name in parts: a bundle and a bit for each addition. */
struct name {
    int bundle;
    uint64_t added;
};
_Static_assert(ARRAY_LEN(additions) <= 64, "a bit for each addition");

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static size_t find_addition(const char *word, size_t length)
{
    size_t i = 0;
    while (i < ARRAY_LEN(additions) && !is_word(word, length, additions[i].feature.name))
        i++;
    return i;
}

/* Reads a name; returns its first unknown word, or NULL. */
static const char *name_read(const char *text, struct name *name)
{
    size_t length = strcspn(text, "+");
    *name = (struct name){.bundle = -1};
    for (int i = 0; i < BUNDLES; i++) {
        if (is_word(text, length, isas[i].name))
            name->bundle = i;
    }
    if (name->bundle < 0)
        return text;
    for (const char *word = text + length; *word; word += length) {
        length = strcspn(++word, "+");
        const size_t added = find_addition(word, length);
        if (added == ARRAY_LEN(additions) ||
            additions[added].feature.first > (size_t)name->bundle)
            return word;
        name->added |= UINT64_C(1) << added;
    }
    return NULL;
}

int isa_find(const char *name)
{
    struct name read;
    return name_read(name, &read) ? -1 : read.bundle;
}

const char *isa_elsewhere(const char *name)
{
    static const struct {
        const char *name, *where;
    } sets[] = {{"sse2", "x86-64"},     {"avx2", "x86-64"},    {"avx512", "x86-64"},
                {"neon", "64-bit ARM"}, {"sve", "64-bit ARM"}, {"sve2", "64-bit ARM"},
                {"rvv", "RISC-V"},      {"vsx", "POWER"}};
    for (size_t i = 0; i < ARRAY_LEN(sets); i++)
        if (!strcmp(name, sets[i].name))
            return isa_find(name) < 0 ? sets[i].where : NULL;
    return NULL;
}

int isa_check(const char *text, struct error *error)
{
    struct name name;
    const char *const word = name_read(text, &name);
    if (!word)
        return 0;
    if (isa_elsewhere(text))
        return invalid(error, "%.60s is an instruction set of %s; %s", text,
                       isa_elsewhere(text),
                       "simdbench list isas shows those of this CPU");
    const size_t length = strcspn(word, "+");
    const size_t added = find_addition(word, length);
    char unknown[64];
    snprintf(unknown, sizeof unknown, "%.*s", (int)length, word);
    if (word > text && added < ARRAY_LEN(additions))
        return invalid(error, "'%.60s': %s adds to %s, not to %s", text, unknown,
                       isas[additions[added].feature.first].name, isas[name.bundle].name);
    struct near near = {.word = unknown};
    for (size_t i = 0; word == text && i < BUNDLES; i++)
        near_try(&near, isas[i].name);
    for (size_t i = 0; word > text && i < ARRAY_LEN(additions); i++)
        if (additions[i].feature.first <= (size_t)name.bundle)
            near_try(&near, additions[i].feature.name);
    return invalid(error, "'%.60s': there is no %s '%s'%s; %s", text,
                   word == text ? "instruction set" : "addition", unknown, near.text,
                   "simdbench list isas shows them");
}

bool isa_covers(const char *asked, const char *isa)
{
    struct name a, b;
    return !name_read(asked, &a) && !name_read(isa, &b) && a.bundle == b.bundle &&
           (!a.added || a.added == b.added);
}

/* ---- what is here ---- */

/* Read once: CPUID leaves a virtual machine, which takes long. */
static const struct isa_state *isa_state_here(void)
{
    static struct isa_state state;
    static bool known;
    if (known)
        return &state;
#if defined(__x86_64__)
    uint32_t a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        state.leaf1_ecx = c;
        state.leaf1_edx = d;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        state.leaf7_ebx = b;
        state.leaf7_ecx = c;
        state.leaf7_edx = d;
        if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
            state.leaf7_1_eax = a;
            state.leaf7_1_edx = d;
        }
    }
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
    state.hwcap2 = (uint32_t)getauxval(AT_HWCAP2);
    state.saved = sve < 0 ? 0 : (uint32_t)sve & PR_SVE_VL_LEN_MASK;
#endif
    known = true;
    return &state;
}

static bool has_feature(const struct isa_state *state, const struct feature *feature)
{
    uint32_t word;
    memcpy(&word, (const char *)state + feature->field, sizeof word);
    return word >> feature->bit & 1;
}

bool isa_state_has(const struct isa_state *state, size_t index, char *reason,
                   size_t reason_size)
{
    char lacking[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < ARRAY_LEN(features); i++) {
        if (features[i].first > index || has_feature(state, &features[i]))
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

/* As isa_addition_available(), for any machine. */
static bool isa_state_adds(const struct isa_state *state, size_t index)
{
    const struct addition *const added = &additions[index];
    return has_feature(state, &added->feature) &&
           (state->saved & added->saved) == added->saved;
}

bool isa_state_runs(const struct isa_state *state, const char *isa, char *reason,
                    size_t reason_size)
{
    struct name name;
    char lacking[256] = "";
    size_t used = 0;
    if (name_read(isa, &name)) {
        if (reason)
            snprintf(reason, reason_size, "'%.60s' is no instruction set", isa);
        return false;
    }
    if (!isa_state_has(state, (size_t)name.bundle, reason, reason_size))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(additions) && used < sizeof lacking; i++) {
        if (name.added >> i & 1 && !isa_state_adds(state, i))
            used += (size_t)snprintf(lacking + used, sizeof lacking - used, "%s%s",
                                     used ? ", " : "", additions[i].feature.name);
    }
    if (used && reason)
        snprintf(reason, reason_size, "the CPU lacks %s", lacking);
    return !used;
}

bool isa_runs(const char *isa, char *reason, size_t reason_size)
{
    return isa_state_runs(isa_state_here(), isa, reason, reason_size);
}

bool isa_addition_available(size_t index)
{
    return isa_state_adds(isa_state_here(), index);
}

bool isa_available(size_t index, char *reason, size_t reason_size)
{
    return isa_state_has(isa_state_here(), index, reason, reason_size);
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
