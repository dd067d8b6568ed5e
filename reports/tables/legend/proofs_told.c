/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

/* The word about head, or that about base alone. */
static const char *unoptimised(const struct result *result)
{
    return result->code.unoptimised ? result->code.unoptimised
           : result->code.proof && result->code.proof->unoptimised
               ? result->code.proof->unoptimised
           : result->code.base_proof ? result->code.base_proof->unoptimised
                                     : NULL;
}

const char *proof_mark(const struct result *result)
{
    const struct code_proof *const proof = result->code.proof, *const base =
                                                                   result->code
                                                                       .base_proof;

    const bool doubted = (proof && proof->doubt) || (base && base->doubt);

    return unoptimised(result) ? (doubted ? "!^" : "!") : doubted ? "^" : "";
}

static void add_proof(const struct result *result, const struct code_proof *proof,
                      struct tally *doubts, struct tally *absent)
{
    if (proof && proof->doubt)
        tally_add(doubts, proof->doubt, strlen(proof->doubt), result->id ?: "");
    if (proof && proof->absent)
        tally_add(absent, proof->absent, strlen(proof->absent), result->id ?: "");
}

void proof_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct tally doubts = {.n = 0}, absent = {.n = 0}, builds = {.n = 0};
    size_t whole = 0, sampled = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        add_proof(result, result->code.proof, &doubts, &absent);
        add_proof(result, result->code.base_proof, &doubts, &absent);
        if (unoptimised(result))
            tally_add(&builds, unoptimised(result), strlen(unoptimised(result)),
                      result->id ?: "");
        if (result->code.proof && !result->code.proof->absent)
            *(executed_whole(&result->code.proof->executed) ? &whole : &sampled) += 1;
    }
    if (whole || sampled) {
        buffer_format(&legend->buffer, "proved: %zu case%s by all instructions of a call",
                      whole, whole == 1 ? "" : "s");
        if (sampled)
            buffer_format(&legend->buffer, ", %zu by sampled windows", sampled);
        legend_flush(legend);
    }
    tally_lines(&doubts, "not what the row says, marked ^", legend);
    tally_lines(&builds, "built without optimisation, marked !", legend);
    tally_lines(&absent, "not proved", legend);
}
