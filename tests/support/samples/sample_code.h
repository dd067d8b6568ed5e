/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of what a case executes, and what a gate of code says of it. */
#pragma once

#include "sample_run.h"

void sample_code(struct comparison *comparison, enum code_verdict verdict);
/* Fills the proof of a case, by a number from 0: of a whole call, with a doubt; of
 * windows; none. */
void sample_proof(struct result *result, size_t seed);
