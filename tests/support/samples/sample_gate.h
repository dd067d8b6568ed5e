/* SPDX-License-Identifier: Apache-2.0 */
/* Runs with a gate, for tests of what judges, writes and reads them. Always the same. */
#pragma once

#include "sample_run.h"

/* Two builds: each verdict, a noisy case, a library that differs. Judged. Never NULL. */
struct run *sample_gate(void);
/* The same with SAMPLE_HOSTILE for every string. */
struct run *sample_gate_hostile(void);
/* Cases of few trials, for tests that read it very often. */
struct run *sample_gate_small(size_t n);
