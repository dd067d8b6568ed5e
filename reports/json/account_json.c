/* SPDX-License-Identifier: Apache-2.0 */
/* Member "account" of a run. */
#include "json.h"
#include "json_value.h"

static const struct fields account_fields = FIELDS(
    FIELD(TEXT, account, a), FIELD(TEXT, account, b), FIELD(NAME, account, absent));
static const struct fields row_fields =
    FIELDS(FIELD(TEXT, account_row, name), FIELD(NAME, account_row, unit),
           FIELD(SPAN, account_row, a), FIELD(SPAN, account_row, b),
           FIELD(SPAN, account_row, ratio), FIELD(BOOL, account_row, exact));
static const struct {
    const char *name;
    size_t offset;
    bool later; /* older files do not have it */
} lists[] = {
    {"factors", offsetof(struct account, factors), false},
    {"bounds", offsetof(struct account, bounds), true},
    {"classes", offsetof(struct account, classes), false},
    {"counters", offsetof(struct account, counters), false},
    {"conditions", offsetof(struct account, conditions), false},
};

static void put_rows(struct json *json, cJSON *parent, const char *name,
                     const struct account_rows *rows)
{
    cJSON *const array = json_array(json, parent, name);
    FOR_EACH (const struct account_row, row, rows->row, rows->n) {
        cJSON *const object = json_object(json, array, NULL);
        json_fields(json, object, &row_fields, row);
        json_interval(json, object, "ci", "ci_level", &row->ci);
        json_interval(json, object, "a_ci", NULL, &row->a_ci);
        json_interval(json, object, "b_ci", NULL, &row->b_ci);
    }
}

void json_account(struct json *json, cJSON *parent, const struct account *account)
{
    cJSON *const object = json_maybe(json, parent, "account", account);
    if (!object)
        return;
    json_fields(json, object, &account_fields, account);
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        put_rows(json, object, lists[i].name,
                 (const void *)((const char *)account + lists[i].offset));
}

static int add_row(const struct value *entry, void *context)
{
    struct account_row *const row = account_add(context, NULL, NULL, 0, 0);
    if (!row)
        return value_no_memory(entry);
    return value_fields(entry, &row_fields, row)
               ?: value_interval(entry, "ci", 0, &row->ci)
               ?: value_interval(entry, "a_ci", 0, &row->a_ci)
               ?: value_interval(entry, "b_ci", 0, &row->b_ci);
}

int json_read_account(const struct value *root, struct run *run)
{
    const struct value object = value_member(root, "account");
    if (value_absent(&object))
        return 0;
    run->account = account_new(NULL, NULL);
    if (!run->account)
        return value_no_memory(root);
    int code = value_fields(&object, &account_fields, run->account);
    for (size_t i = 0; i < ARRAY_LEN(lists) && !code; i++) {
        const struct value list = value_member(&object, lists[i].name);
        if (lists[i].later && value_absent(&list))
            continue;
        code = value_array(&list)
                   ?: value_each(&list, add_row, (char *)run->account + lists[i].offset);
    }
    return code;
}
