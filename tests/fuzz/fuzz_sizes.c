/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text given to --sizes is refused with a reason, or expands to shapes that expand to
 * themselves. With clang: -fsanitize=fuzzer -DSIMDBENCH_LIBFUZZER. Else the program runs
 * a short loop of its own: fuzz_sizes [ROUNDS [SEED]].
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool truth, const char *what, const char *text)
{
    if (truth)
        return;
    fprintf(stderr, "%s: %s\n", what, text);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text_list shapes = {0}, again = {0};
    struct error error = {0};
    char *const text = strndup((const char *)data, size);
    demand(text != NULL, "memory", "");

    if (sizes_expand(text, &shapes, &error) != 0) {
        demand(error.text[0] != '\0', "refused without a reason", text);
        demand(shapes.n == 0, "refused, but left shapes", text);
    } else {
        demand(shapes.n >= 1 && shapes.n <= SIZES_MAX, "number of shapes", text);
        for (size_t i = 0; i < shapes.n; i++) {
            demand(sizes_expand(shapes.item[i], &again, &error) == 0, "shape refused",
                   shapes.item[i]);
            demand(again.n == 1 && strcmp(again.item[0], shapes.item[i]) == 0,
                   "shape changed", shapes.item[i]);
            text_list_cut(&again, 0);
        }
    }
    text_list_free(&again);
    text_list_free(&shapes);
    free(text);
    return 0;
}

#ifndef SIMDBENCH_LIBFUZZER
static const char *const seeds[] = {"64..512",
                                    "64..512:64",
                                    "1k..1M*10",
                                    "64,100,128",
                                    "64x32x128",
                                    "1Ki..1Gi*2",
                                    "n16c3h224w224,7",
                                    "0..9223372036854775807:9223372036854775807",
                                    "9223372036854775807..9223372036854775807*2"};
static const char alphabet[] = "0123456789.,:*xkMGi-+ n\xff";

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Replaces, inserts or removes a byte, or repeats what is there. */
static size_t mutate(char *text, size_t length, size_t size, uint64_t *state)
{
    const size_t at = next(state) % (length + 1);
    const char c = alphabet[next(state) % (sizeof alphabet - 1)];
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

int main(int argc, char **argv)
{
    const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 30000;
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    state = state ? state : 1;

    for (unsigned long i = 0; i < rounds; i++) {
        char text[200];
        const char *const seed = seeds[next(&state) % ARRAY_LEN(seeds)];
        size_t length = strlen(seed);
        memcpy(text, seed, length);
        for (uint64_t n = next(&state) % 8; n-- > 0;)
            length = mutate(text, length, sizeof text, &state);
        LLVMFuzzerTestOneInput((const uint8_t *)text, length);
    }
    return 0;
}
#endif
