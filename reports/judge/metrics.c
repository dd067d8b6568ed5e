/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas are text from tables or from any file: one that makes no sense has the value
 * NaN, and its metric is not shown. */
#include <math.h>

#include "metrics.h"

struct known {
    const struct run *run;
    const struct result *result;
};

static double named(const void *context, const char *name, size_t length)
{
    const struct known *const of = context;
    const struct result *const result = of->result;
    const struct {
        const char *name;
        double value;
    } known[] = {
        {"elements", result->work.ops > 0 ? result->work.ops : NAN},
        {"ns", result->summary.median_ns > 0 ? result->summary.median_ns : NAN},
        {"probe-ghz", result->summary.ghz > 0 ? result->summary.ghz : NAN},
        {"tsc-ghz", facts_find_number(&of->run->host, "tsc_ghz")},
    };

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length))
            return known[i].value;
    FOR_EACH (const struct counter, counter, result->samples.counters,
              result->samples.n_counters)
        if (strlen(counter->name) == length && !memcmp(counter->name, name, length))
            return counter->absent || !counter->n ? NAN : counter->value;
    return NAN;
}

void metrics_derive(const struct run *run, struct result *result)
{
    /* A result of another machine keeps the values that were derived there. */
    for (size_t i = 0; i < result->n_metrics && !result->source; i++) {
        const struct known known = {run, result};
        double value = formula_value(result->metrics[i].formula, named, &known);
        if (isfinite(value))
            result->metrics[i].value = value;
    }
}

bool metric_is_doubted(const struct result *result, const struct metric *metric)
{
    FOR_EACH (const struct counter, counter, result->samples.counters,
              result->samples.n_counters) {
        const size_t length = strlen(counter->name);
        for (const char *at = metric->formula; counter->doubt && at && *at;) {
            const size_t token = strcspn(at, " +*/()");
            if (token == length && !memcmp(at, counter->name, length))
                return true;
            at += token ? token : 1;
        }
    }
    return false;
}

bool metrics_text(const struct result *result, struct buffer *buffer)
{
    bool any = false;

    FOR_EACH (const struct metric, metric, result->metrics, result->n_metrics) {
        const char *unit = metric->unit ?: "";
        char number[NUMBER_SIZE];
        if (!metric->asked || !isfinite(metric->value))
            continue;
        /* Misses per element may be very few. */
        if (metric->value < 1)
            snprintf(number, sizeof number, "%.4g", metric->value);
        else
            text_digits(metric->value, number);
        buffer_tell(buffer, "%s%s %s%s%s%s", any ? ", " : "", metric->name, number,
                    metric_is_doubted(result, metric) ? "?" : "",
                    !*unit || !strcmp(unit, "%") ? "" : " ", unit);
        any = true;
    }
    return any;
}
