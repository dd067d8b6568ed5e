/* SPDX-License-Identifier: Apache-2.0 */
/* A signal of a crash becomes an error: what a function left behind is not undone, so its
 * process should end soon. */
#include "called_private.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10, WRITE_FAULT = 2 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

/* One call at a time is watched. */
static sigjmp_buf back;
static struct crash seen;

static void on_crash(int number, siginfo_t *info, void *context)
{
    seen = (struct crash){.signal = number,
                          .general = info->si_code == SI_KERNEL,
                          .address = (uintptr_t)info->si_addr};
#ifdef __x86_64__
    const ucontext_t *const at = context;
    seen.write = number == SIGSEGV && (at->uc_mcontext.gregs[REG_ERR] & WRITE_FAULT);
#else
    (void)context;
#endif
    siglongjmp(back, 1);
}

/* The signal stack stays: the runtime of Go keeps that which the first call had. */
int crash_catch(void (*run)(void *context), void *context, struct crash *crash)
{
    struct sigaction old[ARRAY_LEN(signals)];
    const struct sigaction action = {.sa_sigaction = on_crash,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK};
    static char stack[STACK_BYTES];
    stack_t now;
    sigaltstack(NULL, &now);
    if (now.ss_flags & SS_DISABLE)
        sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        sigaction(signals[i], &action, &old[i]);
    const bool crashed = sigsetjmp(back, 1);
    if (!crashed)
        run(context);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        sigaction(signals[i], &old[i], NULL);
    if (crashed)
        *crash = seen;
    return crashed ? -EFAULT : 0;
}

/* The function that is called now. If it ends the process, on_abort() or at_end() writes
 * its name as the last line on standard error, which the message about the death of the
 * process shows. */
static const char *called;

static void tell_end(const char *how)
{
    if (called)
        dprintf(STDERR_FILENO, "%s() %s\n", called, how);
}

static void on_abort(int number)
{
    tell_end("calls abort()");
}

static void at_end(void)
{
    tell_end("calls exit()");
}

int crash_catch_named(const char *name, void (*run)(void *context), void *context,
                      char *text, size_t size)
{
    static bool looks;
    struct crash crash;
    struct sigaction old;
    const struct sigaction action = {.sa_handler = on_abort};
    if (!looks)
        looks = atexit(at_end) == 0;
    sigaction(SIGABRT, &action, &old);
    called = name;
    const int status = crash_catch(run, context, &crash);
    called = NULL;
    sigaction(SIGABRT, &old, NULL);
    if (status < 0)
        crash_text(&crash, text, size);
    return status;
}

void crash_text(const struct crash *crash, char *text, size_t size)
{
    if (crash->signal == SIGSEGV && crash->general)
        snprintf(text, size,
                 "crashes: an access whose address is not aligned, or is no address");
    else if (crash->signal == SIGSEGV && crash->address < 4096)
        snprintf(text, size, "crashes: %s a NULL pointer",
                 crash->write ? "writes through" : "reads through");
    else if (crash->signal == SIGILL)
        snprintf(text, size, "crashes: an instruction that this CPU does not have");
    else if (crash->signal == SIGFPE)
        snprintf(text, size, "crashes: an integer division by zero, or the like");
    else
        snprintf(text, size, "crashes: %s address 0x%llx (%s)",
                 crash->write ? "writes to" : "reads", (unsigned long long)crash->address,
                 strsignal(crash->signal));
}

/* ---- a call, and what it leaves: registers, flags, tables ---- */

enum { FAULTS_OF_RESULTS = ~(CALL_UPPER | CALL_MXCSR) };

struct checked {
    struct made_call *made;
    struct call_faults faults;
};

static void run_checked(void *context)
{
    struct checked *const checked = context;
    thunk_check(checked->made->thunk, &checked->made->frame, &checked->faults);
    made_call_free(checked->made);
}

/* Control words have a remark of the worker. */
static int judge_faults(const struct call_faults *faults, bool *modes, char *note,
                        size_t size, struct error *error)
{
    *note = '\0';
    if (faults->faults & (unsigned)FAULTS_OF_RESULTS)
        return error_set(error, -EDOM, "%s", faults->text);
    *modes |= (faults->faults & CALL_MXCSR) != 0;
    if (faults->faults & CALL_UPPER)
        snprintf(note, size,
                 "leaves upper halves of vector registers in use: SSE code of its caller "
                 "may be slower after it (vzeroupper is missing)");
    return 0;
}

int made_call_run_caught(struct made_call *made, bool *modes, char *note, size_t size,
                         struct crash *crash, struct error *error)
{
    struct checked checked = {.made = made};
    char text[200];
    const int status = crash_catch(run_checked, &checked, crash);
    if (status == -EFAULT) {
        made_call_crash_text(made, crash, text, sizeof text);
        return error_set(error, status, "%s", text);
    }
    return status ?: judge_faults(&checked.faults, modes, note, size, error)
                  ?: tables_check(made, error);
}

int declared_run_checked(struct declared_call *call, bool *modes, char *note, size_t size,
                         struct error *error)
{
    struct made_call *const made = (struct made_call *)call;
    struct crash crash;
    const int status =
        declared_renew(call, error)
            ?: made_call_run_caught(made, modes, note, size, &crash, error);
    if (status != -EFAULT)
        declared_finish(&made->call);
    else
        made_call_name_array(made, error);
    return status;
}
