/* SPDX-License-Identifier: Apache-2.0 */
/* Export: a run in formats that other programs read; docs/formats.md has them. */
#pragma once

#include "model/model.h"

/* One writer a file; 0 or -ENOMEM. */
int annotations_write(const struct run *run, FILE *file);
int benchstat_write(const struct run *run, FILE *file);
int bmf_write(const struct run *run, FILE *file);
int csv_write(const struct run *run, FILE *file);
int gbench_write(const struct run *run, FILE *file);
int github_action_write(const struct run *run, FILE *file);
/* A script that makes gnuplot write an SVG to its standard output: a roofline if the run
 * has roofs of memory and registers (`roof --ladder`), else speed over size. */
int gnuplot_write(const struct run *run, FILE *file);
int junit_write(const struct run *run, FILE *file);
