/* SPDX-License-Identifier: Apache-2.0 */
/* The table of causes, and whether the facts of a case show one. */
#include "causes.h"
#include "inspect.h"

#include <math.h>

/* ---- the table ---- */

enum relation { NONE, AT_LEAST, AT_MOST, FASTER, WHOLLY_FASTER, NO_FASTER };

struct condition {
    enum relation relation;
    enum inspect_fact fact;
    double factor;
    enum inspect_fact of; /* INSPECT_FACTS: the factor is the threshold */
};

struct rule {
    bool there;
    enum inspect_confidence confidence;
    enum inspect_fact experiment;
    struct condition need[INSPECT_EVIDENCE_MAX], against[INSPECT_EVIDENCE_MAX];
};

enum { RULES_MAX = 11 };
struct cause {
    const char *name, *text, *refute, *remedy;
    struct rule rule[RULES_MAX];
};

/* clang-format off */
#define AT_LEAST(fact, x) {AT_LEAST, FACT_##fact, x, INSPECT_FACTS}
#define AT_MOST(fact, x) {AT_MOST, FACT_##fact, x, INSPECT_FACTS}
#define AT_LEAST_OF(fact, k, other) {AT_LEAST, FACT_##fact, k, FACT_##other}
#define AT_MOST_OF(fact, k, other) {AT_MOST, FACT_##fact, k, FACT_##other}
#define FASTER(fact, x) {FASTER, FACT_##fact, x, INSPECT_FACTS}
#define WHOLLY_FASTER(fact, x) {WHOLLY_FASTER, FACT_##fact, x, INSPECT_FACTS}
#define NO_FASTER(fact, x) {NO_FASTER, FACT_##fact, x, INSPECT_FACTS}
#define NEED(...) {__VA_ARGS__}
#define AGAINST(...) {__VA_ARGS__}
#define FLIPPED(ratio, need, against) {true, INSPECT_FLIPPED, FACT_##ratio, need, against},
#define STRUCTURAL(need, against) {true, INSPECT_STRUCTURAL, INSPECT_FACTS, need, against},
#define MODELLED(need, against) {true, INSPECT_MODELLED, INSPECT_FACTS, need, against},
#define CAUSE(id, name, text, refute, remedy, rules) {name, text, refute, remedy, {rules}},
static const struct cause causes[INSPECT_CAUSES] = {
#include "causes.def"
};
#undef AT_LEAST
#undef AT_MOST
#undef AT_LEAST_OF
#undef AT_MOST_OF
#undef FASTER
#undef WHOLLY_FASTER
#undef NO_FASTER
/* clang-format on */

const char *inspect_cause_name(enum inspect_cause cause)
{
    return causes[cause].name;
}

const char *inspect_cause_text(enum inspect_cause cause)
{
    return causes[cause].text;
}

const char *inspect_cause_refute(enum inspect_cause cause)
{
    return causes[cause].refute;
}

const char *inspect_cause_remedy(enum inspect_cause cause)
{
    return causes[cause].remedy;
}

const char *inspect_confidence_name(enum inspect_confidence confidence)
{
    static const char *const names[] = {"flipped", "structural", "modelled"};
    return names[confidence];
}

/* ---- a condition ---- */

enum truth { NO, YES, UNKNOWN };

/* The ratio of no change: copies of code run in one process. */
static enum inspect_fact control_of(enum inspect_fact ratio)
{
    return inspect_fact_is_code(ratio) ? FACT_same_place : FACT_control;
}

/* True if it may have gained by other addresses of data alone. */
static bool may_gain_by_layout(enum inspect_fact ratio)
{
    return ratio != FACT_page_offset && ratio != FACT_alignment &&
           !inspect_fact_is_code(ratio);
}

/* A variant counts as faster beyond twice what the base seems to differ from itself, and
 * than the base at other addresses. */
static double flip_threshold(const struct inspect_facts *facts, enum inspect_fact ratio,
                             double asked)
{
    const enum inspect_fact control = control_of(ratio);
    const double layout = inspect_fact_value(facts, FACT_layout);
    if (may_gain_by_layout(ratio))
        asked *= fmin(1, layout);
    if (!facts->fact[control].known)
        return asked;
    return fmin(asked, 1 - 2 * fabs(facts->fact[control].value - 1));
}

static double low_of(const struct inspect_facts *facts, enum inspect_fact fact)
{
    return facts->fact[fact].known ? facts->fact[fact].low : 1;
}

/* Each variant is a process of its own: it must beat the base that runs once more, and
 * the fastest one at other addresses, unless addresses are what it changes. */
static double null_low(const struct inspect_facts *facts, enum inspect_fact ratio)
{
    const double control = low_of(facts, control_of(ratio));
    return may_gain_by_layout(ratio) ? fmin(control, low_of(facts, FACT_layout))
                                     : control;
}

static double threshold_of(const struct inspect_facts *facts,
                           const struct condition *condition)
{
    if (condition->of != INSPECT_FACTS)
        return condition->factor * inspect_fact_value(facts, condition->of);
    if (condition->relation == FASTER || condition->relation == WHOLLY_FASTER)
        return flip_threshold(facts, condition->fact, condition->factor);
    return condition->factor;
}

static bool holds(const struct inspect_facts *facts, const struct condition *condition,
                  double threshold)
{
    const double value = facts->fact[condition->fact].value;
    switch (condition->relation) {
    case AT_LEAST:
        return value >= threshold;
    case AT_MOST:
        return value <= threshold;
    case FASTER:
        return value <= threshold &&
               facts->fact[condition->fact].high < null_low(facts, condition->fact);
    case WHOLLY_FASTER:
        return facts->fact[condition->fact].high <=
               fmin(threshold, null_low(facts, condition->fact));
    case NO_FASTER:
        return facts->fact[condition->fact].low >= threshold;
    default:
        return false;
    }
}

/* The fact that a condition lacks; INSPECT_FACTS: none. */
static enum inspect_fact missing_of(const struct inspect_facts *facts,
                                    const struct condition *condition)
{
    if (!facts->fact[condition->fact].known)
        return condition->fact;
    if (condition->of != INSPECT_FACTS && !facts->fact[condition->of].known)
        return condition->of;
    return INSPECT_FACTS;
}

static enum truth condition_test(const struct inspect_facts *facts,
                                 const struct condition *condition,
                                 struct inspect_evidence *evidence)
{
    if (missing_of(facts, condition) != INSPECT_FACTS)
        return UNKNOWN;
    const double threshold = threshold_of(facts, condition);
    *evidence = (struct inspect_evidence){
        .fact = condition->fact,
        .value = facts->fact[condition->fact].value,
        .at_least = condition->relation == AT_LEAST || condition->relation == NO_FASTER,
        .threshold = threshold,
        .factor = condition->factor,
        .of = condition->of,
    };
    return holds(facts, condition, threshold) ? YES : NO;
}

bool inspect_fact_faster(const struct inspect_facts *facts, enum inspect_fact ratio,
                         double times)
{
    const struct condition condition = {FASTER, ratio, times, INSPECT_FACTS};
    struct inspect_evidence evidence;
    return condition_test(facts, &condition, &evidence) == YES;
}

/* ---- a rule ---- */

/* A rule holds, something refutes it, or it is open. */
struct outcome {
    enum truth truth;
    struct inspect_finding finding;
    struct inspect_exclusion exclusion;
    enum inspect_fact missing;
};

/* Evidence that is false refutes a rule, whatever else is unknown. */
static void test_need(const struct inspect_facts *facts, const struct rule *rule,
                      struct outcome *outcome)
{
    for (size_t i = 0; i < INSPECT_EVIDENCE_MAX && rule->need[i].relation != NONE; i++) {
        struct inspect_evidence evidence;
        const enum truth truth = condition_test(facts, &rule->need[i], &evidence);
        if (truth == NO) {
            outcome->truth = NO;
            outcome->exclusion.why = evidence;
            return;
        }
        if (truth == YES)
            outcome->finding.evidence[outcome->finding.n_evidence++] = evidence;
        else if (outcome->truth == YES) {
            outcome->truth = UNKNOWN;
            outcome->missing = missing_of(facts, &rule->need[i]);
        }
    }
}

static void test_against(const struct inspect_facts *facts, const struct rule *rule,
                         struct outcome *outcome)
{
    for (size_t i = 0; i < INSPECT_EVIDENCE_MAX && rule->against[i].relation != NONE;
         i++) {
        struct inspect_evidence evidence;
        const enum truth truth = condition_test(facts, &rule->against[i], &evidence);
        if (truth == YES) {
            outcome->truth = NO;
            outcome->exclusion.why = evidence;
            outcome->exclusion.counter = true;
            return;
        }
        if (truth == NO)
            outcome->finding.against[outcome->finding.n_against++] = evidence;
    }
}

double inspect_flip_base(const struct inspect_facts *facts, enum inspect_fact ratio)
{
    static const enum inspect_fact before[] = {FACT_place, FACT_flush_denormals};
    double base = 1;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (inspect_fact_is_code(ratio) && ratio != before[i] &&
            inspect_fact_faster(facts, before[i], INSPECT_PLACED))
            base *= facts->fact[before[i]].value;
    return base;
}

static struct outcome rule_test(const struct inspect_facts *facts,
                                enum inspect_cause cause, const struct rule *rule)
{
    struct outcome outcome = {
        .truth = YES,
        .finding = {.cause = cause,
                    .confidence = rule->confidence,
                    .share = NAN,
                    .experiment = rule->experiment},
        .exclusion = {.cause = cause},
        .missing = INSPECT_FACTS,
    };
    test_need(facts, rule, &outcome);
    if (outcome.truth != NO)
        test_against(facts, rule, &outcome);
    if (outcome.truth == YES && rule->experiment != INSPECT_FACTS)
        outcome.finding.share = inspect_flip_base(facts, rule->experiment) *
                                (1 - facts->fact[rule->experiment].value);
    return outcome;
}

/* The experiment that would refute a cause whatever told it: that of its first rule. */
static enum inspect_fact refuting(const struct cause *cause)
{
    return cause->rule[0].there ? cause->rule[0].experiment : INSPECT_FACTS;
}

/* ---- a cause ---- */

/* The first rule that holds makes a finding. A cause is excluded if one of its rules is
 * refuted and none holds. */
void cause_test(const struct inspect_facts *facts, enum inspect_cause cause,
                struct inspect_findings *findings)
{
    const struct rule *const rules = causes[cause].rule;
    struct inspect_exclusion exclusion = {.cause = cause};
    enum inspect_fact missing = INSPECT_FACTS;
    bool excluded = false;
    for (size_t i = 0; i < RULES_MAX && rules[i].there; i++) {
        struct outcome outcome = rule_test(facts, cause, &rules[i]);
        if (outcome.truth == YES) {
            if (outcome.finding.experiment == INSPECT_FACTS)
                outcome.finding.experiment = refuting(&causes[cause]);
            findings->finding[findings->n++] = outcome.finding;
            return;
        }
        if (outcome.truth == NO && !excluded) {
            exclusion = outcome.exclusion;
            excluded = true;
        }
        /* Code that an edit finds nothing in tells less than what else is missing. */
        if (outcome.truth == UNKNOWN &&
            (missing == INSPECT_FACTS || inspect_fact_is_code(missing)))
            missing = outcome.missing;
    }
    if (excluded)
        findings->excluded[findings->n_excluded++] = exclusion;
    else if (missing != INSPECT_FACTS)
        findings->unknown[findings->n_unknown++] =
            (struct inspect_unknown){.cause = cause, .missing = missing};
}
