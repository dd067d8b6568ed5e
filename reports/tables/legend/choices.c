/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "tally.h"

/* The legend stays short; the JSON file has everything. */
enum { LINES_MAX = 6, CHOICES_MAX = 3 };

/* Memory beyond the operands is told of a library, whose call hides it, and of an own
 * kernel that needs more than the work itself moves. */
static bool has_workspace(const struct result *result)
{
    return result->samples.workspace_bytes >
           (result->is_baseline ? 0 : result->work.bytes);
}

static bool has_choice(const struct result *result)
{
    return result->code.implementation != NULL;
}

typedef bool is_told(const struct result *result);

/* Kernels that have something to tell, as ids up to the shape; baselines first. */
static void add_kernels(const struct run *run, is_told *told, struct tally *kernels)
{
    for (int own = 0; own < 2; own++)
        FOR_EACH (const struct result, result, run->results, run->n_results)
            if (result->id && !result->is_roof && result->is_baseline == !own &&
                told(result))
                tally_add(kernels, result->id, strcspn(result->id, "@"), "");
}

static bool is_of(const struct result *result, const struct tally *kernels, size_t k)
{
    size_t length = kernels->entry[k].key_length;

    return result->id && !result->is_roof && strcspn(result->id, "@") == length &&
           !memcmp(result->id, kernels->entry[k].key, length);
}

static void more_line(const char *what, const struct tally *kernels,
                      struct legend *legend)
{
    struct buffer *const buffer = &legend->buffer;
    if (kernels->n <= LINES_MAX)
        return;
    buffer_format(buffer, "%s: %s%zu more kernels in the JSON file", what,
                  kernels->lost ? "over " : "", kernels->n - LINES_MAX);
    legend_flush(legend);
}

void choice_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    struct tally kernels = {.n = 0};

    add_kernels(run, has_choice, &kernels);
    for (size_t k = 0; k < kernels.n && k < LINES_MAX; k++) {
        struct tally choices = {.n = 0};
        for (size_t i = 0; i < run->n_results; i++) {
            const char *choice = run->results[i].code.implementation;
            if (choice && is_of(&run->results[i], &kernels, k))
                tally_add(&choices, choice, strlen(choice), "");
        }
        buffer_add(buffer, "choice: ");
        buffer_plain_n(buffer, kernels.entry[k].key, kernels.entry[k].key_length);
        for (size_t i = 0; i < choices.n && i < CHOICES_MAX; i++) {
            buffer_add(buffer, i ? ", " : ": ");
            buffer_plain(buffer, choices.entry[i].key);
            buffer_format(buffer, " (%zu case%s)", choices.entry[i].count,
                          choices.entry[i].count > 1 ? "s" : "");
        }
        if (choices.n > CHOICES_MAX)
            buffer_format(buffer, ", %s%zu more", choices.lost ? "over " : "",
                          choices.n - CHOICES_MAX);
        legend_flush(legend);
    }
    more_line("choice", &kernels, legend);
}

void workspace_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    struct tally kernels = {.n = 0};
    char lo_text[NUMBER_SIZE], hi_text[NUMBER_SIZE];

    add_kernels(run, has_workspace, &kernels);
    for (size_t k = 0; k < kernels.n && k < LINES_MAX; k++) {
        double lo = INFINITY, hi = 0;
        FOR_EACH (const struct result, result, run->results, run->n_results) {
            if (!is_of(result, &kernels, k) || !has_workspace(result))
                continue;
            lo = fmin(lo, result->samples.workspace_bytes);
            hi = fmax(hi, result->samples.workspace_bytes);
        }
        text_scaled(lo, "B", lo_text);
        text_scaled(hi, "B", hi_text);
        buffer_add(buffer, "workspace: ");
        buffer_plain_n(buffer, kernels.entry[k].key, kernels.entry[k].key_length);
        legend_range(legend, lo_text, hi_text);
        legend_put(legend, " beyond the operands", "");
    }
    more_line("workspace", &kernels, legend);
}
