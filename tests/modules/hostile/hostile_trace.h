/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks of hostile.c on the process that started it, on its siblings, and on the
 * process that traces it. */
#pragma once

#include "hostile_acts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

/* The process that traces this one, 0: none. */
static int tracer(void)
{
    FILE *const file = fopen("/proc/self/status", "r");
    char line[256];
    int pid = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "TracerPid: %d", &pid) == 1)
            break;
    if (file)
        fclose(file);
    return pid;
}

/* ---- the parent ---- */

static void attach_parent(void)
{
    ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
}

static void seize_parent(void)
{
    if (ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0)
        ptrace(PTRACE_INTERRUPT, getppid(), NULL, NULL);
}

static void stop_parent(void)
{
    kill(getppid(), SIGSTOP);
}

static void end_parent(void)
{
    kill(getppid(), SIGKILL);
}

static void stop_parent_thread(void)
{
    syscall(SYS_tgkill, getppid(), getppid(), SIGSTOP);
    syscall(SYS_tkill, getppid(), SIGSTOP);
}

static void stop_parent_by_queue(void)
{
    const siginfo_t info = {.si_code = SI_QUEUE};
    syscall(SYS_rt_sigqueueinfo, getppid(), SIGSTOP, &info);
    syscall(SYS_rt_tgsigqueueinfo, getppid(), getppid(), SIGSTOP, &info);
}

static void stop_parent_by_descriptor(void)
{
    const int fd = (int)syscall(SYS_pidfd_open, getppid(), 0);
    syscall(SYS_pidfd_send_signal, fd, SIGSTOP, NULL, 0);
}

static void stop_parent_by_folder(void)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d", (int)getppid());
    const int fd = open(path, O_RDONLY | O_DIRECTORY);
    syscall(SYS_pidfd_send_signal, fd, SIGSTOP, NULL, 0);
}

/* The kernel sends the signal when there is something to read. */
static void stop_parent_by_socket(void)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return;
    fcntl(pair[0], F_SETOWN, getppid());
    if (fcntl(pair[0], F_SETSIG, SIGSTOP) == 0) {
        fcntl(pair[0], F_SETFL, O_ASYNC);
        if (write(pair[1], "", 1) < 0)
            abort();
    }
}

static void stop_parent_group(void)
{
    kill(-getpgid(getppid()), SIGSTOP);
}

static void limit_parent(void)
{
    const struct rlimit none = {0, 0};
    prlimit(getppid(), RLIMIT_CPU, &none, NULL);
}

static void write_parent(void)
{
    char byte = 0;
    const struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)stop_parent, 1};
    process_vm_writev(getppid(), &here, 1, &there, 1, 0);
}

static void fork_that_attaches(void)
{
    const pid_t parent = getppid();
    if (fork() == 0) {
        ptrace(PTRACE_SEIZE, parent, NULL, NULL);
        ptrace(PTRACE_INTERRUPT, parent, NULL, NULL);
        kill(parent, SIGSTOP);
        for (;;)
            pause();
    }
}

/* ---- others ---- */

static bool is_sibling(pid_t pid)
{
    char path[40], text[512], *end;
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *const file = fopen(path, "r");
    const bool read = file && fgets(text, sizeof text, file);
    if (file)
        fclose(file);
    end = read ? strrchr(text, ')') : NULL;
    return end && sscanf(end, ") %*c %d", &parent) == 1 && parent == getppid() &&
           pid != getpid();
}

static void attach_siblings(void)
{
    DIR *const directory = opendir("/proc");
    const struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && is_sibling(pid))
            ptrace(PTRACE_ATTACH, pid, NULL, NULL);
    }
    if (directory)
        closedir(directory);
}

/* A child traces this process for as long as it lives. */
static void be_traced_by_child(void)
{
    const pid_t self = getpid();
    int pair[2];
    char byte;
    if (pipe(pair))
        return;
    if (fork() == 0) {
        ptrace(PTRACE_SEIZE, self, NULL, NULL);
        if (write(pair[1], "", 1) == 1)
            for (;;)
                pause();
    }
    if (read(pair[0], &byte, 1) != 1)
        abort();
}

static void fork_in_session(void)
{
    if (fork() == 0) {
        alarm(5); /* nobody else ends it */
        setsid();
        for (;;)
            pause();
    }
}

static void fork_and_wait(void)
{
    const pid_t child = fork();
    int status;
    if (child == 0)
        _exit(0);
    waitpid(child, &status, 0);
}

static void fork_and_hang(void)
{
    fork_one();
    hang();
}

static void execute(void)
{
    execl("/bin/true", "true", (char *)NULL);
}

static void execute_nothing(void)
{
    execl("/nowhere", "nowhere", (char *)NULL);
}

static void execute_in_child(void)
{
    int status;
    const pid_t child = vfork();
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
}

static void vfork_and_hang(void)
{
    if (vfork() == 0)
        for (;;)
            pause();
}

/* ---- signals and code ---- */

static void ignore(int number)
{
}

static void raise_trap(void)
{
    raise(SIGTRAP);
}

static void catch_trap(void)
{
    signal(SIGTRAP, ignore);
    raise(SIGTRAP);
}

static void raise_many(void)
{
    signal(SIGUSR1, ignore);
    for (int i = 0; i < 200; i++)
        raise(SIGUSR1);
}

static void be_interrupted(void)
{
    const struct itimerval often = {.it_value = {.tv_usec = 100},
                                    .it_interval = {.tv_usec = 100}};
    signal(SIGALRM, ignore);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void continue_itself(void)
{
    kill(getpid(), SIGCONT);
}

static void wait_a_while(void)
{
    usleep(1000);
}

static void set_dumpable(void)
{
    prctl(PR_SET_DUMPABLE, 0);
}

static void outlive_parent(void)
{
    prctl(PR_SET_PDEATHSIG, 0);
}

static void leave_group(void)
{
    setpgid(0, getppid());
    setsid();
}

#ifdef __x86_64__
static void stop_here(void)
{
    __asm__ volatile("int3");
}

static void step_itself(void)
{
    __asm__ volatile("pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t"
                     "popfq\n\t"
                     "nop\n\t"
                     "pushfq\n\t"
                     "andq $~0x100, (%%rsp)\n\t"
                     "popfq" ::
                         : "memory", "cc");
}

static void ask_cpu(void)
{
    unsigned a = 0, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
}

static void read_time(void)
{
    for (int i = 0; i < 100; i++)
        __asm__ volatile("rdtsc" ::: "rax", "rdx");
}

static void call_old_system(void)
{
    long number = 20;
    __asm__ volatile("int $0x80" : "+a"(number)::"memory");
}
#else
static void stop_here(void)
{
    abort();
}
#define step_itself stop_here
#define ask_cpu stop_here
#define read_time stop_here
#define call_old_system stop_here
#endif

__attribute__((aligned(4096), noinline)) static void page_of_code(void)
{
    __asm__ volatile("" ::: "memory");
}

static void protect_code(void)
{
    mprotect((void *)(uintptr_t)page_of_code, 4096, PROT_NONE);
    page_of_code();
}

static void unmap_code(void)
{
    munmap((void *)(uintptr_t)page_of_code, 4096);
    page_of_code();
}

/* 0xc3 returns. */
UNCHECKED static void write_code(void)
{
    void *const page = (void *)(uintptr_t)page_of_code;
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        for (int i = 0; i < 8; i++)
            ((volatile unsigned char *)page)[i] = 0xc3;
    page_of_code();
}

static void run_new_code(void)
{
    void *const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    memset(page, 0xc3, 4096);
    ((void (*)(void))(uintptr_t)page)();
    munmap(page, 4096);
}

/* ---- other work than that which is timed ---- */

static void write_42(void)
{
    for (uint64_t i = 0; now && i < now->operand[1]->count; i++)
        ((float *)now->operand[1]->data)[i] = 42;
}

static void do_more(void)
{
    for (long i = 0; i < 30000000; i++)
        __asm__ volatile("" ::"r"(i));
}

/* A counter in memory is followed step by step. */
static void do_more_slowly(void)
{
    for (volatile long i = 0; i < 3000000; i++)
        continue;
}

static const struct act trace_acts[] = {{"attach-parent", attach_parent},
                                        {"seize-parent", seize_parent},
                                        {"stop-parent", stop_parent},
                                        {"kill-parent", end_parent},
                                        {"stop-parent-thread", stop_parent_thread},
                                        {"stop-parent-queue", stop_parent_by_queue},
                                        {"stop-parent-pidfd", stop_parent_by_descriptor},
                                        {"stop-parent-proc", stop_parent_by_folder},
                                        {"stop-parent-socket", stop_parent_by_socket},
                                        {"stop-parent-group", stop_parent_group},
                                        {"limit-parent", limit_parent},
                                        {"write-parent", write_parent},
                                        {"fork-attaches", fork_that_attaches},
                                        {"attach-siblings", attach_siblings},
                                        {"traced-by-child", be_traced_by_child},
                                        {"fork-session", fork_in_session},
                                        {"fork-wait", fork_and_wait},
                                        {"fork-hang", fork_and_hang},
                                        {"exec", execute},
                                        {"exec-nothing", execute_nothing},
                                        {"exec-child", execute_in_child},
                                        {"vfork-hang", vfork_and_hang},
                                        {"raise-trap", raise_trap},
                                        {"catch-trap", catch_trap},
                                        {"raise-many", raise_many},
                                        {"interrupted", be_interrupted},
                                        {"continue", continue_itself},
                                        {"wait", wait_a_while},
                                        {"dumpable", set_dumpable},
                                        {"outlive", outlive_parent},
                                        {"leave-group", leave_group},
                                        {"int3", stop_here},
                                        {"step", step_itself},
                                        {"cpuid", ask_cpu},
                                        {"rdtsc", read_time},
                                        {"int80", call_old_system},
                                        {"protect-code", protect_code},
                                        {"unmap-code", unmap_code},
                                        {"write-code", write_code},
                                        {"new-code", run_new_code},
                                        {"write-42", write_42},
                                        {"more", do_more},
                                        {"more-slowly", do_more_slowly}};
