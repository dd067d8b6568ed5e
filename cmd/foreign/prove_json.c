/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a proof for programs: a document of its own, and a run for JUnit and
 * annotations. */
#include "foreign_private.h"
#include "output/output.h"

#include <inttypes.h>

/* ---- JSON ---- */

static void put_hex(struct json *json, cJSON *to, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    json_text(json, to, name, text);
}

static void put_seen(struct json *json, cJSON *list, const struct seen *seen)
{
    cJSON *const call = json_object(json, list, NULL);
    json_number(json, call, "process", seen->call.process);
    put_hex(json, call, "caller", seen->call.caller);
    if (seen->error) {
        json_plain(json, call, "error", seen->error);
        return;
    }
    json_bool(json, call, "whole", seen->whole);
    json_number(json, call, "instructions", seen->instructions);
    json_number(json, call, "seconds", seen->seconds);
    json_text(json, call, "isa", seen->isa);
    json_number(json, call, "bits", seen->bits);
    json_number(json, call, "vector_share", seen->vector);
    json_number(json, call, "scalar_share", seen->scalar);
    cJSON *const arguments = json_array(json, call, "arguments");
    for (unsigned i = 0; i < PROGRAM_ARGUMENTS; i++)
        if (seen->arguments >> i & 1)
            put_hex(json, arguments, NULL, seen->call.argument[i]);
    if (!seen->loop)
        return;
    cJSON *const loop = json_object(json, call, "hot_loop");
    json_plain(json, loop, "where", seen->loop);
    if (seen->source)
        json_plain(json, loop, "source", seen->source);
    json_number(json, loop, "share", seen->loop_share);
    json_number(json, loop, "instructions", seen->turn);
    json_number(json, loop, "spills", seen->spills);
    json_number(json, loop, "calls", seen->calls);
}

static void put_target(struct json *json, cJSON *list, const struct foreign *foreign,
                       const struct target *target)
{
    cJSON *const function = json_object(json, list, NULL);
    json_plain(json, function, "name", target->name);
    if (target->demangled)
        json_plain(json, function, "demangled", target->demangled);
    if (target->chosen)
        json_plain(json, function, "target", target->chosen);
    json_plain(json, function, "object", target->file->path);
    json_number(json, function, "calls", (double)target->calls);
    json_bool(json, function, "calls_exact", target_is_counted(foreign, target));
    cJSON *const traced = json_array(json, function, "traced");
    for (size_t i = 0; i < target->n_seen; i++)
        put_seen(json, traced, &target->seen[i]);
}

static void put_rule(struct json *json, cJSON *list, const struct foreign *foreign,
                     const struct rule *rule)
{
    cJSON *const object = json_object(json, list, NULL);
    json_plain(json, object, "rule", rule->text);
    json_text(json, object, "verdict",
              rule->broken ? "failed"
              : rule->kept ? "kept"
                           : "not called");
    json_number(json, object, "functions", (double)(rule->kept + rule->broken));
    cJSON *const failures = json_array(json, object, "failures");
    FREED_BY(buffer_free) struct buffer why = {.text = NULL};
    EACH_TARGET(foreign, target)
    {
        buffer_clear(&why);
        if (!rule_breaks(foreign, rule, target, &why))
            continue;
        cJSON *const failure = json_object(json, failures, NULL);
        json_plain(json, failure, "function", target->name);
        json_plain(json, failure, "object", target->file->path);
        json_plain(json, failure, "reason", buffer_text(&why));
    }
}

static void put_program(struct json *json, cJSON *root, const struct foreign *foreign)
{
    const struct program_cost cost = program_cost(foreign->program);
    cJSON *const program = json_object(json, root, "program");
    cJSON *const command = json_array(json, program, "command");
    const struct text_list *const words = &foreign->options->files;
    for (size_t i = 0; i < words->n; i++)
        json_plain(json, command, NULL, words->item[i]);
    if (foreign->options->prove.pid)
        json_number(json, program, "pid", foreign->options->prove.pid);
    const int status = foreign->status;
    if (status != -1 && WIFSIGNALED(status))
        json_number(json, program, "signal", WTERMSIG(status));
    else if (status != -1)
        json_number(json, program, "status", WEXITSTATUS(status));
    json_number(json, program, "processes", (double)cost.processes);
    json_number(json, program, "stops", (double)cost.stops);
    json_number(json, program, "held_up_seconds", cost.seconds);
    json_bool(json, program, "tracing_ended_early", foreign->spent);
}

int prove_write_json(const struct foreign *foreign, FILE *file, struct error *error)
{
    struct json json = {.root = NULL};
    char date[24];
    date_text(date);
    cJSON *const root = json_object(&json, NULL, NULL);
    json_number(&json, root, "prove", 1);
    json_text(&json, root, "tool_version", simdbench_version.number);
    json_text(&json, root, "written_at", date);
    put_program(&json, root, foreign);
    cJSON *const functions = json_array(&json, root, "functions");
    EACH_TARGET(foreign, target)
    if (!target->resolver)
        put_target(&json, functions, foreign, target);
    cJSON *const rules = json_array(&json, root, "rules");
    FOR_EACH (const struct rule, rule, foreign->rules, foreign->n_rules)
        put_rule(&json, rules, foreign, rule);
    return json_end(&json, file, error);
}

/* ---- a run ---- */

/* All that the rules have against a function; empty: nothing. */
static void add_complaints(const struct foreign *foreign, const struct target *target,
                           struct buffer *text)
{
    FOR_EACH (const struct rule, rule, foreign->rules, foreign->n_rules)
        rule_breaks(foreign, rule, target, text);
}

static void add_result(const struct foreign *foreign, const struct target *target,
                       struct run *run)
{
    struct result *const result = run_add_result(run);
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    buffer_format(&text, "%s:%s", target->file->name, target->name);
    result_set_name(result, buffer_text(&text));
    string_set(&result->id, buffer_text(&text));
    buffer_clear(&text);
    add_complaints(foreign, target, &text);
    const struct seen *const seen = target_seen(target);
    if (text.length)
        result_set_status(result, STATUS_WRONG, buffer_text(&text));
    else if (!seen)
        result_set_status(result, STATUS_SKIPPED,
                          target->calls ? "it was called, but not traced"
                                        : "it was not called");
    else
        result_set_status(result, STATUS_OK, NULL);
}

/* A rule that is about nothing that ran. */
static void add_missing(const struct rule *rule, struct run *run)
{
    struct result *const result = run_add_result(run);
    result_set_name(result, rule->text);
    string_set(&result->id, rule->text);
    result_set_status(result, STATUS_FAILED,
                      "no function that the rule is about was seen to be called");
}

int prove_write_run(const struct foreign *foreign, enum format format, FILE *file,
                    struct error *error)
{
    const struct plan plan = {.n_cpu = 0};
    const struct text_options plain = {.width = 0};
    FREED_BY(run_delete) struct run *run = run_describe(foreign->options, NULL, &plan);
    EACH_TARGET(foreign, target)
    if (!target->resolver)
        add_result(foreign, target, run);
    FOR_EACH (const struct rule, rule, foreign->rules, foreign->n_rules)
        if (!rule->kept && !rule->broken)
            add_missing(rule, run);
    return run_write(run, format, &plain, file, error);
}
