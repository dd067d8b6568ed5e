/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction from its bytes. */
#include "inspect_private.h"

#include "decode.h"

/* ---- registers ---- */

static int gpr_of(ZydisRegister register_)
{
    const ZydisRegister whole =
        ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, register_);
    return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64
               ? ZydisRegisterGetId(whole)
               : NO_GPR;
}

static bool is_vector_register(ZydisRegister register_)
{
    const ZydisRegisterClass class = ZydisRegisterGetClass(register_);
    return class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
           class == ZYDIS_REGCLASS_ZMM;
}

/* Registers of MMX, and tiles: neither vectors of some width nor scalar. */
static bool is_apart(ZydisRegister register_)
{
    const ZydisRegisterClass class = ZydisRegisterGetClass(register_);
    return class == ZYDIS_REGCLASS_MMX || class == ZYDIS_REGCLASS_TMM;
}

static uint64_t register_mask(ZydisRegister register_)
{
    const int gpr = gpr_of(register_);
    const ZydisRegisterClass class = ZydisRegisterGetClass(register_);
    const unsigned id = (unsigned)ZydisRegisterGetId(register_);
    if (gpr != NO_GPR)
        return UINT64_C(1) << gpr;
    if (is_vector_register(register_))
        return UINT64_C(1) << (REGISTER_VECTOR + id);
    return class == ZYDIS_REGCLASS_MASK    ? UINT64_C(1) << (REGISTER_MASK + id)
           : class == ZYDIS_REGCLASS_FLAGS ? UINT64_C(1) << REGISTER_FLAGS
           : class == ZYDIS_REGCLASS_X87 && id < REGISTER_COUNT - REGISTER_X87
               ? UINT64_C(1) << (REGISTER_X87 + id)
               : 0;
}

/* ---- memory ---- */

static void take_access(const ZydisDecodedInstruction *instruction,
                        const ZydisDecodedOperand *operand, struct code *code)
{
    const ZydisDecodedOperandMem *memory = &operand->mem;
    struct access *access = &code->access[code->n_accesses];
    const bool is_lea = memory->type == ZYDIS_MEMOP_TYPE_AGEN;
    const uint64_t mask = register_mask(memory->base) | register_mask(memory->index);
    uint64_t place = 0;
    *(is_lea ? &code->reads : &code->address_reads) |= mask;
    if (code->n_accesses == ACCESSES_MAX)
        return;
    *access = (struct access){
        .base = (int8_t)gpr_of(memory->base),
        .index = (int8_t)gpr_of(memory->index),
        .scale = memory->scale,
        .segment = memory->segment == ZYDIS_REGISTER_FS   ? 'f'
                   : memory->segment == ZYDIS_REGISTER_GS ? 'g'
                                                          : 0,
        .read = !is_lea && operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
        .write = !is_lea && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
        .gather = memory->type == ZYDIS_MEMOP_TYPE_VSIB,
        .hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN,
        .string = code->repeats,
        .offset = memory->disp.has_displacement ? memory->disp.value : 0,
        .bytes = operand->size / 8};
    if (memory->base == ZYDIS_REGISTER_RIP &&
        ZYAN_SUCCESS(
            ZydisCalcAbsoluteAddress(instruction, operand, code->address, &place)))
        access->offset = (int64_t)place;
    code->n_accesses++;
}

/* ---- kinds ---- */

static enum encoding encoding_of(const ZydisDecodedInstruction *instruction)
{
    return instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX    ? ENCODING_VEX
           : instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? ENCODING_EVEX
                                                                      : ENCODING_SSE;
}

static void take_flow(const ZydisDecodedInstruction *instruction,
                      const ZydisDecodedOperand *operand, struct code *code)
{
    const bool direct = instruction->operand_count &&
                        operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
                        operand->imm.is_relative;
    code->is_call = instruction->meta.category == ZYDIS_CATEGORY_CALL;
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        code->flow = FLOW_CONDITIONAL;
        break;
    case ZYDIS_CATEGORY_UNCOND_BR:
        code->flow = direct ? FLOW_JUMP : FLOW_INDIRECT;
        break;
    case ZYDIS_CATEGORY_CALL:
        code->flow = direct ? FLOW_CALL : FLOW_INDIRECT;
        break;
    case ZYDIS_CATEGORY_RET:
        code->flow = FLOW_RETURN;
        break;
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_INTERRUPT:
        code->flow = FLOW_SYSTEM;
        break;
    default:
        code->flow = FLOW_NEXT;
    }
    if (direct)
        ZydisCalcAbsoluteAddress(instruction, operand, code->address, &code->target);
}

/* ---- what it computes ---- */

static const struct {
    ZydisMnemonic mnemonic;
    enum effect effect;
} effects[] = {{ZYDIS_MNEMONIC_MOV, EFFECT_SET},     {ZYDIS_MNEMONIC_ADD, EFFECT_ADD},
               {ZYDIS_MNEMONIC_SUB, EFFECT_SUB},     {ZYDIS_MNEMONIC_INC, EFFECT_ADD},
               {ZYDIS_MNEMONIC_DEC, EFFECT_SUB},     {ZYDIS_MNEMONIC_AND, EFFECT_AND},
               {ZYDIS_MNEMONIC_OR, EFFECT_OR},       {ZYDIS_MNEMONIC_XOR, EFFECT_XOR},
               {ZYDIS_MNEMONIC_SHL, EFFECT_SHL},     {ZYDIS_MNEMONIC_SHR, EFFECT_SHR},
               {ZYDIS_MNEMONIC_SAR, EFFECT_SAR},     {ZYDIS_MNEMONIC_IMUL, EFFECT_MUL},
               {ZYDIS_MNEMONIC_MOVSXD, EFFECT_SIGN}, {ZYDIS_MNEMONIC_LEA, EFFECT_LEA}};

static void take_effect(const ZydisDecodedInstruction *instruction,
                        const ZydisDecodedOperand *operand, struct code *code)
{
    const unsigned n = instruction->operand_count_visible;
    const unsigned width = instruction->operand_width;
    enum effect effect = EFFECT_UNKNOWN;
    code->effect = code->gpr_written ? EFFECT_UNKNOWN : EFFECT_NONE;
    for (size_t i = 0; i < ARRAY_LEN(effects); i++)
        if (effects[i].mnemonic == instruction->mnemonic)
            effect = effects[i].effect;
    if (effect == EFFECT_UNKNOWN || n < 1 || n > 3 || width < 32 ||
        operand[0].type != ZYDIS_OPERAND_TYPE_REGISTER || operand[0].size < 32 ||
        gpr_of(operand[0].reg.value) == NO_GPR)
        return;
    const ZydisDecodedOperand *const last = &operand[n - 1];
    code->to = code->a = (int8_t)gpr_of(operand[0].reg.value);
    code->b = NO_GPR;
    code->immediate = 1; /* of inc and dec */
    if (effect == EFFECT_LEA) {
        if (instruction->address_width != 64)
            return;
    } else if (n >= 2 && last->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        code->immediate = last->imm.value.s;
    } else if (n >= 2 && last->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        code->b = (int8_t)gpr_of(last->reg.value);
        /* A shift by cl, or a part of a register. */
        if (code->b == NO_GPR || last->size < 32)
            return;
    } else if (n != 1 || effect == EFFECT_MUL) {
        return; /* from memory, or of two registers */
    }
    if (n == 3) {
        if (operand[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
            return;
        code->a = (int8_t)gpr_of(operand[1].reg.value);
    }
    code->effect = effect;
    code->effect_32 = operand[0].size == 32;
}

static void take_stack(const ZydisDecodedInstruction *instruction,
                       const ZydisDecodedOperand *operand, struct code *code)
{
    const uint64_t others = code->gpr_written & ~(1u << GPR_RSP);
    const int bytes =
        code->n_accesses ? (int)code->access[code->n_accesses - 1].bytes : 8;
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_CALL:
        code->stack = -bytes;
        break;
    case ZYDIS_CATEGORY_POP:
        code->stack = bytes;
        break;
    case ZYDIS_CATEGORY_RET:
        code->stack = bytes;
        if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
            instruction->operand_count_visible)
            code->stack += (int)operand->imm.value.u;
        break;
    default:
        return;
    }
    const char *const name = ZydisMnemonicGetString(instruction->mnemonic);
    if (!strncmp(name, "pushf", 5) || !strncmp(name, "popf", 4))
        code->flow = FLOW_SYSTEM; /* steps are visible in these flags */
    code->gpr_written = (uint32_t)others;
    code->effect = others ? EFFECT_UNKNOWN : EFFECT_NONE;
}

/* Names of what gives the same result for any register that is both of its operands: no
 * core waits for that; for sbb, none of AMD. Cores drop what makes zeros. */
static bool is_idiom(const char *name, bool *drops)
{
    static const char *const zeros[] = {"sub", "psubb", "psubw", "psubd", "psubq"};
    static const char *const stems[] = {"xor", "pxor", "pandn", "pcmpgt", "andnp"};
    const char *const plain = name + (*name == 'v');
    bool zero = false;
    for (size_t i = 0; i < ARRAY_LEN(zeros); i++)
        zero |= !strcmp(plain, zeros[i]) || !strncmp(plain, stems[i], strlen(stems[i]));
    *drops = zero;
    return zero || !strncmp(plain, "pcmpeq", 6) ||
           (!strcmp(plain, "sbb") && __builtin_cpu_is("amd"));
}

/* xor r, r and its like depend on nothing, sbb r, r on a flag. */
static void take_idiom(const ZydisDecodedInstruction *instruction,
                       const ZydisDecodedOperand *operand, struct code *code)
{
    const unsigned n = instruction->operand_count_visible;
    const bool masked = code->reads >> REGISTER_MASK & 0xff;
    bool drops = false;
    if (masked || n < 2 || operand[n - 1].type != ZYDIS_OPERAND_TYPE_REGISTER ||
        operand[n - 1].size < 32 || operand[n - 2].type != ZYDIS_OPERAND_TYPE_REGISTER ||
        operand[n - 1].reg.value != operand[n - 2].reg.value ||
        !is_idiom(ZydisMnemonicGetString(instruction->mnemonic), &drops))
        return;
    code->reads &= UINT64_C(1) << REGISTER_FLAGS;
    code->computes &= !drops;
    code->needed = false;
    code->alu &= !drops;
}

/* An EVEX instruction without a mask names k0 in its place, and reads none. */
static void take_registers(const ZydisDecodedOperand *operand, unsigned *widest,
                           struct code *code)
{
    const bool no_mask = operand->encoding == ZYDIS_OPERAND_ENCODING_MASK &&
                         operand->reg.value == ZYDIS_REGISTER_K0;
    const uint64_t mask = no_mask ? 0 : register_mask(operand->reg.value);
    const int gpr = gpr_of(operand->reg.value);
    const bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        code->reads |= mask;
    /* An instruction that keeps a part of the old value depends on it. */
    if (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
        code->reads |= mask;
    if (writes)
        code->writes |= mask;
    if (writes && gpr != NO_GPR)
        code->gpr_written |= 1u << gpr;
    if (writes && gpr != NO_GPR && operand->size < 32)
        code->gpr_kept |= 1u << gpr;
    code->apart |= is_apart(operand->reg.value);
    if (is_vector_register(operand->reg.value)) {
        const unsigned bits =
            ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value);
        *widest = bits > *widest ? bits : *widest;
        /* No instruction of SSE or VEX reaches the upper 16. */
        code->dirties |= writes && bits > 128 && mask >> REGISTER_VECTOR & 0xffff;
    }
}

/* With one of the masks, or with a vector for a mask. A mask itself is stored whole. */
static void take_masked(const ZydisDecodedInstruction *instruction,
                        const ZydisDecodedOperand *operands, struct code *code)
{
    bool masked =
        strstr(ZydisMnemonicGetString(instruction->mnemonic), "maskmov") != NULL;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        masked |= operands[i].encoding == ZYDIS_OPERAND_ENCODING_MASK &&
                  operands[i].reg.value != ZYDIS_REGISTER_K0;
    for (unsigned i = 0; i < code->n_accesses; i++)
        code->access[i].masked = masked && code->access[i].write;
}

int code_decode(const unsigned char *bytes, size_t n, uint64_t address, struct code *code)
{
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    unsigned widest = 0;
    if (!decode(bytes, n, &instruction, operands))
        return -EINVAL;
    const uint64_t repeat =
        ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    *code = (struct code){.address = address,
                          .length = instruction.length,
                          .repeats = (instruction.attributes & repeat) != 0 &&
                                     instruction.meta.category == ZYDIS_CATEGORY_STRINGOP,
                          .locks = instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK,
                          .to = NO_GPR,
                          .a = NO_GPR,
                          .b = NO_GPR};
    for (unsigned i = 0; i < instruction.operand_count; i++) {
        const ZydisDecodedOperand *const operand = &operands[i];
        const bool no_access = instruction.meta.category == ZYDIS_CATEGORY_PREFETCH ||
                               instruction.meta.category == ZYDIS_CATEGORY_WIDENOP ||
                               instruction.meta.category == ZYDIS_CATEGORY_NOP;
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
            take_registers(operand, &widest, code);
        else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && !no_access)
            take_access(&instruction, operand, code);
    }
    take_masked(&instruction, operands, code);
    take_flow(&instruction, operands, code);
    take_effect(&instruction, operands, code);
    take_stack(&instruction, operands, code);
    for (unsigned i = 0; i < code->n_accesses; i++)
        code->loads |= code->access[i].read && !code->access[i].hidden;
    code->encoding = encoding_of(&instruction);
    code->pushes = (int8_t)x87_pushes(&instruction);
    code_take_kind(ZydisMnemonicGetString(instruction.mnemonic),
                   instruction.meta.isa_set == ZYDIS_ISA_SET_X87, widest, code);
    take_idiom(&instruction, operands, code);
    return 0;
}

/* Operands without the mask k0, as links count them. */
static unsigned counted(const ZydisDecodedInstruction *instruction,
                        const ZydisDecodedOperand *operands,
                        const ZydisDecodedOperand **list)
{
    unsigned n = 0;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (operands[i].encoding != ZYDIS_OPERAND_ENCODING_MASK ||
            operands[i].reg.value != ZYDIS_REGISTER_K0)
            list[n++] = &operands[i];
    return n;
}

static uint64_t operand_mask(const ZydisDecodedOperand *operand, bool address)
{
    return address ? register_mask(operand->mem.base) | register_mask(operand->mem.index)
           : operand->type == ZYDIS_OPERAND_TYPE_REGISTER
               ? register_mask(operand->reg.value)
               : 0;
}

void code_cost_registers(const unsigned char *bytes, size_t n,
                         const struct inspect_cost *from, struct code_cost *to)
{
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const ZydisDecodedOperand *list[ZYDIS_MAX_OPERAND_COUNT];
    if (!decode(bytes, n, &instruction, operands))
        return;
    const unsigned count = counted(&instruction, operands, list);
    for (size_t i = 0; i < from->n_links && to->n_links < COST_LINKS; i++) {
        const struct inspect_cost_link *const link = &from->link[i];
        if (link->from >= count || link->to >= count)
            continue;
        const uint64_t sources = operand_mask(list[link->from], link->address);
        const uint64_t result = operand_mask(list[link->to], false);
        if (!sources || !result)
            continue;
        if (link->from == link->to &&
            !(list[link->to]->actions & ZYDIS_OPERAND_ACTION_MASK_READ))
            to->kept |= result;
        to->link[to->n_links].from = sources;
        to->link[to->n_links].to = result;
        to->link[to->n_links].cycles = link->cycles;
        to->link[to->n_links++].full = link->full;
    }
}

void code_text(const unsigned char *bytes, size_t n, uint64_t address, char *text,
               size_t size)
{
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisFormatter formatter;
    snprintf(text, size, "?");
    if (decode(bytes, n, &instruction, operands) &&
        ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL)))
        ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
                                        instruction.operand_count_visible, text, size,
                                        address, NULL);
}
