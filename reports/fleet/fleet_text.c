/* SPDX-License-Identifier: Apache-2.0 */
/* A fleet as a table, CSV and JSON. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet.h"

/* ---- what hosts differ in ---- */

/* A text that hosts give to a fact, and who they are. */
struct value {
    const char *text; /* NULL: they do not say */
    size_t n;
};

/* All values of a fact, the most frequent one first; room for one of each host. */
static size_t values_of(const struct fleet *fleet, const char *name, struct value *values)
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
            const struct value first = values[0];
            values[0] = values[i];
            values[i] = first;
        }
    return n;
}

/* Calls `tell` for each fact in which hosts differ; their number, or -ENOMEM. */
typedef void tell_difference(void *context, const struct fleet *fleet, const char *name,
                             const struct value *values, size_t n);

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

static int each_difference(const struct fleet *fleet, tell_difference *tell,
                           void *context)
{
    int found = 0;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        FOR_EACH (const struct fact, fact, host->is.fact, host->is.n) {
            if (told_before(fleet, host, fact->name))
                continue;
            struct value *const values = calloc(fleet->n_hosts, sizeof *values);
            if (!values)
                return -ENOMEM;
            const size_t n = values_of(fleet, fact->name, values);
            if (n > 1)
                tell(context, fleet, fact->name, values, n);
            found += n > 1;
            free(values);
        }
    return found;
}

/* ---- table ---- */

enum { NAMED = 8 }; /* hosts in one line */

static void put_plain(FILE *file, const char *text)
{
    struct buffer plain = {.text = NULL};
    buffer_plain(&plain, text);
    fputs(buffer_text(&plain), file);
    buffer_free(&plain);
}

static void put_who(FILE *file, const struct fleet *fleet, const char *name,
                    const struct value *value)
{
    size_t named = 0;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (text_same(facts_find_text(&host->is, name), value->text) && named++ < NAMED) {
            fputs(named > 1 ? ", " : "", file);
            put_plain(file, host->node);
        }
    if (named > NAMED)
        fprintf(file, " and %zu more", named - NAMED);
}

static void put_difference(void *context, const struct fleet *fleet, const char *name,
                           const struct value *values, size_t n)
{
    FILE *const file = context;

    fputs("  ", file);
    put_plain(file, name);
    fputs(": ", file);
    put_plain(file, values[0].text ?: "unknown");
    fprintf(file, " on %zu host%s", values[0].n, values[0].n == 1 ? "" : "s");
    for (size_t i = 1; i < n; i++) {
        fputs("; ", file);
        put_plain(file, values[i].text ?: "unknown");
        fputs(" on ", file);
        put_who(file, fleet, name, &values[i]);
    }
    fputc('\n', file);
}

static void put_case(FILE *file, const struct fleet_case *one)
{
    const double times[] = {one->min_ns, one->p5_ns, one->median_ns, one->p95_ns,
                            one->max_ns};
    char text[NUMBER_SIZE];

    fprintf(file, "  %5zu", one->n);
    for (size_t i = 0; i < ARRAY_LEN(times); i++) {
        text_time(times[i], text);
        fprintf(file, "  %9s", text);
    }
    fprintf(file, "  %5.1f%%  ", 100 * one->spread);
    put_plain(file, one->id);
    fputs(one->judged ? "\n" : "  (too few hosts to judge)\n", file);
}

static void put_kind(FILE *file, const struct fleet *fleet, const char *fingerprint)
{
    size_t hosts = 0;
    const char *cpu = NULL;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (text_same(host->fingerprint, fingerprint)) {
            hosts++;
            cpu = cpu ?: facts_find_text(&host->is, "cpu");
        }
    fputs("\nkind ", file);
    put_plain(file, fingerprint ?: "unknown");
    fputs(", ", file);
    put_plain(file, cpu ?: "unknown CPU");
    fprintf(file, ", %zu host%s\n", hosts, hosts == 1 ? "" : "s");
    fprintf(file, "  %5s  %9s  %9s  %9s  %9s  %9s  %6s  case\n", "hosts", "fastest", "5%",
            "median", "95%", "slowest", "spread");
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        if (text_same(one->fingerprint, fingerprint))
            put_case(file, one);
}

static void put_outliers(FILE *file, const struct fleet *fleet)
{
    size_t found = 0, judged = 0;

    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases) {
        judged += one->judged;
        FOR_EACH (const struct fleet_point, point, one->points, one->n)
            if (point->verdict != FLEET_ALIKE) {
                if (!found++)
                    fputs("\nhosts that do otherwise than their kind:\n", file);
                fputs("  ", file);
                put_plain(file, fleet->hosts[point->host].node);
                fprintf(file, ": %s, %.1f%% %s, %zu run%s, ",
                        fleet_verdict_name(point->verdict), 100 * fabs(point->ratio - 1),
                        point->ratio > 1 ? "more time" : "less time", point->n,
                        point->n == 1 ? "" : "s");
                put_plain(file, one->id);
                fputc('\n', file);
            }
    }
    if (!found)
        fprintf(file,
                judged ? "\nno host does otherwise than its kind\n"
                       : "\nno host is judged: no kind has %d hosts\n",
                FLEET_MIN);
    if (judged)
        fprintf(file,
                "rule: %.0f%% off or more, and beyond what one of %.0f fleets of equal "
                "hosts reaches in any case\n",
                100 * FLEET_LEAST, 1 / FLEET_ALARM);
}

static bool kind_is_new(const struct fleet *fleet, const struct fleet_host *host)
{
    for (const struct fleet_host *other = fleet->hosts; other < host; other++)
        if (text_same(other->fingerprint, host->fingerprint))
            return false;
    return true;
}

int fleet_write_table(const struct fleet *fleet, FILE *file)
{
    size_t kinds = 0;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        kinds += kind_is_new(fleet, host);
    fprintf(file, "%zu host%s of %zu kind%s, %zu run%s\n", fleet->n_hosts,
            fleet->n_hosts == 1 ? "" : "s", kinds, kinds == 1 ? "" : "s", fleet->runs,
            fleet->runs == 1 ? "" : "s");
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (kind_is_new(fleet, host))
            put_kind(file, fleet, host->fingerprint);
    put_outliers(file, fleet);
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (host->bad) {
            put_plain(file, host->node);
            fprintf(file, ": %zu wrong or failed\n", host->bad);
        }
    fputs("\nwhat hosts are, and differ in (first run of each):\n", file);
    const int differences = each_difference(fleet, put_difference, file);
    if (differences == 0)
        fputs("  nothing\n", file);
    return differences < 0 ? differences : 0;
}

/* ---- CSV ---- */

int fleet_write_csv(const struct fleet *fleet, FILE *file)
{
    fputs("case,kind,node,runs,median_ns,ratio,z,verdict,hosts,fleet_min_ns,fleet_p5_ns,"
          "fleet_median_ns,fleet_p95_ns,fleet_max_ns,spread,z_limit\r\n",
          file);
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        FOR_EACH (const struct fleet_point, point, one->points, one->n) {
            const double own[] = {(double)point->n, point->median_ns, point->ratio,
                                  point->z};
            const double all[] = {(double)one->n, one->min_ns, one->p5_ns,
                                  one->median_ns, one->p95_ns, one->max_ns,
                                  one->spread,    one->limit};
            text_csv(file, one->id);
            fputc(',', file);
            text_csv(file, one->fingerprint);
            fputc(',', file);
            text_csv(file, fleet->hosts[point->host].node);
            for (size_t i = 0; i < ARRAY_LEN(own); i++) {
                fputc(',', file);
                text_csv_number(file, true, own[i]);
            }
            fprintf(file, ",%s",
                    one->judged ? fleet_verdict_name(point->verdict) : "not judged");
            for (size_t i = 0; i < ARRAY_LEN(all); i++) {
                fputc(',', file);
                text_csv_number(file, true, all[i]);
            }
            fputs("\r\n", file);
        }
    return 0;
}

/* ---- JSON ---- */

struct differences {
    struct json *json;
    struct cJSON *array;
};

static void add_difference(void *context, const struct fleet *fleet, const char *name,
                           const struct value *values, size_t n)
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

static void add_case(struct json *json, struct cJSON *cases, const struct fleet *fleet,
                     const struct fleet_case *one)
{
    struct cJSON *const entry = json_object(json, cases, NULL);

    json_text(json, entry, "id", one->id);
    json_text(json, entry, "kind", one->fingerprint);
    json_bool(json, entry, "judged", one->judged);
    json_number(json, entry, "min_ns", one->min_ns);
    json_number(json, entry, "p5_ns", one->p5_ns);
    json_number(json, entry, "median_ns", one->median_ns);
    json_number(json, entry, "p95_ns", one->p95_ns);
    json_number(json, entry, "max_ns", one->max_ns);
    json_number(json, entry, "spread", one->spread);
    json_number(json, entry, "z_limit", one->limit);
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

int fleet_write_json(const struct fleet *fleet, FILE *file, struct error *error)
{
    struct json json = {.root = NULL};
    struct cJSON *const root = json_object(&json, NULL, NULL);

    json_number(&json, root, "fleet_version", 1);
    json_number(&json, root, "alarm_rate", FLEET_ALARM);
    json_number(&json, root, "least", FLEET_LEAST);
    struct cJSON *const hosts = json_array(&json, root, "hosts");
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts) {
        struct cJSON *const entry = json_object(&json, hosts, NULL);
        json_text(&json, entry, "node", host->node);
        json_text(&json, entry, "kind", host->fingerprint);
        json_number(&json, entry, "runs", (double)host->runs);
        json_number(&json, entry, "bad", (double)host->bad);
        struct cJSON *const is = json_object(&json, entry, "is");
        FOR_EACH (const struct fact, fact, host->is.fact, host->is.n)
            json_text(&json, is, fact->name, fact->text);
    }
    struct cJSON *const cases = json_array(&json, root, "cases");
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        add_case(&json, cases, fleet, one);
    struct differences all = {&json, json_array(&json, root, "differences")};
    json.failed |= each_difference(fleet, add_difference, &all) < 0;
    return json_end(&json, file, error);
}
