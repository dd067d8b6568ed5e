/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the code of two programs, wherever it lies. The comparison begins where the
 * system and libraries enter them. */
#include "same_code.h"

#include <stdlib.h>

#include "process/process.h"
#include "reports.h"

enum { DEPTH_MOST = 100, ENTRY = 4, WORD = 8, NEAR = 64, PASSES_MOST = 10 };

struct comparing {
    const struct program_file *a, *b;
    struct pairs seen;
    struct pairs apart;                 /* data and functions that differ */
    struct pairs variables, of_a, of_b; /* a variable has one counterpart */
    struct differing *in_a, *in_b;
    bool rust; /* the function that refers to data is of Rust */
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

static bool same_bytes(const struct comparing *comparing, uint64_t a, uint64_t b,
                       uint64_t n)
{
    const unsigned char *const x = image_loaded(&comparing->a->image, a, n);
    const unsigned char *const y = image_loaded(&comparing->b->image, b, n);
    const struct file_section *const of_a = file_section_at(comparing->a, a);
    const struct file_section *const of_b = file_section_at(comparing->b, b);
    bool same = true;
    if (of_a && of_b && of_a->zeros && of_b->zeros && a + n <= of_a->hi &&
        b + n <= of_b->hi)
        return true;
    if (x && y)
        return !memcmp(x, y, n);
    for (uint64_t i = 0; i < n && same; i++)
        same = file_byte(comparing->a, a + i) == file_byte(comparing->b, b + i);
    return same;
}

static bool same_values(struct comparing *comparing, uint64_t a, uint64_t b, uint64_t n,
                        int depth)
{
    for (uint64_t i = 0; i < n;) {
        const uint64_t bytes = file_before_pointer(comparing->a, a + i, n - i);
        if (file_before_pointer(comparing->b, b + i, n - i) != bytes ||
            !same_bytes(comparing, a + i, b + i, bytes))
            return false;
        i += bytes;
        const struct file_pointer *const x = file_pointer_at(comparing->a, a + i);
        const struct file_pointer *const y = file_pointer_at(comparing->b, b + i);
        if (i < n && !same_pointer(comparing, x, y, depth))
            return false;
        i += WORD;
    }
    return true;
}

/* A table of distances from itself, as of a switch. Padding may follow. */
static bool same_table(struct comparing *comparing, uint64_t a, uint64_t b, uint64_t n,
                       int depth)
{
    bool same = n >= ENTRY && n % ENTRY == 0;
    while (n > ENTRY && file_is_zero(comparing->a, a + n - ENTRY, a + n) &&
           file_is_zero(comparing->b, b + n - ENTRY, b + n))
        n -= ENTRY;
    for (uint64_t i = 0; i < n && same; i += ENTRY) {
        const unsigned char *const x = image_loaded(&comparing->a->image, a + i, ENTRY);
        const unsigned char *const y = image_loaded(&comparing->b->image, b + i, ENTRY);
        const uint64_t to = x ? entry_target(a, x, ENTRY) : 0;
        const uint64_t other = y ? entry_target(b, y, ENTRY) : 0;
        same = x && y && file_leads_to_code(comparing->a, to) &&
               same_place(comparing, to, other, 0, depth + 1);
    }
    return same;
}

/* Equal entries may be distances to strings or functions, which have to be the same, too.
 * They are numbers if at most one of them could be a distance. */
static bool same_distances(struct comparing *comparing, uint64_t a, uint64_t b,
                           uint64_t n, int depth)
{
    uint64_t end = 0;
    bool same = true;
    for (; end + ENTRY <= n; end += ENTRY) {
        const unsigned char *const x = image_loaded(&comparing->a->image, a + end, ENTRY);
        const unsigned char *const y = image_loaded(&comparing->b->image, b + end, ENTRY);
        uint64_t in_x = 0, in_y = 0;
        if (!x || !y ||
            !file_leads_away(comparing->a, a, n, entry_target(a, x, ENTRY), &in_x) ||
            !file_leads_away(comparing->b, b, n, entry_target(b, y, ENTRY), &in_y) ||
            in_x != in_y)
            break;
    }
    for (uint64_t i = 0; i < end && end > ENTRY && same; i += ENTRY) {
        const unsigned char *const entry =
            image_loaded(&comparing->a->image, a + i, ENTRY);
        same = same_place(comparing, entry_target(a, entry, ENTRY),
                          entry_target(b, entry, ENTRY), 0, depth + 1);
    }
    return same;
}

/* Names of sources, as assert() has them. */
static bool same_source(const struct comparing *comparing, uint64_t a, uint64_t b)
{
    const char *const x = file_source_at(comparing->a, a);
    const char *const y = file_source_at(comparing->b, b);
    return x && y && !strcmp(x, y);
}

/* A string may go on behind its first n bytes, where another one begins: linkers let
 * strings share their ends. Those of Rust end without a zero. */
static bool same_end(const struct comparing *comparing, uint64_t a, uint64_t b,
                     uint64_t n)
{
    bool same = true, ends = comparing->rust;
    for (uint64_t i = 0; i < n && !ends; i++)
        ends = !file_byte(comparing->a, a + i);
    if (ends ||
        (file_symbol_at(comparing->a, a + n) && file_symbol_at(comparing->b, b + n)))
        return true;
    for (; file_byte(comparing->a, a + n) && same; n++)
        same = file_byte(comparing->a, a + n) == file_byte(comparing->b, b + n);
    return same && !file_byte(comparing->b, b + n);
}

/* Code with a negative index may mean what begins behind zeros. */
static bool same_behind(struct comparing *comparing, uint64_t a, uint64_t of_a,
                        uint64_t b, uint64_t of_b, int depth)
{
    const struct file_section *const x = file_section_at(comparing->a, a);
    return !x || (x->zeros && of_a > NEAR) || !file_is_zero(comparing->a, a, a + of_a) ||
           !file_is_zero(comparing->b, b, b + of_b) ||
           same_place(comparing, a + of_a, b + of_b, 0, depth + 1);
}

/* All that begins there without a name, up to the end of the shorter one. Padding may
 * follow. */
static bool same_rest(struct comparing *comparing, uint64_t a, uint64_t b, int depth)
{
    const uint64_t of_a = file_end_of(comparing->a, a) - a;
    const uint64_t of_b = file_end_of(comparing->b, b) - b;
    const uint64_t n = of_a < of_b ? of_a : of_b;
    return same_source(comparing, a, b) ||
           (file_is_zero(comparing->a, a + n, a + of_a) &&
            file_is_zero(comparing->b, b + n, b + of_b) &&
            same_values(comparing, a, b, n, depth) && same_end(comparing, a, b, n) &&
            same_distances(comparing, a, b, n, depth) &&
            same_behind(comparing, a, of_a, b, of_b, depth)) ||
           same_table(comparing, a, b, n, depth);
}

/* False: one of them has another counterpart. Code that uses two variables is not code
 * that uses one twice. */
static bool same_variable(struct comparing *comparing, uint64_t a, uint64_t b)
{
    const struct file_section *const x = file_section_at(comparing->a, a);
    const struct file_section *const y = file_section_at(comparing->b, b);
    if (!x || !y || x->written != y->written)
        return false;
    if (!x->written || !pairs_add(&comparing->variables, a, b, false))
        return true;
    return (int)pairs_add(&comparing->of_a, a, 0, false) &
           (int)pairs_add(&comparing->of_b, b, 0, false);
}

/* Code with a negative index may mean what follows the thing that it refers to. Tables of
 * types of C++ are referred to behind their beginning. */
static bool same_follower(struct comparing *comparing, const struct file_symbol *x,
                          const struct file_symbol *y, uint64_t a, int depth)
{
    const struct file_symbol *const one = file_symbol_behind(comparing->a, x, NEAR);
    const struct file_symbol *const two = file_symbol_behind(comparing->b, y, NEAR);
    if (a == x->lo || x->hi - a > NEAR || !strncmp(x->name, "_ZT", 3))
        return true;
    return !one == !two &&
           (!one || (names_same(one->name, two->name) &&
                     same_place(comparing, one->lo, two->lo, 0, depth + 1)));
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
        same &= a - x->lo == b - y->lo && x->hi - x->lo == y->hi - y->lo &&
                (n || same_follower(comparing, x, y, a, depth));
        a = x->lo;
        b = y->lo;
        n = x->hi - x->lo;
    }
    if (pairs_have(&comparing->apart, a, b))
        return false;
    same = same && same_variable(comparing, a, b);
    if (same && (x || !n) && !pairs_add(&comparing->seen, a, b, false))
        return true;
    same = same && (n ? (same_values(comparing, a, b, n, depth) &&
                         (!x || same_distances(comparing, a, b, n, depth))) ||
                            (x && same_table(comparing, a, b, n, depth))
                      : same_rest(comparing, a, b, depth));
    if (!same)
        pairs_add(&comparing->apart, a, b, false);
    return same;
}

/* ---- places ---- */

/* True if both places are the same instruction of functions, which are compared later. */
static bool same_code(struct comparing *comparing, uint64_t a, uint64_t b, int depth)
{
    const struct file_symbol *const x = file_symbol_at(comparing->a, a);
    const struct file_symbol *const y = file_symbol_at(comparing->b, b);
    if (!x && !y) {
        const uint64_t slot = file_stub_slot(comparing->a, a);
        const uint64_t other = file_stub_slot(comparing->b, b);
        return slot && other && same_place(comparing, slot, other, WORD, depth + 1);
    }
    if (!x || !y || !x->code || !y->code)
        return false;
    pairs_add(&comparing->seen, x->lo, y->lo, true);
    if (a == x->lo || b == y->lo)
        return a == x->lo && b == y->lo;
    /* A breakpoint at its beginning would not see that it is entered here. */
    if (pairs_have(&comparing->apart, x->lo, y->lo))
        return false;
    struct listing of_x, of_y;
    const bool read =
        (int)code_read(comparing->a, x, &of_x) & (int)code_read(comparing->b, y, &of_y);
    const size_t number = code_number(&of_x, a);
    const bool same = read && number < of_x.n && of_x.insn[number].address == a &&
                      number == code_number(&of_y, b);
    FREE_EACH(of_x.insn, of_y.insn);
    return same;
}

/* True if both places have the same code, or the same n bytes of data (0: all). */
static bool same_place(struct comparing *comparing, uint64_t a, uint64_t b, uint64_t n,
                       int depth)
{
    const struct file_section *const x = file_section_at(comparing->a, a);
    const struct file_section *const y = file_section_at(comparing->b, b);
    if (file_is_end_of_clones(comparing->a, a) && file_is_end_of_clones(comparing->b, b))
        return true;
    if (!x || !y)
        return !x && !y &&
               ((!a && !b) ||
                (file_ends_at(comparing->a, a) && file_ends_at(comparing->b, b)));
    if (x->code || y->code)
        return x->code && y->code && same_code(comparing, a, b, depth);
    if (section_is_opaque(x->name) || section_is_opaque(y->name))
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

static void compare_functions(struct comparing *comparing, uint64_t at, uint64_t other)
{
    const struct file_symbol *const x = file_symbol_at(comparing->a, at);
    const struct file_symbol *const y = file_symbol_at(comparing->b, other);
    struct listing a, b;
    comparing->rust = name_is_rust(x->name);
    bool same = (int)code_read(comparing->a, x, &a) & (int)code_read(comparing->b, y, &b);
    same &= a.n == b.n;
    for (size_t i = 0; i < a.n && same; i++)
        same =
            code_same_bytes(comparing->a, &a, &a.insn[i], comparing->b, &b, &b.insn[i]);
    /* All of it is looked at: the lists have to name each function that differs. */
    for (size_t i = 0, all = same ? a.n : 0; i < all; i++)
        same &= same_reference(comparing, &a, &a.insn[i], &b, &b.insn[i]);
    const struct file_symbol *cold = NULL, *other_cold = NULL;
    const size_t n_cold = file_cold_parts(comparing->a, x, &cold);
    same &= n_cold == file_cold_parts(comparing->b, y, &other_cold) && n_cold <= 1 &&
            (!n_cold || (same_code(comparing, cold->lo, other_cold->lo, 0) &&
                         !pairs_have(&comparing->apart, cold->lo, other_cold->lo)));
    if (!same) {
        pairs_add(&comparing->apart, at, other, true);
        add_differing(comparing->in_a, at);
        add_differing(comparing->in_b, other);
    }
    FREE_EACH(a.insn, b.insn);
}

/* ---- where the programs are entered ---- */

/* Functions that a section lists: those of one name are counterparts, in whatever order
 * the linker put them. */
static void enter_list(struct comparing *comparing, const char *section)
{
    const struct file_section *const x = file_section_named(comparing->a, section);
    const struct file_section *const y = file_section_named(comparing->b, section);
    const size_t n = x ? (x->hi - x->lo) / WORD : 0, m = y ? (y->hi - y->lo) / WORD : 0;
    FREED_BY(free_memory) bool *taken = must_have(calloc(m + 1, sizeof *taken));
    for (size_t i = 0; i < n; i++) {
        const struct file_pointer *const from =
            file_pointer_at(comparing->a, x->lo + i * WORD);
        const struct file_symbol *const one =
            from ? file_symbol_at(comparing->a, from->value) : NULL;
        size_t k = 0;
        for (; one && k < m; k++) {
            const struct file_pointer *const to =
                file_pointer_at(comparing->b, y->lo + k * WORD);
            const struct file_symbol *const two =
                to ? file_symbol_at(comparing->b, to->value) : NULL;
            if (taken[k] || !two || !names_same(one->name, two->name))
                continue;
            taken[k] = same_code(comparing, one->lo, two->lo, 0);
            break;
        }
        if (from && (!one || k == m))
            add_differing(comparing->in_a, from->value);
    }
    for (size_t k = 0; k < m; k++) {
        const struct file_pointer *const to =
            file_pointer_at(comparing->b, y->lo + k * WORD);
        if (!taken[k] && to)
            add_differing(comparing->in_b, to->value);
    }
}

/* -ENOTSUP: data that libraries may read differ. */
static int enter_exported(struct comparing *comparing, struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < comparing->a->n_exported; i++) {
        const struct file_symbol *const x = &comparing->a->exported[i];
        const struct file_symbol *const y = file_exported_as(comparing->b, x->name);
        const bool code = x->code && (!y || y->code);
        if (y && x->code == y->code &&
            (code ? same_code(comparing, x->lo, y->lo, 0)
                  : same_place(comparing, x->lo, y->lo, 0, 0)))
            continue;
        if (code)
            add_differing(comparing->in_a, x->lo);
        else
            status = error_set(error, -ENOTSUP, "libraries may read other data");
    }
    for (size_t i = 0; i < comparing->b->n_exported; i++) {
        const struct file_symbol *const y = &comparing->b->exported[i];
        if (file_exported_as(comparing->a, y->name))
            continue;
        if (y->code)
            add_differing(comparing->in_b, y->lo);
        else
            status = error_set(error, -ENOTSUP, "libraries may read other data");
    }
    return status;
}

static int enter(struct comparing *comparing, struct error *error)
{
    static const char *const lists[] = {".preinit_array", ".init_array", ".fini_array"};
    static const char *const codes[] = {".init", ".fini"};
    const struct program_file *const a = comparing->a, *const b = comparing->b;
    const struct file_section *const x = file_section_named(a, ".tdata");
    const struct file_section *const y = file_section_named(b, ".tdata");
    bool same = a->libraries == b->libraries &&
                same_code(comparing, a->image.header.e_entry, b->image.header.e_entry, 0);
    if (x || y)
        same &= x && y && x->hi - x->lo == y->hi - y->lo &&
                same_values(comparing, x->lo, y->lo, x->hi - x->lo, 0);
    for (size_t i = 0; i < ARRAY_LEN(codes) && same; i++) {
        const struct file_section *const one = file_section_named(a, codes[i]);
        const struct file_section *const two = file_section_named(b, codes[i]);
        same = !one == !two && (!one || same_code(comparing, one->lo, two->lo, 0));
    }
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        enter_list(comparing, lists[i]);
    return same ? enter_exported(comparing, error)
                : error_set(error, -ENOTSUP, "they begin in other ways");
}

static void free_pass(struct comparing *comparing)
{
    pairs_free(&comparing->seen);
    pairs_free(&comparing->variables);
    pairs_free(&comparing->of_a);
    pairs_free(&comparing->of_b);
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
        free_pass(&comparing);
        in_a->n = in_b->n = 0;
        status = enter(&comparing, error);
        for (size_t i = 0; i < comparing.seen.n && status == 0 && !interrupted_by; i++)
            if (comparing.seen.entry[i].code)
                compare_functions(&comparing, comparing.seen.entry[i].a,
                                  comparing.seen.entry[i].b);
        if (status == 0 && interrupted_by)
            status = error_set(error, -EINTR, "interrupted");
        if (status == 0 && ++passes > PASSES_MOST)
            status = error_set(error, -ENOTSUP, "their data differ in too many ways");
    } while (status == 0 && comparing.apart.n > apart);
    free_pass(&comparing);
    pairs_free(&comparing.apart);
    return status;
}
