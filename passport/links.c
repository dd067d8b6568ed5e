/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of one form. Registers 0 and up take results in turns, others are read only:
 * general ones 10, 11 and 13, vectors 12 to 14, masks 5 to 7. What an instruction
 * destroys and reads again is loaded anew before each, so that nothing waits for the one
 * before but through the link that is measured. Helpers between two instructions carry a
 * result to an operand of another kind, always through general register 12. */
#include "passport_private.h"

#include <math.h>
#include <string.h>

/* ---- which registers ---- */

/* All vectors begin alike, so a copy of the last one, which cores rename, restores one.
 */
enum { ROOM = 12, PLACES = 8, SPARE_VECTOR = 15 };
struct pool {
    int number[ROOM];
    int n;
};

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

/* Registers for results. */
static struct pool pool_of(const struct decoded *decoded, enum kind kind)
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

static bool is_vsib(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
           operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
}

static bool gathers(const struct decoded *decoded)
{
    for (unsigned i = 0; i < decoded->n; i++)
        if (is_vsib(&decoded->operand[i]))
            return true;
    return false;
}

/* Sources; results stand in the pool of `registers` from `first` on. */
static void choose(const struct decoded *decoded, unsigned first, unsigned registers,
                   struct choice *choice)
{
    static const int generals[] = {13, 11, 10}, vectors[] = {13, 14, 12},
                     masks[] = {7, 5, 6};
    unsigned general = 0, vector = 0, mask = 0, result = first;
    choice->place = DATA_PLACES;
    for (unsigned i = 0; i < decoded->n; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operand[i];
        const enum kind kind = operand_kind(operand);
        choice->number[i] = is_vsib(operand) ? 12 : REG_BASE;
        if (!operand_is_free(operand) || kind == KIND_MEMORY || kind == KIND_NONE)
            continue;
        const bool mask_of_gather = gathers(decoded) && i > 0 && operand_writes(operand);
        if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK) {
            choice->number[i] = 6;
        } else if (operand_writes(operand) && !mask_of_gather) {
            const struct pool pool = pool_of(decoded, kind);
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

/* The register of operand i. */
static int number_at(const struct decoded *decoded, const struct choice *choice,
                     unsigned i)
{
    const ZydisDecodedOperand *const operand = &decoded->operand[i];
    return operand_is_free(operand) ? choice->number[i]
                                    : register_number(operand->reg.value);
}

/* ---- what is loaded anew ---- */

static unsigned vector_bits(const struct block *block)
{
    __builtin_cpu_init();
    return block->legacy                        ? 128
           : __builtin_cpu_supports("avx512vl") ? 512
           : __builtin_cpu_supports("avx")      ? 256
                                                : 128;
}

static void load_again(struct block *block, enum kind kind, int number)
{
    const unsigned bits = kind == KIND_VECTOR ? vector_bits(block) : 64;
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
             number_at(decoded, choice, i) == number_at(decoded, choice, number)))
            return true;
    return false;
}

/* But for operand `kept`, and, if `turns`, for free ones, which take turns. */
static void load_destroyed(struct block *block, const struct decoded *decoded,
                           const struct choice *choice, int kept, bool turns, bool flags)
{
    for (unsigned i = 0; i < decoded->n; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operand[i];
        const enum kind kind = operand_kind(operand);
        const bool takes_turns =
            turns && operand_is_free(operand) && !(gathers(decoded) && i > 0);
        if (kind == KIND_NONE || kind == KIND_MEMORY || (int)i == kept || takes_turns ||
            !operand_reads(operand) || (kind == KIND_FLAGS && !flags))
            continue;
        if (is_destroyed(decoded, choice, i))
            load_again(block, kind, number_at(decoded, choice, i));
    }
}

static void emit_choice(struct block *block, const struct decoded *decoded,
                        const struct choice *choice)
{
    ZydisEncoderRequest request;
    if (choice_request(decoded, choice, &request) < 0)
        block->failed = true;
    else
        emit_request(block, &request);
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
            return (unsigned)pool_of(decoded, kind).n;
    }
    return PLACES;
}

/* Places of words lie in different banks of the first cache; wider ones are aligned. */
static int64_t place_step(const struct decoded *decoded)
{
    enum { WORD = 64 };
    bool wide = false;
    for (unsigned i = 0; i < decoded->n; i++)
        wide |= operand_kind(&decoded->operand[i]) == KIND_MEMORY &&
                decoded->operand[i].size > WORD;
    return wide ? DATA_STEP : DATA_STEP + WORD / 8;
}

void chain_none(struct block *block, const struct decoded *decoded, unsigned copies,
                unsigned registers, bool apart)
{
    struct choice choice;
    for (unsigned i = 0; i < copies; i++) {
        choose(decoded, i * results_of(decoded), registers, &choice);
        choice.place += (int64_t)(i % PLACES) * place_step(decoded);
        load_destroyed(block, decoded, &choice, -1, true, apart);
        emit_choice(block, decoded, &choice);
    }
}

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
    if (vector_bits(block) > 128)
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
    const int number =
        kind == KIND_MEMORY || kind == KIND_FLAGS ? -1 : number_at(decoded, choice, i);
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
    const int number = kind == KIND_FLAGS ? -1 : number_at(decoded, choice, link->from);
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
        emit(block, TEST, helper_register(64), helper_register(64));
        return helpers->flags;
    default:
        block->failed = true;
        return 0;
    }
}

/* ---- one link ---- */

/* Whether a result is the next operand, without a helper. */
static bool is_direct(const struct decoded *decoded, const struct passport_link *link)
{
    const ZydisDecodedOperand *const from = &decoded->operand[link->from];
    const ZydisDecodedOperand *const to = &decoded->operand[link->to];
    const enum kind kind = is_vsib(from) ? KIND_VECTOR : operand_kind(from);
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
    const enum kind kind = is_vsib(from) ? KIND_VECTOR : operand_kind(from);
    const bool direct = is_direct(decoded, link);
    choose(decoded, 3, ROOM, choice); /* results that are not of the link */
    if (operand_is_free(to) && operand_kind(to) != KIND_MEMORY)
        choice->number[link->to] =
            pool_of(decoded, operand_kind(to))
                .number[direct && link->from != link->to ? i % 2 : 0];
    if (link->address && !is_vsib(from))
        choice->number[link->from] = REG_HELPER;
    else if (operand_is_free(from) && kind != KIND_MEMORY && link->from != link->to)
        choice->number[link->from] =
            pool_of(decoded, kind).number[direct ? (i + 1) % 2 : 2];
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
        choose_link(decoded, link, i, &choice);
        load_destroyed(block, decoded, &choice, link->from, false, true);
        emit_choice(block, decoded, &choice);
        if (!is_direct(decoded, link))
            *help = carry_from(block, decoded, &choice, link->to, helpers) +
                    carry_to(block, decoded, &choice, link, helpers);
    }
    return !block->failed && isfinite(*help);
}

/* Flags are a result to measure if nothing else is; old values that a gather keeps, and
 * its mask, are left out. */
static bool is_result(const struct decoded *decoded, unsigned i)
{
    const ZydisDecodedOperand *const operand = &decoded->operand[i];
    const enum kind kind = operand_kind(operand);
    if (!operand_writes(operand) || kind == KIND_NONE || is_vsib(operand) ||
        (kind == KIND_MEMORY && !operand_is_free(operand)) || (gathers(decoded) && i > 0))
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
    return operand_reads(operand) && kind != KIND_NONE && !gathers(decoded) &&
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
    static const ZydisMnemonic counts[] = {ZYDIS_MNEMONIC_POPCNT, ZYDIS_MNEMONIC_LZCNT,
                                           ZYDIS_MNEMONIC_TZCNT,  ZYDIS_MNEMONIC_BLSI,
                                           ZYDIS_MNEMONIC_BLSR,   ZYDIS_MNEMONIC_BLSMSK};
    const ZydisDecodedInstruction *const instruction = &decoded->instruction;
    const ZydisDecodedOperand *const result = &decoded->operand[0];
    bool may = instruction->avx.mask.mode == ZYDIS_MASK_MODE_ZEROING;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        may |= instruction->mnemonic == counts[i];
    *link = (struct passport_link){.from = 0, .to = 0};
    return may && decoded->n > 0 && result->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           is_result(decoded, 0) && !operand_reads(result);
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
            emit(block, TEST, r, r);
            emit(block, CMOVB, r, other);
        }
}
