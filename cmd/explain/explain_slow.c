/* SPDX-License-Identifier: Apache-2.0 */
/* Finding slow-instruction names the form, what it costs here, and what else does its
 * work; finding call names a function of another module. */
#include "explain_private.h"
#include "reports.h"

#include <string.h>

static const struct {
    const char *forms; /* a glob */
    const char *advice;
} advices[] = {
    {"v*compress* m*", "compress to a register and store that"},
    {"v*expand* *, m*", "load, and expand in a register"},
    {"pdep *", "shifts and masks, or a table"},
    {"pext *", "shifts and masks, or a table"},
    {"vpconflict*", "compare with permutes, or sort indices before"},
    {"lock *", "one atomic operation for many elements"},
    {"xchg m*", "one atomic operation for many elements"},
    {"rep*", "copies of vectors, for so few bytes"},
    {"?fence", "one fence for many elements"},
    {"*maskmovdqu*", "a blend and a store"},
    {"*pcmp?str*", "pcmpeqb and pmovmskb"},
    {"rc[lr] *", "shifts and or"},
    {"bt* m*", "load the word, and test it in a register"},
    {"*hadd*", "shuffles and one addition"},
    {"*hsub*", "shuffles and one subtraction"},
    {"*dpp? *", "a multiplication, then additions of whole vectors"},
    {"vpmullq *", "vpmuludq for the halves, if these are small enough"},
    {"*mul r*", "a multiplication of fewer bits"},
    {"rdtsc*", "read the clock outside of the loop"},
    {"rdrand *", "a generator in software"},
    {"rdseed *", "a generator in software"},
};

/* Whether functions of other modules are what it is about. */
static bool is_call_out(const struct explained_finding *finding)
{
    const char *const share = inspect_fact_name(FACT_out_share);
    for (size_t i = 0; i < finding->n_evidence; i++)
        if (!strcmp(finding->evidence[i].what, share))
            return true;
    return false;
}

static void name_call(const char *name, struct explained_finding *finding)
{
    char text[256];
    snprintf(text, sizeof text,
             "it calls %s again and again, and most instructions are there", name);
    must(string_set(&finding->text, text));
    snprintf(text, sizeof text,
             "do without %s: inline what it does, or call what works on many elements",
             name);
    must(string_set(&finding->remedy, text));
}

static void advise(const struct inspect_loop *loop, struct explained_finding *finding)
{
    const char *const form = loop->dearest_form;
    char text[256];
    snprintf(text, sizeof text, "%s takes %.3g cycles on this CPU", form,
             loop->dearest_each);
    must(string_set(&finding->text, text));
    snprintf(text, sizeof text, "another form: simdbench doctor instructions '%.*s'",
             (int)strcspn(form, " "), form);
    for (size_t i = 0; i < ARRAY_LEN(advices); i++)
        if (text_glob(advices[i].forms, form)) {
            snprintf(text, sizeof text, "%s", advices[i].advice);
            break;
        }
    must(string_set(&finding->remedy, text));
}

void explain_slow(const struct subject *subject, struct explanation *explanation)
{
    const struct inspect_census *const census = &subject->trace.census;
    const char *const name = inspect_cause_name(CAUSE_slow_instruction);
    for (size_t i = 0; i < explanation->n_findings && subject->trace.known; i++)
        if (census->name_out && is_call_out(&explanation->findings[i]))
            name_call(census->name_out, &explanation->findings[i]);
    if (!subject->trace.known || subject->hot_loop >= census->n_loops ||
        !census->loop[subject->hot_loop].dearest_form)
        return;
    for (size_t i = 0; i < explanation->n_findings; i++)
        if (!strcmp(explanation->findings[i].cause, name))
            advise(&census->loop[subject->hot_loop], &explanation->findings[i]);
}
