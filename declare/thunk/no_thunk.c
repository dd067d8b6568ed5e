/* SPDX-License-Identifier: Apache-2.0 */
/* Thunks are refused on any machine but x86-64. */
#include "declare.h"
#include "never.h"

int thunk_make(const struct call_signature *signature, const void *function,
               struct thunk **out, struct error *error)
{
    *out = NULL;
    return error_set(error, -ENOTSUP, "declared functions are called on x86-64 alone");
}

void thunk_free(struct thunk *thunk)
{
}

NEVER_CALLED(call_code *, thunk_code, const struct thunk *thunk)
NEVER_CALLED(call_code *, thunk_jump, const struct thunk *thunk)
NEVER_CALLED(void, thunk_check, struct thunk *thunk, struct call_frame *frame,
             struct call_faults *faults)
