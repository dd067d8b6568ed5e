/* SPDX-License-Identifier: Apache-2.0 */
/* A study file is read: its work, arms and account. */
#include "json.h"
#include "json_value.h"

#define ARM_NAMES                                                                     \
    " is op semiring type isa variant module shape layout threads pages align input " \
    "cache "

int value_only(const struct value *object, const char *names)
{
    const cJSON *json;

    cJSON_ArrayForEach (json, object->json) {
        const size_t length = strlen(json->string);
        const struct value member = value_member(object, json->string);
        const char *at = names;
        /* An empty name would be found behind the end, too. */
        while (length && (at = strstr(at + 1, json->string)))
            if (at[-1] == ' ' && at[length] == ' ' && !strchr(json->string, ' '))
                break;
        if (!length || !at)
            return VALUE_FAIL(&member, "no such field; there are%s", names);
    }
    return 0;
}

int value_filled(const struct value *value, char **text)
{
    return value_text(value, text)
               ?: (**text ? 0 : VALUE_FAIL(value, "expected a text that is not empty"));
}

/* ---- arms ---- */

int value_threads(const struct value *value, int *threads)
{
    double number = 0;

    if (value_absent(value))
        return 0;
    *threads = STUDY_THREADS_ALL;
    if (cJSON_IsString(value->json) && !strcmp(value->json->valuestring, "all"))
        return 0;
    if (value_whole(value, INT32_MAX, &number) || number < 1)
        return VALUE_FAIL(value, "expected a number of threads or \"all\"");
    *threads = (int)number;
    return 0;
}

/* One of two words, or nothing. */
static int check_choice(const struct value *arm, const char *name, const char *found,
                        const char *first, const char *second)
{
    const struct value value = value_member(arm, name);

    if (!found || !strcmp(found, first) || !strcmp(found, second))
        return 0;
    return VALUE_FAIL(&value, "expected \"%s\" or \"%s\"", first, second);
}

static int check_lengths(const struct value *arm)
{
    int code = 0;

    for (size_t i = 0; i < study_arm_fields.n && !code; i++) {
        const struct value field = value_member(arm, study_arm_fields.field[i].name);
        code = value_short(&field, STUDY_TEXT_MAX);
    }
    return code;
}

static int read_arm(const struct value *value, bool strict, const char *names,
                    struct study_arm *arm)
{
    return value_object(value)
               ?: (strict ? value_only(value, names) : 0)
               ?: check_lengths(value)
               ?: value_fields(value, &study_arm_fields, arm)
               ?: check_choice(value, "pages", arm->pages, "4k", "2m")
               ?: check_choice(value, "cache", arm->cache, "warm", "cold");
}

/* These mean something to an op alone. */
static bool is_of_op(size_t offset)
{
    static const size_t offsets[] = {
        offsetof(struct study_arm, semiring), offsetof(struct study_arm, variant),
        offsetof(struct study_arm, layout), offsetof(struct study_arm, input)};
    for (size_t i = 0; i < ARRAY_LEN(offsets); i++)
        if (offsets[i] == offset)
            return true;
    return false;
}

/* An arm has what it leaves to the work, if its op is that of the work. */
static int inherit(const struct value *value, const struct study_arm *work,
                   struct study_arm *arm)
{
    const struct fields *const fields = &study_arm_fields;
    const bool other_op = arm->op && work->op && strcmp(arm->op, work->op) != 0;

    for (size_t i = 0; i < fields->n; i++) {
        if (other_op && is_of_op(fields->field[i].offset))
            continue;
        char *const *const from = (void *)((char *)work + fields->field[i].offset);
        char **const to = (void *)((char *)arm + fields->field[i].offset);
        if (fields->field[i].kind == FIELD_NAME && !*to)
            *to = copy_text(*from);
    }
    arm->align = arm->align > 0 ? arm->align : work->align;
    arm->threads = arm->threads ?: work->threads;
    const struct value op = value_member(value, "op");
    return arm->op ? 0 : VALUE_FAIL(&op, "missing, and so it is in work");
}

struct reading {
    struct study *study;
    bool strict;
};

static int add_arm(const struct value *entry, void *context)
{
    const struct reading *const reading = context;

    if (strlen(entry->json->string) > STUDY_NAME_MAX)
        return VALUE_FAIL(entry, "its name has more than %d bytes", STUDY_NAME_MAX);
    struct study_arm *const arm =
        NAMED_ADD(reading->study, arms, n_arms, entry->json->string);
    return read_arm(entry, reading->strict, ARM_NAMES, arm)
               ?: inherit(entry, &reading->study->work, arm);
}

static int read_arms(const struct value *root, bool strict, struct study *study)
{
    const struct value arms = value_member(root, "arms");

    return value_absent(&arms)
               ? 0
               : value_object(&arms)
                     ?: value_each(&arms, add_arm, &(struct reading){study, strict});
}

static int read_work(const struct value *root, bool strict, struct study *study)
{
    const struct value work = value_member(root, "work");
    const struct value shapes = value_member(&work, "shapes");
    const struct value quick = value_member(&work, "quick");

    if (value_absent(&work))
        return 0;
    return read_arm(&work, strict, ARM_NAMES "shapes quick ", &study->work)
               ?: json_read_shape_list(&shapes, &study->shapes, &study->n_shapes)
               ?: json_read_shape_list(&quick, &study->quick, &study->n_quick);
}

/* ---- the account ---- */

struct pairs_reading {
    const struct study *study;
    struct study_pairs *pairs;
};

static int read_pair(const struct value *value, const struct study *study,
                     struct study_pair *pair)
{
    if (!cJSON_IsArray(value->json) || cJSON_GetArraySize(value->json) != 2)
        return VALUE_FAIL(value, "expected the names of two arms");
    for (int i = 0; i < 2; i++) {
        struct value name = *value;
        name.json = cJSON_GetArrayItem(value->json, i);
        const int code = json_read_arm_name(&name, study, &pair->of[i]);
        if (code)
            return code;
    }
    return 0;
}

static int add_pair(const struct value *entry, void *context)
{
    const struct pairs_reading *const reading = context;

    study_add_pair(reading->pairs, NULL, NULL);
    return read_pair(entry, reading->study, &reading->pairs->pair[reading->pairs->n - 1]);
}

static int read_pairs(const struct value *account, const char *name,
                      const struct study *study, struct study_pairs *pairs)
{
    return value_list(account, name, STUDY_ENTRIES_MAX, add_pair,
                      &(struct pairs_reading){study, pairs});
}

static int read_account(const struct value *root, bool strict, struct study *study)
{
    struct study_account *const account = &study->account;
    const struct value value = value_member(root, "account");
    const struct value total = value_member(&value, "total");
    const struct value parts = value_member(&value, "parts");

    if (value_absent(&value))
        return 0;
    const int code =
        value_object(&value)
            ?: (strict ? value_only(&value, " total parts reverse at quick ") : 0)
            ?: read_pair(&total, study, &account->total)
            ?: read_pairs(&value, "parts", study, &account->parts)
            ?: read_pairs(&value, "reverse", study, &account->reverse);
    if (code)
        return code;
    if (!account->parts.n)
        return VALUE_FAIL(&parts, "expected at least one pair of arms");
    const struct study_shapes shapes = {
        &account->at, &account->quick, &account->n_at, &account->n_quick,
        !json_arms_have_shapes(study, account->total.of, 2)};
    return json_read_shapes(&value, study, &shapes);
}

/* ---- the file ---- */

static int read_version(const struct value *root)
{
    const struct value version = value_member(root, "study");
    double number = 0;
    const int code = value_whole(&version, INT32_MAX, &number);

    if (!code && number != STUDY_VERSION)
        return VALUE_FAIL(&version, "%.0f is not supported; this program reads %d",
                          number, STUDY_VERSION);
    return code;
}

static int read_name(const struct value *root, char **name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const struct value value = value_member(root, "name");
    const int code = value_filled(&value, name);

    if (!code && ((*name)[strspn(*name, letters)] || strlen(*name) > STUDY_NAME_MAX))
        return VALUE_FAIL(&value, "expected up to %d letters, digits, - _ .",
                          STUDY_NAME_MAX);
    return code;
}

static int read_source(const struct value *root, bool strict, struct study *study)
{
    const struct value source = value_member(root, "source");

    return value_absent(&source)
               ? 0
               : value_fields(&source, &study_source_fields, study)
                     ?: (strict ? value_only(&source, " title file sha256 machine ") : 0);
}

int json_read_study(const struct value *root, bool strict, struct study *study)
{
    const struct value title = value_member(root, "title");

    return value_object(root)
               ?: read_version(root)
               ?: (strict ? value_only(root, " study name title source work arms claims account ")
                          : 0)
               ?: read_name(root, &study->name)
               ?: value_name(&title, &study->title)
               ?: read_source(root, strict, study)
               ?: read_work(root, strict, study)
               ?: read_arms(root, strict, study)
               ?: json_read_claims(root, strict, study)
               ?: read_account(root, strict, study);
}

int study_read_json(struct study *study, const char *bytes, size_t size,
                    struct error *error)
{
    struct value root = {.error = error};
    cJSON *tree;
    int code = json_parse(bytes, size, &tree, error);

    if (code)
        return code;
    root.json = tree;
    code = json_read_study(&root, true, study);
    study->level = study_level(study);
    cJSON_Delete(tree);
    return code;
}
