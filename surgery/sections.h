/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of the file of an object. */
#pragma once

#include <link.h>

#include "surgery_private.h"

/* objects.c: the i-th one, or NULL; the entries of one, and how many; the text there in a
 * section of texts, or "". */
const ElfW(Shdr) * section(const struct object *object, size_t i);
const void *entries(const struct object *object, const ElfW(Shdr) * of, size_t size,
                    size_t *n);
const char *text_of(const struct object *object, size_t section, size_t at);
/* The symbols of a section, and how many; NULL if it has none. */
const ElfW(Sym) *
    symbols_in(const struct object *object, const ElfW(Shdr) * of, size_t *n);
/* symbols.c */
void symbols_free(struct symbols *symbols);
/* unsized.c: an assembler wrote no size of the function there. It ends where the next one
 * begins. */
bool unsized_at(const struct object *object, uint64_t address, uint64_t *lo,
                uint64_t *hi);
