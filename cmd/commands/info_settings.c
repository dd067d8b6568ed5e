/* SPDX-License-Identifier: Apache-2.0 */
/* simdbench list settings: what is not as the options' help says, and why; what does not
 * count, and why not. */

#include "commands/commands.h"

static bool wanted(const char *pattern, const char *section, const char *name)
{
    return !pattern || strcasestr(section, pattern) || strcasestr(name, pattern) ||
           text_glob(pattern, name);
}

static void print_setting(const char *section, const char *text, const char *from)
{
    print_line(6, "  %-12s %-36s  %s", section, text, from);
}

static size_t print_file(const struct options *options, const char *pattern)
{
    size_t shown = 0;
    FOR_EACH (const struct project_default, setting, options->defaults,
              options->n_defaults) {
        char text[300], from[500];
        if (!wanted(pattern, setting->section, setting->name))
            continue;
        shown++;
        snprintf(text, sizeof text, "--%s%s%s%s", setting->off ? "no-" : "",
                 setting->name, setting->value ? "=" : "",
                 setting->value ? setting->value : "");
        const char *const doubt = project_doubt(options, setting);
        snprintf(from, sizeof from, "%s:%zu%s%s", options->project_file, setting->line,
                 doubt ? "  does not count: " : "", doubt ?: "");
        print_setting(setting->section, text, from);
    }
    return shown;
}

static size_t print_environment(const char *pattern)
{
    static const char *const names[] = {"SIMDBENCH_HISTORY", "SIMDBENCH_LOCKS",
                                        "SIMDBENCH_MODULES", "SIMDBENCH_PROJECT"};
    size_t shown = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char text[300];
        if (!getenv(names[i]) || !wanted(pattern, "", names[i]))
            continue;
        shown++;
        snprintf(text, sizeof text, "%s=%s", names[i], getenv(names[i]));
        print_setting("", text, "environment");
    }
    return shown;
}

static void print_trust(enum trust trust)
{
    const bool trusted = trust >= TRUST_KEPT;
    print_line(6, "  The project file is %s.",
               trust == TRUST_NAMED  ? "trusted, as it was named"
               : trust == TRUST_KEPT ? "trusted by `simdbench trust`"
               : trust == TRUST_CHANGED
                   ? "not trusted: it has changed since `simdbench trust`"
                   : "not trusted: `simdbench trust` does");
    if (!trusted)
        print_line(6, "  So nothing of it runs code, writes files, decides an exit "
                      "status or how long a command takes,");
    if (!trusted)
        print_line(6, "  and ab, compare, selftest and study take nothing of it.");
}

size_t settings_print(const struct options *options, const char *pattern)
{
    const size_t shown = print_file(options, pattern) + print_environment(pattern);
    if (!pattern && options->project_file)
        print_trust(options->project_trust);
    if (!pattern)
        print_line(6, "%s",
                   options->project_file
                       ? "  All else is as simdbench COMMAND --help says."
                       : "  There is no project file: all else is as simdbench COMMAND "
                         "--help says.");
    return shown;
}
