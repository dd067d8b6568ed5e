/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth by working set: for each instruction set and number of threads a table. */
#include "tables.h"
#include "text/text.h"

enum { CELL = 15, KINDS_MAX = 16, BUFFER_WIDTH = 10, LEVEL_WIDTH = 8 };

bool run_is_ladder(const struct run *run)
{
    FOR_EACH (const struct fact, fact, run->settings.fact, run->settings.n)
        if (!strcmp(fact->name, "ladder"))
            return fact->kind == FACT_BOOL && fact->number != 0 && !run->n_sources;
    return false;
}

/* Cases that stand in one table. */
static bool same_table(const struct result *a, const struct result *b)
{
    return text_same(a->isa, b->isa) && text_same(a->type, b->type) &&
           a->threads == b->threads;
}

static bool is_stream(const struct result *result)
{
    return result->work.level && result->work.working_set > 0 &&
           result->status != STATUS_SKIPPED;
}

static bool is_mix(const struct result *result)
{
    return text_same(result->work.level, "registers") && result->status == STATUS_OK;
}

/* "12 KiB" of "12288x342": each buffer's bytes. */
static void buffer_size(const struct result *result, char out[NUMBER_SIZE])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double bytes = 0;
    size_t unit = 0;
    sscanf(result->shape ?: "", "%lf", &bytes);
    for (; bytes >= 1024 && unit + 1 < ARRAY_LEN(units); unit++)
        bytes /= 1024;
    snprintf(out, NUMBER_SIZE, "%.4g %s", bytes, units[unit]);
}

/* "236.1 (63.9)": the rate, and what it is in a cycle of each core; "236.1 noisy". */
static void put_rate(struct buffer *cell, const struct result *result, double rate)
{
    char text[NUMBER_SIZE];
    const bool noisy = result->status == STATUS_NOISY;
    if ((result->status != STATUS_OK && !noisy) || !(rate > 0)) {
        buffer_add(cell, status_name(result->status));
        return;
    }
    text_digits(rate, text);
    buffer_add(cell, text);
    if (noisy)
        buffer_add(cell, " noisy");
    else if (result->summary.ghz > 0 && result->threads > 0)
        buffer_format(cell, " (%.1f)", rate / result->summary.ghz / result->threads);
}

struct table {
    const struct run *run;
    const struct text_options *options;
    FILE *file;
    const struct result *first;
    const char *kinds[KINDS_MAX];
    size_t n_kinds;
    struct buffer scratch;
};

static void find_kinds(struct table *table)
{
    FOR_EACH (const struct result, result, table->run->results, table->run->n_results) {
        size_t k = 0;
        if (!is_stream(result) || !same_table(result, table->first))
            continue;
        while (k < table->n_kinds && !text_same(table->kinds[k], result->variant))
            k++;
        if (k == table->n_kinds && k < KINDS_MAX)
            table->kinds[table->n_kinds++] = result->variant;
    }
}

static void print_padded(const struct table *table, int width, enum tone tone)
{
    const char *const text = buffer_text(&table->scratch);
    const int pad = width - text_width(text);
    fprintf(table->file, "%*s", pad > 1 ? pad : 1, "");
    text_toned(table->file, table->options->colour, tone, text);
}

static void print_heading(struct table *table)
{
    buffer_clear(&table->scratch);
    buffer_tell(&table->scratch, "%s %s", table->first->isa, table->first->type);
    buffer_format(&table->scratch, ", %d thread%s", table->first->threads,
                  table->first->threads == 1 ? "" : "s");
    fputc('\n', table->file);
    text_toned(table->file, table->options->colour, TONE_BOLD,
               buffer_text(&table->scratch));
    fprintf(table->file, "\n%*s  %-*s", BUFFER_WIDTH, "buffer", LEVEL_WIDTH, "level");
    for (size_t k = 0; k < table->n_kinds; k++) {
        buffer_clear(&table->scratch);
        buffer_plain(&table->scratch, table->kinds[k]);
        print_padded(table, CELL, TONE_PLAIN);
    }
    fputc('\n', table->file);
}

static void print_row(struct table *table, size_t first, size_t end)
{
    const struct run *const run = table->run;
    const struct result *head = NULL;
    char size[NUMBER_SIZE];

    for (size_t i = first; i < end && !head; i++)
        if (is_stream(&run->results[i]) && same_table(&run->results[i], table->first))
            head = &run->results[i];
    if (!head)
        return;
    buffer_size(head, size);
    buffer_clear(&table->scratch);
    buffer_plain(&table->scratch, head->work.level);
    const char *const level = buffer_text(&table->scratch);
    const int pad = LEVEL_WIDTH - text_width(level);
    fprintf(table->file, "%*s  %s%*s", BUFFER_WIDTH, size, level, pad > 0 ? pad : 0, "");
    for (size_t k = 0; k < table->n_kinds; k++) {
        enum tone tone = TONE_PLAIN;
        buffer_clear(&table->scratch);
        FOR_EACH (const struct result, one, &run->results[first], end - first)
            if (is_stream(one) && same_table(one, head) &&
                text_same(one->variant, table->kinds[k])) {
                put_rate(&table->scratch, one, one->summary.gbps);
                tone = one->status == STATUS_NOISY ? TONE_DIM : tone;
            }
        print_padded(table, CELL, tone);
    }
    fputc('\n', table->file);
}

static void print_mixes(struct table *table)
{
    const char *separator = "";
    buffer_clear(&table->scratch);
    FOR_EACH (const struct result, result, table->run->results, table->run->n_results) {
        if (!is_mix(result) || !same_table(result, table->first))
            continue;
        buffer_add(&table->scratch, separator);
        buffer_tell(&table->scratch, "%s ", result->variant);
        put_rate(&table->scratch, result, result->summary.gops);
        separator = ", ";
    }
    if (!table->scratch.length)
        return;
    fprintf(table->file, "%*s  ", BUFFER_WIDTH, "registers");
    buffer_add(&table->scratch, " Gop/s");
    text_wrapped(table->file, table->options->width, buffer_text(&table->scratch),
                 BUFFER_WIDTH + 2);
}

static void print_table(struct table *table)
{
    const struct run *const run = table->run;

    find_kinds(table);
    print_heading(table);
    for (size_t first = 0, end; first < run->n_results; first = end) {
        end = run_group_end(run, first);
        print_row(table, first, end);
    }
    print_mixes(table);
    buffer_free(&table->scratch);
}

static bool was_printed(const struct run *run, const struct result *result)
{
    for (const struct result *other = run->results; other < result; other++)
        if ((is_stream(other) || is_mix(other)) && same_table(other, result))
            return true;
    return false;
}

void ladder_table(const struct run *run, const struct text_options *options, FILE *file)
{
    text_wrapped(
        file, options->width,
        "GB/s, and in parentheses bytes (of mixes: operations) in a cycle of each "
        "core; a copy works on two buffers and counts what it reads and writes",
        0);
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        struct table table = {
            .run = run, .options = options, .file = file, .first = result};
        if ((is_stream(result) || is_mix(result)) && !was_printed(run, result))
            print_table(&table);
    }
}
