/* SPDX-License-Identifier: Apache-2.0 */
/* Member "account" of a run. */
#include "json_value.h"

static const struct fields row_fields =
    FIELDS(FIELD(TEXT, account_row, name), FIELD(NAME, account_row, unit),
           FIELD(SPAN, account_row, a), FIELD(SPAN, account_row, b),
           FIELD(SPAN, account_row, ratio), FIELD(BOOL, account_row, exact),
           FIELD(CI, account_row, ci), FIELD(ENDS, account_row, a_ci),
           FIELD(ENDS, account_row, b_ci));
#define ROWS(kind, name) FIELD_LIST_AS(#name, kind, account, name.row, name.n, row_fields)
static const struct fields account_fields =
    FIELDS(FIELD(TEXT, account, a), FIELD(TEXT, account, b), FIELD(NAME, account, absent),
           ROWS(LIST, factors), ROWS(LATER, bounds), ROWS(LIST, classes),
           ROWS(LIST, counters), ROWS(LIST, conditions));

void json_account(struct json *json, cJSON *parent, const struct account *account)
{
    cJSON *const object = json_maybe(json, parent, "account", account);
    if (object)
        json_fields(json, object, &account_fields, account);
}

int json_read_account(const struct value *root, struct run *run)
{
    const struct value object = value_member(root, "account");
    if (value_absent(&object))
        return 0;
    run->account = account_new(NULL, NULL);
    if (!run->account)
        return value_no_memory(root);
    return value_fields(&object, &account_fields, run->account);
}
