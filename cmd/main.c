/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "worker.h"

/* A command that did its work but whose text went nowhere has failed. */
static int finish(int status)
{
    struct error error = {.text = ""};
    const int flushed = status == EXIT_USAGE ? 0 : standard_flush(&error);
    if (flushed < 0)
        status = flushed == -EINTR ? EXIT_INTERRUPTED : EXIT_USAGE;
    if (status == EXIT_USAGE && error.text[0])
        fprintf(stderr, "simdbench: %s\n", error.text);
    return status == EXIT_INTERRUPTED ? status + interrupted_by : status;
}

int main(int argc, char **argv)
{
    standard_begin();
    if (argc > 1 && !strcmp(argv[1], "worker"))
        return worker_main(argc, argv);
    struct options options;
    struct error error = {.text = ""};
    int status = args_parse(argc, argv, &options, &error);
    if (status < 0 && error.text[0])
        complain("%s", error.text);
    if (status)
        return finish(status < 0 ? EXIT_USAGE : EXIT_OK);
    if (options.is_op || options.suite)
        status = command_op(&options, argc, argv);
    else if (!strcmp(options.command, "report"))
        status = command_report(&options);
    else if (!strcmp(options.command, "compare"))
        status = command_compare(&options);
    else if (!strcmp(options.command, "list"))
        status = command_list(&options);
    else if (!strcmp(options.command, "ab"))
        status = command_ab(&options, argc, argv);
    else if (!strcmp(options.command, "history"))
        status = command_history(&options);
    else if (!strcmp(options.command, "threads"))
        status = command_threads(&options, argc, argv);
    else if (!strcmp(options.command, "selftest"))
        status = command_selftest(&options);
    else if (!strcmp(options.command, "license"))
        status = command_license(&options);
    else
        status = command_doctor(&options);
    options_free(&options);
    return finish(status);
}
