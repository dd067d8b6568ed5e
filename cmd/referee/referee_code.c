/* SPDX-License-Identifier: Apache-2.0 */
/* A candidate may be a copy of what is known already: the bytes of both tell. */
#include "referee_private.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Enough for any kernel; data behind it are no code. */
enum { CODE_MAX = 1 << 20 };

/* Reads code at an address, relative to where the file is loaded. */
static size_t code_read(FILE *file, uint64_t address, uint64_t bytes, unsigned char *code)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    if (fread(&head, sizeof head, 1, file) != 1)
        return 0;
    for (int i = 0; i < head.e_phnum; i++) {
        if (fseek(file, (long)(head.e_phoff + (uint64_t)i * sizeof part), SEEK_SET) < 0 ||
            fread(&part, sizeof part, 1, file) != 1)
            return 0;
        if (part.p_type == PT_LOAD && address >= part.p_vaddr &&
            address - part.p_vaddr < part.p_filesz)
            return fseek(file, (long)(part.p_offset + address - part.p_vaddr),
                         SEEK_SET) == 0
                       ? fread(code, 1, bytes, file)
                       : 0;
    }
    return 0;
}

static size_t code_of(const char *path, const char *symbol, unsigned char *code)
{
    struct error error;
    struct library library;
    struct place place;
    const struct library_function *function;
    size_t n = 0;
    if (place_parse(symbol, &place, &error) < 0 || place.kind != PLACE_SYMBOL ||
        library_read(path, &library, &error) < 0)
        return 0;
    FILE *const file = fopen(path, "re");
    if (file && library_find(&library, place.name, &function, &error) == 0 &&
        function->bytes <= CODE_MAX)
        n = code_read(file, function->address, function->bytes, code);
    if (file)
        fclose(file);
    library_close(&library);
    return n;
}

bool same_code(const char *library, const char *symbol, const char *other_library,
               const char *other_symbol)
{
    unsigned char *const code = must_have(malloc(2 * (size_t)CODE_MAX));
    const size_t n = code_of(library, symbol, code);
    const bool same = n && n == code_of(other_library, other_symbol, code + CODE_MAX) &&
                      !memcmp(code, code + CODE_MAX, n);
    free(code);
    return same;
}
