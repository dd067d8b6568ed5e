/* SPDX-License-Identifier: Apache-2.0 */
/* Inside leaf declare: an ELF file in memory, of which no byte is trusted. */
#pragma once

#include <link.h>

#include "library_files.h"

struct image {
    const unsigned char *at;
    uint64_t n;
    ElfW(Ehdr) header;
};
/* -ENOEXEC: no ELF file for this machine. */
int image_open(const char *path, struct image *image, struct error *error);
void image_close(struct image *image);
bool image_take(const struct image *image, uint64_t offset, void *to, size_t n);
/* The i-th section; false: there are fewer. */
bool image_section(const struct image *image, uint64_t i, ElfW(Shdr) * section);
/* Bytes that are loaded at an address; NULL: they are not all there. */
const unsigned char *image_loaded(const struct image *image, uint64_t address,
                                  uint64_t n);

/* The name that C++ or Rust has for a symbol; free() it. NULL: none. */
char *name_demangle(const char *symbol);
/* Length of a demangled name without the arguments. */
size_t name_length(const char *demangled);
