/* SPDX-License-Identifier: Apache-2.0 */
/* Functions to be found, in a library of no module. Objects of it are linked by a test.
 */
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#define TARGET(isa) __attribute__((target(isa)))
typedef void mix_function(float *dst, const float *src, float gain, size_t n);

#define MIX(storage, name)                                                 \
    storage void name(float *dst, const float *src, float gain, size_t n); \
    storage void name(float *dst, const float *src, float gain, size_t n)  \
    {                                                                      \
        for (size_t i = 0; i < n; i++)                                     \
            dst[i] += gain * src[i];                                       \
    }
/* The same in steps of `bytes`. */
#define MIX_VECTORS(storage, name, bytes)                                  \
    storage void name(float *dst, const float *src, float gain, size_t n); \
    storage void name(float *dst, const float *src, float gain, size_t n)  \
    {                                                                      \
        typedef float vector __attribute__((vector_size(bytes)));          \
        size_t i = 0;                                                      \
        for (; i + sizeof(vector) / 4 <= n; i += sizeof(vector) / 4) {     \
            vector x, y;                                                   \
            memcpy(&x, dst + i, sizeof x);                                 \
            memcpy(&y, src + i, sizeof y);                                 \
            x += gain * y;                                                 \
            memcpy(dst + i, &x, sizeof x);                                 \
        }                                                                  \
        for (; i < n; i++)                                                 \
            dst[i] += gain * src[i];                                       \
    }

MIX(EXPORT, mix_c)
MIX_VECTORS(EXPORT, mix_sse2, 16)
MIX_VECTORS(EXPORT TARGET("avx2,fma"), mix_avx2, 32)
MIX_VECTORS(EXPORT TARGET("avx512f,avx512vl,avx512bw,avx512dq"), mix_avx512, 64)
MIX(HIDDEN, mix_hidden_avx)
MIX(static __attribute__((used)), mix_local)

EXPORT mix_function *choose_mix(void);
mix_function *choose_mix(void)
{
    return mix_sse2;
}

EXPORT mix_function *choose_none(unsigned long number);
mix_function *choose_none(unsigned long number)
{
    return number > 1 ? mix_c : NULL;
}

extern EXPORT mix_function *const mix_table[2];
mix_function *const mix_table[2] = {mix_c, mix_hidden_avx};
extern EXPORT mix_function *mix_pointer;
mix_function *mix_pointer = mix_local;

/* Functions inside of objects. */
extern EXPORT mix_function *const *const mix_tables[2];
mix_function *const *const mix_tables[2] = {NULL, mix_table};
EXPORT const void *mix_context(void);
const void *mix_context(void)
{
    return mix_tables;
}
struct mix_functions {
    const char *name;
    mix_function *function[8];
};
EXPORT int mix_fill(int which, struct mix_functions *functions);
int mix_fill(int which, struct mix_functions *functions)
{
    functions->function[which - 1] = mix_c;
    return 0;
}
EXPORT mix_function *mix_by_name(const char *name, int sign);
mix_function *mix_by_name(const char *name, int sign)
{
    return sign < 0 && !strcmp(name, "c") ? mix_c : NULL;
}

EXPORT mix_function mix __attribute__((ifunc("choose_mix")));

/* As a C++ compiler and a Rust compiler name them. */
EXPORT int add_ints(int a, int b) __asm__("_ZN5audio8add_avx2Eii");
int add_ints(int a, int b)
{
    return a + b;
}
EXPORT double half(double x) __asm__("_ZN5audio4halfIdEET_S1_");
double half(double x)
{
    return x / 2;
}

/* A part of it that a compiler moved away. */
EXPORT double half_cold(double x) __asm__("_ZN5audio4halfIdEET_S1_.cold");
double half_cold(double x)
{
    return x;
}

EXPORT float add_floats(float a, float b) __asm__("_ZN5audio8add_avx2Eff");
float add_floats(float a, float b)
{
    return a + b;
}
EXPORT int sum_avx2(int a) __asm__("_ZN4avx23sumEi");
int sum_avx2(int a)
{
    return a;
}
EXPORT int sum_scalar(int a) __asm__("_ZN6scalar3sumEi");
int sum_scalar(int a)
{
    return a;
}
EXPORT int quote(int a) __asm__("_ZN5audio5quoteB5cxx11Ei"); /* a tag of its ABI */
int quote(int a)
{
    return a;
}
EXPORT int add_rust(int a, int b) __asm__("_ZN3mix3add17h0123456789abcdefE");
int add_rust(int a, int b)
{
    return a + b;
}

/* Labels of assembly that say nothing of their type and length. */
__asm__(
    ".text\n.globl from_assembly\nfrom_assembly:\n\tvpaddd %ymm0, %ymm0, %ymm0\n\tret\n"
    ".globl behind_assembly\nbehind_assembly:\n\tret\n");
