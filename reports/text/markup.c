/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <ctype.h>
#include <math.h>

#include "text.h"

enum { WRAP_MIN = 40 };

void text_tone(FILE *file, bool colour, enum tone tone)
{
    static const char *const codes[] = {
        [TONE_PLAIN] = "0", [TONE_GOOD] = "32", [TONE_BAD] = "31",
        [TONE_DIM] = "2",   [TONE_BOLD] = "1",
    };

    if (colour)
        fprintf(file, "\033[%sm", codes[tone]);
}

void text_toned(FILE *file, bool colour, enum tone tone, const char *text)
{
    colour = colour && tone != TONE_PLAIN;
    text_tone(file, colour, tone);
    fputs(text, file);
    text_tone(file, colour, TONE_PLAIN);
}

/* A command between ` is one word, so that it can be copied. */
static size_t word_length(const char *text)
{
    size_t length = strcspn(text, " `");
    const char *const quoted = text[length] == '`' ? text + length + 1 : "";
    const bool is_command = !strncmp(quoted, "simdbench ", 10) || *quoted == '\'';
    const char *const end = is_command ? strchr(quoted, '`') : NULL;

    if (end)
        length = (size_t)(end - text);
    return length + strcspn(text + length, " ");
}

static void wrap(FILE *file, int width, const char *text, int at, int indent,
                 bool keep_blanks)
{
    int begin = at;

    if (width > 0 && width < WRAP_MIN)
        width = WRAP_MIN;
    while (*text) {
        const int skipped = (int)strspn(text, " ");
        int blanks = keep_blanks ? skipped : at > begin;
        const char *const word = text + skipped;
        const size_t length = word_length(word);
        const int columns = text_width_n(word, length);
        if (width && at > begin && at + blanks + columns > width && length) {
            fputc('\n', file);
            at = 0;
            begin = blanks = indent;
        }
        if (length)
            fprintf(file, "%*s%.*s", blanks, "", (int)length, word);
        at += blanks + columns;
        text = word + length;
    }
    fputc('\n', file);
}

void text_wrapped(FILE *file, int width, const char *text, int at)
{
    wrap(file, width, text, at, WRAP_INDENT, false);
}

void text_wrapped_to(FILE *file, int width, const char *text, int at, int indent)
{
    wrap(file, width, text, at, indent, true);
}

const char *text_entity(char c)
{
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;
}

/* Sites that show Markdown make links of addresses, names of people and numbers of
 * issues. A link ends at a blank of no width, and people see none. */
#define NO_LINK "&#8203;"

/* "@name" calls a person; "a@b.c" is an address. "fma@256" is a case, which somebody may
 * want to copy. */
static bool at_links(const char *text, char before)
{
    const char *const end = text + 1 +
                            strspn(text + 1, "-_abcdefghijklmnopqrstuvwxyz"
                                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789");

    return !isalnum((unsigned char)before) || *end == '.';
}

/* True if a link could go on behind the first byte of `text`. */
static bool links(const char *text, char before)
{
    switch (*text) {
    case '@':
        return at_links(text, before);
    case ':':
        return !strncmp(text, "://", 3);
    case '#':
        return isdigit((unsigned char)text[1]);
    case 'w':
    case 'W':
        return !isalnum((unsigned char)before) && !strncasecmp(text, "www.", 4);
    case 'G':
    case 'g':
        return !isalnum((unsigned char)before) && !strncasecmp(text, "gh-", 3);
    default:
        return false;
    }
}

void text_markdown(FILE *file, const char *raw)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};
    char before = ' ';

    buffer_plain(&plain, raw);
    for (const char *text = buffer_text(&plain); *text; before = *text++) {
        if (text_entity(*text))
            fputs(text_entity(*text), file);
        else if (strchr("\\|`*_[]~$#", *text))
            fprintf(file, "\\%c", *text);
        else
            fputc(*text, file);
        fputs(links(text, before) ? NO_LINK : "", file);
    }
}

static void put_plain(FILE *file, const char *text)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};

    buffer_plain(&plain, text);
    fputs(buffer_text(&plain), file);
}

static void tell(FILE *file, void (*put)(FILE *file, const char *text),
                 const char *format, va_list texts)
{
    for (const char *next; (next = strchr(format, '%')); format = next + 2) {
        assert(next[1] == 's');
        fwrite(format, 1, (size_t)(next - format), file);
        put(file, va_arg(texts, const char *));
    }
    fputs(format, file);
}

void text_tell(FILE *file, const char *format, ...)
{
    va_list texts;

    va_start(texts, format);
    tell(file, put_plain, format, texts);
    va_end(texts);
}

void text_markdown_tell(FILE *file, const char *format, ...)
{
    va_list texts;

    va_start(texts, format);
    tell(file, text_markdown, format, texts);
    va_end(texts);
}

/* A number with its unit or its interval, which sites would break in narrow columns. */
static bool is_number(const char *text)
{
    return isdigit((unsigned char)text[strspn(text, "+-~")]) &&
           (strchr(text, '[') || strchr(text, ' ') == strrchr(text, ' '));
}

void text_markdown_cell(FILE *file, const char *mark, const char *text)
{
    const char *const blank = is_number(text) ? "\u00a0" : " ";

    fprintf(file, " %s", mark);
    for (size_t length; *text; text += length + (text[length] != '\0')) {
        FREED_BY(buffer_free) struct buffer word = {.text = NULL};
        length = strcspn(text, " ");
        buffer_format(&word, "%.*s", (int)length, text);
        text_markdown(file, buffer_text(&word));
        fputs(text[length] ? blank : "", file);
    }
    fprintf(file, "%s |", mark);
}

void text_item(const struct text_page *page, const char *format, ...)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};
    va_list texts;

    va_start(texts, format);
    if (page->markdown) {
        fputs("- ", page->file);
        tell(page->file, text_markdown, format, texts);
        fputc('\n', page->file);
    } else {
        buffer_tell_list(&plain, format, texts);
        text_wrapped_to(page->file, page->width, buffer_text(&plain), 0, WRAP_INDENT);
    }
    va_end(texts);
}

void answer_next(struct answer *answer)
{
    struct buffer *const text = &answer->text;

    if (text->length)
        strings_add(&answer->line, &answer->n, buffer_text(text));
    buffer_clear(text);
}

void answer_free(struct answer *answer)
{
    strings_free(answer->line, answer->n);
    buffer_free(&answer->text);
}

void text_answer(const struct text_page *page, struct answer answer)
{
    fputs(answer.n && !page->markdown ? "\n" : "", page->file);
    for (size_t i = 0; i < answer.n; i++)
        if (page->markdown)
            text_markdown_tell(page->file, "**%s**\n\n", answer.line[i]);
        else
            text_wrapped(page->file, page->width, answer.line[i], 0);
    answer_free(&answer);
}

void text_csv(FILE *file, const char *raw)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};

    buffer_plain(&plain, raw);
    const char *const quote = strpbrk(buffer_text(&plain), "\",") ? "\"" : "";
    fputs(quote, file);
    /* Spreadsheets would take it for a formula. */
    if (*buffer_text(&plain) && strchr("=+-@", *buffer_text(&plain)))
        fputc('\'', file);
    for (const char *text = buffer_text(&plain); *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputs(quote, file);
}

void csv_text(struct csv *csv, const char *text)
{
    fputs(csv->begun ? "," : "", csv->file);
    csv->begun = true;
    text_csv(csv->file, text);
}

void csv_texts(struct csv *csv, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        csv_text(csv, texts[i]);
}

void csv_numbers(struct csv *csv, bool known, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[NUMBER_SIZE] = "";
        if (known && isfinite(values[i]))
            text_exact(values[i], text);
        csv_text(csv, "");
        fputs(text, csv->file);
    }
}

void csv_end(struct csv *csv)
{
    fputs("\r\n", csv->file);
    csv->begun = false;
}
