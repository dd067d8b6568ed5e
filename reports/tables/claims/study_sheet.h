/* SPDX-License-Identifier: Apache-2.0 */
/* Private to tables/: the rows of a study that table and Markdown both show. */
#pragma once

#include "study/study.h"
#include "tables/tables.h"

enum study_column {
    STUDY_CLAIM,
    STUDY_THEIR,
    STUDY_HERE,
    STUDY_INTERVAL,
    STUDY_VERDICT,
    STUDY_NOTES,
    STUDY_COLUMNS
};
const char *study_title(enum study_column column);
/* Adds the text of a cell, safe to print. */
void study_cell(const struct study_claim *claim, enum study_column column,
                struct buffer *out);
/* First all claims that were measured, then those that arithmetic decides. */
bool study_is_arithmetic(const struct study_claim *claim);
#define STUDY_ARITHMETIC_TITLE "what the numbers of the source say by themselves"
/* Lines of the account, and of the study as a whole, safe to print. */
typedef void study_line(const char *line, void *context);
void study_account_lines(const struct study *study, study_line *line, void *context);
/* A line for each arm that evidence or the account name: what it does. Returns how many;
 * `line` may be NULL. */
size_t study_arm_lines(const struct study *study, study_line *line, void *context);
#define STUDY_ARMS_TITLE "what these arms do"
void study_source_lines(const struct study *study, study_line *line, void *context);

/* All studies of a run. */
void studies_table(const struct run *run, const struct text_options *options, FILE *file);
void studies_markdown(const struct run *run, FILE *file);
