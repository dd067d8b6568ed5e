/* SPDX-License-Identifier: Apache-2.0 */
/* A study with every measure and every verdict, and a run that measured it. */
#pragma once

#include "sample_run.h"

/* The file; and the arms of its first claim there. */
extern const char sample_study_file[];
#define SAMPLE_STUDY_OF "\"of\": [\"spill\", \"clean\"]"
/* Without results. Never NULL; the caller clears and frees it. */
struct study *sample_study(void);
/* A run of it. Always the same. */
struct run *sample_study_run(void);
/* Nearly every text of the study is hostile. */
struct run *sample_study_hostile(void);
