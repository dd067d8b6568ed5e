/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two programs have the same code, wherever it lies. What the one and the other
 * can execute is compared side by side, from where the system and libraries enter them:
 * what code and data of the one refer to has to be what those of the other do. */
#include "same_code.h"

#include <stdlib.h>

#include "numbers.h"
#include "reports.h"

enum { DEPTH_MOST = 100, ENTRY = 4, WORD = 8, PASSES_MOST = 10 };

struct comparing {
    const struct program_file *a, *b;
    struct pairs seen;
    struct pairs apart; /* data that differ */
    struct differing *in_a, *in_b;
};

static void add_differing(struct differing *list, uint64_t at)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == at)
            return;
    *(uint64_t *)LIST_ADD(list, at, n) = at;
}

/* ---- data ---- */

static bool same_place(struct comparing *comparing, uint64_t a, uint64_t b, uint64_t n,
                       int depth);

static bool same_pointer(struct comparing *comparing, const struct file_pointer *x,
                         const struct file_pointer *y, int depth)
{
    return x->kind == y->kind && !strcmp(x->name, y->name) &&
           (x->own ? same_place(comparing, x->value, y->value, 0, depth + 1)
                   : x->value == y->value);
}

/* A pointer of the file at that address, or NULL. */
static const struct file_pointer *pointer_at(const struct program_file *file, uint64_t at)
{
    const struct file_pointer *const pointer = file_pointer_from(file, at);
    return pointer && pointer->at == at ? pointer : NULL;
}

/* A byte of the file; 0 where it has none, as of variables that begin as zeros. */
static unsigned char byte_at(const struct program_file *file, uint64_t at)
{
    const unsigned char *const byte = image_loaded(&file->image, at, 1);
    return byte ? *byte : 0;
}

static bool same_bytes(const struct comparing *comparing, uint64_t a, uint64_t b,
                       uint64_t n)
{
    const unsigned char *const x = image_loaded(&comparing->a->image, a, n);
    const unsigned char *const y = image_loaded(&comparing->b->image, b, n);
    bool same = true;
    if (x && y)
        return !memcmp(x, y, n);
    for (uint64_t i = 0; i < n && same; i++)
        same = byte_at(comparing->a, a + i) == byte_at(comparing->b, b + i);
    return same;
}

/* Bytes up to the next pointer, at most n. */
static uint64_t before_pointer(const struct program_file *file, uint64_t at, uint64_t n)
{
    const struct file_pointer *const pointer = file_pointer_from(file, at);
    return pointer && pointer->at - at < n ? pointer->at - at : n;
}

static bool same_values(struct comparing *comparing, uint64_t a, uint64_t b, uint64_t n,
                        int depth)
{
    for (uint64_t i = 0; i < n;) {
        const uint64_t bytes = before_pointer(comparing->a, a + i, n - i);
        if (before_pointer(comparing->b, b + i, n - i) != bytes ||
            !same_bytes(comparing, a + i, b + i, bytes))
            return false;
        i += bytes;
        const struct file_pointer *const x = pointer_at(comparing->a, a + i);
        const struct file_pointer *const y = pointer_at(comparing->b, b + i);
        if (i < n && !same_pointer(comparing, x, y, depth))
            return false;
        i += WORD;
    }
    return true;
}

/* The end of what begins there without a name: where the next thing begins. */
static uint64_t end_of(const struct program_file *file, uint64_t at)
{
    const size_t i = count_below(file->bound, file->n_bounds, sizeof at, at + 1);
    return i < file->n_bounds ? file->bound[i] : at;
}

static bool is_zero(const struct program_file *file, uint64_t from, uint64_t to)
{
    const struct file_pointer *const pointer = file_pointer_from(file, from);
    bool zero = !pointer || pointer->at >= to;
    for (uint64_t at = from; at < to && zero; at++)
        zero = !byte_at(file, at);
    return zero;
}

static bool leads_to_code(const struct program_file *file, uint64_t at)
{
    const struct file_section *const section = file_section_at(file, at);
    return section && section->code;
}

/* A table of distances from itself, as of a switch. Padding may follow. */
static bool same_table(struct comparing *comparing, uint64_t a, uint64_t b, uint64_t n,
                       int depth)
{
    bool same = n >= ENTRY && n % ENTRY == 0;
    while (n > ENTRY && is_zero(comparing->a, a + n - ENTRY, a + n) &&
           is_zero(comparing->b, b + n - ENTRY, b + n))
        n -= ENTRY;
    for (uint64_t i = 0; i < n && same; i += ENTRY) {
        const unsigned char *const x = image_loaded(&comparing->a->image, a + i, ENTRY);
        const unsigned char *const y = image_loaded(&comparing->b->image, b + i, ENTRY);
        const uint64_t to = x ? entry_target(a, x, ENTRY) : 0;
        const uint64_t other = y ? entry_target(b, y, ENTRY) : 0;
        same = x && y && leads_to_code(comparing->a, to) &&
               same_place(comparing, to, other, 0, depth + 1);
    }
    return same;
}

/* Behind the name of the folder of its build with which the text there begins, or NULL.
 */
static const char *source_at(const struct program_file *file, uint64_t at)
{
    const size_t n = strlen(file->folder);
    const uint64_t all = end_of(file, at) - at;
    const char *const text = (const char *)image_loaded(&file->image, at, all);
    return n && text && all > n && memchr(text, 0, all) && !memcmp(text, file->folder, n)
               ? text + n
               : NULL;
}

/* Names of sources, as assert() has them. */
static bool same_source(const struct comparing *comparing, uint64_t a, uint64_t b)
{
    const char *const x = source_at(comparing->a, a), *const y =
                                                          source_at(comparing->b, b);
    return x && y && !strcmp(x, y);
}

/* All that begins there without a name, up to the end of the shorter one. Padding may
 * follow. */
static bool same_rest(struct comparing *comparing, uint64_t a, uint64_t b, int depth)
{
    const uint64_t of_a = end_of(comparing->a, a) - a, of_b = end_of(comparing->b, b) - b;
    const uint64_t n = of_a < of_b ? of_a : of_b;
    return same_source(comparing, a, b) ||
           (is_zero(comparing->a, a + n, a + of_a) &&
            is_zero(comparing->b, b + n, b + of_b) &&
            same_values(comparing, a, b, n, depth)) ||
           same_table(comparing, a, b, n, depth);
}

/* n bytes; 0: all that begins there. What has a name is compared as a whole, once. Data
 * that lead to each other are the same unless something differs. */
static bool same_data(struct comparing *comparing, uint64_t a, uint64_t b, uint64_t n,
                      int depth)
{
    const struct file_symbol *const x = file_symbol_at(comparing->a, a);
    const struct file_symbol *const y = file_symbol_at(comparing->b, b);
    bool same = depth <= DEPTH_MOST && !x == !y;
    if (x && y) {
        same &= a - x->lo == b - y->lo && x->hi - x->lo == y->hi - y->lo;
        a = x->lo;
        b = y->lo;
        n = x->hi - x->lo;
    }
    if (pairs_have(&comparing->apart, a, b))
        return false;
    if (same && (x || !n) && !pairs_add(&comparing->seen, a, b, false))
        return true;
    same = same && (n ? same_values(comparing, a, b, n, depth) ||
                            (x && same_table(comparing, a, b, n, depth))
                      : same_rest(comparing, a, b, depth));
    if (!same)
        pairs_add(&comparing->apart, a, b, false);
    return same;
}

/* ---- places ---- */

/* Contents that depend on places, and are for unwinders and debuggers alone. */
static bool is_opaque(const char *name)
{
    static const char *const begins[] = {".eh_frame", ".gcc_except", ".dyn",   ".gnu",
                                         ".note",     ".rela",       ".interp"};
    bool opaque = false;
    for (size_t i = 0; i < ARRAY_LEN(begins); i++)
        opaque |= !strncmp(name, begins[i], strlen(begins[i]));
    return opaque;
}

/* The slot that a stub of the linker jumps through, or 0. */
static uint64_t stub_slot(const struct program_file *file, uint64_t at)
{
    struct insn insn = {.length = 0};
    for (int i = 0; i < 2; i++, at += insn.length) {
        const unsigned char *const bytes = image_loaded(&file->image, at, INSN_BYTES_MAX);
        if (!bytes || !insn_decode(bytes, INSN_BYTES_MAX, at, &insn))
            return 0;
        if (!insn.endbr)
            break;
    }
    return insn.reference == REFERS_SLOT && insn.indirect_jump ? insn.target : 0;
}

/* Whether both places are the same instruction of functions, which are compared later. */
static bool same_code(struct comparing *comparing, uint64_t a, uint64_t b, int depth)
{
    const struct file_symbol *const x = file_symbol_at(comparing->a, a);
    const struct file_symbol *const y = file_symbol_at(comparing->b, b);
    if (!x && !y) {
        const uint64_t slot = stub_slot(comparing->a, a);
        const uint64_t other = stub_slot(comparing->b, b);
        return slot && other && same_place(comparing, slot, other, WORD, depth + 1);
    }
    if (!x || !y || !x->code || !y->code)
        return false;
    pairs_add(&comparing->seen, x->lo, y->lo, true);
    if (a == x->lo || b == y->lo)
        return a == x->lo && b == y->lo;
    struct listing of_x, of_y;
    const bool read =
        (int)code_read(comparing->a, x, &of_x) & (int)code_read(comparing->b, y, &of_y);
    const size_t number = code_number(&of_x, a);
    const bool same = read && number < of_x.n && of_x.insn[number].address == a &&
                      number == code_number(&of_y, b);
    FREE_EACH(of_x.insn, of_y.insn);
    return same;
}

/* The end of a table of the compiler's own, which is empty: whatever follows it. */
static bool is_end_of_clones(const struct program_file *file, uint64_t at)
{
    size_t i = count_below(file->symbol, file->n_symbols, sizeof *file->symbol, at);
    bool is = false;
    for (; i < file->n_symbols && file->symbol[i].lo == at; i++)
        is |= !strcmp(file->symbol[i].name, "__TMC_END__");
    return is;
}

/* Whether both places have the same code, or the same n bytes of data (0: all). */
static bool same_place(struct comparing *comparing, uint64_t a, uint64_t b, uint64_t n,
                       int depth)
{
    const struct file_section *const x = file_section_at(comparing->a, a);
    const struct file_section *const y = file_section_at(comparing->b, b);
    if (is_end_of_clones(comparing->a, a) && is_end_of_clones(comparing->b, b))
        return true;
    if (!x || !y)
        return !x && !y;
    if (x->code || y->code)
        return x->code && y->code && same_code(comparing, a, b, depth);
    if (is_opaque(x->name) || is_opaque(y->name))
        return !strcmp(x->name, y->name);
    return same_data(comparing, a, b, n, depth);
}

/* ---- functions ---- */

static bool same_reference(struct comparing *comparing, const struct listing *a,
                           const struct insn *x, const struct listing *b,
                           const struct insn *y)
{
    const uint64_t n = x->reference == REFERS_LEA    ? 0
                       : x->reference == REFERS_SLOT ? WORD
                                                     : x->data_bytes;
    if (x->reference == REFERS_NOT)
        return true;
    if (x->reference == REFERS_BRANCH && code_holds(a->symbol, x->target) &&
        code_holds(b->symbol, y->target))
        return code_number(a, x->target) == code_number(b, y->target);
    return same_place(comparing, x->target, y->target, n, 0);
}

/* The part of a function that is seldom reached, at times by its handlers of exceptions
 * alone, has a name of its own; or NULL. */
static const struct file_symbol *cold_part(const struct program_file *file,
                                           const struct file_symbol *of)
{
    const size_t n = strlen(of->name);
    for (size_t i = 0; i < file->n_symbols; i++)
        if (file->symbol[i].code && !strncmp(file->symbol[i].name, of->name, n) &&
            !strcmp(file->symbol[i].name + n, ".cold"))
            return &file->symbol[i];
    return NULL;
}

static void compare_functions(struct comparing *comparing, uint64_t at, uint64_t other)
{
    const struct file_symbol *const x = file_symbol_at(comparing->a, at);
    const struct file_symbol *const y = file_symbol_at(comparing->b, other);
    struct listing a, b;
    bool same = (int)code_read(comparing->a, x, &a) & (int)code_read(comparing->b, y, &b);
    same &= a.n == b.n;
    for (size_t i = 0; i < a.n && same; i++)
        same = code_same_bytes(&a, &a.insn[i], &b, &b.insn[i]);
    /* All of it is looked at: the lists have to name each function that differs. */
    for (size_t i = 0, all = same ? a.n : 0; i < all; i++)
        same &= same_reference(comparing, &a, &a.insn[i], &b, &b.insn[i]);
    const struct file_symbol *const cold = cold_part(comparing->a, x);
    const struct file_symbol *const other_cold = cold_part(comparing->b, y);
    same &= !cold == !other_cold &&
            (!cold || same_code(comparing, cold->lo, other_cold->lo, 0));
    if (!same) {
        add_differing(comparing->in_a, at);
        add_differing(comparing->in_b, other);
    }
    FREE_EACH(a.insn, b.insn);
}

/* ---- where the programs are entered ---- */

static const struct file_section *section_named(const struct program_file *file,
                                                const char *name)
{
    for (size_t i = 0; i < file->n_sections; i++)
        if (!strcmp(file->section[i].name, name))
            return &file->section[i];
    return NULL;
}

static const struct file_symbol *exported_as(const struct program_file *file,
                                             const char *name)
{
    for (size_t i = 0; i < file->n_exported; i++)
        if (!strcmp(file->exported[i].name, name))
            return &file->exported[i];
    return NULL;
}

/* Functions that a section lists: those of one name are counterparts, in whatever order
 * the linker put them. */
static void enter_list(struct comparing *comparing, const char *section)
{
    const struct file_section *const x = section_named(comparing->a, section);
    const struct file_section *const y = section_named(comparing->b, section);
    const size_t n = x ? (x->hi - x->lo) / WORD : 0, m = y ? (y->hi - y->lo) / WORD : 0;
    FREED_BY(free_memory) bool *taken = must_have(calloc(m + 1, sizeof *taken));
    for (size_t i = 0; i < n; i++) {
        const struct file_pointer *const from =
            pointer_at(comparing->a, x->lo + i * WORD);
        const struct file_symbol *const one =
            from ? file_symbol_at(comparing->a, from->value) : NULL;
        size_t k = 0;
        for (; one && k < m; k++) {
            const struct file_pointer *const to =
                pointer_at(comparing->b, y->lo + k * WORD);
            const struct file_symbol *const two =
                to ? file_symbol_at(comparing->b, to->value) : NULL;
            if (taken[k] || !two || !names_same(one->name, two->name))
                continue;
            taken[k] = same_code(comparing, one->lo, two->lo, 0);
            break;
        }
        if (one && k == m)
            add_differing(comparing->in_a, one->lo);
    }
    for (size_t k = 0; k < m; k++) {
        const struct file_pointer *const to = pointer_at(comparing->b, y->lo + k * WORD);
        if (!taken[k] && to)
            add_differing(comparing->in_b, to->value);
    }
}

static void enter_exported(struct comparing *comparing)
{
    for (size_t i = 0; i < comparing->a->n_exported; i++) {
        const struct file_symbol *const x = &comparing->a->exported[i];
        const struct file_symbol *const y = exported_as(comparing->b, x->name);
        if (!y || !same_code(comparing, x->lo, y->lo, 0))
            add_differing(comparing->in_a, x->lo);
    }
    for (size_t i = 0; i < comparing->b->n_exported; i++)
        if (!exported_as(comparing->a, comparing->b->exported[i].name))
            add_differing(comparing->in_b, comparing->b->exported[i].lo);
}

static int enter(struct comparing *comparing, struct error *error)
{
    static const char *const lists[] = {".preinit_array", ".init_array", ".fini_array"};
    static const char *const codes[] = {".init", ".fini"};
    const struct program_file *const a = comparing->a, *const b = comparing->b;
    const struct file_section *const x = section_named(a, ".tdata");
    const struct file_section *const y = section_named(b, ".tdata");
    bool same = a->libraries == b->libraries &&
                same_code(comparing, a->image.header.e_entry, b->image.header.e_entry, 0);
    if (x || y)
        same &= x && y && x->hi - x->lo == y->hi - y->lo &&
                same_values(comparing, x->lo, y->lo, x->hi - x->lo, 0);
    for (size_t i = 0; i < ARRAY_LEN(codes) && same; i++) {
        const struct file_section *const one = section_named(a, codes[i]);
        const struct file_section *const two = section_named(b, codes[i]);
        same = !one == !two && (!one || same_code(comparing, one->lo, two->lo, 0));
    }
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        enter_list(comparing, lists[i]);
    enter_exported(comparing);
    return same ? 0 : error_set(error, -ENOTSUP, "they begin in other ways");
}

int programs_compare(const struct program_file *a, const struct program_file *b,
                     struct differing *in_a, struct differing *in_b, struct error *error)
{
    struct comparing comparing = {.a = a, .b = b, .in_a = in_a, .in_b = in_b};
    size_t apart;
    int status, passes = 0;
    /* Data that were taken for the same because they lead to others are not, once these
     * differ. */
    do {
        apart = comparing.apart.n;
        pairs_free(&comparing.seen);
        in_a->n = in_b->n = 0;
        status = enter(&comparing, error);
        for (size_t i = 0; i < comparing.seen.n && status == 0; i++)
            if (comparing.seen.entry[i].code)
                compare_functions(&comparing, comparing.seen.entry[i].a,
                                  comparing.seen.entry[i].b);
        if (status == 0 && ++passes > PASSES_MOST)
            status = error_set(error, -ENOTSUP, "their data differ in too many ways");
    } while (status == 0 && comparing.apart.n > apart);
    pairs_free(&comparing.seen);
    pairs_free(&comparing.apart);
    return status;
}
