/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench prove --function=GLOB -- COMMAND`: which code a program runs where it calls
 * some functions, and whether that is what was expected. */
#include "foreign_private.h"
#include "output/output.h"

static int write_all(const struct options *options, const struct foreign *foreign,
                     struct error *error)
{
    const int status = document_save(options, prove_write, foreign, error);
    return status || (options->quiet && !options->format_given)
               ? status
               : prove_write(foreign, options->format, foreign_stream(foreign), error);
}

static int exit_status(const struct foreign *foreign)
{
    bool broken = false, missing = false, seen = false;
    EACH_TARGET(foreign, target)
    seen |= target_seen(target) != NULL;
    FOR_EACH (const struct rule, rule, foreign->rules, foreign->n_rules) {
        broken |= rule->broken > 0;
        missing |= !rule->broken && !rule->kept;
    }
    return broken             ? EXIT_REGRESSED
           : !seen || missing ? EXIT_NOTHING
                              : foreign_status(foreign);
}

int command_prove(struct options *options)
{
    const int apart = foreign_apart(options);
    if (apart >= 0)
        return apart;
    struct error error = {.text = ""};
    struct foreign foreign = {.options = options, .status = -1};
    int status = foreign_read(&foreign, &error)
                     ?: foreign_run(&foreign, &error)
                     ?: targets_check(&foreign, &error);
    if (status == 0) {
        rules_judge(&foreign);
        status = write_all(options, &foreign, &error);
    }
    if (status == 0)
        status = exit_status(&foreign);
    foreign_free(&foreign);
    return exit_status_of(status, &error);
}
