/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of libraries with functions mix_...: found, and called. */
#pragma once

#include "library_files.h"
#include "unit.h"

static inline const struct library_function *found(const struct library *library,
                                                   const char *name)
{
    const struct library_function *function = NULL;
    struct error error = {.text = ""};
    if (library_find(library, name, &function, &error) != 0)
        fail_msg("%s", error.text);
    return function;
}

/* The function at a place adds half of 4 to 1, called by machine code. */
static inline int mixes(void *handle, const struct library *library, const char *text,
                        struct error *error)
{
    const struct call_signature signature = {
        .n = 4, .argument = {CALL_INTEGER, CALL_INTEGER, CALL_VECTOR, CALL_INTEGER}};
    float dst[3] = {1, 2, 3}, src[3] = {4, 6, 8};
    struct call_frame frame = {
        .word = {(uintptr_t)dst, (uintptr_t)src, ctype_of_double(CTYPE_F32, 0.5), 3}};
    struct place place;
    struct thunk *thunk;
    void *address;
    assert_int_equal(place_parse(text, &place, error), 0);
    const int status = place_resolve(handle, library, &place, &address, error);
    if (status < 0)
        return status;
    assert_int_equal(thunk_make(&signature, address, &thunk, error), 0);
    thunk_code(thunk)(&frame);
    thunk_free(thunk);
    assert_true(dst[0] == 3 && dst[1] == 5 && dst[2] == 7);
    return 0;
}
