/* SPDX-License-Identifier: Apache-2.0 */
/* A fleet as CSV and JSON, and what its hosts differ in. */
#include "fleet_private.h"
#include "text/fields.h"

/* ---- what hosts differ in ---- */

/* All values of a fact, the most frequent one first; room for one of each host. */
static size_t values_of(const struct fleet *fleet, const char *name,
                        struct fleet_value *values)
{
    size_t n = 0;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts) {
        const char *const text = facts_find_text(&host->is, name);
        size_t i = 0;
        while (i < n && !text_same(values[i].text, text))
            i++;
        n += i == n;
        values[i].text = text;
        values[i].n++;
    }
    for (size_t i = 1; i < n; i++)
        if (values[i].n > values[0].n) {
            const struct fleet_value first = values[0];
            values[0] = values[i];
            values[i] = first;
        }
    return n;
}

static bool told_before(const struct fleet *fleet, const struct fleet_host *until,
                        const char *name)
{
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts) {
        if (host == until)
            return false;
        if (facts_find_text(&host->is, name))
            return true;
    }
    return false;
}

size_t fleet_each_difference(const struct fleet *fleet, tell_difference *tell,
                             void *context)
{
    size_t found = 0;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        FOR_EACH (const struct fact, fact, host->is.fact, host->is.n) {
            if (told_before(fleet, host, fact->name))
                continue;
            FREED_BY(free_memory) struct fleet_value *values =
                must_have(calloc(fleet->n_hosts, sizeof *values));
            const size_t n = values_of(fleet, fact->name, values);
            if (n > 1)
                tell(context, fleet, fact->name, values, n);
            found += n > 1;
        }
    return found;
}

/* ---- CSV ---- */

void fleet_write_csv(const struct fleet *fleet, FILE *file)
{
    struct csv csv = {.file = file};

    fputs("case,kind,node,runs,median_ns,ratio,z,verdict,hosts,fleet_min_ns,fleet_p5_ns,"
          "fleet_median_ns,fleet_p95_ns,fleet_max_ns,spread,z_limit\r\n",
          file);
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        FOR_EACH (const struct fleet_point, point, one->points, one->n) {
            CSV_TEXTS(&csv, one->id, one->fingerprint, fleet->hosts[point->host].node);
            CSV_NUMBERS(&csv, true, (double)point->n, point->median_ns, point->ratio,
                        point->z);
            csv_text(&csv,
                     one->judged ? fleet_verdict_name(point->verdict) : "not judged");
            CSV_NUMBERS(&csv, true, (double)one->n, one->min_ns, one->p5_ns,
                        one->median_ns, one->p95_ns, one->max_ns, one->spread,
                        one->limit);
            csv_end(&csv);
        }
}

/* ---- JSON ---- */

struct differences {
    struct json *json;
    struct cJSON *array;
};

static void add_difference(void *context, const struct fleet *fleet, const char *name,
                           const struct fleet_value *values, size_t n)
{
    struct differences *const all = context;
    struct cJSON *const entry = json_object(all->json, all->array, NULL);

    json_text(all->json, entry, "fact", name);
    struct cJSON *const list = json_array(all->json, entry, "values");
    for (size_t i = 0; i < n; i++) {
        struct cJSON *const one = json_object(all->json, list, NULL);
        json_text(all->json, one, "value", values[i].text);
        struct cJSON *const nodes = json_array(all->json, one, "nodes");
        FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
            if (text_same(facts_find_text(&host->is, name), values[i].text))
                json_text(all->json, nodes, NULL, host->node);
    }
}

static const struct fields case_fields = FIELDS(
    FIELD(NAME, fleet_case, id), FIELD_AS("kind", NAME, fleet_case, fingerprint),
    FIELD(BOOL, fleet_case, judged), FIELD(NUMBER, fleet_case, min_ns),
    FIELD(NUMBER, fleet_case, p5_ns), FIELD(NUMBER, fleet_case, median_ns),
    FIELD(NUMBER, fleet_case, p95_ns), FIELD(NUMBER, fleet_case, max_ns),
    FIELD(NUMBER, fleet_case, spread), FIELD_AS("z_limit", NUMBER, fleet_case, limit));

static void add_case(struct json *json, struct cJSON *cases, const struct fleet *fleet,
                     const struct fleet_case *one)
{
    struct cJSON *const entry = json_object(json, cases, NULL);

    json_fields(json, entry, &case_fields, one);
    struct cJSON *const hosts = json_array(json, entry, "hosts");
    FOR_EACH (const struct fleet_point, point, one->points, one->n) {
        struct cJSON *const host = json_object(json, hosts, NULL);
        json_text(json, host, "node", fleet->hosts[point->host].node);
        json_numbers(json, host, "runs_ns", point->ns, NULL, point->n);
        json_number(json, host, "median_ns", point->median_ns);
        json_number(json, host, "ratio", point->ratio);
        json_number(json, host, "z", point->z);
        json_text(json, host, "verdict", fleet_verdict_name(point->verdict));
    }
}

void fleet_json(const struct fleet *fleet, struct json *json)
{
    struct cJSON *const root = json_object(json, NULL, NULL);

    json_answer(json, root, fleet_answer(fleet));
    json_number(json, root, "fleet_version", 1);
    json_number(json, root, "alarm_rate", FLEET_ALARM);
    json_number(json, root, "least", FLEET_LEAST);
    struct cJSON *const hosts = json_array(json, root, "hosts");
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts) {
        struct cJSON *const entry = json_object(json, hosts, NULL);
        json_text(json, entry, "node", host->node);
        json_text(json, entry, "kind", host->fingerprint);
        json_number(json, entry, "runs", (double)host->runs);
        json_number(json, entry, "bad", (double)host->bad);
        struct cJSON *const is = json_object(json, entry, "is");
        FOR_EACH (const struct fact, fact, host->is.fact, host->is.n)
            json_text(json, is, fact->name, fact->text);
    }
    struct cJSON *const cases = json_array(json, root, "cases");
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        add_case(json, cases, fleet, one);
    struct differences all = {json, json_array(json, root, "differences")};
    fleet_each_difference(fleet, add_difference, &all);
}
