/* SPDX-License-Identifier: Apache-2.0 */
#include "passport_private.h"

/* A number that needs as many bytes as the form has. One of 32 bits is as small as a step
 * in memory: some cores add such numbers to a register in no time, and greater ones in a
 * cycle. */
static int64_t number_of(unsigned bits)
{
    return bits <= 8    ? 3
           : bits <= 16 ? 0x1234
           : bits <= 32 ? 0x234
                        : INT64_C(0x2346789abc);
}

static void replace(const ZydisDecodedOperand *from, const struct choice *choice,
                    unsigned i, ZydisEncoderOperand *to)
{
    const enum kind kind = operand_kind(from);
    if (!operand_is_free(from))
        return;
    if (from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        to->imm.s = number_of(from->size);
    } else if (kind == KIND_MEMORY) {
        const bool vsib = from->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
        to->mem.base = register_of(KIND_GENERAL, vsib ? REG_BASE : choice->number[i], 64);
        to->mem.displacement = choice->place;
        to->mem.scale = vsib;
        to->mem.index = ZYDIS_REGISTER_NONE;
        if (vsib)
            to->mem.index = register_of(
                KIND_VECTOR, choice->number[i],
                ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, from->mem.index));
    } else if (kind == KIND_GENERAL || kind == KIND_VECTOR || kind == KIND_MASK) {
        to->reg.value = register_of(
            kind, choice->number[i],
            ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, from->reg.value));
    }
}

int choice_request(const struct decoded *decoded, const struct choice *choice,
                   ZydisEncoderRequest *request)
{
    const ZydisDecodedInstruction *const instruction = &decoded->instruction;
    unsigned counted = 0;
    if (!ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
            instruction, decoded->all, instruction->operand_count_visible, request)))
        return -EINVAL;
    for (unsigned i = 0; i < request->operand_count; i++) {
        const ZydisDecodedOperand *const from = &decoded->all[i];
        if (from->encoding == ZYDIS_OPERAND_ENCODING_MASK &&
            from->reg.value == ZYDIS_REGISTER_K0)
            continue;
        replace(from, choice, counted++, &request->operands[i]);
    }
    return 0;
}

bool request_is(const ZydisEncoderRequest *request, const char *name)
{
    unsigned char code[ZYDIS_MAX_INSTRUCTION_LENGTH];
    struct passport_form form;
    ZyanUSize n = sizeof code;
    return ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(request, code, &n)) &&
           passport_form(code, n, &form) == 0 && strcmp(form.name, name) == 0;
}

/* ---- values ---- */

enum pattern {
    PATTERN_NUMBERS,
    PATTERN_HALF,
    PATTERN_FLOAT,
    PATTERN_DOUBLE,
    PATTERN_X87,   /* of 80 bits, at any even place */
    PATTERN_MXCSR, /* control words: exceptions are masked */
    PATTERN_FCW
};

static enum pattern pattern_of(const struct decoded *decoded)
{
    const ZydisMnemonic mnemonic = decoded->instruction.mnemonic;
    if (mnemonic == ZYDIS_MNEMONIC_LDMXCSR || mnemonic == ZYDIS_MNEMONIC_VLDMXCSR)
        return PATTERN_MXCSR;
    if (mnemonic == ZYDIS_MNEMONIC_FLDCW)
        return PATTERN_FCW;
    for (unsigned i = 0; i < decoded->n; i++)
        switch (decoded->operand[i].element_type) {
        case ZYDIS_ELEMENT_TYPE_FLOAT16:
            return PATTERN_HALF;
        case ZYDIS_ELEMENT_TYPE_FLOAT32:
            return PATTERN_FLOAT;
        case ZYDIS_ELEMENT_TYPE_FLOAT64:
            return PATTERN_DOUBLE;
        case ZYDIS_ELEMENT_TYPE_FLOAT80:
            return PATTERN_X87;
        default:
            break;
        }
    return PATTERN_NUMBERS;
}

static void fill(unsigned char *data, size_t n, enum pattern pattern)
{
    static const unsigned char ones[][8] = {
        [PATTERN_NUMBERS] = {1, 0, 0, 0, 1},
        [PATTERN_HALF] = {0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c},
        [PATTERN_FLOAT] = {0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f},
        [PATTERN_DOUBLE] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f},
        [PATTERN_X87] = {0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0},
        [PATTERN_MXCSR] = {0xc0, 0x9f, 0, 0, 0xc0, 0x9f},
        [PATTERN_FCW] = {0x7f, 3, 0x7f, 3, 0x7f, 3, 0x7f, 3}};
    for (size_t i = 0; i < n; i += 8)
        memcpy(data + i, ones[pattern], 8);
    /* Nobody loads the rounding that there is. */
    const unsigned char rounding = pattern == PATTERN_MXCSR ? 0x60 : 0x0c;
    for (size_t i = 9; pattern >= PATTERN_MXCSR && i < n; i += 16)
        data[i] |= rounding;
}

static void put(unsigned char *data, int number, uint64_t value)
{
    memcpy(data + DATA_GENERAL + 8 * number, &value, sizeof value);
}

enum { SMALL = 7, VECTOR_INDEX = 12 };

/* Divisions have quotients that fit. */
static void fill_general(unsigned char *data, const struct decoded *decoded)
{
    for (int i = 0; i < 16; i++)
        put(data, i, SMALL);
    if (decoded_divides(decoded)) {
        const unsigned bits = decoded->operand[0].size;
        put(data, 0, bits == 8 ? 100 : bits == 16 ? 10000 : 305419896);
        put(data, 2, 0);
    }
    for (unsigned i = 0; i < decoded->n; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operand[i];
        if (operand_kind(operand) == KIND_MEMORY && !operand_is_free(operand) &&
            ZydisRegisterGetClass(operand->mem.base) == ZYDIS_REGCLASS_GPR64)
            put(data, register_number(operand->mem.base),
                (uint64_t)(uintptr_t)(data + DATA_PLACES +
                                      (operand_reads(operand) ? DATA_ZEROS : 0)));
    }
}

/* Elements of indices are 0, 1, 2, ...; gathers load zeros, which are indices too. */
static void fill_indices(unsigned char *data, unsigned element_bits)
{
    unsigned char *const index = data + DATA_VECTORS + 64 * VECTOR_INDEX;
    memset(data + DATA_PLACES, 0, DATA_BYTES - DATA_PLACES);
    memset(data + DATA_VECTORS, 0xff, 64 * 32);
    memset(index, 0, 64);
    for (unsigned i = 0; i < 512 / element_bits; i++)
        index[i * element_bits / 8] = (unsigned char)(8 * i);
}

void data_fill(unsigned char *data, const struct decoded *decoded)
{
    const enum pattern pattern = pattern_of(decoded);
    const char *const name = ZydisMnemonicGetString(decoded->instruction.mnemonic);
    bool vectors = false;
    fill_general(data, decoded);
    memset(data + DATA_MASKS, 0xff, 64);
    memset(data + DATA_ZEROS, 0, DATA_PLACES - DATA_ZEROS);
    fill(data + DATA_VECTORS, 64 * 32, pattern);
    if (name && strstr(name, "maskmov"))
        memset(data + DATA_VECTORS, 0xff, 64 * 32);
    for (unsigned i = 0; i < decoded->n; i++)
        vectors |= operand_kind(&decoded->operand[i]) == KIND_VECTOR;
    fill(data + DATA_PLACES, DATA_BYTES - DATA_PLACES, pattern);
    for (size_t i = DATA_PLACES; !vectors && pattern < PATTERN_X87 && i < DATA_BYTES;
         i += 8)
        data[i] = SMALL, data[i + 4] = 0;
    for (unsigned i = 0; i < decoded->n; i++)
        if (decoded->operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            decoded->operand[i].mem.type == ZYDIS_MEMOP_TYPE_VSIB)
            fill_indices(
                data,
                name && (strstr(name, "gatherq") || strstr(name, "scatterq")) ? 64 : 32);
}
