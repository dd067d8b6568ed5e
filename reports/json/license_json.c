/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>

#include "json.h"
#include "text/fields.h"

static void add_class(struct json *json, cJSON *array, const struct license_class *class,
                      size_t rounds)
{
    cJSON *const object = json_object(json, array, NULL);
    static const char *const levels[LICENSE_LEVELS] = {
        "license_0_share", "license_1_share", "license_2_share", "license_3_share"};
    json_filled(json, object, "class", class->control ? "scalar again" : class->name);
    json_filled(json, object, "isa", class->isa);
    json_filled(json, object, "skipped", class->skip);
    for (size_t k = 0; k < license_levels(class); k++)
        json_number(json, object, levels[k], stats_median(class->level[k], rounds));
    if (class->top_of_cycles)
        json_number(json, object, "top_license_of_cycles",
                    stats_median(class->top_of_cycles, rounds));
    if (class->skip[0])
        return;
    json_number(json, object, "operations_per_turn", class->operations);
    json_number(json, object, "work_share", class->work_share);
    json_number(json, object, "ghz", class->median_ghz);
    json_interval(json, object, "ghz_ci", NULL, &class->ghz_ci);
    json_number(json, object, "ratio", class->effect.ratio);
    json_interval(json, object, "ratio_ci", NULL, &class->effect.ci);
    json_numbers(json, object, "samples_ghz", class->ghz, NULL, rounds);
}

static void add_scope(struct json *json, cJSON *array, const struct license_scope *scope)
{
    cJSON *const object = json_object(json, array, NULL);
    json_filled(json, object, "scope", scope->name);
    json_filled(json, object, "skipped", scope->skip);
    cJSON *const cpus = json_array(json, object, "cpus");
    for (size_t i = 0; i < scope->n_cpu; i++)
        json_number(json, cpus, NULL, scope->cpu[i]);
    json_number(json, object, "rounds", (double)scope->rounds);
    json_number(json, object, "rounds_disturbed", (double)scope->disturbed);
    cJSON *const classes = json_array(json, object, "classes");
    for (size_t i = 0; i < scope->n_classes; i++)
        add_class(json, classes, &scope->class[i], scope->rounds);
}

static void add_net(struct json *json, cJSON *array, const struct license_net *net)
{
    cJSON *const object = json_object(json, array, NULL);
    const size_t from = license_wins_from(net);
    json_filled(json, object, "op", net->op);
    json_filled(json, object, "skipped", net->skip);
    json_filled(json, object, "not_slower_from",
                from < net->n_points ? net->point[from].shape : NULL);
    cJSON *const points = json_array(json, object, "shapes");
    for (size_t i = 0; i < net->n_points; i++) {
        cJSON *const entry = json_object(json, points, NULL);
        json_filled(json, entry, "shape", net->point[i].shape);
        json_filled(json, entry, "wide", net->point[i].wide);
        json_filled(json, entry, "narrow", net->point[i].narrow);
        json_number(json, entry, "speedup", net->point[i].speedup);
        json_interval(json, entry, "speedup_ci", NULL, &net->point[i].ci);
    }
}

void license_json(const struct license *license, struct json *json)
{
    cJSON *const root = json_object(json, NULL, NULL);

    json_answer(json, root, license_answer(license));
    json_filled(json, root, "tool_version", license->tool_version);
    cJSON *const host = json_object(json, root, "host");
    json_filled(json, host, "cpu", license->cpu);
    json_filled(json, host, "virtualisation", license->virtualisation);
    json_filled(json, host, "fingerprint", license->fingerprint);
    json_filled(json, root, "verdict", license_cost_name(license->verdict.cost));
    json_filled(json, root, "reason", license->verdict.reason);
    json_filled(json, root, "verdict_by",
                license->verdict.by_counters ? "licence counters" : "clock");
    json_number(json, root, "free_up_to", LICENSE_FREE);
    json_number(json, root, "heavy_from", LICENSE_MUCH);
    json_number(json, root, "ci_level", STATS_LEVEL);
    json_number(json, root, "ghz_by_adds", license->ghz_add);
    json_number(json, root, "ghz_by_multiplies", license->ghz_imul);
    json_filled(json, root, "top_license_event", license->top);
    json_filled(json, root, "counters_absent", license->counters);
    cJSON *const scopes = json_array(json, root, "scopes");
    for (size_t i = 0; i < LICENSE_SCOPES; i++)
        add_scope(json, scopes, &license->scope[i]);
    json_filled(json, root, "net_skipped", license->net_skip);
    cJSON *const nets = json_array(json, root, "net");
    for (size_t i = 0; i < license->n_nets; i++)
        add_net(json, nets, &license->net[i]);
}
