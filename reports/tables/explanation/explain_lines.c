/* SPDX-License-Identifier: Apache-2.0 */
/* Executed instructions, the hot loop, bounds; then what explains them. */
#include "explain_writer.h"

#include <math.h>

enum { BOUNDS_SHOWN = 4 };

/* ---- what executed ---- */

static void put_share(struct writer *to, const char *name, double share)
{
    if (!(share > 0))
        return;
    buffer_add(&to->text, ", ");
    put_percent(to, share);
    buffer_format(&to->text, " %s", name);
}

static void executed_lines(struct writer *to, const struct explanation *why)
{
    const struct executed *const executed = &why->executed;
    if (!executed->mode) {
        buffer_tell(&to->text, "not known: %s",
                    why->not_traced ?: "the call was not traced");
        explain_end(to, "executed");
        return;
    }
    put_number(to, executed->instructions);
    buffer_add(&to->text, executed_whole(executed)
                              ? " instructions, the whole call"
                              : " instructions in random windows, not the whole call");
    if (executed->widest_bits > 0)
        buffer_format(&to->text, ", at most %.0f bit", executed->widest_bits);
    put_share(to, "scalar", executed->share_scalar);
    put_share(to, "sse", executed->share_sse);
    put_share(to, "avx", executed->share_avx);
    put_share(to, "avx512", executed->share_avx512);
    put_share(to, "fma", executed->share_fma);
    if (executed->mixes_sse_avx)
        buffer_add(&to->text, ", SSE mixed into AVX");
    if (executed->modules)
        buffer_tell(&to->text, "; %s", executed->modules);
    explain_end(to, "executed");
}

/* ---- the hot loop ---- */

static void put_counts(struct writer *to, const struct explained_loop *loop)
{
    static const struct {
        const char *name, *text;
    } shown[] = {
        {"loads", "loads"},
        {"stores", "stores"},
        {"vector_spills", "spills"},
        {"vector_reloads", "reloads"},
        {"calls", "calls"},
        {"branches", "branches"},
        {"copies", "copies"},
        {"line_splits", "line splits"},
        {"failed_forwards", "failed forwards"},
        {"page_changes", "page changes"},
        {"scalar_stack", "scalar stack accesses"},
    };
    for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
        const double value = loop_count(loop, shown[i].name);
        if (!isfinite(value))
            continue;
        put_comma(to, ", ");
        buffer_format(&to->text, "%s ", shown[i].text);
        put_number(to, value);
    }
}

/* "4.00/0.50  ", or as many spaces. */
static void put_cost(struct writer *to, const struct explained_line *line)
{
    char cost[32] = "";
    if (line->form && line->latency > 0)
        snprintf(cost, sizeof cost, "%.2f/%.2f", line->latency, line->throughput);
    else if (line->form)
        snprintf(cost, sizeof cost, "-/%.2f", line->throughput);
    buffer_format(&to->text, "%11s  ", cost);
}

static void put_code(struct writer *to, const struct explained_loop *loop)
{
    double most = 0;
    bool costs = false;
    FOR_EACH (const struct explained_line, line, loop->lines, loop->n_lines) {
        most = fmax(most, line->executed);
        costs |= line->form != NULL;
    }
    if (costs) {
        buffer_add(&to->text, "executed; latency/throughput in cycles, as measured for "
                              "each form alone");
        explain_end(to, "");
    }
    FOR_EACH (const struct explained_line, line, loop->lines, loop->n_lines) {
        buffer_format(&to->text, "%3.0f%%  ", most > 0 ? 100 * line->executed / most : 0);
        if (costs)
            put_cost(to, line);
        buffer_tell(&to->text, "%s%s%s", line->text ?: "", line->source ? "  ; " : "",
                    line->source ?: "");
        explain_end(to, "");
    }
}

static void loop_lines(struct writer *to, const struct explained_loop *loop)
{
    put_percent(to, loop->share);
    buffer_add(&to->text, " of all instructions; ");
    put_number(to, loop_count(loop, "instructions"));
    buffer_add(&to->text, " an iteration");
    if (loop->trips > 0) {
        buffer_add(&to->text, ", ");
        put_number(to, loop->trips);
        buffer_add(&to->text, " iterations in a row");
    }
    buffer_tell(&to->text, "; %s", loop->where ?: "");
    if (loop->source)
        buffer_tell(&to->text, ", %s", loop->source);
    explain_end(to, "hot loop");
    put_counts(to, loop);
    if (to->text.length)
        explain_end(to, "");
    if (loop->mix) {
        buffer_plain(&to->text, loop->mix);
        explain_end(to, "");
    }
    put_code(to, loop);
}

/* ---- bounds ---- */

/* The largest first. */
static const struct explained_bound *next_bound(const struct explanation *why,
                                                const struct explained_bound *last)
{
    const struct explained_bound *next = NULL;
    FOR_EACH (const struct explained_bound, bound, why->bounds, why->n_bounds) {
        if (bound->refuted)
            continue;
        const bool later =
            !last || bound->cycles < last->cycles ||
            (bound->cycles == last->cycles && bound > last); /* NaN is never later */
        if (later && bound->cycles > 0 && (!next || bound->cycles > next->cycles))
            next = bound;
    }
    return next;
}

static void refuted_lines(struct writer *to, const struct explanation *why)
{
    bool any = false;
    FOR_EACH (const struct explained_bound, bound, why->bounds, why->n_bounds) {
        if (!bound->refuted)
            continue;
        buffer_tell(&to->text, "%s%s ",
                    any ? ", " : "no evidence, as the time refutes it: ", bound->name);
        put_number(to, bound->cycles);
        if (why->cycles > 0)
            buffer_format(&to->text, " (%.0f%%)", 100 * bound->cycles / why->cycles);
        any = true;
    }
    if (any)
        explain_end(to, "");
}

static void bound_lines(struct writer *to, const struct explanation *why)
{
    const struct explained_bound *bound = next_bound(why, NULL);
    if (!bound)
        return;
    buffer_add(&to->text, "cycles of an iteration");
    if (isfinite(why->cycles)) {
        buffer_add(&to->text, "; measured: ");
        put_number(to, why->cycles);
    }
    explain_end(to, "bounds");
    for (int i = 0; bound && i < BOUNDS_SHOWN; i++, bound = next_bound(why, bound)) {
        char name[NUMBER_SIZE];
        text_plain(bound->name, name, sizeof name);
        buffer_format(&to->text, "%8.4g  ", bound->cycles);
        if (why->cycles > 0)
            buffer_format(&to->text, "%3.0f%%  ", 100 * bound->cycles / why->cycles);
        buffer_tell(&to->text, "%s: %s%s", name, bound->text ?: "",
                    bound->limits ? "  (limits)" : "");
        explain_end(to, "");
    }
    refuted_lines(to, why);
}

void explain_lines(const struct result *result, explain_paragraph *paragraph,
                   void *context)
{
    const struct explanation *const why = result->explanation;
    struct writer to = {.paragraph = paragraph, .context = context};
    if (result->summary.median_ns > 0) {
        char time[NUMBER_SIZE];
        text_time(result->summary.median_ns, time);
        buffer_format(&to.text, "%s a call", time);
        explain_end(&to, "time");
    } else if (result->reason) {
        buffer_tell(&to.text, "not known: %s", result->reason);
        explain_end(&to, "time");
    }
    executed_lines(&to, why);
    if (why->n_loops)
        loop_lines(&to, &why->loops[0]);
    bound_lines(&to, why);
    explain_causes(&to, why);
    buffer_free(&to.text);
}
