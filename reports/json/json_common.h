/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to json/, shared by reader and writer: fields of structs, and places in a
 * document.
 */
#pragma once

#include <cjson/cJSON.h>

#include "model/model.h"
#include "text/fields.h"
#include "text/text.h"

/* ---- fields ---- */

extern const struct fields case_fields, work_fields, measured_fields, rung_fields,
    accuracy_fields;
extern const struct fields summary_fields, clock_fields, rate_fields, limit_fields,
    ratios_fields;
extern const struct fields counter_fields, count_fields, absence_fields, proof_fields,
    metric_fields;

/* Adds "gate" to a run and "comparison" to a result (json_comparison.c). */
void json_gate(struct json *json, cJSON *parent, const struct run *run);
void json_comparison(struct json *json, cJSON *parent,
                     const struct comparison *comparison);
/* Adds "findings" and "explanation" to a result (json_explanation.c). */
void json_explanation(struct json *json, cJSON *parent,
                      const struct explanation *explanation);

/* Adds "judge" to a run (judgement_json.c). */
void json_judgements(struct json *json, cJSON *parent, const struct run *run);

/* Adds "studies" to a run (study_results_json.c). */
void json_studies(struct json *json, cJSON *parent, const struct run *run);
/* The member that holds `what` of a check: "fact"; NULL: the measure has none. */
const char *study_what_key(enum study_measure measure);

/* Names in "host" that are no facts. */
bool host_name_reserved(const char *name);

/* ---- places ---- */

/* A step on the way from the root to a value: a key, or an index if `key` is NULL. */
struct place {
    const struct place *parent;
    const char *key;
    size_t index;
};

/* Writes "results[3].samples_ns[2]: " and the message; returns `code`. The root has no
 * place: NULL. */
__attribute__((format(printf, 4, 5))) int place_error(const struct place *place,
                                                      struct error *error, int code,
                                                      const char *format, ...);

/* ---- checks ---- */

/* -EINVAL unless the bytes obey what cJSON does not check: UTF-8, no control characters,
 * no zero bytes even as \u0000, strict numbers, limited depth. */
int json_scan(const char *bytes, size_t size, struct error *error);
/* -EEXIST for a key that an object has twice, -EINVAL for a number that is not finite. */
int json_check(const cJSON *tree, const struct place *at, struct error *error);
