/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that are nearly right. Set `word`, try each known name, and append `text` to the
 * message: it is empty, or "; did you mean vnni, vbmi?".
 */
#pragma once

#include <stddef.h>

struct near {
    const char *word;
    char text[160];
    size_t n;
};

void near_try(struct near *near, const char *name);
