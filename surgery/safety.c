/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the values that an edit changes. */
#include "edit_private.h"

/* Reads and writes of vector registers and masks, one bit each, and of memory. */
struct use {
    uint64_t reads, writes;
    bool to_general, to_flags; /* it writes others, too */
    bool by_mask;              /* an access to memory that depends on one */
    uint64_t accesses_by;      /* those */
};

uint64_t register_bit(ZydisRegister reg)
{
    const ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    const unsigned id = (unsigned)ZydisRegisterGetId(reg);
    return class == ZYDIS_REGCLASS_MASK && reg != ZYDIS_REGISTER_K0
               ? UINT64_C(1) << (MASK_BIT + id)
               : vector_bit(reg);
}

static bool is_general(ZydisRegister reg)
{
    const ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    return class == ZYDIS_REGCLASS_GPR8 || class == ZYDIS_REGCLASS_GPR16 ||
           class == ZYDIS_REGCLASS_GPR32 || class == ZYDIS_REGCLASS_GPR64;
}

static void take_operand(const ZydisDecodedOperand *operand, uint64_t *masks,
                         struct use *use)
{
    const bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        use->accesses_by |= register_bit(operand->mem.index);
        use->by_mask = true;
        use->writes |= writes ? MEMORY : 0;
        return;
    }
    if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return;
    const ZydisRegister reg = operand->reg.value;
    const uint64_t bit = register_bit(reg);
    if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK)
        *masks |= bit;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ ||
        operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
        use->reads |= bit;
    use->writes |= writes ? bit : 0;
    use->to_general |= writes && is_general(reg);
    use->to_flags |= writes && (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_FLAGS);
}

static bool use_of(uint64_t address, struct use *use)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    uint64_t masks = 0;
    *use = (struct use){.reads = 0};
    if (!decode((const void *)(uintptr_t)address, INSN_BYTES_MAX, &decoded, operands))
        return false;
    for (unsigned i = 0; i < decoded.operand_count; i++)
        take_operand(&operands[i], &masks, use);
    if (use->by_mask)
        use->accesses_by |= masks;
    /* VEX gathers and masked moves name their mask as a vector. */
    if (decoded.meta.category == ZYDIS_CATEGORY_AVX2GATHER && use->accesses_by)
        use->accesses_by |= use->reads;
    if (strstr(ZydisMnemonicGetString(decoded.mnemonic), "maskmov"))
        use->accesses_by |= register_bit(operands[1].reg.value);
    return true;
}

static int refuse(const struct surgery *surgery, uint64_t address, const char *where_to,
                  struct error *error)
{
    char where[96];
    surgery_where(surgery, address, where, sizeof where);
    return error_set(error, -EPERM, "its results would reach %s at %s", where_to, where);
}

/* An instruction that others stand for. */
static bool is_gone(const struct changes *changes, uint64_t address)
{
    const struct change *const change = change_at(changes, address);
    return change && !change->keeps;
}

int edit_is_safe(const struct surgery *surgery, const struct changes *changes,
                 const struct surgery_seen *seen, size_t n, uint64_t altered,
                 struct error *error)
{
    uint64_t before;
    do {
        before = altered;
        for (size_t i = 0; i < n; i++) {
            struct use use;
            if (is_gone(changes, seen[i].address) || !use_of(seen[i].address, &use))
                continue;
            use.reads |= seen[i].takes_vectors ? MEMORY : 0;
            if (use.accesses_by & altered)
                return refuse(surgery, seen[i].address, "an address", error);
            if (!(use.reads & altered))
                continue;
            if (use.to_general)
                return refuse(surgery, seen[i].address, "a general register", error);
            if (use.to_flags)
                return refuse(surgery, seen[i].address, "flags", error);
            altered |= use.writes;
        }
    } while (altered != before);
    return 0;
}
