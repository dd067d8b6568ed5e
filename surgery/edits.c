/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the instructions that an edit changes, and the changes. */
#include "edit_private.h"

/* ---- instructions ---- */

bool one_decode(const struct planning *planning, const struct surgery_seen *seen,
                struct one *one)
{
    const struct block *const block = block_at(planning->surgery, seen->address);
    if (!block || !is_copied(planning->surgery, seen->address))
        return false;
    one->seen = seen;
    one->bytes = block->image + (seen->address - block->lo);
    return decode(one->bytes, block->hi - seen->address, &one->decoded, one->operand);
}

static bool is_vector(ZydisRegister reg)
{
    const ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    return class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
           class == ZYDIS_REGCLASS_ZMM;
}

uint64_t vector_bit(ZydisRegister reg)
{
    return is_vector(reg) ? UINT64_C(1) << ZydisRegisterGetId(reg) : 0;
}

bool is_vector_operand(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && is_vector(operand->reg.value);
}

bool one_starts(const struct one *one, const char *with)
{
    const char *const name = ZydisMnemonicGetString(one->decoded.mnemonic);
    return !strncmp(name + (*name == 'v'), with, strlen(with));
}

/* EVEX ones have an operand between, their mask. */
bool one_moves(const struct one *one, bool to_memory)
{
    const unsigned last = one->decoded.operand_count_visible - 1u;
    return last >= 1 && last < ZYDIS_MAX_OPERAND_COUNT && one_starts(one, "mov") &&
           one->operand[to_memory ? 0 : last].type == ZYDIS_OPERAND_TYPE_MEMORY &&
           is_vector_operand(&one->operand[to_memory ? last : 0]);
}

/* ---- changes ---- */

struct change change_as_built(const struct one *one)
{
    struct change change = {.address = one->seen->address,
                            .length = one->decoded.length,
                            .after = one->decoded.length,
                            .keeps = true};
    memcpy(change.bytes, one->bytes, one->decoded.length);
    return change;
}

static int drop(struct planning *planning, const struct one *one)
{
    const struct change change = {.address = one->seen->address,
                                  .length = one->decoded.length};
    return changes_add(planning->changes, &change, planning->error);
}

/* Zeroes a register: cores know that the result depends on nothing. 0: it cannot be. */
uint8_t encode_zero(const struct one *one, ZydisRegister reg, unsigned char *bytes)
{
    const unsigned id = (unsigned)ZydisRegisterGetId(reg);
    const bool legacy = one->decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                   .mnemonic = legacy    ? ZYDIS_MNEMONIC_XORPS
                                               : id < 16 ? ZYDIS_MNEMONIC_VXORPS
                                                         : ZYDIS_MNEMONIC_VPXORD,
                                   .operand_count = legacy ? 2 : 3};
    const ZydisRegister name = ZydisRegisterEncode(
        id < 16 ? ZYDIS_REGCLASS_XMM : ZYDIS_REGCLASS_ZMM, (ZyanU8)id);
    ZyanUSize n = CHANGE_BYTES_MAX - INSN_BYTES_MAX;
    for (unsigned i = 0; i < request.operand_count; i++) {
        request.operands[i].type = ZYDIS_OPERAND_TYPE_REGISTER;
        request.operands[i].reg.value = name;
    }
    return ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, bytes, &n)) ? (uint8_t)n
                                                                            : 0;
}

/* In place of an instruction its first operand becomes zero. */
static int zero_result(struct planning *planning, const struct one *one)
{
    struct change change = change_as_built(one);
    change.keeps = false;
    change.after = encode_zero(one, one->operand[0].reg.value, change.bytes);
    planning->altered |= vector_bit(one->operand[0].reg.value);
    return change.after ? changes_add(planning->changes, &change, planning->error) : 0;
}

/* ---- each edit, of an instruction of a hot loop ---- */

/* The byte of the operation stands before that of the operands. */
enum { OP_DIVIDE = 0x5e, OP_ROOT = 0x51, OP_MULTIPLY = 0x59, OP_MOVE = 0x10 };

static int edit_divide(struct planning *planning, const struct one *one)
{
    const bool divides = one_starts(one, "div"), roots = one_starts(one, "sqrt");
    const bool of_one = one_starts(one, "sqrtss") || one_starts(one, "sqrtsd");
    struct change change = change_as_built(one);
    if ((!divides && !roots) || !is_vector_operand(&one->operand[0]) ||
        !one->decoded.raw.modrm.offset)
        return 0;
    unsigned char *const op = &change.bytes[one->decoded.raw.modrm.offset - 1];
    if (*op != (roots ? OP_ROOT : OP_DIVIDE))
        return 0;
    *op = roots && !of_one ? OP_MOVE : OP_MULTIPLY;
    planning->altered |= vector_bit(one->operand[0].reg.value);
    return changes_add(planning->changes, &change, planning->error);
}

static uint64_t written_masks(const struct one *one)
{
    uint64_t masks = 0;
    for (unsigned i = 1; i < one->decoded.operand_count; i++)
        if (one->operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            one->operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            masks |= register_bit(one->operand[i].reg.value);
    return masks;
}

/* A load of the result's width from where the places count from. */
static int edit_gather(struct planning *planning, const struct one *one)
{
    const ZydisDecodedOperand *memory = NULL;
    for (unsigned i = 0; i < one->decoded.operand_count_visible; i++)
        if (one->operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            memory = &one->operand[i];
    if (!strstr(ZydisMnemonicGetString(one->decoded.mnemonic), "gather") || !memory ||
        !is_vector_operand(&one->operand[0]))
        return 0;
    if (memory->mem.base == ZYDIS_REGISTER_NONE)
        return error_set(planning->error, -EPERM, "a gather counts from no register");
    const ZydisRegister to = one->operand[0].reg.value;
    const bool evex = one->decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
    ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                   .mnemonic = evex ? ZYDIS_MNEMONIC_VMOVDQU32
                                                    : ZYDIS_MNEMONIC_VMOVUPS,
                                   .operand_count = evex ? 3 : 2};
    const unsigned last = request.operand_count - 1u;
    request.operands[0].type = ZYDIS_OPERAND_TYPE_REGISTER;
    request.operands[0].reg.value = to;
    if (evex) {
        request.operands[1].type = ZYDIS_OPERAND_TYPE_REGISTER;
        request.operands[1].reg.value = ZYDIS_REGISTER_K0;
    }
    request.operands[last].type = ZYDIS_OPERAND_TYPE_MEMORY;
    request.operands[last].mem.base = memory->mem.base;
    request.operands[last].mem.displacement = memory->mem.disp.value;
    request.operands[last].mem.size =
        (ZyanU16)(ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, to) / 8);
    struct change change = change_as_built(one);
    ZyanUSize n = CHANGE_BYTES_MAX;
    change.keeps = false;
    if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, change.bytes, &n)))
        return error_set(planning->error, -EPERM, "a gather has no load like it");
    change.after = (uint8_t)n;
    /* A gather leaves zeros in its mask. */
    planning->altered |= vector_bit(to) | written_masks(one);
    return changes_add(planning->changes, &change, planning->error);
}

/* Memory, or the register, holds another vector then. */
static int drop_move(struct planning *planning, const struct one *one)
{
    planning->altered |= is_vector_operand(&one->operand[0])
                             ? vector_bit(one->operand[0].reg.value)
                             : MEMORY;
    return drop(planning, one);
}

static int edit_store(struct planning *planning, const struct one *one)
{
    return !one->seen->spills && one_moves(one, true) ? drop_move(planning, one) : 0;
}

/* The next load gets another vector then, as if it had stayed in its register:
 * results are wrong, but no instruction is there in place of the load. */
static int edit_spill(struct planning *planning, const struct one *one)
{
    return one->seen->spills && one_moves(one, true)     ? drop_move(planning, one)
           : one->seen->reloads && one_moves(one, false) ? drop_move(planning, one)
                                                         : 0;
}

/* Its operand in memory becomes the register that it reads beside it. */
static int read_register(struct planning *planning, const struct one *one)
{
    const unsigned n = one->decoded.operand_count_visible;
    struct change change = change_as_built(one);
    ZydisEncoderRequest request;
    ZyanUSize size = CHANGE_BYTES_MAX;
    if (n < 2 || one->operand[n - 1].type != ZYDIS_OPERAND_TYPE_MEMORY ||
        !is_vector_operand(&one->operand[0]) ||
        !is_vector_operand(&one->operand[n - 2]) ||
        !ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
            &one->decoded, one->operand, (ZyanU8)n, &request)))
        return 0;
    request.operands[n - 1] = request.operands[n - 2];
    if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, change.bytes, &size)))
        return 0;
    change.keeps = false;
    change.after = (uint8_t)size;
    planning->altered |= vector_bit(one->operand[0].reg.value);
    return changes_add(planning->changes, &change, planning->error);
}

static int edit_forward(struct planning *planning, const struct one *one)
{
    return !one->seen->late        ? 0
           : one_moves(one, false) ? zero_result(planning, one)
                                   : read_register(planning, one);
}

/* Nothing but its return. */
static bool is_empty(const struct surgery *surgery, uint64_t function)
{
    const struct block *const block = block_at(surgery, function);
    struct insn insn = {.length = 0};
    for (uint64_t at = function; block && at < block->hi; at += insn.length) {
        if (!insn_decode(block->image + (at - block->lo), block->hi - at, at, &insn))
            return false;
        if (!insn.nop && !insn.endbr)
            return insn.ends && !insn.indirect_jump && insn.reference == REFERS_NOT;
    }
    return false;
}

static int edit_call(struct planning *planning, const struct one *one)
{
    const int64_t distance = one->decoded.raw.imm[0].value.s;
    const uint64_t target = one->seen->address + one->decoded.length + (uint64_t)distance;
    return one->decoded.meta.category == ZYDIS_CATEGORY_CALL &&
                   one->decoded.raw.imm[0].is_relative &&
                   is_empty(planning->surgery, target)
               ? drop(planning, one)
               : 0;
}

/* Vectors that an instruction reads, or writes; `wide`: of more than 128 bits. */
static uint64_t vectors_of(const struct one *one, uint8_t actions, bool wide)
{
    uint64_t vectors = 0;
    for (unsigned k = 0; k < one->decoded.operand_count; k++)
        if (is_vector_operand(&one->operand[k]) && one->operand[k].actions & actions &&
            (!wide || one->operand[k].size > 128))
            vectors |= vector_bit(one->operand[k].reg.value);
    return vectors;
}

/* Vectors of more than 128 bits that any executed instruction reads, but for those that
 * an instruction just before wrote whole: nothing jumps between these if none of them is
 * a branch and all are executed as often. */
static uint64_t read_wide(const struct planning *planning)
{
    uint64_t wide = 0, whole = 0, end = 0, executed = 0;
    FOR_EACH (const struct surgery_seen, seen, planning->seen, planning->n) {
        struct one one;
        if (!one_decode(planning, seen, &one))
            continue;
        if (seen->address != end || seen->executed != executed)
            whole = 0;
        wide |= vectors_of(&one, ZYDIS_OPERAND_ACTION_MASK_READ, true) & ~whole;
        const uint64_t written = vectors_of(&one, ZYDIS_OPERAND_ACTION_MASK_WRITE, false);
        whole = one.decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY
                    ? whole & ~written
                    : whole | written;
        if (one.decoded.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE ||
            one.decoded.meta.category == ZYDIS_CATEGORY_CALL ||
            one.decoded.meta.category == ZYDIS_CATEGORY_RET)
            whole = 0;
        end = seen->address + one.decoded.length;
        executed = seen->executed;
    }
    return wide;
}

/* Its result is another value if somebody reads the upper half. */
static int edit_vex(struct planning *planning, const struct one *one)
{
    struct change change = change_as_built(one);
    if (!recode_vex(one->bytes, one->decoded.length, &change))
        return 0;
    if (is_vector_operand(&one->operand[0]))
        planning->altered |= vector_bit(one->operand[0].reg.value) & read_wide(planning);
    return changes_add(planning->changes, &change, planning->error);
}

static int edit_cached(struct planning *planning, const struct one *one)
{
    struct change change = change_as_built(one);
    return recode_cached(one->bytes, one->decoded.length, &change)
               ? changes_add(planning->changes, &change, planning->error)
               : 0;
}

/* ---- all of it ---- */

typedef int edit_function(struct planning *planning, const struct one *one);

static const struct {
    const char *name;
    edit_function *edit; /* NULL: of whole loops */
} edits[SURGERY_EDITS] = {
    [SURGERY_CHAIN] = {"chain", NULL},
    [SURGERY_GATHER] = {"gather", edit_gather},
    [SURGERY_DIVIDE] = {"divide", edit_divide},
    [SURGERY_STORE] = {"store", edit_store},
    [SURGERY_SPILL] = {"spill", edit_spill},
    [SURGERY_FORWARD] = {"forward", edit_forward},
    [SURGERY_CALL] = {"call", edit_call},
    [SURGERY_VEX] = {"vex", edit_vex},
    [SURGERY_CACHED] = {"cached", edit_cached},
    [SURGERY_WHOLE] = {"whole", edit_whole},
};

const char *surgery_edit_name(enum surgery_edit edit)
{
    return edits[edit].name;
}

static int find_changes(struct planning *planning, enum surgery_edit edit)
{
    int status = 0;
    if (!edits[edit].edit)
        return cut_loops(planning);
    for (size_t i = 0; i < planning->n && status == 0; i++) {
        struct one one;
        if (planning->seen[i].loop != SURGERY_COLD &&
            one_decode(planning, &planning->seen[i], &one))
            status = edits[edit].edit(planning, &one);
    }
    return status;
}

static int copy_changes(const struct changes *from, struct changes *to,
                        struct error *error)
{
    int status = 0;
    *to = (struct changes){.n = 0};
    for (size_t i = 0; i < from->n && status == 0; i++)
        status = changes_add(to, &from->item[i], error);
    return status;
}

/* Each conditional branch must execute as often as in the code as built. */
static int try_changes(struct surgery *surgery, const struct changes *changes,
                       struct error *error)
{
    struct changes none = {.n = 0}, copy;
    FREED_BY(free_memory) uint64_t *counts = NULL;
    size_t n = 0;
    int status = 0;
    if (!surgery->counts)
        status =
            counters_try(surgery, &none, &surgery->counts, &surgery->n_counts, error);
    if (status == 0)
        status = copy_changes(changes, &copy, error)
                     ?: counters_try(surgery, &copy, &counts, &n, error);
    if (status == 0 && (n != surgery->n_counts ||
                        memcmp(counts, surgery->counts, n * sizeof *counts) != 0))
        status = error_set(error, -EPERM, "branches would execute more or less often");
    return status;
}

int surgery_plan_edit(struct surgery *surgery, enum surgery_edit edit,
                      const struct surgery_seen *seen, size_t n, size_t *changed,
                      struct error *error)
{
    struct changes *const changes = &surgery->edit[edit];
    struct planning planning = {
        .surgery = surgery, .seen = seen, .n = n, .changes = changes, .error = error};
    changes->n = 0;
    int status = find_changes(&planning, edit);
    changes_sort(changes);
    if (status == 0 && !changes->n)
        status = error_set(error, -ENOENT, SURGERY_NOTHING);
    if (status == 0)
        status = edit_is_safe(surgery, changes, seen, n, planning.altered, error)
                     ?: try_changes(surgery, changes, error);
    *changed = changes->n;
    if (status < 0)
        changes->n = 0;
    return status;
}

int surgery_edit(struct surgery *surgery, enum surgery_edit edit, unsigned shift,
                 struct surgery_variant **out, struct error *error)
{
    struct changes copy;
    const int status = copy_changes(&surgery->edit[edit], &copy, error);
    if (status < 0 || !copy.n) {
        free(copy.item);
        return status < 0 ? status
                          : error_set(error, -ENOENT, "the edit was not planned");
    }
    return variant_make(surgery, &copy, false, shift, out, error);
}
