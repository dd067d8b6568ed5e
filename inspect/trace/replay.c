/* SPDX-License-Identifier: Apache-2.0 */
/* General registers through instructions that nobody stepped: what they compute from each
 * other is computed here too; what they load is unknown from then on. */
#include "trace.h"

void known_take(struct known *known, const struct user_regs_struct *r)
{
    const uint64_t value[GPR_COUNT] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp,
                                       r->rsi, r->rdi, r->r8,  r->r9,  r->r10, r->r11,
                                       r->r12, r->r13, r->r14, r->r15};
    for (unsigned i = 0; i < GPR_COUNT; i++)
        known->value[i] = value[i];
    known->fs = r->fs_base;
    known->gs = r->gs_base;
    known->mask = (1u << GPR_COUNT) - 1;
}

static bool knows(const struct known *known, int gpr)
{
    return gpr == NO_GPR || known->mask >> gpr & 1;
}

static uint64_t value_of(const struct known *known, int gpr, uint64_t otherwise)
{
    return gpr == NO_GPR ? otherwise : known->value[gpr];
}

bool known_address(const struct known *known, const struct code *code,
                   const struct access *access, uint64_t *address)
{
    if (access->gather || !knows(known, access->base) || !knows(known, access->index))
        return false;
    *address = (uint64_t)access->offset + value_of(known, access->base, 0) +
               value_of(known, access->index, 0) * access->scale;
    if (access->segment)
        *address += access->segment == 'f' ? known->fs : known->gs;
    if (access->hidden && access->write && code->stack < 0)
        *address += (uint64_t)(int64_t)code->stack;
    return true;
}

static uint64_t compute(const struct known *known, const struct code *code)
{
    const unsigned width = code->effect_32 ? 32 : 64;
    uint64_t a = value_of(known, code->a, 0);
    uint64_t b = value_of(known, code->b, (uint64_t)code->immediate);
    if (code->effect_32) {
        a = (uint32_t)a;
        b = (uint32_t)b;
    }
    switch (code->effect) {
    case EFFECT_SET:
        return b;
    case EFFECT_ADD:
        return a + b;
    case EFFECT_SUB:
        return a - b;
    case EFFECT_AND:
        return a & b;
    case EFFECT_OR:
        return a | b;
    case EFFECT_XOR:
        return a ^ b;
    case EFFECT_SHL:
        return a << b % width;
    case EFFECT_SHR:
        return a >> b % width;
    case EFFECT_SAR:
        return code->effect_32 ? (uint64_t)((int32_t)a >> b % width)
                               : (uint64_t)((int64_t)a >> b % width);
    case EFFECT_MUL:
        return a * b;
    case EFFECT_SIGN:
        return (uint64_t)(int64_t)(int32_t)b;
    default:
        return 0;
    }
}

void known_compute(struct known *known, const struct code *code)
{
    uint64_t value = 0;
    bool is_known = false;
    if (code->effect == EFFECT_LEA)
        is_known = known_address(known, code, &code->access[0], &value);
    else if (code->effect > EFFECT_UNKNOWN)
        is_known = knows(known, code->b) &&
                   (code->effect == EFFECT_SET || code->effect == EFFECT_SIGN ||
                    knows(known, code->a));
    if (is_known && code->effect != EFFECT_LEA)
        value = compute(known, code);
    /* 0, whatever it is. */
    is_known |= code->a == code->b && code->a != NO_GPR &&
                (code->effect == EFFECT_XOR || code->effect == EFFECT_SUB);
    known->mask &= ~code->gpr_written;
    if (is_known) {
        known->mask |= 1u << code->to;
        known->value[code->to] = code->effect_32 ? (uint32_t)value : value;
    }
    known->value[GPR_RSP] += (uint64_t)(int64_t)code->stack;
}
