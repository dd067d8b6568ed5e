/* SPDX-License-Identifier: Apache-2.0 */
/* Studies of a run as Markdown. */
#include "study_sheet.h"
#include "tables/sheet.h"

static void print_titles(FILE *file)
{
    for (enum study_column column = STUDY_CLAIM; column < STUDY_COLUMNS; column++)
        fprintf(file, "| %s ", study_title(column));
    fputs("|\n", file);
    for (enum study_column column = STUDY_CLAIM; column < STUDY_COLUMNS; column++)
        fputs(column == STUDY_HERE || column == STUDY_INTERVAL ? "| --: " : "| :-- ",
              file);
    fputs("|\n", file);
}

/* Parts of a text that two blanks part stand on lines of their own. */
static void print_parts(char *text, FILE *file)
{
    fputc(' ', file);
    for (char *next; text; text = next) {
        next = strstr(text, "  ");
        if (next)
            *next = '\0';
        text_markdown(file, text);
        if (next)
            fputs("<br>", file);
        next = next ? next + 2 : NULL;
    }
    fputs(" |", file);
}

static void print_claim(const struct study_claim *claim, FILE *file)
{
    FREED_BY(buffer_free) struct buffer cell = {.text = NULL};

    fputc('|', file);
    for (enum study_column column = STUDY_CLAIM; column < STUDY_COLUMNS; column++) {
        buffer_clear(&cell);
        study_cell(claim, column, &cell);
        if (column == STUDY_NOTES && cell.length)
            print_parts(cell.text, file);
        else
            text_markdown_cell(file, column == STUDY_VERDICT ? "**" : "",
                               buffer_text(&cell));
    }
    fputc('\n', file);
}

static void print_claims(const struct study *study, bool arithmetic, const char *title,
                         FILE *file)
{
    bool any = false;

    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims) {
        if (study_is_arithmetic(claim) != arithmetic)
            continue;
        if (!any) {
            fprintf(file, "%s\n", title);
            print_titles(file);
        }
        any = true;
        print_claim(claim, file);
    }
}

static void print_study(const struct study *study, FILE *file)
{
    text_markdown_tell(file, "\n## %s\n\n", study->name);
    study_source_lines(study, markdown_line, file);
    print_claims(study, false, "", file);
    if (study->account.n_sums)
        fputs("\n### account\n\n", file);
    study_account_lines(study, markdown_line, file);
    if (study_arm_lines(study, NULL, NULL))
        fputs("\n### " STUDY_ARMS_TITLE "\n\n", file);
    study_arm_lines(study, markdown_line, file);
    print_claims(study, true, "\n### " STUDY_ARITHMETIC_TITLE "\n", file);
}

void studies_markdown(const struct run *run, FILE *file)
{
    answer_markdown(run, file);
    legend_origin(run, false, markdown_line, file);
    FOR_EACH (const struct study, study, run->studies, run->n_studies)
        print_study(study, file);
}
