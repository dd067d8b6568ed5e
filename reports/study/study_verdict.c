/* SPDX-License-Identifier: Apache-2.0 */
/* One function decides all claims: study_point_verdict(). */
#include <math.h>

#include "study.h"

double study_level(const struct study *study)
{
    return 1 - 0.05 / (study->n_claims ? (double)study->n_claims : 1);
}

static bool is_time_ratio(const struct study_check *check)
{
    return check->measure == MEASURE_TIME_RATIO || check->measure == MEASURE_THREAD_RATIO;
}

/* The value of two arms that are the same, or of threads that gain nothing; NaN: the
 * check compares nothing. */
static double equal_value(const struct study_check *check)
{
    if (is_time_ratio(check) || check->as == AS_RATIO)
        return 1;
    return check->as == AS_DIFFERENCE ? 0 : NAN;
}

/* True if equal arms may give the value, and it lies nearer to that than to what the
 * claim says: an interval that is too wide for this does not tell that there is no
 * effect. */
static bool is_no_effect(const struct study_check *check, const struct study_point *point,
                         double floor, bool too_small)
{
    const double equal = equal_value(check);
    const double claimed = too_small ? check->lo : check->hi;
    const double middle = equal > 0 ? sqrt(claimed) : claimed / 2;

    if (isnan(equal))
        return false;
    if (equal > 0 && point->ci.lo >= 1 / (1 + floor) && point->ci.hi <= 1 + floor)
        return true;
    return point->ci.lo <= equal && point->ci.hi >= equal &&
           (too_small ? point->ci.hi <= fmax(middle, equal > 0 ? 1 + floor : 0)
                      : point->ci.lo >= fmin(middle, equal > 0 ? 1 / (1 + floor) : 0));
}

/* A claim of an effect, however small, claims more than the difference of equal arms. */
static bool beats_noise(const struct study_check *check, const struct interval *ci,
                        double floor)
{
    if (equal_value(check) != 1)
        return true;
    if (check->lo > 1 || (check->lo == 1 && isinf(check->hi)))
        return ci->lo > 1 + floor;
    return !(check->hi < 1) || ci->hi < 1 / (1 + floor);
}

/* Equal arms of that check seem to differ by as much. */
static double least_floor(const struct study_check *check,
                          const struct study_point *point)
{
    return is_time_ratio(check) ? fmax(point->floor, STUDY_LEAST_FLOOR) : point->floor;
}

enum study_verdict study_point_verdict(const struct study_check *check,
                                       const struct study_point *point,
                                       enum study_how *how)
{
    const struct interval *const ci = &point->ci;
    const double floor = least_floor(check, point), most = fmin(floor, STUDY_MOST_FLOOR);
    const bool is_ratio = equal_value(check) == 1;
    const bool is_cause = is_ratio && check->lo == 1 && isinf(check->hi);
    const double noise = is_ratio ? 1 + floor : 1;
    const double lo = is_cause ? noise : check->lo;
    const bool is_gain = is_cause || (is_ratio && lo > 1 && lo >= noise);
    const bool is_loss = is_ratio && check->hi < 1 && 1 / check->hi >= noise;

    *how = HOW_NONE;
    if (point->reason || isnan(point->value) || !ci->known)
        return STUDY_NOT_MEASURABLE;
    /* Noise hides a small effect and does not refute it; an interval within the noise of
     * equal arms refutes any effect that is larger than the noise. */
    const bool too_small = ci->hi * noise < lo || (is_gain && ci->hi <= 1 + most);
    const bool too_large =
        ci->lo > check->hi * noise || (is_loss && ci->lo >= 1 / (1 + most));
    if (too_small || too_large) {
        *how = is_no_effect(check, point, floor, too_small) ? HOW_NO_EFFECT
               : too_small                                  ? HOW_SMALLER
                                                            : HOW_LARGER;
        return STUDY_REFUTED;
    }
    const bool inside = ci->lo >= lo && ci->hi <= check->hi;
    return inside && beats_noise(check, ci, floor) ? STUDY_CONFIRMED : STUDY_UNDECIDED;
}

/* The verdict of a point that decides a check with several. */
static int weight(enum study_verdict verdict)
{
    static const int weights[STUDY_VERDICTS] = {
        [STUDY_REFUTED] = 3, [STUDY_NOT_MEASURABLE] = 2, [STUDY_UNDECIDED] = 1};

    return weights[verdict];
}

static void take_reason(struct study_check *check, const struct study_point *point)
{
    const bool absent = point->verdict == STUDY_NOT_MEASURABLE;
    const char *const reason = point->reason ?: "too few rounds for an interval";

    string_set(&check->reason, absent ? reason : NULL);
    string_set(&check->type, absent ? point->type : NULL);
}

static void judge_check(struct study_check *check)
{
    check->how = HOW_NONE;
    check->decided_by = 0;
    check->verdict = check->reason ? STUDY_NOT_MEASURABLE : STUDY_PENDING;
    if (!check->n_points)
        return;
    for (size_t i = 0; i < check->n_points; i++) {
        struct study_point *const point = &check->points[i];
        point->floor = least_floor(check, point);
        point->verdict = study_point_verdict(check, point, &point->how);
        if (weight(point->verdict) > weight(check->points[check->decided_by].verdict))
            check->decided_by = i;
    }
    const struct study_point *const point = &check->points[check->decided_by];
    check->verdict = point->verdict;
    check->how = point->how;
    take_reason(check, point);
}

void study_judge(struct study *study)
{
    FOR_EACH (struct study_claim, claim, study->claims, study->n_claims) {
        bool against = false;
        FOR_EACH (struct study_check, check, claim->evidence, claim->n_evidence) {
            judge_check(check);
            against |= check->verdict == STUDY_REFUTED;
        }
        judge_check(&claim->check);
        claim->contested = against && claim->check.verdict == STUDY_CONFIRMED;
    }
}

size_t study_count(const struct study *study, enum study_verdict verdict)
{
    size_t n = 0;

    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims)
        n += claim->check.verdict == verdict;
    return n;
}

int study_expect_confirmed(const struct study *study, bool strict)
{
    bool open = false;

    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims) {
        if (claim->check.verdict == STUDY_REFUTED || claim->contested)
            return 1;
        open |= claim->check.verdict != STUDY_CONFIRMED;
    }
    return strict && open ? 3 : 0;
}

/* ---- arithmetic ---- */

static void calculate(struct study_check *check)
{
    if (check->measure != MEASURE_ARITHMETIC || check->n_points || check->reason)
        return;
    const double value = formula_value(check->what, NULL, NULL);
    if (isnan(value))
        study_add_absent(check, NULL, "the formula has no value", NULL);
    else
        study_point_exact(study_add_point(check, NULL), value);
}

void study_calculate(struct study *study)
{
    FOR_EACH (struct study_claim, claim, study->claims, study->n_claims) {
        calculate(&claim->check);
        FOR_EACH (struct study_check, check, claim->evidence, claim->n_evidence)
            calculate(check);
    }
}
