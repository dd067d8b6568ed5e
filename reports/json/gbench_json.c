/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of Google Benchmark as a run. Times, and what is made of rates, are those that
 * the library itself goes by: CPU time, unless a case says /real_time or /manual_time. */
#include <math.h>

#include "json_value.h"
#include "readings/readings.h"

bool json_is_gbench(const struct value *root)
{
    const struct value ours = value_member(root, "schema_version");
    const struct value rows = value_member(root, "benchmarks");

    return value_absent(&ours) && cJSON_IsArray(rows.json);
}

static double number_of(const struct value *entry, const char *name)
{
    const struct value value = value_member(entry, name);

    return cJSON_IsNumber(value.json) ? value.json->valuedouble : NAN;
}

static bool is_true(const struct value *entry, const char *name)
{
    return cJSON_IsTrue(value_member(entry, name).json);
}

static const char *name_of(const struct value *entry)
{
    const char *const name = value_words(entry, "run_name");

    return *name ? name : value_words(entry, "name");
}

/* The time of an iteration; NaN: none. */
static double time_of(const struct value *entry)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const char *const name = name_of(entry);
    const char *const unit = value_words(entry, "time_unit");
    const bool real = strstr(name, "/real_time") || strstr(name, "/manual_time");
    const double time = number_of(entry, real ? "real_time" : "cpu_time");

    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (!strcmp(units[i].name, unit))
            return time * units[i].ns;
    return NAN;
}

static double work_of(const struct value *entry, const char *rate, double ns)
{
    const double work = number_of(entry, rate) * ns * 1e-9;

    return work > 0 && work < 1e300 ? round(work) : 0;
}

/* The result that an entry belongs to. */
static struct result *result_of(struct run *run, const struct value *entry)
{
    struct result *const result = foreign_result(run, name_of(entry));
    const double threads = number_of(entry, "threads");

    if (threads >= 1 && threads <= 65536)
        result->threads = result->threads_used = (int)threads;
    return result;
}

static void fail(const struct value *entry, struct result *result)
{
    const bool skipped = is_true(entry, "skipped");
    const char *const text =
        value_words(entry, skipped ? "skip_message" : "error_message");

    result_set_status(result, skipped ? STATUS_SKIPPED : STATUS_FAILED,
                      *text ? text : "without a message");
}

/* A repetition. */
static int add_row(const struct value *entry, void *context)
{
    struct run *const run = context;
    const double ns = time_of(entry);
    const bool failed = is_true(entry, "error_occurred") || is_true(entry, "skipped");
    int code = value_object(entry);

    if (code || !strcmp(value_words(entry, "run_type"), "aggregate"))
        return code;
    if (foreign_check_name(entry, name_of(entry)))
        return -EINVAL;
    if (!failed && isnan(ns))
        return VALUE_FAIL(entry, "no time that is a number with a time_unit");
    struct result *const result = result_of(run, entry);
    if (failed) {
        fail(entry, result);
        return 0;
    }
    if (!(ns > 0 && ns < 1e300)) {
        result_set_status(result, STATUS_FAILED, FOREIGN_NO_TIME);
        return 0;
    }
    if (!result->samples.n) {
        result->work.ops = work_of(entry, "items_per_second", ns);
        result->work.bytes = work_of(entry, "bytes_per_second", ns);
    }
    return foreign_add_sample(result, ns);
}

/* The median of repetitions that the file does not have. */
static int add_median(const struct value *entry, void *context)
{
    struct run *const run = context;
    const double ns = time_of(entry);

    if (strcmp(value_words(entry, "aggregate_name"), "median") || !*name_of(entry) ||
        !(ns > 0 && ns < 1e300))
        return 0;
    struct result *const result = result_of(run, entry);
    if (result->status != STATUS_PENDING)
        return 0;
    foreign_set_median(result, ns);
    result->work.ops = work_of(entry, "items_per_second", ns);
    result->work.bytes = work_of(entry, "bytes_per_second", ns);
    return 0;
}

static void describe(const struct value *context, struct run *run)
{
    const char *const program = value_words(context, "executable");
    const char *const host = value_words(context, "host_name");
    const double cpus = number_of(context, "num_cpus");
    char machine[300] = "";

    if (*host && cpus > 0)
        snprintf(machine, sizeof machine, "%.200s, %.0f CPUs", host, cpus);
    foreign_begin(run, "google-benchmark");
    string_set(&run->started_at, value_words(context, "date"));
    string_set(&run->tool_version, value_words(context, "library_version"));
    strings_add(&run->argv, &run->argc, *program ? program : "?");
    foreign_set_machine(run, machine);
    if (*host)
        facts_text(&run->host, "node", host);
    if (cpus > 0)
        facts_number(&run->host, "cpus", cpus);
}

int json_read_gbench(const struct value *root, struct run *run)
{
    const struct value context = value_member(root, "context");
    const struct value rows = value_member(root, "benchmarks");

    describe(&context, run);
    return value_each(&rows, add_row, run) ?: value_each(&rows, add_median, run);
}
