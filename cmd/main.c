/* SPDX-License-Identifier: Apache-2.0 */

#include "commands/commands.h"
#include "doctor/doctor.h"
#include "foreign/foreign.h"
#include "license/license.h"
#include "referee/referee.h"
#include "studies/studies.h"
#include "worker/worker.h"

/* Every other word is the name of an op. */
static const struct {
    const char *name;
    int (*run)(struct options *options);
} commands[] = {
    {"report", command_report},     {"compare", command_compare},
    {"list", command_list},         {"ab", command_ab},
    {"history", command_history},   {"threads", command_threads},
    {"selftest", command_selftest}, {"license", command_license},
    {"doctor", command_doctor},     {"explain", command_explain},
    {"study", command_study},       {"completion", command_completion},
    {"man", command_man},           {"new-plugin", command_new_plugin},
    {"trust", command_trust},       {"call", command_call},
    {"audit", command_audit},       {"prove", command_prove},
    {"capture", command_capture},   {"judge", command_judge},
};

static int run_command(struct options *options)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (!strcmp(options->command, commands[i].name))
            return commands[i].run(options);
    return command_op(options);
}

/* A command that did its work but whose text went nowhere has failed. */
static int finish(int status)
{
    struct error error = {.text = ""};
    const int flushed = status == EXIT_USAGE ? 0 : standard_flush(&error);
    if (flushed < 0)
        status = flushed == -EINTR ? EXIT_INTERRUPTED : EXIT_USAGE;
    if (status == EXIT_USAGE && error.text[0])
        complain("%s", error.text);
    return status == EXIT_INTERRUPTED ? status + interrupted_by : status;
}

/* The command, with --output. Bad usage, and a failure that printed nothing, leave the
 * old file. */
static int run_redirected(struct options *options)
{
    struct error error = {.text = ""};
    const int kept = redirect_begin(options, &error);
    const int status = kept < 0 ? exit_status_of(kept, &error) : run_command(options);
    if (kept <= 0 || status == EXIT_USAGE || (status != EXIT_OK && redirect_is_empty()))
        return status;
    return redirect_end(options->output, &error) ? exit_status_of(-EIO, &error) : status;
}

int main(int argc, char **argv)
{
    standard_begin();
    if (argc > 1 && !strcmp(argv[1], "worker"))
        return worker_main(argc, argv);
    struct options options;
    struct error error = {.text = ""};
    int status = stack_claim(&error) ?: args_parse(argc, argv, &options, &error);
    if (status == 0 && (status = args_check_files(&options, &error)) < 0)
        options_free(&options);
    if (status < 0 && error.text[0])
        complain("%s", error.text);
    if (status)
        return finish(status < 0 ? EXIT_USAGE : EXIT_OK);
    status = run_redirected(&options);
    options_free(&options);
    return finish(status);
}
