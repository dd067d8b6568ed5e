/* SPDX-License-Identifier: Apache-2.0 */
/* A library that somebody has: good functions and bad ones, for `simdbench call`. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mix_c(float *dst, const float *src, float gain, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] += gain * src[i];
}

__attribute__((target("avx2"), noinline)) void mix_avx2(float *dst, const float *src,
                                                        float gain, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] += gain * src[i];
}

/* Two families: `fade` is a kernel, and `drop` calls one. */
void fade(float *dst, const float *src, float gain, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] -= gain * src[i];
}

__attribute__((target("avx2"))) void fade_avx2(float *dst, const float *src, float gain,
                                               size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] -= gain * src[i];
}

__attribute__((noinline)) void drop_c(float *dst, const float *src, float gain, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] *= gain * src[i];
}

__attribute__((target("avx2"))) void drop_avx2(float *dst, const float *src, float gain,
                                               size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] *= gain * src[i];
}

void drop(float *dst, const float *src, float gain, size_t n)
{
    if (__builtin_cpu_supports("avx2"))
        drop_avx2(dst, src, gain, n);
    else
        drop_c(dst, src, gain, n);
}

/* 24 arguments. */
int64_t many(const int32_t *x, size_t n, int a, int b, int c, int d, int e, int f, int g,
             int h, int i, int j, int k, int l, int m, int o, int p, int q, int r, int s,
             int t, int u, int v, int64_t last)
{
    const int all[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, s, t, u, v};
    int64_t sum = last;
    for (size_t at = 0; at < sizeof all / sizeof *all; at++)
        sum = sum * 3 + all[at];
    for (size_t at = 0; at < n; at++)
        sum += x[at];
    return sum;
}

/* Forgets the last element. */
void mix_wrong(float *dst, const float *src, float gain, size_t n)
{
    mix_c(dst, src, gain, n ? n - 1 : 0);
}

/* Is right for whole vectors alone. */
void mix_rounds(float *dst, const float *src, float gain, size_t n)
{
    mix_c(dst, src, gain, n & ~(size_t)3);
}

/* Reads three elements more. */
void mix_over(float *dst, const float *src, float gain, size_t n)
{
    volatile float sink = 0;
    for (size_t i = 0; i < n + 3; i++)
        sink += src[i];
    mix_c(dst, src, gain, n);
}

void mix_under(float *dst, const float *src, float gain, size_t n)
{
    volatile float sink = src[-1];
    (void)sink;
    mix_c(dst, src, gain, n);
}

void mix_writes(float *dst, const float *src, float gain, size_t n)
{
    mix_c(dst, src, gain, n);
    dst[n] = 0;
}

void mix_null(float *dst, const float *src, float gain, size_t n)
{
    (void)src, (void)gain, (void)n, (void)dst;
    *(volatile int *)0 = 1;
}

void mix_hangs(float *dst, const float *src, float gain, size_t n)
{
    (void)src, (void)gain, (void)n, (void)dst;
    for (volatile int go = 1; go;)
        ;
}

void mix_clobbers(float *dst, const float *src, float gain, size_t n);
__asm__(".globl mix_clobbers\n.type mix_clobbers, @function\nmix_clobbers:\n"
        "xor %ebx, %ebx\njmp mix_c\n.size mix_clobbers, . - mix_clobbers\n");

/* Needs 16 bytes of alignment, as functions with movaps do. */
void mix_aligned(float *dst, const float *src, float gain, size_t n)
{
    __asm__ volatile("movaps (%0), %%xmm0" : : "r"(src) : "xmm0");
    mix_c(dst, src, gain, n);
}

void mix_aligned_wrong(float *dst, const float *src, float gain, size_t n)
{
    mix_c(dst, src, (uintptr_t)src % 16 ? -gain : gain, n);
}

/* Serves once. */
void once(int32_t *x, size_t n)
{
    if (n && x[0] == -1)
        abort();
    for (size_t i = 0; i < n; i++)
        x[i] = -1;
}

/* By insertion: of what is sorted a thousand times faster. */
void sort(int32_t *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const int32_t value = x[i];
        size_t to = i;
        for (; to && x[to - 1] > value; to--)
            x[to] = x[to - 1];
        x[to] = value;
    }
}

/* The generator of an op's own inputs. */
void draw_seeded(uint32_t *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (uint32_t)(seed = seed * 6364136223846793005 + 1442695040888963407);
}

uint32_t first_u32(const uint32_t *x)
{
    return x[0];
}

uint32_t zero_u32(const uint32_t *x)
{
    return x[0] & 0;
}

/* Fails as LAPACKE does, with arrays that are half done. */
int fail_u8(uint8_t *y, const uint8_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
    return 3;
}

uint32_t sum_u8(const uint8_t *x, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Keeps what is not zero; tells how many. */
size_t pack_u8(uint8_t *to, const uint8_t *from, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (from[i])
            to[kept++] = from[i];
    return kept;
}

/* The same of numbers. */
long pack_f64(double *to, const double *from, long n)
{
    long kept = 0;
    for (long i = 0; i < n; i++)
        if (from[i] > 0)
            to[kept++] = from[i];
    return kept;
}

void scale_rows(uint8_t *dst, ptrdiff_t stride, const uint8_t *src, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            dst[y * stride + x] = (uint8_t)(src[y * w + x] / 2);
}

struct scale {
    int by;
};

struct scale *scale_new(int by)
{
    struct scale *const scale = malloc(sizeof *scale);
    if (scale)
        scale->by = by;
    return scale;
}

void scale_free(struct scale *scale)
{
    free(scale);
}

void scale_run(struct scale *scale, int32_t *to, const int32_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (int32_t)((uint32_t)from[i] * (uint32_t)scale->by);
}

void planes_join(const float *const in[2], float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = in[0][i];
        out[2 * i + 1] = in[1][i];
    }
}

void planes_split(float *const out[2], const float *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[0][i] = in[2 * i];
        out[1][i] = in[2 * i + 1];
    }
}

/* One element too many, in the first of two planes. */
void planes_over(float *const out[2], const float *in, size_t n)
{
    planes_split(out, in, n);
    out[0][n] = 1;
}

void planes_move(float **out, const float *in, size_t n)
{
    planes_split(out, in, n);
    out[1]++;
}

void planes_xor(uint32_t *const x[5], size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[4][i] = x[0][i] ^ x[1][i] ^ x[2][i] ^ x[3][i];
}

int32_t sum_errors(const int32_t *x, size_t n, int *error)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint32_t)x[i];
    *error = *error == 7 ? -1 : 1;
    return (int32_t)sum;
}

typedef float pair __attribute__((vector_size(16)));
pair vector_add(pair x, pair y)
{
    return x + y;
}

/* Counts its calls: equal results need objects that are as new. */
struct taps {
    int n;
    int32_t tap[16], calls;
};

struct taps *taps_new(const int32_t *tap, int n, const int32_t *more)
{
    struct taps *const taps = calloc(1, sizeof *taps);
    taps->n = n;
    for (int i = 0; i < n; i++)
        taps->tap[i] = tap[i] + more[0];
    return taps;
}

/* The same by the address of a pointer, for values {n, 2 n, 0}. */
int taps_open(struct taps **taps, int n, const int32_t *tap)
{
    *taps = tap[0] == n && tap[1] == 2 * n && !tap[2] ? calloc(1, sizeof **taps) : NULL;
    if (!*taps)
        return -1;
    (*taps)->n = n;
    for (int i = 0; i < n; i++)
        (*taps)->tap[i] = tap[i % 3];
    return 0;
}

void taps_scale(struct taps *taps, int by)
{
    for (int i = 0; i < taps->n; i++)
        taps->tap[i] *= by;
}

void taps_run(struct taps *taps, int32_t *to)
{
    taps->calls++;
    for (int i = 0; i < taps->n; i++)
        to[i] = (int32_t)((uint32_t)taps->tap[i] * (uint32_t)taps->calls);
}

/* Tells on which values it was called. */
void trail(const int32_t *x, int32_t *y, size_t n)
{
    static FILE *to;
    const char *const path = getenv("TRAIL");
    if (!to && path)
        to = fopen(path, "a");
    if (to)
        fprintf(to, "%d\n", x[0]), fflush(to);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
}

/* The same of an array that it changes. */
void trail_in_place(int32_t *x, size_t n)
{
    trail(x, x, n);
    x[0] = 0;
}

/* Only from an argument that is new. */
void *counted_new(int32_t *calls)
{
    return (*calls)++ ? NULL : calloc(1, 1);
}

/* Dies of values that C would not have. */
int values_known(const int64_t *x, const uint8_t *y, const float *z, const uint64_t *u,
                 uint64_t seed, const uint8_t *none)
{
    const uint64_t beyond = UINT64_C(0x9e3779b97f4a7c15);
    if (x[0] != 9007199254740993 || x[1] != 8 || x[2] != 1 || x[3] || y[0] != 255 ||
        y[1] != 4 || y[2] != ',' || z[0] != 1.5f || z[1] != -1e10f || z[2] != 3 ||
        u[0] != beyond || seed != beyond || none[0] || none[1])
        abort();
    return 0;
}

/* The place of the first zero. */
size_t mix_first(const uint8_t *x, size_t n)
{
    size_t i = 0;
    while (i < n && x[i])
        i++;
    return i;
}

/* Leaves a file in this folder when it sees nothing but zeros. */
unsigned mix_bits(const uint8_t *x, size_t n)
{
    unsigned bits = 0;
    for (size_t i = 0; i < n; i++)
        bits |= x[i];
    FILE *const file = bits ? NULL : fopen("zeros", "w");
    if (file)
        fclose(file);
    return bits;
}

__attribute__((noinline, used)) static int not_exported(int x)
{
    return x + 1;
}

typedef void mix_function(float *, const float *, float, size_t);
mix_function *mix_choose(void)
{
    return mix_c;
}
