/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a case as a text in which nothing depends on places. */
#include "surgery_private.h"

#include <inttypes.h>

#include "decode.h"
#include "sections.h"

enum {
    FUNCTIONS_MAX = 4 * BLOCKS_MAX,
    NAMES_MAX = 4096,
    BLIND_BYTES = 16,
    HASHED_BYTES = 256
};

struct function {
    uint64_t lo, hi;
};
struct writing {
    const struct surgery *surgery;
    const uint64_t *times; /* of executed instructions; NULL: not known */
    struct function function[FUNCTIONS_MAX];
    size_t n;
    uint64_t *variable; /* in the order of their first appearance */
    size_t n_variables;
    FILE *to;
};

/* ---- functions and places in them ---- */

/* Register r11, which no call keeps, may get a number first, as mold has it. */
static bool loads_r11(const unsigned char *bytes)
{
    return bytes[0] == 0x41 && bytes[1] == 0xbb;
}

uint64_t stub_slot(const struct surgery *surgery, uint64_t address)
{
    enum { STUB_INSNS = 3 };
    const struct region *const region = region_at(&surgery->objects, address);
    struct insn insn = {.length = 0};
    if (!region || !region->executable ||
        address + STUB_INSNS * INSN_BYTES_MAX > region->hi)
        return 0;
    for (int i = 0; i < STUB_INSNS; i++) {
        const unsigned char *const bytes = (const unsigned char *)(uintptr_t)address;
        if (!insn_decode(bytes, INSN_BYTES_MAX, address, &insn))
            return 0;
        if (!insn.endbr && !loads_r11(bytes))
            break;
        address += insn.length;
    }
    return insn.reference == REFERS_SLOT && insn.indirect_jump ? insn.target : 0;
}

/* Its number, a new one at first; SIZE_MAX: it is not copied. */
static size_t function_of(struct writing *writing, uint64_t address)
{
    const struct block *const block = block_at(writing->surgery, address);
    struct frame frame;
    for (size_t i = 0; i < writing->n; i++)
        if (address >= writing->function[i].lo && address < writing->function[i].hi)
            return i;
    if (!block || !is_copied(writing->surgery, address) || writing->n == FUNCTIONS_MAX)
        return SIZE_MAX;
    struct function *new = &writing->function[writing->n];
    *new = (struct function){.lo = block->lo, .hi = block->hi};
    if (block->object && (function_at(block->object, address, &frame) ||
                          unsized_at(block->object, address, &frame.lo, &frame.hi)))
        *new = (struct function){.lo = frame.lo, .hi = frame.hi};
    return writing->n++;
}

static uint64_t times_of(const struct writing *writing, uint64_t address)
{
    uint64_t times = 0;
    for (size_t i = 0; i < writing->surgery->n_executed; i++)
        times += writing->surgery->executed[i] == address ? writing->times[i] : 0;
    return times;
}

/* Places to which code jumps are numbered within their function. The names of functions
 * that are known not to have executed mean nothing: a build may have renamed them. */
static void write_place(struct writing *writing, uint64_t address)
{
    const struct surgery *const surgery = writing->surgery;
    const size_t number = function_of(writing, address);
    const struct object *const object = object_at(&surgery->objects, address);
    struct symbol symbol;
    size_t rank = 0;
    if (number == SIZE_MAX) {
        const bool known =
            object && symbol_at(object, address, &symbol) &&
            !(symbol.code && writing->times && !times_of(writing, address));
        fprintf(writing->to, " %s", known ? symbol.name : "elsewhere");
        return;
    }
    const struct block *const block = block_at(surgery, address);
    for (uint64_t at = writing->function[number].lo; at < address; at++)
        rank += at >= block->lo && block->mark[at - block->lo] & MARK_TARGET;
    fprintf(writing->to, " f%zu:%zu", number,
            address == writing->function[number].lo ? 0 : rank);
}

/* ---- data ---- */

/* A variable of another library as it is now. */
static void write_value(struct writing *writing, uint64_t address)
{
    const struct objects *const objects = &writing->surgery->objects;
    const struct object *const object = object_at(objects, address);
    struct symbol symbol;
    uint64_t hash = HASH_FIRST;
    if (!object || !symbol_at(object, address, &symbol) || symbol.code ||
        !strcmp(object->path, "/proc/self/exe"))
        return;
    if (live_hash(objects, object, symbol.lo, symbol.hi - symbol.lo, &hash))
        fprintf(writing->to, " =%" PRIx64, hash);
    else
        fprintf(writing->to, " =?");
}

static void write_slot(struct writing *writing, uint64_t slot, const char *name)
{
    const bool named = writing->surgery->subject.named;
    uint64_t holds;
    memcpy(&holds, (const void *)(uintptr_t)slot, sizeof holds);
    const struct object *const holder = object_at(&writing->surgery->objects, holds);
    if (!*name) {
        write_place(writing, holds);
        return;
    }
    fprintf(writing->to, " slot %s", name);
    if (named && function_of(writing, holds) != SIZE_MAX)
        write_place(writing, holds);
    else if (named && holder && holder->path &&
             (strstr(holder->path, "/libc.so.") || strstr(holder->path, "/libm.so.")))
        fprintf(writing->to, " libc");
    write_value(writing, holds);
}

static bool is_text(unsigned char byte)
{
    return byte >= ' ' || (byte >= '\t' && byte <= '\r');
}

/* The file's values of a variable, if it is one of a file. A text of unknown length ends
 * with its zero. */
static void write_initial(struct writing *writing, uint64_t address, uint64_t n,
                          bool text)
{
    const struct object *const object = object_at(&writing->surgery->objects, address);
    FREED_BY(free_memory) unsigned char *bytes =
        object ? initial_at(object, address, &n) : NULL;
    uint64_t length = 0;
    while (text && bytes && length < n && is_text(bytes[length]))
        length++;
    if (length && length < n && !bytes[length])
        n = length;
    if (bytes)
        fprintf(writing->to, " =%" PRIx64, hash_bytes(HASH_FIRST, bytes, n));
    else if (object)
        fprintf(writing->to, " =?");
}

static void write_variable(struct writing *writing, uint64_t address, uint64_t bytes)
{
    const struct object *const object = object_at(&writing->surgery->objects, address);
    struct symbol symbol;
    const bool known = object && symbol_at(object, address, &symbol);
    const uint64_t from = known ? symbol.lo : address;
    size_t i = 0;
    while (i < writing->n_variables && writing->variable[i] != from)
        i++;
    if (i == writing->n_variables && i < NAMES_MAX)
        writing->variable[writing->n_variables++] = from;
    fprintf(writing->to, " variable %zu+%" PRIu64, i, address - from);
    write_initial(writing, from, known ? symbol.hi - from : bytes, false);
}

/* Pointers among constants depend on places. */
static void write_constant(struct writing *writing, uint64_t address, uint64_t bytes)
{
    const struct surgery *const surgery = writing->surgery;
    const struct region *const region = region_at(&surgery->objects, address);
    const uint64_t rest = region->hi - address;
    uint64_t value;
    fprintf(writing->to, " constant ");
    for (uint64_t i = 0; i < bytes && i < rest;) {
        if (i + 8 <= bytes && i + 8 <= rest && (address + i) % 8 == 0) {
            value = read_memory(address + i, sizeof value);
            if (value > UINT32_MAX && object_at(&surgery->objects, value)) {
                write_place(writing, value);
                i += 8;
                continue;
            }
        }
        fprintf(writing->to, "%02x", (unsigned)read_memory(address + i, 1));
        i++;
    }
}

/* Up to the first jump table or function there, whose bytes depend on places. */
static uint64_t before_places(const struct surgery *surgery, uint64_t address, uint64_t n)
{
    const struct object *const object = object_at(&surgery->objects, address);
    const bool code = object && leads_to_code(&surgery->objects, address);
    struct frame frame;
    for (size_t i = 0; i < surgery->n_extras; i++) {
        const uint64_t distance = surgery->extra[i].address - address;
        if (surgery->extra[i].n && distance < n)
            n = distance;
    }
    for (uint64_t i = 0; code && i < n; i++)
        n = function_at(object, address + i, &frame) ? i : n;
    return n;
}

/* Assemblers put constants beside code, where they belong to no function. */
static bool is_constant(const struct surgery *surgery, uint64_t address)
{
    const struct object *const object = object_at(&surgery->objects, address);
    struct symbol symbol;
    uint64_t lo, hi;
    return object && !is_copied(surgery, address) && !stub_slot(surgery, address) &&
           (symbol_at(object, address, &symbol)
                ? !symbol.code
                : !(unsized_at(object, address, &lo, &hi) && lo == address) &&
                      before_places(surgery, address, 1) > 0);
}

/* A text counts up to its zero: linkers put texts in any order. */
static uint64_t blind_bytes(const struct surgery *surgery, uint64_t address)
{
    const uint64_t rest = region_at(&surgery->objects, address)->hi - address;
    uint64_t n = 0;
    while (n < BLIND_BYTES && n < rest &&
           is_text((unsigned char)read_memory(address + n, 1)))
        n++;
    return n && n < rest && n < BLIND_BYTES && !read_memory(address + n, 1)
               ? n + 1
               : before_places(surgery, address, BLIND_BYTES);
}

/* The last entries may be those of another function's table. */
static void write_table(struct writing *writing, const struct extra *table)
{
    size_t n = table->n;
    while (n && block_at(writing->surgery, extra_target(table, n - 1)) != table->block)
        n--;
    fprintf(writing->to, " table");
    for (size_t i = 0; i < n; i++)
        write_place(writing, extra_target(table, i));
}

static const struct extra *table_at(const struct surgery *surgery, uint64_t address)
{
    for (size_t i = 0; i < surgery->n_extras; i++)
        if (surgery->extra[i].address == address && surgery->extra[i].n)
            return &surgery->extra[i];
    return NULL;
}

static void write_branch(struct writing *writing, uint64_t target)
{
    const struct surgery *const surgery = writing->surgery;
    const uint64_t slot = stub_slot(surgery, target);
    const struct object *const object = slot ? object_at(&surgery->objects, slot) : NULL;
    const char *name;
    if (object && slot_at(object, slot, &name))
        write_slot(writing, slot, name);
    else
        write_place(writing, target);
}

/* The meaning of an address relative to an instruction. */
static void write_target(struct writing *writing, const struct insn *insn)
{
    const struct surgery *const surgery = writing->surgery;
    const uint64_t target = insn->target;
    const struct object *const object = object_at(&surgery->objects, target);
    const struct region *const region = region_at(&surgery->objects, target);
    const struct extra *const table = table_at(surgery, target);
    const char *name;
    struct symbol symbol;
    if (insn->reference == REFERS_LEA && table)
        write_table(writing, table);
    else if (object && slot_at(object, target, &name))
        write_slot(writing, target, name);
    else if (!region || region->writable)
        write_variable(writing, target,
                       insn->reference == REFERS_LEA ? BLIND_BYTES : insn->data_bytes);
    else if (leads_to_code(&surgery->objects, target) && insn->reference != REFERS_DATA &&
             !(insn->reference == REFERS_LEA && is_constant(surgery, target)))
        write_branch(writing, target);
    else if (insn->reference == REFERS_LEA && object &&
             symbol_at(object, target, &symbol))
        write_constant(writing, target, symbol.hi - target);
    else if (insn->reference == REFERS_LEA) {
        write_constant(writing, target, blind_bytes(surgery, target));
        fprintf(writing->to, "...");
        write_initial(writing, target, before_places(surgery, target, HASHED_BYTES),
                      true);
    } else {
        write_constant(writing, target, insn->data_bytes);
    }
}

/* ---- instructions ---- */

static void write_text(struct writing *writing, const unsigned char *bytes,
                       const struct insn *insn)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisFormatter formatter;
    unsigned char copy[INSN_BYTES_MAX];
    char text[192] = "?";
    memcpy(copy, bytes, insn->length);
    if (insn->reference != REFERS_NOT)
        memset(copy + insn->field, 0, insn->field_bytes);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    if (!decode(copy, insn->length, &decoded, operands))
        return;
    if (insn->reference == REFERS_BRANCH) {
        fprintf(writing->to, "%s", ZydisMnemonicGetString(decoded.mnemonic));
        return;
    }
    const struct block *const block = block_at(writing->surgery, insn->address);
    const uint64_t address = number_address(writing->surgery, block, insn->moved);
    if (address)
        operands[1].imm.value.u = 0;
    ZydisFormatterFormatInstruction(&formatter, &decoded, operands,
                                    decoded.operand_count_visible, text, sizeof text,
                                    ZYDIS_RUNTIME_ADDRESS_NONE, NULL);
    fprintf(writing->to, "%s%s", text,
            decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? " evex" : "");
    if (address && address == block->slots)
        fprintf(writing->to, " slots");
    else if (address && address != insn->moved)
        write_target(writing, &(struct insn){.reference = REFERS_LEA, .target = address});
    else if (address && is_copied(writing->surgery, address))
        write_place(writing, address);
    else if (address)
        write_variable(writing, address, 8);
}

static bool is_rare(const struct writing *writing, uint64_t address)
{
    const uint64_t run = (uint64_t)(uintptr_t)writing->surgery->subject.run;
    return writing->times && times_of(writing, address) <= times_of(writing, run);
}

/* Behind padding that aligns a place to which code jumps: an assembler takes no more
 * bytes than the alignment asks for, in few instructions. Other nops are instructions,
 * and so are those of wide alignments that execute more often than the call. */
static uint64_t behind_padding(const struct writing *writing, const struct block *block,
                               uint64_t at)
{
    enum { USUAL_BYTES = 16, LINE_BYTES = 64, NOP_BYTES = 7 };
    const uint64_t from = at;
    uint64_t n = 0;
    struct insn insn;
    while (at < block->hi && !(at > from && block->mark[at - block->lo] & MARK_TARGET) &&
           insn_decode(block->image + (at - block->lo), block->hi - at, at, &insn) &&
           insn.padding) {
        at += insn.length;
        n++;
    }
    const uint64_t most = is_rare(writing, from) ? LINE_BYTES : USUAL_BYTES;
    const uint64_t aligned = (at & -at) < most ? at & -at : most;
    return at < block->hi && block->mark[at - block->lo] & MARK_TARGET &&
                   at - from < aligned && n <= (at - from + NOP_BYTES - 1) / NOP_BYTES
               ? at
               : from;
}

static void write_function(struct writing *writing, size_t number)
{
    const struct function function = writing->function[number];
    const struct block *const block = block_at(writing->surgery, function.lo);
    char where[128];
    struct insn insn;
    fprintf(writing->to, "function\n");
    for (uint64_t at = function.lo; block && at < function.hi && at < block->hi; at++) {
        const unsigned char *const bytes = block->image + (at - block->lo);
        if (!(block->mark[at - block->lo] & MARK_START) ||
            !insn_decode(bytes, block->hi - at, at, &insn))
            continue;
        const uint64_t behind = insn.padding ? behind_padding(writing, block, at) : at;
        if (behind > at) {
            at = behind - 1;
            continue;
        }
        write_text(writing, bytes, &insn);
        if (insn.reference == REFERS_BRANCH)
            write_branch(writing, insn.target);
        else if (insn.reference != REFERS_NOT)
            write_target(writing, &insn);
        surgery_where(writing->surgery, at, where, sizeof where);
        fprintf(writing->to, "\t%s\n", where);
    }
}

static void write_data(const struct writing *writing)
{
    uint64_t hash;
    if (surgery_data(writing->surgery, &hash))
        fprintf(writing->to, "data =%" PRIx64 "\n", hash);
    else
        fprintf(writing->to, "data =?\n");
}

int surgery_code(const struct surgery *surgery, const uint64_t *times, char **text,
                 struct error *error)
{
    FREED_BY(free_memory) struct writing *writing = calloc(1, sizeof *writing);
    size_t size = 0, written = 0;
    *text = NULL;
    if (writing)
        writing->variable = calloc(NAMES_MAX, sizeof *writing->variable);
    if (writing && writing->variable)
        writing->to = open_memstream(text, &size);
    if (writing && writing->to) {
        writing->surgery = surgery;
        writing->times = times;
        function_of(writing, (uint64_t)(uintptr_t)surgery->subject.run);
        /* Those that pointers alone lead to follow in the order of their execution. */
        for (size_t i = 0; i <= surgery->n_executed; i++) {
            for (; written < writing->n; written++)
                write_function(writing, written);
            if (i < surgery->n_executed && !stub_slot(surgery, surgery->executed[i]))
                function_of(writing, surgery->executed[i]);
        }
        write_data(writing);
        if (fclose(writing->to) != 0) {
            free(*text);
            *text = NULL;
        }
    }
    if (writing)
        free(writing->variable);
    return *text ? 0 : no_memory(error);
}
