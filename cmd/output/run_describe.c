/* SPDX-License-Identifier: Apache-2.0 */
/* What a run says of itself before anything is measured. */
#include "output/output.h"
#include "process/process.h"

#include <inttypes.h>
#include <time.h>

static void join(const struct text_list *list, const char *otherwise, char *out,
                 size_t size)
{
    size_t length = (size_t)snprintf(out, size, "%s", list->n ? "" : otherwise);
    for (size_t i = 0; i < list->n && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? " " : "",
                                   list->item[i]);
}

static int add_settings(const struct options *options, const struct plan *plan,
                        struct run *run)
{
    const struct {
        const char *name, *otherwise;
        const struct text_list *list;
    } lists[] = {
        {"isa", "auto", &options->isas},
        {"type", "default", &options->types},
        {"semiring", "default", &options->semirings},
        {"sizes", "default", &options->sizes},
        {"shape", "none", &options->shapes},
        {"shapes", "none", &options->shape_lists},
        {"layout", "default", &options->layouts},
        {"input", "default", &options->inputs},
        {"variants", "all", &options->variants},
        {"filter", "none", &options->filters},
        {"baseline", "default", &options->baselines},
        {"plugin", "none", &options->plugins},
        {"events", "none", &options->events},
        {"counters", "none", &options->counters},
    };
    int status = facts_text(&run->settings, "op", options->command);
    if (status == 0 && options->label)
        status = facts_text(&run->settings, "label", options->label);
    for (size_t i = 0; i < ARRAY_LEN(lists) && status == 0; i++) {
        char text[1024];
        join(lists[i].list, lists[i].otherwise, text, sizeof text);
        status = facts_text(&run->settings, lists[i].name, text);
    }
    if (status == 0)
        status = facts_text(&run->settings, "isa_fallback",
                            options->isa_strict ? "off" : "on");
    if (status == 0 && plan->isas_instead.n) {
        char text[256];
        join(&plan->isas_instead, "", text, sizeof text);
        status = facts_text(&run->settings, "isa_measured", text);
    }
    const struct {
        const char *name;
        double number;
    } numbers[] = {
        {"align", (double)options->align},
        {"time_per_case_ns", (double)options->time_per_case_ns},
        {"rounds", options->rounds},
        {"timeout_ns", (double)options->timeout_ns},
    };
    for (size_t i = 0; i < ARRAY_LEN(numbers) && status == 0; i++)
        status = facts_number(&run->settings, numbers[i].name, numbers[i].number);
    char threads[THREADS_MAX * 6] = "";
    for (size_t i = 0, n = 0; i < options->n_threads; i++)
        n += (size_t)snprintf(threads + n, sizeof threads - n, "%s%u", i ? " " : "",
                              options->threads[i]);
    if (status == 0)
        status = options->n_threads == 1
                     ? facts_number(&run->settings, "threads", options->threads[0])
                     : facts_text(&run->settings, "threads", threads);
    if (status == 0)
        status = facts_text(&run->settings, "cache", options->cold ? "cold" : "hot");
    if (status == 0)
        status = facts_text(&run->settings, "pages", options->huge_pages ? "2m" : "4k");
    if (status == 0)
        status = facts_text(&run->settings, "measure",
                            options->accuracy ? "accuracy" : "time");
    if (status == 0)
        status = facts_bool(&run->settings, "in_process", options->in_process);
    if (status == 0)
        status = facts_bool(&run->settings, "multiplex", options->multiplex);
    return status < 0 ? status
                      : facts_text(&run->settings, "check",
                                   options->check_full ? "full" : "auto");
}

int run_describe(const struct options *options, const struct catalog *catalog,
                 const struct plan *plan, struct run *run)
{
    char text[64];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    run->schema_version = RUN_SCHEMA_VERSION;
    int status = string_set(&run->started_at, text);
    snprintf(text, sizeof text, "%" PRIu64, options->seed);
    const struct {
        char **where;
        const char *text;
    } texts[] = {{&run->seed, text},
                 {&run->tool_version, simdbench_version.number},
                 {&run->tool_commit, simdbench_version.commit},
                 {&run->tool_compiler, simdbench_version.compiler},
                 {&run->tool_flags, simdbench_version.flags}};
    for (size_t i = 0; i < ARRAY_LEN(texts) && status == 0; i++)
        status = string_set(texts[i].where, texts[i].text);
    for (int i = 0; i < options->argc && status == 0; i++)
        status = strings_add(&run->argv, &run->argc, options->argv[i]);
    if (status == 0)
        status = add_settings(options, plan, run);
    /* As the worker sees them: under an emulator or a mask it knows best. */
    const cJSON *isa,
        *isas =
            cJSON_GetObjectItemCaseSensitive(catalog->workers[0]->description, "isas");
    cJSON_ArrayForEach(isa, isas)
    {
        if (status == 0 && cJSON_IsString(isa))
            status = strings_add(&run->isas, &run->n_isas, isa->valuestring);
    }
    struct host host;
    host_read(&host, "");
    return status < 0 ? status : host_facts(&host, run);
}
