/* SPDX-License-Identifier: Apache-2.0 */
/* Loads that cross lines of the cache read bytes that lie in one: those before them from
 * a multiple of their size on, where they always begin as far behind one; else a single
 * element, for all of them. */
#include "edit_private.h"

/* The operand that is loaded; NULL: none, or its place follows from no register. */
static const ZydisDecodedOperand *loaded(const struct one *one)
{
    for (unsigned i = 1; i < one->decoded.operand_count_visible; i++) {
        const ZydisDecodedOperand *const operand = &one->operand[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
            operand->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
            operand->mem.base != ZYDIS_REGISTER_RIP &&
            operand->actions == ZYDIS_OPERAND_ACTION_READ)
            return operand;
    }
    return NULL;
}

/* False: it does more than that, or leaves out elements. */
static bool load_one_element(const struct one *one, unsigned memory,
                             ZydisEncoderRequest *request)
{
    const bool doubles =
        one->operand[memory].element_size == 64 && one->operand[0].size > 128;
    const bool whole = one->decoded.avx.mask.mode <= ZYDIS_MASK_MODE_DISABLED;
    request->mnemonic =
        doubles ? ZYDIS_MNEMONIC_VBROADCASTSD : ZYDIS_MNEMONIC_VBROADCASTSS;
    request->operands[memory].mem.size = doubles ? 8 : 4;
    return one_moves(one, false) && whole && one->operand[memory].size >= 128 &&
           one->decoded.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

int edit_whole(struct planning *planning, const struct one *one)
{
    const ZydisDecodedOperand *const from = loaded(one);
    const unsigned memory = from ? (unsigned)(from - one->operand) : 0;
    const uint64_t result = from ? register_bit(one->operand[0].reg.value) : 0;
    struct change change = change_as_built(one);
    ZydisEncoderRequest request;
    ZyanUSize size = CHANGE_BYTES_MAX;
    /* Tests only read their first operand. */
    if (!one->seen->crosses || !result ||
        !(one->operand[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
        !ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
            &one->decoded, one->operand, one->decoded.operand_count_visible, &request)))
        return 0;
    request.operands[memory].mem.displacement -= one->seen->beyond;
    if ((!one->seen->beyond && !load_one_element(one, memory, &request)) ||
        !ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, change.bytes, &size)))
        return 0;
    change.keeps = false;
    change.after = (uint8_t)size;
    planning->altered |= result;
    return changes_add(planning->changes, &change, planning->error);
}
