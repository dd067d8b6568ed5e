/* SPDX-License-Identifier: Apache-2.0 */
/* Other encodings of single instructions: the bytes of their operands stay. */
#include "decode.h"
#include "surgery_private.h"

struct coded {
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

static bool is_vector(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_XMM;
}

/* ---- SSE as VEX ---- */

enum { VEX_2 = 0xc5, VEX_3 = 0xc4, HIGH = 0x80, NO_REGISTER = 0xf };

static bool has_vectors(const struct coded *coded)
{
    for (unsigned i = 0; i < coded->decoded.operand_count_visible; i++)
        if (is_vector(&coded->operand[i]))
            return true;
    return false;
}

/* 0 to 3: none, 66, F3, F2. */
static unsigned prefix_of(const ZydisDecodedInstruction *decoded)
{
    unsigned prefix = 0;
    for (unsigned i = 0; i < decoded->raw.prefix_count; i++)
        if (decoded->raw.prefixes[i].type == ZYDIS_PREFIX_TYPE_MANDATORY)
            prefix = decoded->raw.prefixes[i].value == 0x66   ? 1
                     : decoded->raw.prefixes[i].value == 0xf3 ? 2
                                                              : 3;
    return prefix;
}

/* All before the operation: prefixes of a segment and an address, then VEX. `beside`: the
 * register that is read beside the one that is written. */
static unsigned put_head(const ZydisDecodedInstruction *decoded, unsigned beside,
                         unsigned char *to)
{
    const unsigned map = decoded->opcode_map == ZYDIS_OPCODE_MAP_0F     ? 1
                         : decoded->opcode_map == ZYDIS_OPCODE_MAP_0F38 ? 2
                                                                        : 3;
    const unsigned rest = (~beside & NO_REGISTER) << 3 | prefix_of(decoded);
    const unsigned r = decoded->raw.rex.R ? 0 : HIGH;
    unsigned n = 0;
    for (unsigned i = 0; i < decoded->raw.prefix_count; i++) {
        const ZyanU8 value = decoded->raw.prefixes[i].value;
        if (decoded->raw.prefixes[i].type == ZYDIS_PREFIX_TYPE_EFFECTIVE &&
            (value == 0x64 || value == 0x65 || value == 0x67))
            to[n++] = value;
    }
    if (map == 1 && !decoded->raw.rex.W && !decoded->raw.rex.X && !decoded->raw.rex.B) {
        to[n++] = VEX_2;
        to[n++] = (unsigned char)(r | rest);
        return n;
    }
    to[n++] = VEX_3;
    to[n++] = (unsigned char)(r | (decoded->raw.rex.X ? 0 : HIGH / 2) |
                              (decoded->raw.rex.B ? 0 : HIGH / 4) | map);
    to[n++] = (unsigned char)((decoded->raw.rex.W ? HIGH : 0) | rest);
    return n;
}

/* It is the same operation if it has the same name, with a v before it. */
static bool put_vex(const unsigned char *bytes, const struct coded *old, unsigned beside,
                    struct change *change)
{
    const unsigned from = old->decoded.raw.modrm.offset - 1u;
    const unsigned tail = old->decoded.length - from;
    const unsigned head = put_head(&old->decoded, beside, change->bytes);
    struct coded new;
    if (head + tail > INSN_BYTES_MAX)
        return false;
    memcpy(change->bytes + head, bytes + from, tail);
    change->after = (uint8_t)(head + tail);
    change->head = (int8_t)(head - from);
    return decode(change->bytes, change->after, &new.decoded, new.operand) &&
           new.decoded.length == change->after &&
           !strcmp(ZydisMnemonicGetString(new.decoded.mnemonic) + 1,
                   ZydisMnemonicGetString(old->decoded.mnemonic));
}

bool recode_vex(const unsigned char *bytes, size_t n, struct change *change)
{
    struct coded old;
    if (!decode(bytes, n, &old.decoded, old.operand) ||
        old.decoded.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
        old.decoded.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ||
        !old.decoded.raw.modrm.offset || !has_vectors(&old))
        return false;
    const bool writes = is_vector(&old.operand[0]);
    /* A form that keeps upper elements without need, as a root, keeps those of its
     * source; it is for their sake that moves keep them. */
    const bool keeps = !(old.operand[0].actions & ZYDIS_OPERAND_ACTION_MASK_READ) &&
                       is_vector(&old.operand[1]) &&
                       strncmp(ZydisMnemonicGetString(old.decoded.mnemonic), "mov", 3);
    const unsigned id =
        writes ? (unsigned)ZydisRegisterGetId(old.operand[keeps].reg.value) : 0;
    return (writes && put_vex(bytes, &old, id, change)) ||
           put_vex(bytes, &old, 0, change);
}

/* ---- stores past the caches, and through them ---- */

enum {
    STREAM_FLOATS = 0x2b,
    STORE_FLOATS = 0x29,
    STREAM_INTEGERS = 0xe7,
    STORE_INTEGERS = 0x7f,
    STREAM_GENERAL = 0xc3,
    STORE_GENERAL = 0x89
};

/* It has a prefix of a segment or an address. */
static bool elsewhere(const ZydisDecodedInstruction *decoded)
{
    enum { SEGMENT_FS = 0x64, SEGMENT_GS = 0x65, ADDRESS_SIZE = 0x67 };
    for (unsigned i = 0; i < decoded->raw.prefix_count; i++) {
        const unsigned value = decoded->raw.prefixes[i].value;
        if (decoded->raw.prefixes[i].type == ZYDIS_PREFIX_TYPE_EFFECTIVE &&
            (value == SEGMENT_FS || value == SEGMENT_GS || value == ADDRESS_SIZE))
            return true;
    }
    return false;
}

/* maskmovdqu stores to where rdi says, and so does vmaskmovps: elements of four bytes. */
static bool recode_masked(const struct coded *old, struct change *change)
{
    enum { MAP_0F38 = 2, PREFIX_66 = 1, STORE_MASKED = 0x2e, RDI = 7 };
    const unsigned data = (unsigned)ZydisRegisterGetId(old->operand[0].reg.value);
    const unsigned mask = (unsigned)ZydisRegisterGetId(old->operand[1].reg.value);
    const unsigned char bytes[] = {
        VEX_3, (unsigned char)((data < 8 ? HIGH : 0) | HIGH / 2 | HIGH / 4 | MAP_0F38),
        (unsigned char)((~mask & NO_REGISTER) << 3 | PREFIX_66), STORE_MASKED,
        (unsigned char)((data & 7) << 3 | RDI)};
    if (!__builtin_cpu_supports("avx") || elsewhere(&old->decoded))
        return false;
    memcpy(change->bytes, bytes, sizeof bytes);
    change->after = sizeof bytes;
    change->keeps = false;
    return true;
}

bool recode_cached(const unsigned char *bytes, size_t n, struct change *change)
{
    struct coded old;
    if (!decode(bytes, n, &old.decoded, old.operand) || !old.decoded.raw.modrm.offset)
        return false;
    if (strstr(ZydisMnemonicGetString(old.decoded.mnemonic), "maskmovdqu"))
        return recode_masked(&old, change);
    if (old.operand[0].type != ZYDIS_OPERAND_TYPE_MEMORY ||
        prefix_of(&old.decoded) > 1 || /* movntss, movntsd */
        !strstr(ZydisMnemonicGetString(old.decoded.mnemonic), "movnt"))
        return false;
    const unsigned op = old.decoded.raw.modrm.offset - 1u;
    change->after = old.decoded.length;
    change->head = 0;
    memcpy(change->bytes, bytes, change->after);
    switch (bytes[op]) {
    case STREAM_FLOATS:
        change->bytes[op] = STORE_FLOATS;
        return true;
    case STREAM_INTEGERS:
        change->bytes[op] = STORE_INTEGERS;
        return true;
    case STREAM_GENERAL: /* its operation has one byte less */
        memmove(change->bytes + op - 1, bytes + op, old.decoded.length - op);
        change->bytes[op - 1] = STORE_GENERAL;
        change->head = -1;
        change->after--;
        return true;
    default:
        return false;
    }
}
