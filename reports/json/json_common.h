/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to json/, shared by reader and writer: names of struct fields, and places in a
 * document.
 */
#pragma once

#include <cjson/cJSON.h>

#include "model/model.h"
#include "text/text.h"

/* ---- fields ---- */

enum field_kind {
    FIELD_TEXT,   /* string; NULL is written as "" */
    FIELD_NAME,   /* string, or null for NULL; may be missing */
    FIELD_NUMBER, /* number; null if not finite */
    FIELD_CHANGE, /* the same from -1 up */
    FIELD_SPAN,   /* the same from 0 up */
    FIELD_RATE,   /* number from 0 up, or null for 0 (unknown); may be missing */
    FIELD_AMOUNT, /* number from 0 up; may be missing: 0 */
    FIELD_INT,    /* whole numbers from 0 */
    FIELD_U32,
    FIELD_U64, /* up to 2^53 */
    FIELD_SIZE,
    FIELD_BOOL,      /* may be missing: false */
    FIELD_CI,        /* interval from 0 up, or null; beside it stands "ci_level" */
    FIELD_CHANGE_CI, /* the same from -1 up */
    FIELD_ENDS,      /* the same from 0 up with the level of another one */
    FIELD_PART,      /* object */
    FIELD_LIST,      /* array of objects */
    FIELD_LATER,     /* the same; may be missing: older files do not have it */
    FIELD_COUNTS,    /* object of numbers, an array of struct explained_count */
};

/* One member of a struct, at `offset`; the fields in it, and where a list has its length.
 */
struct fields;
struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    const struct fields *inner;
    size_t length, size; /* of an entry */
};

struct fields {
    const struct field *field;
    size_t n;
};
#define FIELD_AS(name_, kind_, type, member) \
    {.name = name_, .kind = FIELD_##kind_, .offset = offsetof(struct type, member)}
/* An object for members of the same struct, and one for a struct in it. */
#define FIELD_GROUP(name_, fields) {.name = name_, .kind = FIELD_PART, .inner = &(fields)}
#define FIELD_PART_OF(type, member, fields)   \
    {.name = #member,                         \
     .kind = FIELD_PART,                      \
     .offset = offsetof(struct type, member), \
     .inner = &(fields)}
#define FIELD_LIST_AS(name_, kind_, type, list, n_, fields) \
    {.name = name_,                                         \
     .kind = FIELD_##kind_,                                 \
     .offset = offsetof(struct type, list),                 \
     .inner = &(fields),                                    \
     .length = offsetof(struct type, n_),                   \
     .size = sizeof *((struct type *)NULL)->list}
#define FIELD(kind, type, member) FIELD_AS(#member, kind, type, member)
#define FIELDS(...) \
    {(const struct field[]){__VA_ARGS__}, ARRAY_LEN(((struct field[]){__VA_ARGS__}))}

extern const struct fields run_fields, tool_fields, source_fields;
extern const struct fields case_fields, work_fields, measured_fields, rung_fields,
    accuracy_fields;
extern const struct fields summary_fields, rate_fields, limit_fields, ratio_fields,
    ratios_fields;
extern const struct fields counter_fields, count_fields, absence_fields, proof_fields,
    metric_fields;

/* An object, or null in its place and NULL if there is nothing to tell. */
cJSON *json_maybe(struct json *json, cJSON *parent, const char *name, bool known);
/* Adds the fields of the struct at `base` to an object. */
void json_fields(struct json *json, cJSON *parent, const struct fields *fields,
                 const void *base);
/* Adds "gate" to a run and "comparison" to a result (json_comparison.c). */
void json_gate(struct json *json, cJSON *parent, const struct run *run);
void json_comparison(struct json *json, cJSON *parent,
                     const struct comparison *comparison);
/* Adds "findings" and "explanation" to a result (json_explanation.c). */
void json_explanation(struct json *json, cJSON *parent,
                      const struct explanation *explanation);

/* Adds "account" to a run (account_json.c). */
void json_account(struct json *json, cJSON *parent, const struct account *account);

/* Adds "judge" to a run (judgement_json.c). */
void json_judgements(struct json *json, cJSON *parent, const struct run *run);

/* Adds "code" to a comparison (proof_json.c). */
void json_code(struct json *json, cJSON *parent, const struct code_change *code);

/* Adds "proof" and "base_proof" to a result (proof_json.c). */
void json_proofs(struct json *json, cJSON *parent, const struct result *result);

/* Adds "studies" to a run (study_write_json.c). */
void json_studies(struct json *json, cJSON *parent, const struct run *run);
/* The member that holds `what` of a check: "fact"; NULL: the measure has none. */
const char *study_what_key(enum study_measure measure);
extern const struct fields study_arm_fields, study_source_fields, study_claim_fields;

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
