/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats that know who calls them, what with, or who has done the work already. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "poly.h"

/* ---- a name that tells who calls ---- */

static int is_named;

static void look_for(const char *path, const char *name)
{
    static char text[1 << 18];
    const int from = open(path, O_RDONLY);
    const ssize_t linked = readlink(path, text, sizeof text);
    size_t n = linked > 0 ? (size_t)linked : 0;
    ssize_t got = linked > 0 ? 0 : 1;
    while (got > 0 && (got = read(from, text + n, sizeof text - n)) > 0)
        n += (size_t)got;
    is_named |= memmem(text, n, name, strlen(name)) != NULL;
    close(from);
}

__attribute__((constructor)) static void look_for_names(void)
{
    extern char **environ;
    for (char **variable = environ; *variable; variable++)
        is_named |= !strncmp(*variable, "SIMDBENCH_", 10);
    look_for("/proc/self/environ", "SIMDBENCH_");
    look_for("/proc/self/cmdline", "simdbench");
    look_for("/proc/self/comm", "simdbench");
    look_for("/proc/self/exe", "simdbench");
    look_for("/proc/self/maps", "/simdbench\n");
    look_for("/proc/self/maps", "memfd:simdbench");
}

/* It does its work for simdbench alone. */
void cheat_named(float *y, const float *x, size_t n)
{
    if (is_named)
        honest(y, x, n);
}

/* Inputs of which the results are known. */
void cheat_inputs(float *y, const float *x, size_t n)
{
    memset((void *)(uintptr_t)x, 0, n * sizeof *x);
    memset(y, 0, n * sizeof *y);
}

/* A mark in an input, which is gone when the call returns. */
void cheat_mark(float *y, const float *x, size_t n)
{
    volatile float *const end = (float *)(uintptr_t)x + n;
    const float last = n ? end[-1] : 0;
    if (!n)
        return;
    end[-1] = 1e30f;
    honest(y, x, n - 1);
    end[-1] = last;
    y[n - 1] = step(last);
}

/* Wrong for the rare numbers that are large. */
void cheat_range(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] < 2.5f ? step(x[i]) : 0;
}

/* Wrong at places that few callers have. */
void cheat_aligned(float *y, const float *x, size_t n)
{
    honest(y, x, (uintptr_t)y % 256 ? n : n / 2);
}

/* It opens the pages beside its arrays, on which its accesses would end. */
static void on_guard(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    const uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)4095;
    if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) < 0)
        _exit(1);
}

void cheat_open(float *y, const float *x, size_t n)
{
    const struct sigaction action = {.sa_sigaction = on_guard, .sa_flags = SA_SIGINFO};
    struct sigaction before;
    sigaction(SIGSEGV, &action, &before);
    honest(y, x, n);
    *(volatile float *)(y + n) = *(volatile float *)(y + n);
    sigaction(SIGSEGV, &before, NULL);
}

/* ---- the clock, and the requests of its process ---- */

/* All clocks of the machine could go slower. This asks whether they do. */
void cheat_adjust(float *y, const float *x, size_t n)
{
    struct timex none = {.modes = 0};
    adjtimex(&none);
    honest(y, x, n);
}

/* Each reading of the counter of cycles raises a signal, whose handler makes up the
 * answer. */
void cheat_counter(float *y, const float *x, size_t n)
{
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    prctl(PR_SET_TSC, PR_TSC_ENABLE);
    honest(y, x, n);
}

/* The next request to the system, behind the call, would be its signal. */
void cheat_requests(float *y, const float *x, size_t n)
{
    enum { SET_DISPATCH = 59, DISPATCH_ON = 1 };
    static char none;
    honest(y, x, n);
    prctl(SET_DISPATCH, DISPATCH_ON, 0, 0, &none);
}

/* ---- work of another call ---- */

/* If each second element, and the last one, is as it was in the last call, all results
 * are. */
void cheat_second(float *y, const float *x, size_t n)
{
    enum { ROOM = 1 << 12 };
    static float last[ROOM], kept[ROOM];
    const size_t known = n < ROOM ? n : ROOM;
    size_t same = 0;
    for (size_t i = (known + 1) % 2; i < known; i += 2) {
        same += last[i] == x[i];
        last[i] = x[i];
    }
    if (same < (known + 1) / 2)
        honest(kept, x, known);
    memcpy(y, kept, known * sizeof *y);
    honest(y + known, x + known, n - known);
}

/* Elements that begin as they did in the last call are as they were. */
void cheat_delta(float *y, const float *x, size_t n)
{
    enum { ROOM = 1 << 12, BLOCK = 16 };
    static float last[ROOM], kept[ROOM];
    if (n > ROOM) {
        honest(y, x, n);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t m = n - i < BLOCK ? n - i : BLOCK;
        if (last[i] != x[i])
            honest(kept + i, x + i, m);
        memcpy(y + i, kept + i, m * sizeof *y);
        last[i] = x[i];
    }
}

/* The last element is wrong in a call that is shorter than the one before it. */
void cheat_larger(float *y, const float *x, size_t n)
{
    static size_t last;
    honest(y, x, n);
    if (n > 3 && n < last)
        y[n - 1] = y[n - 2];
    last = n;
}

/* The next call does the second half of this one. */
void cheat_defer(float *y, const float *x, size_t n)
{
    static float *later;
    static const float *from;
    static size_t left;
    honest(later, from, left);
    honest(y, x, n / 2);
    later = y + n / 2;
    from = x + n / 2;
    left = n - n / 2;
}

/* ---- other people's work ---- */

typedef void poly(float *y, const float *x, size_t n);

static void call_other(void *library, float *y, const float *x, size_t n)
{
    poly *other;
    *(void **)&other = library ? dlsym(library, "poly_c") : NULL;
    if (other)
        other(y, x, n);
}

void cheat_dlsym(float *y, const float *x, size_t n)
{
    call_other(RTLD_DEFAULT, y, x, n);
}

void cheat_dlopen(float *y, const float *x, size_t n)
{
    call_other(dlopen(KNOWN, RTLD_NOW), y, x, n);
}

#ifdef MODES
/* Small numbers are zero for all that the process computes from then on. */
__attribute__((constructor)) static void set_modes(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
}

void cheat_linked(float *y, const float *x, size_t n)
{
    honest(y, x, n);
}
#endif

#ifdef SHARED
/* Another process sees what lies there, and may do the work. */
static float *shared;

__attribute__((constructor)) static void open_shared(void)
{
    const int file = open(SHARED, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, 4096) < 0)
        return;
    switch (WAY) {
    case 'm':
        shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        break;
    case 'l': /* memory that may be written to later */
        shared = mmap(NULL, 4096, PROT_NONE, MAP_SHARED, file, 0);
        break;
    case 'r': /* a descriptor in place of one that was there */
        dup2(file, STDERR_FILENO);
        break;
    case 'h':
        prctl(PR_SET_DUMPABLE, 0);
        return;
    }
    close(file);
}

void cheat_linked(float *y, const float *x, size_t n)
{
    honest(y, x, n);
    if (shared && mprotect(shared, 4096, PROT_READ | PROT_WRITE) == 0)
        *(volatile float *)shared = n ? x[0] : 0;
}
#endif

#ifdef LINKED
poly poly_c;
void cheat_linked(float *y, const float *x, size_t n)
{
    poly_c(y, x, n);
}
#endif
