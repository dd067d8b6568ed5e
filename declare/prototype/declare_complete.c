/* SPDX-License-Identifier: Apache-2.0 */
/* A prototype as a header has it becomes a line that can be read: where the reader fails,
 * names tell what is probably meant, and it tries again. */
#include "declare_private.h"

static unsigned times_named(const struct reader *reader, const char *name)
{
    unsigned n = 0;
    for (size_t t = 0; t < reader->n; t++)
        n += token_is(&reader->token[t], name);
    return n;
}

/* A dimension that no extent has, while others have some, and whose name does not say
 * that it counts anything. */
static void mend_choices(const struct reader *reader)
{
    bool extents = false;
    for (uint32_t d = 0; d < reader->declaration->n_dimensions; d++)
        extents |= times_named(reader, reader->declaration->dimension[d].name) > 1;
    for (uint32_t i = 0; i < reader->declaration->n_passed; i++) {
        const struct declared_argument *const argument =
            &reader->declaration->argument[i];
        const struct token *const name = &reader->token[reader->later[i].name];
        const bool chooses =
            name_chooses(argument->name) || (extents && !name_counts(argument->name));
        if (argument->kind == ARGUMENT_DIMENSION && !argument->by_address && chooses &&
            times_named(reader, argument->name) == 1 && name->kind == TOKEN_WORD &&
            !reader->mends->due)
            reader_mend(reader, name->at + name->n, 0, " = 1");
    }
}

/* The words of a prototype without its comments. Lines of #define need their ends. */
static bool write_line(struct reader *reader, char *line, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i + 1 < reader->n && n < size; i++) {
        n += token_write(&reader->token[i], i > 0, line + n, size - n);
        if (token_is(&reader->token[i], "#"))
            return false;
    }
    return n < size;
}

static bool apply(const struct mends *mends, char *line, size_t size)
{
    for (unsigned i = mends->n; i-- > 0;) {
        const struct mend *const mend = &mends->mend[i];
        const size_t at = (size_t)(mend->at - line), n = strlen(mend->text);
        const size_t rest = strlen(line) - at - mend->dropped + 1;
        if (at + n + rest > size || (i && mend->at < mend[-1].at + mend[-1].dropped))
            return false;
        memmove(line + at + n, line + at + mend->dropped, rest);
        memcpy(line + at, mend->text, n);
    }
    return mends->n > 0;
}

bool declaration_complete(const char *text, const struct library *library, char *line,
                          size_t size)
{
    enum { MENDS_MAX = 64 };
    FREED_BY(free_memory) struct reader *reader = malloc(sizeof *reader);
    FREED_BY(free_memory) struct declaration *declaration = malloc(sizeof *declaration);
    struct error lost;
    if (!reader || !declaration || reader_begin(reader, text, &lost) < 0 ||
        !write_line(reader, line, size))
        return false;
    for (int i = 0; i < MENDS_MAX; i++) {
        struct mends mends = {.makers = library};
        const int status = prototype_read(reader, line, &mends, declaration, &lost);
        if (status == 0) {
            mends = (struct mends){.makers = library};
            mend_choices(reader);
        }
        if (!apply(&mends, line, size))
            return status == 0 && i > 0;
    }
    return false;
}
