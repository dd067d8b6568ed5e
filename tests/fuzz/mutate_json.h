/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* SplitMix64: the same numbers everywhere. */
uint64_t mutate_random(uint64_t *seed);
/* A document with one to three members changed: gone, there twice, of another type, under
 * another name, moved, too large, too deep. It is JSON if `text` is, else NULL; free it.
 */
char *mutate_json(const char *text, size_t size, uint64_t *seed);
/* Changes bytes in place: flips, cuts, copies, tokens. Returns the new size, at most
 * `room` and at least 1. */
size_t mutate_bytes(char *bytes, size_t size, size_t room, uint64_t *seed);
