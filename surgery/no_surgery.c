/* SPDX-License-Identifier: Apache-2.0 */
/* Stubs of surgery for builds that cannot decode instructions. */
#include "insn.h"
#include "never.h"
#include "surgery.h"

int surgery_available(struct error *error)
{
    return error_set(error, -ENOTSUP, "%s",
#ifdef __x86_64__
                     "this simdbench was built without Zydis, which decodes instructions "
                     "(package libzydis-dev)"
#else
                     "code can be copied on x86-64 alone"
#endif
    );
}

int surgery_open(const struct surgery_subject *subject, const uint64_t *executed,
                 size_t n, struct surgery **out, struct error *error)
{
    *out = NULL;
    return surgery_available(error);
}

bool insn_decode(const unsigned char *bytes, size_t n, uint64_t address,
                 struct insn *insn)
{
    return false;
}

void surgery_close(struct surgery *surgery)
{
}

const char *surgery_edit_name(enum surgery_edit edit)
{
    static const char *const names[SURGERY_EDITS] = {
        "chain",   "gather", "divide", "store",  "spill",
        "forward", "call",   "vex",    "cached", "whole"};
    return names[edit];
}

NEVER_CALLED(uint64_t, entry_target, uint64_t table, const unsigned char *entry,
             size_t bytes)
NEVER_CALLED(void, surgery_facts, const struct surgery *surgery,
             struct surgery_facts *facts)
NEVER_CALLED(int, surgery_copy, struct surgery *surgery, unsigned shift,
             struct surgery_variant **out, struct error *error)
NEVER_CALLED(int, surgery_prove, struct surgery_variant *variant, int64_t timeout_ns,
             struct error *error)
NEVER_CALLED(int, surgery_select, struct surgery_variant *variant, surgery_function **run,
             struct error *error)
NEVER_CALLED(int, surgery_restore, struct surgery *surgery, struct error *error)
NEVER_CALLED(int, surgery_code, const struct surgery *surgery, const uint64_t *times,
             char **text, struct error *error)
NEVER_CALLED(bool, surgery_data, const struct surgery *surgery, uint64_t *hash)
NEVER_CALLED(bool, surgery_is_closed, const struct surgery *surgery)
NEVER_CALLED(bool, surgery_has, const struct surgery *surgery, uint64_t address)
NEVER_CALLED(int, surgery_plan_edit, struct surgery *surgery, enum surgery_edit edit,
             const struct surgery_seen *seen, size_t n, size_t *changed,
             struct error *error)
NEVER_CALLED(int, surgery_edit, struct surgery *surgery, enum surgery_edit edit,
             unsigned shift, struct surgery_variant **out, struct error *error)
