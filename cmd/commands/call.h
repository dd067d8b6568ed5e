/* SPDX-License-Identifier: Apache-2.0 */
/* Private to room commands: functions that the command line declares. */
#pragma once

#include "cli/cli.h"
#include "library_files.h"

#include <limits.h>

/* LIB:FUNCTION[,FUNCTION...] and a prototype. */
struct called {
    char object[PATH_MAX];   /* the library */
    struct text_list places; /* of functions, the first one names the op */
    char op[DECLARED_NAME];
    char folder[PATH_MAX], file[PATH_MAX + DECLARED_NAME + 8];
    char *linked; /* temporary shared object of an archive or object file; or NULL */
    char reference[2 * PATH_MAX]; /* with the path of its library, if it has one */
};

/* Asks for the kernels of a module (NULL: own ones), of one op (NULL: all), without
 * baselines. */
void request_module(struct options *options, const char *module, const char *op);
/* Writes the declaration with the options of `call` to called->file: that of --save, or a
 * temporary one. called_forget() removes what is temporary, after a failure too. */
int called_declare(struct options *options, const char *where, const char *prototype,
                   struct called *called, struct error *error);
void called_forget(struct called *called);
/* BASE:FUNCTION HEAD 'PROTOTYPE' become two libraries, and a declaration for both. HEAD
 * may name its function too, which is that of BASE. */
int called_builds(struct options *options, struct called *called, struct error *error);
/* Reads a library, after linking it if it is an archive or an object file. `decode`: also
 * its instructions, and tells how it was linked. */
int called_open(const char *given, bool decode, struct library *library,
                struct error *error);
