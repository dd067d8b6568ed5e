/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines written as one string. */
#pragma once

#include "cli/args.h"
#include "unit.h"

enum { WORDS_MAX = 24 };

/* The next word of a command line: up to a space that no single quotes enclose. */
static inline char *word_next(char **rest)
{
    char *const word = *rest, *to = word, *at = word;
    bool quoted = false;
    for (; at && *at && (quoted || *at != ' '); at++) {
        if (*at == '\'')
            quoted = !quoted;
        else
            *to++ = *at;
    }
    if (at) {
        *rest = *at ? at + 1 : NULL;
        *to = '\0';
    }
    return word;
}

/* Cuts a command line into its words and parses it. */
static inline int parse(const char *line, struct options *options, struct error *error)
{
    static char program[] = "simdbench";
    char *argv[WORDS_MAX + 2] = {program};
    char *const text = strdup(line);
    char *rest = text;
    int argc = 1;
    assert_non_null(text);
    for (char *word; (word = word_next(&rest)) && argc <= WORDS_MAX;)
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
