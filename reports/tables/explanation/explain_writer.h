/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by explain_lines.c (what was executed, bounds), explain_causes.c (findings, and
 * what was excluded) and explain_writer.c (numbers). */
#pragma once

#include "explain_lines.h"
#include "text/text.h"

struct writer {
    struct buffer text;
    explain_paragraph *paragraph;
    void *context;
};
/* Gives the paragraph away; the next one is empty. */
void explain_end(struct writer *to, const char *label);
void put_number(struct writer *to, double value);
void put_percent(struct writer *to, double share);
void put_ratio(struct writer *to, double ratio, const struct interval *ci);
/* Stands between the parts of a list. */
void put_comma(struct writer *to, const char *between);

/* explain_causes.c */
void explain_causes(struct writer *to, const struct explanation *why);
