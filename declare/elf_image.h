/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file in memory, of which no byte is trusted. */
#pragma once

#include <link.h>
#include <stddef.h>

#include "error.h"

/* An image is a file or a part of one; a part has no header. */
struct image {
    const unsigned char *at;
    uint64_t n;
    ElfW(Ehdr) header;
};
/* -ENOEXEC: no ELF file for this machine. */
int image_open(const char *path, struct image *image, struct error *error);
void image_close(struct image *image);
/* Copies bytes, so that nothing is read where it is not aligned; false: there are fewer.
 */
bool image_take(const struct image *image, uint64_t offset, void *to, size_t n);
/* The i-th section or segment; false: there are fewer. */
bool image_section(const struct image *image, uint64_t i, ElfW(Shdr) * section);
bool image_segment(const struct image *image, uint16_t i, ElfW(Phdr) * segment);
/* Bytes that are loaded at an address; NULL: they are not all there. */
const unsigned char *image_loaded(const struct image *image, uint64_t address,
                                  uint64_t n);
