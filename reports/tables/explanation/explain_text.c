/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_lines.h"
#include "tables/tables.h"

enum { LABEL = 12, WIDTH = 100, NARROWEST = 60 };

/* The most lines of a case; the last one says that something was left out. */
enum { LINES = 40, CUT = 4 };
#define REST "lines that end in ... are cut: the JSON file has the rest"

struct paragraph {
    char *label, *text;
    size_t lines;
};

/* All paragraphs of a case, as some may have to be cut. */
struct page {
    struct paragraph *paragraph;
    size_t n;
};

static int shown_width(int columns)
{
    return columns == 0 || columns > WIDTH ? WIDTH
           : columns < NARROWEST           ? NARROWEST
                                           : columns;
}

/* ---- lines ---- */

/* Bytes of the words that fit into a line, at least one word. */
static size_t line_length(const char *text, int columns)
{
    size_t end = 0;
    for (size_t next = 0; text[end]; end = next) {
        next += strspn(text + next, " ");
        next += strcspn(text + next, " ");
        if (end && text_width_n(text, next) > columns)
            break;
    }
    return end;
}

static const char *next_line(const char *text, int columns)
{
    text += line_length(text, columns);
    return text + strspn(text, " ");
}

static size_t lines_of(const char *text)
{
    size_t n = 1;
    while (*(text = next_line(text, WIDTH - LABEL)))
        n++;
    return n;
}

/* ---- what is left out ---- */

static void take_paragraph(const char *label, const char *text, void *context)
{
    struct page *const page = context;
    struct paragraph *const paragraph = LIST_ADD(page, paragraph, n);
    paragraph->label = copy_text(label);
    paragraph->text = must_have(strdup(text));
    paragraph->lines = lines_of(text);
}

static struct paragraph *longest(const struct page *page)
{
    struct paragraph *longest = page->paragraph;
    FOR_EACH (struct paragraph, paragraph, page->paragraph, page->n)
        if (paragraph->lines > longest->lines)
            longest = paragraph;
    return longest;
}

/* Leaves out the ends of lists, the longest first, until `most` lines are left. */
static bool page_cut(const struct page *page, size_t most)
{
    bool any = false;
    size_t lines = 0;
    for (size_t i = 0; i < page->n; i++)
        lines += page->paragraph[i].lines;
    for (; lines > most && longest(page)->lines > 1; lines--, any = true)
        longest(page)->lines--;
    return any;
}

/* Leaves the lines that the paragraph has left. */
static void paragraph_cut(struct paragraph *paragraph)
{
    const char *end = paragraph->text;
    char *cut = NULL;
    if (paragraph->lines == lines_of(end))
        return;
    for (size_t i = 1; i < paragraph->lines; i++)
        end = next_line(end, WIDTH - LABEL);
    end += line_length(end, WIDTH - LABEL - CUT);
    must(asprintf(&cut, "%.*s ...", (int)(end - paragraph->text), paragraph->text));
    free(paragraph->text);
    paragraph->text = cut;
}

/* ---- output ---- */

/* Words that do not fit go to lines that begin where the text does. */
static void print_words(const char *text, int columns, FILE *file)
{
    while (*text) {
        fprintf(file, "%.*s", (int)line_length(text, columns), text);
        text = next_line(text, columns);
        if (*text)
            fprintf(file, "\n%*s", LABEL, "");
    }
    fputc('\n', file);
}

static void print_paragraph(const char *label, const char *text,
                            const struct text_options *options, FILE *file)
{
    char padded[LABEL + 1];
    snprintf(padded, sizeof padded, "%-*s", LABEL, label);
    text_toned(file, options->colour, *label == ' ' ? TONE_DIM : TONE_BOLD, padded);
    print_words(text, shown_width(options->width) - LABEL, file);
}

/* Code that was asked for is whole. */
static void print_page(const struct result *result, const struct text_options *options,
                       FILE *file)
{
    enum { MOST = LINES - 1 }; /* below the title */
    const struct explanation *const why = result->explanation;
    const bool has_code = why->n_loops && why->loops[0].n_lines;
    struct page page = {.n = 0};
    FREED_BY(buffer_free) struct buffer title = {.text = NULL};
    buffer_plain(&title, result->id);
    text_toned(file, options->colour, TONE_BOLD, buffer_text(&title));
    fputc('\n', file);
    explain_lines(result, take_paragraph, &page);
    /* The line that tells of the cut counts, too. */
    const bool cut = !has_code && page_cut(&page, MOST);
    if (cut)
        page_cut(&page, MOST - 1);
    FOR_EACH (struct paragraph, paragraph, page.paragraph, page.n) {
        paragraph_cut(paragraph);
        print_paragraph(paragraph->label, paragraph->text, options, file);
        FREE_EACH(paragraph->label, paragraph->text);
    }
    if (cut)
        print_paragraph("", REST, options, file);
    free(page.paragraph);
}

void explain_write(const struct run *run, const struct text_options *options, FILE *file)
{
    static const struct text_options plain = {.width = 0};
    options = options ?: &plain;
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!result->explanation)
            continue;
        fputc('\n', file);
        print_page(result, options, file);
    }
}
