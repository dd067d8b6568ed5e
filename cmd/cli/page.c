/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>

#include "args.h"
#include "page.h"

enum { WIDTH = 80, WIDTH_MAX = 100, INDENT = 2 };

/* ---- plain ---- */

/* Prints words between `column`, where the cursor is, and the right edge. */
static void wrap(FILE *file, const char *raw, int column)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};
    const int terminal = terminal_width(file), wanted = terminal ? terminal : WIDTH;

    buffer_plain(&plain, raw);
    text_wrapped_to(file, wanted > WIDTH_MAX ? WIDTH_MAX : wanted, buffer_text(&plain),
                    column, column);
}

/* A word at the left and its text beside it, or below it if it is too long for that. */
static void plain_entry(const struct page *page, const char *term, const char *text)
{
    int at = fprintf(page->file, "%*s%s", INDENT, "", term);
    if (at + 2 > page->column) {
        fputc('\n', page->file);
        at = 0;
    }
    fprintf(page->file, "%*s", page->column - at, "");
    wrap(page->file, text, page->column);
}

/* Prints words of a command from column `at` on; words that do not fit into a terminal
 * follow a \, so that a shell takes the lines as they are. The column behind them. */
static int plain_words(FILE *file, const char *words, int at)
{
    const int width = terminal_width(file);
    while (*words) {
        size_t length = strcspn(words, " '");
        for (; words[length] == '\''; length += strcspn(words + length, " '")) {
            length += 1 + strcspn(words + length + 1, "'");
            length += words[length] == '\'';
        }
        const bool fits = !width || at + 1 + (int)length + 2 <= width;
        at = (fits ? at + 1 : 3 * INDENT) + (int)length;
        fputs(fits ? " " : " \\\n      ", file);
        fprintf(file, "%.*s", (int)length, words);
        words += length;
        words += strspn(words, " ");
    }
    return at;
}

/* ---- roff ---- */

/* One character as itself: none of them is a request, a quote or a hyphen to break at. */
static void roff_put(FILE *file, char c)
{
    static const struct {
        char c;
        const char *name;
    } names[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                 {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (names[i].c == c) {
            fputs(names[i].name, file);
            return;
        }
    fputc(c, file);
}

static void roff_begin(FILE *file, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", file);
}

static void roff_text(FILE *file, const char *text)
{
    bool bold = false;
    roff_begin(file, text);
    for (; *text; text++) {
        if (*text == '`') {
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", file);
        } else {
            roff_put(file, *text);
            /* Long ids may be broken here. */
            fputs(*text == '/' ? "\\:" : "", file);
        }
    }
    fputc('\n', file);
}

/* True if the word of at least two letters that `at` is in consists of capitals. */
static bool in_capitals(const char *text, const char *at)
{
    const char *first = at, *last = at;
    while (first > text && isalpha((unsigned char)first[-1]))
        first--;
    while (isalpha((unsigned char)last[1]))
        last++;
    bool capitals = last > first || (first > text && first[-1] == '=');
    for (; first <= last; first++)
        capitals = capitals && isupper((unsigned char)*first);
    return capitals;
}

static void roff_term(FILE *file, const char *text)
{
    char font = 'R';
    roff_begin(file, text);
    for (const char *at = text; *at; at++) {
        const char wanted = in_capitals(text, at)  ? 'I'
                            : strchr("[]|.,", *at) ? 'R'
                                                   : 'B';
        if (wanted != font)
            fprintf(file, "\\f%c", font = wanted);
        roff_put(file, *at);
        /* Long lists of words may be broken here. */
        fputs(*at == '|' ? "\\:" : "", file);
    }
    fputs(font == 'R' ? "\n" : "\\fR\n", file);
}

static void roff_line(FILE *file, const char *text)
{
    for (; *text; text++)
        roff_put(file, *text);
}

/* ---- both ---- */

void page_title(const struct page *page, const char *name)
{
    if (!page->roff)
        return;
    fputs(".TH \"", page->file);
    for (const char *at = name; *at; at++)
        roff_put(page->file, (char)toupper((unsigned char)*at));
    fprintf(page->file, "\" 1 \"\" \"simdbench %s\" \"User Commands\"\n",
            simdbench_version.number);
    /* Words of the command line keep their hyphens; lines have ragged ends. */
    fputs(".nh\n.ad l\n", page->file);
}

void page_heading(const struct page *page, int level, const char *text)
{
    if (!page->roff) {
        fprintf(page->file, "\n%s:\n", text);
        return;
    }
    fputs(level ? ".SS " : ".SH ", page->file);
    for (; *text; text++)
        roff_put(page->file, level ? *text : (char)toupper((unsigned char)*text));
    fputc('\n', page->file);
}

void page_line(const struct page *page, const char *text)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};
    if (page->roff) {
        roff_line(page->file, text);
        fputc('\n', page->file);
        return;
    }
    buffer_plain(&plain, text);
    text_wrapped(page->file, terminal_width(page->file), buffer_text(&plain), 0);
}

void page_term(const struct page *page, const char *text)
{
    roff_term(page->file, text);
}

void page_text(const struct page *page, const char *text)
{
    if (!page->roff) {
        wrap(page->file, text, 0);
        return;
    }
    fputs(".PP\n", page->file);
    roff_text(page->file, text);
}

void page_entry(const struct page *page, const char *term, const char *text)
{
    if (!page->roff) {
        plain_entry(page, term, text);
        return;
    }
    fputs(".TP\n", page->file);
    roff_term(page->file, term);
    roff_text(page->file, text);
}

void page_example(const struct page *page, const char *words, const char *more)
{
    if (!page->roff) {
        const int at = fprintf(page->file, "%*ssimdbench", INDENT, "");
        plain_words(page->file, more, plain_words(page->file, words, at));
        fputc('\n', page->file);
        return;
    }
    fputs(".PP\n.nf\n.RS\nsimdbench ", page->file);
    roff_line(page->file, words);
    fputs(*more ? " " : "", page->file);
    roff_line(page->file, more);
    fputs("\n.RE\n.fi\n", page->file);
}
