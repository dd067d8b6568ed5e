/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>

#include "uarch.h"

enum group_number {
#define GROUP(group, summary) GROUP_##group,
#include "groups.def"
};

static const struct counter_group groups[] = {
#define GROUP(group, summary) {#group, summary},
#include "groups.def"
};

static const struct {
    enum group_number group;
    uint32_t set;
    const char *event[COUNTER_GROUP_EVENTS];
} events[] = {
#define EVENTS(group, set, ...) {GROUP_##group, set, {__VA_ARGS__}},
#include "groups.def"
};

static const struct {
    enum group_number group;
    uint32_t set;
    const char *text;
} notes[] = {
#define NOTE(group, set, text) {GROUP_##group, set, text},
#include "groups.def"
};

static const struct {
    uint32_t set;
    struct formula formula;
} formulas[] = {
#define FORMULA(set, name, unit, text) {set, {name, unit, text}},
#include "groups.def"
};

size_t counter_group_count(void)
{
    return ARRAY_LEN(groups);
}

const struct counter_group *counter_group_get(size_t g)
{
    return &groups[g];
}

size_t counter_group_events(size_t g, const struct uarch *uarch,
                            const char *names[COUNTER_GROUP_EVENTS])
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(events); i++)
        if (events[i].group == g && (events[i].set & uarch->bit))
            while (n < COUNTER_GROUP_EVENTS && events[i].event[n]) {
                names[n] = events[i].event[n];
                n++;
            }
    return n;
}

const char *counter_group_note(size_t g, const struct uarch *uarch)
{
    for (size_t i = 0; i < ARRAY_LEN(notes); i++)
        if (notes[i].group == g && (notes[i].set & uarch->bit))
            return notes[i].text;
    return NULL;
}

static bool is_among(const char *name, size_t length, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], name, length))
            return true;
    return false;
}

/* Are all names of the formula among these events, or known without any? */
static bool formula_fits(const char *text, const char *const *names, size_t n)
{
    static const char *const known[] = {"elements", "ns",          "probe-ghz",
                                        "tsc-ghz",  "page-faults", "context-switches"};
    while (*text) {
        const size_t length = strcspn(text, " +*/()");
        if (isalpha((unsigned char)*text) && !is_among(text, length, names, n) &&
            !is_among(text, length, known, ARRAY_LEN(known)))
            return false;
        text += length ? length : 1;
    }
    return true;
}

void formulas_each(const struct uarch *uarch, const char *const *names, size_t n,
                   void (*each)(const struct formula *formula, void *context),
                   void *context)
{
    const char *seen[ARRAY_LEN(formulas)];
    size_t n_seen = 0;
    for (size_t i = 0; i < ARRAY_LEN(formulas); i++) {
        const struct formula *const formula = &formulas[i].formula;
        if (!(formulas[i].set & uarch->bit) ||
            is_among(formula->name, strlen(formula->name), seen, n_seen) ||
            !formula_fits(formula->text, names, n))
            continue;
        seen[n_seen++] = formula->name;
        each(formula, context);
    }
}
