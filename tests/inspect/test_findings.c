/* SPDX-License-Identifier: Apache-2.0 */
/* Causes from scripted facts: each fires on its evidence, alone and first; each piece of
 * evidence is necessary; each counter-evidence silences it. */
#include "cause_scripts.h"

static struct inspect_facts facts_of(const struct script *script)
{
    struct inspect_facts facts = {0};
    for (size_t i = 0; i < SAID_MAX && script->facts[i].fact != INSPECT_FACTS; i++)
        say(&facts, &script->facts[i]);
    return facts;
}

TEST(test_fires)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const struct inspect_facts facts = facts_of(&scripts[i]);
        struct inspect_findings findings;
        inspect_find(&facts, &findings);
        const struct inspect_finding *const first = &findings.finding[0];
        assert_int_equal(first->cause, scripts[i].cause);
        assert_int_equal(first->confidence, scripts[i].confidence);
        assert_in_range(first->n_evidence, 1, INSPECT_EVIDENCE_MAX);
        assert_null(excluded(&findings, scripts[i].cause));
        for (size_t k = 0; k < first->n_evidence; k++) {
            const struct inspect_evidence *const evidence = &first->evidence[k];
            assert_near(evidence->value, facts.fact[evidence->fact].value, 0);
            assert_true(evidence->at_least ? evidence->value >= evidence->threshold
                                           : evidence->value <= evidence->threshold);
        }
    }
}

TEST(test_each_evidence_is_necessary)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct inspect_findings all, without;
        struct inspect_facts facts = facts_of(&scripts[i]);
        inspect_find(&facts, &all);
        for (size_t k = 0; k < all.finding[0].n_evidence; k++) {
            facts = facts_of(&scripts[i]);
            inspect_fact_set_absent(&facts, all.finding[0].evidence[k].fact, NULL);
            inspect_find(&facts, &without);
            assert_false(has(&without, scripts[i].cause));
        }
    }
}

/* Noise makes the interval of an edit wide: one that gains nothing in its middle silences
 * what it would show. */
TEST(test_edits_in_vain)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        for (const struct said *said = scripts[i].silent; said->fact != INSPECT_FACTS;
             said++) {
            struct inspect_facts facts = facts_of(&scripts[i]);
            struct inspect_findings findings;
            if (strncmp(inspect_fact_name(said->fact), "edit_", 5) != 0 ||
                said->value < 1)
                continue;
            inspect_fact_set_interval(&facts, said->fact, 0.98, 0.9, 1.1);
            inspect_find(&facts, &findings);
            assert_false(has(&findings, scripts[i].cause));
            n++;
        }
    assert_true(n >= 3);
}

TEST(test_counter_evidence_silences)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        for (const struct said *said = scripts[i].silent; said->fact != INSPECT_FACTS;
             said++) {
            struct inspect_facts facts = facts_of(&scripts[i]);
            struct inspect_findings findings;
            say(&facts, said);
            inspect_find(&facts, &findings);
            assert_false(has(&findings, scripts[i].cause));
            assert_non_null(excluded(&findings, scripts[i].cause));
        }
}

TEST(test_every_cause_is_scripted)
{
    for (enum inspect_cause cause = 0; cause < CAUSE_unexplained; cause++) {
        size_t n = 0;
        for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
            n += scripts[i].cause == cause;
        assert_true(n > 0);
    }
}
