/* SPDX-License-Identifier: Apache-2.0 */
/* A candidate may be a copy of what is known already: the bytes of both tell. */
#include "elf_image.h"
#include "referee_private.h"

#include <stdlib.h>
#include <string.h>

/* Enough for any kernel; data behind it are no code. */
enum { CODE_MAX = 1 << 20 };

static size_t code_of(const char *path, const char *symbol, unsigned char *code)
{
    struct error error;
    struct library library;
    struct image image;
    struct place place;
    const struct library_function *function;
    size_t n = 0;
    if (place_parse(symbol, &place, &error) < 0 || place.kind != PLACE_SYMBOL ||
        library_read(path, &library, &error) < 0)
        return 0;
    if (library_find(&library, place.name, &function, &error) == 0 &&
        function->bytes <= CODE_MAX && image_open(path, &image, &error) == 0) {
        const unsigned char *const found =
            image_loaded(&image, function->address, function->bytes);
        if (found) {
            n = function->bytes;
            memcpy(code, found, n);
        }
        image_close(&image);
    }
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
