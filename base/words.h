/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words, which commas divide: "isa,type". */
#pragma once

#include <stdbool.h>
#include <string.h>

/* True if the first n bytes of a word are a whole word of the list. */
static inline bool words_have_n(const char *words, const char *word, size_t n)
{
    for (; *words; words += strcspn(words, ","), words += *words == ',')
        if (strcspn(words, ",") == n && !memcmp(words, word, n))
            return true;
    return false;
}

static inline bool words_have(const char *words, const char *word)
{
    return words_have_n(words, word, strlen(word));
}
