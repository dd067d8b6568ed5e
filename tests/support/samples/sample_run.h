/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run that has some of everything, for tests of writers and readers: all statuses, two
 * OpenBLAS, roofs, counters that are there and that are not, libraries with rows for an
 * instruction set each, accuracy, choices, workspace. Always the same.
 */
#pragma once

#include <stdlib.h>

#include "reports.h"

/* Planned: nothing is measured yet. Never NULL. */
struct run *sample_run_plan(void);
/* Measures group `group` of a planned run, and summarises it. */
void sample_run_measure(struct run *run, size_t group);
/* Both, for all groups. */
struct run *sample_run_alone(void);
enum { SAMPLE_GROUPS = 6 };
/* A small run of another machine: one group that the sample has too, one that it has not;
 * and the sample with it merged in, from "results/b.json". */
struct run *sample_run_other(void);
struct run *sample_run(void);

/* Three cases of one group, for tests that read it very often. */
struct run *sample_run_small(void);
/* A run whose every string is hostile: quotes, newlines, %, tags, pipes, escape codes,
 * bytes that are no UTF-8, commands to CI, what Markdown makes links of. */
struct run *sample_run_hostile(void);
#define SAMPLE_HOSTILE                                                               \
    "::error ::x\"',;\n\r\t%s%n<script>&|`*_\\\033[31m\xff\xc2\x9b\xe2\x80\xae@me\n" \
    "::notice ::##[error]##vso[a.b] https://a.b www.a.b me@a.b @me #1 gh-1"

/* The text that `write` puts into a file; the caller frees it. */
char *sample_text(const struct run *run, enum format format,
                  const struct text_options *options);

/* For what makes samples. */
static inline void need(bool good)
{
    if (!good)
        abort();
}

/* Makes each of these strings hostile, up to a NULL. */
static inline void set_hostile(char **const *texts)
{
    for (; *texts; texts++)
        string_set(*texts, SAMPLE_HOSTILE);
}
#define HOSTILE(...) set_hostile((char **const[]){__VA_ARGS__, NULL})

/* Does a line of the run's answer have these words? */
static inline bool says(const struct run *run, const char *words)
{
    bool found = false;
    struct answer answer = run_answer(run);
    for (size_t i = 0; i < answer.n; i++)
        found |= strstr(answer.line[i], words) != NULL;
    answer_free(&answer);
    return found;
}
