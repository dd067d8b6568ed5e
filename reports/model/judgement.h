/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict about a function that somebody else wrote, as data. Part of model.h. */
#pragma once

#include <stddef.h>

#include "stats/stats.h"
#include "text/fields.h"

/* At a shape: it and the known functions, in common rounds, on operands that none of them
 * had seen. */
struct judged_time {
    char *shape, *reference, *best;   /* names; best: the fastest known function */
    double ns, reference_ns, best_ns; /* medians of a call */
    double to_reference, to_best;     /* speed over that of these, paired */
    struct interval reference_ci, best_ci;
};
struct judgement {
    char *candidate, *op; /* "./new.so:mix_new" */
    char *seed;           /* repeats the verdict: --seed */
    char *reason; /* reason why it is rejected: one word, as in docs/judge.md; NULL: it is
                     accepted */
    char *detail; /* a sentence about it */
    char *note;   /* remark on one that is accepted; or NULL */
    char *same_as;  /* known function that has the same bytes; or NULL */
    uint64_t calls; /* of which all results were compared */
    size_t shapes;  /* at which these were */
    /* The first finding of explain on one that is slower than others or than its limit;
     * NULL: nobody asked, or it finds nothing. */
    char *cause, *cause_text, *cause_shape;
    double cause_share; /* part of the time, as an experiment measured it; 0: none did */
    struct judged_time *time;
    size_t n_times;
};
extern const struct fields judgement_fields; /* in JSON */
void judgement_clear(struct judgement *judgement);
