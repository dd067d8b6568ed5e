/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that were entered are compared in both programs, with all data that they
 * refer to, wherever these lie. */
#include "same_code.h"

#include <stdlib.h>

#include "process/process.h"
#include "reports.h"

enum { DEPTH_MOST = 100, ENTRY = 4, WORD = 8, NEAR = 64 };

struct comparing {
    const struct program_file *a, *b;
    const struct parts *in_a, *in_b;
    struct pairs seen;
    struct pairs variables, of_a, of_b; /* a variable has one counterpart */
};

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
 * strings share their ends. */
static bool same_end(const struct comparing *comparing, uint64_t a, uint64_t b,
                     uint64_t n)
{
    bool same = true, ends = false;
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
           (!one || same_place(comparing, one->lo, two->lo, 0, depth + 1));
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
    if (!same || !same_variable(comparing, a, b))
        return false;
    if ((x || !n) && !pairs_add(&comparing->seen, a, b, false))
        return true;
    return n ? (same_values(comparing, a, b, n, depth) &&
                (!x || same_distances(comparing, a, b, n, depth))) ||
                   (x && same_table(comparing, a, b, n, depth))
             : same_rest(comparing, a, b, depth);
}

/* ---- places ---- */

static bool is_entered(const struct parts *parts, uint64_t at)
{
    const struct part *const part = parts_at(parts, at);
    return !part || part->entered;
}

/* True if both places are the same instruction of functions. Those that are entered at
 * their beginning are known, and others are compared later. */
static bool same_code(struct comparing *comparing, uint64_t a, uint64_t b, int depth)
{
    const struct file_symbol *const x = file_symbol_at(comparing->a, a);
    const struct file_symbol *const y = file_symbol_at(comparing->b, b);
    if (!x && !y) {
        const uint64_t slot = file_stub_slot(comparing->a, a);
        const uint64_t other = file_stub_slot(comparing->b, b);
        return slot && other && same_place(comparing, slot, other, WORD, depth + 1);
    }
    if (!x || !y || !x->code || !y->code || (a == x->lo) != (b == y->lo))
        return false;
    if (a == x->lo && !is_entered(comparing->in_a, a) && !is_entered(comparing->in_b, b))
        return true;
    struct listing of_x, of_y;
    const bool read =
        (int)code_read(comparing->a, x, &of_x) & (int)code_read(comparing->b, y, &of_y);
    const size_t number = code_number(&of_x, a);
    const bool same = read && number < of_x.n && of_x.insn[number].address == a &&
                      number == code_number(&of_y, b);
    FREE_EACH(of_x.insn, of_y.insn);
    pairs_add(&comparing->seen, x->lo, y->lo, true);
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

/* A part that is seldom reached may be entered by handlers of exceptions, which no
 * breakpoint sees. */
static bool same_cold_part(struct comparing *comparing, const struct file_symbol *x,
                           const struct file_symbol *y)
{
    const struct file_symbol *cold = NULL, *other = NULL;
    const size_t n = file_cold_parts(comparing->a, x, &cold);
    if (n != file_cold_parts(comparing->b, y, &other) || n > 1)
        return false;
    if (n)
        pairs_add(&comparing->seen, cold->lo, other->lo, true);
    return true;
}

static bool same_function(struct comparing *comparing, uint64_t at, uint64_t other)
{
    const struct file_symbol *const x = file_symbol_at(comparing->a, at);
    const struct file_symbol *const y = file_symbol_at(comparing->b, other);
    struct listing a, b;
    bool same = (int)code_read(comparing->a, x, &a) & (int)code_read(comparing->b, y, &b);
    same &= a.n == b.n;
    for (size_t i = 0; i < a.n && same; i++)
        same =
            code_same_bytes(comparing->a, &a, &a.insn[i], comparing->b, &b, &b.insn[i]) &&
            same_reference(comparing, &a, &a.insn[i], &b, &b.insn[i]);
    FREE_EACH(a.insn, b.insn);
    return same && same_cold_part(comparing, x, y);
}

/* ---- programs ---- */

/* Libraries may read data that the program exports. */
static bool same_exported(struct comparing *comparing)
{
    bool same = true;
    size_t n = 0;
    for (size_t i = 0; i < comparing->b->n_exported; i++)
        n += !comparing->b->exported[i].code;
    for (size_t i = 0; i < comparing->a->n_exported && same; i++) {
        const struct file_symbol *const x = &comparing->a->exported[i];
        const struct file_symbol *const y = file_exported_as(comparing->b, x->name);
        if (x->code)
            continue;
        same = y && !y->code && same_place(comparing, x->lo, y->lo, 0, 0);
        n--;
    }
    return same && n == 0;
}

static bool same_threads(struct comparing *comparing)
{
    const struct file_section *const x = file_section_named(comparing->a, ".tdata");
    const struct file_section *const y = file_section_named(comparing->b, ".tdata");
    return (!x && !y) || (x && y && x->hi - x->lo == y->hi - y->lo &&
                          same_values(comparing, x->lo, y->lo, x->hi - x->lo, 0));
}

/* Pairs each function that was entered with the one of its text and name, and of its
 * number among these. */
static bool pair_entered(struct comparing *comparing, const struct parts *from,
                         const struct parts *to)
{
    bool all = true;
    for (size_t i = 0; i < from->n && all; i++) {
        const struct part *const part = &from->entry[i];
        size_t first, other;
        if (!part->entered)
            continue;
        parts_group(from, part, &first);
        all = i - first < parts_group(to, part, &other);
        if (!all)
            break;
        const struct part *const pair = &to->entry[other + i - first];
        const bool is_a = from == comparing->in_a;
        pairs_add(&comparing->seen, (is_a ? part : pair)->symbol->lo,
                  (is_a ? pair : part)->symbol->lo, true);
    }
    return all;
}

bool programs_same(const struct parts *a, const struct parts *b)
{
    struct comparing comparing = {.a = &a->file, .b = &b->file, .in_a = a, .in_b = b};
    bool same = a->file.libraries == b->file.libraries &&
                pair_entered(&comparing, a, b) && pair_entered(&comparing, b, a) &&
                same_threads(&comparing) && same_exported(&comparing);
    for (size_t i = 0; i < comparing.seen.n && same && !interrupted_by; i++)
        if (comparing.seen.entry[i].code)
            same = same_function(&comparing, comparing.seen.entry[i].a,
                                 comparing.seen.entry[i].b);
    pairs_free(&comparing.seen);
    pairs_free(&comparing.variables);
    pairs_free(&comparing.of_a);
    pairs_free(&comparing.of_b);
    return same && !interrupted_by;
}
