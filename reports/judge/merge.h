/* SPDX-License-Identifier: Apache-2.0 */
/* Private to judge/: how results of one run join another. */
#pragma once

#include "judge.h"

/* Numbers groups from 0: those of a file may leave no room for more. */
void results_number(struct run *run);
/* Appends a result, which is left empty. */
void result_move(struct run *into, struct result *result, size_t group, bool baseline);
/* Groups stand together again; within one, what joined stays last. */
void results_sort(struct run *run);
