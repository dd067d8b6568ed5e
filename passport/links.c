/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of one form. Registers 0 and up take results in turns, others are read only:
 * general ones 10, 11 and 13, vectors 12 to 14, masks 5 to 7. What an instruction
 * destroys and reads again is loaded anew before each, so that nothing waits for the one
 * before but through the link that is measured. Helpers between two instructions carry a
 * result to an operand of another kind, always through general register 12. */
#include "passport_private.h"

#include <math.h>

/* ---- helpers ---- */

static ZydisEncoderOperand helper_register(unsigned bits)
{
    return operand_register(register_of(KIND_GENERAL, REG_HELPER, bits));
}

static ZydisEncoderOperand general(int number)
{
    return operand_register(register_of(KIND_GENERAL, number, 64));
}

static void move_vector(struct block *block, ZydisEncoderOperand to,
                        ZydisEncoderOperand from)
{
    if (block_vector_bits(block) > 128)
        emit(block, VMOVQ, to, from);
    else
        emit(block, MOVQ, to, from);
}

static void emit_clear(struct block *block)
{
    emit(block, AND, helper_register(64), operand_number(0));
}

/* A conditional move by a flag that was written. */
static void emit_flag(struct block *block, uint32_t flags)
{
    if (!flags || flags & ZYDIS_CPUFLAG_CF)
        emit(block, CMOVB, helper_register(64), general(13));
    else if (flags & ZYDIS_CPUFLAG_ZF)
        emit(block, CMOVZ, helper_register(64), general(13));
    else if (flags & ZYDIS_CPUFLAG_SF)
        emit(block, CMOVS, helper_register(64), general(13));
    else
        emit(block, CMOVO, helper_register(64), general(13));
}

static void load_result(struct block *block, int64_t place, unsigned bits)
{
    const ZydisEncoderOperand from =
        operand_at(REG_BASE, place, bits > 64 ? 8 : bits / 8);
    if (bits < 32)
        emit(block, MOVZX, helper_register(32), from);
    else
        emit(block, MOV, helper_register(bits < 64 ? 32 : 64), from);
}

static uint32_t flags_written(const struct decoded *decoded)
{
    const ZydisAccessedFlags *const flags = decoded->instruction.cpu_flags;
    return flags ? flags->modified | flags->set_0 | flags->set_1 : 0;
}

/* From a result to the helper's register. */
static double carry_from(struct block *block, const struct decoded *decoded,
                         const struct choice *choice, unsigned i,
                         const struct helpers *helpers)
{
    const ZydisDecodedOperand *const operand = &decoded->operand[i];
    const enum kind kind = operand_kind(operand);
    const int number = kind == KIND_MEMORY || kind == KIND_FLAGS
                           ? -1
                           : choice_number(decoded, choice, i);
    switch (kind) {
    case KIND_GENERAL:
        emit(block, MOV, helper_register(64), general(number));
        return helpers->move;
    case KIND_VECTOR:
        move_vector(block, helper_register(64),
                    operand_register(register_of(KIND_VECTOR, number, 128)));
        return helpers->vector;
    case KIND_MASK:
        emit(block, KMOVW, helper_register(32),
             operand_register(register_of(KIND_MASK, number, 64)));
        return helpers->mask;
    case KIND_FLAGS:
        emit_flag(block, flags_written(decoded));
        return helpers->flags;
    case KIND_MEMORY:
        load_result(block, choice->place, operand->size);
        return helpers->load;
    default:
        block->failed = true;
        return 0;
    }
}

/* From the helper's register to an operand. */
static double carry_to(struct block *block, const struct decoded *decoded,
                       const struct choice *choice, const struct passport_link *link,
                       const struct helpers *helpers)
{
    const ZydisDecodedOperand *const operand = &decoded->operand[link->from];
    const enum kind kind = operand_kind(operand);
    if (link->address) {
        emit_clear(block);
        emit(block, OR, helper_register(64), general(REG_BASE));
        return helpers->clear + helpers->set;
    }
    const int number =
        kind == KIND_FLAGS ? -1 : choice_number(decoded, choice, link->from);
    switch (kind) {
    case KIND_GENERAL:
        if (decoded_divides(decoded)) {
            emit_clear(block);
            emit(block, OR, helper_register(64),
                 operand_at(REG_BASE, DATA_GENERAL + 8 * number, 8));
        }
        emit(block, MOV, general(number), helper_register(64));
        return helpers->move +
               (decoded_divides(decoded) ? helpers->clear + helpers->set : 0);
    case KIND_VECTOR:
        move_vector(block, operand_register(register_of(KIND_VECTOR, number, 128)),
                    helper_register(64));
        return helpers->vector;
    case KIND_MASK:
        emit(block, KMOVW, operand_register(register_of(KIND_MASK, number, 64)),
             helper_register(32));
        return helpers->mask;
    case KIND_FLAGS:
        emit(block, CMP, helper_register(64), general(13));
        return helpers->flags;
    default:
        block->failed = true;
        return 0;
    }
}

/* ---- one link ---- */

/* A result is the next operand, without a helper. */
static bool is_direct(const struct decoded *decoded, const struct passport_link *link)
{
    const ZydisDecodedOperand *const from = &decoded->operand[link->from];
    const ZydisDecodedOperand *const to = &decoded->operand[link->to];
    const enum kind kind = operand_is_vsib(from) ? KIND_VECTOR : operand_kind(from);
    if (kind == KIND_MEMORY && !link->address)
        return link->from == link->to;
    return operand_is_free(from) && operand_is_free(to) && kind == operand_kind(to) &&
           kind != KIND_MEMORY && !decoded_divides(decoded);
}

static void choose_link(const struct decoded *decoded, const struct passport_link *link,
                        unsigned i, struct choice *choice)
{
    const ZydisDecodedOperand *const from = &decoded->operand[link->from];
    const ZydisDecodedOperand *const to = &decoded->operand[link->to];
    const enum kind kind = operand_is_vsib(from) ? KIND_VECTOR : operand_kind(from);
    const bool direct = is_direct(decoded, link);
    choice_make(decoded, 3, ROOM, choice); /* results that are not of the link */
    if (operand_is_free(to) && operand_kind(to) != KIND_MEMORY)
        choice->number[link->to] =
            choice_pool(decoded, operand_kind(to))
                .number[direct && link->from != link->to ? i % 2 : 0];
    if (link->address && !operand_is_vsib(from))
        choice->number[link->from] = REG_HELPER;
    else if (operand_is_free(from) && kind != KIND_MEMORY && link->from != link->to)
        choice->number[link->from] =
            choice_pool(decoded, kind).number[direct ? (i + 1) % 2 : 2];
}

void chain_fence(struct block *block)
{
    emit_operands(block, ZYDIS_MNEMONIC_LFENCE, 0, NULL);
}

bool chain_link(struct block *block, const struct decoded *decoded,
                const struct passport_link *link, unsigned copies,
                const struct helpers *helpers, double *help)
{
    struct choice choice;
    *help = 0;
    for (unsigned i = 0; i < copies; i++) {
        const bool direct = is_direct(decoded, link);
        choose_link(decoded, link, i, &choice);
        /* The counter of turns overwrites flags: the helper's register hands on. */
        *help = direct ? 0 : carry_to(block, decoded, &choice, link, helpers);
        choice_load_destroyed(block, decoded, &choice, link->from, false, true);
        choice_emit(block, decoded, &choice);
        *help += direct ? 0 : carry_from(block, decoded, &choice, link->to, helpers);
    }
    return !block->failed && isfinite(*help);
}

/* Flags are a result to measure if nothing else is; old values that a gather keeps, and
 * its mask, are left out. */
static bool is_result(const struct decoded *decoded, unsigned i)
{
    const ZydisDecodedOperand *const operand = &decoded->operand[i];
    const enum kind kind = operand_kind(operand);
    if (!operand_writes(operand) || kind == KIND_NONE || operand_is_vsib(operand) ||
        (kind == KIND_MEMORY && !operand_is_free(operand)) ||
        (decoded_gathers(decoded) && i > 0))
        return false;
    for (unsigned other = 0; kind == KIND_FLAGS && other < decoded->n; other++)
        if (other != i && operand_writes(&decoded->operand[other]))
            return false;
    return true;
}

/* A register that holds an address must keep it. */
static bool is_hidden_base(const struct decoded *decoded, unsigned i)
{
    const ZydisDecodedOperand *const operand = &decoded->operand[i];
    for (unsigned k = 0; k < decoded->n; k++) {
        const ZydisDecodedOperand *const other = &decoded->operand[k];
        if (operand_kind(other) == KIND_MEMORY && !operand_is_free(other) &&
            operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            other->mem.base == operand->reg.value)
            return true;
    }
    return false;
}

static bool is_source(const struct decoded *decoded, unsigned i, unsigned to)
{
    const ZydisDecodedOperand *const operand = &decoded->operand[i];
    const enum kind kind = operand_kind(operand);
    if (kind == KIND_MEMORY)
        return operand_is_free(operand) &&
               (i == to || operand_kind(&decoded->operand[to]) != KIND_MEMORY);
    return operand_reads(operand) && kind != KIND_NONE && !decoded_gathers(decoded) &&
           (i == to || !is_hidden_base(decoded, i));
}

/* A masked store keeps old bytes without a load. */
static bool is_loaded(const ZydisDecodedOperand *operand)
{
    return operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
}

size_t chain_links(const struct decoded *decoded, struct passport_link *links)
{
    size_t n = 0;
    for (unsigned to = 0; to < decoded->n; to++)
        for (unsigned i = 0; i < decoded->n && is_result(decoded, to); i++) {
            const bool memory = operand_kind(&decoded->operand[i]) == KIND_MEMORY;
            if (!is_source(decoded, i, to) || n == PASSPORT_LINKS ||
                (memory && i == to && !is_loaded(&decoded->operand[i])))
                continue;
            links[n++] = (struct passport_link){
                .from = (uint8_t)i, .to = (uint8_t)to, .address = memory && i != to};
        }
    return n;
}

bool chain_may_keep(const struct decoded *decoded, struct passport_link *link)
{
    const ZydisDecodedOperand *const result = &decoded->operand[0];
    *link = (struct passport_link){.from = 0, .to = 0};
    return decoded->n > 0 && result->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operand_is_free(result) && is_result(decoded, 0) && !operand_reads(result);
}

void chain_helper(struct block *block, enum helper helper, unsigned copies)
{
    const ZydisEncoderOperand r = helper_register(64), other = general(13);
    const ZydisEncoderOperand vector =
        operand_register(register_of(KIND_VECTOR, 12, 128));
    const ZydisEncoderOperand mask = operand_register(register_of(KIND_MASK, 7, 64));
    for (unsigned i = 0; i < copies; i++)
        switch (helper) {
        case HELPER_ADD:
            emit(block, ADD, r, other);
            break;
        case HELPER_CLOCK:
            emit(block, IMUL, r, other);
            break;
        case HELPER_MOVE:
            emit(block, MOV, general(11), r);
            emit(block, MOV, r, general(11));
            break;
        case HELPER_CLEAR:
            emit_clear(block);
            break;
        case HELPER_SET:
            emit(block, OR, r, general(REG_BASE));
            break;
        case HELPER_LOAD:
            emit_clear(block);
            emit(block, OR, r, general(REG_BASE));
            emit(block, MOV, r, operand_at(REG_HELPER, DATA_ZEROS, 8));
            break;
        case HELPER_VECTOR:
            move_vector(block, vector, r);
            move_vector(block, r, vector);
            break;
        case HELPER_MASK:
            emit(block, KMOVW, mask, helper_register(32));
            emit(block, KMOVW, helper_register(32), mask);
            break;
        default:
            emit(block, CMP, r, other); /* some cores delay the flags of a test */
            emit(block, CMOVB, r, other);
        }
}
