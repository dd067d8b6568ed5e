/* SPDX-License-Identifier: Apache-2.0 */
/* Private to tables/: why a case is as fast as it is, as paragraphs. The table and
 * Markdown lay out the same ones. */
#pragma once

#include "model/model.h"

/* A paragraph has a label, "" if it goes on with the one before; labels of parts begin
 * with two blanks. Texts are safe to print. */
typedef void explain_paragraph(const char *label, const char *text, void *context);
void explain_lines(const struct result *result, explain_paragraph *paragraph,
                   void *context);
