/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on the code of two builds, by whole calls of both. */
#include "sample_run.h"
#include "unit.h"

/* A hot loop, one that is not, and what lies between. */
static struct code_proof *tile(void)
{
    struct code_proof *const proof = calloc(1, sizeof *proof);
    need(proof);
    string_set(&proof->call.shape, "64x64x64");
    proof->call.ops = 524288;
    proof->call.instructions = 100000;
    proof->call.main_bits = 256;
    proof->call.share_avx = 0.8;
    for (size_t i = 0; i < 2; i++) {
        struct code_loop *const loop = LIST_ADD(&proof->call, loops, n_loops);
        need(loop);
        string_set(&loop->where, i ? "my.so run+0x20" : "my.so tile+0x40");
        *loop = (struct code_loop){.where = loop->where,
                                   .share = i ? 0.06 : 0.9,
                                   .iterations = i ? 64 : 4096,
                                   .instructions = i ? 6000 : 90000,
                                   .widest_bits = 256,
                                   .spills_exact = true};
    }
    return proof;
}

typedef void change_proof(struct code_proof *proof);

static struct code_change *judge(change_proof *base, change_proof *head)
{
    struct code_proof *const before = tile(), *const now = tile();
    struct code_change *const change = calloc(1, sizeof *change);
    need(change);
    if (base)
        base(before);
    if (head)
        head(now);
    code_judge(before, now, change);
    code_proof_free(before);
    code_proof_free(now);
    return change;
}

/* Expects the faults of that name alone, or none. */
static void expect(change_proof *base, change_proof *head, const char *what,
                   const char *text)
{
    struct code_change *const change = judge(base, head);
    assert_int_equal(change->verdict, what ? CODE_WORSE : CODE_NO_WORSE);
    assert_int_equal(change->n_faults, what ? 1 : 0);
    assert_string_equal(change->shape, "64x64x64");
    assert_null(change->reason);
    if (what) {
        assert_string_equal(change->faults[0].what, what);
        assert_string_equal(change->faults[0].text, text);
        assert_string_equal(change->faults[0].where, "my.so tile+0x40");
    }
    code_change_free(change);
}

static void spill(struct code_proof *proof)
{
    proof->call.loops[0].spills = 4096;
}

static void spill_a_little_more(struct code_proof *proof)
{
    proof->call.loops[0].spills = 4096 + 40;
}

static void spill_rarely(struct code_proof *proof)
{
    proof->call.loops[0].spills = 10;
}

static void spill_less_rarely(struct code_proof *proof)
{
    proof->call.loops[0].spills = 11;
}

static void reload(struct code_proof *proof)
{
    proof->call.loops[0].reloads = 8192;
    string_set(&proof->call.loops[0].source, "tile.c:49");
}

static void call(struct code_proof *proof)
{
    proof->call.loops[0].calls = 4096;
}

static void call_in_no_hot_loop(struct code_proof *proof)
{
    proof->call.loops[1].calls = 4096;
}

/* The loop with calls became hotter, and has as many as before. */
static void become_hotter(struct code_proof *proof)
{
    proof->call.loops[0].share = 0.5;
    proof->call.loops[1].share = 0.12;
    proof->call.loops[1].calls = 4096;
}

static void twice_the_work(struct code_proof *proof)
{
    proof->call.ops *= 2;
    proof->call.loops[0].calls = 8192;
}

static void no_operations(struct code_proof *proof)
{
    proof->call.ops = 0;
}

static void no_operations_and_calls(struct code_proof *proof)
{
    no_operations(proof);
    call(proof);
}

static void narrow(struct code_proof *proof)
{
    proof->call.loops[0].widest_bits = proof->call.loops[1].widest_bits = 128;
}

static void narrow_where_hot(struct code_proof *proof)
{
    proof->call.loops[0].widest_bits = 128;
    proof->call.loops[1].share = 0.049;
}

static void narrow_in_part(struct code_proof *proof)
{
    proof->call.loops[0].widest_bits = 128;
    proof->call.loops[1].share = 0.05;
}

static void scalar(struct code_proof *proof)
{
    proof->call.loops[0].widest_bits = proof->call.loops[1].widest_bits = 32;
}

static void scalar_double(struct code_proof *proof)
{
    proof->call.loops[0].widest_bits = proof->call.loops[1].widest_bits = 64;
}

static void compute_narrower(struct code_proof *proof)
{
    proof->call.main_bits = 128;
}

static void sse(struct code_proof *proof)
{
    proof->call.share_sse = 0.8;
    proof->call.share_avx = 0;
}

/* A twentieth of it: enough to keep an instruction set, not to have had it. */
static void some_avx(struct code_proof *proof)
{
    proof->call.share_sse = 0.759;
    proof->call.share_avx = 0.041;
}

static void too_little_avx(struct code_proof *proof)
{
    proof->call.share_sse = 0.761;
    proof->call.share_avx = 0.039;
}

static void no_vectors(struct code_proof *proof)
{
    proof->call.share_avx = 0;
}

TEST(amounts)
{
    expect(NULL, NULL, NULL, NULL);
    expect(NULL, spill, "spills",
           "hot loops spill 7.812 vectors to the stack per 1000 operations, before 0, in "
           "my.so tile+0x40");
    expect(
        NULL, reload, "reloads",
        "hot loops reload 15.62 spilled vectors per 1000 operations, before 0, in my.so "
        "tile+0x40 (tile.c:49)");
    expect(
        NULL, call, "calls",
        "hot loops make 7.812 calls per 1000 operations, before 0, in my.so tile+0x40");
    expect(no_operations, no_operations_and_calls, "calls",
           "hot loops make 4096 calls in a call, before 0, in my.so tile+0x40");
    expect(spill, NULL, NULL, NULL);
    expect(spill, spill_a_little_more, NULL, NULL);
    expect(NULL, spill_rarely, NULL, NULL);
    expect(
        NULL, spill_less_rarely, "spills",
        "hot loops spill 0.02098 vectors to the stack per 1000 operations, before 0, in "
        "my.so tile+0x40");
}

TEST(loops_are_paired_by_work)
{
    expect(NULL, call_in_no_hot_loop, NULL, NULL);
    expect(call_in_no_hot_loop, become_hotter, NULL, NULL);
    expect(call, twice_the_work, NULL, NULL);
}

TEST(widths)
{
    expect(NULL, narrow, "width",
           "hot loops have vectors of 128 bits, before vectors of 256 bits, in my.so "
           "tile+0x40");
    expect(NULL, narrow_where_hot, "width",
           "hot loops have vectors of 128 bits, before vectors of 256 bits, in my.so "
           "tile+0x40");
    expect(NULL, narrow_in_part, NULL, NULL);
    expect(NULL, compute_narrower, "width",
           "hot loops have vectors of 128 bits, before vectors of 256 bits, in my.so "
           "tile+0x40");
    expect(narrow, NULL, NULL, NULL);
    expect(narrow, scalar, "width",
           "hot loops have no vectors, before vectors of 128 bits, in my.so tile+0x40");
    expect(scalar_double, scalar, NULL, NULL);
}

TEST(instruction_sets)
{
    expect(NULL, sse, "isa", "executes SSE, before AVX, in my.so tile+0x40");
    expect(NULL, too_little_avx, "isa", "executes SSE, before AVX, in my.so tile+0x40");
    expect(NULL, some_avx, NULL, NULL);
    expect(some_avx, sse, NULL, NULL);
    expect(sse, NULL, NULL, NULL);
    expect(sse, no_vectors, "isa",
           "executes no vector registers, before SSE, in my.so tile+0x40");
}

static void drop_loops(struct code_proof *proof)
{
    const double bits = proof->call.main_bits;
    whole_call_clear(&proof->call);
    proof->call.main_bits = bits;
    string_set(&proof->call.shape, "64x64x64");
}

static void drop_loops_and_width(struct code_proof *proof)
{
    drop_loops(proof);
    proof->call.main_bits = 128;
}

TEST(code_without_loops)
{
    struct code_change *const change = judge(drop_loops, drop_loops_and_width);
    assert_int_equal(change->n_faults, 1);
    assert_string_equal(change->faults[0].text,
                        "hot loops have vectors of 128 bits, before vectors of 256 bits");
    assert_null(change->faults[0].where);
    code_change_free(change);
}

/* ---- what cannot be judged ---- */

static void absent(struct code_proof *proof)
{
    string_set(&proof->absent, "a foreign worker marks no calls");
}

static void too_long(struct code_proof *proof)
{
    whole_call_clear(&proof->call);
    string_set(&proof->call.absent, "a call takes too many steps");
}

static void never_looked(struct code_proof *proof)
{
    whole_call_clear(&proof->call);
}

static void other_shape(struct code_proof *proof)
{
    string_set(&proof->call.shape, "8x8x8");
}

static void keep_small(struct code_proof *proof)
{
    proof->small = proof->call;
    proof->call = (struct whole_call){.n_loops = 0};
    other_shape(proof);
}

TEST(small_calls)
{
    struct code_change *const change = judge(keep_small, call);
    assert_int_equal(change->verdict, CODE_WORSE);
    assert_string_equal(change->shape, "64x64x64");
    code_change_free(change);
}

static void unseen(struct code_proof *proof)
{
    proof->call.loops[0].spills_exact = false;
}

static void unseen_in_no_hot_loop(struct code_proof *proof)
{
    proof->call.loops[1].spills_exact = false;
}

static void everything(struct code_proof *proof)
{
    spill(proof);
    reload(proof);
    call(proof);
    narrow(proof);
    sse(proof);
}

static void expect_no_judgement(change_proof *base, change_proof *head,
                                const char *reason)
{
    struct code_change *const change = judge(base, head);
    assert_int_equal(change->verdict, CODE_NOT_JUDGED);
    assert_string_equal(change->reason, reason);
    assert_int_equal(change->n_faults, 0);
    code_change_free(change);
}

TEST(not_judged)
{
    struct code_change *const change = calloc(1, sizeof *change);
    struct code_proof *const proof = tile();
    expect_no_judgement(absent, everything, "base: a foreign worker marks no calls");
    expect_no_judgement(NULL, too_long, "head: a call takes too many steps");
    expect_no_judgement(never_looked, everything, "base: no call was traced whole");
    expect_no_judgement(other_shape, everything,
                        "no shape was traced in both: base 8x8x8");
    code_judge(NULL, proof, change);
    assert_string_equal(change->reason, "base: nothing was traced (--prove)");
    code_proof_free(proof);
    code_change_free(change);
}

TEST(spills_that_were_not_seen)
{
    struct code_change *change = judge(unseen, everything);
    assert_string_equal(change->reason,
                        "spills were not judged: some places of the stack "
                        "are not known");
    assert_int_equal(change->n_faults, 3);
    code_change_free(change);
    expect(unseen_in_no_hot_loop, spill, "spills",
           "hot loops spill 7.812 vectors to the stack per 1000 operations, before 0, in "
           "my.so tile+0x40");
    change = judge(NULL, everything);
    assert_int_equal(change->n_faults, 5);
    assert_near(change->head_instructions, 100000 / 524288.0, 1e-12);
    code_change_free(change);
}
