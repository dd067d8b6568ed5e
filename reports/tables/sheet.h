/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to tables/: the columns and texts that table and Markdown both show.
 * Columns follow from the plan alone, so they are the same before and after measuring.
 */
#pragma once

#include "judge/judge.h"
#include "tables.h"
#include "text/text.h"

enum { COLUMNS_MAX = 80, CELL_SIZE = 128, BASELINE_COLUMNS = 12 };

enum column_kind {
    COLUMN_TIME,
    COLUMN_INTERVAL,
    COLUMN_RATE,
    COLUMN_LIMIT,
    COLUMN_ULP,
    COLUMN_RELATIVE, /* against the row that the run names */
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
    bool gops, gbps; /* units of rates: if both, the cells say which */
};

void sheet_make(struct sheet *sheet, const struct run *run);
/* Behind the id of a row: "^" if it executes other code than it says, "!" if nobody
 * optimised that code. */
const char *proof_mark(const struct result *result);
/* Drops all columns of a kind. */
void sheet_drop(struct sheet *sheet, enum column_kind kind);
/* Text of a cell of a case of the run that is ok; plain ASCII but for the sign +-. */
void sheet_cell(const struct sheet *sheet, const struct column *column,
                const struct result *result, char text[CELL_SIZE], enum tone *tone);
/* The rows of a group in the order in which they are shown: calls `row` for own kernels,
 * then baselines, then (if asked, or if there is nothing else) roofs; not for pending
 * ones. */
typedef void sheet_row(const struct result *result, void *context);
void sheet_rows(const struct run *run, size_t first, size_t end, bool roofs,
                sheet_row *row, void *context);

/* ---- legend.c: lines about the whole run, safe to print ---- */

typedef void legend_line(const char *line, void *context);
/* Limits, baselines, notes, what is missing and why. */
void legend_notes(const struct run *run, bool brief, legend_line *line, void *context);
/* Host, tool, seed, time; whether the run was interrupted. */
void legend_origin(const struct run *run, bool brief, legend_line *line, void *context);

/* Writes a line as an item of a Markdown list to the file. */
void markdown_line(const char *line, void *file);
/* Begins a report in Markdown: its title and the answer. */
void answer_markdown(const struct run *run, FILE *file);
/* The whole of it; markdown_write() cuts it. */
void markdown_print(const struct run *run, const struct text_options *options,
                    FILE *file);
