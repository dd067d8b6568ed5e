/* SPDX-License-Identifier: Apache-2.0 */
/* simdbench list groups: what --counters means on a CPU. */
#include <linux/perf_event.h>

#include "commands/commands.h"
#include "perfctr.h"

static void print_encoding(const struct uarch *uarch, const char *name)
{
    static const char *const kinds[] = {[PERF_TYPE_HARDWARE] = "generic",
                                        [PERF_TYPE_SOFTWARE] = "software",
                                        [PERF_TYPE_RAW] = "raw"};
    struct event event;
    char config[24];
    if (uarch_encode(uarch, name, &event) != 0 && event_encode(name, &event, NULL) != 0)
        return;
    snprintf(config, sizeof config, "0x%llx", (unsigned long long)event.config);
    print_line(6, "    %-8s %-12s %s", kinds[event.type], config, name);
}

static void count_formula(const struct formula *formula, void *context)
{
    ++*(size_t *)context;
}

/* Formulas that need no events come first, and are listed only once. */
static void print_formula(const struct formula *formula, void *context)
{
    size_t *const skip = context;
    if (*skip == 0)
        print_line(6, "    %s%s%s%s = %s", formula->name, formula->unit[0] ? " (" : "",
                   formula->unit, formula->unit[0] ? ")" : "", formula->text);
    else
        --*skip;
}

static void print_group(const struct uarch *uarch, size_t g, size_t without)
{
    const char *names[COUNTER_GROUP_EVENTS];
    const size_t n = counter_group_events(g, uarch, names);
    const char *const note = counter_group_note(g, uarch);
    if (note)
        print_line(6, "    note: %s", note);
    for (size_t i = 0; i < n; i++)
        print_encoding(uarch, names[i]);
    formulas_each(uarch, names, n, print_formula, &without);
}

size_t groups_print(const char *uarch_name, const char *pattern)
{
    const struct uarch *const uarch = uarch_name ? uarch_find(uarch_name) : uarch_host();
    size_t shown = 0, without = 0, none = 0;
    formulas_each(uarch, NULL, 0, count_formula, &without);
    for (size_t g = 0; g < counter_group_count(); g++) {
        const struct counter_group *const group = counter_group_get(g);
        if (pattern && !strcasestr(group->name, pattern) &&
            !text_glob(pattern, group->name))
            continue;
        if (shown++ == 0)
            print_line(6, "Groups of counters on %s (%s)", uarch->name, uarch->title);
        print_line(6, "  %-8s %s", group->name, group->summary);
        print_group(uarch, g, without);
    }
    if (shown > 0 && !pattern) {
        print_line(6, "  with every group, and without a PMU");
        formulas_each(uarch, NULL, 0, print_formula, &none);
        FREED_BY(buffer_free) struct buffer names = {.text = NULL};
        for (size_t i = 0; i < uarch_count(); i++)
            buffer_format(&names, " %s", uarch_get(i)->name);
        print_line(6, "%s", "");
        print_line(6, "Other CPUs: simdbench list groups --uarch=NAME, of%s",
                   buffer_text(&names));
    }
    return shown;
}
