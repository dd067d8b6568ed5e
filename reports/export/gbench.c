/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google Benchmark JSON. Readers differ in what they take for a time: some read every
 * row, so there are no aggregates but times (no stddev, no cv), and no rows without a
 * time.
 */
#include <math.h>

#include "export.h"
#include "export_rows.h"

/* Each row is a document of its own, since there may be too many rows for one tree. */
struct writer {
    FILE *file;
    bool begun;
};

/* ---- context ---- */

/* Facts like "l2u_bytes". */
static void put_caches(struct json *json, const struct run *run)
{
    struct cJSON *const caches = json_array(json, json->root, "caches");

    for (size_t i = 0; i < run->host.n; i++) {
        const struct fact *fact = &run->host.fact[i];
        int level, end = 0;
        char type;
        if (fact->kind != FACT_NUMBER ||
            sscanf(fact->name, "l%1d%c_bytes%n", &level, &type, &end) != 2 || !end ||
            fact->name[end])
            continue;
        struct cJSON *const cache = json_object(json, caches, NULL);
        json_text(json, cache, "type",
                  type == 'd'   ? "Data"
                  : type == 'i' ? "Instruction"
                                : "Unified");
        json_number(json, cache, "level", level);
        export_number(json, cache, "size", fact->number);
        json_number(json, cache, "num_sharing", 0);
    }
}

/* The highest clock that probes beside the cases measured, else the nominal one; 0 if it
 * is unknown. */
static double clock_mhz(const struct run *run)
{
    double ghz = NAN;

    for (size_t i = 0; i < run->n_results; i++)
        if (run->results[i].summary.ghz > 0)
            ghz = fmax(ghz, run->results[i].summary.ghz);
    if (!isfinite(ghz))
        ghz = facts_find_number(&run->host, "tsc_ghz");
    return isfinite(ghz) ? round(1000 * ghz) : 0;
}

/* Lists the cases without a time, and why. */
static void put_unmeasured(struct json *json, const struct export_rows *rows)
{
    FREED_BY(buffer_free) struct buffer key = {.text = NULL}, text = {.text = NULL};

    for (size_t i = 0; i < rows->n; i++) {
        const struct result *result = rows->row[i].result;
        const bool unusable =
            result->comparison && result->comparison->verdict == VERDICT_UNUSABLE;
        if (result->status == STATUS_OK && !unusable)
            continue;
        buffer_clear(&key);
        buffer_format(&key, "unmeasured:%s", rows->row[i].name);
        buffer_clear(&text);
        buffer_format(&text, "%s: ",
                      result->status == STATUS_OK ? "unusable"
                                                  : status_name(result->status));
        export_tell(&text, result);
        json_text(json, json->root, buffer_text(&key), buffer_text(&text));
    }
}

static void put_context(struct writer *writer, const struct run *run,
                        const struct export_rows *rows)
{
    const double cpus = facts_find_number(&run->host, "cpus"),
                 aslr = facts_find_number(&run->host, "aslr");
    const char *flags = run->tool_flags,
               *governor = facts_find_text(&run->host, "governor");
    FREED_BY(buffer_free) struct buffer version = {.text = NULL};
    struct json json = {.root = NULL};
    struct cJSON *const root = json_object(&json, NULL, NULL);

    buffer_format(&version, "simdbench %s", run->tool_version ?: "");
    json_plain(&json, root, "date", run->started_at);
    json_plain(&json, root, "host_name", run->fingerprint);
    json_plain(&json, root, "executable", run->argc ? run->argv[0] : "simdbench");
    json_number(&json, root, "num_cpus", isfinite(cpus) ? cpus : 1);
    json_number(&json, root, "mhz_per_cpu", clock_mhz(run));
    json_bool(&json, root, "cpu_scaling_enabled",
              governor && *governor && strcmp(governor, "performance"));
    if (isfinite(aslr))
        json_bool(&json, root, "aslr_enabled", aslr > 0);
    put_caches(&json, run);
    export_number(&json, json_array(&json, root, "load_avg"), NULL,
                  facts_find_number(&run->host, "load_1min"));
    json_plain(&json, root, "library_version", buffer_text(&version));
    json_text(&json, root, "library_build_type",
              flags && strstr(flags, "-O0") ? "debug" : "release");
    json_number(&json, root, "json_schema_version", 1);
    json_plain(&json, root, "simdbench_seed", run->seed);
    if (export_of_one_process(run))
        json_text(&json, root, "simdbench_warning", EXPORT_NOT_INDEPENDENT);
    put_unmeasured(&json, rows);
    export_json(&json, "{\n\"context\": ", "", writer->file);
}

/* ---- benchmarks ---- */

struct family {
    const struct export_row *row;
    const struct series *series;
    const char *name; /* of both kinds of rows */
    size_t index, instance;
};

static const struct counter *counter_of(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->samples.n_counters; i++)
        if (!strcmp(result->samples.counters[i].name, name) &&
            result->samples.counters[i].n)
            return &result->samples.counters[i];
    return NULL;
}

/* CPU time of a call in a batch if it was counted, else wall time. One thread has no more
 * of it than of wall time: another clock read it, around more. */
static double cpu_ns(const struct family *family, size_t i)
{
    const struct result *result = family->row->result;
    const struct counter *clock = counter_of(result, "task-clock");
    double ns = 0;

    if (clock && clock->n == family->series->n && !export_compares(result))
        ns = clock->samples[i] / family->series->iterations - clock->overhead;
    if (ns <= 0)
        return family->series->ns[i];
    return result->threads > 1 ? ns : fmin(ns, family->series->ns[i]);
}

static struct cJSON *open_row(struct json *json, const struct family *family,
                              const char *name, const char *type)
{
    struct cJSON *const row = json_object(json, NULL, NULL);

    json_text(json, row, "name", name);
    json_number(json, row, "family_index", (double)family->index);
    json_number(json, row, "per_family_instance_index", (double)family->instance);
    json_text(json, row, "run_name", family->name);
    json_text(json, row, "run_type", type);
    json_number(json, row, "repetitions", (double)family->series->n);
    return row;
}

static void close_row(struct writer *writer, struct json *json)
{
    export_json(json, writer->begun ? ",\n" : "\n", "", writer->file);
    writer->begun = true;
}

static void put_times(struct json *json, struct cJSON *row, const struct family *family,
                      double ns, double cpu, double iterations)
{
    const struct result *result = family->row->result;

    json_number(json, row, "iterations", iterations);
    export_number(json, row, "real_time", ns);
    export_number(json, row, "cpu_time", cpu);
    json_text(json, row, "time_unit", "ns");
    if (result->work.ops > 0 && ns > 0)
        export_number(json, row, "items_per_second", 1e9 * result->work.ops / ns);
    if (result->work.bytes > 0 && ns > 0)
        export_number(json, row, "bytes_per_second", 1e9 * result->work.bytes / ns);
}

static void put_samples(struct writer *writer, const struct family *family)
{
    const struct series *series = family->series;

    for (size_t i = 0; i < series->n; i++) {
        struct json json = {.root = NULL};
        struct cJSON *const row = open_row(&json, family, family->name, "iteration");
        json_number(&json, row, "repetition_index", (double)i);
        json_number(&json, row, "threads", family->row->result->threads);
        put_times(&json, row, family, series->ns[i], cpu_ns(family, i),
                  series->iterations);
        close_row(writer, &json);
    }
}

/* Counters stand at the median of the case, as medians. */
static void put_counters(struct json *json, struct cJSON *row,
                         const struct result *result)
{
    FREED_BY(buffer_free) struct buffer key = {.text = NULL};

    FOR_EACH (const struct counter, counter, result->samples.counters,
              result->samples.n_counters) {
        if (counter->absent || !counter->n)
            continue;
        buffer_clear(&key);
        buffer_tell(&key, "counter:%s", counter->name);
        export_number(json, row, buffer_text(&key), counter->value);
    }
}

static void put_aggregate(struct writer *writer, const struct family *family,
                          const char *aggregate, double ns, double cpu)
{
    const struct result *result = family->row->result;
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    struct json json = {.root = NULL};

    buffer_format(&text, "%s_%s", family->name, aggregate);
    struct cJSON *const row = open_row(&json, family, buffer_text(&text), "aggregate");
    json_number(&json, row, "threads", result->threads);
    json_text(&json, row, "aggregate_name", aggregate);
    json_text(&json, row, "aggregate_unit", "time");
    put_times(&json, row, family, ns, cpu, (double)family->series->n);
    if (!strcmp(aggregate, "median") && !export_compares(result))
        put_counters(&json, row, result);
    buffer_clear(&text);
    if (result->comparison)
        buffer_format(&text, "%s: ", verdict_name(result->comparison->verdict));
    export_tell(&text, result);
    json_text(&json, row, "label", buffer_text(&text));
    close_row(writer, &json);
}

static void put_family(struct writer *writer, const struct family *family)
{
    const struct series *series = family->series;
    FREED_BY(free_memory) double *cpu = must_have(calloc(series->n, sizeof *cpu));
    double sum = 0, cpu_sum = 0;
    const double n = (double)series->n;

    for (size_t i = 0; i < series->n; i++) {
        cpu[i] = cpu_ns(family, i);
        sum += series->ns[i];
        cpu_sum += cpu[i];
    }
    put_samples(writer, family);
    put_aggregate(writer, family, "mean", sum / n, cpu_sum / n);
    put_aggregate(writer, family, "median", series->median_ns,
                  stats_median(cpu, series->n));
}

/* A case that compares builds becomes a family of two: "ID;arm=base", "ID;arm=head". */
static void put_row(struct writer *writer, const struct export_rows *rows, size_t i)
{
    static const enum export_arm arms[] = {EXPORT_BASE, EXPORT_HEAD};
    const struct export_row *row = &rows->row[i];

    for (size_t arm = 0; arm < ARRAY_LEN(arms); arm++) {
        FREED_BY(series_free) struct series series = {0};
        FREED_BY(buffer_free) struct buffer name = {.text = NULL};
        buffer_add(&name, row->name);
        if (export_compares(row->result))
            buffer_format(&name, ";arm=%s", export_arm_name(arms[arm]));
        const struct family family = {row, &series, buffer_text(&name), i,
                                      export_compares(row->result) ? arm : 0};
        if (series_make(row->result, arms[arm], &series))
            put_family(writer, &family);
    }
}

void gbench_write(const struct run *run, FILE *file)
{
    struct writer writer = {.file = file};
    FREED_BY(export_rows_free) struct export_rows rows = {0};

    export_rows_make(run, &rows);
    put_context(&writer, run, &rows);
    fputs(",\n\"benchmarks\": [", file);
    for (size_t i = 0; i < rows.n; i++)
        put_row(&writer, &rows, i);
    fputs("\n]\n}\n", file);
}
