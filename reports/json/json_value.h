/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to json/, shared by the parts of the reader: a value that knows its place, so
 * that errors name it. All functions return 0 or -EINVAL.
 */
#pragma once

#include "json_common.h"

/* The largest number that is read: percents and the like of it stay finite. */
#define NUMBER_MAX 1e300

/* `json` is NULL if there is no such member. `parent` must outlive the value; the root
 * has none. */
struct value {
    const cJSON *json;
    struct place place;
    const struct value *parent;
    struct error *error;
};

/* -EINVAL with a message about the value. */
#define VALUE_FAIL(value, ...)                                                     \
    place_error((value)->parent ? &(value)->place : NULL, (value)->error, -EINVAL, \
                __VA_ARGS__)

/* Parses any bytes and checks what cJSON does not: json_scan(), json_check(), nothing
 * after the end. The tree is the caller's; on an error it is NULL. */
int json_parse(const char *bytes, size_t size, cJSON **tree, struct error *error);
/* The same without json_check(). */
int json_tree(const char *bytes, size_t size, cJSON **tree, struct error *error);

struct value value_member(const struct value *object, const char *key);
/* Calls `each` for every entry of an array or members of an object, until it fails. */
int value_each(const struct value *list,
               int (*each)(const struct value *entry, void *context), void *context);

bool value_absent(const struct value *value); /* missing or null */
int value_want(const struct value *value, cJSON_bool is, const char *what);
int value_array(const struct value *value);
/* An array of at most so many entries; 0: of any number. */
int value_few(const struct value *value, int most);
/* Calls `each` for every entry of such an array, which may be missing or null. */
int value_list(const struct value *object, const char *name, int most,
               int (*each)(const struct value *entry, void *context), void *context);
/* Adds numbers, each at least 0, to an array that grows. */
int value_numbers(const struct value *array, double **list, size_t *n);
/* A text, or a name, of at most so many bytes; anything else passes. */
int value_short(const struct value *value, size_t most);
/* An object with a sane number of members. */
int value_object(const struct value *value);

int value_text(const struct value *value, char **text);
/* The text of a member; "" if it is none. */
const char *value_words(const struct value *object, const char *name);
int value_name(const struct value *value, char **text); /* null or missing: untouched */
int value_number(const struct value *value, double *number);
/* From `least` up to NUMBER_MAX. */
int value_from(const struct value *value, double least, double *number);
int value_whole(const struct value *value, double max, double *number);
int value_fields(const struct value *object, const struct fields *fields, void *base);
/* The same of a member that may be missing or null. */
int value_maybe(const struct value *object, const char *name, const struct fields *fields,
                void *base);
int value_texts(const struct value *array, char ***list, size_t *n);
/* Members `name` (two numbers from `least` up, or null) and "ci_level". */
int value_interval(const struct value *object, const char *name, double least,
                   struct interval *interval);

/* Entry of "results": adds one to the struct run `context` (json_result.c). */
int json_read_result(const struct value *entry, void *context);
/* Results are refused though each field alone is good (json_plausible.c): names that are
 * too long, a source that is not there and a summary that the samples contradict; two
 * cases of one id. */
int json_plausible_result(const struct value *entry, const struct run *run,
                          const struct result *result);
int json_plausible_run(const struct run *run, struct error *error);
/* Documents of other programs in place of ours (foreign_json.c), and of Google Benchmark
 * alone (gbench_json.c). */
bool json_is_foreign(const struct value *root);
/* A copy in which words such as NaN and Infinity, which other programs write as numbers,
 * are -1, which is no time; NULL: there are none. */
char *json_without_nan(const char *bytes, size_t size);
/* -EINVAL if a benchmark cannot have that name. */
int foreign_check_name(const struct value *entry, const char *name);
int json_read_foreign(const struct value *root, struct run *run);
bool json_is_gbench(const struct value *root);
int json_read_gbench(const struct value *root, struct run *run);
/* Member "judge" of the document (judgement_json.c). */
int json_read_judgements(const struct value *root, struct run *run);
/* Members "gate" of the document and "comparison" of an entry (json_comparison.c). */
int json_read_gate(const struct value *root, struct run *run);
int json_read_comparison(const struct value *entry, const struct run *run,
                         struct result *result);
/* Members "findings" and "explanation" of an entry (json_explanation.c). */
int json_read_explanation(const struct value *entry, struct result *result);

/* ---- studies ---- */

/* Member "studies" of the document (study_results_json.c). */
int json_read_studies(const struct value *root, struct run *run);
/* A study file (study_json.c). `strict`: a field that nobody knows is an error. */
int json_read_study(const struct value *root, bool strict, struct study *study);
/* Member "claims"; the arms are there already (study_claims_json.c). */
int json_read_claims(const struct value *root, bool strict, struct study *study);
/* Members "at" and "quick", or what the work says; `needed`: one of them must have a
 * shape (study_claims_json.c). */
struct study_shapes {
    char ***at, ***quick;
    size_t *n_at, *n_quick;
    bool needed;
};
int json_read_shapes(const struct value *object, const struct study *study,
                     const struct study_shapes *shapes);
/* Shapes, or nothing if there is no such member. */
int json_read_shape_list(const struct value *value, char ***list, size_t *n);
/* The name of an arm of the study. */
int json_read_arm_name(const struct value *value, const struct study *study, char **name);
/* False if an arm of that list has no shape of its own. */
bool json_arms_have_shapes(const struct study *study, char *const *names, size_t n);
/* -EINVAL for a member whose name is not in the list " id quote ". */
int value_only(const struct value *object, const char *names);
/* A number of threads or "all"; untouched if it is absent. */
int value_threads(const struct value *value, int *threads);
/* A text that is not empty. */
int value_filled(const struct value *value, char **text);
