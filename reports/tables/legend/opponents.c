/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

struct label {
    const char *text;
    size_t length;
};

static bool is_of(const struct result *result, const struct label *label)
{
    return result->id && baseline_label(result) == label->length &&
           !memcmp(result->id, label->text, label->length);
}

/* Tells how many threads ran (CPU time by wall time): perhaps fewer than were asked. */
static void add_threads(const struct run *run, const struct label *label,
                        struct buffer *buffer, const char **separator)
{
    int lo = 0, hi = 0;
    bool unknown = false;

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        int used = result->threads_used;
        if (!is_of(result, label) || result->status != STATUS_OK)
            continue;
        unknown |= used < 1;
        if (used < 1)
            continue;
        lo = lo && lo < used ? lo : used;
        hi = hi > used ? hi : used;
    }
    if (!hi && !unknown)
        return;
    buffer_add(buffer, *separator);
    *separator = ", ";
    if (!hi) {
        buffer_add(buffer, "threads busy unknown");
        return;
    }
    if (lo < hi)
        buffer_format(buffer, "%d to ", lo);
    buffer_format(buffer, "%d thread%s busy", hi, hi > 1 ? "s" : "");
}

static bool ratio_is_of(const struct result *result, size_t r, const struct label *label)
{
    const char *id = result->summary.ratios[r].baseline;

    return id && id_label(id, result->op ?: "") == label->length &&
           !memcmp(id, label->text, label->length);
}

/* Names the variants of a library that has several rows for a case: "direct" of
 * "onednn:conv/f32/lib/direct@X". */
static void add_rows(const struct run *run, const struct label *label,
                     struct buffer *buffer, const char **separator)
{
    struct tally rows = {.n = 0};

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        size_t n = 0;
        for (size_t r = 0; r < result->summary.n_ratios && !is_of(result, label); r++)
            n += ratio_is_of(result, r, label);
        for (size_t r = 0; r < result->summary.n_ratios && n > 1; r++) {
            const char *id = result->summary.ratios[r].baseline;
            size_t end = ratio_is_of(result, r, label) ? strcspn(id, "@") : 0;
            size_t begin = end;
            while (begin && id[begin - 1] != '/')
                begin--;
            if (end)
                tally_add(&rows, id + begin, end - begin, "");
        }
    }
    for (size_t i = 0; i < rows.n; i++) {
        buffer_add(buffer, i ? ", " : *separator);
        buffer_add(buffer, i ? "" : "the fastest of ");
        buffer_plain_n(buffer, rows.entry[i].key, rows.entry[i].key_length);
        *separator = ", ";
    }
}

static bool has_fixed_isa(const struct run *run, const struct label *label)
{
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (result->is_baseline && !result->source && is_of(result, label) &&
            result->isa && strcmp(result->isa, "lib"))
            return true;
    return false;
}

static void baseline_line(const struct result *result, struct legend *legend)
{
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    const struct label label = {result->id, baseline_label(result)};
    const char *separator = ": ";

    buffer_add(buffer, result->is_baseline ? "baseline " : "module ");
    buffer_plain_n(buffer, label.text, label.length);
    separator = legend_part(legend, separator, "version ", result->module.version);
    separator = legend_part(legend, separator, "core type ", result->module.core);
    separator = legend_part(legend, separator, "", result->module.isa);
    if (result->is_baseline) {
        if (has_fixed_isa(run, &label))
            separator = legend_part(legend, separator, "", "within each instruction set");
        add_threads(run, &label, buffer, &separator);
        add_rows(run, &label, buffer, &separator);
    }
    if (*separator == ',')
        legend_flush(legend);
    buffer_clear(buffer);
}

void baseline_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct tally labels = {.n = 0};

    if (run_meets_own(run)) {
        const char *separator = OWN_LABEL ": ";
        const struct label own = {"", 0};
        add_rows(run, &own, &legend->buffer, &separator);
        if (*separator == ',')
            legend_flush(legend);
    }
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        size_t seen = labels.n;
        if (!result->id || (!result->module.name && !result->is_baseline))
            continue;
        tally_add(&labels, result->id, baseline_label(result), "");
        if (labels.n > seen)
            baseline_line(result, legend);
    }
}

void unranked_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct tally reasons = {.n = 0};

    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (result->is_baseline && result->unranked)
            tally_add(&reasons, result->unranked, strlen(result->unranked),
                      result->id ?: "");
    tally_lines(&reasons, "* unranked, in no mean", legend);
}

void source_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    FOR_EACH (const struct source, source, run->sources, run->n_sources) {
        const char *separator = " (";
        bool known = source->fingerprint && run->fingerprint;
        bool here = known && !strcmp(source->fingerprint, run->fingerprint);
        buffer_tell(buffer, "merged %s: %s machine", source->name,
                    here    ? "this"
                    : known ? "another"
                            : "an unknown");
        separator = legend_part(legend, separator, "node ", source->node);
        if (!here) {
            separator =
                legend_part(legend, separator, "fingerprint ", source->fingerprint);
            separator = legend_part(legend, separator, "", source->cpu);
        }
        separator = legend_part(legend, separator, "", source->started_at);
        buffer_add(buffer, *separator == ',' ? ")" : "");
        buffer_add(buffer, "; unpaired (~): of medians of two runs, without interval");
        legend_flush(legend);
    }
}
