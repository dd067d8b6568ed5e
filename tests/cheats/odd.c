/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that do their work in unusual ways, all of which are allowed. `simdbench
 * judge` accepts each of them: maps compute poly() of poly.h, sums add floats. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "poly.h"

/* ---- memory of their own ---- */

void map_thread_local(float *y, const float *x, size_t n)
{
    static _Thread_local float block[64];
    for (size_t i = 0; i < n; i += 64) {
        const size_t m = n - i < 64 ? n - i : 64;
        memcpy(block, x + i, m * sizeof *x);
        honest(block, block, m);
        memcpy(y + i, block, m * sizeof *y);
    }
}

/* The function is linear: its factor is made in the first call. */
void map_table(float *y, const float *x, size_t n)
{
    static float factor[2];
    if (factor[1] == 0)
        factor[1] = step(1);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * factor[1];
}

void map_grown(float *y, const float *x, size_t n)
{
    static float *room;
    static size_t size;
    if (n > size) {
        free(room);
        room = malloc(n * sizeof *room);
        size = n;
    }
    honest(room, x, n);
    memcpy(y, room, n * sizeof *y);
}

void map_heap(float *y, const float *x, size_t n)
{
    float *const room = malloc(n * sizeof *room + 1);
    honest(room, x, n);
    memcpy(y, room, n * sizeof *y);
    free(room);
}

void map_pages(float *y, const float *x, size_t n)
{
    static float *room;
    if (!room)
        room = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);
    for (size_t i = 0; i < n; i += 1 << 14) {
        const size_t m = n - i < 1 << 14 ? n - i : 1 << 14;
        honest(room, x + i, m);
        memcpy(y + i, room, m * sizeof *y);
    }
}

void map_output_is_room(float *y, const float *x, size_t n)
{
    memset(y, 0xff, n * sizeof *y);
    memcpy(y, x, n * sizeof *y);
    honest(y, y, n);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static float once_factor;

static void make_factor(void)
{
    once_factor = step(1);
}

void map_lock(float *y, const float *x, size_t n)
{
    pthread_once(&once, make_factor);
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * once_factor;
    pthread_mutex_unlock(&mutex);
}

/* ---- order ---- */

void map_backwards(float *y, const float *x, size_t n)
{
    while (n--)
        y[n] = step(x[n]);
}

void map_halves(float *y, const float *x, size_t n)
{
    if (n < 40) {
        honest(y, x, n);
        return;
    }
    map_halves(y + n / 2, x + n / 2, n - n / 2);
    map_halves(y, x, n / 2);
}

/* The last block begins inside of the one before. */
void map_overlap(float *y, const float *x, size_t n)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        honest(y + i, x + i, 16);
    if (n >= 16)
        honest(y + n - 16, x + n - 16, 16);
    else
        honest(y, x, n);
}

/* Elements up to an aligned place come first. */
void map_peeled(float *y, const float *x, size_t n)
{
    size_t i = 0;
    for (; i < n && (uintptr_t)(y + i) % 32; i++)
        y[i] = step(x[i]);
    honest(y + i, x + i, n - i);
}

void map_jump(float *y, const float *x, size_t n)
{
    size_t i = 0, turns = (n + 3) / 4;
    if (!n)
        return;
    switch (n % 4) {
    case 0:
        do {
            y[i] = step(x[i]), i++;
            /* fall through */
        case 3:
            y[i] = step(x[i]), i++;
            /* fall through */
        case 2:
            y[i] = step(x[i]), i++;
            /* fall through */
        case 1:
            y[i] = step(x[i]), i++;
        } while (--turns);
    }
}

/* ---- instructions ---- */

void map_stream(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float value = step(x[i]);
        int bits;
        memcpy(&bits, &value, sizeof bits);
        _mm_stream_si32((int *)(void *)(y + i), bits);
    }
    _mm_sfence();
}

void map_prefetch(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        __builtin_prefetch(x + i + 4096);
        y[i] = step(x[i]);
    }
}

/* Lanes behind the end are neither read nor written. */
__attribute__((target("avx"))) void map_masked(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        int keep[8];
        for (int k = 0; k < 8; k++)
            keep[k] = i + (size_t)k < n ? -1 : 0;
        const __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)keep);
        const __m256 quarter = _mm256_set1_ps(0.25f), half = _mm256_set1_ps(0.5f);
        const __m256 v = _mm256_maskload_ps(x + i, mask);
        __m256 r = v;
        for (int k = 0; k < 8; k++)
            r = _mm256_add_ps(_mm256_mul_ps(half, r), _mm256_mul_ps(v, quarter));
        _mm256_maskstore_ps(y + i, mask, r);
    }
}

/* Modes are those of before when it returns. */
void map_modes(float *y, const float *x, size_t n)
{
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    honest(y, x, n);
    _mm_setcsr(before);
}

/* The registers of the x87 are empty when it returns. */
void map_x87(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (float)((long double)step(x[i]) * 1.0L);
}

/* ---- choices ---- */

typedef void map(float *y, const float *x, size_t n);

/* It takes the way that its first calls found to be faster. */
void map_tuned(float *y, const float *x, size_t n)
{
    static map *const ways[2] = {honest, map_backwards};
    static uint64_t taken[2];
    static unsigned calls;
    const unsigned way = calls < 40 ? calls % 2 : taken[1] < taken[0];
    const uint64_t begin = __builtin_ia32_rdtsc();
    calls += calls < 40;
    ways[way](y, x, n);
    taken[way] += __builtin_ia32_rdtsc() - begin;
}

static map *choose(void)
{
    return __builtin_cpu_supports("avx") ? map_masked : honest;
}

void map_dispatched(float *y, const float *x, size_t n)
{
    static map *chosen;
    if (!chosen)
        chosen = choose();
    chosen(y, x, n);
}

/* ---- the system ---- */

void map_statistics(float *y, const float *x, size_t n)
{
    static struct timespec last;
    static size_t calls;
    honest(y, x, n);
    errno = ERANGE;
    if (++calls % 16 == 0)
        clock_gettime(CLOCK_MONOTONIC, &last);
}

void map_signals(float *y, const float *x, size_t n)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    honest(y, x, n);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Code that it writes itself, once. */
void map_written(float *y, const float *x, size_t n)
{
    static map *code;
    if (!code) {
        map *const target = honest;
        unsigned char text[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
        unsigned char *const page =
            mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(text + 2, &target, sizeof target); /* mov rax, target; jmp rax */
        memcpy(page, text, sizeof text);
        mprotect(page, 4096, PROT_READ | PROT_EXEC);
        memcpy(&code, &page, sizeof code);
    }
    code(y, x, n);
}

void map_exceptions(float *y, const float *x, size_t n)
{
    fenv_t before;
    feholdexcept(&before);
    honest(y, x, n);
    fesetenv(&before);
}

void map_random_order(float *y, const float *x, size_t n)
{
    unsigned char random = 0;
    if (getrandom(&random, 1, GRND_NONBLOCK) < 0 || !n)
        random = 0;
    const size_t first = n ? random % n : 0;
    honest(y + first, x + first, n - first);
    honest(y, x, first);
}

/* A file that is not there, or that nobody lets it open. */
void map_settings(float *y, const float *x, size_t n)
{
    static int looked;
    const int file = looked++ ? -1 : open("/etc/poly.conf", O_RDONLY);
    if (file >= 0)
        close(file);
    honest(y, x, n);
}

/* ---- sums ---- */

float sum_of_doubles(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    return (float)sum;
}

float sum_long(const float *x, size_t n)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)x[i];
    return (float)sum;
}

float sum_halves(const float *x, size_t n)
{
    if (n < 9) {
        float sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i];
        return sum;
    }
    return sum_halves(x, n / 2) + sum_halves(x + n / 2, n - n / 2);
}

/* The order of additions depends on where x lies. */
float sum_by_place(const float *x, size_t n)
{
    float sum = 0, part[8] = {0};
    size_t i = 0;
    for (; i < n && (uintptr_t)(x + i) % 32; i++)
        sum += x[i];
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++)
            part[k] += x[i + k];
    for (; i < n; i++)
        sum += x[i];
    for (size_t k = 0; k < 8; k++)
        sum += part[k];
    return sum;
}

float sum_with_rest(const float *x, size_t n)
{
    volatile float sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        const volatile float more = x[i] - rest;
        const volatile float next = sum + more;
        rest = (next - sum) - more;
        sum = next;
    }
    return sum;
}

float sum_of_blocks(const float *x, size_t n)
{
    static float part[16];
    memset(part, 0, sizeof part);
    for (size_t i = 0; i < n; i++)
        part[i % 16] += x[i];
    float sum = 0;
    for (size_t k = 0; k < 16; k++)
        sum += part[k];
    return sum;
}
