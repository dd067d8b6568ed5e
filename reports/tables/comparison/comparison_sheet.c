/* SPDX-License-Identifier: Apache-2.0 */
#include "comparison_sheet.h"

#include <math.h>

const char *change_title(const struct gate *gate, enum change_column column)
{
    static const char *const titles[] = {
        [CHANGE_BASE] = "base",
        [CHANGE_HEAD] = "head",
        [CHANGE_SIZE] = "change",
        [CHANGE_INTERVAL] = "interval",
        [CHANGE_BUILT] = "as built",
        [CHANGE_VERDICT] = "verdict",
        [CHANGE_DETECTABLE] = "detectable",
    };
    const bool stored = text_same(gate->kind, "stored");

    if (stored && column == CHANGE_BASE)
        return "run 1";
    return stored && column == CHANGE_HEAD ? "run 2" : titles[column];
}

static void time_cell(double ns, char text[CELL_SIZE])
{
    if (ns > 0)
        text_time(ns, text);
}

void change_cell(const struct comparison *c, enum change_column column,
                 char text[CELL_SIZE], enum tone *tone)
{
    static const enum tone tones[] = {
        [VERDICT_SAME] = TONE_PLAIN,    [VERDICT_IMPROVED] = TONE_GOOD,
        [VERDICT_REGRESSED] = TONE_BAD, [VERDICT_INCONCLUSIVE] = TONE_DIM,
        [VERDICT_UNUSABLE] = TONE_DIM,  [VERDICT_NEW] = TONE_DIM,
        [VERDICT_GONE] = TONE_DIM,      [VERDICT_PLACED] = TONE_BOLD,
    };
    const bool changed = comparison_has_change(c);

    *tone = TONE_PLAIN;
    snprintf(text, CELL_SIZE, "-");
    switch (column) {
    case CHANGE_BASE:
        time_cell(c->base_ns, text);
        break;
    case CHANGE_HEAD:
        time_cell(c->head_ns, text);
        break;
    case CHANGE_SIZE:
        if (changed && isfinite(c->change))
            snprintf(text, CELL_SIZE, "%+.2f%%", 100 * c->change);
        break;
    case CHANGE_INTERVAL:
        if (c->change_ci.known)
            snprintf(text, CELL_SIZE, "[%+.2f%%, %+.2f%%]", 100 * c->change_ci.lo,
                     100 * c->change_ci.hi);
        break;
    case CHANGE_BUILT:
        if (comparison_is_moved(c) && isfinite(c->placement->change))
            snprintf(text, CELL_SIZE, "%+.2f%%", 100 * c->placement->change);
        break;
    case CHANGE_VERDICT:
        snprintf(text, CELL_SIZE, "%s", verdict_name(c->verdict));
        *tone = tones[c->verdict];
        break;
    case CHANGE_DETECTABLE:
        if (changed && isfinite(c->detectable))
            snprintf(text, CELL_SIZE, "%.2f%%", 100 * c->detectable);
        break;
    case CHANGE_COLUMNS:
        break;
    }
}

bool change_is_shown(const struct result *result)
{
    return result->comparison || (!result->is_roof && result->status != STATUS_OK &&
                                  result->status != STATUS_PENDING);
}

bool change_has_built(const struct run *run)
{
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (result->comparison && comparison_is_moved(result->comparison))
            return true;
    return false;
}

/* The code's own change may be most of what differs as built, and the place the rest. */
static bool is_by_place(const struct comparison *c)
{
    const double code = log1p(c->change), built = log1p(c->placement->change);

    return !(code * built > 0 && fabs(code) > fabs(built) / 2);
}

/* Whether the change as built is another one than that of the code. */
static bool differs_as_built(const struct comparison *c)
{
    const struct placement *const p = c->placement;

    return comparison_is_moved(c) && p->ci.known && c->verdict != VERDICT_PLACED &&
           (p->ci.lo > c->change_ci.hi || p->ci.hi < c->change_ci.lo) &&
           fabs(p->change - c->change) > c->delta;
}

static void placement_note(const struct comparison *c, struct buffer *buffer)
{
    const struct placement *const p = c->placement;
    const size_t before = buffer->length;
    const bool changed =
        c->verdict == VERDICT_REGRESSED || c->verdict == VERDICT_IMPROVED;

    if (!p || c->verdict == VERDICT_NEW || c->verdict == VERDICT_GONE)
        return;
    if (p->unmoved && c->verdict != VERDICT_UNUSABLE)
        buffer_tell(buffer, "%s%s",
                    before ? "; judged as built: " : "judged as built: ", p->unmoved);
    if (p->equality == EQUALITY_SAME && changed)
        buffer_format(buffer,
                      "%sthe code is the same: its data, options or libraries differ",
                      buffer->length ? "; " : "");
    if (p->equality == EQUALITY_OTHER)
        buffer_format(buffer, "%sother code", buffer->length ? "; " : "");
    if (p->equality == EQUALITY_NEARLY) {
        buffer_format(buffer, "%ssame code but for %.0f instruction%s",
                      buffer->length ? "; " : "", p->instructions,
                      p->instructions > 1 ? "s" : "");
        if (p->where)
            buffer_tell(buffer, " in %s", p->where);
    }
    if (differs_as_built(c))
        buffer_format(buffer, "%sas built %+.2f%% [%+.2f%%, %+.2f%%]%s",
                      buffer->length ? "; " : "", 100 * p->change, 100 * p->ci.lo,
                      100 * p->ci.hi, is_by_place(c) ? ", by its place" : "");
}

bool change_note(const struct run *run, const struct result *result,
                 struct buffer *buffer)
{
    const struct comparison *const c = result->comparison;
    const char *const reason = c ? c->reason : result->reason;
    const size_t before = buffer->length;

    if (!c)
        buffer_format(buffer, "%s: ", status_name(result->status));
    if (reason && !(run->gate->refused && !strcmp(reason, OTHER_MACHINE)))
        buffer_plain(buffer, reason);
    if (c && c->delta > run->gate->threshold && c->verdict != VERDICT_UNUSABLE &&
        comparison_has_change(c))
        buffer_format(buffer,
                      "%sa change must exceed %.2f%% here: equal code seems to change by "
                      "%.2f%%",
                      buffer->length > before ? "; " : "", 100 * c->delta,
                      100 * c->delta / 2);
    const bool notes =
        run->gate->harness ||
        (c && (c->verdict == VERDICT_UNUSABLE || c->verdict == VERDICT_INCONCLUSIVE));
    for (size_t i = 0; notes && i < result->n_notes; i++)
        buffer_tell(buffer, "%s%s", buffer->length > before ? "; " : "",
                    result->notes[i]);
    if (c)
        placement_note(c, buffer);
    if (result_code_is_worse(result)) {
        buffer_add(buffer, buffer->length > before ? "; " : "");
        code_change_text(c, buffer);
    }
    return buffer->length > before;
}

size_t change_op_end(const struct run *run, size_t first)
{
    const char *op = NULL;
    size_t end = first;

    if (run->gate->harness)
        return run->n_results;

    for (; end < run->n_results; end++) {
        const struct result *const result = &run->results[end];
        if (!change_is_shown(result))
            continue;
        if (op && strcmp(op, result->op ?: ""))
            break;
        op = result->op ?: "";
    }
    return end;
}

void change_summary(const struct run *run, size_t first, size_t end,
                    struct buffer *buffer)
{
    static const struct {
        enum verdict verdict;
        const char *word;
    } order[] = {{VERDICT_REGRESSED, "regressed"},
                 {VERDICT_IMPROVED, "improved"},
                 {VERDICT_PLACED, "placed"},
                 {VERDICT_SAME, "the same"},
                 {VERDICT_INCONCLUSIVE, "inconclusive"},
                 {VERDICT_UNUSABLE, "unusable"},
                 {VERDICT_NEW, "new"},
                 {VERDICT_GONE, "gone"}};
    size_t count[VERDICTS], all = 0;
    double change;
    const size_t changes = verdicts_count(run, first, end, count, &change);

    for (size_t i = 0; i < VERDICTS; i++)
        all += count[i];
    buffer_format(buffer, "%zu case%s", all, all == 1 ? "" : "s");
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (count[order[i].verdict])
            buffer_format(buffer, ", %zu %s", count[order[i].verdict], order[i].word);
    if (changes > 1)
        buffer_format(buffer, "; geometric mean %+.2f%%", 100 * change);
}
