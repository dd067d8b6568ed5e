/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of the legend: lines about the whole run, safe to print. */
#pragma once

#include "tables/sheet.h"

struct legend {
    const struct run *run;
    struct buffer buffer; /* the line that is being made */
    legend_line *line;
    void *context;
    bool brief; /* the lines of short tables alone */
};
/* Hands the line over and begins the next one. */
void legend_flush(struct legend *legend);
/* Adds `before` and the text, made safe to print, and hands the line over. */
void legend_put(struct legend *legend, const char *before, const char *text);
/* Adds the text behind its name, if there is any; returns the separator of the next one.
 */
const char *legend_part(struct legend *legend, const char *separator, const char *name,
                        const char *text);
/* Adds " LO to HI", or " LO" if they read the same. */
void legend_range(struct legend *legend, const char *lo, const char *hi);

/* Geometric means of each kernel over all of its sizes (means.c). */
void mean_lines(struct legend *legend);
/* Choices of kernels, and their memory beyond the operands (choices.c). */
void choice_lines(struct legend *legend);
/* Tells what cases execute (proofs_told.c). */
void proof_lines(struct legend *legend);
/* Baselines, and how fair their ratios are (opponents.c). */
void baseline_lines(struct legend *legend);
void unranked_lines(struct legend *legend);
void source_lines(struct legend *legend);
