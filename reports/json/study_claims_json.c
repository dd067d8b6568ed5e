/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of a study file are read: checks, their evidence, shapes. */
#include <math.h>

#include "json_value.h"

#define CHECK_NAMES                                                         \
    " measure of as expect at quick why needs fact metric formula threads " \
    "count name "
#define CLAIM_NAMES                                                           \
    "id quote by text kind their note instead confounders evidence confirms " \
    "refutes by_construction learned "

/* The subject of a measure: its member in JSON, and its arms. */
struct rule {
    const char *key;
    bool key_may_be_missing;
    const char *first,
        *second; /* words that the member may be; the first is the default */
    size_t least, most;
    bool two_values; /* with two arms it is a difference or a ratio */
};

static const struct rule rules[STUDY_MEASURES] = {
    [MEASURE_TIME_RATIO] = {.least = 2, .most = 2},
    [MEASURE_THREAD_RATIO] = {.least = 1, .most = 1},
    [MEASURE_LIMIT_SHARE] = {.least = 1, .most = 2, .two_values = true},
    [MEASURE_METRIC] = {.key = "metric", .least = 1, .most = 2, .two_values = true},
    [MEASURE_STATIC] = {.key = "fact", .least = 1, .most = 2, .two_values = true},
    [MEASURE_SLOPE] = {.least = 1, .most = 1},
    [MEASURE_EXPLAINED] = {.key = "count", .least = 2, .most = 2},
    [MEASURE_NOISE] = {"name", true, "mad", "floor", 1, 2, true},
    [MEASURE_ACCURACY] = {"name", true, "max_ulp", "mean_ulp", 1, 2, true},
    [MEASURE_ARITHMETIC] = {.key = "formula"},
    [MEASURE_HOST] = {.key = "name"},
};

const char *study_what_key(enum study_measure measure)
{
    return rules[measure].key;
}

static int read_confounders(const struct value *object, struct study_claim *claim)
{
    const struct value array = value_member(object, "confounders");

    return value_absent(&array) ? 0
                                : value_few(&array, STUDY_ENTRIES_MAX)
                                      ?: value_texts(&array, &claim->confounders,
                                                     &claim->n_confounders);
}

/* ---- arms and shapes ---- */

int json_read_arm_name(const struct value *value, const struct study *study, char **name)
{
    const int code = value_text(value, name);

    if (!code && !study_find_arm(study, *name))
        return VALUE_FAIL(value, "no arm '%s'", *name);
    return code;
}

bool json_arms_have_shapes(const struct study *study, char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *const shape = study_find_arm(study, names[i])->shape;
        if (!shape || *shape == '+')
            return false;
    }
    return true;
}

static void copy_texts(char *const *from, size_t n, char ***to, size_t *n_to)
{
    for (size_t i = 0; i < n; i++)
        strings_add(to, n_to, from[i]);
}

static int check_shape(const struct value *entry, void *context)
{
    return value_short(entry, STUDY_TEXT_MAX);
}

int json_read_shape_list(const struct value *value, char ***list, size_t *n)
{
    return value_absent(value) ? 0
                               : value_few(value, STUDY_SHAPES_MAX)
                                     ?: value_each(value, check_shape, NULL)
                                     ?: value_texts(value, list, n);
}

int json_read_shapes(const struct value *object, const struct study *study,
                     const struct study_shapes *shapes)
{
    const struct value at = value_member(object, "at");
    const struct value quick = value_member(object, "quick");
    int code = json_read_shape_list(&at, shapes->at, shapes->n_at)
                   ?: json_read_shape_list(&quick, shapes->quick, shapes->n_quick);

    if (code)
        return code;
    if (!*shapes->n_at)
        copy_texts(study->shapes, study->n_shapes, shapes->at, shapes->n_at);
    if (!*shapes->n_quick)
        copy_texts(study->quick, study->n_quick, shapes->quick, shapes->n_quick);
    if (!*shapes->n_quick)
        copy_texts(*shapes->at, *shapes->n_at, shapes->quick, shapes->n_quick);
    return shapes->needed && !*shapes->n_at
               ? VALUE_FAIL(&at, "missing, and work has no shapes")
               : 0;
}

/* ---- a check ---- */

struct reading {
    struct study *study;
    bool strict;
    struct study_claim *claim;
    struct study_check *check;
    size_t points; /* of all checks so far */
};

static int add_arm_name(const struct value *entry, void *context)
{
    const struct reading *const reading = context;
    struct study_check *const check = reading->check;

    strings_add(&check->of, &check->n_of, NULL);
    return json_read_arm_name(entry, reading->study, &check->of[check->n_of - 1]);
}

static int read_arm_names(const struct value *object, const struct reading *reading)
{
    const struct rule *const rule = &rules[reading->check->measure];
    const struct value of = value_member(object, "of");
    const int code =
        value_list(object, "of", STUDY_ENTRIES_MAX, add_arm_name, (void *)reading);

    if (code ||
        (reading->check->n_of >= rule->least && reading->check->n_of <= rule->most))
        return code;
    if (rule->least == rule->most)
        return VALUE_FAIL(&of, "%s takes %zu arm%s",
                          study_measure_name(reading->check->measure), rule->least,
                          rule->least == 1 ? "" : "s");
    return VALUE_FAIL(&of, "expected one arm or two");
}

static int read_as(const struct value *object, struct study_check *check)
{
    const struct value as = value_member(object, "as");
    const bool two = check->n_of == 2 && rules[check->measure].two_values;
    FREED_BY(free_memory) char *text = NULL;

    check->as = two || check->measure == MEASURE_TIME_RATIO ? AS_RATIO : AS_VALUE;
    if (value_absent(&as))
        return 0;
    enum study_as found = check->as;
    int code = value_text(&as, &text);
    if (!code && study_as_find(text, &found))
        code = VALUE_FAIL(&as, "expected \"value\", \"difference\" or \"ratio\"");
    else if (!code && (two ? found == AS_VALUE : found != check->as))
        code = VALUE_FAIL(&as, "%s of %zu arm%s has no %s",
                          study_measure_name(check->measure), check->n_of,
                          check->n_of == 1 ? "" : "s", text);
    check->as = found;
    return code;
}

static int read_end(const struct value *expect, int index, double *end)
{
    const cJSON *const json = cJSON_GetArrayItem(expect->json, index);

    if (cJSON_IsNumber(json))
        *end = json->valuedouble;
    return cJSON_IsNumber(json) || cJSON_IsNull(json)
               ? 0
               : VALUE_FAIL(expect, "expected two numbers, null where it is open");
}

static int read_expect(const struct value *object, struct study_check *check)
{
    const struct value expect = value_member(object, "expect");

    if (!cJSON_IsArray(expect.json) || cJSON_GetArraySize(expect.json) != 2)
        return VALUE_FAIL(&expect, "expected two numbers, null where it is open");
    const int code = read_end(&expect, 0, &check->lo) ?: read_end(&expect, 1, &check->hi);
    if (!code && check->lo > check->hi)
        return VALUE_FAIL(&expect, "the first end is above the second");
    if (!code && isinf(check->lo) && isinf(check->hi))
        return VALUE_FAIL(&expect, "both ends are open: it could not fail");
    return code;
}

static int read_what(const struct value *object, struct study_check *check)
{
    const struct rule *const rule = &rules[check->measure];
    if (!rule->key)
        return 0;
    const struct value what = value_member(object, rule->key);

    if (rule->key_may_be_missing && value_absent(&what)) {
        string_set(&check->what, rule->first);
        return 0;
    }
    const int code = value_filled(&what, &check->what);
    if (code)
        return code;
    if (rule->first && strcmp(check->what, rule->first) &&
        strcmp(check->what, rule->second))
        return VALUE_FAIL(&what, "expected \"%s\" or \"%s\"", rule->first, rule->second);
    if (check->measure == MEASURE_ARITHMETIC &&
        isnan(formula_value(check->what, NULL, NULL)))
        return VALUE_FAIL(&what,
                          "expected numbers, + - * / and parentheses, and a value");
    return 0;
}

static int check_number(const struct value *entry, const char *need)
{
    const bool cpus = !strncmp(need, "cpus:", 5), memory = !strncmp(need, "memory:", 7);

    return (!cpus && !memory) || !isnan(study_need_number(need)) ? 0
           : cpus ? VALUE_FAIL(entry, "expected cpus:N, N a whole number from 1")
                  : VALUE_FAIL(entry, "expected memory:SIZE, such as 2GB or 1.5GiB; the "
                                      "units are MB, GB, TB, MiB, GiB and TiB");
}

static int add_need(const struct value *entry, void *context)
{
    static const char *const kinds[] = {
        "cpus:", "module:", "isa:", "event:", "uarch:", "memory:", "never:"};
    struct study_check *const check = context;

    strings_add(&check->needs, &check->n_needs, NULL);
    char **const need = &check->needs[check->n_needs - 1];
    const int code = value_text(entry, need);
    for (size_t i = 0; i < ARRAY_LEN(kinds) && !code; i++)
        if (!strncmp(*need, kinds[i], strlen(kinds[i])) && (*need)[strlen(kinds[i])])
            return check_number(entry, *need);
    return code
               ?: VALUE_FAIL(entry, "expected cpus:N, module:NAME, isa:NAME, event:NAME, "
                                    "uarch:NAME, memory:SIZE or never:REASON");
}

static int read_measure(const struct value *object, enum study_measure *measure)
{
    const struct value value = value_member(object, "measure");
    FREED_BY(free_memory) char *name = NULL;
    int code = value_text(&value, &name);

    if (!code && study_measure_find(name, measure))
        code = VALUE_FAIL(&value, "no measure '%s'", name);
    return code;
}

static int read_team(const struct value *object, struct study_check *check)
{
    const struct value threads = value_member(object, "threads");

    if (check->measure != MEASURE_THREAD_RATIO)
        return 0;
    const int code = value_threads(&threads, &check->threads);
    return code || check->threads
               ? code
               : VALUE_FAIL(&threads, "missing; expected a number of threads or \"all\"");
}

/* Each of them is a case or two to be planned. */
static int count_points(const struct value *object, struct reading *reading)
{
    const struct study_check *const check = reading->check;
    const struct value at = value_member(object, "at");

    reading->points += check->n_at > check->n_quick ? check->n_at : check->n_quick;
    return reading->points <= STUDY_POINTS_MAX
               ? 0
               : VALUE_FAIL(&at,
                            "with the shapes of this check, claims and evidence have %zu "
                            "points; at most %d are allowed",
                            reading->points, STUDY_POINTS_MAX);
}

static int read_check(const struct value *object, struct reading *reading)
{
    struct study_check *const check = reading->check;
    const struct value why = value_member(object, "why");
    const int code = read_measure(object, &check->measure)
                         ?: read_arm_names(object, reading)
                         ?: read_as(object, check)
                         ?: read_expect(object, check)
                         ?: read_what(object, check)
                         ?: read_team(object, check)
                         ?: value_name(&why, &check->why)
                         ?: value_list(object, "needs", STUDY_ENTRIES_MAX, add_need, check);
    if (code || !check->n_of)
        return code;
    const struct study_shapes shapes = {
        &check->at, &check->quick, &check->n_at, &check->n_quick,
        !json_arms_have_shapes(reading->study, check->of, check->n_of)};
    return json_read_shapes(object, reading->study, &shapes)
               ?: count_points(object, reading);
}

/* ---- claims ---- */

static int add_evidence(const struct value *entry, void *context)
{
    struct reading *const reading = context;

    reading->check = study_add_evidence(reading->claim);
    return value_object(entry)
               ?: (reading->strict ? value_only(entry, CHECK_NAMES) : 0)
               ?: read_check(entry, reading);
}

static size_t count_words(const char *text)
{
    size_t n = 0;

    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        text += strcspn(text, " ");
        n++;
    }
    return n;
}

/* Either the source's words or our own. */
static int read_words(const struct value *object, struct study_claim *claim)
{
    const struct value quote = value_member(object, "quote");
    const struct value by = value_member(object, "by");
    const struct value text = value_member(object, "text");

    if (value_absent(&by))
        return value_filled(&quote, &claim->quote)
                   ?: (count_words(claim->quote) > STUDY_QUOTE_WORDS
                           ? VALUE_FAIL(&quote, "more than %d words", STUDY_QUOTE_WORDS)
                           : 0);
    if (!cJSON_IsString(by.json) || strcmp(by.json->valuestring, "us") != 0)
        return VALUE_FAIL(&by, "expected \"us\"");
    if (!value_absent(&quote))
        return VALUE_FAIL(&quote, "there by \"us\"; expected none");
    return claim->text ? 0 : VALUE_FAIL(&text, "missing; by \"us\" needs it");
}

static int read_id(const struct value *object, const struct study *study,
                   struct study_claim *claim)
{
    const struct value id = value_member(object, "id");
    const int code = value_short(&id, STUDY_TEXT_MAX) ?: value_filled(&id, &claim->id);

    if (!code && study_find_claim(study, claim->id) != claim)
        return VALUE_FAIL(&id, "another claim is '%s'", claim->id);
    return code;
}

static int check_kind(const struct value *object, const char *kind)
{
    const struct value value = value_member(object, "kind");

    return !kind || (strlen(kind) == 1 && strchr("PCFTS", *kind))
               ? 0
               : VALUE_FAIL(&value, "expected P, C, F, T or S");
}

static int add_claim(const struct value *entry, void *context)
{
    struct reading *const reading = context;
    struct study_claim *const claim = study_add_claim(reading->study, NULL);

    reading->claim = claim;
    reading->check = &claim->check;
    return value_object(entry)
               ?: (reading->strict ? value_only(entry, CHECK_NAMES CLAIM_NAMES) : 0)
               ?: read_id(entry, reading->study, claim)
               ?: value_fields(entry, &study_claim_fields, claim)
               ?: check_kind(entry, claim->kind)
               ?: read_words(entry, claim)
               ?: read_confounders(entry, claim)
               ?: read_check(entry, reading)
               ?: value_list(entry, "evidence", STUDY_ENTRIES_MAX, add_evidence, reading);
}

/* The claims that others name are there. */
static int check_instead(const struct value *entry, void *context)
{
    const struct value instead = value_member(entry, "instead");

    return value_absent(&instead) || study_find_claim(context, instead.json->valuestring)
               ? 0
               : VALUE_FAIL(&instead, "no claim '%s'", instead.json->valuestring);
}

int json_read_claims(const struct value *root, bool strict, struct study *study)
{
    const struct value claims = value_member(root, "claims");
    const int code = value_few(&claims, STUDY_CLAIMS_MAX)
                         ?: value_each(&claims, add_claim,
                                       &(struct reading){.study = study, .strict = strict})
                         ?: value_each(&claims, check_instead, study);

    return code || study->n_claims ? code
                                   : VALUE_FAIL(&claims, "expected at least one claim");
}
