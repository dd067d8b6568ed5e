/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction from its bytes (insn.c), as far as its place matters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reference {
    REFERS_NOT,
    REFERS_BRANCH, /* a direct jump, call or branch */
    REFERS_LEA,    /* takes the address of a place relative to it */
    REFERS_SLOT,   /* jumps to, or calls, what such a place holds */
    REFERS_NUMBER, /* has the distance of a place from the linker's table of slots */
    REFERS_DATA    /* accesses such a place */
};
struct insn {
    uint64_t address, target; /* target: of the reference */
    enum reference reference;
    uint8_t length, field, field_bytes; /* field: where its displacement is */
    uint8_t data_bytes;                 /* of the place that it accesses */
    uint64_t moved;                     /* the number of 64 bits that it holds, or 0 */
    bool ends;                          /* the next instruction does not follow */
    bool indirect_jump, conditional, call, nop, padding, endbr;
};
enum { INSN_BYTES_MAX = 15 };
/* False for bytes that are no instruction, and in a build without Zydis. */
bool insn_decode(const unsigned char *bytes, size_t n, uint64_t address,
                 struct insn *insn);
/* The place that an entry of a jump table leads to. It is a distance from the table, of 4
 * bytes, or of 8 where code and data may lie anywhere. */
uint64_t entry_target(uint64_t table, const unsigned char *entry, size_t bytes);
