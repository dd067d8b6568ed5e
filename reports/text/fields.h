/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the fields of a struct: their names in JSON, by which room json writes and
 * reads them, and what they hold, which is freed.
 */
#pragma once

#include <stddef.h>

#include "stats/stats.h"
#include "text.h"

enum field_kind {
    FIELD_TEXT,   /* string; NULL is written as "" */
    FIELD_NAME,   /* string, or null for NULL; may be missing */
    FIELD_ABSENT, /* the same: reason why the fields behind it are neither written nor
                     read */
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
    FIELD_VALUE_CI,  /* the same of any numbers */
    FIELD_ENDS,      /* the same from 0 up with the level of another one */
    FIELD_PART,      /* object */
    FIELD_KNOWN,     /* the same; null or missing if the texts at its front are NULL */
    FIELD_MAYBE,     /* the same of a struct behind a pointer; null or missing for NULL */
    FIELD_WORD,      /* string: the name of a value of an enumeration */
    FIELD_TOLD,      /* the same; a reader derives the value anew */
    FIELD_TEAM,      /* number of threads from 1, or "all" for -1; 0: missing */
    FIELD_LIST,      /* array of objects */
    FIELD_LATER,     /* the same; may be missing: older files do not have it */
    FIELD_KEYED,     /* object of numbers, or of texts: an array of names and these */
    FIELD_NAMED,     /* object of objects: an array of structs that begin with their
                        names; value_fields() leaves it to its caller */
    FIELD_PAIR,      /* array of up to two strings: the struct has two pointers */
    FIELD_TEXTS,     /* array of strings */
    FIELD_NOTES,     /* the same; may be missing */
    FIELD_NUMBERS,   /* array of numbers from 0 up */
};

/* One member of a struct, at `offset`; the fields in it, and where a list has its length
 * (of words: their number). */
struct fields;
struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    const struct fields *inner;
    const char *const *words;
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
#define FIELD_PART_AS(name_, kind_, type, member, fields) \
    {.name = name_,                                       \
     .kind = FIELD_##kind_,                               \
     .offset = offsetof(struct type, member),             \
     .inner = &(fields)}
#define FIELD_PART_OF(type, member, fields) \
    FIELD_PART_AS(#member, PART, type, member, fields)
#define FIELD_MAYBE_AS(name_, type, member, fields) \
    {.name = name_,                                 \
     .kind = FIELD_MAYBE,                           \
     .offset = offsetof(struct type, member),       \
     .inner = &(fields),                            \
     .size = sizeof *((struct type *)NULL)->member}
#define FIELD_MAYBE_OF(type, member, fields) FIELD_MAYBE_AS(#member, type, member, fields)
#define FIELD_WORD_AS(name_, kind_, type, member, names) \
    {.name = name_,                                      \
     .kind = FIELD_##kind_,                              \
     .offset = offsetof(struct type, member),            \
     .words = names,                                     \
     .length = ARRAY_LEN(names)}
#define FIELD_LIST_AS(name_, kind_, type, list, n_, fields) \
    {.name = name_,                                         \
     .kind = FIELD_##kind_,                                 \
     .offset = offsetof(struct type, list),                 \
     .inner = &(fields),                                    \
     .length = offsetof(struct type, n_),                   \
     .size = sizeof *((struct type *)NULL)->list}
/* An array of texts or numbers. */
#define FIELD_ARRAY(name_, kind_, type, list, n_) \
    {.name = name_,                               \
     .kind = FIELD_##kind_,                       \
     .offset = offsetof(struct type, list),       \
     .length = offsetof(struct type, n_)}
#define FIELD(kind, type, member) FIELD_AS(#member, kind, type, member)
#define FIELDS(...) \
    {(const struct field[]){__VA_ARGS__}, ARRAY_LEN(((struct field[]){__VA_ARGS__}))}

/* Frees all texts and lists that these fields hold, in what they contain too. */
void fields_free(const struct fields *fields, void *base);

/* Adds the fields of the struct at `base` to an object. */
void json_fields(struct json *json, struct cJSON *parent, const struct fields *fields,
                 const void *base);
/* An object, or null in its place and NULL if there is nothing to tell. */
struct cJSON *json_maybe(struct json *json, struct cJSON *parent, const char *name,
                         bool known);
/* Adds an interval as two numbers or null, and its level unless `level_name` is NULL. */
void json_interval(struct json *json, struct cJSON *parent, const char *name,
                   const char *level_name, const struct interval *interval);
