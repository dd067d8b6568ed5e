/* SPDX-License-Identifier: Apache-2.0 */
#include "declare.h"
#include "op_row.h"
#include "plan/plan.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

bool catalog_is_usual(const char *op, const struct worker *baseline)
{
    const struct op_row *const row = op_row_find(op);
    const size_t n = strcspn(baseline->info.name, ",");
    for (const char *const *name = row ? row->libraries : NULL; name && *name; name++)
        if (strlen(*name) == n && !strncmp(*name, baseline->info.name, n))
            return true;
    return false;
}

int module_spec_parse(char *text, const char *flag, struct module_spec *spec,
                      struct error *error)
{
    *spec = (struct module_spec){.name = strsep(&text, ",")};
    for (char *item; (item = strsep(&text, ","));) {
        char *equals = strchr(item, '=');
        if (!equals || equals == item)
            return invalid(error, "%s=%s: '%s' is no option=value", flag, spec->name,
                           item);
        if (spec->n_options == ARRAY_LEN(spec->option))
            return invalid(error, "%s=%s: too many options", flag, spec->name);
        *equals = '\0';
        if (!strcmp(item, "as")) {
            spec->alias = equals + 1;
            continue;
        }
        spec->option[spec->n_options++] = (struct simdbench_option){
            .size = sizeof spec->option[0], .name = item, .value = equals + 1};
    }
    if (!*spec->name)
        return invalid(error, "%s: empty module name", flag);
    if (spec->alias && !module_name_valid(spec->alias))
        return invalid(error, "%s=%s: as=%.40s is no name: letters, digits, '-' and '_'",
                       flag, spec->name, spec->alias);
    return 0;
}

/* Names stand in ids and tables. */
static int check_kernel(const cJSON *kernel, const char *worker, uint32_t index,
                        struct error *error)
{
    static const struct {
        const char *field;
        bool needed;
    } names[] = {{"op", true},
                 {"variant", true},
                 {"semiring", false},
                 {"layout", false},
                 {"roof", false}};
    const char *const type = message_text(kernel, "type");
    const char *const isa = message_text(kernel, "isa");
    if (!type || !type_find(type))
        return error_set(error, -EPROTO, "%s: kernel %u: there is no type '%.20s'",
                         worker, index, type ?: "");
    struct error why = {.text = "there is no name"};
    if (!isa || (strcmp(isa, "lib") != 0 && isa_check(isa, &why) < 0))
        return error_set(error, -EPROTO, "%s: kernel %u: its isa: %.300s", worker, index,
                         why.text);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *const name = message_text(kernel, names[i].field);
        if ((names[i].needed || message_get(kernel, names[i].field)) &&
            !module_name_valid(name))
            return error_set(error, -EPROTO,
                             "%s: kernel %u: %s '%.20s' is no name: letters, digits, '-' "
                             "and '_', at most %d",
                             worker, index, names[i].field, name ?: "", MODULE_NAME_MAX);
    }
    return 0;
}

/* Each result gets these texts of its module. */
static int check_description(const struct worker *worker, struct error *error)
{
    static const struct {
        const char *field;
        size_t most;
    } texts[] = {{"version", MODULE_NAME_MAX},
                 {"core", MODULE_NAME_MAX},
                 {"isa", MODULE_NAME_MAX},
                 {"detail", 1024},
                 {"advice", 1024}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        const char *const text = message_text(worker->description, texts[i].field);
        if (text && strlen(text) > texts[i].most)
            return error_set(error, -EPROTO, "%s: its %s has %zu bytes, over %zu",
                             worker->info.name, texts[i].field, strlen(text),
                             texts[i].most);
    }
    return 0;
}

int catalog_add_offers(struct catalog *catalog, struct worker *worker,
                       const cJSON *description, struct error *error)
{
    const cJSON *kernels = message_get(description, "kernels");
    size_t n = (size_t)cJSON_GetArraySize(kernels);
    must_grow(catalog->offers, catalog->n_offers + n);
    uint32_t index = 0;
    const cJSON *kernel;
    cJSON_ArrayForEach (kernel, kernels) {
        const int status = check_kernel(kernel, worker->info.name, index, error);
        if (status < 0)
            return status;
        char *const op = cJSON_GetStringValue(message_get(kernel, "op"));
        catalog->offers[catalog->n_offers++] = (struct offer){
            .worker = worker,
            .index = index++,
            .op = op,
            .semiring = cJSON_GetStringValue(message_get(kernel, "semiring")),
            .isa = cJSON_GetStringValue(message_get(kernel, "isa")),
            .variant = cJSON_GetStringValue(message_get(kernel, "variant")),
            .layout = cJSON_GetStringValue(message_get(kernel, "layout")),
            .roof = cJSON_GetStringValue(message_get(kernel, "roof")),
            .other_roof = cJSON_GetStringValue(message_get(kernel, "other_roof")),
            .type = type_find(message_text(kernel, "type")),
            .flags = (uint32_t)message_int(kernel, "flags", 0),
            .max_ulp = message_number(kernel, "max_ulp", 0),
            .mean_ulp = message_number(kernel, "mean_ulp", 0),
            .is_baseline = worker->info.is_baseline,
            .is_roof = !worker->info.path && !strcmp(op, "roof"),
        };
    }
    return 0;
}

void catalog_add_worker(struct catalog *catalog, struct worker *worker)
{
    must_grow(catalog->workers, catalog->n_workers);
    catalog->workers[catalog->n_workers++] = worker;
}

/* Starts a worker and takes down what it offers. */
static int enlist(struct catalog *catalog, const struct how *how,
                  const struct module_spec *spec, const char *path, bool baseline,
                  struct error *error)
{
    char name[512];
    int length = snprintf(name, sizeof name, "%s", spec->alias ?: spec->name);
    for (size_t i = 0; !spec->alias && i < spec->n_options && length < (int)sizeof name;
         i++)
        length += snprintf(name + length, sizeof name - (size_t)length, ",%s=%s",
                           spec->option[i].name, spec->option[i].value);
    struct worker *const worker = must_have(
        worker_new(name, path, spec->option, spec->n_options, catalog->memory_fd));
    worker->info.is_baseline = baseline;
    worker->info.renamed = spec->alias;
    /* The worker without a module starts when it is needed. */
    int status = path ? worker_start(worker, how->in_process, error) : 0;
    status = status ?: worker_ask(worker, describe_call(), how->timeout_ns,
                                  &worker->description, error)
                    ?: check_description(worker, error);
    if (status < 0) {
        worker_free(worker);
        return status;
    }
    struct worker_info *info = &worker->info;
    info->version = copy_text(message_text(worker->description, "version"));
    info->core = copy_text(message_text(worker->description, "core"));
    info->isa = copy_text(message_text(worker->description, "isa"));
    info->detail = copy_text(message_text(worker->description, "detail"));
    info->advice = copy_text(message_text(worker->description, "advice"));
    /* A module that is given as a path has the name that it gives itself. */
    const char *own = message_text(worker->description, "name");
    bool named = spec->alias ||
                 (baseline && !strchr(spec->name, '/') && !strstr(spec->name, ".so"));
    if (path && !named && module_name_valid(own)) {
        snprintf(name, sizeof name, "%s%s", own, strchr(info->name, ',') ?: "");
        free(info->name);
        info->name = strdup(name);
    }
    for (size_t i = 0; i < catalog->n_workers; i++) {
        if (!strcmp(catalog->workers[i]->info.name, info->name)) {
            status = error_set(error, -EEXIST,
                               "%s is given twice; two builds of a module: simdbench ab "
                               "BASE.so HEAD.so, or as=NAME for one of them",
                               info->name);
            worker_free(worker);
            return status;
        }
    }
    catalog_add_worker(catalog, worker);
    return catalog_add_offers(catalog, worker, worker->description, error);
}

/* `flag` is NULL for a word of the command line. Most reasons begin with the file, which
 * nobody typed if it is made for a prototype. */
static int not_enlisted(const char *flag, const char *text, const struct error *why,
                        int status, struct error *error)
{
    const size_t n = strlen(text);
    const bool named = strncmp(why->text, text, n) == 0;
    const bool again = named && strncmp(why->text + n, ": ", 2) == 0;
    const bool made = strstr(text, DECLARED_FOLDER);
    if (!flag && (named || made))
        return error_set(error, status, "%s", why->text + (again && made ? n + 2 : 0));
    if (!flag)
        return error_set(error, status, "%s: %.400s", text, why->text);
    return error_set(error, status, "%s=%s: %.400s", flag, text,
                     why->text + (again ? n + 2 : 0));
}

static int enlist_module(struct catalog *catalog, const struct how *how, const char *text,
                         bool baseline, bool is_word, struct error *error)
{
    const char *flag = baseline ? "--baseline" : "--plugin";
    FREED_BY(free_memory) char *words = must_have(strdup(text));
    struct module_spec spec;
    char path[4096];
    struct error why = {.text = ""};
    int status = module_spec_parse(words, flag, &spec, error);
    if (status == 0 && (status = module_find(spec.name, path, sizeof path, &why)) < 0)
        not_enlisted(is_word ? NULL : flag, spec.name, &why, status, error);
    if (status == 0 && (status = enlist(catalog, how, &spec, path, baseline, &why)) < 0)
        not_enlisted(is_word ? NULL : flag, text, &why, status, error);
    return status;
}

/* A library that is older than this CPU may choose narrow kernels by itself. Nobody asked
 * for these: its wider ones are the baseline. A choice of the user's environment stays.
 */
static int enlist_wider(struct catalog *catalog, const struct how *how, const char *name,
                        struct error *error)
{
    struct worker *const narrow = catalog->workers[catalog->n_workers - 1];
    const struct worker_info *const info = &narrow->info;
    char text[256], chosen[128];
    struct error why;
    if (!info->advice || strchr(info->advice, ' '))
        return 0;
    snprintf(text, sizeof text, "%s,%s", name, info->advice);
    snprintf(chosen, sizeof chosen, "core %.60s (%.40s)", info->core ?: "?",
             info->isa ?: "?");
    const int status = enlist_module(catalog, how, text, true, false, &why);
    if (status < 0)
        return status == -EINTR ? error_set(error, status, "%s", why.text) : 0;
    struct worker *const wide = catalog->workers[--catalog->n_workers];
    wide->info.by_itself = must_have(strdup(chosen));
    size_t n = 0;
    for (size_t i = 0; i < catalog->n_offers; i++)
        if (catalog->offers[i].worker != narrow)
            catalog->offers[n++] = catalog->offers[i];
    catalog->n_offers = n;
    catalog->workers[catalog->n_workers - 1] = wide;
    worker_free(narrow);
    return 0;
}

/* For an op its usual ones; without an op (`list`, `all`) those of all. */
static int enlist_defaults(struct catalog *catalog, const struct request *request,
                           const struct how *how, struct error *error)
{
    FREED_BY(text_list_free) struct text_list names = {.n = 0};
    for (const struct op_row *const *row = op_rows(); *row; row++)
        if (!request->op || !strcmp(request->op, (*row)->op->name))
            for (const char *const *name = (*row)->libraries; name && *name; name++)
                text_list_add_once(&names, *name);
    for (size_t i = 0; i < names.n; i++) {
        struct error why = {.text = ""};
        const int status = enlist_module(catalog, how, names.item[i], true, true, &why)
                               ?: enlist_wider(catalog, how, names.item[i], &why);
        if (status == -EINTR)
            return error_set(error, status, "%s", why.text);
        if (status < 0)
            text_list_add(&catalog->missing, why.text);
    }
    return 0;
}

int catalog_add_plugins(struct catalog *catalog, const struct request *request,
                        const struct how *how, struct error *error)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < request->plugins.n; i++)
        status = enlist_module(catalog, how, request->plugins.item[i], false,
                               request->plugins_are_words, error);
    return status;
}

/* Modules see each other's ops, in whatever order they were given. */
static int share_ops(const struct catalog *catalog, struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < catalog->n_offers && status == 0; i++) {
        const struct offer *const offer = &catalog->offers[i];
        const struct worker_info *const info = &offer->worker->info;
        struct error why = {.text = ""};
        if (info->path && !module_is_foreign(info->path))
            status = catalog_share_op(catalog, offer, offer->worker, &why);
        if (status < 0)
            error_set(error, status, "module %.60s: %.400s", info->name, why.text);
    }
    return status;
}

int catalog_make(const struct request *request, const struct how *how,
                 struct catalog *catalog, struct error *error)
{
    const int shared = how->conditions.memory;
    *catalog =
        (struct catalog){.memory_fd = shared ? fcntl(shared, F_DUPFD_CLOEXEC, 0)
                                             : memfd_create("simdbench", MFD_CLOEXEC)};
    if (catalog->memory_fd < 0)
        return error_set(error, -errno, "memfd_create: %s", strerror(errno));
    struct module_spec own = {.name = (char *)(uintptr_t)"simdbench"};
    int status = enlist(catalog, how, &own, NULL, false, error)
                     ?: catalog_add_plugins(catalog, request, how, error);
    const bool none = text_list_has(&request->baselines, "none");
    if (none && request->baselines.n > 1)
        status =
            invalid(error, "--baseline=none contradicts the other --baseline options");
    for (size_t i = 0; status == 0 && !none && i < request->baselines.n; i++)
        status =
            enlist_module(catalog, how, request->baselines.item[i], true, false, error);
    if (status == 0 && !request->baselines.n)
        status = enlist_defaults(catalog, request, how, error);
    status = status ?: share_ops(catalog, error);
    if (status < 0)
        catalog_free(catalog);
    return status;
}

void catalog_free(struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->n_workers; i++)
        worker_free(catalog->workers[i]);
    FREE_EACH(catalog->offers, catalog->workers);
    text_list_free(&catalog->missing);
    if (catalog->memory_fd >= 0)
        close(catalog->memory_fd);
    *catalog = (struct catalog){.memory_fd = -1};
}

int shape_info_read(const cJSON *reply, struct shape_info *info)
{
    struct shape_reply told;
    const int status = shape_reply_read(reply, &told);
    *info = (struct shape_info){
        .shape = told.dims, .ops = told.ops, .bytes = told.bytes, .map = told.operands};
    if (!told.text || strlen(told.text) >= sizeof info->text ||
        (told.layout && strlen(told.layout) >= sizeof info->layout))
        return -EPROTO;
    snprintf(info->text, sizeof info->text, "%s", told.text);
    snprintf(info->layout, sizeof info->layout, "%s", told.layout ?: "");
    return status;
}

int catalog_shape(const struct catalog *catalog, const char *op, uint32_t type,
                  const char *text, const char *layout, struct shape_info *info,
                  struct error *error)
{
    struct worker *owner = catalog_op_owner(catalog, op);
    if (!owner)
        return invalid(error, "nobody brings op '%s'", op);
    const struct shape_call call = {op, type_name(type), text, layout};
    FREED_BY(json_delete) cJSON *reply = NULL;
    struct error why = {.text = ""};
    int status = worker_ask(owner, shape_call(&call), 10 * 1000000000LL, &reply, &why);
    if (status < 0)
        error_set(error, status, "'%.200s' for op %s%s%s: %.200s", text, op,
                  layout ? " in layout " : "", layout ? layout : "", why.text);
    else if (shape_info_read(reply, info) < 0)
        status =
            error_set(error, -EPROTO, "op %s: bad answer about shape '%.200s'", op, text);
    return status;
}
