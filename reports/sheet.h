/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared inside reports: what the table and Markdown both show, without their dress.
 * Columns follow from the plan alone, so they are the same before and after measuring.
 */
#ifndef SIMDBENCH_SHEET_H
#define SIMDBENCH_SHEET_H

#include "reports.h"

enum { COLUMNS_MAX = 80, CELL_SIZE = 128, BASELINE_COLUMNS = 12 };

enum column_kind {
    COLUMN_TIME,
    COLUMN_INTERVAL,
    COLUMN_RATE,
    COLUMN_LIMIT,
    COLUMN_ULP,
    COLUMN_RATIO,
    COLUMN_GHZ,
    COLUMN_COUNTER,
};

/* All but the column of case ids. Titles are safe to print; `top` is empty or the first
 * of two lines. */
struct column {
    enum column_kind kind;
    char top[CELL_SIZE], title[CELL_SIZE];
    const char *key; /* start of a baseline's ids, or a counter's name */
    size_t key_length;
    bool compact; /* a ratio without its interval */
};

struct sheet {
    const struct run *run;
    struct column column[COLUMNS_MAX];
    size_t n;
    bool gops, gbps; /* what rates are: if both, the cells say which */
};

enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD, TONE_DIM, TONE_BOLD };

void sheet_make(struct sheet *sheet, const struct run *run);
/* Drops all columns of a kind. */
void sheet_drop(struct sheet *sheet, enum column_kind kind);
/* Text of a cell of a case of the run that is ok; plain ASCII but for the sign +-. */
void sheet_cell(const struct sheet *sheet, const struct column *column,
                const struct result *result, char text[CELL_SIZE], enum tone *tone);
/* "gemm/maxplus-f32@64x64x64;input=zero" of the results [first, end), and the work of one
 * call. */
void sheet_group(const struct run *run, size_t first, size_t end, char *name, size_t size,
                 char work[CELL_SIZE]);

/* The rows of a group in the order in which they are shown: calls `row` for own kernels,
 * then baselines, then (if asked, or if there is nothing else) roofs; not for pending
 * ones. */
typedef void sheet_row(const struct result *result, void *context);
void sheet_rows(const struct run *run, size_t first, size_t end, bool roofs,
                sheet_row *row, void *context);

/* ---- baseline.c ---- */

/* Length of the part of a baseline's id that names it: "openblas,coretype=SkylakeX",
 * "b.json:onednn". */
size_t baseline_label(const struct result *result);
/* The same of an id, of a case of that op. */
size_t id_label(const char *id, const char *op);

struct versus {
    const struct ratio *ratio; /* NULL: there is none */
    bool ranked;               /* its baseline is a fair one */
};
/* The ratio of a result of the run against the baselines of that label: if there are
 * several, the fastest of the fair ones, or else of the others. */
struct versus baseline_ratio(const struct run *run, const struct result *result,
                             const char *label, size_t length);

/* ---- legend.c: lines about the whole run, safe to print ---- */

typedef void legend_line(const char *line, void *context);
/* Limits, baselines, notes, what is missing and why. */
void legend_notes(const struct run *run, legend_line *line, void *context);
/* Host, tool, seed, time; whether the run was interrupted. */
void legend_origin(const struct run *run, legend_line *line, void *context);

/* ---- one writer a file ---- */

/* All three steps of the table at once. */
void table_write(const struct run *run, const struct text_options *options, FILE *file);
void markdown_write(const struct run *run, const struct text_options *options,
                    FILE *file);
/* The same, cut where it would be too long for GitHub; 0 or -ENOMEM. */
int markdown_write_cut(const struct run *run, const struct text_options *options,
                       FILE *file);
int csv_write(const struct run *run, FILE *file);
/* One field, in quotes if it needs them. */
void csv_field(const char *text, FILE *file);

/* What they share with the writers of comparisons. Text that is safe to print, from
 * column `at` on; words that do not fit into `width` (0: unlimited) go to indented lines.
 */
void table_wrapped(FILE *file, int width, const char *text, int at);
void table_tone(FILE *file, bool colour, enum tone tone);
/* Text that is safe to print, as literal text in Markdown too. */
void markdown_literal(FILE *file, const char *text);

#endif
