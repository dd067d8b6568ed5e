/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "commands/commands.h"
#include "output/output.h"
#include "process/process.h"

int command_compare(struct options *options)
{
    const char *const base_path = options->files.item[0];
    const char *const head_path = options->files.item[1];
    struct error error = {0};
    struct run *base = NULL, *head = NULL;
    int exit_status = EXIT_USAGE;

    int rc = outputs_check(options, &error);
    if (rc == 0)
        rc = run_load(&base, base_path, &error);
    if (rc == 0)
        rc = run_load(&head, head_path, &error);
    if (rc == 0)
        rc = run_compare(head, head_path, base, base_path, options->threshold, &error);
    if (rc == 0) {
        head->gate->strict = options->strict;
        head->gate->code = options->gate_code;
        must(run_judge_code(head));
        char *const told = project_told(options);
        must(string_set(&head->gate->settings, told));
        free(told);
        exit_status = run_exit_status(head);
        rc = outputs_write(options, true, head, &error);
    }
    if (rc != 0) {
        complain("%s", error.text);
        exit_status = EXIT_USAGE;
    }
    run_free(base);
    run_free(head);
    return exit_status;
}
