/* SPDX-License-Identifier: Apache-2.0 */
/* For targets that read a text: what they demand, and without libFuzzer a loop that
 * changes seeds. */
#pragma once

#include "effort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(bool truth, const char *what, const char *text)
{
    if (truth)
        return;
    fprintf(stderr, "%s: %s\n", what, text);
    abort();
}

#ifndef SIMDBENCH_LIBFUZZER
static inline uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Replaces, inserts or removes a byte, or repeats what is there. */
static inline size_t mutate(char *text, size_t length, size_t size, const char *alphabet,
                            uint64_t *state)
{
    const size_t at = next(state) % (length + 1);
    const char c = alphabet[next(state) % (strlen(alphabet))];
    switch (next(state) % 4) {
    case 0:
        if (at < length)
            text[at] = c;
        return length;
    case 1:
        if (length + 1 >= size)
            return length;
        memmove(text + at + 1, text + at, length - at);
        text[at] = c;
        return length + 1;
    case 2:
        if (at == length)
            return length;
        memmove(text + at, text + at + 1, length - at - 1);
        return length - 1;
    default:
        if (length + at >= size)
            return length;
        memmove(text + length, text, at);
        return length + at;
    }
}

/* Arguments: [ROUNDS [SEED]]. */
static inline int fuzz_texts(int argc, char **argv, const char *const *seeds, size_t n,
                             const char *alphabet)
{
    const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : effort_of(30000);
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    state = state ? state : 1;
    for (unsigned long i = 0; i < rounds; i++) {
        char text[200];
        const char *const seed = seeds[next(&state) % n];
        size_t length = strlen(seed);
        memcpy(text, seed, length);
        for (uint64_t left = next(&state) % 8; left-- > 0;)
            length = mutate(text, length, sizeof text, alphabet, &state);
        LLVMFuzzerTestOneInput((const uint8_t *)text, length);
    }
    return 0;
}
#endif
