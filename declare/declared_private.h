/* SPDX-License-Identifier: Apache-2.0 */
/* Inside leaf declare: members of JSON objects, and messages that name them. */
#pragma once

#include <cjson/cJSON.h>

#include "declare.h"

/* The place of the reader, for messages: "ops[2].kernels.avx2". */
struct spot {
    const char *path;
    struct error *error;
    char where[160];
};

__attribute__((format(printf, 3, 4))) int spot_fail(const struct spot *spot, int status,
                                                    const char *format, ...);
int spot_no_memory(const struct spot *spot);
/* The spot of a member. */
struct spot spot_inside(const struct spot *spot, const char *key);

typedef int member_reader(const struct spot *spot, const cJSON *json, void *context);
/* Each member of an object in turn; a key that is there twice is refused. */
int members_read(const struct spot *spot, const cJSON *json, member_reader *read,
                 void *context);
int text_read(const struct spot *spot, const cJSON *json, char **text);

/* ---- declared_op.c ---- */

/* Adds the op that `json` is; `folder` is that of the file, with its slash, or empty. */
int declared_op_read(const struct spot *spot, const cJSON *json, const char *folder,
                     struct declared_file *file);
