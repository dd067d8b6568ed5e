/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

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

/* Kernels that have something to tell, and the rest of the line of one of them. */
struct telling {
    const char *what;
    bool (*told)(const struct result *result);
    void (*tell)(const struct run *run, const struct tally *kernels, size_t k,
                 struct legend *legend);
};

static bool is_of(const struct result *result, const struct tally *kernels, size_t k)
{
    return result->id && !result->is_roof &&
           tally_has(kernels, k, result->id, strcspn(result->id, "@"));
}

/* A line for each kernel, as its id up to the shape; baselines first. */
static void kernel_lines(const struct telling *telling, struct legend *legend)
{
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    struct tally kernels = {.n = 0};

    for (int own = 0; own < 2; own++)
        FOR_EACH (const struct result, result, run->results, run->n_results)
            if (result->id && !result->is_roof && result->is_baseline == !own &&
                telling->told(result))
                tally_add(&kernels, result->id, strcspn(result->id, "@"), "");
    for (size_t k = 0; k < kernels.n && k < LINES_MAX; k++) {
        buffer_format(buffer, "%s: ", telling->what);
        buffer_plain_n(buffer, kernels.entry[k].key, kernels.entry[k].key_length);
        telling->tell(run, &kernels, k, legend);
        legend_flush(legend);
    }
    if (kernels.n > LINES_MAX) {
        buffer_format(buffer, "%s: %s%zu more kernels in the JSON file", telling->what,
                      kernels.lost ? "over " : "", kernels.n - LINES_MAX);
        legend_flush(legend);
    }
}

static void tell_choices(const struct run *run, const struct tally *kernels, size_t k,
                         struct legend *legend)
{
    struct buffer *const buffer = &legend->buffer;
    struct tally choices = {.n = 0};

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const char *const choice = result->code.implementation;
        if (choice && is_of(result, kernels, k))
            tally_add(&choices, choice, strlen(choice), "");
    }
    for (size_t i = 0; i < choices.n && i < CHOICES_MAX; i++) {
        buffer_tell(buffer, "%s%s", i ? ", " : ": ", choices.entry[i].key);
        buffer_format(buffer, " (%zu case%s)", choices.entry[i].count,
                      choices.entry[i].count > 1 ? "s" : "");
    }
    if (choices.n > CHOICES_MAX)
        buffer_format(buffer, ", %s%zu more", choices.lost ? "over " : "",
                      choices.n - CHOICES_MAX);
}

static void tell_workspace(const struct run *run, const struct tally *kernels, size_t k,
                           struct legend *legend)
{
    char lo_text[NUMBER_SIZE], hi_text[NUMBER_SIZE];
    double lo = INFINITY, hi = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!is_of(result, kernels, k) || !has_workspace(result))
            continue;
        lo = fmin(lo, result->samples.workspace_bytes);
        hi = fmax(hi, result->samples.workspace_bytes);
    }
    text_scaled(lo, "B", lo_text);
    text_scaled(hi, "B", hi_text);
    legend_range(legend, lo_text, hi_text);
    buffer_add(&legend->buffer, " beyond the operands");
}

void choice_lines(struct legend *legend)
{
    kernel_lines(&(struct telling){"choice", has_choice, tell_choices}, legend);
    kernel_lines(&(struct telling){"workspace", has_workspace, tell_workspace}, legend);
}
