/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a variant in a child whose old code traps. */
#include "surgery_private.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INT3 = 0xcc, TRIES = JUMPS_MAX + 1, DEFAULT_MS = 10000 };

/* ---- the child ---- */

/* Functions of libc may be among those that trap. */
static long system_call(long number, long a, long b, long c, long d)
{
    long result;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

/* The end of a call: 0, or a signal and its instruction. */
struct ending {
    int signal;
    uint64_t address;
};
static volatile int report_fd;

/* Tells its parent, who ends it. */
static void report(int signal, uint64_t address)
{
    const struct ending ending = {.signal = signal, .address = address};
    system_call(SYS_write, report_fd, (long)(uintptr_t)&ending, sizeof ending, 0);
    for (;;)
        system_call(SYS_pause, 0, 0, 0, 0);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *const at = context;
    report(signal, (uint64_t)at->uc_mcontext.gregs[REG_RIP] - (signal == SIGTRAP));
}

/* All old instructions but the jumps, which were written before. */
static unsigned char *make_poison(const struct surgery *surgery,
                                  const struct block *block)
{
    const uint64_t n = block->hi - block->lo;
    unsigned char *poison = malloc(n);
    if (!poison)
        return NULL;
    memcpy(poison, (const void *)(uintptr_t)block->lo, n);
    for (uint64_t i = 0; i < n; i++)
        if (block->mark[i] & MARK_COVERED)
            poison[i] = INT3;
    FOR_EACH (const struct jump, jump, surgery->jump, surgery->n_jumps) {
        const uint64_t behind = jump->at + JUMP_BYTES;
        const uint64_t bytes = (behind < block->hi ? behind : block->hi) - jump->entry;
        if (block_at(surgery, jump->entry) == block)
            memcpy(poison + (jump->entry - block->lo),
                   (const void *)(uintptr_t)jump->entry, bytes);
    }
    return poison;
}

/* An edit may make it complain, which means nothing. */
static void be_silent(void)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0)
        return;
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
}

static void be_tried(struct surgery_variant *variant, int fd)
{
    struct surgery *surgery = variant->surgery;
    static const int ends[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    const struct rlimit no_core = {0};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    unsigned char *poison[BLOCKS_MAX];
    surgery_function *run;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    be_silent();
    report_fd = fd;
    /* An open descriptor shows the memory of the parent. */
    surgery->memory_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (surgery->memory_fd < 0 || surgery_select(variant, &run, NULL) < 0)
        report(SIGABRT, 0);
    for (size_t i = 0; i < surgery->n_blocks; i++)
        if (!(poison[i] = make_poison(surgery, &surgery->block[i])))
            report(SIGABRT, 0);
    counters_zero(variant);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        sigaction(ends[i], &action, NULL);
    sigemptyset(&action.sa_mask);
    sigprocmask(SIG_SETMASK, &action.sa_mask, NULL);
    for (size_t i = 0; i < surgery->n_blocks; i++) {
        const struct block *const block = &surgery->block[i];
        system_call(SYS_pwrite64, surgery->memory_fd, (long)(uintptr_t)poison[i],
                    (long)(block->hi - block->lo), (long)block->lo);
    }
    surgery->subject.call(run, surgery->subject.context);
    report(0, 0);
}

/* ---- the parent ---- */

static int died(pid_t child, struct error *error)
{
    int status = 0;
    waitpid(child, &status, 0);
    return error_set(error, -ECHILD, "a call of the copy ends by signal %d",
                     WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static int wait_for(pid_t child, int fd, int timeout_ms, struct ending *ending,
                    struct error *error)
{
    struct pollfd from = {.fd = fd, .events = POLLIN};
    int ready, status;
    do
        ready = poll(&from, 1, timeout_ms);
    while (ready < 0 && errno == EINTR);
    if (ready > 0 && read(fd, ending, sizeof *ending) != sizeof *ending)
        return died(child, error);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return ready > 0 ? 0 : error_set(error, -ELOOP, "a call of the copy does not end");
}

static int try_call(struct surgery_variant *variant, int timeout_ms,
                    struct ending *ending, struct error *error)
{
    int ends[2];
    if (pipe(ends) < 0)
        return error_set(error, -errno, "pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0)
        be_tried(variant, ends[1]);
    const int code = errno;
    close(ends[1]);
    const int status = child < 0 ? error_set(error, -code, "fork: %s", strerror(code))
                                 : wait_for(child, ends[0], timeout_ms, ending, error);
    close(ends[0]);
    return status;
}

/* An instruction of the copy, or of other code, that ended the call. */
static int fell(const struct surgery_variant *variant, const struct ending *ending,
                struct error *error)
{
    const uint64_t original = surgery_origin(variant, ending->address);
    char where[96];
    surgery_where(variant->surgery, original ? original : ending->address, where,
                  sizeof where);
    return error_set(error, -ECHILD, "a call of the copy ends by signal %d at %s%s",
                     ending->signal, where, original ? "" : ", which is not copied");
}

static int ran(const struct surgery *surgery, uint64_t address, struct error *error)
{
    char where[96];
    surgery_where(surgery, address, where, sizeof where);
    return error_set(error, -EFAULT, "%s still ran at the old place", where);
}

int surgery_prove(struct surgery_variant *variant, int64_t timeout_ns,
                  struct error *error)
{
    struct surgery *surgery = variant->surgery;
    const int timeout_ms = timeout_ns ? (int)(timeout_ns / 1000000) : DEFAULT_MS;
    uint64_t before = 0;
    for (int i = 0; i < TRIES; i++) {
        struct ending ending = {.signal = 0};
        int status = try_call(variant, timeout_ms, &ending, error);
        if (status < 0 || !ending.signal)
            return status;
        if (ending.signal != SIGTRAP)
            return fell(variant, &ending, error);
        if (ending.address == before || !is_copied(surgery, ending.address))
            return ran(surgery, ending.address, error);
        before = ending.address;
        status = jump_add(surgery, before, error);
        if (status < 0)
            return status;
    }
    return ran(surgery, before, error);
}
