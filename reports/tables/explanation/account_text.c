/* SPDX-License-Identifier: Apache-2.0 */
/* The reason why the first of two cases is slower than the other. */
#include <math.h>

#include "explain_lines.h"
#include "tables/tables.h"

enum { NAME, A, B, RATIO, UNIT, CELL_SIZE = 256 };

/* ---- rows ---- */

struct telling {
    account_cells *cells;
    void *context;
};

static void put_times(struct buffer *out, int digits, double ratio,
                      const struct interval *ci)
{
    if (ratio < 0.1) /* as many that count */
        digits += 2;
    if (isfinite(ratio))
        buffer_format(out, "x%.*f", digits, ratio);
    else
        buffer_add(out, "unknown");
    if (ci->known && ci->lo < ci->hi)
        buffer_format(out, " [%.*f, %.*f]", digits, ci->lo, digits, ci->hi);
}

static void tell_row(const struct telling *to, const struct account_row *row,
                     const char *indent, const char *ratio)
{
    char name[CELL_SIZE], unit[CELL_SIZE], a[NUMBER_SIZE], b[NUMBER_SIZE];
    char plain[CELL_SIZE - 4];
    text_plain(row->name ?: "", plain, sizeof plain);
    snprintf(name, sizeof name, "%s%s", indent, plain);
    text_plain(row->unit ?: "", unit, sizeof unit);
    snprintf(a, sizeof a, "%.4g", row->a);
    snprintf(b, sizeof b, "%.4g", row->b);
    to->cells((const char *const[]){name, a, b, ratio, unit}, to->context);
}

static void tell_factor(const struct telling *to, const struct account_row *row,
                        const char *sign)
{
    FREED_BY(buffer_free) struct buffer ratio = {.text = NULL};
    put_times(&ratio, 3, row->ratio, &row->ci);
    buffer_add(&ratio, row->exact ? " exact" : "");
    tell_row(to, row, sign, buffer_text(&ratio));
}

static void tell_absent(const struct telling *to, const char *absent)
{
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    buffer_plain(&text, absent);
    to->cells((const char *const[]){buffer_text(&text), "", "", "", ""}, to->context);
}

/* Time stands over the factors that it is the product of. */
static void tell_factors(const struct telling *to, const struct account *account)
{
    const struct account_row *const row = account->factors.row;
    if (account->factors.n)
        tell_factor(to, &row[0], "");
    if (account->absent)
        tell_absent(to, account->absent);
    for (size_t i = 1; i < account->factors.n; i++)
        tell_factor(to, &row[i], i == 1 && !account->absent ? "= " : "x ");
}

/* The excess of one over the other may be all that there is of it. */
static void tell_differences(const struct telling *to, const char *title,
                             const struct account_rows *rows)
{
    if (rows->n)
        to->cells((const char *const[]){title, "", "", "", ""}, to->context);
    FOR_EACH (const struct account_row, row, rows->row, rows->n) {
        char difference[NUMBER_SIZE];
        snprintf(difference, sizeof difference, "%+.4g", row->a - row->b);
        tell_row(to, row, "  ", difference);
    }
}

static void tell_condition(const struct telling *to, const struct account_row *row)
{
    struct buffer name = {.text = NULL}, a = {.text = NULL}, b = {.text = NULL};
    buffer_plain(&name, row->name ?: "");
    put_times(&a, 2, row->a, &row->a_ci);
    put_times(&b, 2, row->b, &row->b_ci);
    to->cells((const char *const[]){buffer_text(&name), buffer_text(&a), buffer_text(&b),
                                    "", ""},
              to->context);
    buffer_free(&name);
    buffer_free(&a);
    buffer_free(&b);
}

void account_tell(const struct account *account, account_cells *cells, void *context)
{
    const struct telling to = {cells, context};
    tell_factors(&to, account);
    tell_differences(&to, "cycles of an operation, and what bounds them",
                     &account->bounds);
    tell_differences(&to, "per operation, in loops", &account->classes);
    tell_differences(&to, "per operation, counted", &account->counters);
    for (size_t i = 0; i < account->conditions.n; i++)
        tell_condition(&to, &account->conditions.row[i]);
}

/* ---- on a terminal ---- */

static void print_cells(const char *const cell[ACCOUNT_CELLS], void *context)
{
    FILE *const file = context;
    if (*cell[RATIO])
        fprintf(file, "  %-26s %10s %10s  %s", cell[NAME], cell[A], cell[B], cell[RATIO]);
    else if (*cell[A])
        fprintf(file, "  %-26s %s against %s", cell[NAME], cell[A], cell[B]);
    else
        fprintf(file, "  %s", cell[NAME]);
    fprintf(file, *cell[UNIT] ? "  %s\n" : "\n", cell[UNIT]);
}

void account_write(const struct run *run, FILE *file)
{
    static const char *const title[ACCOUNT_CELLS] = {"", "A", "B", "A / B", ""};
    const struct account *const account = run->account;
    if (!account)
        return;
    text_tell(file, "\nA %s\nB %s\n", account->a, account->b);
    if (account->factors.n)
        print_cells(title, file);
    account_tell(account, print_cells, file);
}
