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

/* Rounds by which places are chosen, and by which those that were chosen are judged:
 * the fastest of many that are equal looks faster than it is. */
enum rounds_of { CHOOSING, JUDGING, ALL_ROUNDS };

/* The time of one over that of another one, of the same rounds; absent: fewer than six.
 */
struct experiment experiment_ratio(const char *name, const struct result *of,
                                   const struct result *over, enum rounds_of part);

/* The important ones first: there may be no time for all of them. */
enum { CONDITIONS = 23 };
extern const struct condition {
    const char *name;
    /* Changes a variant before it is opened. NULL, or why there is none. */
    const char *(*change)(struct variant *variant, const struct situation *at);
    const char *reaches;
    enum { OF_OTHER, OF_LAYOUT, OF_COPIES, OF_INPUTS } kind;
} condition_table[CONDITIONS];
