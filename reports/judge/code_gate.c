/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate of code: what two builds execute in a whole call of the same shape. Loops are
 * paired by the work that they execute, not by their addresses: what head's hot loops do
 * for an operation is held against what all loops of base do for one, so that a loop that
 * merely became hotter is no rise.
 */
#include <math.h>

#include "judge.h"

/* A loop is hot with that part of a call's instructions. A width, or an instruction set,
 * of base must have that part, and falls if head has less than half of it. */
#define HOT 0.10
/* A rise counts above both: of the amount, and for each instruction of the call. */
#define RISE_LEAST 0.01
#define RISE_PER_INSTRUCTION 1e-4
/* Sentences give amounts for so many operations. */
#define OPERATIONS 1000

/* ---- amounts ---- */

typedef double loop_amount(const struct code_loop *loop);

static double spills_of(const struct code_loop *loop)
{
    return loop->spills;
}

static double reloads_of(const struct code_loop *loop)
{
    return loop->reloads;
}

static double calls_of(const struct code_loop *loop)
{
    return loop->calls;
}

static const struct amount {
    const char *what, *verb, *noun;
    loop_amount *of;
    bool needs_addresses;
} amounts[] = {
    {"spills", "spill", "vectors to the stack", spills_of, true},
    {"reloads", "reload", "spilled vectors", reloads_of, true},
    {"calls", "make", "calls", calls_of, false},
};

/* The amount of one call, or of one operation if operations are known. */
static double for_work(const struct whole_call *call, double amount)
{
    return call->ops > 0 ? amount / call->ops : amount;
}

/* Sums loops with at least that share, and the one among them that has most of it. */
static double sum_of(const struct whole_call *call, loop_amount *of, double share,
                     const struct code_loop **most)
{
    double sum = 0, best = -1;

    FOR_EACH (const struct code_loop, loop, call->loops, call->n_loops) {
        const double amount = of(loop);
        if (loop->share < share)
            continue;
        sum += amount;
        if (amount > best) {
            best = amount;
            *most = loop;
        }
    }
    return for_work(call, sum);
}

/* Spills of base that were not all seen would make those of head look like a rise. */
static bool has_guesses(const struct whole_call *call)
{
    FOR_EACH (const struct code_loop, loop, call->loops, call->n_loops)
        if (loop->share >= HOT && !loop->spills_exact)
            return true;
    return false;
}

/* ---- widths and instruction sets ---- */

static double vectors_only(double bits)
{
    return bits < 128 ? 0 : bits;
}

/* The widest vectors of loops with at least that share, but no wider than what the call
 * computes with: wide copies are not worth much. */
static double width_of(const struct whole_call *call, double share)
{
    double widest = -1;

    FOR_EACH (const struct code_loop, loop, call->loops, call->n_loops)
        if (loop->share >= share)
            widest = fmax(widest, loop->widest_bits);
    return vectors_only(widest < 0 ? call->main_bits : fmin(widest, call->main_bits));
}

static const char *const isa_names[] = {"no vector registers", "SSE", "AVX", "AVX-512"};

/* The highest that at least this part has of the instructions with vector registers. */
static double isa_of(const struct whole_call *call, double share)
{
    const double shares[] = {0, call->share_sse, call->share_avx, call->share_avx512};
    const double least = share * (shares[1] + shares[2] + shares[3]);

    for (size_t i = ARRAY_LEN(shares); i-- > 1;)
        if (shares[i] > 0 && shares[i] >= least)
            return (double)i;
    return 0;
}

/* ---- faults ---- */

static void add_fault(struct code_change *change, const char *what, double base,
                      double head, const struct code_loop *loop, struct buffer *text)
{
    struct code_fault *const fault = LIST_ADD(change, faults, n_faults);

    if (loop) {
        buffer_format(text, ", in %s", loop->where ?: "an unknown place");
        if (loop->source)
            buffer_format(text, " (%s)", loop->source);
    }
    fault->base = base;
    fault->head = head;
    fault->what = copy_text(what);
    fault->where = copy_text(loop ? loop->where : NULL);
    fault->text = copy_text(buffer_text(text));
    change->verdict = CODE_WORSE;
    buffer_free(text);
}

static void judge_amount(const struct amount *amount, const struct whole_call *base,
                         const struct whole_call *head, struct code_change *change)
{
    const struct code_loop *most = NULL;
    const double before = sum_of(base, amount->of, 0, &most);
    const double now = sum_of(head, amount->of, HOT, &most);
    const double rise = now - before;
    const double unit = head->ops > 0 ? OPERATIONS : 1;
    struct buffer text = {.text = NULL};

    if (!(rise > RISE_LEAST * before) ||
        !(rise > RISE_PER_INSTRUCTION * for_work(head, head->instructions)))
        return;
    buffer_format(&text, "hot loops %s %.4g %s ", amount->verb, unit * now, amount->noun);
    if (head->ops > 0)
        buffer_format(&text, "per %d operations", OPERATIONS);
    else
        buffer_add(&text, "in a call");
    buffer_format(&text, ", before %.4g", unit * before);
    add_fault(change, amount->what, before, now, most, &text);
}

static const struct code_loop *hottest(const struct whole_call *call)
{
    return call->n_loops ? call->loops : NULL;
}

static void judge_width(const struct whole_call *base, const struct whole_call *head,
                        struct code_change *change)
{
    const double before = width_of(base, HOT), now = width_of(head, HOT / 2);
    struct buffer text = {.text = NULL};

    if (!(now < before))
        return;
    buffer_add(&text, "hot loops have ");
    if (now > 0)
        buffer_format(&text, "vectors of %.0f bits", now);
    else
        buffer_add(&text, "no vectors");
    buffer_format(&text, ", before vectors of %.0f bits", before);
    add_fault(change, "width", before, now, hottest(head), &text);
}

static void judge_isa(const struct whole_call *base, const struct whole_call *head,
                      struct code_change *change)
{
    const double before = isa_of(base, HOT), now = isa_of(head, HOT / 2);
    struct buffer text = {.text = NULL};

    if (!(now < before))
        return;
    buffer_format(&text, "executes %s, before %s", isa_names[(int)now],
                  isa_names[(int)before]);
    add_fault(change, "isa", before, now, hottest(head), &text);
}

/* ---- cases ---- */

/* The reason why nothing is known of a build, or NULL. */
static const char *absence(const struct code_proof *proof)
{
    return !proof               ? "nothing was traced (--prove)"
           : proof->absent      ? proof->absent
           : proof->call.absent ? proof->call.absent
           : !proof->call.shape ? "no call was traced whole"
                                : NULL;
}

static bool has_shape(const struct whole_call *call, const struct whole_call *other)
{
    return call->shape && text_same(call->shape, other->shape);
}

/* Calls of the same shape, the larger ones if there are several; false if there are none.
 */
static bool find_calls(const struct code_proof *base, const struct code_proof *head,
                       const struct whole_call **before, const struct whole_call **now)
{
    const struct whole_call *const of_base[] = {&base->call, &base->small};
    const struct whole_call *const of_head[] = {&head->call, &head->small};

    for (size_t i = 0; i < 4; i++) {
        *before = of_base[i / 2];
        *now = of_head[i % 2];
        if (has_shape(*before, *now))
            return true;
    }
    return false;
}

static void judge_calls(const struct whole_call *base, const struct whole_call *head,
                        struct code_change *change)
{
    const bool guesses = has_guesses(base);

    string_set(&change->shape, head->shape);
    change->verdict = CODE_NO_WORSE;
    change->base_instructions = for_work(base, base->instructions);
    change->head_instructions = for_work(head, head->instructions);
    if (guesses)
        string_set(&change->reason,
                   "spills were not judged: some places of the stack are "
                   "not known");
    for (size_t i = 0; i < ARRAY_LEN(amounts); i++)
        if (!guesses || !amounts[i].needs_addresses)
            judge_amount(&amounts[i], base, head, change);
    judge_width(base, head, change);
    judge_isa(base, head, change);
}

/* The name of the build and why it, or both together, cannot be judged. */
static void not_judged(struct code_change *change, const char *before, const char *after)
{
    FREED_BY(buffer_free) struct buffer reason = {.text = NULL};

    buffer_add(&reason, before);
    buffer_plain(&reason, after);
    string_set(&change->reason, buffer_text(&reason));
    change->verdict = CODE_NOT_JUDGED;
}

void code_judge(const struct code_proof *base, const struct code_proof *head,
                struct code_change *change)
{
    const char *const no_base = absence(base), *const no_head = absence(head);
    const struct whole_call *before, *now;

    if (no_base)
        not_judged(change, "base: ", no_base);
    else if (no_head)
        not_judged(change, "head: ", no_head);
    else if (!find_calls(base, head, &before, &now))
        not_judged(change, "no shape was traced in both: base ", base->call.shape);
    else
        judge_calls(before, now, change);
}

static void judge_result(struct result *result)
{
    struct comparison *const comparison = result->comparison;
    struct code_change *const change = must_have(calloc(1, sizeof *change));

    code_change_free(comparison->code);
    comparison->code = change;
    if (result->threads > 1)
        string_set(&change->reason, "several threads share the work, and one was traced");
    else
        code_judge(result->code.base_proof, result->code.proof, change);
}

void run_judge_code(struct run *run)
{
    if (!run->gate || !run->gate->code)
        return;
    FOR_EACH (struct result, result, run->results, run->n_results) {
        const struct comparison *const comparison = result->comparison;
        if (comparison && !result->is_baseline && comparison->verdict != VERDICT_NEW &&
            comparison->verdict != VERDICT_GONE)
            judge_result(result);
    }
}

bool code_change_text(const struct comparison *comparison, struct buffer *buffer)
{
    const struct code_change *const code = comparison->code;

    if (!code || code->verdict != CODE_WORSE)
        return false;
    buffer_tell(buffer, "code at %s", code->shape ?: "an unknown shape");
    for (size_t i = 0; i < code->n_faults; i++)
        buffer_tell(buffer, "%s%s", i ? "; " : ": ", code->faults[i].text ?: "");
    return true;
}
