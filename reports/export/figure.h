/* SPDX-License-Identifier: Apache-2.0 */
/* Private to export/: figures as scripts for gnuplot. Names stand in single quotes, where
 * gnuplot substitutes nothing, and its terminal takes no markup. */
#pragma once

#include "model/model.h"
#include "text/text.h"

struct figure {
    const struct run *run;
    FILE *file;
    struct buffer scratch;
};

/* Writes any text in single quotes. */
void figure_quoted(struct figure *figure, const char *text);
/* True if the run has roofs of memory and of registers. */
bool figure_has_roofs(const struct run *run);
/* A panel for each number of threads that roofs were measured with (figure_roofline.c).
 */
void figure_roofline(struct figure *figure);
/* A panel for each op, type and number of threads (figure_speed.c). */
void figure_speed(struct figure *figure);
enum { PANELS_MAX = 4 };
/* Begins a figure of `panels` panels. */
void figure_panels(struct figure *figure, size_t panels);
/* Colour of a series, told apart on white also by those who do not see all colours. */
const char *figure_colour(size_t series);
