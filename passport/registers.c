/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of the operands of a form, and instructions that wait for none other.
 */
#include "passport_private.h"

/* All vectors begin alike: a copy of the last one, which cores rename, restores any. */
enum { PLACES = 8, SPARE_VECTOR = 15 };

static bool is_fixed_number(const struct decoded *decoded, enum kind kind, int number)
{
    for (unsigned i = 0; i < decoded->n; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operand[i];
        if (operand_is_free(operand))
            continue;
        if (operand_kind(operand) == kind && kind != KIND_MEMORY &&
            register_number(operand->reg.value) == number)
            return true;
        if (operand_kind(operand) == KIND_MEMORY && kind == KIND_GENERAL &&
            ((operand->mem.base && register_number(operand->mem.base) == number) ||
             (operand->mem.index && register_number(operand->mem.index) == number)))
            return true;
    }
    return false;
}

struct pool choice_pool(const struct decoded *decoded, enum kind kind)
{
    static const int generals[] = {8, 9, 0, 1, 2, 3, 5, 6, 7};
    const int room = kind == KIND_GENERAL  ? (int)ARRAY_LEN(generals)
                     : kind == KIND_VECTOR ? ROOM
                                           : 4;
    struct pool pool = {.n = 0};
    for (int i = 0; i < room; i++) {
        const int number = kind == KIND_GENERAL ? generals[i]
                           : kind == KIND_MASK  ? i + 1
                                                : i;
        if (!is_fixed_number(decoded, kind, number))
            pool.number[pool.n++] = number;
    }
    return pool;
}

bool operand_is_vsib(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
}

bool decoded_gathers(const struct decoded *decoded)
{
    for (unsigned i = 0; i < decoded->n; i++)
        if (operand_is_vsib(&decoded->operand[i]))
            return true;
    return false;
}

void choice_make(const struct decoded *decoded, unsigned first, unsigned registers,
                 struct choice *choice)
{
    static const int generals[] = {13, 11, 10}, vectors[] = {13, 14, 12},
                     masks[] = {7, 5, 6};
    unsigned general = 0, vector = 0, mask = 0, result = first;
    choice->place = DATA_PLACES;
    for (unsigned i = 0; i < decoded->n; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operand[i];
        const enum kind kind = operand_kind(operand);
        choice->number[i] = operand_is_vsib(operand) ? 12 : REG_BASE;
        if (!operand_is_free(operand) || kind == KIND_MEMORY || kind == KIND_NONE)
            continue;
        const bool mask_of_gather =
            decoded_gathers(decoded) && i > 0 && operand_writes(operand);
        if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK) {
            choice->number[i] = 6;
        } else if (operand_writes(operand) && !mask_of_gather) {
            const struct pool pool = choice_pool(decoded, kind);
            const unsigned n =
                registers < (unsigned)pool.n ? registers : (unsigned)pool.n;
            choice->number[i] = pool.number[result++ % n];
        } else {
            choice->number[i] = kind == KIND_GENERAL  ? generals[general++ % 3]
                                : kind == KIND_VECTOR ? vectors[vector++ % 3]
                                                      : masks[mask++ % 3];
        }
    }
}

int choice_number(const struct decoded *decoded, const struct choice *choice, unsigned i)
{
    const ZydisDecodedOperand *const operand = &decoded->operand[i];
    return operand_is_free(operand) ? choice->number[i]
                                    : register_number(operand->reg.value);
}

/* ---- what is loaded anew ---- */

unsigned block_vector_bits(const struct block *block)
{
    __builtin_cpu_init();
    return block->legacy                        ? 128
           : __builtin_cpu_supports("avx512vl") ? 512
           : __builtin_cpu_supports("avx")      ? 256
                                                : 128;
}

static void load_again(struct block *block, enum kind kind, int number)
{
    const unsigned bits = kind == KIND_VECTOR ? block_vector_bits(block) : 64;
    const ZydisEncoderOperand to = operand_register(register_of(kind, number, bits));
    if (kind == KIND_FLAGS)
        emit(block, TEST, operand_register(register_of(KIND_GENERAL, REG_BASE, 64)),
             operand_register(register_of(KIND_GENERAL, REG_BASE, 64)));
    else if (kind == KIND_GENERAL)
        emit(block, MOV, to, operand_at(REG_BASE, DATA_GENERAL + 8 * number, 8));
    else if (kind == KIND_MASK)
        emit(block, KMOVQ, to, operand_at(REG_BASE, DATA_MASKS + 8 * number, 8));
    else
        emit_load(block, to, operand_register(register_of(kind, SPARE_VECTOR, bits)),
                  bits);
}

static bool is_destroyed(const struct decoded *decoded, const struct choice *choice,
                         unsigned number)
{
    const enum kind kind = operand_kind(&decoded->operand[number]);
    for (unsigned i = 0; i < decoded->n; i++)
        if (operand_writes(&decoded->operand[i]) &&
            operand_kind(&decoded->operand[i]) == kind &&
            (kind == KIND_FLAGS ||
             choice_number(decoded, choice, i) == choice_number(decoded, choice, number)))
            return true;
    return false;
}

void choice_load_destroyed(struct block *block, const struct decoded *decoded,
                           const struct choice *choice, int kept, bool turns, bool flags)
{
    for (unsigned i = 0; i < decoded->n; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operand[i];
        const enum kind kind = operand_kind(operand);
        const bool takes_turns =
            turns && operand_is_free(operand) && !(decoded_gathers(decoded) && i > 0);
        if (kind == KIND_NONE || kind == KIND_MEMORY || (int)i == kept || takes_turns ||
            !operand_reads(operand) || (kind == KIND_FLAGS && !flags))
            continue;
        if (is_destroyed(decoded, choice, i))
            load_again(block, kind, choice_number(decoded, choice, i));
    }
}

void choice_emit(struct block *block, const struct decoded *decoded,
                 const struct choice *choice)
{
    ZydisEncoderRequest request;
    const int pushes = x87_pushes(&decoded->instruction);
    /* The stack of x87 stays as high as it is: without a value, or without room for one,
     * some cores take hundreds of cycles. */
    for (int i = pushes; i < 0; i++)
        emit_operands(block, ZYDIS_MNEMONIC_FLD1, 0, NULL);
    if (choice_request(decoded, choice, &request) < 0)
        block->failed = true;
    else
        emit_request(block, &request);
    if (pushes > 0)
        emit(block, FSTP, operand_register(ZYDIS_REGISTER_ST0));
}

static unsigned results_of(const struct decoded *decoded)
{
    unsigned n = 0;
    for (unsigned i = 0; i < decoded->n; i++)
        n += operand_is_free(&decoded->operand[i]) &&
             operand_writes(&decoded->operand[i]) &&
             operand_kind(&decoded->operand[i]) != KIND_MEMORY;
    return n ? n : 1;
}

unsigned chain_registers(const struct decoded *decoded)
{
    for (unsigned i = 0; i < decoded->n; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operand[i];
        const enum kind kind = operand_kind(operand);
        if (operand_is_free(operand) && operand_writes(operand) && kind != KIND_MEMORY &&
            kind != KIND_NONE)
            return (unsigned)choice_pool(decoded, kind).n;
    }
    return PLACES;
}

/* Places are aligned. Where each has a line of its own, they lie in different banks of
 * the first cache. */
static int64_t place_step(const struct decoded *decoded, bool near)
{
    int64_t bytes = 8;
    for (unsigned i = 0; i < decoded->n; i++)
        if (operand_kind(&decoded->operand[i]) == KIND_MEMORY &&
            decoded->operand[i].size > 8 * bytes)
            bytes = decoded->operand[i].size / 8;
    return near ? bytes : DATA_STEP + bytes;
}

void chain_beside(struct block *block, unsigned unit)
{
    const ZydisEncoderOperand general =
        operand_register(register_of(KIND_GENERAL, 12, 64));
    if (unit == PASSPORT_PRODUCTS)
        emit(block, IMUL, general, operand_register(register_of(KIND_GENERAL, 13, 64)),
             operand_number(3));
    else if (unit == PASSPORT_PERMUTES && block->legacy)
        emit(block, MOVD, operand_register(register_of(KIND_VECTOR, 12, 128)),
             operand_register(register_of(KIND_GENERAL, 13, 32)));
    else if (unit == PASSPORT_PERMUTES)
        emit(block, VPERMD, operand_register(register_of(KIND_VECTOR, 12, 256)),
             operand_register(register_of(KIND_VECTOR, 13, 256)),
             operand_register(register_of(KIND_VECTOR, 14, 256)));
    else if (unit == PASSPORT_MASKS)
        emit(block, KMOVQ, general, operand_register(register_of(KIND_MASK, 7, 64)));
    else if (unit == BITWISE_256)
        emit(block, VPAND, operand_register(register_of(KIND_VECTOR, 12, 256)),
             operand_register(register_of(KIND_VECTOR, 13, 256)),
             operand_register(register_of(KIND_VECTOR, 14, 256)));
    else if (unit == BITWISE_512)
        emit(block, VPANDD, operand_register(register_of(KIND_VECTOR, 12, 512)),
             operand_register(ZYDIS_REGISTER_K0),
             operand_register(register_of(KIND_VECTOR, 13, 512)),
             operand_register(register_of(KIND_VECTOR, 14, 512)));
}

void chain_none(struct block *block, const struct decoded *decoded, unsigned copies,
                const struct apart *apart)
{
    struct choice choice;
    for (unsigned i = 0; i < copies; i++) {
        choice_make(decoded, i * results_of(decoded), apart->registers, &choice);
        choice.place += (int64_t)(i % PLACES) * place_step(decoded, apart->near);
        choice_load_destroyed(block, decoded, &choice, -1, true, apart->flags);
        choice_emit(block, decoded, &choice);
        for (unsigned k = 0; k < apart->many; k++)
            chain_beside(block, apart->beside);
    }
}
