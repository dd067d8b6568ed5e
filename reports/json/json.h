/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON: the document of a run, written and read (schema.json describes it), those of a
 * selftest and of license.
 */
#pragma once

#include "judge/judge.h"
#include "model/model.h"
#include "study/study.h"
#include "text/text.h"

/* ---- runs (json_write.c, json_read.c, json_file.c) ---- */

/* -EEXIST if two counters, settings or facts of one owner have the same name. */
int run_write_json(const struct run *run, FILE *file, struct error *error);
/* The same document as a tree, for json_free() if it returns 0. -EEXIST. */
int run_make_json(const struct run *run, struct json *json, struct error *error);
/* Takes any bytes. Rejects duplicate keys, trailing bytes, non-finite numbers, other
 * schema versions, wrong types: the error names the field's path
 * ("results[3].samples_ns[2]"), or the byte where it is no JSON at all. Unknown fields
 * are ignored. A document of Google Benchmark is read as well. Returns 0 or -EINVAL;
 * run_load also what open and read return. */
int run_read_json(struct run **run, const char *bytes, size_t size, struct error *error);
int run_load(struct run **run, const char *path, struct error *error);

/* ---- studies (study_json.c, study_claims_json.c) ---- */

/* A study file into an empty study. Takes any bytes. Errors name the field's path
 * ("claims[3].expect: ..."), also of what fits no other field: an arm that is not there,
 * a field that nobody knows. Returns 0 or -EINVAL; study_load also what open and read
 * return, and the bytes that it read, to be freed. What it holds is good for
 * study_clear() in any case. */
int study_read_json(struct study *study, const char *bytes, size_t size,
                    struct error *error);
int study_load(struct study *study, const char *path, char **bytes, size_t *size,
               struct error *error);

/* ---- project files (project_json.c) ---- */

/* A value that a section of a project file gives to a name. */
struct project_default {
    char *section, *name;
    char *value; /* as text; NULL: true or false, and `off` tells which */
    bool off;
    size_t line; /* from 1 */
};
/* Appends the defaults of {"SECTION": {"NAME": VALUE, ...}, ...} in their order; a list
 * of values makes one of each. Takes any bytes that are followed by a '\0'. Errors name
 * line, section and name. Returns 0 or -EINVAL; the list is good for
 * project_free() in any case. */
int project_read_json(struct project_default **list, size_t *n, const char *bytes,
                      size_t size, struct error *error);
void project_free(struct project_default *list, size_t n);

/* ---- license (license_json.c) ---- */

void license_json(const struct license *license, struct json *json);

/* ---- selftests (selftest_json.c) ---- */

enum { SELFTEST_SCHEMA_VERSION = 1 };
int selftest_write_json(const struct selftest *selftest, FILE *file, struct error *error);
/* Takes any bytes. The summary in them, if they are a selftest of that host; else NULL.
 */
char *selftest_cite(const char *bytes, size_t size, const char *fingerprint);
