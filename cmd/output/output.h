/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room output: where a run goes. It describes the run before anything is measured, shows
 * it live while it grows, writes it to files and standard output when it is done, and
 * says what it means for the program's exit status.
 */
#pragma once

#include "cli/cli.h"
#include "measure/measure.h"

/* ---- before (run_describe.c, run_builds.c) ---- */

/* A new run that tells tool, host, settings, arguments. Without a catalog there are no
 * workers, and nobody tells instruction sets. */
struct run *run_describe(const struct options *options, const struct catalog *catalog,
                         const struct plan *plan);
/* Adds the builds of tool, plug-ins and libraries (run_builds.c). */
void run_describe_builds(const struct options *options, const struct catalog *catalog,
                         struct run *run);

/* ---- while it runs (live.c) ---- */

/* The estimate of the time that the user was told, and the beginnings of the first two
 * processes of a group. The first one also traces, so that its time says little. */
struct forecast {
    double seconds; /* as told last; 0: nothing was, and nothing is to be */
    int64_t begun, second;
};
/* A better estimate of all seconds, once the second process of a group has ended. 0:
 * there is none, or it is less than 1.5 times the estimate that the user was told. */
double forecast_again(struct forecast *forecast, const struct progress *progress,
                      int64_t now);

/* Progress on standard error if it is a terminal, the table on standard output group by
 * group, the JSON files once a second: what is left of a run that dies later. */
struct live {
    const struct options *options;
    bool table, begun; /* printed as it grows; its head was */
    bool progress;     /* standard error is a terminal */
    int64_t drawn;     /* time of the last progress shown */
    int64_t saved;     /* time of the last saving */
    bool save_failed;  /* the user was told */
    struct forecast forecast;
    struct watcher watcher; /* give this to a measurement */
};
/* `live` must not move afterwards. `table`: unless --format wants something else. */
void live_begin(struct live *live, const struct options *options, bool table);
/* The run is complete: prints the end of the table. */
void live_end(const struct live *live, const struct run *run);

/* Errors of every kernel in every input: one table for each type and shape. */
void accuracy_print(const struct plan *plan, const struct run *run,
                    const struct catalog *catalog, FILE *file);

/* ---- after (outputs_check.c, outputs.c) ---- */

/* Is a page of HTML among them? */
bool outputs_page(const struct options *options);
/* -EINVAL, "WORDS, not junit", unless a bit is set for the format of each of them. */
int outputs_formats(const struct options *options, unsigned formats, const char *words,
                    struct error *error);
/* Checks, before hours of measuring, that all files can be written, and that none
 * replaces another one or a file that is read. */
int outputs_check(const struct options *options, struct error *error);
/* The JSON files alone, unless they are written to directly. */
int outputs_save(const struct options *options, const struct run *run,
                 struct error *error);
/* All files and standard output. Without `table`, a table is not printed: runs print it
 * as they go. */
int outputs_write(const struct options *options, bool table, const struct run *run,
                  struct error *error);
/* The options of text for standard output. */
struct text_options text_of_stdout(const struct options *options);
/* A page as wide as the terminal that the file may be. */
struct text_page page_of(FILE *file, enum format format);
/* A run as text, by file_save(). */
int report_save(const struct run *run, enum format format, const char *path,
                struct error *error);
/* A report that is no run, in one of its formats. */
typedef int document_writer(const void *document, enum format format, FILE *file,
                            struct error *error);
/* Writes it to all files. No output is lost because another one fails: the first error
 * counts. */
int document_save(const struct options *options, document_writer *write,
                  const void *document, struct error *error);
/* The same, and to standard output. */
int document_write(const struct options *options, document_writer *write,
                   const void *document, struct error *error);
/* The enum exit_status of a run that is complete, and judged if it compares builds. */
int run_exit_status(const struct run *run);
