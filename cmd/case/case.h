/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room case: the id of a case, in text and in parts. The grammar is
 *
 *     [prefix:]op/[semiring-]type/isa/variant@shape[;setting=value]...
 *
 * where the prefix names a module and its options: `openblas,coretype=SkylakeX`.
 */
#pragma once

#include "error.h"

/* case_settings.sets of a request: as many sets as fit in the cache that holds one. */
#define SETS_AUTO UINT32_MAX
enum { SETS_MAX = 4096 };

/* The conditions of a case. An id leaves out each setting that has its default, and gives
 * the others in the order of this struct. */
struct case_settings {
    uint32_t threads; /* 0 and 1: one, the default */
    bool cold;        /* caches, before each call */
    bool huge_pages;
    uint64_t align;  /* of operands; 0 and 64: 64, the default */
    double most_ulp; /* kernels with larger errors are left out; 0: no kernel is */
    char *input;     /* values of operands; NULL: the op's default */
    uint32_t sets;   /* of operands, used in turn by calls; 0 and 1: one, the default */
};

struct case_name {
    char *prefix;                                       /* NULL: own kernels */
    char *op, *semiring, *type, *isa, *variant, *shape; /* semiring NULL: no semiring */
    struct case_settings settings;
    /* These two are in no id. */
    char *layout; /* NULL: the op's own */
    char *module; /* file or library to load for the prefix; NULL: none */
};

/* Does a word on the command line name a case, not an op? */
bool case_name_is(const char *word);
/* Reads an id. All parts are copies; case_name_free() frees them. Settings may stand in
 * any order. -EINVAL: the text is no id. */
int case_name_parse(const char *id, struct case_name *name, struct error *error);
/* Writes an id; the text is the caller's. A part that is NULL becomes `?`, but for prefix
 * and semiring. */
char *case_name_format(const struct case_name *name);
void case_name_free(struct case_name *name);
/* The id of the same case with another number of threads, to be freed; NULL: `id` is no
 * id. */
char *case_id_threads(const char *id, uint32_t threads);
/* Calls `each` with the name and the value of each setting that has not its default. */
typedef void setting_visitor(const char *name, const char *value, void *context);
void case_settings_each(const struct case_settings *settings, setting_visitor *each,
                        void *context);
