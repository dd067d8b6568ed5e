/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tally.h"

/* ";input=zero" of an id, or "". */
static const char *settings_of(const struct result *result)
{
    const char *at = strchr(result->id, '@');

    return at ? at + strcspn(at, ";") : "";
}

static bool is_measured(const struct result *result)
{
    return !result->is_roof && !result->is_baseline && result->status == STATUS_OK &&
           result->id;
}

/* True if the cases differ in their shape alone. */
static bool same_kernel(const struct result *a, const struct result *b)
{
    size_t length = strcspn(a->id, "@");

    return strcspn(b->id, "@") == length && !memcmp(a->id, b->id, length) &&
           !strcmp(settings_of(a), settings_of(b)) &&
           !strcmp(a->layout ?: "", b->layout ?: "");
}

struct mean {
    const struct run *run;
    const struct result **sizes; /* of one kernel */
    size_t n;
    double *values; /* room for n */
    struct buffer *buffer;
    const char *separator;
};

/* Begins a part of the line from the first `found` values, if they have a mean. */
static bool add_mean(struct mean *mean, size_t found, int digits, double factor)
{
    double value = factor * stats_geomean(mean->values, found);

    if (found < 2 || !isfinite(value))
        return false;
    buffer_add(mean->buffer, mean->separator);
    buffer_format(mean->buffer, "%.*f", digits, value);
    mean->separator = ", ";
    return true;
}

/* Ends that part: tells the number of sizes unless it is that of all. */
static void add_count(struct mean *mean, size_t found)
{
    if (found < mean->n)
        buffer_format(mean->buffer, " (%zu sizes)", found);
}

static void add_share(struct mean *mean)
{
    size_t found = 0;

    for (size_t i = 0; i < mean->n; i++)
        if (mean->sizes[i]->summary.limit.id)
            mean->values[found++] = mean->sizes[i]->summary.limit.share;
    if (!add_mean(mean, found, 1, 100))
        return;
    buffer_add(mean->buffer, "% of limit");
    add_count(mean, found);
}

static void add_ratio(struct mean *mean, const char *label, size_t length)
{
    bool unpaired = false;
    size_t found = 0;

    for (size_t i = 0; i < mean->n; i++) {
        struct versus versus = baseline_ratio(mean->run, mean->sizes[i], label, length);
        if (!versus.ratio || !versus.ranked)
            continue;
        mean->values[found++] = versus.ratio->speedup;
        unpaired |= versus.ratio->unpaired;
    }
    if (!add_mean(mean, found, 3, 1))
        return;
    buffer_add(mean->buffer, unpaired ? "x~ vs " : "x vs ");
    buffer_plain_n(mean->buffer, length ? label : OWN_LABEL,
                   length ? length : strlen(OWN_LABEL));
    add_count(mean, found);
}

static void add_ratios(struct mean *mean)
{
    struct tally labels = {.n = 0};

    for (size_t i = 0; i < mean->n; i++)
        for (size_t r = 0; r < mean->sizes[i]->summary.n_ratios; r++) {
            const char *id = mean->sizes[i]->summary.ratios[r].baseline ?: "";
            tally_add(&labels, id, id_label(id, mean->sizes[i]->op ?: ""), "");
        }
    for (size_t t = 0; t < labels.n; t++)
        add_ratio(mean, labels.entry[t].key, labels.entry[t].key_length);
}

/* Returns whether there is anything to say. */
static bool mean_line(struct mean *mean)
{
    const struct result *result = mean->sizes[0];

    buffer_format(mean->buffer, "geometric mean of %zu sizes: ", mean->n);
    buffer_plain_n(mean->buffer, result->id, strcspn(result->id, "@"));
    buffer_plain(mean->buffer, settings_of(result));
    if (result->layout)
        buffer_tell(mean->buffer, " (%s)", result->layout);
    mean->separator = " ";
    add_share(mean);
    add_ratios(mean);
    return *mean->separator == ',';
}

void mean_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    const struct result *kernels[TALLY_MAX];
    struct mean mean = {
        .run = run,
        .sizes = must_have(calloc(run->n_results + 1, sizeof *mean.sizes)),
        .values = must_have(calloc(run->n_results + 1, sizeof *mean.values)),
        .buffer = &legend->buffer};
    size_t n = 0;
    bool lost = false;

    for (size_t i = 0; i < run->n_results && !lost; i++) {
        const struct result *result = &run->results[i];
        bool known = !is_measured(result);
        for (size_t k = 0; k < n && !known; k++)
            known = same_kernel(kernels[k], result);
        lost = !known && n == TALLY_MAX;
        if (!known && !lost)
            kernels[n++] = result;
    }
    for (size_t k = 0; k < n; k++) {
        mean.n = 0;
        for (size_t i = 0; i < run->n_results; i++)
            if (is_measured(&run->results[i]) &&
                same_kernel(kernels[k], &run->results[i]))
                mean.sizes[mean.n++] = &run->results[i];
        if (mean.n > 1 && mean_line(&mean))
            legend_flush(legend);
        buffer_clear(&legend->buffer);
    }
    if (lost)
        legend->line("geometric means: of the first kernels only", legend->context);
    FREE_EACH(mean.sizes, mean.values);
}
