/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the same work in one call tell of each other what can be done faster. */
#include "explain_private.h"

/* The id without what tells kernels of the same work apart; the caller's. */
static char *work_of(const struct case_name *name)
{
    struct case_name work = *name;
    work.prefix = work.isa = work.variant = NULL;
    return case_name_format(&work);
}

bool is_sibling(const struct case_name *a, const struct case_name *b)
{
    char *const of_a = work_of(a), *const of_b = work_of(b);
    const bool same = !strcmp(of_a, of_b) && !strcmp(a->layout ?: "", b->layout ?: "");
    FREE_EACH(of_a, of_b);
    return same;
}

/* Not paired: the other one is faster for sure if the intervals lie apart, those of
 * processes that differed by chance too. */
void explain_siblings(struct subject *subject, const struct subject *others, size_t n)
{
    const struct result *const mine = variant_result(&subject->base);
    struct interval me, it;
    const double luck = explain_luck(subject, &me);
    FOR_EACH (const struct subject, other, others, n) {
        if (other == subject || !is_sibling(subject->name, other->name))
            continue;
        const struct result *const its = variant_result(&other->base);
        const double its_luck = explain_luck(other, &it);
        if ((its->status == STATUS_OK || its->status == STATUS_NOISY) &&
            mine->summary.ci_ns.known && its->summary.ci_ns.known &&
            it.hi * its->summary.ci_ns.hi < me.lo * mine->summary.ci_ns.lo)
            inspect_fact_faster_way(&subject->facts,
                                    its_luck * its->summary.median_ns /
                                        (luck * mine->summary.median_ns));
    }
    inspect_bounds(&subject->facts);
}
