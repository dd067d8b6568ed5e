/* SPDX-License-Identifier: Apache-2.0 */
/* Two normalised texts of code, line by line. */
#include "hash.h"
#include "surgery.h"

#include <ctype.h>
#include <inttypes.h>

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

/* Functions have numbers in the order of their appearance, so one that is new renumbers
 * those behind it. `to`: the partner of each function of the first text. */
struct pairs {
    size_t *to, n;
};
#define ALONE SIZE_MAX

/* The bytes of a function's number, as in " f12:", or 0. */
static size_t number_at(const char *text, size_t *number)
{
    char *end;
    if (text[0] != ' ' || text[1] != 'f' || !isdigit((unsigned char)text[2]))
        return 0;
    *number = strtoul(text + 2, &end, 10);
    return *end == ':' ? (size_t)(end - text) : 0;
}

static bool same_line(const struct pairs *pairs, const char *a, const char *b)
{
    bool a_cut, b_cut;
    const size_t n = known(a, &a_cut), m = known(b, &b_cut);
    size_t i = 0, k = 0, x = 0, y = 0;
    while (i < n && k < m) {
        const size_t of_a = number_at(a + i, &x), of_b = number_at(b + k, &y);
        if (of_a && of_b ? x >= pairs->n || pairs->to[x] != y : a[i] != b[k])
            return false;
        i += of_a && of_b ? of_a : 1;
        k += of_a && of_b ? of_b : 1;
    }
    return (i == n && (k == m || a_cut)) || (k == m && b_cut);
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
static size_t common(const struct pairs *pairs, const char *const *a, size_t n,
                     const char *const *b, size_t m, size_t *row)
{
    memset(row, 0, (m + 1) * sizeof *row);
    for (size_t i = 0; i < n; i++) {
        size_t corner = 0;
        for (size_t k = 0; k < m; k++) {
            const size_t above = row[k + 1];
            row[k + 1] = same_line(pairs, a[i], b[k]) ? corner + 1
                         : row[k] > above             ? row[k]
                                                      : above;
            corner = above;
        }
    }
    return row[m];
}

static int compare_function(const struct pairs *pairs, const char *const *a, size_t n,
                            const char *const *b, size_t m,
                            struct surgery_difference *difference)
{
    size_t shared = 0;
    while (n && m && same_line(pairs, *a, *b)) {
        a++, b++;
        n--, m--;
    }
    while (n && m && same_line(pairs, a[n - 1], b[m - 1]))
        n--, m--;
    if (n || m)
        take_where(m ? *b : *a, difference);
    if (n && m && n <= ALIGNED_MOST && m <= ALIGNED_MOST) {
        FREED_BY(free_memory) size_t *row = malloc((m + 1) * sizeof *row);
        if (!row)
            return -ENOMEM;
        shared = common(pairs, a, n, b, m, row);
    }
    difference->instructions += (n > m ? n : m) - shared;
    return 0;
}

/* ---- functions ---- */

struct span {
    size_t from, to;
    uint64_t hash;    /* of its text, without the numbers of functions */
    const char *name; /* behind the tab of its first line, up to a plus */
    size_t name_bytes;
};

static struct span span_from(const struct lines *lines, size_t from)
{
    struct span span = {
        .from = from, .to = end_of_function(lines, from), .hash = 0, .name = ""};
    for (size_t i = from; i < span.to; i++) {
        const char *const line = lines->line[i];
        const size_t tab = strcspn(line, "\t\n");
        bool cut;
        if (i == from && line[tab] == '\t') {
            span.name = line + tab + 1;
            span.name_bytes = strcspn(span.name, "+\n");
        }
        for (size_t n = known(line, &cut), k = 0, number; k < n; k++) {
            k += number_at(line + k, &number);
            span.hash = hash_bytes(span.hash, &line[k], 1);
        }
    }
    return span;
}

/* Room for all functions; the caller's. */
static struct span *spans_of(const struct lines *lines, size_t *n)
{
    struct span *const spans = calloc(lines->n + 1, sizeof *spans);
    *n = 0;
    for (size_t i = 0; spans && i < lines->n; i = spans[(*n)++].to)
        spans[*n] = span_from(lines, i + is_function(lines->line[i]));
    return spans;
}

/* Equal code counts more than a name: a build may have renamed a function. All functions
 * that only jump to others are equal: their names tell them apart. */
static unsigned alike(const struct span *a, const struct span *b)
{
    const bool named = a->name_bytes && a->name_bytes == b->name_bytes &&
                       !memcmp(a->name, b->name, a->name_bytes);
    return (a->hash == b->hash ? 2 : 0) + named;
}

/* Those between two pairs follow each other in the same order, too. */
static void pair_rest(struct pairs *pairs, size_t m)
{
    for (size_t i = 0, k = 0; i < pairs->n; i++) {
        size_t next = i;
        while (next < pairs->n && pairs->to[next] == ALONE)
            next++;
        if (next > i && k < (next < pairs->n ? pairs->to[next] : m))
            pairs->to[i] = k;
        k = pairs->to[i] == ALONE ? k : pairs->to[i] + 1;
    }
}

/* The pairs that are most alike, in the order of both texts. */
static int pair(const struct span *a, size_t n, const struct span *b, size_t m,
                struct pairs *pairs)
{
    const size_t row = m + 1;
    FREED_BY(free_memory) unsigned *best = calloc((n + 1) * row, sizeof *best);
    *pairs = (struct pairs){.to = calloc(n + 1, sizeof *pairs->to), .n = n};
    if (!best || !pairs->to)
        return -ENOMEM;
    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;) {
            unsigned *const at = &best[i * row + k];
            const unsigned both = at[row + 1] + alike(&a[i], &b[k]);
            *at = at[1] > at[row] ? at[1] : at[row];
            *at = both > *at ? both : *at;
        }
    for (size_t i = 0, k = 0; i < n; i++) {
        while (k < m && best[i * row + k + 1] == best[i * row + k] &&
               best[(i + 1) * row + k] < best[i * row + k])
            k++;
        const bool are = k < m && best[(i + 1) * row + k] < best[i * row + k];
        pairs->to[i] = are ? k++ : ALONE;
    }
    pair_rest(pairs, m);
    return 0;
}

static int compare_lines(const struct lines *a, const struct lines *b,
                         struct surgery_difference *difference)
{
    size_t n, m, done = 0;
    FREED_BY(free_memory) struct span *x = spans_of(a, &n);
    FREED_BY(free_memory) struct span *y = spans_of(b, &m);
    struct pairs pairs = {.n = 0};
    int status = x && y ? pair(x, n, y, m, &pairs) : -ENOMEM;
    for (size_t i = 0; i <= n && status == 0; i++) {
        const size_t partner = i == n ? m : pairs.to[i];
        for (; partner != ALONE && done < partner && status == 0; done++)
            status = compare_function(&pairs, NULL, 0, b->line + y[done].from,
                                      y[done].to - y[done].from, difference);
        if (i == n || status < 0)
            break;
        const struct span none = {.from = 0}, *const with =
                                                  partner == ALONE ? &none : &y[done++];
        status =
            compare_function(&pairs, a->line + x[i].from, x[i].to - x[i].from,
                             b->line + with->from, with->to - with->from, difference);
    }
    free(pairs.to);
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

/* ---- a print ---- */

/* It names a function that is neither in the text nor of the C library. */
static bool leads_elsewhere(const char *line, size_t n)
{
    static const char mark[] = " slot ";
    const char *const slot = memmem(line, n, mark, sizeof mark - 1);
    if (!slot)
        return false;
    const char *const after =
        slot + sizeof mark - 1 + strcspn(slot + sizeof mark - 1, " \t\n");
    return strncmp(after, " f", 2) != 0 && strncmp(after, " libc", 5) != 0;
}

bool surgery_print(const char *text, bool whole, char print[SURGERY_PRINT])
{
    uint64_t hash = HASH_FIRST;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const size_t length = strcspn(text, "\t\n");
        size_t n;
        const char *const data = data_of(text, &n);
        if ((n > 2 && data[2] == '?') || (!whole && leads_elsewhere(text, length)))
            return false;
        hash = hash_bytes(hash_bytes(hash, text, length), "\n", 1);
    }
    snprintf(print, SURGERY_PRINT, "%016" PRIx64, hash);
    return true;
}
