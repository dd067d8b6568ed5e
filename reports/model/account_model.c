/* SPDX-License-Identifier: Apache-2.0 */
#include "account_model.h"

#include <stdlib.h>

#include "text/text.h"

struct account *account_new(const char *a, const char *b)
{
    struct account *const account = calloc(1, sizeof *account);
    if (account && !string_set(&account->a, a) && !string_set(&account->b, b))
        return account;
    account_free(account);
    return NULL;
}

struct account_row *account_add(struct account_rows *rows, const char *name,
                                const char *unit, double a, double b)
{
    struct account_row *const row = NAMED_ADD(rows, row, n, name);
    if (!row || string_set(&row->unit, unit))
        return NULL;
    row->a = a;
    row->b = b;
    row->ratio = a / b;
    return row;
}

double account_share(const struct account_rows *bounds, const struct account_row *row)
{
    double difference = 0;
    FOR_EACH (const struct account_row, part, bounds->row, bounds->n)
        if (text_same(part->name, BOUND_BEST_PLACE) ||
            text_same(part->name, BOUND_PLACEMENT))
            difference += part->a - part->b;
    return (row->a - row->b) / difference;
}

static void rows_free(const struct account_rows *rows)
{
    FOR_EACH (const struct account_row, row, rows->row, rows->n)
        FREE_EACH(row->name, row->unit);
    free(rows->row);
}

void account_free(struct account *account)
{
    if (!account)
        return;
    FREE_EACH(account->a, account->b, account->absent);
    rows_free(&account->factors);
    rows_free(&account->bounds);
    rows_free(&account->classes);
    rows_free(&account->counters);
    rows_free(&account->conditions);
    free(account);
}
