/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text format of Go benchmarks. Files that differ in a configuration key become
 * tables apart, so there are no keys but those that make times incomparable, and the
 * build.
 */
#include <ctype.h>
#include <math.h>

#include "export.h"
#include "export_rows.h"

/* Names are words whose parts stand between slashes; anything else becomes %XX. */
static void put_word(FILE *file, const char *text, size_t n, const char *unsafe)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte <= ' ' || byte >= 0x7f || strchr("%#", byte) || strchr(unsafe, byte))
            fprintf(file, "%%%02X", byte);
        else
            fputc(byte, file);
    }
}

static void put_part(FILE *file, const char *key, const char *value, size_t n)
{
    if (!n)
        return;
    fputc('/', file);
    put_word(file, key, strlen(key), "/=");
    fputc('=', file);
    put_word(file, value, n, "/");
}

static void put_text(FILE *file, const char *key, const char *value)
{
    put_part(file, key, value, value ? strlen(value) : 0);
}

/* "BenchmarkGemm/type=maxplus-f32/isa=avx512/variant=fma/shape=64x64x64-1"; the number at
 * the end is that of threads. */
static void put_name(FILE *file, const struct export_row *row)
{
    const struct result *result = row->result;
    const char *op = result->op ?: "";
    const bool lower = islower((unsigned char)*op);

    fprintf(file, "Benchmark%c", lower ? toupper((unsigned char)*op) : '_');
    put_word(file, op + lower, strlen(op + lower), "/");
    put_text(file, "type", result->type);
    put_text(file, "isa", result->isa);
    put_text(file, "variant", result->variant);
    put_text(file, "shape", result->shape);
    put_text(file, "layout", result->layout);
    for (size_t i = 0; i < result->n_settings; i++)
        if (strcmp(result->settings[i].name, "threads"))
            put_text(file, result->settings[i].name, result->settings[i].value);
    if (result->module.name || result->source)
        put_part(file, "by", result->id, baseline_label(result));
    if (row->repeat)
        fprintf(file, "/repeat=%u", row->repeat + 1);
    fprintf(file, "-%d", result->threads > 0 ? result->threads : 1);
}

static void put_case(const struct export_row *row, const struct series *series,
                     void *context)
{
    FILE *const file = context;
    char ns[NUMBER_SIZE], rate[NUMBER_SIZE];

    for (size_t i = 0; i < series->n; i++) {
        const double value = series->ns[i];
        const double speed = value > 0 ? export_rate(row->result, value) : 0;
        put_name(file, row);
        text_exact(value, ns);
        fprintf(file, "\t%.0f\t%s ns/op", series->iterations, ns);
        if (speed > 0 && isfinite(speed)) {
            text_exact(speed, rate);
            fprintf(file, "\t%s %s", rate, export_rate_unit(row->result));
        }
        fputc('\n', file);
    }
}

static void put_key(FILE *file, const char *key, const char *value)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};

    buffer_plain(&plain, value);
    if (plain.length)
        fprintf(file, "%s: %s\n", key, buffer_text(&plain));
}

void benchstat_write(const struct run *run, FILE *file)
{
    bool compares = false;

    for (size_t i = 0; i < run->n_results; i++)
        compares |= export_compares(&run->results[i]);
    if (facts_find_text(&run->host, "cpu"))
        put_key(file, "cpu", facts_find_text(&run->host, "cpu"));
    put_key(file, "fingerprint", run->fingerprint);
    if (export_of_one_process(run))
        put_key(file, "samples", EXPORT_NOT_INDEPENDENT);
    fputs("Unit Gop/s better=higher\nUnit GB/s better=higher\n", file);
    if (compares) {
        put_key(file, "arm", export_arm_name(EXPORT_BASE));
        export_each(run, EXPORT_BASE, put_case, file);
        put_key(file, "arm", export_arm_name(EXPORT_HEAD));
    }
    export_each(run, EXPORT_HEAD, put_case, file);
}
