/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables: a run as people read it, on a terminal or as Markdown. The table and Markdown
 * show the same columns (sheet.c) and the same lines below them (legend.c).
 */
#pragma once

#include "judge/judge.h"
#include "model/model.h"

struct text_options {
    bool colour;
    int width;  /* columns of the terminal; 0: unlimited */
    bool roofs; /* show roof rows too */
    bool brief; /* below the table only lines that a reader needs for its numbers */
};

/* The table in three steps, so that a live run can print each group when it ends;
 * printing all at once calls the same three. Column widths come from the planned cases.
 * A run with a gate is printed in the last step, as its verdicts need all cases; of a run
 * with studies these alone are, there too. */
void table_begin(const struct run *run, const struct text_options *options, FILE *file);
void table_group(const struct run *run, size_t group, const struct text_options *options,
                 FILE *file);
void table_end(const struct run *run, const struct text_options *options, FILE *file);
/* The answer in words, below an empty line. table_end() does it too. */
void answer_write(const struct run *run, const struct text_options *options, FILE *file);
/* All three steps at once. */
void table_write(const struct run *run, const struct text_options *options, FILE *file);
/* Markdown, cut where it would be too long for GitHub. */
void markdown_write(const struct run *run, const struct text_options *options,
                    FILE *file);

/* Runs side by side, each against the first, as a table or as Markdown, or as the
 * document that the page shows. */
void matrix_write(const struct run *const *runs, const char *const *paths, size_t n,
                  const struct text_page *page);
void matrix_json(const struct run *const *runs, const char *const *paths, size_t n,
                 struct json *json);

/* The reasons for the speed of cases, at most 40 lines each but for code that was asked
 * for; nothing for those without an explanation (explain_text.c). table_end() does it
 * too. */
void explain_write(const struct run *run, const struct text_options *options, FILE *file);
/* The reason why the first of two cases is slower than the other, if the run has an
 * account (account_text.c). table_end() and markdown_write() do it too. */
void account_write(const struct run *run, const struct text_page *page);

/* True of a run of `roof --ladder` alone: its table has a row for each working set and a
 * column for each kind of access (ladder.c). table_end() prints it. */
bool run_is_ladder(const struct run *run);
void ladder_table(const struct run *run, const struct text_options *options, FILE *file);

/* The findings of license, as tables or as Markdown (license_text.c). */
void license_write(const struct license *license, const struct text_page *page);
