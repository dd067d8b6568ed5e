/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of studies: sentences that were learned, counts, and what is not known. */
#include "judge/answer_kinds.h"
#include "study/study.h"

/* Sentences that open a report. */
enum { OPENING = 3 };

/* The sentences of claims that were decided; returns their number. Where a claim that
 * should open the report was not, another one stands in. */
static size_t add_sentences(const struct study *study, bool learned, size_t most,
                            struct answer *answer)
{
    size_t n = 0;

    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims) {
        if (n == most || claim->learned != learned || claim->by_construction)
            continue;
        study_sentence_tell(claim, &answer->text);
        n += answer->text.length > 0;
        answer_next(answer);
    }
    return n;
}

/* Learned sentences come first, claims without an outcome last. */
void studies_answer(const struct run *run, struct answer *answer)
{
    FOR_EACH (const struct study, study, run->studies, run->n_studies) {
        const size_t learned = add_sentences(study, true, OPENING, answer);
        add_sentences(study, false, OPENING - learned, answer);
        study_tell(study, &answer->text);
        answer_next(answer);
        FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims) {
            if (claim->learned)
                study_unlearned_tell(study, claim, &answer->text);
            answer_next(answer);
        }
    }
}
