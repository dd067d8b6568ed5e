/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by modules that wrap a library: they find it when the module opens, so that the
 * module exists on machines without it. Works in C without any other part of simdbench.
 */
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "simdbench.h"

/* Writes the sentence that an error is told with, and returns its status. */
__attribute__((format(printf, 4, 5))) static inline int
refuse(char *error, size_t error_size, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, error_size, format, arguments);
    va_end(arguments);
    return status;
}

/* A function of the library, and the pointer that shall be set to it. */
struct symbol {
    const char *name;
    void *where;
};

#define SYMBOLS(symbols) (sizeof(symbols) / sizeof *(symbols))

struct library {
    const char *file;   /* "libdnnl.so.2" */
    const char *advice; /* "install oneDNN, e.g. package libdnnl2" */
};

/* Libraries that scripts/setup peers fetched, as seen from the modules of a build. */
#define FETCHED_LIBRARIES "../../../peers/lib"

/* A name that the loader does not know is looked for there. NULL and a sentence. */
static inline void *library_open(const char *file, char *why, size_t why_size)
{
    static const char inside;
    Dl_info module;
    char path[PATH_MAX];
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (handle)
        return handle;
    snprintf(why, why_size, "%s", dlerror());
    if (strchr(file, '/') || !dladdr(&inside, &module))
        return NULL;
    const char *slash = strrchr(module.dli_fname, '/');
    const int folder = slash ? (int)(slash - module.dli_fname) : 0;
    const int n = snprintf(path, sizeof path, "%.*s/" FETCHED_LIBRARIES "/%s", folder,
                           module.dli_fname, file);
    if (n < 0 || n >= (int)sizeof path || access(path, F_OK) < 0)
        return NULL;
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        snprintf(why, why_size, "%s", dlerror());
    return handle;
}

/* Loads the library and sets all pointers. -ENOENT and a sentence if it or one of them is
 * not there. */
static inline int library_load(const struct library *library, void **handle,
                               const struct symbol *symbols, size_t n, char *error,
                               size_t error_size)
{
    char why[512];
    *handle = library_open(library->file, why, sizeof why);
    if (!*handle)
        return refuse(error, error_size, -ENOENT, "%s (%s)", why, library->advice);
    for (size_t i = 0; i < n; i++) {
        void *found = dlsym(*handle, symbols[i].name);
        if (!found)
            return refuse(error, error_size, -ENOENT, "%s has no %s (%s)", library->file,
                          symbols[i].name, library->advice);
        memcpy(symbols[i].where, &found, sizeof found);
    }
    return 0;
}

/* For modules whose options are `name`, unless that is NULL, and `library`, another file
 * than the usual one: the values that were given last; a value stays as it is if there is
 * none. */
static inline int library_options(const char *name,
                                  const struct simdbench_option *const *options, size_t n,
                                  const char **value, const char **file, char *error,
                                  size_t error_size)
{
    for (size_t i = 0; i < n; i++) {
        const char **const to = name && strcmp(options[i]->name, name) == 0 ? value
                                : strcmp(options[i]->name, "library") == 0  ? file
                                                                            : NULL;
        if (!to)
            return refuse(error, error_size, -EINVAL,
                          "there is no option '%s', only %s%slibrary=FILE",
                          options[i]->name, name ? name : "", name ? "=NAME and " : "");
        *to = options[i]->value;
    }
    return 0;
}

/* For modules without options. */
static inline int library_no_options(const struct simdbench_option *const *options,
                                     size_t n, char *error, size_t error_size)
{
    if (n == 0)
        return 0;
    return refuse(error, error_size, -EINVAL, "there is no option '%s', nor any other",
                  options[0]->name);
}

/* Hook `prepare` of a row: prepare_with() with an argument of that row. */
#define PREPARE(name, prepare_with, ...)                                           \
    int name(const struct simdbench_operands *operands, void **state, char *error, \
             size_t error_size)                                                    \
    {                                                                              \
        return prepare_with(operands, __VA_ARGS__, state, error, error_size);      \
    }

/* The one function that a module exports; its table is made of these fields. */
#define MODULE(...)                                                    \
    const struct simdbench_module *simdbench_module(uint32_t abi)      \
    {                                                                  \
        static const struct simdbench_module module = {                \
            .size = sizeof module, .abi = SIMDBENCH_ABI, __VA_ARGS__}; \
        return &module;                                                \
    }
