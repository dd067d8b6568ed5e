/* SPDX-License-Identifier: Apache-2.0 */
/* All forms: the decoder is asked for every opcode with every prefix and kind of operand
 * that tells forms apart. It takes a tenth of a second. */
#include "passport_private.h"

struct list {
    struct passport_form *form;
    size_t n;
    bool failed;
};

static bool is_left_out(const struct decoded *decoded)
{
    switch (decoded->instruction.encoding) {
    case ZYDIS_INSTRUCTION_ENCODING_3DNOW:
    case ZYDIS_INSTRUCTION_ENCODING_XOP:
    case ZYDIS_INSTRUCTION_ENCODING_MVEX:
        return true;
    default:
        break;
    }
    for (unsigned i = 0; i < decoded->n; i++)
        if (decoded->operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            switch (ZydisRegisterGetClass(decoded->operand[i].reg.value)) {
            case ZYDIS_REGCLASS_X87:
            case ZYDIS_REGCLASS_MMX:
            case ZYDIS_REGCLASS_TMM:
            case ZYDIS_REGCLASS_BOUND:
            case ZYDIS_REGCLASS_CONTROL:
            case ZYDIS_REGCLASS_DEBUG:
                return true;
            default:
                break;
            }
    switch (decoded->instruction.meta.isa_ext) {
    case ZYDIS_ISA_EXT_X87:
    case ZYDIS_ISA_EXT_KNC:
    case ZYDIS_ISA_EXT_KNCE:
    case ZYDIS_ISA_EXT_KNCV:
        return true;
    default:
        return false;
    }
}

static void add(struct list *list, const unsigned char *code, size_t n)
{
    struct decoded decoded;
    if (list->failed || decoded_read(code, n, &decoded) < 0 || is_left_out(&decoded))
        return;
    list->failed = !array_room(&list->form, list->n, sizeof *list->form);
    if (!list->failed)
        decoded_form(&decoded, code, &list->form[list->n++]);
}

/* Memory: [rax + rcx or xmm1]. Of registers the last one is 0, but for opcodes that it
 * chooses among. */
static void add_modrm(struct list *list, unsigned char *code, size_t n, bool all_rm)
{
    for (unsigned reg = 0; reg < 8; reg++) {
        code[n] = (unsigned char)(reg << 3 | 4);
        code[n + 1] = 0x08;
        add(list, code, n + PASSPORT_CODE - 5);
        for (unsigned rm = 0; rm < (all_rm ? 8 : 1); rm++) {
            code[n] = (unsigned char)(0xc0 | reg << 3 | rm);
            add(list, code, n + PASSPORT_CODE - 5);
        }
    }
}

static void add_legacy(struct list *list)
{
    static const unsigned char escapes[][2] = {{0}, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}};
    static const unsigned char prefixes[] = {0, 0x66, 0xf2, 0xf3, 0xf0 /* lock */};
    for (unsigned e = 0; e < 4; e++)
        for (unsigned p = 0; p < sizeof prefixes; p++)
            for (unsigned rex = 0x40; rex <= 0x48; rex += 8)
                for (unsigned opcode = 0; opcode < 256; opcode++) {
                    unsigned char code[32] = {0};
                    size_t n = 0;
                    if (e == 0 && opcode >= 0xa0 && opcode <= 0xa3)
                        continue;
                    if (prefixes[p])
                        code[n++] = prefixes[p];
                    code[n++] = (unsigned char)rex;
                    for (unsigned i = 0; i < 2 && escapes[e][i]; i++)
                        code[n++] = escapes[e][i];
                    code[n++] = (unsigned char)opcode;
                    add_modrm(list, code, n,
                              e == 1 && (opcode == 0x01 || opcode == 0xae ||
                                         opcode == 0xc7 || opcode == 0x1e));
                }
}

static void add_vex(struct list *list)
{
    for (unsigned map = 1; map <= 3; map++)
        for (unsigned p = 0; p < 4; p++)
            for (unsigned w = 0; w < 2; w++)
                for (unsigned l = 0; l < 2; l++)
                    for (unsigned opcode = 0; opcode < 256; opcode++)
                        for (unsigned v = 0; v < 2; v++) {
                            /* vvvv: register 1, or none. */
                            unsigned char code[32] = {
                                0xc4, (unsigned char)(0xe0 | map),
                                (unsigned char)(w << 7 | (v ? 0x78 : 0x70) | l << 2 | p),
                                (unsigned char)opcode};
                            add_modrm(list, code, 4, false);
                        }
}

static void add_evex(struct list *list)
{
    for (unsigned map = 1; map <= 6; map++)
        for (unsigned p = 0; p < 4; p++)
            for (unsigned bits = 0; bits < 32; bits++)
                for (unsigned opcode = 0; opcode < 256; opcode++) {
                    const unsigned w = bits & 1, v = bits >> 1 & 1, k = bits >> 2 & 1,
                                   z = bits >> 3 & 1, b = bits >> 4 & 1;
                    for (unsigned l = 0; l < 3 && !(z && !k); l++) {
                        unsigned char code[32] = {
                            0x62, (unsigned char)(0xf0 | map),
                            (unsigned char)(w << 7 | (v ? 0x78 : 0x70) | 4 | p),
                            (unsigned char)(z << 7 | l << 5 | b << 4 | 8 | k),
                            (unsigned char)opcode};
                        if ((map == 1 && opcode >= 0x71 && opcode <= 0x73))
                            add_modrm(list, code, 5, false);
                        else {
                            code[5] = 0x04, code[6] = 0x08;
                            add(list, code, 15);
                            code[5] = 0xc0;
                            add(list, code, 15);
                        }
                    }
                }
}

static int by_name(const void *a, const void *b)
{
    const struct passport_form *const x = a, *const y = b;
    const int order = strcmp(x->name, y->name);
    if (order)
        return order;
    /* VEX before EVEX, the shorter one first. */
    return x->level != y->level     ? (x->level > y->level) - (x->level < y->level)
           : x->length != y->length ? (x->length > y->length) - (x->length < y->length)
                                    : memcmp(x->code, y->code, sizeof x->code);
}

int passport_forms(struct passport_form **forms, size_t *n)
{
    struct list list = {.form = NULL};
    *forms = NULL;
    *n = 0;
    add_legacy(&list);
    add_vex(&list);
    add_evex(&list);
    if (list.failed) {
        free(list.form);
        return -ENOMEM;
    }
    qsort(list.form, list.n, sizeof *list.form, by_name);
    for (size_t i = 0; i < list.n; i++)
        if (!*n || strcmp(list.form[*n - 1].name, list.form[i].name) != 0)
            list.form[(*n)++] = list.form[i];
    *forms = list.form;
    return 0;
}
