/* SPDX-License-Identifier: Apache-2.0 */
/* Export: a run in formats that other programs read; docs/formats.md has them. */
#pragma once

#include "model/model.h"

/* One writer a file. */
void annotations_write(const struct run *run, FILE *file);
void benchstat_write(const struct run *run, FILE *file);
void bmf_write(const struct run *run, FILE *file);
void csv_write(const struct run *run, FILE *file);
void gbench_write(const struct run *run, FILE *file);
void github_action_write(const struct run *run, FILE *file);
/* A script that makes gnuplot write an SVG to its standard output: a roofline if the run
 * has roofs of memory and registers (`roof --ladder`), else speed over size. */
void gnuplot_write(const struct run *run, FILE *file);
void junit_write(const struct run *run, FILE *file);
