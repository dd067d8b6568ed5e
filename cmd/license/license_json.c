/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>

#include "license_private.h"
#include "process/process.h"

/* Objects are added even if memory runs out on the way: cJSON then adds nothing, and the
 * count of what is missing makes the whole text fail. */
struct writer {
    bool failed;
};

static cJSON *kept(struct writer *writer, cJSON *item)
{
    writer->failed = writer->failed || !item;
    return item;
}

static void add_text(struct writer *writer, cJSON *object, const char *name,
                     const char *text)
{
    kept(writer, text && text[0] ? cJSON_AddStringToObject(object, name, text)
                                 : cJSON_AddNullToObject(object, name));
}

/* What is not finite is not known. */
static void add_number(struct writer *writer, cJSON *object, const char *name, double x)
{
    kept(writer, isfinite(x) ? cJSON_AddNumberToObject(object, name, x)
                             : cJSON_AddNullToObject(object, name));
}

static void add_numbers(struct writer *writer, cJSON *object, const char *name,
                        const double *x, size_t n)
{
    cJSON *const array = kept(writer, cJSON_AddArrayToObject(object, name));
    for (size_t i = 0; i < n && array; i++)
        cJSON_AddItemToArray(array, kept(writer, isfinite(x[i]) ? cJSON_CreateNumber(x[i])
                                                                : cJSON_CreateNull()));
}

static void add_interval(struct writer *writer, cJSON *object, const char *name,
                         const struct interval *ci)
{
    const double ends[] = {ci->lo, ci->hi};
    if (ci->known)
        add_numbers(writer, object, name, ends, 2);
    else
        kept(writer, cJSON_AddNullToObject(object, name));
}

static cJSON *add_entry(struct writer *writer, cJSON *array)
{
    cJSON *const object = kept(writer, cJSON_CreateObject());
    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_class(struct writer *writer, cJSON *array,
                      const struct license_class *class, size_t rounds)
{
    cJSON *const object = add_entry(writer, array);
    static const char *const levels[LICENSE_LEVELS] = {
        "license_0_share", "license_1_share", "license_2_share"};
    add_text(writer, object, "class",
             class->control ? "scalar again" : class->payload->name);
    add_text(writer, object, "isa", class->payload->isa);
    add_text(writer, object, "skipped", class->skip);
    for (size_t k = 0; k < LICENSE_LEVELS && class->level[k]; k++)
        add_number(writer, object, levels[k], stats_median(class->level[k], rounds));
    if (class->skip[0])
        return;
    add_number(writer, object, "operations_per_turn",
               class->density ? PAYLOAD_DENSE : PAYLOAD_SPARSE);
    add_number(writer, object, "work_share", class->work_share);
    add_number(writer, object, "ghz", class->median_ghz);
    add_interval(writer, object, "ghz_ci", &class->ghz_ci);
    add_number(writer, object, "ratio", class->effect.ratio);
    add_interval(writer, object, "ratio_ci", &class->effect.ci);
    add_numbers(writer, object, "samples_ghz", class->ghz, rounds);
}

static void add_scope(struct writer *writer, cJSON *array,
                      const struct license_scope *scope)
{
    cJSON *const object = add_entry(writer, array);
    add_text(writer, object, "scope", scope->name);
    add_text(writer, object, "skipped", scope->skip);
    cJSON *const cpus = kept(writer, cJSON_AddArrayToObject(object, "cpus"));
    for (size_t i = 0; i < scope->n_cpu && cpus; i++)
        cJSON_AddItemToArray(cpus, kept(writer, cJSON_CreateNumber(scope->cpu[i])));
    add_number(writer, object, "rounds", (double)scope->rounds);
    add_number(writer, object, "rounds_disturbed", (double)scope->disturbed);
    cJSON *const classes = kept(writer, cJSON_AddArrayToObject(object, "classes"));
    for (size_t i = 0; i < scope->n_classes && classes; i++)
        add_class(writer, classes, &scope->class[i], scope->rounds);
}

static void add_net(struct writer *writer, cJSON *array, const struct license_net *net)
{
    cJSON *const object = add_entry(writer, array);
    const size_t from = license_wins_from(net);
    add_text(writer, object, "op", net->op);
    add_text(writer, object, "skipped", net->skip);
    add_text(writer, object, "not_slower_from",
             from < net->n_points ? net->point[from].shape : NULL);
    cJSON *const points = kept(writer, cJSON_AddArrayToObject(object, "shapes"));
    for (size_t i = 0; i < net->n_points && points; i++) {
        cJSON *const entry = add_entry(writer, points);
        add_text(writer, entry, "shape", net->point[i].shape);
        add_text(writer, entry, "wide", net->point[i].wide);
        add_text(writer, entry, "narrow", net->point[i].narrow);
        add_number(writer, entry, "speedup", net->point[i].speedup);
        add_interval(writer, entry, "speedup_ci", &net->point[i].ci);
    }
}

static void add_host(struct writer *writer, cJSON *root)
{
    struct host host;
    host_read(&host, "");
    cJSON *const object = kept(writer, cJSON_AddObjectToObject(root, "host"));
    add_text(writer, object, "cpu", host.cpu);
    add_text(writer, object, "virtualisation", host.virtualisation);
    add_text(writer, object, "fingerprint", host.fingerprint);
}

int license_write_json(const struct license *license, FILE *file)
{
    struct writer writer = {.failed = false};
    cJSON *const root = kept(&writer, cJSON_CreateObject());
    int rc = -ENOMEM;

    add_text(&writer, root, "tool_version", simdbench_version.number);
    add_host(&writer, root);
    add_text(&writer, root, "verdict", license_cost_name(license->verdict.cost));
    add_text(&writer, root, "reason", license->verdict.reason);
    add_text(&writer, root, "verdict_by",
             license->verdict.by_counters ? "licence counters" : "clock");
    add_number(&writer, root, "free_up_to", LICENSE_FREE);
    add_number(&writer, root, "heavy_from", LICENSE_MUCH);
    add_number(&writer, root, "ci_level", STATS_LEVEL);
    add_number(&writer, root, "ghz_by_adds", license->ghz_add);
    add_number(&writer, root, "ghz_by_multiplies", license->ghz_imul);
    add_text(&writer, root, "counters_absent", license->counters);
    cJSON *const scopes = kept(&writer, cJSON_AddArrayToObject(root, "scopes"));
    for (size_t i = 0; i < LICENSE_SCOPES && scopes; i++)
        add_scope(&writer, scopes, &license->scope[i]);
    add_text(&writer, root, "net_skipped", license->net_skip);
    cJSON *const nets = kept(&writer, cJSON_AddArrayToObject(root, "net"));
    for (size_t i = 0; i < license->n_nets && nets; i++)
        add_net(&writer, nets, &license->net[i]);
    char *const text = writer.failed ? NULL : cJSON_Print(root);
    if (text)
        rc = fprintf(file, "%s\n", text) < 0 || fflush(file) != 0 ? -errno : 0;
    cJSON_free(text);
    cJSON_Delete(root);
    return rc;
}
