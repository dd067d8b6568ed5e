/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions that experiments change (conditions.c). */
#pragma once

#include "explain_private.h"

#define CODE_ONLY "copied functions"

/* Places of a line at which code is tried. */
enum { PLACES = 16, EDIT_PLACES = 4, EDIT_STEP = PLACES / EDIT_PLACES, LINE_BYTES = 64 };

/* The conditions of a subject depend on these. */
struct situation {
    const struct subject *subject;
    int other_cpu;
    char *smaller[2]; /* shapes: in a near cache, and of few elements; NULL: none */
    struct error why_not_smaller[2];
};

/* The important ones first: there may be no time for all of them. */
enum { CONDITIONS = 23 };
extern const struct condition {
    const char *name;
    /* Changes a variant before it is opened. NULL, or why there is none. */
    const char *(*change)(struct variant *variant, const struct situation *at);
    const char *reaches;
    enum { OF_OTHER, OF_LAYOUT, OF_COPIES, OF_INPUTS } kind;
} condition_table[CONDITIONS];
