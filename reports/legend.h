/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of the legend: lines about the whole run, safe to print. */
#ifndef SIMDBENCH_LEGEND_H
#define SIMDBENCH_LEGEND_H

#include "sheet.h"
#include "text.h"

/* Different texts, in order of appearance; those that do not fit are only counted. */
enum { TALLY_MAX = 24 };

struct tally {
    struct {
        const char *key, *detail; /* detail of the first one */
        size_t key_length, count;
    } entry[TALLY_MAX];
    size_t n, lost;
};

void tally_add(struct tally *tally, const char *key, size_t length, const char *detail);
/* "note: TEXT (ID and 3 more)", a line each. */
void tally_lines(const struct tally *tally, const char *what, struct buffer *buffer,
                 legend_line *line, void *context);

/* What a kernel reaches over all of its sizes (means.c). */
void mean_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                void *context);
/* What kernels chose, and how much memory they take beyond their operands (choices.c). */
void choice_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                  void *context);
void workspace_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                     void *context);
/* Who is compared with, and how fairly (opponents.c). */
void baseline_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                    void *context);
void unranked_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                    void *context);
void source_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                  void *context);

#endif
