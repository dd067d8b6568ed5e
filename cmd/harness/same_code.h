/* SPDX-License-Identifier: Apache-2.0 */
/* Inside same_code.c: pairs of places, and instructions of functions (same_parts.c). */
#pragma once

#include "program_file.h"

/* Places of both programs: of the beginnings of functions, or of data. */
struct pair {
    uint64_t a, b;
    bool code;
};
struct pairs {
    struct pair *entry;
    size_t n;
    size_t *slot, room; /* numbers of entries, by hash; 0: none, 1: the first */
};
bool pairs_have(const struct pairs *pairs, uint64_t a, uint64_t b);
/* False: it was there already. */
bool pairs_add(struct pairs *pairs, uint64_t a, uint64_t b, bool code);
void pairs_free(struct pairs *pairs);

/* The instructions of a function, without padding. */
struct listing {
    const struct file_symbol *symbol;
    const unsigned char *bytes;
    struct insn *insn; /* to be freed */
    size_t n;
};
/* False: some bytes of the function are no instruction. */
bool code_read(const struct program_file *file, const struct file_symbol *symbol,
               struct listing *code);
bool code_holds(const struct file_symbol *symbol, uint64_t at);
/* The number of the instruction at an address, or of the next one. */
size_t code_number(const struct listing *code, uint64_t at);
/* The same instruction, but for the place that it refers to. */
bool code_same_bytes(const struct listing *a, const struct insn *x,
                     const struct listing *b, const struct insn *y);
/* But for what differs from build to build. */
bool names_same(const char *a, const char *b);
