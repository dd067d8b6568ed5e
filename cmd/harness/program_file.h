/* SPDX-License-Identifier: Apache-2.0 */
/* A program as its file has it: its functions, what its data point to, and whether
 * another build of it has the same. */
#pragma once

#include <limits.h>

#include "elf_image.h"
#include "insn.h"

struct file_section {
    uint64_t lo, hi;
    const char *name;
    bool code;
    bool written; /* by the program; the loader alone writes pointers of constants */
    bool zeros;   /* the file has no bytes of it */
};
struct file_symbol {
    uint64_t lo, hi; /* lo first, for by_u64() */
    const char *name;
    bool code;
    bool loose; /* the file does not tell where it ends: somewhere before `hi` */
};
/* A place where the loader writes an address of the program or of a symbol. */
struct file_pointer {
    uint64_t at, value; /* at first, for by_u64() */
    uint32_t kind;
    bool own;         /* `value` is a place of this program */
    const char *name; /* of a symbol, or "" */
};
struct program_file {
    struct image image;
    struct file_section *section;
    struct file_symbol *symbol, *exported; /* all of the symbol table, in order;
                                              functions and data for libraries */
    size_t *cold; /* numbers of the symbols of seldom reached parts of functions */
    struct file_pointer *pointer;
    uint64_t *bound; /* places where something begins or ends, in order */
    size_t n_sections, n_symbols, n_exported, n_cold, n_pointers, n_bounds;
    uint64_t lo, hi;     /* of all sections */
    uint64_t libraries;  /* a hash of their names */
    const char *unknown; /* why not all is known that it can execute and read; or NULL */
    char folder[PATH_MAX]; /* in which it was built: names of its sources begin so */
};
int program_file_open(const char *path, const char *folder, struct program_file *file,
                      struct error *error);
void program_file_close(struct program_file *file);
/* Those that hold an address, or NULL. */
const struct file_section *file_section_at(const struct program_file *file, uint64_t at);
const struct file_symbol *file_symbol_at(const struct program_file *file, uint64_t at);
/* The first pointer at that address or behind it; NULL: there is none. */
const struct file_pointer *file_pointer_from(const struct program_file *file,
                                             uint64_t at);

/* ---- parts.c ---- */

/* A function without its places. */
struct part {
    uint64_t text;  /* hash of its instructions; first, for by_u64() */
    uint64_t place; /* of where it and its data lie in a page and in a line */
    const struct file_symbol *symbol;
    bool complete; /* all of it are instructions, to its end */
    bool entered;  /* by a process */
};
/* All functions of a program, by text, then by name. */
struct parts {
    struct program_file file;
    struct part *entry;
    size_t n, *of_symbol; /* number of the part of each symbol and 1, or 0 */
};
int parts_open(const char *path, const char *folder, struct parts *parts,
               struct error *error);
void parts_close(struct parts *parts);
/* The function that holds an address, or NULL. */
struct part *parts_at(const struct parts *parts, uint64_t at);

/* ---- same_code.c ---- */

/* All that was entered is the same in both programs, with the data that it refers to. */
bool programs_same(const struct parts *a, const struct parts *b);
