/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a: a hash that is the same on all machines and in all runs. */
#pragma once

#include <stdint.h>
#include <string.h>

#define HASH_FIRST UINT64_C(0xcbf29ce484222325)

/* Adds n bytes to a hash, which begins as HASH_FIRST. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, uint64_t n)
{
    const unsigned char *const byte = bytes;
    for (uint64_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Adds a text and its end. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}
