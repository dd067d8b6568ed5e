/* SPDX-License-Identifier: Apache-2.0 */
/* Inside reports: who owns a comparison frees it. */
#ifndef SIMDBENCH_COMPARISON_H
#define SIMDBENCH_COMPARISON_H

#include "reports.h"

void comparison_free(struct comparison *comparison); /* NULL is none */
void gate_free(struct gate *gate);

#endif
