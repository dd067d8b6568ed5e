/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that are made of what other programs print. */
#include "readings.h"
#include "text/text.h"

/* Longer texts are no output of a harness. */
enum { TEXT_MOST = 1 << 26 };

void foreign_begin(struct run *run, const char *harness)
{
    run->schema_version = RUN_SCHEMA_VERSION;
    string_set(&run->started_at, "");
    string_set(&run->tool_version, "");
    string_set(&run->tool_commit, "");
    string_set(&run->tool_compiler, "");
    string_set(&run->tool_flags, "");
    string_set(&run->seed, "");
    facts_text(&run->settings, "harness", harness);
}

void foreign_set_machine(struct run *run, const char *machine)
{
    if (*machine)
        string_set(&run->fingerprint, machine);
}

struct result *foreign_result(struct run *run, const char *name)
{
    FOR_EACH (struct result, result, run->results, run->n_results)
        if (!strcmp(result->id, name))
            return result;
    struct result *const result = run_add_result(run);
    result_set_name(result, name);
    result->group = run->n_results - 1;
    result->threads = result->threads_used = 1;
    result->samples.iterations = 1; /* samples are of one iteration already */
    return result;
}

int foreign_add_sample(struct result *result, double ns)
{
    const int code = result_add_sample(result, (uint32_t)result->samples.n, ns);
    if (!code && result->status == STATUS_PENDING)
        result->status = STATUS_OK;
    return code;
}

void foreign_set_median(struct result *result, double ns)
{
    result->summary.median_ns = result->summary.min_ns = ns;
    string_set(&result->summary.ci_reason, "of another program");
    result_set_status(result, STATUS_OK, NULL);
}

/* ---- texts ---- */

static const struct {
    const char *name;
    harness_reader *reader;
} texts[] = {
    {"catch2", read_catch2},       {"go", read_go},
    {"criterion", read_criterion}, {"divan", read_divan},
    {"nanobench", read_nanobench},
};

/* The number that ends all names of Go as "-8" does, if it is the same in all; else 1. */
static uint32_t go_threads(const char *text)
{
    unsigned long all = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "Benchmark", 9) != 0)
            continue;
        const char *const end = line + strcspn(line, " \t\r\n");
        const char *digits = end;
        while (digits > line && strchr("0123456789", digits[-1]))
            digits--;
        const unsigned long n =
            digits < end && digits[-1] == '-' ? strtoul(digits, NULL, 10) : 1;
        if (strcspn(line, " \t") == strcspn(line, "\r\n"))
            continue; /* a name alone */
        if (n < 1 || n > 65536 || (all && n != all))
            return 1;
        all = n;
    }
    return all ? (uint32_t)all : 1;
}

/* "cpu: ..." is the machine, "goos: ..." its system. */
static void read_go_head(struct run *run, const char *text)
{
    static const char *const keys[] = {"\ncpu: ", "\ngoos: ", "\ngoarch: "};
    FREED_BY(buffer_free) struct buffer machine = {.text = NULL}, whole = {.text = NULL};
    buffer_format(&whole, "\n%.4096s", text);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const char *const found = strstr(buffer_text(&whole), keys[i]);
        const char *const value = found ? found + strlen(keys[i]) : "";
        const size_t length = strcspn(value, "\r\n");
        if (i == 0 && !length)
            break;
        buffer_format(&machine, "%s%.*s", i ? ", " : "", length < 200 ? (int)length : 200,
                      value);
        if (i == 0)
            facts_text(&run->host, "cpu", buffer_text(&machine));
    }
    foreign_set_machine(run, buffer_text(&machine));
}

static int add_reading(struct run *run, const struct reading *reading, uint32_t threads)
{
    struct result *const result = foreign_result(run, reading->name);
    result->threads = result->threads_used = (int)(reading->threads ?: threads);
    if (!reading->reason)
        return foreign_add_sample(result, reading->ns);
    result_set_status(result, STATUS_FAILED, reading->reason);
    return 0;
}

static int fill(struct run *run, size_t which, const char *text,
                const struct readings *readings, uint32_t threads)
{
    int code = 0;
    foreign_begin(run, texts[which].name);
    if (texts[which].reader == read_go)
        read_go_head(run, text);
    for (size_t i = 0; i < readings->n && !code; i++)
        code = add_reading(run, &readings->entry[i], threads);
    return code;
}

int foreign_read_text(struct run *run, const char *text, struct error *error)
{
    const size_t size = strlen(text) + 1;
    int code = size > TEXT_MOST ? 0 : 1;
    for (size_t i = 0; i < ARRAY_LEN(texts) && code > 0; i++) {
        FREED_BY(readings_free) struct readings readings = {.repeats = true};
        const uint32_t threads = texts[i].reader == read_go ? go_threads(text) : 1;
        const struct reading_form form = {.tick_ns = 1, .threads = threads};
        struct error ignored;
        FREED_BY(free_memory) char *copy = copy_text(text);
        texts[i].reader(copy, &form, &readings, &ignored);
        readings_tell_apart(&readings);
        if (readings.n > READINGS_MOST)
            code = -E2BIG;
        else if (readings.n)
            code = fill(run, i, text, &readings, threads);
    }
    return code == 0 && run->n_results ? 0
           : code == -E2BIG
               ? error_set(error, code, "more than %d results", READINGS_MOST)
           : !text[strspn(text, " \t\r\n")]
               ? invalid(error, "the file is empty")
               : invalid(error,
                         "this is no JSON object, and no text of Go, criterion, divan, "
                         "nanobench or Catch2; Google Benchmark writes JSON with "
                         "--benchmark_out=FILE, hyperfine with --export-json=FILE; ab "
                         "compares programs of any harness");
}
