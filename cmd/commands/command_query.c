/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench report --query`: bare numbers for shells. */
#include <math.h>
#include <string.h>

#include "commands/commands.h"
#include "process/process.h"

/* Over the fastest fair baseline; NAN: there is none. */
static double speedup(const struct run *run, const struct result *result)
{
    double least = NAN;

    FOR_EACH (const struct ratio, ratio, result->summary.ratios,
              result->summary.n_ratios) {
        const char *const label = ratio->baseline;
        const struct versus versus =
            baseline_ratio(run, result, label, id_label(label, result->op ?: ""));
        if (versus.ratio && versus.ranked)
            least = fmin(least, versus.ratio->speedup);
    }
    return least;
}

/* NAN: the case has no such number. */
static double value_of(const struct run *run, const struct result *result,
                       const char *name)
{
    const bool known = result_has_summary(result) && status_has_time(result->status);
    const struct {
        const char *name;
        double value;
    } values[] = {
        {"median_ns", result->summary.median_ns},
        {"gops", result->summary.gops > 0 ? result->summary.gops : NAN},
        {"gbps", result->summary.gbps > 0 ? result->summary.gbps : NAN},
        {"ghz", result->summary.ghz > 0 ? result->summary.ghz : NAN},
        {"share", result->summary.limit.id ? result->summary.limit.share : NAN},
    };
    for (size_t i = 0; i < ARRAY_LEN(values) && known; i++)
        if (!strcmp(values[i].name, name))
            return values[i].value;
    return known ? speedup(run, result) : NAN;
}

int query_print(const struct options *options, const struct run *run)
{
    const char *const name = options->value ? options->value : "median_ns";
    size_t matches = 0, printed = 0;
    char text[NUMBER_SIZE];

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!text_glob(options->query, result->id ?: ""))
            continue;
        matches++;
        const double value = value_of(run, result, name);
        if (!isfinite(value)) {
            complain("%.200s: %s, no %s", result->id, status_name(result->status), name);
            continue;
        }
        text_exact(value, text);
        text_line(stdout, "%s", text);
        printed++;
    }
    if (!matches)
        complain("--query=%.200s: no case matches", options->query);
    return printed && printed == matches ? EXIT_OK : EXIT_NOTHING;
}
