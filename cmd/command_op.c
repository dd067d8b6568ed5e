/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench gemm ...`: plan, run, write. */
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void on_signal(int number)
{
    interrupted_by = number;
}

/* Is there a place to write to? Found out before hours of measuring, not after. */
static int check_writable(const char *flag, const char *path, struct error *error)
{
    char folder[4096];
    if (!path)
        return 0;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (access(path, F_OK) == 0) {
        if (access(path, W_OK) < 0)
            return error_set(error, -errno, "%s=%s: %s", flag, path, strerror(errno));
        if (strncmp(path, "/dev/", 5) == 0)
            return 0;
    }
    if (slash)
        slash[slash == folder] = '\0';
    if (access(slash ? folder : ".", W_OK | X_OK) < 0)
        return error_set(error, -errno, "%s=%s: cannot write to folder %s: %s", flag,
                         path, slash ? folder : ".", strerror(errno));
    return 0;
}

static void join(const struct text_list *list, const char *otherwise, char *out,
                 size_t size)
{
    size_t length = (size_t)snprintf(out, size, "%s", list->n ? "" : otherwise);
    for (size_t i = 0; i < list->n && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? " " : "",
                                   list->item[i]);
}

static int add_settings(const struct options *options, struct run *run)
{
    const struct {
        const char *name, *otherwise;
        const struct text_list *list;
    } lists[] = {
        {"isa", "auto", &options->isas},
        {"type", "default", &options->types},
        {"semiring", "default", &options->semirings},
        {"sizes", "default", &options->sizes},
        {"shape", "none", &options->shapes},
        {"shapes", "none", &options->shape_lists},
        {"layout", "default", &options->layouts},
        {"input", "default", &options->inputs},
        {"variants", "all", &options->variants},
        {"filter", "none", &options->filters},
        {"baseline", "default", &options->baselines},
        {"plugin", "none", &options->plugins},
        {"events", "none", &options->events},
    };
    int status = facts_text(&run->settings, "op", options->command);
    for (size_t i = 0; i < ARRAY_LEN(lists) && status == 0; i++) {
        char text[1024];
        join(lists[i].list, lists[i].otherwise, text, sizeof text);
        status = facts_text(&run->settings, lists[i].name, text);
    }
    const struct {
        const char *name;
        double number;
    } numbers[] = {
        {"threads", options->threads},
        {"align", (double)options->align},
        {"time_per_case_ns", (double)options->time_per_case_ns},
        {"rounds", options->rounds},
        {"timeout_ns", (double)options->timeout_ns},
    };
    for (size_t i = 0; i < ARRAY_LEN(numbers) && status == 0; i++)
        status = facts_number(&run->settings, numbers[i].name, numbers[i].number);
    if (status == 0)
        status = facts_text(&run->settings, "cache", options->cold ? "cold" : "hot");
    if (status == 0)
        status = facts_text(&run->settings, "pages", options->huge_pages ? "2m" : "4k");
    if (status == 0)
        status = facts_text(&run->settings, "measure",
                            options->accuracy ? "accuracy" : "time");
    if (status == 0)
        status = facts_bool(&run->settings, "in_process", options->in_process);
    if (status == 0)
        status = facts_bool(&run->settings, "multiplex", options->multiplex);
    return status < 0 ? status
                      : facts_text(&run->settings, "check",
                                   options->check_full ? "full" : "auto");
}

static int describe_run(const struct options *options, const struct catalog *catalog,
                        int argc, char **argv, struct run *run)
{
    char text[64];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    run->schema_version = RUN_SCHEMA_VERSION;
    int status = string_set(&run->started_at, text);
    snprintf(text, sizeof text, "%" PRIu64, options->seed);
    const struct {
        char **where;
        const char *text;
    } texts[] = {{&run->seed, text},
                 {&run->tool_version, simdbench_version.number},
                 {&run->tool_commit, simdbench_version.commit},
                 {&run->tool_compiler, simdbench_version.compiler},
                 {&run->tool_flags, simdbench_version.flags}};
    for (size_t i = 0; i < ARRAY_LEN(texts) && status == 0; i++)
        status = string_set(texts[i].where, texts[i].text);
    for (int i = 0; i < argc && status == 0; i++)
        status = strings_add(&run->argv, &run->argc, argv[i]);
    if (status == 0)
        status = add_settings(options, run);
    /* As the worker sees them: under an emulator or a mask it knows best. */
    const cJSON *isa,
        *isas =
            cJSON_GetObjectItemCaseSensitive(catalog->workers[0]->description, "isas");
    cJSON_ArrayForEach(isa, isas)
    {
        if (status == 0 && cJSON_IsString(isa))
            status = strings_add(&run->isas, &run->n_isas, isa->valuestring);
    }
    struct host host;
    host_read(&host, "");
    return status < 0 ? status : host_facts(&host, run);
}

static int write_outputs(const struct options *options, const struct run *run,
                         struct error *error)
{
    int status = 0;
    const struct text_options text = {.colour = terminal_colour(stdout),
                                      .width = terminal_width(stdout)};
    if (options->json)
        status = run_save(run, options->json, error);
    if (options->markdown && status == 0)
        status = report_save(run, FORMAT_MARKDOWN, options->markdown, error);
    if (options->format != FORMAT_TABLE && status == 0)
        status = run_write(run, options->format, &text, stdout, error);
    if (status == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        status = error_set(error, -EIO, "standard output: %s", strerror(errno));
    return status;
}

int command_op(const struct options *options, int argc, char **argv)
{
    struct error error = {.text = ""};
    struct catalog catalog = {.memory_fd = -1};
    struct plan plan = {.n_groups = 0};
    struct run *run = NULL;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);

    struct event event;
    int status =
        options->threads == 1
            ? 0
            : error_set(&error, -EINVAL,
                        "--threads=%u: one thread is all that is measured so far",
                        options->threads);
    for (size_t i = 0; i < options->events.n && status == 0; i++) {
        struct error why = {.text = ""};
        status = event_encode(options->events.item[i], &event, &why);
        if (status < 0)
            error_set(&error, status, "--events: %.480s", why.text);
    }
    if (status == 0)
        status = check_writable("--json", options->json, &error);
    if (status == 0)
        status = check_writable("--markdown", options->markdown, &error);
    if (status == 0)
        status = catalog_make(options, &catalog, &error);
    if (status == 0)
        status = plan_make(options, &catalog, &plan, &error);
    if (status < 0)
        goto out;
    for (size_t i = 0; i < catalog.missing.n && !options->quiet; i++)
        fprintf(stderr, "simdbench: no baseline: %s\n", catalog.missing.item[i]);
    for (size_t i = 0; i < plan.left_out.n && !options->quiet; i++)
        fprintf(stderr, "simdbench: left out: %s\n", plan.left_out.item[i]);
    if (options->dry_run) {
        printf("seed %" PRIu64 "\n", options->seed);
        plan_print(&plan, stdout);
        goto out;
    }
    run = run_new();
    status = run ? describe_run(options, &catalog, argc, argv, run) : -ENOMEM;
    if (status == 0)
        status = run_plan(options, &catalog, &plan, run, &error);
    else
        error_set(&error, status, "out of memory");
    if (status >= 0) {
        int written = write_outputs(options, run, &error);
        status = written < 0 ? written : status;
    }
out:
    if (status == -EINTR)
        status = EXIT_INTERRUPTED;
    if (status < 0) {
        char text[2048]; /* it may quote what was typed or what a module said */
        text_plain(error.text, text, sizeof text);
        fprintf(stderr, "simdbench: %s\n", text);
    }
    run_free(run);
    plan_free(&plan);
    catalog_free(&catalog);
    return status < 0 ? EXIT_USAGE : status;
}
