/* SPDX-License-Identifier: Apache-2.0 */
#include "output/output.h"

static bool was_measured(const struct result *result)
{
    return result->status == STATUS_OK || result->status >= STATUS_NOISY;
}

static int plain_status(const struct run *run)
{
    bool measured = false, bad = false;
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        bad |= !result->is_roof && status_is_bad(result->status);
        measured |= !result->is_roof && !result->is_baseline && was_measured(result);
    }
    return bad ? EXIT_WRONG : measured ? EXIT_OK : EXIT_NOTHING;
}

static int compared_status(const struct run *run)
{
    const struct gate *const gate = run->gate;
    const bool stored = !strcmp(gate->kind, "stored");
    bool bad = false, measured = false;
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (result->is_roof)
            continue;
        bad |= gate_is_bad(run, result);
        measured |= !stored && was_measured(result);
    }
    if (stored)
        measured = gate->improved + gate->same + gate->inconclusive + gate->unusable > 0;
    if (gate->regressed || run_code_worse(run))
        return EXIT_REGRESSED;
    if (bad)
        return EXIT_WRONG;
    if (gate->placement && gate->placed)
        return EXIT_REGRESSED;
    if (gate->strict && (gate->inconclusive || gate->unusable))
        return EXIT_UNDECIDED;
    return measured ? EXIT_OK : EXIT_NOTHING;
}

/* A dispatcher fails an audit with --strict. */
static bool chooses_badly(const struct run *run)
{
    FREED_BY(audit_free) struct audit audit = {.worse = 0};
    if (!run_is_audit(run) ||
        !text_same(facts_find_text(&run->settings, "bad_choice"), "fail"))
        return false;
    run_audit(run, &audit);
    return audit.worse > 0;
}

int run_exit_status(const struct run *run)
{
    if (run->interrupted && (!run->gate || strcmp(run->gate->kind, "stored") != 0))
        return EXIT_INTERRUPTED;
    for (size_t i = 0; i < run->n_judgements; i++)
        if (run->judgements[i].reason)
            return EXIT_REGRESSED;
    if (run->n_judgements)
        return EXIT_OK;
    const int status = run->gate ? compared_status(run) : plain_status(run);
    return status == EXIT_OK && chooses_badly(run) ? EXIT_REGRESSED : status;
}
