/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"

/* A kernel that was wrong or failed in the second run, though not in the first. */
static bool broke(const struct run *run)
{
    for (size_t i = 0; i < run->n_results; i++) {
        const struct result *const result = &run->results[i];
        if (result->comparison && !result->is_baseline &&
            (result->status == STATUS_WRONG || result->status == STATUS_FAILED) &&
            result->comparison->verdict == VERDICT_UNUSABLE)
            return true;
    }
    return false;
}

static int status_of(const struct run *run)
{
    const struct gate *const gate = run->gate;
    if (broke(run))
        return EXIT_WRONG;
    if (gate->regressed)
        return EXIT_REGRESSED;
    if (gate->strict && (gate->inconclusive || gate->unusable))
        return EXIT_UNDECIDED;
    return gate->improved || gate->same || gate->inconclusive || gate->unusable
               ? EXIT_OK
               : EXIT_NOTHING;
}

int command_compare(const struct options *options)
{
    const char *const base_path = options->files.item[0];
    const char *const head_path = options->files.item[1];
    struct error error = {0};
    struct run *base = NULL, *head = NULL;
    int exit_status = EXIT_USAGE;

    int rc = run_load(&base, base_path, &error);
    if (rc == 0)
        rc = run_load(&head, head_path, &error);
    if (rc == 0)
        rc = run_compare(head, head_path, base, base_path, options->threshold, &error);
    if (rc == 0) {
        head->gate->strict = options->strict;
        exit_status = status_of(head);
        rc = outputs_print(options, head, &error);
    }
    if (rc != 0) {
        complain("%s", error.text);
        exit_status = EXIT_USAGE;
    }
    run_free(base);
    run_free(head);
    return exit_status;
}
