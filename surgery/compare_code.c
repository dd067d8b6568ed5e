/* SPDX-License-Identifier: Apache-2.0 */
/* Two normalised texts of code, line by line. */
#include "surgery.h"

/* Longer parts that differ are not aligned: all of them count. */
enum { ALIGNED_MOST = 3000 };
/* Code of which more instructions differ than this part is other code. */
#define NEARLY 0.25

struct lines {
    const char **line;
    size_t n, instructions;
};

static bool is_function(const char *line)
{
    return !strncmp(line, "function\n", 9);
}

static int split(const char *text, struct lines *lines)
{
    size_t n = 0;
    for (const char *c = text; *c; c++)
        n += *c == '\n';
    *lines = (struct lines){.line = calloc(n + 1, sizeof *lines->line)};
    if (!lines->line)
        return -ENOMEM;
    for (const char *c = text; *c; c = strchr(c, '\n') + 1) {
        lines->line[lines->n++] = c;
        lines->instructions += !is_function(c);
        if (!strchr(c, '\n'))
            return -EINVAL;
    }
    return 0;
}

/* The first values of a variable, behind " =", or its end; and how long they are. */
static const char *data_of(const char *line, size_t *n)
{
    const size_t length = strcspn(line, "\t\n");
    const char *const data = memmem(line, length, " =", 2);
    *n = data ? length - (size_t)(data - line) : 0;
    return data ? data : line + length;
}

/* The length of what is known of a line, without its place, which stands behind a tab.
 * `cut`: more follows that is not known, as "..." says. */
static size_t known(const char *line, bool *cut)
{
    size_t bytes;
    const size_t n = (size_t)(data_of(line, &bytes) - line);
    *cut = n > 3 && !memcmp(line + n - 3, "...", 3);
    return *cut ? n - 3 : n;
}

static bool same_line(const char *a, const char *b)
{
    bool a_cut, b_cut;
    const size_t n = known(a, &a_cut), m = known(b, &b_cut);
    return (n == m || (a_cut && n < m) || (b_cut && m < n)) &&
           !memcmp(a, b, n < m ? n : m);
}

static size_t end_of_function(const struct lines *lines, size_t from)
{
    size_t end = from;
    while (end < lines->n && !is_function(lines->line[end]))
        end++;
    return end;
}

static void take_where(const char *line, struct surgery_difference *difference)
{
    const char *const tab = line + strcspn(line, "\t\n");
    const size_t n = *tab == '\t' ? strcspn(tab + 1, "\n") : 0;
    const size_t room = sizeof difference->where - 1;
    if (!difference->where[0] && n)
        memcpy(difference->where, tab + 1, n < room ? n : room);
}

/* Lines in both, in the same order. */
static size_t common(const char *const *a, size_t n, const char *const *b, size_t m,
                     size_t *row)
{
    memset(row, 0, (m + 1) * sizeof *row);
    for (size_t i = 0; i < n; i++) {
        size_t corner = 0;
        for (size_t k = 0; k < m; k++) {
            const size_t above = row[k + 1];
            row[k + 1] = same_line(a[i], b[k]) ? corner + 1
                         : row[k] > above      ? row[k]
                                               : above;
            corner = above;
        }
    }
    return row[m];
}

static int compare_function(const char *const *a, size_t n, const char *const *b,
                            size_t m, struct surgery_difference *difference)
{
    size_t shared = 0;
    while (n && m && same_line(*a, *b)) {
        a++, b++;
        n--, m--;
    }
    while (n && m && same_line(a[n - 1], b[m - 1]))
        n--, m--;
    if (n || m)
        take_where(m ? *b : *a, difference);
    if (n && m && n <= ALIGNED_MOST && m <= ALIGNED_MOST) {
        FREED_BY(free_memory) size_t *row = malloc((m + 1) * sizeof *row);
        if (!row)
            return -ENOMEM;
        shared = common(a, n, b, m, row);
    }
    difference->instructions += (n > m ? n : m) - shared;
    return 0;
}

static int compare_lines(const struct lines *a, const struct lines *b,
                         struct surgery_difference *difference)
{
    size_t i = 0, k = 0;
    int status = 0;
    while ((i < a->n || k < b->n) && status == 0) {
        i += i < a->n;
        k += k < b->n;
        const size_t i_end = end_of_function(a, i), k_end = end_of_function(b, k);
        status =
            compare_function(a->line + i, i_end - i, b->line + k, k_end - k, difference);
        i = i_end;
        k = k_end;
    }
    const size_t all =
        a->instructions > b->instructions ? a->instructions : b->instructions;
    difference->same = difference->instructions == 0;
    difference->nearly = (double)difference->instructions <= NEARLY * (double)all;
    return status;
}

/* True if equal lines have the same data, and all of it is known. */
static bool same_data(const struct lines *a, const struct lines *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++) {
        size_t n, m;
        const char *const x = data_of(a->line[i], &n), *const y = data_of(b->line[i], &m);
        same = n == m && !memcmp(x, y, n) && (n < 3 || x[2] != '?');
    }
    return same;
}

int surgery_compare(const char *a, const char *b, struct surgery_difference *difference)
{
    struct lines x, y = {.line = NULL};
    *difference = (struct surgery_difference){.same = false};
    int status = split(a, &x) ?: split(b, &y) ?: compare_lines(&x, &y, difference);
    difference->same_data = status == 0 && difference->same && same_data(&x, &y);
    FREE_EACH(x.line, y.line);
    return status;
}
