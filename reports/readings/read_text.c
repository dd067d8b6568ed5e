/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that harnesses print, each read by its own rules. */
#include "readings.h"

#include <ctype.h>
#include <math.h>

#include "text/text.h"

enum { NUMBER_MOST = 63 };

/* The next line without its end, or NULL. */
static char *next_line(char **text)
{
    char *const line = *text;
    if (!*line)
        return NULL;
    char *const end = line + strcspn(line, "\n");
    *text = *end ? end + 1 : end;
    *end = '\0';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static size_t trimmed(const char *text, size_t length)
{
    while (length && strchr(" \t", text[length - 1]))
        length--;
    return length;
}

int read_names(char *text, const struct reading_form *form, struct readings *readings,
               struct error *error)
{
    for (const char *line; (line = next_line(&text));)
        readings_list(readings, line, trimmed(line, strlen(line)));
    return 0;
}

/* ---- go test -bench: "BenchmarkFib/20-8   1000   123.4 ns/op   0 B/op" ---- */

/* Without the number of threads that ends a name where there is more than one. */
static size_t go_name(const char *name, size_t length, uint32_t threads)
{
    char suffix[16];
    const int n = snprintf(suffix, sizeof suffix, "-%u", threads);
    const bool ends = threads > 1 && length > (size_t)n &&
                      !memcmp(name + length - (size_t)n, suffix, (size_t)n);
    return ends ? length - (size_t)n : length;
}

/* A case that failed, "--- FAIL: BenchmarkFib", and the next line, which tells why. */
static bool read_failure(const char *line, const char *next, uint32_t threads,
                         struct readings *readings)
{
    const char *const mark = strstr(line, "--- FAIL: Benchmark");
    const char *const name = mark ? mark + strlen("--- FAIL: ") : "";
    const char *const why = skip_blanks(next);
    const int length = *next == ' ' ? (int)strcspn(why, "\r\n") : 0;
    char reason[300];
    if (!mark)
        return false;
    snprintf(reason, sizeof reason, "it fails%s%.*s", length ? ": " : "",
             length < 250 ? length : 250, why);
    readings_put(readings, name, go_name(name, strcspn(name, " \t"), threads), reason,
                 (struct reading){.ns = NAN, .told = true});
    return true;
}

/* Go says of a benchmark that runs others that it fails if one of them does. */
static bool is_parent(const struct readings *readings, const struct reading *parent)
{
    const size_t n = strlen(parent->name);
    bool any = false;
    for (size_t i = 0; i < readings->n && !any; i++) {
        const struct reading *const entry = &readings->entry[i];
        any = !strncmp(entry->name, parent->name, n) && entry->name[n] == '/' &&
              text_same(entry->section, parent->section);
    }
    return any;
}

static void drop_parents(struct readings *readings)
{
    for (size_t i = readings->n; i-- > 0;) {
        struct reading *const entry = &readings->entry[i];
        if (!entry->told || !is_parent(readings, entry))
            continue;
        FREE_EACH(entry->name, entry->reason, entry->section);
        memmove(entry, entry + 1, (--readings->n - i) * sizeof *entry);
    }
}

int read_go(char *text, const struct reading_form *form, struct readings *readings,
            struct error *error)
{
    const char *name = "";
    for (const char *line; (line = next_line(&text));) {
        const bool begins = !strncmp(line, "Benchmark", 9);
        char *end;
        if (read_failure(line, text, form->threads, readings))
            continue;
        if (!strncmp(line, "pkg: ", 5))
            readings_begin(readings, line + 5, strlen(line + 5));
        /* A case may print words of its own between its name and its numbers. */
        name = begins ? line : name;
        const size_t length = strcspn(name, " \t");
        const char *const at = skip_blanks(begins ? line + length : line);
        if (!length || (!begins && at == line) || strtod(at, &end) <= 0 || end == at)
            continue;
        const char *const number = end;
        const double ns = strtod(number, &end);
        if (end != number && !strncmp(skip_blanks(end), "ns/op", 5))
            readings_add(readings, name, go_name(name, length, form->threads), ns);
    }
    drop_parents(readings);
    return 0;
}

/* ---- criterion: "fib 20   time:   [26.029 ns 26.251 ns 26.505 ns]" ---- */

int read_criterion_list(char *text, const struct reading_form *form,
                        struct readings *readings, struct error *error)
{
    for (const char *line; (line = next_line(&text));) {
        const char *const colon = strrchr(line, ':');
        if (colon && (!strcmp(colon, ": benchmark") || !strcmp(colon, ": bench")))
            readings_list(readings, line, (size_t)(colon - line));
    }
    return 0;
}

/* The last place where the line tells a time: a name may have the same words. */
static const char *find_time(const char *line)
{
    const char *found = NULL;
    while ((line = strstr(line, "time:   [")))
        found = line++;
    return found;
}

/* The second of three numbers with units behind '['; NaN: they are no times. */
static double middle_time(const char *text)
{
    double ns = NAN;
    for (int i = 0; i < 2; i++) {
        char *end;
        const double number = strtod(text, &end);
        const char *const unit = skip_blanks(end);
        const size_t length = strcspn(unit, " ]");
        if (end == text)
            return NAN;
        ns = number * unit_ns(unit, length);
        text = unit + length;
    }
    return ns;
}

int read_criterion(char *text, const struct reading_form *form, struct readings *readings,
                   struct error *error)
{
    const char *before = "";
    for (const char *line; (line = next_line(&text));) {
        const char *const time = find_time(line);
        const double ns = time ? middle_time(time + 9) : NAN;
        size_t length = time ? trimmed(line, (size_t)(time - line)) : 0;
        /* A long name has a line of its own. */
        const char *const name = length ? line : before;
        length = length ? length : trimmed(before, strlen(before));
        if (!isnan(ns))
            readings_add(readings, name, length, ns);
        before = line;
    }
    return 0;
}

/* ---- nanobench: Markdown tables whose title names the unit ---- */

/* The cell of that number in "| a | b |", or NULL. */
static const char *cell(const char *line, size_t number, size_t *length)
{
    for (size_t i = 0; line && i <= number; i++) {
        line = strchr(line, '|');
        line = line ? line + 1 : NULL;
    }
    if (!line)
        return NULL;
    line = skip_blanks(line);
    *length = trimmed(line, strcspn(line, "|"));
    return line;
}

/* A unit before a slash, "ns/op"; NaN: the cell is none. */
static double column_unit(const char *text, size_t length)
{
    const char *const slash = memchr(text, '/', length);
    return slash ? unit_ns(text, (size_t)(slash - text)) : NAN;
}

/* The column of times, their unit, and whether the next one has rates: "op/s" behind
 * "ns/op". */
struct columns {
    size_t time;
    double unit;
    bool rates;
};

static struct columns find_columns(const char *line)
{
    size_t length, n = 0;
    struct columns columns = {.unit = NAN};
    for (const char *text; (text = cell(line, columns.time, &length)); columns.time++) {
        columns.unit = column_unit(text, length);
        if (isnan(columns.unit))
            continue;
        const char *const of = (const char *)memchr(text, '/', length) + 1;
        const size_t same = length - (size_t)(of - text);
        const char *const next = cell(line, columns.time + 1, &n);
        columns.rates = next && n == same + 2 && !memcmp(next, of, same) &&
                        !memcmp(next + same, "/s", 2);
        break;
    }
    return columns;
}

/* "1,234.56" without its commas; false: it is no number. */
static bool ungroup(const char *text, size_t length, char digits[static NUMBER_MOST + 1])
{
    char *end;
    size_t n = 0;
    for (size_t i = 0; i < length && n < NUMBER_MOST; i++)
        if (text[i] != ',')
            digits[n++] = text[i];
    digits[n] = '\0';
    strtod(digits, &end);
    return n && !*end;
}

/* "`name`", or "`name` (Unstable with ~1.0 iters. Increase `minEpochIterations` ...)" */
static const char *quoted(const char *line, size_t *length)
{
    const char *const first = strchr(line, '`');
    const char *const warning = first ? strstr(first, "` (Unstable with ") : NULL;
    const char *const last = warning ? warning : strrchr(line, '`');
    *length = first && last > first ? (size_t)(last - first - 1) : 0;
    return *length ? first + 1 : NULL;
}

/* Times and rates both have two decimals: the one with more digits is read. */
static void add_row(const struct columns *columns, const char *line, const char *name,
                    size_t length, struct readings *readings)
{
    char digits[NUMBER_MOST + 1], rate[NUMBER_MOST + 1];
    size_t n;
    const char *const number = cell(line, columns->time, &n);
    if (!number || !ungroup(number, n, digits) || isnan(strtod(digits, NULL)))
        return;
    const char *const more = columns->rates ? cell(line, columns->time + 1, &n) : NULL;
    const double per_s = more && ungroup(more, n, rate) ? strtod(rate, NULL) : 0;
    const double coarse = last_digit(digits) / strtod(digits, NULL); /* 0.00: inf */
    if (per_s > 0 && isfinite(per_s) && last_digit(rate) / per_s < coarse)
        readings_put(readings, name, length, NULL,
                     (struct reading){.ns = 1e9 / per_s,
                                      .step_ns = 1e9 / per_s * last_digit(rate) / per_s});
    else
        readings_print(readings, name, length, digits, columns->unit);
}

int read_nanobench(char *text, const struct reading_form *form, struct readings *readings,
                   struct error *error)
{
    struct columns columns = {.unit = NAN};
    for (const char *line; (line = next_line(&text));) {
        size_t length;
        const struct columns titles = find_columns(line);
        const char *const name = quoted(line, &length);
        if (!isnan(titles.unit)) {
            columns = titles;
            const char *const last = strrchr(line, '|'); /* "| ns/op | ... | title" */
            readings_begin(readings, skip_blanks(last + 1),
                           strlen(skip_blanks(last + 1)));
        } else if (name && !isnan(columns.unit)) {
            add_row(&columns, line, name, length, readings);
        }
    }
    return 0;
}

/* ---- checkasm: "put_8tap_w8_avx2:    123.4 (5.67x)", in ticks, or as CSV
 * "put_8tap_w8,avx2,123.4567,1.23,45.6" ---- */

static bool read_csv(char *line, double tick_ns, struct readings *readings)
{
    char *const comma = strchr(line, ','), *end;
    char *const number = comma ? strchr(comma + 1, ',') : NULL;
    if (!number || number == comma + 1)
        return false;
    strtod(number + 1, &end);
    if (end == number + 1 || *end != ',')
        return false;
    *comma = '_';
    readings_print(readings, line, (size_t)(number - line), number + 1, tick_ns);
    return true;
}

int read_checkasm(char *text, const struct reading_form *form, struct readings *readings,
                  struct error *error)
{
    for (char *row; (row = next_line(&text));) {
        const char *const line = skip_blanks(row);
        const size_t length = strcspn(line, " \t:");
        char *end;
        if (read_csv(row, form->tick_ns, readings) || line[length] != ':' ||
            !strncmp(line, "nop:", 4))
            continue;
        const char *const number = skip_blanks(line + length + 1);
        strtod(number, &end);
        const char *const rest = skip_blanks(end);
        if (end != number && (!*rest || *rest == '(' || *rest == '+'))
            readings_print(readings, line, length, number, form->tick_ns);
    }
    return 0;
}

/* ---- any text: a name, a number, and perhaps a unit ---- */

/* Nanoseconds, if the pattern has no unit; NaN: the text has a rate there, "MB/s". */
static double unit_behind(const char *text)
{
    static const char *const seconds[] = {"s", "sec", "second"};
    const char *const word = skip_blanks(text);
    const char *const slash = memchr(word, '/', strcspn(word, " \t"));
    if (!slash || slash == word || !isnan(unit_ns(word, (size_t)(slash - word))))
        return 1;
    const size_t n = strcspn(slash + 1, " \t/,;:)]|");
    for (size_t i = 0; i < ARRAY_LEN(seconds); i++)
        if (n == strlen(seconds[i]) && !memcmp(slash + 1, seconds[i], n))
            return NAN;
    return 1;
}

/* Goes behind the number that a group begins with, which `digits` gets; NULL: it begins
 * with none, as "3x" does, which is no time. */
static const char *take_number(const char *text, const char *end,
                               char digits[static NUMBER_MOST + 1])
{
    const size_t length = end > text ? (size_t)(end - text) : 0;
    const size_t n = length < NUMBER_MOST ? length : NUMBER_MOST;
    char *rest;
    memcpy(digits, text, n);
    digits[n] = '\0';
    strtod(digits, &rest);
    const char *const behind = text + (rest - digits);
    const bool other = behind < end && isalpha((unsigned char)*behind) &&
                       isnan(unit_ns(behind, strcspn(behind, " \t,;:)]"))) &&
                       !isnan(unit_behind(behind));
    return rest == digits || other ? NULL : behind;
}

/* A table that pads its names to the longest has other blanks if that one changes. */
static size_t squeeze(char *name, size_t length)
{
    size_t n = 0;
    length = trimmed(name, length);
    for (size_t i = 0; i < length; i++) {
        const char byte = name[i] == '\t' ? ' ' : name[i];
        if (byte != ' ' || !n || name[n - 1] != ' ')
            name[n++] = byte;
    }
    return n;
}

int read_regex(char *text, const struct reading_form *form, struct readings *readings,
               struct error *error)
{
    for (char *line; (line = next_line(&text));) {
        regmatch_t part[4];
        char digits[NUMBER_MOST + 1];
        if (regexec(form->pattern, line, 4, part, 0) != 0 || part[1].rm_so < 0 ||
            part[2].rm_so < 0)
            continue;
        const char *const end = line + part[2].rm_eo;
        const char *const behind =
            take_number(skip_blanks(line + part[2].rm_so), end, digits);
        if (!behind)
            continue;
        const double unit =
            part[3].rm_so < 0
                ? unit_behind(behind)
                : unit_ns(line + part[3].rm_so, (size_t)(part[3].rm_eo - part[3].rm_so));
        /* The comma between two cells of CSV is not one of thousands. */
        const bool cell_of_csv = part[2].rm_so > 0 && line[part[2].rm_so - 1] == ',';
        /* A pattern such as [0-9.]+ leaves decimals and the power of ten out. */
        const bool comma =
            *behind == ',' &&
            (behind < end || (!cell_of_csv && isdigit((unsigned char)behind[1])));
        const bool cut =
            behind == end && (*end == 'e' || *end == 'E') &&
            isdigit((unsigned char)end[1 + (end[1] == '+' || end[1] == '-')]);
        /* The group of the name may have that of the number in it. */
        char *const name = line + part[1].rm_so;
        const size_t length = squeeze(name, (size_t)(part[1].rm_eo - part[1].rm_so));
        if (comma || cut || isnan(unit))
            readings_put(
                readings, name, length,
                comma ? "its number has a comma, of thousands or of decimals"
                : cut ? "the pattern ends within its number, before the exponent"
                      : "its unit is none of ps, ns, us, ms, s, and a rate is no time",
                (struct reading){.ns = NAN});
        else
            readings_print(readings, name, length, digits, unit);
    }
    return 0;
}
