/* SPDX-License-Identifier: Apache-2.0 */
/* Private to commands/: the files of folder bindings, as the build embeds them. */
#pragma once

struct project_text {
    const char *name, *text;
};
extern const struct project_text project_texts[]; /* ends with a row without a name */
