/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: the run as data, statistics on samples, and a run as text.
 * All output is made from a struct run, so a saved file prints as the live run did. No
 * clock, no operating system but files. Units: nanoseconds, bytes, operations. Each
 * folder is a room; its header of the same name says what it offers.
 */
#pragma once

#include "export/export.h"
#include "fleet/fleet.h"
#include "history/history.h"
#include "html/html.h"
#include "judge/judge.h"
#include "model/model.h"
#include "readings/readings.h"
#include "stats/stats.h"
#include "study/study.h"
#include "tables/tables.h"
#include "text/text.h"
#include "json/json.h"

/* docs/formats.md tells what each is for. */
enum format {
    FORMAT_TABLE,
    FORMAT_MARKDOWN,
    FORMAT_ANNOTATIONS,
    FORMAT_JUNIT,
    FORMAT_GBENCH,
    FORMAT_GITHUB_ACTION,
    FORMAT_BMF,
    FORMAT_BENCHSTAT,
    FORMAT_CSV,
    FORMAT_HTML,
    FORMAT_GNUPLOT,
    FORMAT_SVG, /* run_write() writes the script of it; room output has it run */
    FORMAT_JSON,
    FORMATS
};
const char *format_name(enum format format);
/* -EINVAL if there is no such format. */
int format_find(const char *name, enum format *format);
int run_write(const struct run *run, enum format format,
              const struct text_options *options, FILE *file, struct error *error);
/* A document that is no run, as JSON or as a page of HTML. Frees it. */
int page_or_json_write(struct json *json, enum format format, FILE *file,
                       struct error *error);
