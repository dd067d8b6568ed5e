/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row "bad" is right, and then misbehaves in the way that option how=... says; "good"
 * never does. after=N: only from its N-th call on, as the first ones are the check and
 * calibration. Without `how` it is an arm for comparisons: the same op and kernels as all
 * modules of twice.h, nothing wrong with them.
 */
#include "twice.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SOCKET_FD = 3, DESCRIPTORS = 64 };

static char how[32] = "";
static long after = 1, calls;
static volatile int forever = 1;

static void endless(void)
{
    while (forever) {
    }
}

static void *endless_thread(void *context)
{
    endless();
    return context;
}

static void close_all(void)
{
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        close(fd);
}

/* A child that outlives this process and keeps its descriptors. */
static void leave_child(void)
{
    if (fork() == 0) {
        for (;;)
            pause();
    }
}

static void leave_child_and_die(void)
{
    leave_child();
    abort();
}

/* Two processes that both believe to be the worker. */
static void fork_and_return(void)
{
    if (fork() < 0)
        abort();
}

static void leave_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, endless_thread, NULL))
        abort();
    pthread_detach(thread);
}

static void change_rounding(void)
{
    fesetround(FE_UPWARD);
}

static void block_signals(void)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mask, NULL);
}

static void nothing(void)
{
    exit(0);
}

static void kill_group(void)
{
    kill(0, SIGKILL);
}

static void kill_parent(void)
{
    kill(getppid(), SIGKILL);
}

static void flood(void)
{
    static char text[65536];
    memset(text, 'x', sizeof text);
    while (write(SOCKET_FD, text, sizeof text) > 0) {
    }
}

static void overflow(void)
{
    char deep[4096];
    memset(deep, forever, sizeof deep);
    if (deep[calls % 4096])
        overflow();
    forever = deep[0];
}

static const struct {
    const char *name;
    void (*act)(void);
    int signal;
    const char *says;
} ways[] = {{"segv", .signal = SIGSEGV},
            {"abort", .act = abort},
            {"stack", .act = overflow},
            {"hang", .act = endless},
            {"exit", .act = nothing},
            {"stop", .signal = SIGSTOP},
            {"term", .signal = SIGTERM},
            {"kill-group", .act = kill_group},
            {"kill-parent", .act = kill_parent},
            {"close", .act = close_all},
            {"garbage", .says = "what?\n"},
            {"forge", .says = "{\"ok\": true, \"ns\": 1, \"cpu_ns\": 1}\n"},
            {"flood", .act = flood},
            {"child", .act = leave_child},
            {"child-dies", .act = leave_child_and_die},
            {"fork", .act = fork_and_return},
            {"thread", .act = leave_thread},
            {"rounding", .act = change_rounding},
            {"signals", .act = block_signals}};

/* The act that `how` names behind `place`: "prepare-hang" hangs in prepare, "hang" in
 * run. */
static void act(const char *place)
{
    const size_t length = strlen(place);
    if (strncmp(how, place, length) != 0)
        return;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(how + length, ways[i].name) == 0) {
            const char *const says = ways[i].says;
            if (ways[i].act)
                ways[i].act();
            else if (!says)
                raise(ways[i].signal);
            else if (write(SOCKET_FD, says, strlen(says)) < 0)
                abort();
        }
}

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    twice_run(operands, state);
    if (++calls == after)
        act("");
}

static int bad_prepare(const struct simdbench_operands *operands, void **state,
                       char *error, size_t error_size)
{
    act("prepare-");
    return 0;
}

static void bad_release(void *state)
{
    act("release-");
}

static int misbehaves_describe(struct simdbench_description *description)
{
    description->version = "1";
    act("describe-");
    return 0;
}

static int misbehaves_open(const struct simdbench_option *const *options, size_t n,
                           char *error, size_t error_size)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(options[i]->name, "how") == 0) {
            snprintf(how, sizeof how, "%s", options[i]->value);
        } else if (strcmp(options[i]->name, "after") == 0) {
            after = strtol(options[i]->value, NULL, 10);
        } else if (strcmp(options[i]->name, "locale") == 0) {
            if (!setlocale(LC_ALL, options[i]->value)) {
                snprintf(error, error_size, "no locale %s", options[i]->value);
                return -ENOENT;
            }
        } else {
            snprintf(error, error_size, "known options: how, after, locale");
            return -EINVAL;
        }
    }
    act("load-");
    return 0;
}

static const struct simdbench_kernel good = {TWICE_ROW("good", twice_run)};
static const struct simdbench_kernel bad = {
    TWICE_ROW("bad", bad_run), .prepare = bad_prepare, .release = bad_release};

static const struct simdbench_module module = {
    .size = sizeof module,
    .abi = SIMDBENCH_ABI,
    .name = "misbehaves",
    .ops = (const struct simdbench_op *const[]){&twice_op, NULL},
    .kernels = (const struct simdbench_kernel *const[]){&good, &bad, NULL},
    .open = misbehaves_open,
    .describe = misbehaves_describe};

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    return &module;
}
