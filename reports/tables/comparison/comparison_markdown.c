/* SPDX-License-Identifier: Apache-2.0 */
#include "comparison_sheet.h"

struct markdown {
    const struct run *run;
    bool built; /* the change as built is shown */
    FILE *file;
    struct buffer scratch;
};

static bool is_shown(const struct markdown *markdown, int column)
{
    return column != CHANGE_BUILT || markdown->built;
}

static void print_heading(struct markdown *markdown, const char *op, size_t first,
                          size_t end)
{
    FILE *const file = markdown->file;

    fputs("\n## ", file);
    text_markdown(file, op);
    fputs("\n\n", file);
    buffer_clear(&markdown->scratch);
    change_summary(markdown->run, first, end, &markdown->scratch);
    text_markdown(file, buffer_text(&markdown->scratch));
    fputs("\n\n| case |", file);
    for (int i = 0; i < CHANGE_COLUMNS; i++)
        if (is_shown(markdown, i))
            fprintf(file, " %s |",
                    change_title(markdown->run->gate, (enum change_column)i));
    fputs(" |\n| :-- |", file);
    for (int i = 0; i < CHANGE_COLUMNS; i++)
        if (is_shown(markdown, i))
            fputs(i == CHANGE_VERDICT ? " :-- |" : " --: |", file);
    fputs(" :-- |\n", file);
}

static void print_row(struct markdown *markdown, const struct result *result)
{
    FILE *const file = markdown->file;

    fputs("| ", file);
    text_markdown(file, result->id);
    text_markdown(file, proof_mark(result));
    fputs(" |", file);
    for (int i = 0; i < CHANGE_COLUMNS; i++) {
        char text[CELL_SIZE] = "";
        enum tone tone = TONE_PLAIN;
        if (!is_shown(markdown, i))
            continue;
        if (result->comparison)
            change_cell(result->comparison, (enum change_column)i, text, &tone);
        const char *const bold =
            tone == TONE_BAD || tone == TONE_GOOD || tone == TONE_BOLD ? "**" : "";
        fprintf(file, " %s", bold);
        text_markdown(file, text);
        fprintf(file, "%s |", bold);
    }
    buffer_clear(&markdown->scratch);
    change_note(markdown->run, result, &markdown->scratch);
    fputc(' ', file);
    text_markdown(file, buffer_text(&markdown->scratch));
    fputs(" |\n", file);
}

void comparison_markdown(const struct run *run, FILE *file)
{
    struct markdown markdown = {.run = run, .built = change_has_built(run), .file = file};
    enum tone tone;

    fputs("# simdbench\n\n", file);
    comparison_verdict(run, &markdown.scratch, &tone);
    fputs(tone == TONE_PLAIN ? "" : "**", file);
    text_markdown(file, buffer_text(&markdown.scratch));
    fputs(tone == TONE_PLAIN ? "\n" : "**\n", file);
    for (size_t first = 0, end; first < run->n_results; first = end) {
        bool titled = false;
        end = change_op_end(run, first);
        for (size_t i = first; i < end; i++) {
            if (!change_is_shown(&run->results[i]))
                continue;
            if (!titled)
                print_heading(&markdown, run->results[i].op, first, end);
            titled = true;
            print_row(&markdown, &run->results[i]);
        }
    }
    fputc('\n', file);
    comparison_lines(run, markdown_line, file);
    legend_origin(run, markdown_line, file);
    buffer_free(&markdown.scratch);
}
