/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of x86-64 with all their operands, for leaves that have Zydis. */
#pragma once

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <string.h>

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

/* Values that an instruction of x87 puts on the stack of its registers before it writes;
 * if negative, takes from there after it did. */
static inline int x87_pushes(const ZydisDecodedInstruction *instruction)
{
    const ZydisMnemonic of = instruction->mnemonic;
    const char *const name = ZydisMnemonicGetString(of);
    const size_t n = strlen(name);
    if (instruction->meta.isa_ext != ZYDIS_ISA_EXT_X87 || of == ZYDIS_MNEMONIC_FLDCW ||
        of == ZYDIS_MNEMONIC_FLDENV || strstr(name, "nop") || strstr(name, "cstp"))
        return 0;
    if (of == ZYDIS_MNEMONIC_FILD || of == ZYDIS_MNEMONIC_FBLD ||
        of == ZYDIS_MNEMONIC_FPTAN || of == ZYDIS_MNEMONIC_FSINCOS ||
        of == ZYDIS_MNEMONIC_FXTRACT)
        return 1;
    if (of == ZYDIS_MNEMONIC_FPATAN || strncmp(name, "fyl2x", 5) == 0)
        return -1;
    return strncmp(name, "fld", 3) == 0 ? 1
           : name[n - 1] != 'p'         ? 0
                                        : -(name[n - 2] == 'p') - 1;
}
