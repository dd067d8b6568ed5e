/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench prove --function=GLOB -- COMMAND`: which code a program runs where it calls
 * some functions, and whether that is what was expected. */
#include "foreign_private.h"
#include "output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define ATTACHED_NS INT64_C(10000000000)

static int read_rules(const struct options *options, struct foreign *foreign,
                      struct error *error)
{
    const struct text_list *const texts = &options->prove.rules;
    int status = 0;
    for (size_t i = 0; i < texts->n && status == 0; i++) {
        must_grow(foreign->rules, foreign->n_rules);
        status = rule_parse(texts->item[i], &foreign->rules[foreign->n_rules], error);
        foreign->n_rules += status == 0;
    }
    for (size_t i = 0; i < options->prove.functions.n; i++)
        text_list_add(&foreign->globs, options->prove.functions.item[i]);
    for (size_t i = 0; i < foreign->n_rules && !options->prove.functions.n; i++)
        text_list_add(&foreign->globs, foreign->rules[i].glob);
    return status;
}

static int check_usage(const struct options *options, const struct foreign *foreign,
                       struct error *error)
{
    if (!options->files.n == !options->prove.pid)
        return error_set(error, -EINVAL,
                         "prove takes a command or --pid=N: simdbench prove "
                         "--function='SHA256_*' -- openssl dgst -sha256 file");
    if (!foreign->globs.n)
        return error_set(error, -EINVAL,
                         "which functions? --function=GLOB, as in --function='crc32*' or "
                         "--function='libz:*'");
    return outputs_check(options, error);
}

static int begin(const struct options *options, const struct program_owner *owner,
                 struct foreign *foreign, struct error *error)
{
    const struct text_list *const words = &options->files;
    if (options->prove.pid)
        return program_attach((pid_t)options->prove.pid, owner, &foreign->program, error);
    char **const argv = must_have(calloc(words->n + 1, sizeof *argv));
    for (size_t i = 0; i < words->n; i++)
        argv[i] = words->item[i];
    const int status = program_start(argv, owner, &foreign->program, error);
    free(argv);
    return status;
}

static int run(const struct options *options, struct foreign *foreign,
               struct error *error)
{
    struct program_owner owner = foreign_owner;
    struct error why = {.text = ""};
    owner.context = foreign;
    owner.trace.seed = options->how.seed;
    foreign->random = options->how.seed;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (options->prove.pid)
        foreign->until = now.tv_sec * INT64_C(1000000000) + now.tv_nsec +
                         (options->time_ns ?: ATTACHED_NS);
    int status = begin(options, &owner, foreign, error);
    if (status == 0 && (status = program_run(foreign->program, &why)) < 0)
        error_set(error, status, "cannot run %.200s: %.200s", options->files.item[0],
                  why.text);
    if (foreign->program)
        program_ended(foreign->program, &foreign->status);
    return status;
}

/* ---- afterwards ---- */

struct report {
    const struct foreign *foreign;
    enum format format;
};

static int write_report(const void *context, FILE *file, struct error *error)
{
    const struct report *const report = context;
    return prove_write(report->foreign, report->format, file, error);
}

/* Standard output is the program's, unless it is a process of somebody else. */
static int write_all(const struct options *options, const struct foreign *foreign,
                     struct error *error)
{
    FILE *const file = options->prove.pid ? stdout : stderr;
    int status = 0;
    for (size_t i = 0; i < options->n_outputs && status == 0; i++) {
        const struct report report = {foreign, options->outputs[i].format};
        status = file_save(options->outputs[i].file, write_report, &report, error);
    }
    if (status == 0 && (!options->quiet || options->format_given))
        status = prove_write(foreign, options->format, file, error);
    return status;
}

static int status_of_program(const struct foreign *foreign)
{
    const int status = foreign->status;
    return foreign->options->prove.pid || status == -1 ? EXIT_OK
           : WIFSIGNALED(status)                       ? 128 + WTERMSIG(status)
                                                       : WEXITSTATUS(status);
}

static int exit_status(const struct foreign *foreign)
{
    bool broken = false, missing = false, seen = false;
    EACH_TARGET(foreign, target)
    seen |= target_seen(target) != NULL;
    FOR_EACH (const struct rule, rule, foreign->rules, foreign->n_rules) {
        broken |= rule->broken > 0;
        missing |= !rule->broken && !rule->kept;
    }
    return broken             ? EXIT_REGRESSED
           : !seen || missing ? EXIT_NOTHING
                              : status_of_program(foreign);
}

int command_prove(struct options *options)
{
    struct error error = {.text = ""};
    struct foreign foreign = {.options = options, .status = -1};
    int status = read_rules(options, &foreign, &error);
    if (status == 0)
        status = check_usage(options, &foreign, &error);
    if (status == 0) {
        signals_catch();
        status = run(options, &foreign, &error);
    }
    if (status == 0)
        status = targets_check(&foreign, &error);
    if (status == 0) {
        rules_judge(&foreign);
        status = write_all(options, &foreign, &error);
    }
    if (status == 0)
        status = exit_status(&foreign);
    program_close(foreign.program);
    targets_free(&foreign);
    for (size_t i = 0; i < foreign.n_rules; i++)
        rule_free(&foreign.rules[i]);
    free(foreign.rules);
    text_list_free(&foreign.globs);
    return exit_status_of(status, &error);
}
