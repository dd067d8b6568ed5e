/* SPDX-License-Identifier: Apache-2.0 */
#include "account_model.h"

#include <math.h>

#include "text/text.h"

static const struct fields row_fields =
    FIELDS(FIELD(TEXT, account_row, name), FIELD(NAME, account_row, unit),
           FIELD(SPAN, account_row, a), FIELD(SPAN, account_row, b),
           FIELD(SPAN, account_row, ratio), FIELD(BOOL, account_row, exact),
           FIELD(CI, account_row, ci), FIELD(ENDS, account_row, a_ci),
           FIELD(ENDS, account_row, b_ci));
#define ROWS(kind, name) FIELD_LIST_AS(#name, kind, account, name.row, name.n, row_fields)
const struct fields account_fields =
    FIELDS(FIELD(TEXT, account, a), FIELD(TEXT, account, b), FIELD(NAME, account, absent),
           ROWS(LIST, factors), ROWS(LATER, bounds), ROWS(LIST, classes),
           ROWS(LIST, counters), ROWS(LIST, conditions));

struct account *account_new(const char *a, const char *b)
{
    struct account *const account = must_have(calloc(1, sizeof *account));
    account->a = copy_text(a);
    account->b = copy_text(b);
    return account;
}

struct account_row *account_add(struct account_rows *rows, const char *name,
                                const char *unit, double a, double b)
{
    struct account_row *const row = NAMED_ADD(rows, row, n, name);
    row->unit = copy_text(unit);
    row->a = a;
    row->b = b;
    row->ratio = a / b;
    return row;
}

const struct account_row *account_find(const struct account_rows *rows, const char *name)
{
    FOR_EACH (const struct account_row, row, rows->row, rows->n)
        if (text_same(row->name, name))
            return row;
    return NULL;
}

double account_share(const struct account_rows *bounds, const struct account_row *row)
{
    const struct account_row *const all = account_find(bounds, BOUND_BEST_PLACE);
    const struct account_row *const place = account_find(bounds, BOUND_PLACEMENT);
    const double apart = place ? place->a - place->b : 0;
    return all ? (row->a - row->b) / (all->a - all->b + apart) : NAN;
}

void account_free(struct account *account)
{
    if (!account)
        return;
    fields_free(&account_fields, account);
    free(account);
}
