/* SPDX-License-Identifier: Apache-2.0 */
#include "passport_private.h"

int decoded_read(const unsigned char *code, size_t n, struct decoded *decoded)
{
    ZydisDecodedInstruction *const instruction = &decoded->instruction;
    if (!decode(code, n, instruction, decoded->all))
        return -EINVAL;
    decoded->n = decoded->n_visible = 0;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ZydisDecodedOperand *const operand = &decoded->all[i];
        if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK &&
            operand->reg.value == ZYDIS_REGISTER_K0)
            continue;
        decoded->n_visible += i < instruction->operand_count_visible;
        decoded->operand[decoded->n++] = *operand;
    }
    return 0;
}

static enum kind kind_of(ZydisRegister name)
{
    switch (ZydisRegisterGetClass(name)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
        return KIND_GENERAL;
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
        return KIND_VECTOR;
    case ZYDIS_REGCLASS_MASK:
        return KIND_MASK;
    case ZYDIS_REGCLASS_FLAGS:
        return KIND_FLAGS;
    default:
        return KIND_NONE;
    }
}

enum kind operand_kind(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY     ? KIND_MEMORY
           : operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? kind_of(operand->reg.value)
                                                          : KIND_NONE;
}

int register_number(ZydisRegister name)
{
    if (kind_of(name) == KIND_GENERAL)
        name = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    return ZydisRegisterGetId(name);
}

bool operand_reads(const ZydisDecodedOperand *operand)
{
    return operand->actions &
           (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE);
}

bool operand_writes(const ZydisDecodedOperand *operand)
{
    return operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

bool operand_is_free(const ZydisDecodedOperand *operand)
{
    return operand->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
}

/* ---- names ---- */

struct text {
    char *to;
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text,
                                                      const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text->to + text->n, PASSPORT_NAME - text->n, format, list);
    va_end(list);
    text->n += n > 0 ? (size_t)n : 0;
    if (text->n >= PASSPORT_NAME)
        text->n = PASSPORT_NAME - 1;
}

static void add_register(struct text *text, const ZydisDecodedOperand *operand)
{
    const ZydisRegister name = operand->reg.value;
    const enum kind kind = kind_of(name);
    if (kind == KIND_GENERAL && operand_is_free(operand))
        add(text, "r%u", ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, name));
    else if (kind == KIND_VECTOR && operand_is_free(operand))
        add(text, "%.3s", ZydisRegisterGetString(name));
    else if (kind == KIND_MASK)
        add(text, "k");
    else if (ZydisRegisterGetClass(name) == ZYDIS_REGCLASS_SEGMENT)
        add(text, "seg");
    else
        add(text, "%s", ZydisRegisterGetString(name));
}

static void add_memory(struct text *text, const struct decoded *decoded,
                       const ZydisDecodedOperand *operand)
{
    const ZydisDecodedOperandMem *const memory = &operand->mem;
    if (memory->type == ZYDIS_MEMOP_TYPE_AGEN)
        add(text, "address");
    else if (memory->type == ZYDIS_MEMOP_TYPE_VSIB)
        add(text, "m%u[%.3s]", operand->element_size,
            ZydisRegisterGetString(memory->index));
    else
        add(text, "m%u", operand->size);
    const ZydisBroadcastMode broadcast = decoded->instruction.avx.broadcast.mode;
    if (broadcast && !decoded->instruction.avx.broadcast.is_static &&
        broadcast <= ZYDIS_BROADCAST_MODE_1_TO_64)
        add(text, "{1to%u}",
            (decoded->instruction.avx.vector_length / operand->element_size) ?: 1);
}

static void add_decorations(struct text *text, const struct decoded *decoded)
{
    const ZydisDecodedInstructionAvx *const avx = &decoded->instruction.avx;
    if (decoded->instruction.encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX)
        return;
    if (avx->mask.reg != ZYDIS_REGISTER_NONE && avx->mask.reg != ZYDIS_REGISTER_K0)
        add(text, "{k}");
    if (avx->mask.mode == ZYDIS_MASK_MODE_ZEROING ||
        avx->mask.mode == ZYDIS_MASK_MODE_CONTROL_ZEROING)
        add(text, "{z}");
}

static void add_name(struct text *text, const struct decoded *decoded)
{
    const ZydisDecodedInstruction *const instruction = &decoded->instruction;
    unsigned shown = 0;
    if (instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK)
        add(text, "lock ");
    if (instruction->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE))
        add(text, "rep ");
    if (instruction->attributes & ZYDIS_ATTRIB_HAS_REPNE)
        add(text, "repne ");
    add(text, "%s", ZydisMnemonicGetString(instruction->mnemonic));
    for (unsigned i = 0; i < decoded->n_visible; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operand[i];
        if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK)
            continue;
        add(text, shown ? ", " : " ");
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
            add_register(text, operand);
        else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
            add_memory(text, decoded, operand);
        else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
                 !operand_is_free(operand))
            add(text, "%d", (int)operand->imm.value.s); /* shifts by one */
        else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
            add(text, "%s%u", operand->imm.is_relative ? "rel" : "i", operand->size);
        else
            add(text, "far");
        if (shown++ == 0)
            add_decorations(text, decoded);
    }
    if (instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
        instruction->avx.rounding.mode)
        add(text, "{er}");
    else if (instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
             instruction->avx.has_sae)
        add(text, "{sae}");
}

static unsigned level_of(const struct decoded *decoded)
{
    bool mask = false, vector = false;
    for (unsigned i = 0; i < decoded->n; i++) {
        mask |= operand_kind(&decoded->operand[i]) == KIND_MASK;
        vector |= operand_kind(&decoded->operand[i]) == KIND_VECTOR;
    }
    return decoded->instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX || mask ? 512
           : !vector                                                                ? 0
           : decoded->instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX        ? 256
                                                                                    : 128;
}

void decoded_form(const struct decoded *decoded, const unsigned char *code,
                  struct passport_form *form)
{
    *form = (struct passport_form){
        .isa = ZydisISASetGetString(decoded->instruction.meta.isa_set),
        .level = level_of(decoded),
        .length = decoded->instruction.length};
    memcpy(form->code, code, form->length);
    add_name(&(struct text){.to = form->name}, decoded);
}

int passport_form(const unsigned char *code, size_t n, struct passport_form *form)
{
    struct decoded decoded;
    if (decoded_read(code, n, &decoded) < 0)
        return -EINVAL;
    decoded_form(&decoded, code, form);
    return 0;
}

/* ---- what may run ---- */

static bool touches_stack(const struct decoded *decoded)
{
    for (unsigned i = 0; i < decoded->n; i++) {
        const ZydisDecodedOperand *const operand = &decoded->operand[i];
        if (operand_kind(operand) == KIND_GENERAL && !operand_is_free(operand) &&
            register_number(operand->reg.value) == 4)
            return true;
    }
    return false;
}

const char *decoded_refusal(const struct decoded *decoded)
{
    const ZydisDecodedInstruction *const instruction = &decoded->instruction;
    if (instruction->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
        return "it is privileged";
    if (instruction->attributes &
        (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        return "its cost depends on how often it repeats";
    if (instruction->mnemonic == ZYDIS_MNEMONIC_RDTSC ||
        instruction->mnemonic == ZYDIS_MNEMONIC_RDTSCP)
        return NULL;
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
        return "it leaves the sequence";
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_VTX:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_UINTR:
        return "it enters or steers the system";
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
    case ZYDIS_CATEGORY_RDWRFSGS:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_PKU:
    case ZYDIS_CATEGORY_CET:
    case ZYDIS_CATEGORY_WAITPKG:
        return "it changes the state of the process";
    default:
        return touches_stack(decoded) ? "it moves the stack" : NULL;
    }
}

bool decoded_divides(const struct decoded *decoded)
{
    return decoded->instruction.mnemonic == ZYDIS_MNEMONIC_DIV ||
           decoded->instruction.mnemonic == ZYDIS_MNEMONIC_IDIV;
}

/* ---- labels ---- */

static void label(const struct decoded *decoded, unsigned number, bool address,
                  char text[PASSPORT_LABEL])
{
    const ZydisDecodedOperand *const operand =
        &decoded->operand[number < decoded->n ? number : 0];
    unsigned place = 1;
    for (unsigned i = 0; i < number && i < decoded->n; i++)
        place += decoded->operand[i].encoding != ZYDIS_OPERAND_ENCODING_MASK;
    if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK)
        snprintf(text, PASSPORT_LABEL, "mask");
    else if (operand_kind(operand) == KIND_FLAGS)
        snprintf(text, PASSPORT_LABEL, "flags");
    else if (number < decoded->n_visible)
        snprintf(text, PASSPORT_LABEL, "op%u%s", place, address ? " address" : "");
    else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
        snprintf(text, PASSPORT_LABEL, "%s", ZydisRegisterGetString(operand->reg.value));
    else
        snprintf(text, PASSPORT_LABEL, "memory");
}

void passport_label(const struct passport_form *form, const struct passport_link *link,
                    char from[PASSPORT_LABEL], char to[PASSPORT_LABEL])
{
    struct decoded decoded;
    from[0] = to[0] = '\0';
    if (decoded_read(form->code, form->length, &decoded) < 0)
        return;
    label(&decoded, link->from, link->address, from);
    label(&decoded, link->to, false, to);
}
