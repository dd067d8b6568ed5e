/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks of hostile.c on the process that it runs in, and on its operands. */
#pragma once

#include "twice.h"

#include <dlfcn.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define UNCHECKED __attribute__((no_sanitize("address", "undefined")))

enum { MEGABYTE = 1 << 20 };

static const struct simdbench_operands *now; /* the operands of a call */
static volatile int forever = 1;

static void *spin(void *context)
{
    while (forever) {
    }
    return context;
}

static void hang(void)
{
    spin(NULL);
}

static void crash(void)
{
    raise(SIGSEGV);
}

static void leave(void)
{
    exit(0);
}

static void leave_at_once(void)
{
    _exit(0);
}

static void stop(void)
{
    raise(SIGSTOP);
}

static void kill_group(void)
{
    kill(0, SIGKILL);
}

UNCHECKED static void recurse(void)
{
    volatile char deep[4096];
    deep[0] = (char)forever;
    if (deep[0])
        recurse();
    deep[1] = deep[0];
}

static void jump(void)
{
    static jmp_buf nowhere;
    longjmp(nowhere, 1);
}

static void trap(void)
{
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    const volatile double zero = 0;
    volatile double gone = 1 / zero;
    (void)gone;
}

static void close_all(void)
{
    for (int fd = 0; fd < 64; fd++)
        close(fd);
}

static void close_standard(void)
{
    for (int fd = 0; fd < 3; fd++)
        close(fd);
}

static void write_socket(void)
{
    if (write(3, "\xff{\"ok\": nan}\n", 13) < 0)
        abort();
}

static void read_socket(void)
{
    char text[100];
    if (read(3, text, sizeof text) < 0)
        abort();
}

/* 100 MB, twice. */
static void print(void)
{
    static char text[MEGABYTE];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "\033[31m\007\xff\x9b hostile\r"[i % 18];
    for (int i = 0; i < 200; i++)
        if (write(1 + i % 2, text, sizeof text) < 0)
            return;
}

static void ignore_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
}

static void block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

static void unblock_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void set_alarm(void)
{
    const struct itimerval soon = {.it_value = {.tv_usec = 1000}};
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void limit(int resource, rlim_t most)
{
    const struct rlimit both = {most, most};
    setrlimit(resource, &both);
}

static void limit_files(void)
{
    limit(RLIMIT_NOFILE, 0);
}

static void limit_size(void)
{
    limit(RLIMIT_FSIZE, 0);
}

static void limit_time(void)
{
    limit(RLIMIT_CPU, 1);
    hang();
}

static void fork_one(void)
{
    if (fork() == 0)
        for (;;)
            pause();
}

static void fork_many(void)
{
    for (int i = 0; i < 30; i++)
        fork_one();
}

static void fork_and_return(void)
{
    if (fork() < 0)
        abort();
}

static void start_threads(void)
{
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, spin, NULL);
}

static void leave_thread(void)
{
    pthread_exit(NULL);
}

static void eat_memory(void)
{
    for (int i = 0; i < 16; i++) {
        void *at = mmap(NULL, 4 * MEGABYTE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at != MAP_FAILED)
            memset(at, 1, 4 * MEGABYTE);
    }
}

static void *page_of(const void *at)
{
    return (void *)((uintptr_t)at & ~(uintptr_t)4095);
}

static void unmap_output(void)
{
    if (now)
        munmap(page_of(now->operand[1]->data), 4096);
}

static void protect_output(void)
{
    if (now)
        mprotect(page_of(now->operand[1]->data), 4096, PROT_READ);
}

static void close_self(void)
{
    Dl_info here;
    if (!dladdr((void *)(uintptr_t)hang, &here))
        abort();
    void *const handle = dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    for (int i = 0; handle && i < 10; i++)
        dlclose(handle);
}

static void change_folder(void)
{
    if (chdir("/"))
        abort();
}

static void change_umask(void)
{
    umask(0777);
}

static void change_locale(void)
{
    setlocale(LC_ALL, "de_DE.UTF-8");
}

static void change_environment(void)
{
    clearenv();
}

static void change_rounding(void)
{
    fesetround(FE_UPWARD);
}

static void drop_subnormals(void)
{
#ifdef __x86_64__
    unsigned mode;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    mode |= 0x8040;
    __asm__ volatile("ldmxcsr %0" ::"m"(mode));
#endif
}

static void change_affinity(void)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

static void be_nice(void)
{
    setpriority(PRIO_PROCESS, 0, 19);
}

static void be_traced(void)
{
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void be_strict(void)
{
    prctl(PR_SET_SECCOMP, 1);
}

static void rename_process(void)
{
    prctl(PR_SET_NAME, "\033[31m)(");
}

UNCHECKED static void write_beyond(void)
{
    if (now)
        ((volatile uint32_t *)now->operand[1]->data)[now->operand[1]->count] ^= 1;
}

UNCHECKED static void write_before(void)
{
    if (now)
        ((volatile uint32_t *)now->operand[1]->data)[-1] ^= 1;
}

static void write_input(void)
{
    if (now)
        ((float *)now->operand[0]->data)[5] += 1;
}

static void write_nan(void)
{
    if (now)
        ((float *)now->operand[1]->data)[7] = NAN;
}

struct act {
    const char *name;
    void (*act)(void);
};

static const struct act acts[] = {{"crash", crash},
                                  {"abort", abort},
                                  {"exit", leave},
                                  {"_exit", leave_at_once},
                                  {"hang", hang},
                                  {"stop", stop},
                                  {"kill-group", kill_group},
                                  {"recurse", recurse},
                                  {"jump", jump},
                                  {"trap", trap},
                                  {"close-all", close_all},
                                  {"close-standard", close_standard},
                                  {"write-socket", write_socket},
                                  {"read-socket", read_socket},
                                  {"print", print},
                                  {"ignore-signals", ignore_signals},
                                  {"block-signals", block_signals},
                                  {"unblock-signals", unblock_signals},
                                  {"alarm", set_alarm},
                                  {"limit-files", limit_files},
                                  {"limit-size", limit_size},
                                  {"limit-time", limit_time},
                                  {"fork", fork_one},
                                  {"fork-many", fork_many},
                                  {"fork-return", fork_and_return},
                                  {"threads", start_threads},
                                  {"leave-thread", leave_thread},
                                  {"memory", eat_memory},
                                  {"unmap", unmap_output},
                                  {"protect", protect_output},
                                  {"dlclose", close_self},
                                  {"folder", change_folder},
                                  {"umask", change_umask},
                                  {"locale", change_locale},
                                  {"environment", change_environment},
                                  {"rounding", change_rounding},
                                  {"subnormals", drop_subnormals},
                                  {"affinity", change_affinity},
                                  {"nice", be_nice},
                                  {"traced", be_traced},
                                  {"seccomp", be_strict},
                                  {"name", rename_process},
                                  {"beyond", write_beyond},
                                  {"before", write_before},
                                  {"input", write_input},
                                  {"nan", write_nan}};
