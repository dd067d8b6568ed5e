/* SPDX-License-Identifier: Apache-2.0 */
#include "comparison_sheet.h"

enum { GAP = 2, INDENT = 2 };

struct layout {
    const struct run *run;
    const struct text_options *options;
    FILE *file;
    int id_width;
    bool hidden[CHANGE_COLUMNS];
    struct buffer scratch;
};

static const int widths[] = {
    [CHANGE_BASE] = 8,        [CHANGE_HEAD] = 8,  [CHANGE_SIZE] = 8,
    [CHANGE_INTERVAL] = 18,   [CHANGE_BUILT] = 8, [CHANGE_VERDICT] = 12,
    [CHANGE_DETECTABLE] = 10,
};

static int total_width(const struct layout *layout)
{
    int width = INDENT + layout->id_width;

    for (int i = 0; i < CHANGE_COLUMNS; i++)
        width += layout->hidden[i] ? 0 : GAP + widths[i];
    return width;
}

static const char *plain_id(struct layout *layout, const struct result *result)
{
    buffer_clear(&layout->scratch);
    buffer_plain(&layout->scratch, result->id);
    buffer_add(&layout->scratch, proof_mark(result));
    return buffer_text(&layout->scratch);
}

/* Ids take lines of their own before any column goes. */
static void fit(struct layout *layout)
{
    static const enum change_column least[] = {CHANGE_DETECTABLE, CHANGE_INTERVAL,
                                               CHANGE_BUILT};
    const int width = layout->options->width;

    layout->hidden[CHANGE_BUILT] = !change_has_built(layout->run);
    layout->id_width = WRAP_INDENT;
    FOR_EACH (const struct result, result, layout->run->results, layout->run->n_results) {
        if (!change_is_shown(result))
            continue;
        const int id = text_width(plain_id(layout, result));
        layout->id_width = id > layout->id_width ? id : layout->id_width;
    }
    if (width && total_width(layout) > width)
        layout->id_width = WRAP_INDENT;
    for (size_t i = 0; width && i < ARRAY_LEN(least); i++)
        layout->hidden[least[i]] |= total_width(layout) > width;
}

static void print_titles(const struct layout *layout)
{
    const bool colour = layout->options->colour;

    text_tone(layout->file, colour, TONE_BOLD);
    fprintf(layout->file, "%*s%-*s", INDENT, "", layout->id_width, "case");
    for (int i = 0; i < CHANGE_COLUMNS; i++)
        if (!layout->hidden[i])
            fprintf(layout->file, "%*s", GAP + widths[i],
                    change_title(layout->run->gate, (enum change_column)i));
    text_tone(layout->file, colour, TONE_PLAIN);
    fputc('\n', layout->file);
}

static void print_row(struct layout *layout, const struct result *result)
{
    const char *const id = plain_id(layout, result);
    int blank = layout->id_width - text_width(id);

    fprintf(layout->file, "%*s%s", INDENT, "", id);
    if (blank < 0) {
        fprintf(layout->file, "\n%*s", INDENT, "");
        blank = layout->id_width;
    }
    for (int i = 0; result->comparison && i < CHANGE_COLUMNS; i++) {
        char text[CELL_SIZE];
        enum tone tone;
        if (layout->hidden[i])
            continue;
        change_cell(result->comparison, (enum change_column)i, text, &tone);
        blank += GAP + widths[i] - text_width(text);
        fprintf(layout->file, "%*s", blank > 1 ? blank : 1, "");
        text_toned(layout->file, layout->options->colour, tone, text);
        blank = 0;
    }
    fputc('\n', layout->file);
    buffer_clear(&layout->scratch);
    if (!change_note(layout->run, result, &layout->scratch))
        return;
    fprintf(layout->file, "%*s", WRAP_INDENT, "");
    text_wrapped(layout->file, layout->options->width, buffer_text(&layout->scratch),
                 WRAP_INDENT);
}

static void print_op(struct layout *layout, size_t first, size_t end)
{
    const struct run *const run = layout->run;
    bool titled = false;

    for (size_t i = first; i < end; i++) {
        const struct result *const result = &run->results[i];
        if (!change_is_shown(result))
            continue;
        if (!titled) {
            buffer_clear(&layout->scratch);
            buffer_tell(&layout->scratch, "%s: ", run->gate->harness ?: result->op);
            change_summary(run, first, end, &layout->scratch);
            text_tone(layout->file, layout->options->colour, TONE_BOLD);
            text_wrapped(layout->file, layout->options->width,
                         buffer_text(&layout->scratch), 0);
            text_tone(layout->file, layout->options->colour, TONE_PLAIN);
        }
        titled = true;
        print_row(layout, result);
    }
}

static void print_line(const char *line, void *context)
{
    const struct layout *const layout = context;

    text_wrapped(layout->file, layout->options->width, line, 0);
}

void comparison_table(const struct run *run, const struct text_options *options,
                      FILE *file)
{
    struct layout layout = {.run = run, .options = options, .file = file};

    fit(&layout);
    print_titles(&layout);
    for (size_t first = 0, end; first < run->n_results; first = end) {
        end = change_op_end(run, first);
        print_op(&layout, first, end);
    }
    fputc('\n', file);
    comparison_lines(run, options->brief, print_line, &layout);
    legend_origin(run, options->brief, print_line, &layout);
    buffer_free(&layout.scratch);
}
