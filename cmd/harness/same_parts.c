/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of places, and the instructions of functions, as same_code.c compares them. */
#include "same_code.h"

#include <stdlib.h>

#include "numbers.h"
#include "reports.h"

enum { LINE = 64 };

/* ---- pairs ---- */

static size_t *slot_of(const struct pairs *pairs, uint64_t a, uint64_t b)
{
    uint64_t state = a * 31 + b;
    size_t i = random_next(&state) & (pairs->room - 1);
    while (pairs->slot[i] && (pairs->entry[pairs->slot[i] - 1].a != a ||
                              pairs->entry[pairs->slot[i] - 1].b != b))
        i = (i + 1) & (pairs->room - 1);
    return &pairs->slot[i];
}

bool pairs_add(struct pairs *pairs, uint64_t a, uint64_t b, bool code)
{
    if (2 * (pairs->n + 1) > pairs->room) {
        pairs->room = pairs->room ? 2 * pairs->room : 1024;
        free(pairs->slot);
        pairs->slot = must_have(calloc(pairs->room, sizeof *pairs->slot));
        for (size_t i = 0; i < pairs->n; i++)
            *slot_of(pairs, pairs->entry[i].a, pairs->entry[i].b) = i + 1;
    }
    size_t *const slot = slot_of(pairs, a, b);
    if (*slot)
        return false;
    *(struct pair *)LIST_ADD(pairs, entry, n) = (struct pair){a, b, .code = code};
    *slot = pairs->n;
    return true;
}

void pairs_free(struct pairs *pairs)
{
    FREE_EACH(pairs->entry, pairs->slot);
    *pairs = (struct pairs){.n = 0};
}

/* ---- instructions of a function ---- */

bool code_holds(const struct file_symbol *symbol, uint64_t at)
{
    return at >= symbol->lo && at < symbol->hi;
}

size_t code_number(const struct listing *code, uint64_t at)
{
    return count_below(code->insn, code->n, sizeof *code->insn, at);
}

/* Drops padding that aligns a place to which the function's own code jumps, or its end:
 * fewer bytes than the alignment. */
static void drop_padding(struct listing *code)
{
    FREED_BY(free_memory) bool *target = must_have(calloc(code->n + 1, 1));
    size_t kept = 0;
    for (size_t i = 0; i < code->n; i++)
        if (code->insn[i].reference == REFERS_BRANCH &&
            code_holds(code->symbol, code->insn[i].target))
            target[code_number(code, code->insn[i].target)] = true;
    target[code->n] = true;
    for (size_t i = 0; i < code->n;) {
        size_t end = i;
        while (end < code->n && code->insn[end].padding && !(end > i && target[end]))
            end++;
        const uint64_t at = end < code->n ? code->insn[end].address : code->symbol->hi;
        const uint64_t n = at - code->insn[i].address;
        const uint64_t aligned = (at & -at) < LINE ? at & -at : LINE;
        if (end > i && target[end] && (n < aligned || end == code->n)) {
            i = end;
            continue;
        }
        for (const size_t last = end > i ? end : i + 1; i < last; i++)
            code->insn[kept++] = code->insn[i];
    }
    code->n = kept;
}

bool code_read(const struct program_file *file, const struct file_symbol *symbol,
               struct listing *code)
{
    const uint64_t n = symbol->hi - symbol->lo;
    *code = (struct listing){.symbol = symbol,
                             .bytes = image_loaded(&file->image, symbol->lo, n)};
    struct insn insn = {.length = 0}, last = insn;
    uint64_t at = 0, farthest = 0;
    bool complete = false;
    for (; code->bytes && at < n && !complete; at += insn.length) {
        if (!insn_decode(code->bytes + at, n - at, symbol->lo + at, &insn))
            break;
        *(struct insn *)LIST_ADD(code, insn, n) = insn;
        if (!insn.padding)
            last = insn;
        if (insn.reference == REFERS_BRANCH && !insn.call &&
            code_holds(symbol, insn.target) && insn.target > farthest)
            farthest = insn.target;
        complete =
            at + insn.length == n || (symbol->loose && insn.ends && !insn.indirect_jump &&
                                      farthest <= insn.address);
    }
    if (code->n)
        drop_padding(code);
    return complete && (last.ends || last.call);
}

/* A direct jump, call or branch has the same number in its short and long form. */
static unsigned branch_kind(const unsigned char *bytes, uint8_t length)
{
    enum { JUMP = 0xe9, SHORT_JUMP = 0xeb, CONDITION = 0x100 };
    size_t i = 0;
    while (i + 1 < length && strchr("\xf2\xf3\x2e\x3e\x66", bytes[i]) && bytes[i])
        i++;
    const unsigned first = bytes[i];
    return first == SHORT_JUMP      ? JUMP
           : (first & 0xf0) == 0x70 ? CONDITION | (first & 0xf)
           : first == 0x0f          ? CONDITION | (bytes[i + 1] & 0xf)
                                    : first;
}

/* A program that lies at one place alone has addresses where others have distances. */
static void hide_addresses(const struct program_file *file, unsigned char *bytes,
                           uint8_t length)
{
    uint32_t value;
    for (uint8_t i = 1; i + sizeof value <= length; i++) {
        memcpy(&value, bytes + i, sizeof value);
        if (file->image.header.e_type == ET_EXEC && value >= file->lo && value < file->hi)
            memset(bytes + i, 0, sizeof value);
    }
}

uint8_t code_without_places(const struct program_file *file, const struct listing *code,
                            const struct insn *insn, unsigned char bytes[INSN_BYTES_MAX])
{
    const unsigned char *const from = code->bytes + (insn->address - code->symbol->lo);
    if (insn->reference == REFERS_BRANCH) {
        const unsigned kind = branch_kind(from, insn->length);
        memcpy(bytes, &kind, sizeof kind);
        return sizeof kind;
    }
    memcpy(bytes, from, insn->length);
    if (insn->reference != REFERS_NOT)
        memset(bytes + insn->field, 0, insn->field_bytes);
    hide_addresses(file, bytes, insn->length);
    return insn->length;
}

bool code_same_bytes(const struct program_file *of_a, const struct listing *a,
                     const struct insn *x, const struct program_file *of_b,
                     const struct listing *b, const struct insn *y)
{
    unsigned char left[INSN_BYTES_MAX], right[INSN_BYTES_MAX];
    const uint8_t n = code_without_places(of_a, a, x, left);
    return x->reference == y->reference && code_without_places(of_b, b, y, right) == n &&
           !memcmp(left, right, n);
}
