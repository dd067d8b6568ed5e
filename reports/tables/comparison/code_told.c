/* SPDX-License-Identifier: Apache-2.0 */
/* A gate of code tells its verdict beside that of times. */
#include <math.h>
#include <string.h>

#include "comparison_sheet.h"
#include "tables/legend/tally.h"

void code_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct tally reasons = {.n = 0};
    size_t cases = 0, judged = 0;
    double least = INFINITY, most = -INFINITY;

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const struct code_change *const code =
            result->comparison ? result->comparison->code : NULL;
        if (!code)
            continue;
        cases++;
        judged += code->verdict != CODE_NOT_JUDGED;
        if (code->reason)
            tally_add(&reasons, code->reason, strlen(code->reason), result->id ?: "");
        if (code->base_instructions > 0) {
            const double change = code->head_instructions / code->base_instructions - 1;
            least = fmin(least, change);
            most = fmax(most, change);
        }
    }
    if (!cases)
        return;
    buffer_format(
        &legend->buffer,
        "code: %zu of %zu case%s judged by all instructions of a call, %zu worse", judged,
        cases, cases == 1 ? "" : "s", run_code_worse(run));
    if (least <= most)
        buffer_format(&legend->buffer,
                      "; instructions for an operation change by %+.2f%%", 100 * least);
    if (least < most)
        buffer_format(&legend->buffer, " to %+.2f%%", 100 * most);
    legend_flush(legend);
    tally_lines(&reasons, "code not judged", legend);
}
