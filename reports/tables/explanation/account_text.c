/* SPDX-License-Identifier: Apache-2.0 */
/* The reason why the first of two cases is slower than the other. */
#include <math.h>

#include "tables/tables.h"

enum { INDENT = 2 };

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

static void put_row(struct grid *grid, const struct account_row *row, const char *before,
                    const char *ratio)
{
    grid_cell(grid, "%s%s", before, row->name ?: "");
    grid_cell(grid, "%.4g", row->a);
    grid_cell(grid, "%.4g", row->b);
    GRID_TEXTS(grid, ratio, row->unit ?: "");
}

static void put_factor(struct grid *grid, const struct account_row *row, const char *sign)
{
    FREED_BY(buffer_free) struct buffer ratio = {.text = NULL};
    put_times(&ratio, 3, row->ratio, &row->ci);
    buffer_add(&ratio, row->exact ? " exact" : "");
    put_row(grid, row, sign, buffer_text(&ratio));
}

/* Time stands over the factors that it is the product of. */
static void put_factors(struct grid *grid, const struct account *account)
{
    const struct account_row *const row = account->factors.row;
    if (account->factors.n)
        put_factor(grid, &row[0], "");
    if (account->absent)
        GRID_TEXTS(grid, account->absent, "", "", "", "");
    for (size_t i = 1; i < account->factors.n; i++)
        put_factor(grid, &row[i], i == 1 && !account->absent ? "= " : "x ");
}

/* The excess of one over the other may be all that there is of it. */
static void put_differences(struct grid *grid, const char *title,
                            const struct account_rows *rows)
{
    if (rows->n)
        GRID_TEXTS(grid, title, "", "", "", "");
    FOR_EACH (const struct account_row, row, rows->row, rows->n) {
        char difference[NUMBER_SIZE];
        snprintf(difference, sizeof difference, "%+.4g", row->a - row->b);
        put_row(grid, row, "  ", difference);
    }
}

static void put_condition(struct grid *grid, const struct account_row *row)
{
    const struct interval none = {.known = false};
    FREED_BY(buffer_free) struct buffer a = {.text = NULL}, b = {.text = NULL},
                                        ratio = {.text = NULL}, name = {.text = NULL};
    buffer_tell(&name, "  %s", row->name ?: "");
    put_times(&a, 2, row->a, &none);
    put_times(&b, 2, row->b, &none);
    put_times(&ratio, 2, row->ratio, &row->ci);
    GRID_TEXTS(grid, buffer_text(&name), buffer_text(&a), buffer_text(&b),
               buffer_text(&ratio), "");
}

void account_write(const struct run *run, const struct text_page *page)
{
    const struct account *const account = run->account;
    struct grid grid = {.at = "lrrll"};
    if (!account)
        return;
    if (page->markdown)
        text_markdown_tell(page->file, "\n### %s (A) against %s (B)\n\n", account->a,
                           account->b);
    else
        text_tell(page->file, "\nA %s\nB %s\n", account->a, account->b);
    GRID_TEXTS(&grid, "", "A", "B", "A / B", "");
    put_factors(&grid, account);
    put_differences(
        &grid, "cycles of an operation, what bounds them, what experiments took away",
        &account->bounds);
    put_differences(&grid, "per operation, in loops", &account->classes);
    put_differences(&grid, "per operation, counted", &account->counters);
    if (account->conditions.n)
        GRID_TEXTS(&grid, "time in an experiment, over that without it", "", "", "", "");
    for (size_t i = 0; i < account->conditions.n; i++)
        put_condition(&grid, &account->conditions.row[i]);
    grid_write(&grid, page, INDENT);
}
