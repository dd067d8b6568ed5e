/* SPDX-License-Identifier: Apache-2.0 */
#include "passport_private.h"

ZydisRegister register_of(enum kind kind, int number, unsigned bits)
{
    const ZydisRegisterClass class = kind == KIND_MASK ? ZYDIS_REGCLASS_MASK
                                     : kind == KIND_VECTOR
                                         ? (bits >= 512   ? ZYDIS_REGCLASS_ZMM
                                            : bits == 256 ? ZYDIS_REGCLASS_YMM
                                                          : ZYDIS_REGCLASS_XMM)
                                     : bits == 8  ? ZYDIS_REGCLASS_GPR8
                                     : bits == 16 ? ZYDIS_REGCLASS_GPR16
                                     : bits == 32 ? ZYDIS_REGCLASS_GPR32
                                                  : ZYDIS_REGCLASS_GPR64;
    /* Zydis counts AH to BH after the four first registers of 8 bits. */
    const bool after = class == ZYDIS_REGCLASS_GPR8 && number >= 4;
    return ZydisRegisterEncode(class, (ZyanU8)(number + (after ? 4 : 0)));
}

ZydisEncoderOperand operand_register(ZydisRegister name)
{
    return (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = name};
}

ZydisEncoderOperand operand_at(int base, int64_t offset, unsigned bytes)
{
    return (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_MEMORY,
                                 .mem = {.base = register_of(KIND_GENERAL, base, 64),
                                         .displacement = offset,
                                         .size = (ZyanU16)bytes}};
}

ZydisEncoderOperand operand_number(int64_t value)
{
    return (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_IMMEDIATE, .imm.s = value};
}

static void append(struct block *block, const void *bytes, size_t n)
{
    if (block->n + n > BLOCK_BYTES)
        block->failed = true;
    if (block->failed)
        return;
    memcpy(block->code + block->n, bytes, n);
    block->n += n;
}

void emit_request(struct block *block, const ZydisEncoderRequest *request)
{
    unsigned char code[ZYDIS_MAX_INSTRUCTION_LENGTH];
    ZyanUSize n = sizeof code;
    if (ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(request, code, &n)))
        append(block, code, n);
    else
        block->failed = true;
}

void emit_operands(struct block *block, ZydisMnemonic mnemonic, size_t n,
                   const ZydisEncoderOperand *operands)
{
    ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                   .mnemonic = mnemonic,
                                   .operand_count = (ZyanU8)n};
    for (size_t i = 0; i < n; i++)
        request.operands[i] = operands[i];
    emit_request(block, &request);
}

static ZydisEncoderOperand general(int number)
{
    return operand_register(register_of(KIND_GENERAL, number, 64));
}

static const int saved[] = {3, 5, 12, 13, 14, 15};

static bool has(const struct block *block, const char *isa)
{
    __builtin_cpu_init();
    return !block->legacy && (isa[3] == '5' ? __builtin_cpu_supports("avx512bw") &&
                                                  __builtin_cpu_supports("avx512vl")
                                            : __builtin_cpu_supports("avx"));
}

void emit_load(struct block *block, ZydisEncoderOperand to, ZydisEncoderOperand from,
               unsigned bits)
{
    if (bits == 512)
        emit(block, VMOVUPS, to, operand_register(ZYDIS_REGISTER_K0), from);
    else if (bits == 256)
        emit(block, VMOVUPS, to, from);
    else
        emit(block, MOVUPS, to, from);
}

static void load_vectors(struct block *block)
{
    const bool wide = has(block, "avx512"), vex = has(block, "avx");
    const unsigned bits = wide ? 512 : vex ? 256 : 128;
    for (int i = 0; i < (wide ? 32 : 16); i++) {
        const ZydisEncoderOperand to =
            operand_register(register_of(KIND_VECTOR, i, bits));
        const ZydisEncoderOperand from =
            operand_at(REG_BASE, DATA_VECTORS + 64 * i, bits / 8);
        emit_load(block, to, from, bits);
    }
    for (int i = 0; wide && i < 8; i++)
        emit(block, KMOVQ, operand_register(register_of(KIND_MASK, i, 64)),
             operand_at(REG_BASE, DATA_MASKS + 8 * i, 8));
}

static void clean_vectors(struct block *block)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx"))
        emit_operands(block, ZYDIS_MNEMONIC_VZEROUPPER, 0, NULL);
}

/* Ones on the stack of x87, which has room for two more. */
enum { X87_VALUES = 6 };

void block_begin(struct block *block, const unsigned char *data)
{
    block->n = 0;
    block->failed = false;
    for (size_t i = 0; i < ARRAY_LEN(saved); i++)
        emit(block, PUSH, general(saved[i]));
    emit(block, MOV, general(REG_TURNS), general(7));
    emit(block, MOV, general(REG_BASE), operand_number((int64_t)(uintptr_t)data));
    clean_vectors(block);
    load_vectors(block);
    emit_operands(block, ZYDIS_MNEMONIC_FNINIT, 0, NULL);
    for (int i = 0; i < X87_VALUES; i++)
        emit_operands(block, ZYDIS_MNEMONIC_FLD1, 0, NULL);
    for (int i = 0; i < REG_BASE; i++)
        if (i != 4)
            emit(block, MOV, general(i), operand_at(REG_BASE, DATA_GENERAL + 8 * i, 8));
    emit(block, MOV, general(REG_HELPER), general(REG_BASE));
}

enum { LOOP_ALIGNMENT = 64 };

void block_loop(struct block *block)
{
    static const unsigned char nop = 0x90;
    while (block->n % LOOP_ALIGNMENT && !block->failed)
        append(block, &nop, 1);
    block->loop = block->n;
}

size_t block_body(const struct block *block)
{
    return block->n - block->loop;
}

void block_end(struct block *block)
{
    emit(block, DEC, general(REG_TURNS));
    unsigned char jump[6] = {0x0f, 0x85}; /* jnz, 32 bits */
    const int32_t distance = (int32_t)block->loop - (int32_t)(block->n + 6);
    memcpy(jump + 2, &distance, sizeof distance);
    append(block, jump, sizeof jump);
    emit_operands(block, ZYDIS_MNEMONIC_CLD, 0, NULL);
    emit_operands(block, ZYDIS_MNEMONIC_FNINIT, 0, NULL);
    clean_vectors(block);
    for (size_t i = ARRAY_LEN(saved); i-- > 0;)
        emit(block, POP, general(saved[i]));
    emit_operands(block, ZYDIS_MNEMONIC_RET, 0, NULL);
}
