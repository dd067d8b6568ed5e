/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other benchmark programs print: readings of their texts, and runs that are made of
 * them. The documents that they write as JSON are read by room json.
 */
#pragma once

#include <regex.h>
#include <stddef.h>

#include "error.h"
#include "model/model.h"

/* ---- readings (readings.c) ---- */

struct reading {
    char *name;
    double ns;        /* NaN: it was only listed */
    double step_ns;   /* of its last digit; 0: not told */
    char *reason;     /* reason why the case failed; NULL: it did not */
    bool told;        /* the harness itself tells that reason, of this case */
    bool no_time;     /* the reason: no time; another process may tell one */
    uint32_t threads; /* threads of the case; 0: not told */
    char *section;    /* the package or table that it stands in, or "" */
};
enum { SECTION_MOST = 199 };
struct readings {
    struct reading *entry;
    size_t n;
    char section[SECTION_MOST + 1]; /* of what is added from now on */
    bool repeats; /* the second number of a name is a repetition, not case NAME#2 */
};
/* A time that is no positive number is a failure for this reason. Nothing is added to
 * more than READINGS_MOST, nor without a name. */
#define FOREIGN_NO_TIME "its time is no positive number"
enum { READINGS_MOST = 5000 };
/* Longer names are left out. */
enum { FOREIGN_NAME_MOST = 4000 };
void readings_add(struct readings *readings, const char *name, size_t length, double ns);
/* The same of a number of some units, as it is printed. */
void readings_print(struct readings *readings, const char *name, size_t length,
                    const char *number, double unit);
/* The value of one in the last digit of a number: 0.01 in "1.50", 100 in "1.5e3". */
double last_digit(const char *number);
/* A case that is listed, without a time. */
void readings_list(struct readings *readings, const char *name, size_t length);
/* A reading with a name and a reason of its own. */
void readings_put(struct readings *readings, const char *name, size_t length,
                  const char *reason, struct reading reading);
/* Readings that are added from now on stand in that section of the text. */
void readings_begin(struct readings *readings, const char *section, size_t length);
/* Each name becomes SECTION/NAME if there are several sections. */
void readings_tell_apart(struct readings *readings);
struct reading *readings_find(const struct readings *readings, const char *name);
void readings_free(struct readings *readings);
/* "us" is 1000; NaN: no unit of time. */
double unit_ns(const char *unit, size_t length);

/* ---- texts (read_*.c) ---- */

/* Ways to read numbers. */
struct reading_form {
    const regex_t *pattern; /* of read_regex */
    double tick_ns;         /* of a tick of the time-stamp counter */
    uint32_t threads;       /* "-8" at the end of a name of Go is left out for 8 */
};
/* Takes any text, which it may cut up; -EINVAL if it is not what the harness prints. */
typedef int harness_reader(char *text, const struct reading_form *form,
                           struct readings *readings, struct error *error);
harness_reader read_go, read_criterion, read_divan, read_catch2, read_nanobench,
    read_checkasm, read_regex;
/* One name a line; and those that end in ": bench" or ": benchmark". */
harness_reader read_names, read_criterion_list;

/* ---- runs (foreign_run.c) ---- */

/* Names the harness of an empty run, and gives it what each run has. */
void foreign_begin(struct run *run, const char *harness);
/* Sets facts of the machine that do not change from run to run. */
void foreign_set_machine(struct run *run, const char *machine);
/* The result of that name, which is made if it is not there; or NULL. */
struct result *foreign_result(struct run *run, const char *name);
/* A repetition of a case. */
int foreign_add_sample(struct result *result, double ns);
/* A case of which the file has the median alone. */
void foreign_set_median(struct result *result, double ns);

/* The case of a document of criterion, which does not tell its name. */
#define FOREIGN_CRITERION "criterion"
/* Fills an empty run from any text of Go, criterion, divan, nanobench or Catch2. -EINVAL:
 * it is none. */
int foreign_read_text(struct run *run, const char *text, struct error *error);
