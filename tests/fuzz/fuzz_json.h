/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Reads any bytes as a run and as a study, and aborts if a promise of the reader is
 * broken: either there is a sentence about what is wrong, or what was read can be
 * written, read and written again with the same bytes, and printed in every format.
 * Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
