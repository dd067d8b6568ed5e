/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons of two builds, for tests of writers: a case of each verdict, and one that
 * is wrong. What run_judge() derives is filled in by hand, so that writers are tested
 * alone.
 */
#pragma once

#include "reports.h"

/* Measured together; a judge of its own failures. Never NULL. */
struct run *sample_verdicts(bool strict);
/* Two runs from files, of two machines: no trials, and times do not gate. */
struct run *sample_verdicts_stored(void);
struct run *sample_verdicts_code(void);
/* The first one, all strings hostile. */
struct run *sample_verdicts_hostile(void);

/* `cases` cases of a plain run, in groups of four. */
struct run *sample_many(size_t cases);
/* The same number of cases of a comparison, of which a third regressed. */
struct run *sample_verdicts_many(size_t cases);
