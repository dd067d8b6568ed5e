/* SPDX-License-Identifier: Apache-2.0 */
/* Private to model/: result_free() and run_free() free these. */
#pragma once

#include "model.h"

void comparison_free(struct comparison *comparison); /* NULL is none */
void gate_free(struct gate *gate);
