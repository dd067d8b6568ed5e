/* SPDX-License-Identifier: Apache-2.0 */
/* A call, and what it leaves: registers, flags, tables. */
#include "called_private.h"

#include <errno.h>
#include <stdio.h>

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
        made_call_finish(made);
    else
        made_call_name_array(made, error);
    return status;
}
