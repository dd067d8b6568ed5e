/* SPDX-License-Identifier: Apache-2.0 */
/* Private to commands/: the files of folder bindings, as the build embeds them, and those
 * that a prototype makes. */
#pragma once

#include "error.h"

struct project_text {
    const char *name, *text;
};
extern const struct project_text project_texts[]; /* ends with a row without a name */

struct plugin_from {
    char *source, *declaration;
    char *libs; /* the makefile's line */
};
/* All of it for a module of that name; nothing if it fails. */
int plugin_from(const char *prototype, const char *link, const char *name,
                struct plugin_from *from, struct error *error);
