/* SPDX-License-Identifier: Apache-2.0 */
/* A program from its command line to its end, for prove and capture. */
#include "foreign_private.h"
#include "output/output.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ATTACHED_NS INT64_C(10000000000)
enum { PAUSE_NS = 10000000, CAPTURE_STEPS = 2000 };

static int read_rules(struct foreign *foreign, struct error *error)
{
    const struct options *const options = foreign->options;
    const struct text_list *const texts = &options->prove.rules;
    int status = 0;
    for (size_t i = 0; i < texts->n && status == 0; i++) {
        must_grow(foreign->rules, foreign->n_rules);
        status = rule_parse(texts->item[i], &foreign->rules[foreign->n_rules], error);
        foreign->n_rules += status == 0;
    }
    text_list_add_all(&foreign->globs, &options->prove.functions);
    for (size_t i = 0; i < foreign->n_rules && !options->prove.functions.n; i++)
        text_list_add(&foreign->globs, foreign->rules[i].glob);
    return status;
}

static int check_usage(const struct foreign *foreign, struct error *error)
{
    const struct options *const options = foreign->options;
    if (!options->files.n == !options->prove.pid)
        return invalid(error,
                       "%s takes a command or --pid=N: simdbench %s "
                       "--function='SHA256_*' -- openssl dgst -sha256 file",
                       options->command, options->command);
    if (!foreign->globs.n)
        return invalid(error, "which functions? --function=GLOB, as in "
                              "--function='crc32*' or --function='libz:*'");
    return outputs_check(options, error);
}

static int begin(struct foreign *foreign, struct error *error)
{
    const struct options *const options = foreign->options;
    const struct program_owner *const owner = &foreign->owner;
    const struct text_list *const words = &options->files;
    if (options->prove.pid)
        return program_attach((pid_t)options->prove.pid, owner, &foreign->program, error);
    FREED_BY(free_memory) char **argv = must_have(calloc(words->n + 1, sizeof *argv));
    for (size_t i = 0; i < words->n; i++)
        argv[i] = words->item[i];
    return program_start(argv, owner, &foreign->program, error);
}

int foreign_apart(const struct options *options)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const pid_t self = getpid();
    int status = 0, passed = 0;
    if (!options->prove.pid)
        return -1;
    signals_catch();
    const pid_t tracer = fork();
    if (tracer == 0) {
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != self)
            interrupted_by = SIGTERM;
    }
    if (tracer <= 0)
        return -1;
    while (waitpid(tracer, &status, WNOHANG) == 0) {
        if (interrupted_by != passed && kill(tracer, interrupted_by) == 0)
            passed = interrupted_by;
        nanosleep(&pause, NULL);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int foreign_read(struct foreign *foreign, struct error *error)
{
    return read_rules(foreign, error) ?: check_usage(foreign, error);
}

int foreign_run(struct foreign *foreign, struct error *error)
{
    const struct options *const options = foreign->options;
    struct error why = {.text = ""};
    foreign->owner = foreign_owner;
    foreign->owner.context = foreign;
    if (foreign->capturing) { /* the registers that it reads are all that is asked */
        foreign->owner.trace.max_steps = CAPTURE_STEPS;
        foreign->owner.trace.windows = 1;
    }
    foreign->owner.trace.seed = foreign->random = options->how.seed;
    signals_catch();
    if (options->prove.pid)
        foreign->until = clock_now() + (options->time_ns ?: ATTACHED_NS);
    int status = begin(foreign, error);
    if (status == 0 && (status = program_run(foreign->program, &why)) < 0)
        error_set(error, status, "cannot run %.200s: %.200s", options->files.item[0],
                  why.text);
    if (foreign->program)
        foreign->ended = program_ended(foreign->program, &foreign->status);
    return status;
}

int foreign_status(const struct foreign *foreign)
{
    const int status = foreign->status;
    return foreign->options->prove.pid || status == -1 ? EXIT_OK
           : WIFSIGNALED(status)                       ? 128 + WTERMSIG(status)
                                                       : WEXITSTATUS(status);
}

FILE *foreign_stream(const struct foreign *foreign)
{
    return foreign->options->prove.pid ? stdout : stderr;
}

void foreign_free(struct foreign *foreign)
{
    program_close(foreign->program);
    targets_free(foreign);
    for (size_t i = 0; i < foreign->n_rules; i++)
        rule_free(&foreign->rules[i]);
    FREE_EACH(foreign->rules, foreign->placed);
    text_list_free(&foreign->globs);
}
