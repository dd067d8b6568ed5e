/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "explain_lines.h"
#include "sheet.h"
#include "tables.h"

enum { LABEL = 12, WIDTH = 100, NARROWEST = 60 };

struct page {
    FILE *file;
    const struct text_options *options;
    int width;
};

static int shown_width(int columns)
{
    return columns == 0 || columns > WIDTH ? WIDTH
           : columns < NARROWEST           ? NARROWEST
                                           : columns;
}

static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* Words that do not fit go to lines that begin where the text does. */
static void print_words(const struct page *page, const char *text)
{
    int at = LABEL;
    while (*text) {
        const size_t blanks = strspn(text, " ");
        const size_t length = strcspn(text + blanks, " ");
        const int columns = columns_of(text + blanks, length);
        const bool fits = at == LABEL || at + (int)blanks + columns <= page->width;
        if (fits)
            fprintf(page->file, "%*s", (int)blanks, "");
        else
            fprintf(page->file, "\n%*s", LABEL, "");
        fprintf(page->file, "%.*s", (int)length, text + blanks);
        at = (fits ? at + (int)blanks : LABEL) + columns;
        text += blanks + length;
    }
    fputc('\n', page->file);
}

static void print_paragraph(const char *label, const char *text, void *context)
{
    const struct page *const page = context;
    char padded[LABEL + 1];
    snprintf(padded, sizeof padded, "%-*s", LABEL, label);
    text_toned(page->file, page->options->colour, *label == ' ' ? TONE_DIM : TONE_BOLD,
               padded);
    print_words(page, text);
}

void explain_write(const struct run *run, const struct text_options *options, FILE *file)
{
    static const struct text_options plain = {.width = 0};
    struct page page = {.file = file, .options = options ?: &plain};
    page.width = shown_width(page.options->width);
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        struct buffer title = {.text = NULL};
        char time[NUMBER_SIZE];
        if (!result->explanation)
            continue;
        buffer_plain(&title, result->id);
        if (result->median_ns > 0) {
            text_time(result->median_ns, time);
            buffer_format(&title, "   %s a call", time);
        }
        fputc('\n', file);
        text_toned(file, page.options->colour, TONE_BOLD, buffer_text(&title));
        fputc('\n', file);
        buffer_free(&title);
        explain_lines(result, print_paragraph, &page);
    }
}
