/* SPDX-License-Identifier: Apache-2.0 */
#include "study_sheet.h"

#include <math.h>
#include <string.h>

const char *study_title(enum study_column column)
{
    static const char *const titles[STUDY_COLUMNS] = {
        "claim", "their number", "here", "interval", "verdict", "evidence"};

    return titles[column];
}

void study_cell(const struct study_claim *claim, enum study_column column,
                struct buffer *out)
{
    switch (column) {
    case STUDY_CLAIM:
        buffer_plain(out, claim->id);
        buffer_add(out, " ");
        study_claim_tell(claim, out);
        break;
    case STUDY_THEIR:
        study_their_tell(claim, out);
        break;
    case STUDY_HERE:
        study_value_tell(&claim->check, out);
        break;
    case STUDY_INTERVAL:
        study_interval_tell(&claim->check, out);
        break;
    case STUDY_VERDICT:
        study_verdict_tell(claim, out);
        break;
    case STUDY_NOTES:
        study_notes_tell(claim, out);
        break;
    case STUDY_COLUMNS:
        break;
    }
}

bool study_is_arithmetic(const struct study_claim *claim)
{
    return claim->check.measure == MEASURE_ARITHMETIC;
}

static void add_line(struct buffer *text, study_line *line, void *context)
{
    line(buffer_text(text), context);
    buffer_clear(text);
}

/* ---- the account as bars ---- */

enum { BAR_WIDTH = 40 };

/* Factors multiply, so a bar is as long as the logarithm; the total fills the width. */
static void bar_line(const char *const of[2], double factor, double total,
                     struct buffer *text)
{
    const double share = log(factor) / log(total);
    const int length = (int)lround(BAR_WIDTH * fmin(fmax(share, 0), 1.5));

    buffer_format(text, "%6.2fx  ", factor);
    for (int i = 0; i < length; i++)
        buffer_add(text, "=");
    buffer_tell(text, "%s%s%s%s", length ? "  " : "", of[0], of[1] ? "/" : "",
                of[1] ?: "");
}

static void bars(const struct study_account *account, const struct study_sum *sum,
                 study_line *line, void *context)
{
    const char *const residual[2] = {"residual"};
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};

    if (sum->reason || !(sum->total.value > 1))
        return;
    bar_line((const char *const *)account->total.of, sum->total.value, sum->total.value,
             &text);
    add_line(&text, line, context);
    for (size_t i = 0; i < account->parts.n; i++)
        if (sum->parts[i].value > 0) {
            bar_line((const char *const *)account->parts.pair[i].of, sum->parts[i].value,
                     sum->total.value, &text);
            add_line(&text, line, context);
        }
    if (sum->residual.value > 0) {
        bar_line(residual, sum->residual.value, sum->total.value, &text);
        add_line(&text, line, context);
    }
}

void study_account_lines(const struct study *study, study_line *line, void *context)
{
    const struct study_account *const account = &study->account;
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};

    FOR_EACH (const struct study_sum, sum, account->sums, account->n_sums) {
        study_account_tell(account, sum, false, &text);
        add_line(&text, line, context);
        bars(account, sum, line, context);
        if (!account->reverse.n)
            continue;
        study_account_tell(account, sum, true, &text);
        add_line(&text, line, context);
    }
}

/* True if one of these names is that of the arm. */
static bool names(const struct study_arm *arm, char *const *of, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (of[i] && !strcmp(of[i], arm->name))
            return true;
    return false;
}

static bool pairs_name(const struct study_arm *arm, const struct study_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++)
        if (names(arm, pairs->pair[i].of, 2))
            return true;
    return false;
}

static bool is_named(const struct study *study, const struct study_arm *arm)
{
    const struct study_account *const account = &study->account;
    bool named = account->n_sums &&
                 (names(arm, account->total.of, 2) || pairs_name(arm, &account->parts) ||
                  pairs_name(arm, &account->reverse));

    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims)
        FOR_EACH (const struct study_check, check, claim->evidence, claim->n_evidence)
            named |= names(arm, check->of, check->n_of);
    return named;
}

size_t study_arm_lines(const struct study *study, study_line *line, void *context)
{
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    size_t n = 0;

    FOR_EACH (const struct study_arm, arm, study->arms, study->n_arms) {
        if (!arm->is || !is_named(study, arm))
            continue;
        n++;
        if (!line)
            continue;
        buffer_tell(&text, "%s: %s", arm->name, arm->is);
        add_line(&text, line, context);
    }
    return n;
}

void study_source_lines(const struct study *study, study_line *line, void *context)
{
    const char *const source = study->source.title ?: study->title;
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};

    if (source || study->source.machine) {
        buffer_tell(&text, "source: %s%s%s", source ?: study->name,
                    study->source.machine ? "; their machine: " : "",
                    study->source.machine);
        add_line(&text, line, context);
    }
    if (study->seconds > 0) {
        buffer_format(
            &text,
            "intervals of level %.2f%%, so that all hold at once 19 times of 20%s; "
            "took %.1f s",
            100 * study->level,
            study->is_quick ? "; smaller shapes, as --quick asked" : "", study->seconds);
        add_line(&text, line, context);
    }
}
