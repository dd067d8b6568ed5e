/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON as it goes, for documents whose form others have fixed. Within an object
 * each call gives the key, within an array NULL. Text becomes safe to print.
 */
#ifndef SIMDBENCH_JSON_OUT_H
#define SIMDBENCH_JSON_OUT_H

#include "text/text.h"

struct json_out {
    FILE *file;
    struct buffer scratch; /* its `failed` tells of lacking memory */
    int depth;
    bool comma; /* something stands before in this object or array */
};

void json_open(struct json_out *json, const char *key, char bracket); /* { or [ */
void json_close(struct json_out *json, char bracket);
void json_text(struct json_out *json, const char *key, const char *text);
/* Nothing if the number is not finite. */
void json_number(struct json_out *json, const char *key, double number);
void json_bool(struct json_out *json, const char *key, bool value);
/* Ends the document: 0, or -ENOMEM if text was lost on the way. */
int json_end(struct json_out *json);

#endif
