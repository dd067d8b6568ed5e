/* SPDX-License-Identifier: Apache-2.0 */
/* A child process runs what is measured, and writes what it found into memory that it
 * shares with its parent. If a form kills it, another child goes on with the next one. */
#include "passport_private.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the child ---- */

/* Shared by parent and child. */
struct board {
    bool runs; /* memory can be written and executed */
    bool prepared;
    volatile size_t current; /* form that runs, */
    volatile bool alone;     /* without latencies, as these ended a child */
    struct session session;  /* clock and helpers, once they are known */
    struct passport passport[];
};

static double run_block(__attribute__((unused)) void *context, unsigned char *code,
                        uint64_t turns)
{
    void (*function)(uint64_t);
    memcpy(&function, &code, sizeof function);
    unsigned low, high;
    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
    const uint64_t begin = (uint64_t)high << 32 | low;
    function(turns);
    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
    return (double)(((uint64_t)high << 32 | low) - begin);
}

enum { FORM_SECONDS = 2 };

/* A form that takes too long, or faults, ends the child with the signal's name. */
static void protect(void)
{
    static const int fatal[] = {SIGILL,  SIGSEGV, SIGBUS, SIGFPE,
                                SIGTRAP, SIGSYS,  SIGPROF};
    sigset_t none;
    sigemptyset(&none);
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        signal(fatal[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    cpu_set_t here;
    CPU_ZERO(&here);
    const int cpu = sched_getcpu();
    if (cpu >= 0) {
        CPU_SET(cpu, &here);
        sched_setaffinity(0, sizeof here, &here);
    }
    /* Exceptions are masked, subnormal numbers are zero. */
    __builtin_ia32_ldmxcsr(0x9fc0);
}

static void limit_time(void)
{
    const struct itimerval most = {.it_value.tv_sec = FORM_SECONDS};
    setitimer(ITIMER_PROF, &most, NULL);
}

/* No handler of this program's exit runs in the child. */
__attribute__((noreturn)) static void end_here(void)
{
    for (;;)
        kill(getpid(), SIGKILL);
}

__attribute__((noreturn)) static void
child(struct board *board, const struct passport_form *forms, size_t n, int pipe_fd)
{
    protect();
    unsigned char *const code =
        mmap(NULL, SESSION_BLOCKS * BLOCK_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *const data = mmap(NULL, DATA_BYTES, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED || data == MAP_FAILED)
        end_here();
    board->runs = true;
    struct session session = board->session;
    session.timer = (struct timer){.time = run_block};
    session.data = data;
    for (unsigned i = 0; i < 2; i++) {
        session.block[i].code = code + i * BLOCK_BYTES;
        session.clock[i].code = code + (2 + i) * BLOCK_BYTES;
    }
    limit_time();
    session_prepare(&session, !board->prepared);
    if (!board->prepared) {
        board->session = session;
        board->prepared = true;
    }
    for (; board->current < n; board->current++) {
        limit_time();
        session_measure(&session, &forms[board->current], !board->alone,
                        &board->passport[board->current]);
        board->alone = false;
        if (write(pipe_fd, "", 1) != 1)
            break;
    }
    end_here();
}

/* ---- the parent ---- */

/* Reads until the child ends; -EINTR: `done` wants no more. */
static int watch(int pipe_fd, size_t first, passport_done *done, void *context)
{
    char bytes[256];
    size_t n = first;
    for (;;) {
        const ssize_t got = read(pipe_fd, bytes, sizeof bytes);
        if (got == 0 || (got < 0 && errno != EINTR))
            return 0;
        n += got > 0 ? (size_t)got : 0;
        if (done && done(context, n))
            return -EINTR;
    }
}

static void explain_death(const struct passport_form *form, int signal_number,
                          struct passport *passport)
{
    *passport = (struct passport){.throughput = NAN};
    if (signal_number == SIGILL)
        passport_refuse(passport, "this CPU does not have it:", form->isa);
    else if (signal_number == SIGPROF)
        passport_refuse(passport, "it takes too long", NULL);
    else
        passport_refuse(passport, "it faults:", strsignal(signal_number));
}

/* One child, from form board->current on. Zero, 1 if a form ended it, -errno. */
static int run_child(struct board *board, const struct passport_form *forms, size_t n,
                     passport_done *done, void *context, struct error *error)
{
    int ends[2], status = 0, rc;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set(error, -errno, "pipe: %s", strerror(errno));
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(board, forms, n, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return error_set(error, -errno, "fork: %s", strerror(errno));
    }
    rc = watch(ends[0], board->current, done, context);
    close(ends[0]);
    if (rc < 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (rc < 0)
        return error_set(error, rc, "interrupted");
    if (board->current >= n)
        return 0;
    if (!board->runs)
        return error_set(error, -EPERM,
                         "instructions cannot be measured: this system forbids memory "
                         "that is written and executed");
    if (!board->prepared)
        return error_set(error, -EIO, "instructions cannot be measured: %s",
                         strsignal(WTERMSIG(status)));
    /* A result may be no address, or no number, that the operand can have. */
    if (!board->alone && WTERMSIG(status) != SIGILL) {
        board->alone = true;
        return 1;
    }
    board->alone = false;
    explain_death(&forms[board->current], WTERMSIG(status),
                  &board->passport[board->current]);
    board->current++;
    return 1;
}

int passport_measure(const struct passport_form *forms, size_t n,
                     struct passport *passports, passport_done *done, void *context,
                     struct error *error)
{
    const size_t size = sizeof(struct board) + n * sizeof *passports;
    struct board *const board =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        return error_set(error, -ENOMEM, "no memory for %zu forms", n);
    int status = 1;
    while (status > 0 && board->current < n)
        status = run_child(board, forms, n, done, context, error);
    memcpy(passports, board->passport, n * sizeof *passports);
    munmap(board, size);
    return status < 0 ? status : 0;
}
