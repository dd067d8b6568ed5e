/* SPDX-License-Identifier: Apache-2.0 */
/* GitHub takes comments of 65,536 characters: what is longer is left out, and told. */
#include "comparison_sheet.h"

/* Below these many bytes all the rest is written: the end of the page has room. */
enum { COMMENT_MAX = 65000, LEGEND_MAX = 12000, NOTES_MAX = 500 };

void piece_begin(struct markdown_piece *piece)
{
    piece->file = must_have(open_memstream(&piece->text, &piece->size));
}

size_t piece_size(struct markdown_piece *piece)
{
    return fflush(piece->file) ? 0 : piece->size;
}

bool piece_end(struct markdown_piece *piece, struct markdown_piece *into, size_t most)
{
    const bool whole = !fclose(piece->file);
    const bool fits =
        whole && piece->size <= most && piece_size(into) <= most - piece->size;

    if (fits)
        fwrite(piece->text, 1, piece->size, into->file);
    free(piece->text);
    buffer_free(&piece->scratch);
    return fits;
}

/* The change as built is a column where it is known. */
static bool is_shown(const struct markdown_piece *piece, int column)
{
    return column != CHANGE_BUILT || change_has_built(piece->run);
}

static void print_titles(struct markdown_piece *piece)
{
    fputs("\n| case |", piece->file);
    for (int i = 0; i < CHANGE_COLUMNS; i++)
        if (is_shown(piece, i))
            fprintf(piece->file, " %s |",
                    change_title(piece->run->gate, (enum change_column)i));
    fputs("\n| :-- |", piece->file);
    for (int i = 0; i < CHANGE_COLUMNS; i++)
        if (is_shown(piece, i))
            fputs(i == CHANGE_VERDICT ? " :-- |" : " --: |", piece->file);
    fputc('\n', piece->file);
}

/* A note stands below the case: a column of its own would be too narrow for sentences. */
static void print_row(struct markdown_piece *piece, const struct result *result)
{
    FILE *const file = piece->file;

    text_markdown_tell(file, "| %s%s", result->id, proof_mark(result));
    buffer_clear(&piece->scratch);
    change_note(piece->run, result, &piece->scratch);
    fputs(piece->scratch.length ? "<br>" : "", file);
    text_markdown_tell(file, "%s |", buffer_text(&piece->scratch));
    for (int i = 0; i < CHANGE_COLUMNS; i++) {
        char text[CELL_SIZE] = "";
        enum tone tone = TONE_PLAIN;
        if (!is_shown(piece, i))
            continue;
        if (result->comparison)
            change_cell(result->comparison, (enum change_column)i, text, &tone);
        const char *const bold =
            tone == TONE_BAD || tone == TONE_GOOD || tone == TONE_BOLD ? "**" : "";
        text_markdown_cell(file, bold, text);
    }
    fputc('\n', file);
}

/* Own cases with a change first, then what else is known of own ones, then libraries. */
static size_t order_cases(const struct run *run, const struct result **list)
{
    size_t n = gate_worst_first(run, list);

    for (int libraries = 0; libraries < 2; libraries++)
        FOR_EACH (const struct result, result, run->results, run->n_results)
            if (change_is_shown(result) && !result_is_usable(result) &&
                result->is_baseline == libraries)
                list[n++] = result;
    return n;
}

static void fold_begin(struct markdown_piece *piece, const char *title)
{
    fprintf(piece->file, "\n<details>\n<summary>%s</summary>\n", title);
}

static void print_cases(struct markdown_piece *piece, size_t most)
{
    const struct run *const run = piece->run;
    FREED_BY(free_memory) const struct result **list =
        must_have(calloc(run->n_results + 1, sizeof *list));
    const size_t n = order_cases(run, list);
    size_t i = 0;

    fold_begin(piece, "All cases, the worst first");
    if (n)
        print_titles(piece);
    for (bool fits = true; i < n && fits; i += fits) {
        struct markdown_piece row = {.run = run};
        piece_begin(&row);
        print_row(&row, list[i]);
        fits = piece_end(&row, piece, most);
    }
    if (i < n)
        fprintf(piece->file,
                "\n**Cut here: %zu of %zu cases would make this longer than a comment on "
                "GitHub may be; other formats have them all.**\n",
                n - i, n);
    fputs("\n</details>\n", piece->file);
}

static void print_line(const char *line, void *context)
{
    struct markdown_piece *const piece = context;
    struct markdown_piece one = {.run = piece->run};

    if (piece->rows_left) {
        piece->rows_left++;
        return;
    }
    piece_begin(&one);
    markdown_line(line, one.file);
    piece->rows_left += !piece_end(&one, piece, LEGEND_MAX);
}

static void print_legend(struct markdown_piece *piece)
{
    piece->rows_left = 0;
    fold_begin(piece, "How this was measured");
    fputc('\n', piece->file);
    comparison_lines(piece->run, false, print_line, piece);
    legend_origin(piece->run, false, print_line, piece);
    if (piece->rows_left)
        fprintf(piece->file,
                "\n**Cut here: %zu more lines; other formats have them all.**\n",
                piece->rows_left);
    fputs("\n</details>\n", piece->file);
}

/* Rows that the head has no room for stand below it. */
static void print_rows(struct markdown_piece *piece)
{
    fold_begin(piece, "Each op and instruction set");
    rows_markdown(piece, COMMENT_MAX / 2);
    fputs("\n</details>\n", piece->file);
}

void comparison_markdown(const struct run *run, FILE *file)
{
    struct markdown_piece all = {.run = run}, legend = {.run = run};

    piece_begin(&all);
    head_markdown(&all);
    if (all.rows_left)
        print_rows(&all);
    piece_begin(&legend);
    print_legend(&legend);
    print_cases(&all, COMMENT_MAX - NOTES_MAX - piece_size(&legend));
    piece_end(&legend, &all, SIZE_MAX);
    if (!fclose(all.file))
        fwrite(all.text, 1, all.size, file);
    free(all.text);
    buffer_free(&all.scratch);
}
