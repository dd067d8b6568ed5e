/* SPDX-License-Identifier: Apache-2.0 */
/* Member "account" of a run. */
#include "json_value.h"

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
