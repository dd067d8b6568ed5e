/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines written as one string. */
#pragma once

#include "cli/args.h"
#include "unit.h"

enum { WORDS_MAX = 24 };

/* Cuts a command line at its spaces and parses it. */
static inline int parse(const char *line, struct options *options, struct error *error)
{
    static char program[] = "simdbench";
    char *argv[WORDS_MAX + 2] = {program};
    char *const text = strdup(line);
    char *rest = text;
    int argc = 1;
    assert_non_null(text);
    for (char *word; (word = strsep(&rest, " ")) && argc <= WORDS_MAX;)
        argv[argc++] = word;
    *error = (struct error){0};
    const int rc = args_parse(argc, argv, options, error);
    free(text);
    return rc;
}

/* It must be right. */
static inline struct options parsed(const char *line)
{
    struct options options;
    struct error error;
    const int rc = parse(line, &options, &error);
    if (rc != 0)
        fail_msg("%s: %d, %s", line, rc, error.text);
    return options;
}
