/* SPDX-License-Identifier: Apache-2.0 */
/* Studies of a run as people read them on a terminal. */
#include "study_sheet.h"
#include "tables/sheet.h"

/* Lines of a file are no longer than that, where they can. */
enum { GAP = 2, CLAIM_MOST = 44, CLAIM_LEAST = 16, CELL_MOST = 32, FILE_WIDTH = 120 };

struct page {
    const struct study *study;
    const struct text_options *options;
    FILE *file;
    struct buffer cell;
    int width[STUDY_NOTES];
    int claim_most;
};

/* Cuts the text of a cell where it is too long. */
static void cut(struct buffer *cell, int most)
{
    size_t kept = 0;

    if (text_width(buffer_text(cell)) <= most)
        return;
    for (int columns = 0; columns < most - 3; columns++) {
        uint32_t code;
        const size_t left = cell->length - kept;
        kept += text_utf8((unsigned char *)cell->text + kept, left, &code) ?: 1;
    }
    while (kept && cell->text[kept - 1] == ' ')
        kept--;
    cell->text[kept] = '\0';
    cell->length = kept;
    buffer_add(cell, "...");
}

static const char *cell_text(struct page *page, const struct study_claim *claim,
                             enum study_column column)
{
    buffer_clear(&page->cell);
    study_cell(claim, column, &page->cell);
    if (column != STUDY_NOTES)
        cut(&page->cell, column == STUDY_CLAIM ? page->claim_most : CELL_MOST);
    return buffer_text(&page->cell);
}

/* The column of claims is narrower where all columns are wider than the terminal. */
static void measure_columns(struct page *page)
{
    int all = 0, *const claims = &page->width[STUDY_CLAIM];
    page->claim_most = CLAIM_MOST;
    for (enum study_column column = STUDY_CLAIM; column < STUDY_NOTES; column++) {
        page->width[column] = text_width(study_title(column));
        FOR_EACH (const struct study_claim, claim, page->study->claims,
                  page->study->n_claims) {
            const int width = text_width(cell_text(page, claim, column));
            if (width > page->width[column])
                page->width[column] = width;
        }
        all += GAP + page->width[column];
    }
    const int over = all - (page->options->width ?: all);
    if (over > 0 && *claims > CLAIM_LEAST)
        *claims = *claims - over > CLAIM_LEAST ? *claims - over : CLAIM_LEAST;
    page->claim_most = *claims < CLAIM_MOST ? *claims : CLAIM_MOST;
}

static enum tone verdict_tone(const struct study_claim *claim)
{
    switch (claim->check.verdict) {
    case STUDY_CONFIRMED:
        return claim->contested ? TONE_BOLD : TONE_GOOD;
    case STUDY_REFUTED:
        return TONE_BAD;
    default:
        return TONE_DIM;
    }
}

/* Returns the column behind the last cell. */
static int print_cell(struct page *page, enum study_column column, const char *text,
                      enum tone tone, int at)
{
    fprintf(page->file, "%*s", GAP, "");
    text_toned(page->file, page->options->colour, tone, text);
    const int blank = page->width[column] - text_width(text);
    fprintf(page->file, "%*s", column == STUDY_VERDICT ? 0 : blank, "");
    return at + GAP + (column == STUDY_VERDICT ? text_width(text) : page->width[column]);
}

static void print_titles(struct page *page)
{
    for (enum study_column column = STUDY_CLAIM; column < STUDY_NOTES; column++)
        print_cell(page, column, study_title(column), TONE_DIM, 0);
    fputc('\n', page->file);
}

/* A text that the column cut stands whole on a line of its own; then nothing stands
 * behind the verdict. */
static void print_quote(struct page *page, const struct study_claim *claim, int *at)
{
    buffer_clear(&page->cell);
    study_cell(claim, STUDY_CLAIM, &page->cell);
    if (text_width(buffer_text(&page->cell)) <= page->claim_most)
        return;
    buffer_clear(&page->cell);
    study_claim_tell(claim, &page->cell);
    fprintf(page->file, "\n%*s\"", WRAP_INDENT, "");
    buffer_add(&page->cell, "\"");
    text_wrapped(page->file, page->options->width ?: FILE_WIDTH, buffer_text(&page->cell),
                 WRAP_INDENT + 1);
    *at = 0;
}

/* Notes that fit stand behind the verdict, others on lines of their own below. */
static void print_notes(struct page *page, const struct study_claim *claim, int at)
{
    const int width = page->options->width ?: FILE_WIDTH;
    print_quote(page, claim, &at);
    char *notes = (char *)cell_text(page, claim, STUDY_NOTES);

    if (at && (!*notes || at + GAP + text_width(notes) <= width)) {
        fprintf(page->file, "%*s%s\n", *notes ? GAP : 0, "", notes);
        return;
    }
    if (at)
        fputc('\n', page->file);
    if (!*notes)
        return;
    for (char *next; notes; notes = next) {
        next = strstr(notes, "  ");
        if (next) {
            *next = '\0';
            next += 2;
        }
        fprintf(page->file, "%*s", WRAP_INDENT, "");
        text_wrapped(page->file, width, notes, WRAP_INDENT);
    }
}

static void print_claim(struct page *page, const struct study_claim *claim)
{
    int at = 0;

    for (enum study_column column = STUDY_CLAIM; column < STUDY_NOTES; column++)
        at = print_cell(page, column, cell_text(page, claim, column),
                        column == STUDY_VERDICT ? verdict_tone(claim) : TONE_PLAIN, at);
    print_notes(page, claim, at);
}

/* False: there are none. */
static bool print_claims(struct page *page, bool arithmetic, const char *title)
{
    bool any = false;

    FOR_EACH (const struct study_claim, claim, page->study->claims,
              page->study->n_claims) {
        if (study_is_arithmetic(claim) != arithmetic)
            continue;
        if (!any && title)
            fprintf(page->file, "%s\n", title);
        any = true;
        print_claim(page, claim);
    }
    return any;
}

static void print_line(const char *line, void *context)
{
    const struct page *const page = context;

    text_wrapped(page->file, page->options->width, line, 0);
}

static void print_part(const char *line, void *context)
{
    const struct page *const page = context;

    fprintf(page->file, "%*s", GAP, "");
    text_wrapped(page->file, page->options->width, line, GAP);
}

static void print_study(struct page *page)
{
    buffer_clear(&page->cell);
    buffer_plain(&page->cell, page->study->name);
    text_toned(page->file, page->options->colour, TONE_BOLD, buffer_text(&page->cell));
    fputc('\n', page->file);
    measure_columns(page);
    print_titles(page);
    print_claims(page, false, NULL);
    if (page->study->account.n_sums)
        fputs("account\n", page->file);
    study_account_lines(page->study, print_part, page);
    if (study_arm_lines(page->study, NULL, NULL))
        fputs(STUDY_ARMS_TITLE "\n", page->file);
    study_arm_lines(page->study, print_part, page);
    print_claims(page, true, STUDY_ARITHMETIC_TITLE);
    study_source_lines(page->study, print_line, page);
    fputc('\n', page->file);
}

void studies_table(const struct run *run, const struct text_options *options, FILE *file)
{
    static const struct text_options plain = {.width = 0};
    struct page page = {.options = options ?: &plain, .file = file};

    FOR_EACH (const struct study, study, run->studies, run->n_studies) {
        page.study = study;
        print_study(&page);
    }
    legend_origin(run, page.options->brief, print_line, &page);
    buffer_free(&page.cell);
}
