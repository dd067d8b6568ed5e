/* SPDX-License-Identifier: Apache-2.0 */
/* A process of the same user may trace or stop another one, and a parent that is stopped
 * ends no worker that takes too long. As root nothing but a filter of system calls holds.
 */
#include "confine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error.h"

#ifdef __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE AUDIT_ARCH_X86_64
#endif
/* Numbers from here on are those of another interface (x32). */
#define NUMBERS 0x40000000u

/* A call whose data has this value at `offset` is refused. */
struct refusal {
    uint32_t call, offset, value;
};
/* An argument is 64 bits, of which a process number has the lower half. */
#define ARGUMENT(n) (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (n))
#define ALWAYS(call) {call, offsetof(struct seccomp_data, nr), call}

enum { PROLOGUE = 6, PER_REFUSAL = 5 };

static void write_refusal(struct sock_filter *to, const struct refusal *refusal)
{
    const struct sock_filter code[PER_REFUSAL] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refusal->call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, refusal->offset),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refusal->value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    for (size_t i = 0; i < PER_REFUSAL; i++)
        to[i] = code[i];
}

/* Without the flag, older systems would turn off a part of the core's speculation. */
int filter_install(const struct sock_filter *code, size_t n)
{
    const struct sock_fprog program = {(unsigned short)n,
                                       (struct sock_filter *)(uintptr_t)code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                &program) < 0)
        return -errno;
    return 0;
}

int confine(pid_t parent)
{
    const uint32_t pid = (uint32_t)parent, all = (uint32_t)-1;
    const pid_t leader = getpgid(parent);
    const uint32_t group = leader > 0 ? (uint32_t)-leader : all; /* 0: one out of sight */
    const struct refusal refusals[] = {
        {SYS_ptrace, ARGUMENT(1), pid},
        {SYS_kill, ARGUMENT(0), pid},
        {SYS_kill, ARGUMENT(0), group},
        {SYS_kill, ARGUMENT(0), all},
        {SYS_tkill, ARGUMENT(0), pid},
        {SYS_tgkill, ARGUMENT(0), pid},
        {SYS_rt_sigqueueinfo, ARGUMENT(0), pid},
        {SYS_rt_tgsigqueueinfo, ARGUMENT(0), pid},
        {SYS_pidfd_open, ARGUMENT(0), pid},
        {SYS_process_vm_writev, ARGUMENT(0), pid},
        {SYS_prlimit64, ARGUMENT(0), pid},
        /* A folder of /proc is such a descriptor, too. */
        ALWAYS(SYS_pidfd_send_signal),
        /* These let a descriptor, or a terminal, send a signal that stops. */
        {SYS_fcntl, ARGUMENT(1), F_SETSIG},
        {SYS_ioctl, ARGUMENT(1), TIOCSTI},
    };
    struct sock_filter code[PROLOGUE + PER_REFUSAL * ARRAY_LEN(refusals) + 1] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, NUMBERS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
        write_refusal(code + PROLOGUE + PER_REFUSAL * i, &refusals[i]);
    code[ARRAY_LEN(code) - 1] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return filter_install(code, ARRAY_LEN(code));
}

/* A signal tells that the other end of a pipe is closed. Any end may close first. */
void leash_open(int leash[2], pid_t group)
{
    leash[0] = leash[1] = -1;
    if (pipe2(leash, O_CLOEXEC | O_NONBLOCK) < 0)
        return;
    for (int i = 0; i < 2; i++) {
        fcntl(leash[i], F_SETOWN, -group);
        fcntl(leash[i], F_SETSIG, SIGKILL);
        fcntl(leash[i], F_SETFL, O_ASYNC | O_NONBLOCK);
    }
}

void leash_close(int leash[2])
{
    for (int i = 0; i < 2; i++) {
        if (leash[i] >= 0)
            close(leash[i]);
        leash[i] = -1;
    }
}
