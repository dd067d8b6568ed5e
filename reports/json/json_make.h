/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the parts of the JSON writer: values that join a tree, which the reader's own
 * checks see before it is written. Formats of others are written as they go: json_out.h.
 */
#ifndef SIMDBENCH_JSON_MAKE_H
#define SIMDBENCH_JSON_MAKE_H

#include "json_common.h"
#include "text/text.h"

/* The tree is built without looking at each step: `failed` tells at the end. */
struct maker {
    bool failed;
    struct buffer scratch;
};

/* Adds `item` to an object, or to an array if `name` is NULL, and returns it. */
cJSON *put(struct maker *maker, cJSON *parent, const char *name, cJSON *item);
void put_text(struct maker *maker, cJSON *parent, const char *name, const char *text);
void put_number(struct maker *maker, cJSON *parent, const char *name, double value);
/* An array of `values`, or of `whole` if that is not NULL. */
void put_numbers(struct maker *maker, cJSON *parent, const char *name,
                 const double *values, const uint32_t *whole, size_t n);
void put_texts(struct maker *maker, cJSON *parent, const char *name, char *const *texts,
               size_t n);
void put_interval(struct maker *maker, cJSON *parent, const char *name,
                  const char *level_name, const struct interval *interval);
void put_fields(struct maker *maker, cJSON *parent, const struct fields *fields,
                const void *base);
/* The text as UTF-8: bytes that are none become the escapes that people see. Good until
 * the next call. */
const char *valid(struct maker *maker, const char *text);

/* Members "gate" of a run and "comparison" of a result (json_comparison.c). */
void put_gate(struct maker *maker, cJSON *parent, const struct gate *gate);
void put_comparison(struct maker *maker, cJSON *parent,
                    const struct comparison *comparison);

#endif
