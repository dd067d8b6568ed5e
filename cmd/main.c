/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd.h"

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "worker"))
        return worker_main(argc, argv);
    struct options options;
    struct error error = {.text = ""};
    int status = args_parse(argc, argv, &options, &error);
    if (status < 0 && error.text[0]) {
        char text[2048]; /* it may quote what was typed */
        text_plain(error.text, text, sizeof text);
        fprintf(stderr, "simdbench: %s\n", text);
    }
    if (status)
        return status < 0 ? EXIT_USAGE : EXIT_OK;
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
    else if (!strcmp(options.command, "license"))
        status = command_license(&options);
    else
        status = command_doctor(&options);
    options_free(&options);
    return status;
}
