/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of x86-64 with all their operands, for leaves that have Zydis. */
#pragma once

#include <Zydis/Zydis.h>
#include <stdbool.h>

/* False for bytes that begin with no instruction. */
static inline bool decode(const void *bytes, size_t n,
                          ZydisDecodedInstruction *instruction,
                          ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
    ZydisDecoder decoder;
    return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
                                         ZYDIS_STACK_WIDTH_64)) &&
           ZYAN_SUCCESS(
               ZydisDecoderDecodeFull(&decoder, bytes, n, instruction, operands));
}
