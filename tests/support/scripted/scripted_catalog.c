/* SPDX-License-Identifier: Apache-2.0 */
#include "scripted_catalog.h"
#include "command_line.h"

#include <stdlib.h>
#include <sys/mman.h>

static void add_text(cJSON *object, const char *name, const char *text)
{
    if (text)
        cJSON_AddStringToObject(object, name, text);
}

struct worker *script_worker(struct catalog *catalog, const char *name, const char *path,
                             const char *ops, const struct row *rows, size_t n)
{
    struct worker *worker = worker_new(name, path, NULL, 0, catalog->memory_fd);
    catalog_add_worker(catalog, worker);
    worker->description = cJSON_CreateObject();
    cJSON_AddItemToObject(worker->description, "ops", cJSON_Parse(ops));
    cJSON *kernels = cJSON_AddArrayToObject(worker->description, "kernels");
    for (size_t i = 0; i < n; i++) {
        cJSON *item = cJSON_CreateObject();
        add_text(item, "op", rows[i].op);
        add_text(item, "semiring", rows[i].semiring);
        add_text(item, "type", rows[i].type);
        add_text(item, "isa", rows[i].isa);
        add_text(item, "variant", rows[i].variant);
        add_text(item, "layout", rows[i].layout);
        add_text(item, "roof", rows[i].roof);
        script_say(item, "flags", rows[i].flags);
        cJSON_AddItemToArray(kernels, item);
    }
    worker_start(worker, true, NULL);
    return worker;
}

void script_offer(struct catalog *catalog, struct worker *worker)
{
    if (catalog_add_offers(catalog, worker, worker->description, NULL) < 0)
        abort();
}

const char script_ops[] =
    "[{\"name\": \"mul\", \"default_shapes\": \"8\", \"inputs\": \"plain hard\","
    "  \"accuracy_inputs\": \"plain hard\", \"accuracy_shape\": \"32\","
    "  \"lists\": [{\"name\": \"suite\", \"shapes\": \"4 8\"},"
    "              {\"name\": \"large\", \"shapes\": \"512\"}]},"
    " {\"name\": \"fold\", \"layouts\": \"flat, deep\","
    "  \"lists\": [{\"name\": \"suite\", \"shapes\": \"6\"}]},"
    " {\"name\": \"roof\", \"default_shapes\": \"registers\"}]";

void script_catalog(struct catalog *catalog)
{
    const char *const wide = isa_get(1)->name;
    const struct row own[] = {
        {"mul", "max", "f32", "scalar", "add", NULL, "add_max", 0},
        {"mul", "max", "f32", wide, "fma", NULL, "add_max", 0},
        {"mul", "max", "f32", wide, "slow", NULL, "add_max", SIMDBENCH_PATHOLOGY},
        {"mul", "min", "f32", "scalar", "add", NULL, "copy", 0},
        {"mul", "max", "f64", "scalar", "add", NULL, NULL, 0},
        {"fold", NULL, "f32", "scalar", "any", NULL, NULL, 0},
        {"fold", NULL, "f32", "scalar", "straight", "flat", NULL, 0},
        {"fold", NULL, "f32", wide, "blocked", "deep", NULL, 0},
        {"roof", NULL, "f32", "scalar", "add_max", NULL, NULL, SIMDBENCH_REGISTERS},
        {"roof", NULL, "f32", wide, "add_max", NULL, NULL, SIMDBENCH_REGISTERS},
        {"roof", NULL, "f32", "scalar", "copy", NULL, NULL, 0},
    };
    const struct row library[] = {
        {"mul", "max", "f32", "lib", "gemm", NULL, "add_max", 0},
        {"mul", "plus", "f32", "lib", "gemm", NULL, NULL, 0},
        {"mul", "min", "f32", "scalar", "row", NULL, NULL, 0},
        {"mul", "min", "f32", wide, "row", NULL, NULL, 0},
    };
    const struct row plugin[] = {
        {"mul", "max", "f32", "scalar", "mine", NULL, NULL, 0},
    };
    *catalog = (struct catalog){.memory_fd = memfd_create("scripted", MFD_CLOEXEC)};
    script_offer(catalog, script_worker(catalog, "simdbench", NULL, script_ops, own,
                                        ARRAY_LEN(own)));
    struct worker *lib =
        script_worker(catalog, "lib", "lib.so", "[]", library, ARRAY_LEN(library));
    lib->info.is_baseline = true;
    script_offer(catalog, lib);
    script_offer(catalog, script_worker(catalog, "mine", "mine.so", "[]", plugin,
                                        ARRAY_LEN(plugin)));
}

/* An id says all of its parts. */
static void check_ids(const struct plan *plan)
{
    struct error error;
    for (size_t g = 0; g < plan->n_groups; g++)
        for (size_t c = 0; c < plan->groups[g].n_cases; c++) {
            const char *const id = plan->groups[g].cases[c].id;
            struct case_name name;
            if (case_name_parse(id, &name, &error) < 0)
                abort();
            char *const again = case_name_format(&name);
            if (strcmp(again, id) != 0)
                abort();
            free(again);
            case_name_free(&name);
        }
}

int script_plan(const char *words, const struct catalog *catalog, struct options *options,
                struct plan *plan, struct error *error)
{
    int status = parse(words, options, error);
    *plan = (struct plan){.n_groups = 0};
    if (status == 0)
        status = plan_make(&options->request, &options->how, catalog, plan, error);
    check_ids(plan);
    return status == 0
               ? plan_settle(&options->request, &options->how, catalog, plan, error)
               : status;
}
