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
/* False: some bytes of the function are no instruction, or it runs on into the next. */
bool code_read(const struct program_file *file, const struct file_symbol *symbol,
               struct listing *code);
bool code_holds(const struct file_symbol *symbol, uint64_t at);
/* The number of the instruction at an address, or of the next one. */
size_t code_number(const struct listing *code, uint64_t at);
/* An instruction as bytes, without the place that it refers to: how many. */
uint8_t code_without_places(const struct program_file *file, const struct listing *code,
                            const struct insn *insn, unsigned char bytes[INSN_BYTES_MAX]);
bool code_same_bytes(const struct program_file *of_a, const struct listing *a,
                     const struct insn *x, const struct program_file *of_b,
                     const struct listing *b, const struct insn *y);

/* Functions with the text and the name of a part: how many, from which number on. */
size_t parts_group(const struct parts *parts, const struct part *like, size_t *first);

/* ---- file_places.c ---- */

/* A pointer of the file at that address, or NULL. */
const struct file_pointer *file_pointer_at(const struct program_file *file, uint64_t at);
/* A byte of the file; 0 where it has none, as of variables that begin as zeros. */
unsigned char file_byte(const struct program_file *file, uint64_t at);
/* Bytes up to the next pointer, at most n. */
uint64_t file_before_pointer(const struct program_file *file, uint64_t at, uint64_t n);
/* The end of what begins there without a name: where the next thing begins. */
uint64_t file_end_of(const struct program_file *file, uint64_t at);
bool file_is_zero(const struct program_file *file, uint64_t from, uint64_t to);
bool file_leads_to_code(const struct program_file *file, uint64_t at);
/* An entry of a table leads to constants or code outside of the table: so many bytes
 * within constants that have a name. */
bool file_leads_away(const struct program_file *file, uint64_t table, uint64_t n,
                     uint64_t to, uint64_t *within);
/* The end of the last section. */
bool file_ends_at(const struct program_file *file, uint64_t at);
/* The name of a source there without the folder of its build, with which it has to begin;
 * or NULL. */
const char *file_source_at(const struct program_file *file, uint64_t at);
/* Contents that depend on places, and are for unwinders and debuggers alone. */
bool section_is_opaque(const char *name);
/* The slot that a stub of the linker jumps through, or 0. */
uint64_t file_stub_slot(const struct program_file *file, uint64_t at);
/* The end of a table of the compiler's own, which is empty: whatever follows it. */
bool file_is_end_of_clones(const struct program_file *file, uint64_t at);
/* The part of a function that is seldom reached, at times by its handlers of exceptions
 * alone, has a name of its own. Counts those of that name, and finds the last one. */
size_t file_cold_parts(const struct program_file *file, const struct file_symbol *of,
                       const struct file_symbol **part);
/* NULL: the file has none of that name. */
const struct file_section *file_section_named(const struct program_file *file,
                                              const char *name);
const struct file_symbol *file_exported_as(const struct program_file *file,
                                           const char *name);
/* The named thing that begins at most so many bytes behind another one, or NULL. */
const struct file_symbol *file_symbol_behind(const struct program_file *file,
                                             const struct file_symbol *symbol,
                                             uint64_t near);
