/* SPDX-License-Identifier: Apache-2.0 */
/* Chains: an edit of a whole loop, whose turns no longer wait for each other. */
#include "edit_private.h"
#include "numbers.h"

static bool is_zero_idiom(const struct one *one)
{
    const unsigned n = one->decoded.operand_count_visible;
    return n >= 2 &&
           (one_starts(one, "xor") || one_starts(one, "pxor") ||
            one_starts(one, "psub")) &&
           is_vector_operand(&one->operand[n - 1]) &&
           is_vector_operand(&one->operand[n - 2]) &&
           one->operand[n - 1].reg.value == one->operand[n - 2].reg.value;
}

static void take_use(const struct one *one, uint64_t *reads, uint64_t *writes)
{
    *reads = *writes = 0;
    for (unsigned i = 0; i < one->decoded.operand_count; i++) {
        const ZydisDecodedOperand *const operand = &one->operand[i];
        const bool partly = operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE;
        if (!is_vector_operand(operand))
            continue;
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ || partly)
            *reads |= vector_bit(operand->reg.value);
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            *writes |= vector_bit(operand->reg.value);
    }
    if (is_zero_idiom(one))
        *reads = 0;
}

/* `sum = sum + x` becomes `sum = x + x`, if x is in a register. */
static bool read_the_other(const struct one *one, uint64_t carried, struct change *change)
{
    const ZydisDecodedOperand *const a = &one->operand[1], *const b = &one->operand[2];
    ZydisEncoderRequest request;
    ZyanUSize n = CHANGE_BYTES_MAX;
    if (one->decoded.operand_count_visible != 3 || !is_vector_operand(a) ||
        !is_vector_operand(b) ||
        one->operand[0].actions & ZYDIS_OPERAND_ACTION_MASK_READ ||
        one->decoded.encoding != ZYDIS_INSTRUCTION_ENCODING_VEX ||
        (vector_bit(a->reg.value) & carried) == (vector_bit(b->reg.value) & carried) ||
        !ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
            &one->decoded, one->operand, 3, &request)))
        return false;
    const bool first = vector_bit(a->reg.value) & carried;
    request.operands[first ? 1 : 2].reg.value = (first ? b : a)->reg.value;
    change->keeps = false;
    if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, change->bytes, &n)))
        return false;
    change->after = (uint8_t)n;
    return true;
}

/* Zeroes what the instruction would read of the turn before. */
static int cut(struct planning *planning, const struct one *one, uint64_t carried)
{
    struct change change = change_as_built(one);
    if (!read_the_other(one, carried, &change)) {
        change = change_as_built(one);
        for (unsigned id = 0; id < MASK_BIT; id++) {
            const ZydisRegister reg = ZydisRegisterEncode(ZYDIS_REGCLASS_XMM, (ZyanU8)id);
            if (carried >> id & 1 &&
                change.before + 2 * INSN_BYTES_MAX < CHANGE_BYTES_MAX)
                change.before += encode_zero(one, reg, change.bytes + change.before);
        }
        memcpy(change.bytes + change.before, one->bytes, one->decoded.length);
    }
    planning->altered |= carried;
    return change.before || !change.keeps
               ? changes_add(planning->changes, &change, planning->error)
               : 0;
}

/* Registers that are read before they are written, and written: what each turn hands to
 * the next one. */
static uint64_t find_carried(const struct planning *planning,
                             const struct surgery_seen *loop, size_t n)
{
    uint64_t written = 0, read = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        struct one one;
        uint64_t reads, writes;
        if (!one_decode(planning, &loop[i], &one))
            continue;
        take_use(&one, &reads, &writes);
        read |= reads & ~written;
        written |= writes;
        all |= writes;
    }
    return read & all;
}

static int cut_loop(struct planning *planning, const struct surgery_seen *loop, size_t n)
{
    uint64_t carried = find_carried(planning, loop, n);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        struct one one;
        uint64_t reads, writes;
        if (!one_decode(planning, &loop[i], &one))
            continue;
        take_use(&one, &reads, &writes);
        if (reads & carried)
            status = cut(planning, &one, reads & carried);
        carried &= ~reads;
    }
    return status;
}

/* Loop after loop, those of its instructions that most turns execute. */
int cut_loops(struct planning *planning)
{
    FREED_BY(free_memory) struct surgery_seen *loop =
        calloc(planning->n + 1, sizeof *loop);
    int status = loop ? 0 : no_memory(planning->error);
    for (size_t number = 0, any = 1; any && status == 0; number++) {
        uint64_t most = 0;
        size_t n = 0;
        any = 0;
        FOR_EACH (const struct surgery_seen, seen, planning->seen, planning->n) {
            any |= seen->loop != SURGERY_COLD && seen->loop >= number;
            if (seen->loop == number && seen->executed > most)
                most = seen->executed;
        }
        for (size_t i = 0; i < planning->n; i++)
            if (planning->seen[i].loop == number &&
                2 * planning->seen[i].executed >= most)
                loop[n++] = planning->seen[i];
        if (n)
            qsort(loop, n, sizeof *loop, by_u64);
        status = cut_loop(planning, loop, n);
    }
    return status;
}
