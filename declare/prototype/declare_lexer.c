/* SPDX-License-Identifier: Apache-2.0 */
/* A prototype as tokens, and messages with a caret. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "declare_private.h"

/* ---- messages ---- */

/* So many columns of the source, of which up to BEFORE stand before the caret. */
enum { WINDOW = 72, BEFORE = 40 };

static char harmless(char c)
{
    const unsigned char byte = (unsigned char)c;
    return byte == '\n' || byte == '\t' ? ' ' : byte < 0x20 || byte >= 0x7f ? '?' : c;
}

int reader_fail(const struct reader *reader, const struct token *token,
                const char *format, ...)
{
    char sentence[320], source[WINDOW + 1], caret[WINDOW + 1];
    const size_t length = strlen(reader->text), at = (size_t)(token->at - reader->text);
    const size_t begin = length < WINDOW || at < BEFORE ? 0 : at - BEFORE;
    size_t n = 0, marks = token->n ? token->n : 1;
    va_list arguments;
    if (reader->mends && !reader->mends->due)
        reader->mends->n = 0;
    if (reader->mends)
        reader->mends->due = false;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    for (; n < WINDOW && reader->text[begin + n]; n++)
        source[n] = harmless(reader->text[begin + n]);
    source[n] = '\0';
    memset(caret, ' ', at - begin);
    marks = marks > WINDOW - (at - begin) ? WINDOW - (at - begin) : marks;
    memset(caret + (at - begin), '~', marks);
    caret[at - begin] = '^';
    caret[at - begin + marks] = '\0';
    return invalid(reader->error, "%s\n    %s\n    %s", sentence, source, caret);
}

/* ---- one token ---- */

static const char *skip_space(const char *at)
{
    for (;;) {
        const char *end = NULL;
        if (at[0] == '/' && at[1] == '*')
            end = strstr(at + 2, "*/");
        if (end)
            at = end + 2;
        else if (at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n");
        else if (isspace((unsigned char)*at))
            at++;
        else
            return at;
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A character of a name, with the colons before it: std::size_t, Filter::~Filter. */
static size_t name_part(const char *at)
{
    const size_t n = at[0] == ':' && at[1] == ':' ? 2 + (at[2] == '~') : 0;
    return is_word(at[n]) ? n + 1 : 0;
}

/* 12, 0x1f, 12ul; 0.5, 1e-3f, .5 */
static int lex_number(const struct reader *reader, struct token *token)
{
    const char *const at = token->at;
    char *end;
    token->n = 0;
    while (is_word(at[token->n]) || at[token->n] == '.' ||
           ((at[token->n] == '+' || at[token->n] == '-') && token->n &&
            strchr("eE", at[token->n - 1]) && strncasecmp(at, "0x", 2) != 0))
        token->n++;
    errno = 0;
    const unsigned long long integer = strtoull(at, &end, 0);
    if (end + strspn(end, "uUlL") == at + token->n) {
        token->integer = (int64_t)integer;
        token->number = (double)integer;
        return errno
                   ? reader_fail(reader, token, "the number is beyond what 64 bits hold")
                   : 0;
    }
    token->kind = TOKEN_REAL;
    token->number = strtod(at, &end);
    token->single = *end == 'f' || *end == 'F';
    if (end + token->single != at + token->n || end == at)
        return reader_fail(reader, token, "not a number");
    return isfinite(token->number) ? 0
                                   : reader_fail(reader, token, "not a finite number");
}

static int lex_quoted(const struct reader *reader, struct token *token)
{
    const char quote = token->at[0];
    for (token->n = 1; token->at[token->n] != quote; token->n++) {
        if (token->at[token->n] == '\\' && token->at[token->n + 1])
            token->n++;
        if (!token->at[token->n])
            return reader_fail(reader, token, "the closing quote is missing");
    }
    token->n++;
    if (quote == '"')
        return 0;
    char value[2];
    size_t n;
    const int status = token_text(reader, token, value, sizeof value, &n);
    if (status < 0 || n != 1)
        return reader_fail(reader, token, "expected one character in quotes");
    token->kind = TOKEN_INTEGER;
    token->integer = (int64_t)value[0]; /* NOLINT(bugprone-signed-char-misuse) */
    token->number = value[0];
    return 0;
}

static int lex(const struct reader *reader, struct token *token)
{
    const char c = token->at[0];
    token->n = c ? 1 : 0;
    token->kind = c ? TOKEN_SIGN : TOKEN_END;
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)token->at[1]))) {
        token->kind = TOKEN_INTEGER;
        return lex_number(reader, token);
    }
    if (c == '"' || c == '\'') {
        token->kind = TOKEN_TEXT;
        return lex_quoted(reader, token);
    }
    if (is_word(c)) {
        token->kind = TOKEN_WORD;
        for (size_t n = 0; (n = name_part(token->at + token->n)) > 0;)
            token->n += n;
    } else if (!strncmp(token->at, "...", 3)) {
        token->n = 3;
    } else if (c && !strchr("()[]{}<>*&,;=+-/%.:|^~#", c)) {
        return reader_fail(reader, token, "no prototype has this character");
    }
    return 0;
}

int reader_begin(struct reader *reader, const char *text, struct error *error)
{
    int status = 0;
    reader->text = text;
    reader->mends = NULL;
    reader->n = reader->at = reader->n_named = reader->n_structures = 0;
    memset(reader->later, 0, sizeof reader->later);
    reader->values = 0;
    reader->returned_content = 0;
    reader->error = error;
    if (strlen(text) > SOURCE_MAX)
        return invalid(error, "a prototype has more than %d characters", SOURCE_MAX);
    do {
        struct token *token = &reader->token[reader->n];
        *token = (struct token){.at = skip_space(text)};
        if (reader->n++ == TOKENS_MAX - 1 && *token->at)
            return reader_fail(reader, token, "a prototype has more than %d words",
                               TOKENS_MAX - 1);
        status = lex(reader, token);
        text = token->at + token->n;
    } while (status == 0 && reader->token[reader->n - 1].kind != TOKEN_END);
    return status;
}

/* ---- going through them ---- */

const struct token *reader_token(const struct reader *reader)
{
    return &reader->token[reader->at];
}

const struct token *reader_next(struct reader *reader)
{
    const struct token *token = reader_token(reader);
    if (token->kind != TOKEN_END)
        reader->at++;
    return token;
}

bool token_is(const struct token *token, const char *text)
{
    return token->kind != TOKEN_TEXT && token->n == strlen(text) &&
           !strncmp(token->at, text, token->n);
}

bool token_among(const struct token *token, const char *words)
{
    for (const char *at = words; *at; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        if (token->kind != TOKEN_TEXT && n == token->n && !strncmp(at, token->at, n))
            return true;
        at += n;
    }
    return false;
}

bool reader_take(struct reader *reader, const char *text)
{
    const bool here =
        reader_token(reader)->kind != TOKEN_END && token_is(reader_token(reader), text);
    reader->at += here;
    return here;
}

bool token_is_constant(const struct token *token)
{
    return token->kind == TOKEN_INTEGER &&
           (isalpha((unsigned char)token->at[0]) || token->at[0] == '_');
}

size_t token_write(const struct token *token, bool behind, char *text, size_t size)
{
    const char *const blank = behind && token->at > token[-1].at + token[-1].n ? " " : "";
    return (
        size_t)(token_is_constant(token)
                    ? snprintf(text, size, "%s%" PRId64, blank, token->integer)
                    : snprintf(text, size, "%s%.*s", blank, (int)token->n, token->at));
}

int reader_expect(struct reader *reader, const char *text, const char *where)
{
    return reader_take(reader, text) ? 0
                                     : reader_fail(reader, reader_token(reader),
                                                   "expected '%s' %s", text, where);
}

struct word token_word(const struct token *token)
{
    struct word word = {""};
    for (size_t i = 0; i < token->n && i + 1 < sizeof word.text; i++)
        word.text[i] = harmless(token->at[i]);
    return word;
}

int token_name(const struct reader *reader, const struct token *token,
               char name[DECLARED_NAME])
{
    if (token->kind != TOKEN_WORD)
        return reader_fail(reader, token, "expected a name");
    if (token->n >= DECLARED_NAME)
        return reader_fail(reader, token, "a name has at most %d characters",
                           DECLARED_NAME - 1);
    memcpy(name, token->at, token->n);
    name[token->n] = '\0';
    return 0;
}

/* ---- texts in quotes ---- */

static int hex(char c)
{
    const char *const digits = "0123456789abcdef";
    const char *const found = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* The character behind a backslash, and how many it takes; 0: unknown. */
static size_t escaped(const char *at, char *c)
{
    static const char names[] = "nrt0\\\"'", values[] = "\n\r\t\0\\\"'";
    const char *const found = strchr(names, at[0]);
    if (at[0] == 'x' && hex(at[1]) >= 0 && hex(at[2]) >= 0) {
        *c = (char)(hex(at[1]) * 16 + hex(at[2]));
        return 3;
    }
    *c = found ? values[found - names] : 0;
    return found ? 1 : 0;
}

int token_text(const struct reader *reader, const struct token *token, char *text,
               size_t size, size_t *n)
{
    const char *at = token->at + 1, *const end = token->at + token->n - 1;
    for (*n = 0; at < end; ++*n) {
        char c = *at++;
        if (c == '\\') {
            const size_t taken = escaped(at, &c);
            if (!taken)
                return reader_fail(reader, token,
                                   "of escapes \\n \\r \\t \\0 \\\\ \\\" "
                                   "and \\xHH are known");
            at += taken;
        }
        if (*n + 1 >= size)
            return reader_fail(reader, token, "a text has at most %zu bytes", size - 1);
        text[*n] = c;
    }
    text[*n] = '\0';
    return 0;
}
