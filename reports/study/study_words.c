/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a study for tables and other programs. */
#include <ctype.h>
#include <math.h>

#include "study.h"

enum unit { UNIT_NONE, UNIT_TIMES, UNIT_SHARE };

static enum unit unit_of(const struct study_check *check)
{
    if (check->measure == MEASURE_THREAD_RATIO || check->as == AS_RATIO)
        return UNIT_TIMES;
    return check->measure == MEASURE_LIMIT_SHARE || check->measure == MEASURE_NOISE ||
                   check->measure == MEASURE_EXPLAINED
               ? UNIT_SHARE
               : UNIT_NONE;
}

/* Three digits, four next to 1x, or all before the point; whole numbers that are no ratio
 * as they are. */
static void digits_tell(double value, enum unit unit, struct buffer *out)
{
    const double shown = unit == UNIT_SHARE ? 100 * value : value;
    const double size = fabs(shown);

    if (size == 0 || (unit == UNIT_NONE && size < 1e9 && shown == floor(shown)))
        buffer_format(out, "%.0f", shown);
    else if (size >= 1e6 || size < 1e-3)
        buffer_format(out, "%.3g", shown);
    else
        buffer_format(out, "%.*f",
                      size >= 100                                      ? 0
                      : size >= 10                                     ? 1
                      : size < 0.1                                     ? 4
                      : unit == UNIT_TIMES && size > 0.9 && size < 1.1 ? 3
                                                                       : 2,
                      shown);
}

static const char *unit_text(enum unit unit)
{
    return unit == UNIT_TIMES ? "x" : unit == UNIT_SHARE ? "%" : "";
}

static void number_tell(double value, enum unit unit, struct buffer *out)
{
    digits_tell(value, unit, out);
    buffer_add(out, unit_text(unit));
}

/* A number as the file has it. */
static void end_tell(double value, enum unit unit, struct buffer *out)
{
    buffer_format(out, "%.6g%s", unit == UNIT_SHARE ? 100 * value : value,
                  unit_text(unit));
}

void study_claim_tell(const struct study_claim *claim, struct buffer *out)
{
    buffer_tell(out, "%s%s", claim->quote ?: claim->text ?: "", claim->quote ? "" : " (ours)");
}

static void expect_tell(const struct study_check *check, struct buffer *out)
{
    const enum unit unit = unit_of(check);

    if (isinf(check->lo)) {
        buffer_add(out, "at most ");
        end_tell(check->hi, unit, out);
        return;
    }
    if (isinf(check->hi))
        buffer_add(out, unit == UNIT_TIMES ? "over " : "at least ");
    end_tell(check->lo, unit, out);
    if (isinf(check->hi) || check->hi == check->lo)
        return;
    buffer_add(out, " to ");
    end_tell(check->hi, unit, out);
}

void study_their_tell(const struct study_claim *claim, struct buffer *out)
{
    if (claim->their)
        buffer_plain(out, claim->their);
    else
        expect_tell(&claim->check, out);
}

/* NULL: no value is known. */
static const struct study_point *deciding(const struct study_check *check)
{
    const struct study_point *const point =
        check->n_points ? &check->points[check->decided_by] : NULL;

    return point && !point->reason && isfinite(point->value) ? point : NULL;
}

void study_value_tell(const struct study_check *check, struct buffer *out)
{
    const struct study_point *const point = deciding(check);

    if (point)
        number_tell(point->value, unit_of(check), out);
    else
        buffer_add(out, "-");
}

static void range_tell(const struct interval *ci, enum unit unit, struct buffer *out)
{
    buffer_add(out, "[");
    digits_tell(ci->lo, unit, out);
    buffer_add(out, ", ");
    digits_tell(ci->hi, unit, out);
    buffer_add(out, unit == UNIT_SHARE ? "]%" : "]");
}

void study_interval_tell(const struct study_check *check, struct buffer *out)
{
    const struct study_point *const point = deciding(check);

    if (!point || !point->ci.known)
        buffer_add(out, "-");
    else if (point->ci.lo == point->ci.hi)
        buffer_add(out, "exact");
    else
        range_tell(&point->ci, unit_of(check), out);
}

void study_verdict_tell(const struct study_claim *claim, struct buffer *out)
{
    buffer_add(out, study_verdict_name(claim->check.verdict));
    if (claim->check.verdict == STUDY_NOT_MEASURABLE)
        buffer_add(out, " here");
    if (claim->check.how)
        buffer_format(out, ", %s", study_how_name(claim->check.how));
    buffer_add(out, claim->contested ? ", contested" : "");
}

/* "stack_vector_stores spill/clean", "spill/clean", "limit_share clean" */
static void measure_tell(const struct study_check *check, struct buffer *out)
{
    const bool times = check->measure == MEASURE_TIME_RATIO;

    if (!times)
        buffer_tell(out, "%s%s", check->what ?: study_measure_name(check->measure),
                    check->n_of ? " " : "");
    for (size_t i = 0; i < check->n_of; i++) {
        buffer_add(out, !i ? "" : check->as == AS_DIFFERENCE ? " - " : "/");
        buffer_plain(out, check->of[i]);
    }
}

/* Parts of a line stand two blanks apart. */
static void part(struct buffer *out, size_t begin)
{
    buffer_add(out, out->length > begin ? "  " : "");
}

static void evidence_tell(const struct study_check *check, struct buffer *out)
{
    const char *const mark = check->verdict == STUDY_CONFIRMED ? "+"
                             : check->verdict == STUDY_REFUTED ? "-"
                                                               : "?";

    buffer_format(out, "%s ", mark);
    measure_tell(check, out);
    if (deciding(check)) {
        buffer_add(out, " ");
        study_value_tell(check, out);
    }
    if (check->verdict == STUDY_REFUTED || check->verdict == STUDY_UNDECIDED) {
        buffer_add(out,
                   check->verdict == STUDY_REFUTED ? ", not " : ", not for certain ");
        expect_tell(check, out);
    }
    if (check->reason)
        buffer_tell(out, ": %s", check->reason);
    if (check->why)
        buffer_tell(out, " (%s)", check->why);
}

/* The name stands before each text that is there. */
static void named_tell(const char *name, const char *text, size_t begin,
                       struct buffer *out)
{
    if (!text)
        return;
    part(out, begin);
    buffer_add(out, name);
    buffer_plain(out, text);
}

/* Is the number in it, and no part of a longer one? */
static bool has_number(const char *sentence, const char *number)
{
    static const char digits[] = "0123456789.";
    const size_t length = strlen(number);

    for (const char *at = sentence; length && (at = strstr(at, number)); at++)
        if ((at == sentence || !strchr(digits, at[-1])) &&
            (!at[length] || !isdigit((unsigned char)at[length])))
            return true;
    return false;
}

static const char *spoken(const char *metric)
{
    static const char *const names[][2] = {{"gops", "Gop/s"},
                                           {"gbs", "GB/s"},
                                           {"ghz", "GHz"},
                                           {"ns_per_op", "ns an operation"}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(metric, names[i][0]))
            return names[i][1];
    return metric;
}

void study_sentence_tell(const struct study_claim *claim, struct buffer *out)
{
    const struct study_check *const check = &claim->check;
    const char *const sentence = check->verdict == STUDY_CONFIRMED ? claim->confirms
                                 : check->verdict == STUDY_REFUTED ? claim->refutes
                                                                   : NULL;
    const size_t length = sentence ? strlen(sentence) : 0;

    if (!length)
        return;
    buffer_plain_n(out, sentence, length - (sentence[length - 1] == '.'));
    FREED_BY(buffer_free) struct buffer value = {.text = NULL};
    study_value_tell(check, &value);
    if (!has_number(sentence, buffer_text(&value))) {
        buffer_add(out, ": ");
        buffer_add(out, buffer_text(&value));
        if (check->as != AS_RATIO &&
            (check->measure == MEASURE_METRIC || check->measure == MEASURE_STATIC))
            buffer_tell(out, " %s", spoken(check->what));
    }
    buffer_add(out, claim->contested ? ". Evidence speaks against it." : ".");
}

/* A name for an interval that decides nothing. */
static void undecided_tell(const struct study_check *check, struct buffer *out)
{
    const struct study_point *const point = deciding(check);

    if (check->verdict != STUDY_UNDECIDED || !point)
        return;
    const enum unit unit = unit_of(check);
    const double floor = point->floor;
    const bool inside = point->ci.lo >= check->lo && point->ci.hi <= check->hi;
    const bool beyond = point->ci.lo > check->hi || point->ci.hi < check->lo;
    buffer_add(out, "Not decided: it lies between ");
    number_tell(point->ci.lo, unit, out);
    buffer_add(out, " and ");
    number_tell(point->ci.hi, unit, out);
    buffer_add(out, ", and the claim says ");
    expect_tell(check, out);
    if ((inside || beyond) && floor > 0)
        buffer_format(out, ", but equal arms differ by %.1f%% here", 100 * floor);
    buffer_add(out, ".");
}

void study_unlearned_tell(const struct study *study, const struct study_claim *claim,
                          struct buffer *out)
{
    const struct study_check *const check = &claim->check;

    if (check->verdict == STUDY_CONFIRMED || check->verdict == STUDY_REFUTED)
        return;
    buffer_tell(out, "%s here: claim %s%s",
                check->verdict == STUDY_UNDECIDED ? "Not decided" : "Not measured",
                claim->id, claim->quote ? ", \"" : ", ");
    study_claim_tell(claim, out);
    buffer_add(out, claim->quote ? "\"" : "");
    if (check->reason) {
        buffer_tell(out, ": %s%s%s", check->reason, check->type ? "; type: " : "",
                    check->type ?: "");
        return;
    }
    buffer_tell(out, "; more time may tell: simdbench study %s --claim=%s", study->name,
                claim->id);
}

void study_notes_tell(const struct study_claim *claim, struct buffer *out)
{
    const struct study_check *const check = &claim->check;
    const struct study_point *const point = deciding(check);
    const size_t begin = out->length;

    study_sentence_tell(claim, out);
    undecided_tell(check, out);
    if (claim->by_construction)
        named_tell("decided by construction", "", begin, out);
    if (check->measure == MEASURE_ARITHMETIC)
        named_tell("= ", check->what, begin, out);
    if (point && check->n_points > 1)
        named_tell("at ", point->at, begin, out);
    named_tell("", check->reason, begin, out);
    named_tell("type: ", check->type, begin, out);
    if (check->verdict == STUDY_NOT_MEASURABLE)
        named_tell("instead: claim ", claim->instead, begin, out);
    named_tell("", check->why, begin, out);
    for (size_t i = 0; i < claim->n_evidence; i++) {
        part(out, begin);
        evidence_tell(&claim->evidence[i], out);
    }
    named_tell("note: ", claim->note, begin, out);
}

void study_tell(const struct study *study, struct buffer *out)
{
    static const struct {
        enum study_verdict verdict;
        const char *text;
    } words[] = {{STUDY_CONFIRMED, "confirmed"},
                 {STUDY_REFUTED, "refuted"},
                 {STUDY_UNDECIDED, "undecided"},
                 {STUDY_NOT_MEASURABLE, "not measurable here"},
                 {STUDY_PENDING, "pending"}};
    const char *separator = ": ";
    size_t contested = 0;

    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims)
        contested += claim->contested;
    buffer_plain(out, study->name);
    buffer_format(out, ": %zu claim%s", study->n_claims, study->n_claims == 1 ? "" : "s");
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const size_t n = study_count(study, words[i].verdict);
        if (!n)
            continue;
        buffer_format(out, "%s%zu %s", separator, n, words[i].text);
        if (words[i].verdict == STUDY_CONFIRMED && contested)
            buffer_format(out, " (%zu contested)", contested);
        separator = ", ";
    }
}

/* ---- the account ---- */

static void factor_tell(const struct study_pair *pair, const struct study_factor *factor,
                        struct buffer *out)
{
    buffer_tell(out, "%s/%s ", pair->of[0], pair->of[1]);
    if (isfinite(factor->value))
        number_tell(factor->value, UNIT_TIMES, out);
    else
        buffer_add(out, "-");
}

static void residual_tell(const struct study_factor *residual, struct buffer *out)
{
    const struct interval *const ci = &residual->ci;

    if (!isfinite(residual->value)) {
        buffer_add(out, ", residual not known");
        return;
    }
    buffer_format(out, ", residual %+.0f%%", 100 * (residual->value - 1));
    if (!ci->known)
        return;
    buffer_format(out, " [%+.0f%%, %+.0f%%]: %s", 100 * (ci->lo - 1), 100 * (ci->hi - 1),
                  ci->lo <= 1 && ci->hi >= 1 ? "the parts may explain it all"
                                             : "interaction, unexplained");
}

void study_account_tell(const struct study_account *account, const struct study_sum *sum,
                        bool reverse, struct buffer *out)
{
    const struct study_pairs *const pairs = reverse ? &account->reverse : &account->parts;
    const struct study_factor *const factors = reverse ? sum->reverse : sum->parts;

    buffer_add(out, reverse ? "mended one at a time" : "broken one at a time");
    if (sum->at && account->n_sums > 1)
        buffer_tell(out, " at %s", sum->at);
    buffer_add(out, ": ");
    if (sum->reason) {
        buffer_tell(out, "not measurable here: %s", sum->reason);
        named_tell("type: ", sum->type, 0, out);
        return;
    }
    factor_tell(&account->total, &sum->total, out);
    for (size_t i = 0; i < pairs->n; i++) {
        buffer_add(out, i ? " * " : " = ");
        factor_tell(&pairs->pair[i], &factors[i], out);
    }
    residual_tell(reverse ? &sum->reverse_residual : &sum->residual, out);
}
