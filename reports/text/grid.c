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
    strings_add(&grid->cell, &grid->n, buffer_text(&plain));
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
    must(vasprintf(&text, format, arguments));
    va_end(arguments);
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

static void print(const struct grid *grid, int indent, FILE *file)
{
    const size_t columns = columns_of(grid);
    FREED_BY(free_memory) int *width = must_have(calloc(columns, sizeof *width));
    for (size_t i = 0; i < columns; i++)
        width[i] = width_of(grid, i);
    for (size_t row = 0; row < grid->n; row += columns) {
        int blank = indent;
        for (size_t i = 0; i < columns; i++) {
            const char *const text = grid->cell[row + i];
            const int pad = width[i] - text_width(text);
            const bool right = is_right(grid, i);
            if (*text)
                fprintf(file, "%*s%s", blank + (right ? pad : 0), "", text);
            blank = (*text ? right ? 0 : pad : blank + pad) + GAP;
        }
        fputc('\n', file);
    }
}

static void mark(const struct grid *grid, FILE *file)
{
    const size_t columns = columns_of(grid);
    for (size_t at = 0; at < grid->n; at += columns) {
        fputc('|', file);
        for (size_t i = 0; i < columns; i++)
            text_markdown_cell(file,
                               grid->cell[at + i] + strspn(grid->cell[at + i], " "));
        fputs(at ? "\n" : "\n|", file);
        for (size_t i = 0; !at && i < columns; i++)
            fputs(is_right(grid, i) ? " --: |" : " :-- |", file);
        fputs(at ? "" : "\n", file);
    }
}

void grid_write(struct grid *grid, bool markdown, int indent, FILE *file)
{
    const bool any = grid->n > columns_of(grid);
    if (any && markdown)
        mark(grid, file);
    else if (any)
        print(grid, indent, file);
    strings_free(grid->cell, grid->n);
    grid->cell = NULL;
    grid->n = 0;
}
