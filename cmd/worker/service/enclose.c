/* SPDX-License-Identifier: Apache-2.0 */
/* A worker whose code is not trusted to be a plain function: it may compute, and take
 * memory, but have no helpers that go on when a call has returned, and no files. */
#include "confine.h"

#include <asm/sockios.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "files.h"
#include "perfctr.h"

enum { CALLS_MAX = 64, SET_SYSCALL_USER_DISPATCH = 59 /* of prctl() */ };

/* Numbers from here on are those of another interface (x32), which confine() refuses. */
static int refuse(const int *calls, size_t n, uint32_t action)
{
    struct sock_filter code[CALLS_MAX + 3] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    for (size_t i = 0; i < n; i++)
        code[1 + i] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], (uint8_t)(n - i), 0);
    code[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
    return filter_install(code, n + 3);
}

/* Calls whose first argument is a process reach this one alone. 0 may mean it too; for
 * signals it is the whole group. */
static int refuse_others(const int *calls, size_t n, bool zero_is_own)
{
    struct sock_filter code[CALLS_MAX + 7] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    for (size_t i = 0; i < n; i++)
        code[1 + i] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], (uint8_t)(n - i), 0);
    const uint32_t own = (uint32_t)getpid();
    const struct sock_filter rest[] = {
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, own, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, zero_is_own ? 0 : own, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    for (size_t i = 0; i < ARRAY_LEN(rest); i++)
        code[1 + n + i] = rest[i];
    return filter_install(code, 1 + n + ARRAY_LEN(rest));
}

/* Others get no signals, and keep their limits. */
static int refuse_reach(void)
{
    static const int signals[] = {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo};
    static const int limits[] = {SYS_prlimit64};
    return refuse_others(signals, ARRAY_LEN(signals), false)
               ?: refuse_others(limits, ARRAY_LEN(limits), true);
}

/* Calls that have one of these values as an argument. */
static int refuse_values(const int *calls, size_t n, unsigned argument,
                         const uint32_t *values, size_t n_values)
{
    struct sock_filter code[CALLS_MAX + 5] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    size_t at = 1;
    for (size_t i = 0; i < n; i++)
        code[at++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], (uint8_t)(n - i), 0);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[at++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS,
        (uint32_t)(offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t)));
    for (size_t i = 0; i < n_values; i++)
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[i],
                                                  (uint8_t)(n_values - i), 0);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    return filter_install(code, at);
}

/* No signal comes when a file can be read or written: a reply is read when a call is
 * over. None comes when this program asks the system or the clock for something. */
static int refuse_signals(void)
{
    static const int files[] = {SYS_fcntl, SYS_ioctl}, process[] = {SYS_prctl};
    static const uint32_t owners[] = {F_SETOWN, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP};
    static const uint32_t traps[] = {PR_SET_TSC, SET_SYSCALL_USER_DISPATCH};
    return refuse_values(files, ARRAY_LEN(files), 1, owners, ARRAY_LEN(owners))
               ?: refuse_values(process, 1, 0, traps, ARRAY_LEN(traps));
}

/* Root's right to the memory of any process. */
static void drop_tracing(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    const uint32_t keep = ~(UINT32_C(1) << CAP_SYS_PTRACE);
    if (syscall(SYS_capget, &header, data) < 0)
        return;
    data[0].effective &= keep;
    data[0].permitted &= keep;
    data[0].inheritable &= keep;
    syscall(SYS_capset, &header, data);
}

int enclose_helpers(void)
{
    static const int calls[] = {
#ifdef SYS_fork
        SYS_fork,
        SYS_vfork,
        SYS_alarm,
#endif
#ifdef SYS_clone3
        SYS_clone3,
#endif
#ifdef SYS_pidfd_getfd
        SYS_pidfd_getfd,
#endif
#ifdef SYS_process_madvise
        SYS_process_madvise,
#endif
        SYS_sched_setscheduler,
        SYS_sched_setparam,
        SYS_sched_setattr,
        SYS_sched_setaffinity,
        SYS_setpriority,
        SYS_adjtimex,
        SYS_clock_adjtime,
        SYS_clock_settime,
        SYS_settimeofday,
        SYS_ioprio_set,
        SYS_pidfd_open,
        SYS_clone,
        SYS_execve,
        SYS_execveat,
        SYS_ptrace,
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_setitimer,
        SYS_timer_create,
        SYS_io_uring_setup,
        SYS_userfaultfd,
        SYS_perf_event_open,
        SYS_bpf,
        SYS_socket,
        SYS_unshare,
        SYS_setns,
        SYS_rt_tgsigqueueinfo};
    drop_tracing();
    const int status = refuse(calls, ARRAY_LEN(calls), SECCOMP_RET_KILL_PROCESS);
    const int reach = status < 0 ? status : refuse_reach();
    return reach < 0 ? reach : refuse_signals();
}

int enclose_files(void)
{
    static const int calls[] = {
#ifdef SYS_open
        SYS_open,         SYS_creat,
#endif
#ifdef SYS_openat2
        SYS_openat2,
#endif
        SYS_openat,       SYS_open_by_handle_at,
        SYS_memfd_create, SYS_shmget,
        SYS_mq_open};
    return refuse(calls, ARRAY_LEN(calls), SECCOMP_RET_ERRNO | EACCES);
}

/* ---- names ---- */

/* Variables of this program; and that by which a shell tells its path. */
static bool names_us(const char *variable)
{
    return !strncmp(variable, "SIMDBENCH_", 10) || !strncmp(variable, "_=", 2);
}

/* The words of the command line lie where /proc/self/stat says. */
static void wipe_arguments(void)
{
    enum { BEFORE = 45 }; /* fields between the state and them */
    char line[2048] = "";
    uintptr_t begin = 0, end = 0;
    file_read("/proc", "/self/stat", line, sizeof line);
    const char *at = strrchr(line, ')');
    at = at ? at + 2 : NULL;
    for (int i = 0; at && i < BEFORE; i++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    if (at && sscanf(at, "%" SCNuPTR " %" SCNuPTR, &begin, &end) == 2 && begin < end)
        memset((void *)begin, 0, end - begin);
}

/* A candidate that is right only where simdbench calls it is no use to anybody. Names
 * are overwritten, as /proc/self/environ shows the memory that they were in. */
void hide_names(void)
{
    char **to = environ;
    clock_script_keep();
    for (char **from = environ; from && *from; from++)
        if (names_us(*from))
            memset(*from, 0, strlen(*from));
        else
            *to++ = *from;
    if (to)
        *to = NULL;
    wipe_arguments();
}
