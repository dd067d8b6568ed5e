/* SPDX-License-Identifier: Apache-2.0 */
/* simdbench doctor: what this machine does to measurements. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"

enum { NAME_WIDTH = 20, VALUE_WIDTH_MAX = 60, PROBE_NS = 1000 * 1000, PROBES = 100 };

static void print_state(const struct check *check, bool colour, FILE *file)
{
    char why[2 * sizeof check->why];
    if (!check->why[0]) {
        fprintf(file, "%s\n", colour ? "\033[32mok\033[0m" : "ok");
        return;
    }
    text_plain(check->why, why, sizeof why);
    fprintf(file, "%swarning%s: %s%s%s\n", colour ? "\033[33m" : "",
            colour ? "\033[0m" : "", why, check->advice[0] ? " -> " : "", check->advice);
}

/* Room for the longest value, but for those that are longer than all reason. */
static int value_width(const struct checks *checks)
{
    size_t width = 0;
    for (size_t i = 0; i < checks->n; i++) {
        const size_t length = strlen(checks->check[i].value);
        if (length > width && length <= VALUE_WIDTH_MAX)
            width = length;
    }
    return (int)width;
}

void checks_print(const struct checks *checks, bool colour, FILE *file)
{
    const int width = value_width(checks);
    for (size_t i = 0; i < checks->n; i++) {
        const struct check *const check = &checks->check[i];
        char value[2 * sizeof check->value];
        text_plain(check->value, value, sizeof value);
        fprintf(file, "%-*s %-*s  ", NAME_WIDTH, check->name, width, value);
        print_state(check, colour, file);
    }
    const size_t n = checks_warnings(checks);
    if (n)
        fprintf(file, "\n%zu warning%s of %zu checks\n", n, n == 1 ? "" : "s", checks->n);
    else
        fprintf(file, "\nall %zu checks are ok\n", checks->n);
}

static bool add_text(cJSON *object, const char *name, const char *text)
{
    return text[0] ? cJSON_AddStringToObject(object, name, text) != NULL
                   : cJSON_AddNullToObject(object, name) != NULL;
}

int checks_print_json(const struct checks *checks, FILE *file)
{
    cJSON *const array = cJSON_CreateArray();
    char *text = NULL;
    int rc = -ENOMEM;

    if (!array)
        return rc;
    for (size_t i = 0; i < checks->n; i++) {
        const struct check *const check = &checks->check[i];
        cJSON *const object = cJSON_CreateObject();
        if (!object || !cJSON_AddItemToArray(array, object)) {
            cJSON_Delete(object);
            goto out;
        }
        if (!add_text(object, "check", check->name) ||
            !add_text(object, "value", check->value) ||
            !add_text(object, "state", check->why[0] ? "warning" : "ok") ||
            !add_text(object, "reason", check->why) ||
            !add_text(object, "advice", check->advice))
            goto out;
    }
    text = cJSON_Print(array);
    if (text)
        rc = fprintf(file, "%s\n", text) < 0 ? -errno : 0;
out:
    cJSON_free(text);
    cJSON_Delete(array);
    return rc;
}

static int64_t steal_ticks(const struct vitals *vitals)
{
    int64_t sum = 0;
    for (size_t i = 0; i < vitals->n_cpu; i++) {
        const int64_t ticks = cpus_steal(vitals->cpu[i]);
        if (ticks < 0)
            return -1;
        sum += ticks;
    }
    return vitals->n_cpu ? sum : -1;
}

/* The best of many short probes: whatever disturbs one makes it look slower. */
static double best_ghz(double (*probe)(int64_t ns))
{
    double best = 0;
    for (int i = 0; i < PROBES; i++) {
        const double ghz = probe(PROBE_NS);
        if (ghz > best)
            best = ghz;
    }
    return best;
}

static void take_vitals(struct vitals *vitals)
{
    vitals->n_cpu = cpus_allowed(vitals->cpu, ARRAY_LEN(vitals->cpu));
    vitals->memory_available = memory_available();
    const int64_t before = steal_ticks(vitals), start = clock_now();
    vitals->ghz = best_ghz(clock_ghz);
    vitals->ghz_imul = best_ghz(clock_ghz_imul);
    clock_cost(&vitals->resolution_ns, &vitals->cost_ns);
    vitals->watched_s = (double)(clock_now() - start) / 1e9;
    const int64_t after = steal_ticks(vitals);
    vitals->stolen_s = before < 0 || after < 0
                           ? -1
                           : (double)(after - before) / (double)sysconf(_SC_CLK_TCK);
}

int command_doctor(const struct options *options)
{
    struct host host;
    struct vitals *const vitals = calloc(1, sizeof *vitals);
    struct checks *const checks = calloc(1, sizeof *checks);
    int rc = -ENOMEM;

    if (!vitals || !checks)
        goto out;
    host_read(&host, "");
    take_vitals(vitals);
    checks_host(checks, &host, vitals);
    checks_isas(checks);
    rc = 0;
    if (options->format == FORMAT_JSON)
        rc = checks_print_json(checks, stdout);
    else
        checks_print(checks, terminal_colour(stdout), stdout);
    if (rc == 0 && fflush(stdout) != 0)
        rc = -errno;
out:
    if (rc != 0)
        fprintf(stderr, "simdbench doctor: %s\n", strerror(-rc));
    free(vitals);
    free(checks);
    return rc ? EXIT_USAGE : EXIT_OK;
}
