/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of the legend: lines about the whole run, safe to print. */
#ifndef SIMDBENCH_LEGEND_H
#define SIMDBENCH_LEGEND_H

#include "sheet.h"

/* Geometric means of each kernel over all of its sizes (means.c). */
void mean_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                void *context);
/* Choices of kernels, and their memory beyond the operands (choices.c). */
void choice_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                  void *context);
void workspace_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                     void *context);
/* Baselines, and how fair their ratios are (opponents.c). */
void baseline_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                    void *context);
void unranked_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                    void *context);
void source_lines(const struct run *run, struct buffer *buffer, legend_line *line,
                  void *context);

#endif
