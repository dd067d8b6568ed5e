/* SPDX-License-Identifier: Apache-2.0 */
/* An edit while it is planned, and its instructions. */
#pragma once

#include "decode.h"
#include "surgery_private.h"

struct one {
    const struct surgery_seen *seen;
    const unsigned char *bytes;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};
/* All that is known of an edit while it is planned. */
struct planning {
    struct surgery *surgery;
    const struct surgery_seen *seen;
    size_t n;
    struct changes *changes;
    uint64_t altered; /* vector registers and masks, as of edit_is_safe() */
    struct error *error;
};

bool one_decode(const struct planning *planning, const struct surgery_seen *seen,
                struct one *one);
/* True for a name that begins so, behind a leading v. */
bool one_starts(const struct one *one, const char *with);
/* Plain moves of vectors or floats. */
bool one_moves(const struct one *one, bool to_memory);
uint64_t vector_bit(ZydisRegister reg);   /* 0: no vector */
uint64_t register_bit(ZydisRegister reg); /* of a mask, too */
bool is_vector_operand(const ZydisDecodedOperand *operand);

struct change change_as_built(const struct one *one);
/* Zeroes a register: cores know that the result depends on nothing. 0: it cannot be. */
uint8_t encode_zero(const struct one *one, ZydisRegister reg, unsigned char *bytes);
/* Makes zero all values that a turn of a loop takes from the turn before. */
int cut_loops(struct planning *planning);
/* Makes a load that crosses a line of the cache read other bytes, within one line. */
int edit_whole(struct planning *planning, const struct one *one);
