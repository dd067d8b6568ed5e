/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All folders share a message that travels up, and memory that is freed by itself.
 *
 * A function that can fail returns 0 or a negative errno and writes a sentence for people
 * into its struct error: what was asked for, why it cannot be, what to type instead.
 * Leaves only fill it; cmd prints it. A NULL struct error is allowed and drops the text.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct error {
    char text[512];
};

/* Writes the text and returns `code`, so that callers can `return error_set(e, -EINVAL,
 * ...)`. */
__attribute__((format(printf, 3, 4))) static inline int
error_set(struct error *error, int code, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return code;
}

/* Frees what a variable holds where its scope ends, whichever way that is left:
 * FREED_BY(free_memory) char *text = NULL; */
#define FREED_BY(function) __attribute__((cleanup(function)))
static inline void free_memory(void *variable)
{
    void *memory;
    memcpy(&memory, variable, sizeof memory);
    free(memory);
}

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
