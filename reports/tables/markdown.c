/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/claims/study_sheet.h"
#include "tables/comparison/comparison_sheet.h"
#include "tables/explanation/explain_lines.h"

struct markdown {
    const struct run *run;
    FILE *file;
    struct sheet sheet;
    struct buffer scratch;
    bool titled; /* this group's heading is written */
    size_t first, end;
};

static void print_heading(struct markdown *markdown)
{
    FILE *file = markdown->file;
    char name[512], work[WORK_SIZE];

    group_title(markdown->run, markdown->first, markdown->end, name, sizeof name, work);
    text_markdown_tell(file, "\n## %s\n\n", name);
    fprintf(file, "%s%s| case |", work, *work ? "\n\n" : "");
    FOR_EACH (const struct column, column, markdown->sheet.column, markdown->sheet.n)
        text_markdown_tell(file, " %s%s%s |", column->top, *column->top ? "," : "",
                           column->title);
    fputs("\n| :-- |", file);
    for (size_t i = 0; i < markdown->sheet.n; i++)
        fputs(" --: |", file);
    fputc('\n', file);
    markdown->titled = true;
}

static void print_row(const struct result *result, void *context)
{
    struct markdown *markdown = context;
    FILE *file = markdown->file;
    char text[CELL_SIZE];
    const bool timed = status_has_time(result->status);
    enum tone tone;

    if (!markdown->titled)
        print_heading(markdown);
    text_markdown_tell(file, "| %s%s", result->id, proof_mark(result));
    if (timed && result->status != STATUS_OK)
        text_markdown_tell(file, " **%s** %s", status_name(result->status),
                           result->reason);
    fputs(" |", file);
    for (size_t i = 0; i < markdown->sheet.n && timed; i++) {
        sheet_cell(&markdown->sheet, &markdown->sheet.column[i], result, text, &tone);
        text_markdown_cell(file, "", text);
    }
    if (!timed) {
        text_markdown_tell(file, " **%s** %s", status_name(result->status),
                           result->reason);
        for (size_t i = 0; i < markdown->sheet.n; i++)
            fputs(" |", file);
    }
    fputc('\n', file);
}

/* Lists the metrics of each case below the table of its group. */
static void print_metrics(const struct result *result, void *context)
{
    struct markdown *markdown = context;

    buffer_clear(&markdown->scratch);
    if (!status_has_time(result->status) || !metrics_text(result, &markdown->scratch))
        return;
    fputs(markdown->titled ? "\n" : "", markdown->file);
    markdown->titled = false;
    text_markdown_tell(markdown->file, "- %s (%s)\n", buffer_text(&markdown->scratch),
                       result->id);
}

void markdown_line(const char *line, void *file)
{
    text_markdown_tell(file, "- %s\n", line);
}

static void print_paragraph(const char *label, const char *text, void *context)
{
    FILE *const file = context;

    fputs(*label == ' ' || !*label ? "  - " : "- ", file);
    label += strspn(label, " ");
    if (*label)
        fprintf(file, "**%s**: ", label);
    text += strspn(text, " ");
    /* "2. " would begin a list in the list. */
    const size_t digits = strspn(text, "0123456789");
    if (digits && !strncmp(text + digits, ". ", 2)) {
        fprintf(file, "%.*s\\", (int)digits, text);
        text += digits;
    }
    text_markdown_tell(file, "%s\n", text);
}

static void print_explanations(const struct run *run, FILE *file)
{
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!result->explanation)
            continue;
        text_markdown_tell(file, "\n### why %s\n\n", result->id);
        explain_lines(result, print_paragraph, file);
    }
}

void answer_markdown(const struct run *run, FILE *file)
{
    fputs("# simdbench\n\n", file);
    text_answer(&(struct text_page){file, .markdown = true}, run_answer(run));
}

void markdown_print(const struct run *run, const struct text_options *options, FILE *file)
{
    struct markdown markdown = {.run = run, .file = file};

    if (run->n_studies) {
        studies_markdown(run, file);
        return;
    }
    if (run->gate) {
        comparison_markdown(run, file);
        return;
    }
    sheet_make(&markdown.sheet, run);
    answer_markdown(run, file);
    legend_origin(run, false, markdown_line, file);
    for (size_t first = 0; first < run->n_results; first = markdown.end) {
        markdown.first = first;
        markdown.end = run_group_end(run, first);
        markdown.titled = false;
        sheet_rows(run, first, markdown.end, options && options->roofs, print_row,
                   &markdown);
        sheet_rows(run, first, markdown.end, options && options->roofs, print_metrics,
                   &markdown);
    }
    print_explanations(run, file);
    account_write(run, &(struct text_page){file, .markdown = true});
    fputc('\n', file);
    legend_notes(run, false, markdown_line, file);
    buffer_free(&markdown.scratch);
}
