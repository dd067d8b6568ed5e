/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of --expect: 'fvec_*: bits>=512, scalar<=10%'. */
#include "foreign_private.h"

#include <ctype.h>
#include <math.h>

enum key {
    KEY_ISA,
    KEY_BITS,
    KEY_VECTOR,
    KEY_SCALAR,
    KEY_SPILLS,
    KEY_CALLS,
    KEY_CALLED,
    KEY_OBJECT,
    KEY_TARGET,
    KEYS
};
static const struct {
    const char *name;
    enum { VALUE_NUMBER, VALUE_SHARE, VALUE_ISA, VALUE_GLOB } value;
    const char *of; /* the whole that it is a share of */
} keys[KEYS] = {
    [KEY_ISA] = {"isa", VALUE_ISA, NULL},
    [KEY_BITS] = {"bits", VALUE_NUMBER, NULL},
    [KEY_VECTOR] = {"vector", VALUE_SHARE, "of the instructions"},
    [KEY_SCALAR] = {"scalar", VALUE_SHARE, "of the work on floats and vectors"},
    [KEY_SPILLS] = {"spills", VALUE_NUMBER, NULL},
    [KEY_CALLS] = {"calls", VALUE_NUMBER, NULL},
    [KEY_CALLED] = {"called", VALUE_NUMBER, NULL},
    [KEY_OBJECT] = {"object", VALUE_GLOB, NULL},
    [KEY_TARGET] = {"target", VALUE_GLOB, NULL},
};

enum order { AT_LEAST, AT_MOST, NOT_EQUAL, EQUAL, EQUAL_TOO, ABOVE, BELOW, ORDERS };
/* Those that begin another one come after it. */
static const char *const orders[ORDERS] = {">=", "<=", "!=", "==", "=", ">", "<"};

static const char *const isas[] = {"scalar", "sse2", "avx2", "avx512"};

/* ---- reading ---- */

/* Carets below `length` bytes of the rule at `at`. */
__attribute__((format(printf, 5, 6))) static int wrong(const char *rule, const char *at,
                                                       size_t length, struct error *error,
                                                       const char *format, ...)
{
    enum { SHOWN = 100 };
    char why[200], carets[SHOWN + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    const size_t from = (size_t)(at - rule), n = length ? length : 1;
    if (from + n > SHOWN)
        return invalid(error, "--expect: %s", why);
    memset(carets, '^', n);
    carets[n] = '\0';
    return invalid(error, "--expect: %s\n    %.*s\n    %*s%s", why, SHOWN, rule,
                   (int)from, "", carets);
}

/* Behind the last colon, those of C++ apart; the beginning if there is none. */
static const char *find_conditions(const char *text)
{
    for (const char *at = text + strlen(text); at-- > text;) {
        if (*at != ':')
            continue;
        if (at == text || at[-1] != ':')
            return at + 1;
        at--;
    }
    return text;
}

static int read_key(const char *rule, const char *at, size_t n, int *key,
                    struct error *error)
{
    FREED_BY(text_list_free) struct text_list names = {.n = 0};
    char word[40], hint[100], all[120];
    for (*key = 0; *key < KEYS; ++*key) {
        if (strlen(keys[*key].name) == n && !strncmp(keys[*key].name, at, n))
            break;
        text_list_add(&names, keys[*key].name);
    }
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    text_list_hint(&names, word, hint, sizeof hint);
    text_list_join(&names, ", ", all, sizeof all);
    if (*key < KEYS)
        return 0;
    return n ? wrong(rule, at, n, error,
                     "%s is nothing to expect%s (known: %s), as in "
                     "--expect='mix_*: bits>=512'",
                     word, hint, all)
             : wrong(rule, at, 1, error, "a name is missing (known: %s)", all);
}

static int isa_rank(const char *text)
{
    for (size_t i = 0; i < ARRAY_LEN(isas); i++)
        if (!strncmp(text, isas[i], strlen(isas[i])) &&
            !isalnum((unsigned char)text[strlen(isas[i])]))
            return (int)i;
    return -1;
}

static int read_value(const char *rule, const char *at, size_t n,
                      struct condition *condition, struct error *error)
{
    char *end;
    if (!n)
        return wrong(rule, at, 1, error, "a value is missing behind %s%s",
                     keys[condition->key].name, orders[condition->order]);
    condition->text = must_have(strndup(at, n));
    switch (keys[condition->key].value) {
    case VALUE_ISA:
        condition->number = isa_rank(condition->text);
        return condition->number >= 0 && !strchr(condition->text, '+')
                   ? 0
                   : wrong(rule, at, n, error,
                           "isa is one of scalar, sse2, avx2, avx512");
    case VALUE_GLOB:
        return condition->order >= NOT_EQUAL && condition->order <= EQUAL_TOO
                   ? 0
                   : wrong(rule, at, n, error, "%s takes = or !=, and a glob",
                           keys[condition->key].name);
    default:
        condition->number = strtod(condition->text, &end);
        if (*end == '%' && keys[condition->key].value == VALUE_SHARE) {
            condition->number /= 100;
            end++;
        }
        return end > condition->text && !*end && condition->number >= 0 &&
                       isfinite(condition->number)
                   ? 0
                   : wrong(rule, at, n, error, "%s is no number%s", condition->text,
                           keys[condition->key].value == VALUE_SHARE ? " or percentage"
                                                                     : "");
    }
}

/* One condition, between commas. */
static int read_condition(const char *text, const char *at, size_t n, struct rule *rule,
                          struct error *error)
{
    if (rule->n == CONDITIONS_MAX)
        return wrong(text, at, n, error, "a rule has at most %d conditions",
                     CONDITIONS_MAX);
    struct condition *const condition = &rule->condition[rule->n++];
    const size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    condition->source = must_have(strndup(at, n));
    if (!strpbrk(condition->source, "<>=!") && isa_rank(condition->source) >= 0)
        return wrong(text, at, n, error,
                     "write isa>=%.*s, as in --expect='mix_*: isa>=%.*s'", (int)n, at,
                     (int)n, at);
    int status = read_key(text, at, word < n ? word : n, &condition->key, error);
    if (status < 0)
        return status;
    const char *sign = at + word + strspn(at + word, " ");
    for (condition->order = 0; condition->order < ORDERS; condition->order++)
        if (!strncmp(sign, orders[condition->order], strlen(orders[condition->order])))
            break;
    if (condition->order == ORDERS || sign >= at + n)
        return wrong(text, sign < at + n ? sign : at, sign < at + n ? 1 : n, error,
                     "one of >=, <=, =, !=, > and < comes behind %s",
                     keys[condition->key].name);
    sign += strlen(orders[condition->order]);
    sign += strspn(sign, " ");
    return read_value(text, sign, sign < at + n ? (size_t)(at + n - sign) : 0, condition,
                      error);
}

int rule_parse(const char *text, struct rule *rule, struct error *error)
{
    const char *at = find_conditions(text);
    size_t glob = at > text ? (size_t)(at - text) - 1 : 0;
    int status = 0;
    *rule = (struct rule){.text = must_have(strdup(text))};
    while (glob && text[glob - 1] == ' ')
        glob--;
    rule->glob = must_have(glob ? strndup(text, glob) : strdup("*"));
    while (status == 0 && *at) {
        at += strspn(at, " ");
        size_t n = strcspn(at, ",");
        const char *const next = at + n + (at[n] == ',');
        while (n && at[n - 1] == ' ')
            n--;
        status = read_condition(text, at, n, rule, error);
        at = next;
    }
    if (status == 0 && !rule->n)
        status = wrong(text, at > text ? at - 1 : text, 1, error,
                       "a condition is missing, as in 'f*: bits>=512, scalar<=10%%'");
    if (status < 0)
        rule_free(rule);
    return status;
}

void rule_free(struct rule *rule)
{
    for (size_t i = 0; i < rule->n; i++)
        FREE_EACH(rule->condition[i].text, rule->condition[i].source);
    FREE_EACH(rule->text, rule->glob);
    *rule = (struct rule){.text = NULL};
}

/* ---- judging ---- */

static bool holds(const struct condition *condition, double value)
{
    const double number = condition->number;
    switch (condition->order) {
    case AT_LEAST:
        return value >= number;
    case AT_MOST:
        return value <= number;
    case ABOVE:
        return value > number;
    case BELOW:
        return value < number;
    case NOT_EQUAL:
        return value != number && !isnan(value);
    default:
        return value == number;
    }
}

static double value_of(const struct condition *condition, const struct target *target,
                       const struct seen *seen)
{
    switch (condition->key) {
    case KEY_ISA:
        return isa_rank(seen->isa);
    case KEY_BITS:
        return seen->bits;
    case KEY_VECTOR:
        return seen->vector;
    case KEY_SCALAR:
        return seen->scalar;
    case KEY_SPILLS:
        /* An estimate breaks a condition, but keeps none. */
        return seen->spills_exact || !holds(condition, seen->spills) ? seen->spills : NAN;
    case KEY_CALLS:
        return seen->calls;
    default:
        return (double)target->calls;
    }
}

static const char *text_of(const struct condition *condition, const struct target *target)
{
    return condition->key == KEY_OBJECT ? target->file->name
                                        : target->chosen ?: target->name;
}

static void tell_value(const struct condition *condition, const struct target *target,
                       const struct seen *seen, struct buffer *text)
{
    const double value = value_of(condition, target, seen);
    if (condition->key == KEY_ISA)
        buffer_plain(text, seen->isa);
    else if (isnan(value))
        buffer_add(text, "not known");
    else if (keys[condition->key].value == VALUE_SHARE)
        buffer_format(text, "%.3g%%", 100 * value);
    else
        buffer_format(text, "%.3g", value);
}

static bool rule_is_about(const struct rule *rule, const struct target *target)
{
    return !target->resolver &&
           (target_matches(rule->glob, target->file, target->name, target->demangled) ||
            (target->chosen &&
             target_matches(rule->glob, target->file, target->chosen, NULL)));
}

/* The other conditions are about each function that was called, traced or not. */
static bool is_of_trace(const struct condition *condition)
{
    return condition->key != KEY_CALLED && condition->key != KEY_OBJECT &&
           condition->key != KEY_TARGET;
}

/* A least number of calls decides a condition where more of them would change nothing; so
 * do instruction sets of a call of which only the beginning was seen. */
static bool is_decided(const struct foreign *foreign, const struct condition *condition,
                       const struct target *target)
{
    const struct seen *const seen = target_seen(target);
    if (is_of_trace(condition)
            ? !seen || !seen->cut
            : condition->key != KEY_CALLED || target_is_counted(foreign, target))
        return true;
    if (condition->key != KEY_CALLED && condition->key != KEY_ISA)
        return false;
    const double least = value_of(condition, target, seen);
    const bool now = holds(condition, least);
    return holds(condition, INFINITY) == now &&
           holds(condition, fmax(least, condition->number)) == now;
}

static bool can_be_judged(const struct foreign *foreign, const struct rule *rule,
                          const struct target *target)
{
    bool can = target->calls > 0;
    for (size_t i = 0; i < rule->n; i++)
        can &= is_decided(foreign, &rule->condition[i], target);
    for (size_t i = 0; i < rule->n && !target_seen(target); i++)
        can &= !is_of_trace(&rule->condition[i]);
    return can && rule_is_about(rule, target);
}

bool rule_breaks(const struct foreign *foreign, const struct rule *rule,
                 const struct target *target, struct buffer *text)
{
    const struct seen *const seen = target_seen(target);
    bool breaks = false;
    if (!target->calls || !rule_is_about(rule, target))
        return false;
    FOR_EACH (const struct condition, condition, rule->condition, rule->n) {
        if ((!seen && is_of_trace(condition)) || !is_decided(foreign, condition, target))
            continue;
        const bool is_text = keys[condition->key].value == VALUE_GLOB;
        const bool kept = is_text
                              ? text_glob(condition->text, text_of(condition, target)) ==
                                    (condition->order != NOT_EQUAL)
                              : holds(condition, value_of(condition, target, seen));
        if (kept)
            continue;
        buffer_add(text, breaks || text->length ? "; " : "");
        buffer_format(text, "%s was expected, but %s is ", condition->source,
                      keys[condition->key].name);
        if (is_text)
            buffer_plain(text, text_of(condition, target));
        else
            tell_value(condition, target, seen, text);
        if (keys[condition->key].of)
            buffer_format(text, " %s", keys[condition->key].of);
        breaks = true;
    }
    return breaks;
}

void rules_judge(struct foreign *foreign)
{
    FREED_BY(buffer_free) struct buffer scratch = {.text = NULL};
    FOR_EACH (struct rule, rule, foreign->rules, foreign->n_rules) {
        EACH_TARGET(foreign, target)
        {
            if (rule_breaks(foreign, rule, target, &scratch))
                rule->broken++;
            else
                rule->kept += can_be_judged(foreign, rule, target);
        }
    }
}
