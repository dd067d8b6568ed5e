/* SPDX-License-Identifier: Apache-2.0 */
/* Rooms for blocks, and the instructions in a turn of each. */
#pragma once

#include "passport_private.h"
#include "unit.h"

static unsigned char code_room[SESSION_BLOCKS][BLOCK_BYTES];

/* The instructions of a turn, and the code that has them. */
struct counted {
    unsigned char code[BLOCK_BYTES];
    size_t bytes;
    unsigned of[ZYDIS_MNEMONIC_MAX_VALUE + 1];
};

/* A block is called many times: it is decoded once. */
static const unsigned *count_turn(const unsigned char *code)
{
    static struct counted rooms[ARRAY_LEN(code_room)];
    struct counted *const room = &rooms[(size_t)(code - code_room[0]) / BLOCK_BYTES];
    bool inside = false;
    if (room->bytes && !memcmp(room->code, code, room->bytes))
        return room->of;
    memset(room->of, 0, sizeof room->of);
    room->bytes = 0;
    while (!room->of[ZYDIS_MNEMONIC_RET]) {
        const size_t left = BLOCK_BYTES - room->bytes;
        struct decoded decoded;
        assert_int_equal(decoded_read(code + room->bytes, left, &decoded), 0);
        inside |= decoded.instruction.mnemonic == ZYDIS_MNEMONIC_NOP;
        room->of[decoded.instruction.mnemonic] += inside;
        room->bytes += decoded.instruction.length;
    }
    memcpy(room->code, code, room->bytes);
    return room->of;
}
