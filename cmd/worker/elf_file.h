/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file as it describes itself. */
#pragma once

#include "error.h"

enum elf_kind {
    ELF_OTHER, /* no ELF file, or none for this kind of machine */
    ELF_PROGRAM,
    ELF_SHARED
};

/* Texts are empty where the file has none. */
struct elf_file {
    enum elf_kind kind;
    char build_id[65]; /* hex */
    uint64_t hash;     /* of all bytes; reproducible builds may have fixed ids */
    uint64_t loaded;   /* of the bytes that a process maps, without the id; 0: none */
    bool unique; /* it has STB_GNU_UNIQUE symbols: one variable for the whole process */
    bool opens;  /* it may load libraries later, which nobody sees before */
    char soname[256];
    char runpath[1024]; /* DT_RUNPATH or DT_RPATH */
};

/* Any bytes are taken; -errno if the file cannot be read at all. Hashes and what symbols
 * say, which are 0 unless `hashed`, take a tenth of a second for a large library. */
int elf_read(const char *path, bool hashed, struct elf_file *file, struct error *error);
