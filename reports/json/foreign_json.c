/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of hyperfine, nanobench, criterion, pytest-benchmark and pyperf as a run. */
#include "json.h"
#include "json_value.h"
#include "readings/readings.h"

static bool has(const struct value *object, const char *name)
{
    const struct value member = value_member(object, name);

    return !value_absent(&member);
}

static struct value first_of(const struct value *root, const char *list)
{
    const struct value array = value_member(root, list);
    struct value first = array;

    first.json = cJSON_IsArray(array.json) ? array.json->child : NULL;
    return first;
}

int foreign_check_name(const struct value *entry, const char *name)
{
    if (!*name)
        return VALUE_FAIL(entry, "a benchmark without a name");
    if (strlen(name) > FOREIGN_NAME_MOST)
        return VALUE_FAIL(entry, "a name of more than %d bytes", FOREIGN_NAME_MOST);
    return 0;
}

/* A time in ns, of what the file has in another unit. */
static int take_time(const struct value *value, double unit_ns, double *ns)
{
    double x;
    const int code = value_from(value, 0, &x);

    *ns = code ? 0 : x * unit_ns;
    if (!code && !(*ns > 0 && *ns < 1e300))
        return VALUE_FAIL(value, "no time that is a positive number");
    return code;
}

/* Repetitions that stand in an array, as they are added to a result. */
struct repetitions {
    struct result *result;
    const char *member; /* of an entry that has the time; NULL: the entry is the time */
    double unit_ns;
};

static int add_repetition(const struct value *entry, void *context)
{
    const struct repetitions *const repetitions = context;
    struct value time = *entry;
    double ns;

    if (repetitions->member)
        time = value_member(entry, repetitions->member);
    const int code = take_time(&time, repetitions->unit_ns, &ns);
    if (code)
        return code;
    return foreign_add_sample(repetitions->result, ns);
}

/* A case: its repetitions, or the median if the file has none. */
static int add_case(const struct value *entry, struct run *run, const char *name,
                    const char *list, const char *member, const char *median,
                    double unit_ns)
{
    const struct value times = value_member(entry, list);
    const struct value middle = value_member(entry, median);
    double ns;

    if (foreign_check_name(entry, name))
        return -EINVAL;
    struct result *const result = foreign_result(run, name);
    struct repetitions repetitions = {result, member, unit_ns};
    if (cJSON_IsArray(times.json) && times.json->child)
        return value_each(&times, add_repetition, &repetitions);
    const int code = take_time(&middle, unit_ns, &ns);
    if (!code)
        foreign_set_median(result, ns);
    return code;
}

/* Whether entries beside it have another text under `key`. */
static bool varies(const struct value *entry, const char *key)
{
    const cJSON *other;

    cJSON_ArrayForEach (other, entry->parent->json) {
        const struct value value = {.json = other};
        if (strcmp(value_words(&value, key), value_words(entry, key)) != 0)
            return true;
    }
    return false;
}

/* Whether the command of an entry was run with other parameters, too. */
static bool parameters_vary(const struct value *entry, const cJSON *parameters)
{
    const cJSON *other;

    cJSON_ArrayForEach (other, entry->parent->json) {
        const struct value value = {.json = other};
        if (!strcmp(value_words(&value, "command"), value_words(entry, "command")) &&
            !cJSON_Compare(value_member(&value, "parameters").json, parameters, true))
            return true;
    }
    return false;
}

/* A command whose parameters choose between its runs has them in its name. */
static int add_command(const struct value *entry, void *context)
{
    FREED_BY(buffer_free) struct buffer name = {.text = NULL};
    const struct value parameters = value_member(entry, "parameters");

    if (value_object(entry))
        return value_object(entry);
    buffer_add(&name, value_words(entry, "command"));
    if (cJSON_IsObject(parameters.json) && parameters_vary(entry, parameters.json))
        for (const cJSON *p = parameters.json->child; p; p = p->next)
            if (cJSON_IsString(p))
                buffer_format(&name, " %s=%s", p->string, p->valuestring);
    return add_case(entry, context, buffer_text(&name), "times", NULL, "median", 1e9);
}

static int add_pytest(const struct value *entry, void *context)
{
    const struct value stats = value_member(entry, "stats");

    return value_object(entry) ?: value_object(&stats)
               ?: add_case(&stats, context, value_words(entry, "fullname"), "data", NULL,
                           "median", 1e9);
}

static int add_values(const struct value *entry, void *context)
{
    const struct value values = value_member(entry, "values");

    return value_absent(&values) ? 0 : value_each(&values, add_repetition, context);
}

/* Its processes have values each, but for those that calibrate. What all benchmarks of a
 * file share, such as the name of a single one, stands behind them. */
static int add_pyperf(const struct value *entry, void *context)
{
    const struct value own = value_member(entry, "metadata");
    const struct value shared = value_member(entry->parent->parent, "metadata");
    const struct value runs = value_member(entry, "runs");
    const char *const name = value_words(has(&own, "name") ? &own : &shared, "name");
    const char *const unit = value_words(has(&own, "unit") ? &own : &shared, "unit");

    if (foreign_check_name(entry, name))
        return -EINVAL;
    if (*unit && strcmp(unit, "second") != 0)
        return VALUE_FAIL(entry, "values that are no times, but of unit %.40s", unit);
    struct repetitions repetitions = {foreign_result(context, name), NULL, 1e9};
    return value_array(&runs) ?: value_each(&runs, add_values, &repetitions);
}

/* Times are of `batch` operations. */
static int add_nanobench(const struct value *entry, void *context)
{
    const struct value value = value_member(entry, "batch");
    FREED_BY(buffer_free) struct buffer name = {.text = NULL};
    double batch = 1;
    int code = value_object(entry);

    if (!code && !value_absent(&value))
        code = value_from(&value, 0, &batch);
    if (!code && varies(entry, "title") && *value_words(entry, "title"))
        buffer_format(&name, "%s/", value_words(entry, "title"));
    buffer_add(&name, value_words(entry, "name"));
    return code
               ?: add_case(entry, context,
                           *value_words(entry, "name") ? buffer_text(&name) : "",
                           "measurements", "elapsed", "median(elapsed)",
                           1e9 / (batch > 0 ? batch : 1));
}

/* The times of samples of `iters` iterations. */
static int read_sample(const struct value *root, struct run *run)
{
    const struct value iterations = value_member(root, "iters");
    const struct value times = value_member(root, "times");
    struct result *const result = foreign_result(run, FOREIGN_CRITERION);
    int code = value_array(&iterations) ?: value_array(&times);

    const cJSON *n = code ? NULL : iterations.json->child;
    for (const cJSON *ns = n ? times.json->child : NULL; ns && n && !code;
         ns = ns->next, n = n->next) {
        if (!cJSON_IsNumber(ns) || !cJSON_IsNumber(n) || !(ns->valuedouble > 0) ||
            !(n->valuedouble >= 1) || !(ns->valuedouble < 1e300))
            code = VALUE_FAIL(&times, "a sample whose time or number is not positive");
        else
            code = foreign_add_sample(result, ns->valuedouble / n->valuedouble);
    }
    return !code && !result->samples.n ? VALUE_FAIL(&times, "no samples") : code;
}

static int read_estimates(const struct value *root, struct run *run)
{
    const struct value median = value_member(root, "median");

    return add_case(&median, run, FOREIGN_CRITERION, "", NULL, "point_estimate", 1);
}

/* A kind of document of another program, and its reader: of the whole, or of an entry of
 * a list. */
struct foreign_document {
    const char *harness;
    int (*read)(const struct value *root, struct run *run);
    const char *list;
    int (*add)(const struct value *entry, void *run);
};

static struct foreign_document kind_of(const struct value *root)
{
    const struct value row = first_of(root, "results");
    const struct value test = first_of(root, "benchmarks");
    const struct value median = value_member(root, "median");

    if (has(root, "schema_version"))
        return (struct foreign_document){.harness = NULL};
    if (has(root, "iters") && has(root, "times"))
        return (struct foreign_document){"criterion", .read = read_sample};
    if (has(&median, "point_estimate"))
        return (struct foreign_document){"criterion", .read = read_estimates};
    if (row.json && has(&row, "command"))
        return (struct foreign_document){"hyperfine", .list = "results",
                                         .add = add_command};
    if (test.json && has(&test, "stats"))
        return (struct foreign_document){"pytest-benchmark", .list = "benchmarks",
                                         .add = add_pytest};
    if (test.json && has(&test, "runs"))
        return (struct foreign_document){"pyperf", .list = "benchmarks",
                                         .add = add_pyperf};
    if (row.json && has(&row, "median(elapsed)"))
        return (struct foreign_document){"nanobench", .list = "results",
                                         .add = add_nanobench};
    return (struct foreign_document){.harness = NULL};
}

/* The length of a number that is none at the beginning of a text. */
static size_t nan_length(const char *text, size_t size)
{
    static const char *const words[] = {"NaN", "-NaN",     "nan",       "-nan",
                                        "inf", "Infinity", "-Infinity", "-inf"};
    size_t longest = 0;

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const size_t n = strlen(words[i]);
        if (n > longest && n <= size && !memcmp(text, words[i], n))
            longest = n;
    }
    return longest;
}

char *json_without_nan(const char *bytes, size_t size)
{
    char *const copy = must_have(malloc(size + 1));
    bool quoted = false, any = false;

    memcpy(copy, bytes, size);
    copy[size] = '\0';
    for (size_t i = 0; i < size; i++) {
        const size_t n = quoted ? 0 : nan_length(bytes + i, size - i);
        quoted ^= bytes[i] == '"';
        if (quoted && bytes[i] == '\\')
            i++;
        if (!n)
            continue;
        memset(copy + i, ' ', n);
        memcpy(copy + i, "-1", 2);
        any = true;
        i += n - 1;
    }
    if (any)
        return copy;
    free(copy);
    return NULL;
}

bool json_is_foreign(const struct value *root)
{
    return json_is_gbench(root) || kind_of(root).harness;
}

int json_read_foreign(const struct value *root, struct run *run)
{
    const struct foreign_document kind = kind_of(root);

    if (kind.harness)
        foreign_begin(run, kind.harness);
    const int code = !kind.harness ? json_read_gbench(root, run)
                     : kind.read   ? kind.read(root, run)
                                   : value_list(root, kind.list, 0, kind.add, run);
    if (!code)
        run_summarise(run, GROUP_ALL);
    return code;
}
