/* SPDX-License-Identifier: Apache-2.0 */
/* Private to tables/: a tally counts texts that several cases have. */
#pragma once

#include "legend.h"

/* Different texts, in order of appearance; those that do not fit are only counted. */
enum { TALLY_MAX = 24 };

struct tally {
    struct {
        const char *key, *detail; /* detail of the first one */
        size_t key_length, count;
    } entry[TALLY_MAX];
    size_t n, lost;
};

void tally_add(struct tally *tally, const char *key, size_t length, const char *detail);
bool tally_has(const struct tally *tally, size_t entry, const char *key, size_t length);
/* "note: TEXT (ID and 3 more)", a line each. */
void tally_lines(const struct tally *tally, const char *what, struct legend *legend);
