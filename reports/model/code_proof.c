/* SPDX-License-Identifier: Apache-2.0 */
#include "code_proof.h"

#include <stdlib.h>

#include "text/text.h"

struct code_proof *code_proof_new(void)
{
    return calloc(1, sizeof(struct code_proof));
}

void code_proof_free(struct code_proof *proof)
{
    if (proof)
        TEXTS_FREE(proof->absent, proof->doubt, proof->modules);
    free(proof);
}
