/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
/* Divan prints trees. A name is the path to a leaf:
 *
 *   sums             fastest       │ slowest       │ median        │ mean          │ samples ...
 *   ├─ plain         155.5 ns      │ 159.9 ns      │ 156.2 ns      │ ...
 *   ╰─ with_args                   │               │               │
 *      ╰─ 100        17.95 ns      │ 18.04 ns      │ 18.03 ns      │ ...
 */
/* clang-format on */
#include <math.h>

#include "readings.h"

enum { DEPTH_MOST = 32, PATH_MOST = FOREIGN_NAME_MOST, MEDIAN = 2 };

struct tree {
    char path[PATH_MOST + 1];
    size_t end[DEPTH_MOST]; /* of the part of the path at that depth */
};

/* Skips the branches before a name; returns their number. */
static size_t skip_branches(const char **line)
{
    static const char *const branches[] = {"├─ ", "╰─ ", "│  ", "   "};
    size_t depth = 0;
    for (size_t i = 0; i < ARRAY_LEN(branches);) {
        const size_t length = strlen(branches[i]);
        const bool found = !strncmp(*line, branches[i], length);
        *line += found ? length : 0;
        depth += found;
        i = found ? 0 : i + 1;
    }
    return depth;
}

/* Puts a name at its depth of the path; false: it is none that fits. */
static bool set_name(struct tree *tree, size_t depth, const char *name, size_t length)
{
    const size_t before = depth ? tree->end[depth - 1] : 0;
    if (!length || depth >= DEPTH_MOST || before + length + 2 > PATH_MOST)
        return false;
    snprintf(tree->path + before, sizeof tree->path - before, "%s%.*s", depth ? "::" : "",
             (int)length, name);
    for (size_t i = depth; i < DEPTH_MOST; i++)
        tree->end[i] = strlen(tree->path);
    return true;
}

/* The time in the column of medians, with its last digit, or NaN. */
static struct reading median_time(const char *line)
{
    const struct reading none = {.ns = NAN};
    const char *const bar = "│";
    for (int i = 0; i < MEDIAN && line; i++) {
        line = strstr(line, bar);
        line = line ? line + strlen(bar) : NULL;
    }
    if (!line)
        return none;
    line += strspn(line, " ");
    char *end;
    const double number = strtod(line, &end);
    const char *const word = end + strspn(end, " ");
    const double unit = unit_ns(word, strcspn(word, " "));
    return end == line ? none
                       : (struct reading){.ns = number * unit,
                                          .step_ns = last_digit(line) * unit};
}

/* "t=4" is the row of four threads. */
static uint32_t threads_of(const char *name)
{
    char *end;
    const unsigned long n = strncmp(name, "t=", 2) ? 0 : strtoul(name + 2, &end, 10);
    return n && n <= 65536 && (*end == ' ' || !*end) ? (uint32_t)n : 0;
}

int read_divan(char *text, const struct reading_form *form, struct readings *readings,
               struct error *error)
{
    struct tree tree = {.path = ""};
    bool begun = false;
    while (*text) {
        const char *name = text;
        text += strcspn(text, "\n");
        if (*text)
            *text++ = '\0';
        const size_t depth = skip_branches(&name);
        const char *const gap = strstr(name, "  ");
        const size_t length = gap ? (size_t)(gap - name) : strlen(name);
        begun |= depth == 0 && strstr(name, "fastest") && strstr(name, "│ median ");
        if (!begun || !set_name(&tree, depth, name, length))
            continue;
        struct reading median = median_time(name);
        median.threads = threads_of(name);
        if (!isnan(median.ns))
            readings_put(readings, tree.path, strlen(tree.path), NULL, median);
    }
    return 0;
}
