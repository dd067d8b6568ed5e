/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats that know who calls them, what with, or who has done the work already. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

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

#ifdef LINKED
poly poly_c;
void cheat_linked(float *y, const float *x, size_t n)
{
    poly_c(y, x, n);
}
#endif
