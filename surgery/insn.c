/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction from its bytes. */
#include "decode.h"
#include "surgery_private.h"

static void take_flow(const ZydisDecodedInstruction *decoded, struct insn *insn)
{
    const bool direct = decoded->raw.imm[0].is_relative;
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_UNCOND_BR:
        insn->ends = true;
        insn->indirect_jump = !direct;
        break;
    case ZYDIS_CATEGORY_COND_BR:
        insn->conditional = true;
        break;
    case ZYDIS_CATEGORY_CALL:
        insn->call = true;
        break;
    case ZYDIS_CATEGORY_RET:
        insn->ends = true;
        break;
    default:
        insn->nop = decoded->meta.category == ZYDIS_CATEGORY_NOP ||
                    decoded->meta.category == ZYDIS_CATEGORY_WIDENOP;
        insn->ends = decoded->mnemonic == ZYDIS_MNEMONIC_UD2 ||
                     decoded->mnemonic == ZYDIS_MNEMONIC_INT3 ||
                     decoded->mnemonic == ZYDIS_MNEMONIC_HLT;
    }
    insn->endbr = decoded->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
    insn->padding =
        (insn->nop || decoded->mnemonic == ZYDIS_MNEMONIC_INT3) && !insn->endbr;
}

static void take_reference(const ZydisDecodedInstruction *decoded,
                           const ZydisDecodedOperand *operands, struct insn *insn)
{
    const uint64_t behind = insn->address + insn->length;
    if (decoded->raw.imm[0].is_relative) {
        insn->reference = REFERS_BRANCH;
        insn->field = decoded->raw.imm[0].offset;
        insn->field_bytes = decoded->raw.imm[0].size / 8;
        insn->target = behind + (uint64_t)decoded->raw.imm[0].value.s;
        return;
    }
    for (unsigned i = 0; i < decoded->operand_count; i++) {
        const ZydisDecodedOperand *const operand = &operands[i];
        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
            operand->mem.base != ZYDIS_REGISTER_RIP)
            continue;
        insn->reference = operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? REFERS_LEA
                          : insn->call || insn->indirect_jump        ? REFERS_SLOT
                                                                     : REFERS_DATA;
        insn->field = decoded->raw.disp.offset;
        insn->field_bytes = decoded->raw.disp.size / 8;
        insn->data_bytes = (uint8_t)(operand->size / 8);
        insn->target = behind + (uint64_t)decoded->raw.disp.value;
    }
}

uint64_t entry_target(uint64_t table, const unsigned char *entry, size_t bytes)
{
    int32_t near;
    uint64_t distance;
    memcpy(&near, entry, sizeof near);
    distance = (uint64_t)(int64_t)near;
    if (bytes == sizeof distance)
        memcpy(&distance, entry, sizeof distance);
    return table + distance;
}

bool insn_decode(const unsigned char *bytes, size_t n, uint64_t address,
                 struct insn *insn)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!decode(bytes, n, &decoded, operands))
        return false;
    *insn = (struct insn){.address = address, .length = decoded.length};
    if (decoded.raw.imm[0].size == 64) {
        insn->moved = decoded.raw.imm[0].value.u;
        insn->field = decoded.raw.imm[0].offset;
        insn->field_bytes = sizeof insn->moved;
    }
    take_flow(&decoded, insn);
    take_reference(&decoded, operands, insn);
    return true;
}
