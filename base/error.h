/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All folders share a message that travels up, memory that is freed by itself, and arrays
 * that grow. The headers of C that nearly every file needs come along: files that
 * include it need not name them.
 *
 * A function that can fail returns 0 or a negative errno and writes a sentence for people
 * into its struct error: what was asked for, why it cannot be, what to type instead.
 * Leaves only fill it; cmd prints it. A NULL struct error is allowed and drops the text.
 */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
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

/* The same for what was asked for and cannot be, and where no memory is left. */
#define invalid(error, ...) error_set(error, -EINVAL, __VA_ARGS__)
#define no_memory(error) error_set(error, -ENOMEM, "out of memory")

/* Frees what a variable holds where its scope ends, whichever way that is left:
 * FREED_BY(free_memory) char *text = NULL; */
#define FREED_BY(function) __attribute__((cleanup(function)))
static inline void free_memory(void *variable)
{
    void *memory;
    memcpy(&memory, variable, sizeof memory);
    free(memory);
}

/* Frees several: FREE_EACH(source->name, source->cpu). */
#define FREE_EACH(...)                      \
    free_each((void *const[]){__VA_ARGS__}, \
              sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))
static inline void free_each(void *const *memory, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(memory[i]);
}

/* Ends a program whose memory is out: cmd/process/memory.c tells why. */
_Noreturn void memory_out(void);
/* In reports and cmd, whose callers have nothing better to do than to end, these return
 * only for a pointer that is not NULL, and for a status that is not negative. */
static inline void *must_have(void *pointer)
{
    if (!pointer)
        memory_out();
    return pointer;
}
static inline void must(int status)
{
    if (status < 0)
        memory_out();
}
/* A copy of the text, or NULL if there is none. */
static inline char *copy_text(const char *text)
{
    return text ? (char *)must_have(strdup(text)) : NULL;
}

/* Makes room for one more in an array of n, whose address is given: array_room(&list, n,
 * sizeof *list). The room doubles when n is a power of two, so that no array has to keep
 * it, and grows in no other way. False: out of memory. */
static inline bool array_room(void *array, size_t n, size_t size)
{
    const size_t room = n ? 2 * n : 1;
    void *old, *grown;
    if (n & (n - 1))
        return true;
    if (room > SIZE_MAX / size)
        return false;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, room * size);
    if (grown)
        memcpy(array, &grown, sizeof grown);
    return grown;
}

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
/* Loops over the `n` entries of an array; `entry` points to each of them in turn. */
#define FOR_EACH(type, entry, array, n)                                          \
    for (type *entry = (array), *const entry##_end = entry ? entry + (n) : NULL; \
         entry != entry##_end; entry++)
