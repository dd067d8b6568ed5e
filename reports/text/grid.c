/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

enum { GAP = 2 };

static size_t columns_of(const struct grid *grid)
{
    return grid->columns ?: strlen(grid->at);
}

/* The last letter holds for all columns that follow. */
static bool is_right(const struct grid *grid, size_t column)
{
    const size_t last = strlen(grid->at) - 1;
    return grid->at[column < last ? column : last] == 'r';
}

static void add(struct grid *grid, const char *text)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};
    buffer_plain(&plain, text);
    grid->failed |=
        plain.failed || strings_add(&grid->cell, &grid->n, buffer_text(&plain));
}

void grid_texts(struct grid *grid, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add(grid, texts[i]);
}

void grid_cell(struct grid *grid, const char *format, ...)
{
    FREED_BY(free_memory) char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        text = NULL;
    grid->failed |= !text;
    add(grid, text);
}

/* Nothing stands behind such a text, so it may be longer than its column. */
static bool ends_row(const struct grid *grid, size_t at)
{
    const size_t columns = columns_of(grid);
    while (++at % columns)
        if (*grid->cell[at])
            return false;
    return true;
}

static int width_of(const struct grid *grid, size_t column)
{
    int width = 0;
    for (size_t at = column; at < grid->n; at += columns_of(grid)) {
        const int taken = text_width(grid->cell[at]);
        if (taken > width && (is_right(grid, column) || !ends_row(grid, at)))
            width = taken;
    }
    return width;
}

/* Columns of the longest word. */
static int longest_word(const char *text)
{
    int longest = 0;

    while (*text) {
        const size_t length = strcspn(text, " ");
        const int columns = text_width_n(text, length);
        longest = columns > longest ? columns : longest;
        text += length;
        text += strspn(text, " ");
    }
    return longest;
}

/* True if a word of the last column, which begins at `at`, is too long to stand there. */
static bool is_narrow(const struct grid *grid, int at, int width)
{
    const size_t columns = columns_of(grid);
    bool narrow = false;

    for (size_t i = columns - 1; i < grid->n && width; i += columns)
        narrow |=
            !is_right(grid, columns - 1) && at + longest_word(grid->cell[i]) > width;
    return narrow;
}

/* Column `i` begins at begin[i], and the one behind the last would at begin[columns]. */
static void print_row(const struct grid *grid, const struct text_page *page,
                      char *const *cell, const int *begin, bool narrow)
{
    const size_t columns = columns_of(grid);
    int at = 0;

    for (size_t i = 0; i < columns; i++) {
        int place = begin[i];
        if (!*cell[i])
            continue;
        if (is_right(grid, i))
            place = begin[i + 1] - GAP - text_width(cell[i]);
        if (i == columns - 1 && narrow) {
            fputs(at ? "\n" : "", page->file);
            at = 0;
            place = begin[0] + 2 * WRAP_INDENT;
        }
        fprintf(page->file, "%*s", place - at, "");
        if (!is_right(grid, i) && ends_row(grid, (size_t)(cell - grid->cell) + i)) {
            text_wrapped_to(page->file, page->width, cell[i], place, place);
            return;
        }
        fputs(cell[i], page->file);
        at = place + text_width(cell[i]);
    }
    fputc('\n', page->file);
}

static int print(const struct grid *grid, const struct text_page *page, int indent)
{
    const size_t columns = columns_of(grid);
    FREED_BY(free_memory) int *begin = calloc(columns + 1, sizeof *begin);

    if (!begin)
        return -ENOMEM;
    begin[0] = indent;
    for (size_t i = 0; i < columns; i++)
        begin[i + 1] = begin[i] + width_of(grid, i) + GAP;
    const bool narrow = is_narrow(grid, begin[columns - 1], page->width);
    for (size_t row = 0; row < grid->n; row += columns)
        print_row(grid, page, &grid->cell[row], begin, narrow);
    return 0;
}

static void mark(const struct grid *grid, FILE *file)
{
    const size_t columns = columns_of(grid);
    for (size_t at = 0; at < grid->n; at += columns) {
        fputc('|', file);
        for (size_t i = 0; i < columns; i++)
            text_markdown_cell(file, "",
                               grid->cell[at + i] + strspn(grid->cell[at + i], " "));
        fputs(at ? "\n" : "\n|", file);
        for (size_t i = 0; !at && i < columns; i++)
            fputs(is_right(grid, i) ? " --: |" : " :-- |", file);
        fputs(at ? "" : "\n", file);
    }
}

int grid_write(struct grid *grid, const struct text_page *page, int indent)
{
    const bool any = grid->n > columns_of(grid) && !grid->failed;
    int status = grid->failed ? -ENOMEM : 0;
    if (any && page->markdown)
        mark(grid, page->file);
    else if (any)
        status = print(grid, page, indent);
    strings_free(grid->cell, grid->n);
    grid->cell = NULL;
    grid->n = 0;
    return status;
}
