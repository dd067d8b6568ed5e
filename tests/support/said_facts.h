/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that are scripted, for tests of findings. */
#pragma once

#include "findings.h"
#include "unit.h"

/* A fact of a script; an experiment has an interval of 2% on both sides. */
struct said {
    enum inspect_fact fact;
    double value;
};

#define IS(id, value) {FACT_##id, value}
#define HOT IS(loop_share, 0.9)
#define TIMED IS(cycles, 10), HOT
/* 10 cycles that the code explains, twice of what the work needs. */
#define EXPLAINED IS(code_cycles, 7), TIMED
#define CALLED IS(limit_cycles, 4), IS(cycles, 10), IS(call_cycles, 300)
/* Each of these may be the reason in place of lines, or of stores. */
#define OTHER_COSTS                                                  \
    IS(guess_cycles, 4), IS(tame_input, .5), IS(flush_denormals, 0), \
        IS(forward_cycles, 2), IS(fault_share, 1), IS(out_share, 1), IS(threads, 2)
/* Each of these tells that vectors would not help. */
#define NO_ELEMENTS                                                                \
    IS(roof_share, 0.9), IS(calls, 1), IS(code_cycles, 4), IS(unlearnt_cycles, 4), \
        IS(wild_stores, 1), IS(trips, 3), IS(choices, 2)
#define WAITS IS(limit_cycles, 4), IS(cycles, 10), IS(call_cycles, 9999), HOT

static inline void say(struct inspect_facts *facts, const struct said *said)
{
    const double half =
        inspect_fact_source(said->fact) == INSPECT_RATIO ? 0.02 * said->value : 0;
    inspect_fact_set_interval(facts, said->fact, said->value, said->value - half,
                              said->value + half);
}

static inline void say_all(struct inspect_facts *facts, const struct said *said, size_t n)
{
    for (size_t i = 0; i < n; i++)
        say(facts, &said[i]);
}

static inline bool has(const struct inspect_findings *findings, enum inspect_cause cause)
{
    for (size_t i = 0; i < findings->n; i++)
        if (findings->finding[i].cause == cause)
            return true;
    return false;
}

static inline const struct inspect_exclusion *
excluded(const struct inspect_findings *findings, enum inspect_cause cause)
{
    for (size_t i = 0; i < findings->n_excluded; i++)
        if (findings->excluded[i].cause == cause)
            return &findings->excluded[i];
    return NULL;
}

/* A cause, and facts from which it follows. */
enum { SAID_MAX = 16 };
struct script {
    enum inspect_cause cause;
    enum inspect_confidence confidence;
    struct said facts[SAID_MAX], silent[SAID_MAX]; /* each of these silences it */
};
#define END {INSPECT_FACTS, 0} /* of a list: no script has an unknown fact */
