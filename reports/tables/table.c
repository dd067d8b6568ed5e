/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/claims/study_sheet.h"
#include "tables/comparison/comparison_sheet.h"

static const struct text_options no_options;

enum { GAP = 2, INDENT = 2 };

/* Columns and widths. They follow from plan and options alone, so that every step of a
 * live run comes to the same ones. */
struct layout {
    const struct run *run;
    const struct text_options *options;
    FILE *file;
    struct sheet sheet;
    size_t group; /* that is printed; or GROUP_ALL */
    int id_width;
    bool short_ids; /* without shape and settings, which are in the heading */
    struct buffer scratch, hidden;
};

static int cell_width(const struct sheet *sheet, const struct column *column)
{
    static const int least[] = {
        [COLUMN_TIME] = 8,   [COLUMN_INTERVAL] = 6, [COLUMN_RATE] = 6,
        [COLUMN_LIMIT] = 7,  [COLUMN_ULP] = 5,      [COLUMN_RELATIVE] = 21,
        [COLUMN_RATIO] = 21, [COLUMN_GHZ] = 5,      [COLUMN_COUNTER] = 8,
    };
    int width = column->compact ? 6 : least[column->kind];
    int top = text_width(column->top), title = text_width(column->title);

    if (sheet->gops && sheet->gbps && column->kind == COLUMN_RATE)
        width = 12; /* with its unit */
    width = top > width ? top : width;
    return title > width ? title : width;
}

static int total_width(const struct layout *layout)
{
    int width = INDENT + layout->id_width;

    for (size_t i = 0; i < layout->sheet.n; i++)
        width += GAP + cell_width(&layout->sheet, &layout->sheet.column[i]);
    return width;
}

/* Writes the id to the scratch buffer and returns its width. */
static int id_width(struct layout *layout, const struct result *result)
{
    const char *id = result->id ?: "", *at = strchr(id, '@');
    const char *shape = result->shape ?: "";
    size_t length = strlen(shape);
    bool cut = layout->short_ids && at && !result->is_roof &&
               !strncmp(at + 1, shape, length) && strchr(";", at[1 + length]);

    buffer_clear(&layout->scratch);
    buffer_plain_n(&layout->scratch, id, cut ? (size_t)(at - id) : strlen(id));
    buffer_add(&layout->scratch, proof_mark(result));
    return text_width(buffer_text(&layout->scratch));
}

/* The longest id. With `own` it is that of own kernels, and longer ids take a line of
 * their own. */
static int longest_id(struct layout *layout, bool own)
{
    int longest = 4;

    FOR_EACH (const struct result, result, layout->run->results, layout->run->n_results) {
        int width = 0;
        if (!(result->is_roof && !layout->options->roofs) &&
            !(own && (result->is_baseline || result->is_roof)))
            width =
                id_width(layout, result) + (result->code.proof && !*proof_mark(result));
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* Drops the last ratio column; the end of the table says so. */
static bool hide_ratio(struct layout *layout)
{
    struct sheet *sheet = &layout->sheet;
    size_t ratios = 0, last = 0;

    for (size_t i = 0; i < sheet->n; i++)
        if (sheet->column[i].kind == COLUMN_RATIO) {
            ratios++;
            last = i;
        }
    if (ratios < 2)
        return false;
    buffer_add(&layout->hidden, layout->hidden.length ? ", " : "");
    buffer_plain_n(&layout->hidden, sheet->column[last].key,
                   sheet->column[last].key_length);
    for (sheet->n--; last < sheet->n; last++)
        sheet->column[last] = sheet->column[last + 1];
    return true;
}

/* Gives up one thing more; false if there is nothing left to give up. */
static bool layout_shrink(struct layout *layout, int step)
{
    struct sheet *sheet = &layout->sheet;

    switch (step) {
    case 0:
        sheet_drop(sheet, COLUMN_GHZ);
        return true;
    case 1:
        layout->short_ids = true;
        layout->id_width = longest_id(layout, false);
        return true;
    case 2:
        layout->id_width = longest_id(layout, true);
        return true;
    case 3:
        sheet_drop(sheet, COLUMN_INTERVAL);
        return true;
    case 4:
        for (size_t i = 0; i < sheet->n; i++)
            sheet->column[i].compact = sheet->column[i].kind == COLUMN_RATIO ||
                                       sheet->column[i].kind == COLUMN_RELATIVE;
        return true;
    case 5:
        layout->id_width = WRAP_INDENT;
        return true;
    default:
        return hide_ratio(layout);
    }
}

static void layout_begin(struct layout *layout, const struct run *run,
                         const struct text_options *options, FILE *file)
{
    int step = 0;

    *layout = (struct layout){
        .run = run, .options = options ? options : &no_options, .file = file};
    sheet_make(&layout->sheet, run);
    layout->id_width = longest_id(layout, false);
    while (layout->options->width && total_width(layout) > layout->options->width &&
           layout_shrink(layout, step))
        step++;
}

static void print_tone(const struct layout *layout, enum tone tone)
{
    text_tone(layout->file, layout->options->colour, tone);
}

static void print_spaces(const struct layout *layout, int n)
{
    if (n > 0)
        fprintf(layout->file, "%*s", n, "");
}

static void print_wrapped(const struct layout *layout, const char *text, int at)
{
    text_wrapped(layout->file, layout->options->width, text, at);
}

/* Prints the metrics of a case below its row. */
static void print_metrics(struct layout *layout, const struct result *result)
{
    buffer_clear(&layout->scratch);
    if (!metrics_text(result, &layout->scratch))
        return;
    print_spaces(layout, WRAP_INDENT);
    print_wrapped(layout, buffer_text(&layout->scratch), WRAP_INDENT);
}

static void print_titles(struct layout *layout)
{
    bool two = false;

    for (size_t i = 0; i < layout->sheet.n; i++)
        two |= layout->sheet.column[i].top[0] != '\0';
    for (int line = two ? 0 : 1; line < 2; line++) {
        int blank = line ? layout->id_width - 4 : layout->id_width;
        print_tone(layout, TONE_BOLD);
        fprintf(layout->file, "%*s%s", INDENT, "", line ? "case" : "");
        FOR_EACH (const struct column, column, layout->sheet.column, layout->sheet.n) {
            const char *title = line ? column->title : column->top;
            blank += GAP + cell_width(&layout->sheet, column) - text_width(title);
            if (!*title)
                continue;
            print_spaces(layout, blank);
            fputs(title, layout->file);
            blank = 0;
        }
        print_tone(layout, TONE_PLAIN);
        fputc('\n', layout->file);
    }
}

static void print_cells(const struct layout *layout, const struct result *result)
{
    char text[CELL_SIZE];

    FOR_EACH (const struct column, column, layout->sheet.column, layout->sheet.n) {
        enum tone tone;
        int gap;
        sheet_cell(&layout->sheet, column, result, text, &tone);
        gap = GAP + cell_width(&layout->sheet, column) - text_width(text);
        print_spaces(layout, gap > 1 ? gap : 1);
        text_toned(layout->file, layout->options->colour && !result->is_roof, tone, text);
    }
}

/* The text of a row in place of numbers, or below them. */
static void print_status(struct layout *layout, const struct result *result)
{
    const bool bad = status_is_bad(result->status);
    const bool below = status_has_time(result->status);
    const int at = below ? WRAP_INDENT : INDENT + layout->id_width + GAP;

    print_spaces(layout, below ? WRAP_INDENT : GAP);
    if (bad)
        print_tone(layout, TONE_BAD);
    fprintf(layout->file, "%s", status_name(result->status));
    if (bad || result->is_roof)
        print_tone(layout, TONE_PLAIN);
    buffer_clear(&layout->scratch);
    buffer_plain(&layout->scratch, result->reason);
    fputs(result->reason && *result->reason ? ": " : "", layout->file);
    print_wrapped(layout, buffer_text(&layout->scratch),
                  at + text_width(status_name(result->status)) + 2);
}

static void print_row(const struct result *result, void *context)
{
    struct layout *layout = context;
    int width = id_width(layout, result);

    if (result->is_roof)
        print_tone(layout, TONE_DIM);
    fprintf(layout->file, "%*s%s", INDENT, "", buffer_text(&layout->scratch));
    if (width > layout->id_width) {
        fputc('\n', layout->file);
        print_spaces(layout, INDENT);
        width = 0;
    }
    print_spaces(layout, layout->id_width - width);
    if (status_has_time(result->status)) {
        print_cells(layout, result);
        if (result->is_roof)
            print_tone(layout, TONE_PLAIN);
        fputc('\n', layout->file);
        print_metrics(layout, result);
    }
    if (result->status != STATUS_OK)
        print_status(layout, result);
}

static void count_row(const struct result *result, void *context)
{
    size_t *rows = context;

    *rows += result != NULL;
}

static void print_group(struct layout *layout, size_t first, size_t end)
{
    char name[512], work[WORK_SIZE];
    size_t rows = 0;

    sheet_rows(layout->run, first, end, layout->options->roofs, count_row, &rows);
    if (!rows)
        return;
    group_title(layout->run, first, end, name, sizeof name, work);
    text_toned(layout->file, layout->options->colour, TONE_BOLD, name);
    fprintf(layout->file, "%s%s\n", *work ? "  " : "", work);
    sheet_rows(layout->run, first, end, layout->options->roofs, print_row, layout);
}

static void print_line(const char *line, void *context)
{
    print_wrapped(context, line, 0);
}

static void print_end(struct layout *layout)
{
    fputc('\n', layout->file);
    if (layout->hidden.length) {
        buffer_clear(&layout->scratch);
        buffer_format(&layout->scratch, "no room for ratios: vs %s",
                      buffer_text(&layout->hidden));
        print_line(buffer_text(&layout->scratch), layout);
    }
    legend_notes(layout->run, layout->options->brief, print_line, layout);
    legend_origin(layout->run, layout->options->brief, print_line, layout);
}

static void print_groups(struct layout *layout)
{
    const size_t group = layout->group;
    const struct run *const run = layout->run;

    for (size_t first = 0, end; first < run->n_results; first = end) {
        end = run_group_end(run, first);
        if (group == GROUP_ALL || run->results[first].group == group)
            print_group(layout, first, end);
    }
}

static void print_step(const struct run *run, size_t group,
                       const struct text_options *options, FILE *file,
                       void (*print)(struct layout *layout))
{
    struct layout layout;

    layout_begin(&layout, run, options, file);
    layout.group = group;
    print(&layout);
    buffer_free(&layout.scratch);
    buffer_free(&layout.hidden);
}

/* Verdicts of a gate and of studies do, and rows of a ladder. */
static bool needs_all_cases(const struct run *run)
{
    return run->gate || run->n_studies || run_is_ladder(run);
}

void table_begin(const struct run *run, const struct text_options *options, FILE *file)
{
    if (!needs_all_cases(run) && (run->n_results || !run->n_judgements))
        print_step(run, GROUP_ALL, options, file, print_titles);
}

void table_group(const struct run *run, size_t group, const struct text_options *options,
                 FILE *file)
{
    if (!needs_all_cases(run))
        print_step(run, group, options, file, print_groups);
}

/* The answer stands last, where a reader of a terminal looks first. */
void answer_write(const struct run *run, const struct text_options *options, FILE *file)
{
    const struct text_options *const given = options ?: &no_options;
    struct answer answer = run_answer(run);

    for (size_t i = 0; i < answer.n && !answer.text.failed; i++) {
        const enum tone tone = i || !run->gate ? TONE_PLAIN : comparison_tone(run);
        const bool colour = given->colour && tone != TONE_PLAIN;
        fputs(i ? "" : "\n", file);
        text_tone(file, colour, tone);
        text_wrapped(file, given->width, answer.line[i], 0);
        text_tone(file, colour, TONE_PLAIN);
    }
    answer_free(&answer);
}

void table_end(const struct run *run, const struct text_options *options, FILE *file)
{
    if (run->n_studies)
        studies_table(run, options, file);
    else if (run->gate)
        comparison_table(run, options ? options : &no_options, file);
    else {
        if (run_is_ladder(run))
            ladder_table(run, options ? options : &no_options, file);
        print_step(run, GROUP_ALL, options, file, print_end);
    }
    explain_write(run, options, file);
    account_write(run,
                  &(struct text_page){file, .width = (options ?: &no_options)->width});
    answer_write(run, options, file);
}

void table_write(const struct run *run, const struct text_options *options, FILE *file)
{
    table_begin(run, options, file);
    table_group(run, GROUP_ALL, options, file);
    table_end(run, options, file);
}
