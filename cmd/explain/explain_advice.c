/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that are slow on some cores, or three where one would do, and others that
 * do their work. */
#include "explain_private.h"

static const struct {
    const char *forms; /* a glob */
    const char *advice;
} advices[] = {
    {"v*compress* m*", "compress to a register and store that"},
    {"v*expand* *, m*", "load, and expand in a register"},
    {"pdep *", "shifts and masks, or a table"},
    {"pext *", "shifts and masks, or a table"},
    {"vpconflict*", "compare with permutes, or sort indices before"},
    {"lock *", "one atomic operation for many elements"},
    {"xchg m*", "one atomic operation for many elements"},
    {"loop", "dec and jnz"},
    {"rep*", "copies of vectors, for so few bytes"},
    {"?fence", "one fence for many elements"},
    {"*maskmovdqu*", "a blend and a store"},
    {"*pcmp?str*", "pcmpeqb and pmovmskb"},
    {"rc[lr] *", "shifts and or"},
    {"bt* m*", "load the word, and test it in a register"},
    {"*hadd*", "shuffles and one addition"},
    {"*hsub*", "shuffles and one subtraction"},
    {"*dpp? *", "a multiplication, then additions of whole vectors"},
    {"vpmullq *", "vpmuludq or vpmadd52luq, if the numbers are small enough"},
    {"*mul r*", "a multiplication of fewer bits"},
    {"rdtsc*", "read the clock outside of the loop"},
    {"rdrand *", "a generator in software"},
    {"rdseed *", "a generator in software"},
};

const char *explain_advice(const char *form)
{
    for (size_t i = 0; i < ARRAY_LEN(advices); i++)
        if (text_glob(advices[i].forms, form))
            return advices[i].advice;
    return NULL;
}

/* Executions of that name, with VEX or without. */
static uint64_t executed(const struct inspect_line *line, size_t n, const char *name)
{
    const size_t length = strlen(name);
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        const char *const text = line[i].text ?: "";
        const char *const word = text + (*text == 'v');
        all += !strncmp(word, name, length) && word[length] == ' ' ? line[i].executed : 0;
    }
    return all;
}

const char *explain_newer(const struct inspect_line *line, size_t n)
{
    const uint64_t words = executed(line, n, "pmaddwd");
    return words && executed(line, n, "pmaddubsw") == words &&
                   executed(line, n, "paddd") >= words
               ? "where vpmaddwd is by ones and no sum of two products saturates, "
                 "with VNNI one vpdpbusd for it, vpmaddubsw and vpaddd"
               : NULL;
}
