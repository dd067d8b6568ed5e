/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to tables/: the texts that table and Markdown both show of a run with a gate.
 */
#pragma once

#include "tables/sheet.h"

enum change_column {
    CHANGE_BASE,
    CHANGE_HEAD,
    CHANGE_SIZE,
    CHANGE_INTERVAL,
    CHANGE_BUILT, /* only if change_has_built() */
    CHANGE_VERDICT,
    CHANGE_DETECTABLE,
    CHANGE_COLUMNS
};

const char *change_title(const struct gate *gate, enum change_column column);
/* Text of a cell of a case that is compared; safe to print. */
void change_cell(const struct comparison *comparison, enum change_column column,
                 char text[CELL_SIZE], enum tone *tone);
/* Whether any case was judged at its best places, so that there is a change as built. */
bool change_has_built(const struct run *run);
/* Is there a row for it? Roofs are compared with nothing, pending cases neither. */
bool change_is_shown(const struct result *result);
/* Adds what is to say about a case below its row; false if there is nothing. */
bool change_note(const struct run *run, const struct result *result,
                 struct buffer *buffer);
/* Index behind the results that are shown together from `first` on: those of one op. */
size_t change_op_end(const struct run *run, size_t first);
/* Adds "gemm: 3 cases, 1 regressed, 2 same; geometric mean +0.9%". */
void change_summary(const struct run *run, size_t first, size_t end,
                    struct buffer *buffer);

/* Lines that tell the builds and how far their comparison can be trusted
 * (comparison_legend.c). */
void comparison_lines(const struct run *run, bool brief, legend_line *line,
                      void *context);
/* Good or bad news? */
enum tone comparison_tone(const struct run *run);

/* Add what is known of the noise of two stored runs, or nothing (comparison_head.c). */
void libraries_text(const struct run *run, struct buffer *buffer);
void between_text(const struct run *run, struct buffer *buffer);

/* ---- Markdown ---- */

/* Text that is made apart, so that its size is known before it counts. */
struct markdown_piece {
    const struct run *run;
    FILE *file; /* in memory */
    char *text;
    size_t size;
    struct buffer scratch;
    size_t rows_left; /* rows without room */
};
void piece_begin(struct markdown_piece *piece);
size_t piece_size(struct markdown_piece *piece);
/* Appends a piece to another one that has at most so many bytes then; false: it does not
 * fit. Ends it in any case. */
bool piece_end(struct markdown_piece *piece, struct markdown_piece *into, size_t most);
/* Bytes of what stands before the first fold. */
enum { HEAD_MAX = 4000 };
/* Verdict, builds, a row for each op and ISA, the worst and the best cases. */
void head_markdown(struct markdown_piece *piece);
/* The rows that fit. */
void rows_markdown(struct markdown_piece *piece, size_t most);

void comparison_table(const struct run *run, const struct text_options *options,
                      FILE *file);
void comparison_markdown(const struct run *run, FILE *file);
