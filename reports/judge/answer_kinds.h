/* SPDX-License-Identifier: Apache-2.0 */
/* Private to judge/: the answers that run_answer() chooses from. Each adds its lines. */
#pragma once

#include "judge/judge.h"

/* May a command name that word as it is? */
bool is_harmless(const char *word);

/* Kernels of one family do the same work: they differ in their instruction set and
 * variant. The kernel of a case is "avx512/fma" of
 * "gemm/maxplus-f32/avx512/fma@64x64x64". */
const char *kernel_row(const struct result *result, size_t *length);
void kernel_tell(const struct result *result, struct buffer *text); /* that name */
bool kernel_same(const struct result *a, const struct result *b);
bool family_same(const struct result *a, const struct result *b);
bool kernel_asked(const struct result *result); /* no limit, baseline or other file */
/* Was it asked for, and has it a time? */
bool kernel_measured(const struct result *result);
/* The speed beside that of the fastest scalar kernel, paired by round; 0: there is none,
 * or a neighbour on the core had a part in the times. */
double scalar_times(const struct run *run, const struct result *result);
/* Asks why a kernel is as slow as it is. One of a module has an id that is found with
 * that module alone: the only plug-in of the run, without options. */
void ask_why(struct buffer *text, const struct run *run, const struct result *result);
/* Roofs do different things, so that none is the fastest: adds the highest rate at each
 * level of memory, of the family of `like`. */
bool is_roof_op(const struct result *result);
void add_roofs(struct buffer *text, const struct run *run, const struct result *like);

void audit_answer(const struct run *run, struct answer *answer);
void judged_answer(const struct run *run, struct answer *answer);
void gate_answer(const struct run *run, struct answer *answer);
bool run_is_explained(const struct run *run);
void explained_answer(const struct run *run, struct answer *answer);
void doubts_answer(const struct run *run, struct answer *answer);
void studies_answer(const struct run *run, struct answer *answer);
void threads_answer(const struct run *run, struct answer *answer);
/* Are there groups that have cases with one thread and with more? */
bool run_tries_threads(const struct run *run);
