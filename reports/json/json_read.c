/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"
#include "json_value.h"

/* ---- facts ---- */

/* Skips nested values: a later version added them. */
static int add_fact(const struct value *entry, void *context)
{
    const cJSON *json = entry->json;

    if (cJSON_IsString(json))
        facts_text(context, json->string, json->valuestring);
    else if (cJSON_IsNumber(json))
        facts_number(context, json->string, json->valuedouble);
    else if (cJSON_IsBool(json))
        facts_bool(context, json->string, cJSON_IsTrue(json));
    return 0;
}

static int read_facts(const struct value *object, struct facts *facts)
{
    return value_object(object) ?: value_each(object, add_fact, facts);
}

static int add_host_fact(const struct value *entry, void *context)
{
    return host_name_reserved(entry->json->string) ? 0 : add_fact(entry, context);
}

static int add_identity(const struct value *entry, void *context)
{
    struct facts *facts = context;
    const char *name = entry->json->string;
    size_t i = 0;
    int code = 0;

    while (i < facts->n && strcmp(facts->fact[i].name, name))
        i++;
    if (i == facts->n)
        code = add_host_fact(entry, facts);
    if (i < facts->n)
        facts->fact[i].identity = true;
    return code;
}

static int read_host(const struct value *host, struct run *run)
{
    struct value fingerprint = value_member(host, "fingerprint");
    struct value identity = value_member(host, "identity");
    struct value isas = value_member(host, "isas"), pmu = value_member(host, "pmu");
    struct value state = value_member(&pmu, "state");
    struct value reason = value_member(&pmu, "reason");

    return value_object(host)
               ?: value_each(host, add_host_fact, &run->host)
               ?: value_name(&fingerprint, &run->fingerprint)
               ?: value_object(&identity)
               ?: value_each(&identity, add_identity, &run->host)
               ?: value_texts(&isas, &run->isas, &run->n_isas)
               ?: value_object(&pmu)
               ?: value_name(&state, &run->pmu_state)
               ?: value_name(&reason, &run->pmu_reason);
}

/* ---- the document ---- */

static int read_version(const struct value *root, struct run *run)
{
    struct value version = value_member(root, "schema_version");
    double number = 0;
    int code =
        value_absent(&version)
            ? VALUE_FAIL(&version,
                         "missing: this is no run of simdbench, and not what Google "
                         "Benchmark, hyperfine, criterion, nanobench, pyperf or "
                         "pytest-benchmark write; ab compares programs of any harness")
            : value_whole(&version, INT32_MAX, &number);

    if (code)
        return code;
    run->schema_version = (int)number;
    if (run->schema_version != RUN_SCHEMA_VERSION)
        code = VALUE_FAIL(&version, "%d is not supported; this program reads %d",
                          run->schema_version, RUN_SCHEMA_VERSION);
    return code;
}

static int read_document(const struct value *root, struct run *run)
{
    struct value tool = value_member(root, "tool"), name = value_member(&tool, "name");
    struct value host = value_member(root, "host");
    struct value settings = value_member(root, "settings");
    struct value results = value_member(root, "results");
    const bool ours =
        cJSON_IsString(name.json) && !strcmp(name.json->valuestring, "simdbench");

    return value_object(root)
               ?: read_version(root, run)
               ?: value_want(&name, ours, "\"simdbench\"")
               ?: value_fields(&tool, &tool_fields, run)
               ?: value_fields(root, &run_fields, run)
               ?: read_facts(&settings, &run->settings)
               ?: read_host(&host, run)
               ?: value_fields(root, &run_sources, run)
               ?: json_read_gate(root, run)
               ?: value_fields(root, &run_account, run)
               ?: json_read_studies(root, run)
               ?: json_read_judgements(root, run)
               ?: value_array(&results)
               ?: value_each(&results, json_read_result, run)
               ?: json_plausible_run(run, root->error);
}

/* Other programs write numbers that are none. */
static int parse(const char *bytes, size_t size, cJSON **tree, struct error *error)
{
    struct error again = {.text = ""};
    int code = json_parse(bytes, size, tree, error);
    FREED_BY(free_memory) char *plain =
        code == -EINVAL ? json_without_nan(bytes, size) : NULL;

    if (plain && json_parse(plain, size, tree, &again) == 0) {
        if (json_is_foreign(&(struct value){.error = &again, .json = *tree})) {
            code = 0;
        } else {
            cJSON_Delete(*tree);
            *tree = NULL;
        }
    }
    return code && memmem(bytes, size, "\"Action\":", 9)
               ? error_set(error, code,
                           "this is of go test -json; its text without -json is read")
               : code;
}

int run_read_json(struct run **run, const char *bytes, size_t size, struct error *error)
{
    struct value root = {.error = error};
    cJSON *tree = NULL;
    int code = parse(bytes, size, &tree, error);

    *run = NULL;
    if (code)
        return code;
    root.json = tree;
    struct run *made = run_new();
    code = json_is_foreign(&root) ? json_read_foreign(&root, made)
                                  : read_document(&root, made);
    cJSON_Delete(tree);
    if (code)
        run_free(made);
    else
        *run = made;
    return code;
}
