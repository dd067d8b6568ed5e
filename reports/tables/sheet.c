/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sheet.h"

/* A memory stream has its bytes behind the '@' of its id, an instruction mix the place of
 * its operands ("roof/f32/avx512/fma@registers"), and a part of the work the shape of the
 * case, which is more than a number. */
static bool is_stream(const char *limit_id)
{
    const char *at = strchr(limit_id, '@');
    const size_t digits = at ? strspn(at + 1, "0123456789") : 0;

    return digits && (at[1 + digits] == '\0' || at[1 + digits] == ';');
}

/* True if the rate is one of bytes: memory limits the case, or one that it is compared
 * with. */
static bool in_bytes(const struct run *run, const struct result *result)
{
    const struct result *first = result, *end = run->results + run->n_results;

    if (!(result->work.ops > 0) || result->is_roof)
        return !(result->work.ops > 0);
    if (result->limit_id)
        return is_stream(result->limit_id);
    while (first > run->results && first[-1].group == result->group)
        first--;
    for (; first < end && first->group == result->group; first++)
        if (first->limit_id && !first->is_baseline)
            return is_stream(first->limit_id);
    return false;
}

static struct column *add_column(struct sheet *sheet, enum column_kind kind,
                                 const char *title)
{
    struct column *column = &sheet->column[sheet->n++];

    *column = (struct column){.kind = kind};
    snprintf(column->title, sizeof column->title, "%s", title);
    return column;
}

static bool has_key(const struct sheet *sheet, enum column_kind kind, const char *key,
                    size_t length)
{
    for (size_t i = 0; i < sheet->n; i++)
        if (sheet->column[i].kind == kind && sheet->column[i].key_length == length &&
            !memcmp(sheet->column[i].key, key, length))
            return true;
    return false;
}

/* "vs openblas" over "coretype=SkylakeX": options stand below the name, and the name
 * below its file. */
static void add_baseline(struct sheet *sheet, const char *label, size_t length)
{
    struct column *column = add_column(sheet, COLUMN_RATIO, "");
    size_t name = 0;
    char text[CELL_SIZE];

    while (name < length && label[name] != ',' && label[name] != ':')
        name++;
    column->key = label;
    column->key_length = length;
    if (!length) {
        snprintf(column->title, CELL_SIZE, "vs " OWN_LABEL);
        return;
    }
    snprintf(text, sizeof text, "vs %.*s", (int)name, label);
    text_plain(text, name < length ? column->top : column->title, CELL_SIZE);
    if (name == length)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(length - name - 1), label + name + 1);
    text_plain(text, column->title, CELL_SIZE);
}

/* Own kernels, if a plug-in meets any, come first, and baselines of merged files last. */
static void add_baselines(struct sheet *sheet, const struct run *run)
{
    size_t first = sheet->n;

    if (run_meets_own(run))
        add_baseline(sheet, "", 0);
    for (int merged = 0; merged < 2; merged++)
        FOR_EACH (const struct result, result, run->results, run->n_results) {
            size_t length = baseline_label(result);
            if (result->is_baseline && !result->source == !merged &&
                sheet->n < first + BASELINE_COLUMNS && length &&
                !has_key(sheet, COLUMN_RATIO, result->id, length))
                add_baseline(sheet, result->id, length);
        }
}

static void add_relative(struct sheet *sheet, const struct run *run)
{
    const char *const name = facts_find_text(&run->settings, "relative_to");
    char text[CELL_SIZE];

    if (!name)
        return;
    snprintf(text, sizeof text, "vs %.60s", name);
    text_plain(text, add_column(sheet, COLUMN_RELATIVE, "")->title, CELL_SIZE);
}

static void add_counters(struct sheet *sheet, const struct run *run)
{
    for (size_t i = 0; i < run->n_results; i++)
        FOR_EACH (const struct counter, counter, run->results[i].samples.counters,
                  run->results[i].samples.n_counters) {
            size_t length = strlen(counter->name);
            if (counter->asked && sheet->n < COLUMNS_MAX &&
                !has_key(sheet, COLUMN_COUNTER, counter->name, length)) {
                struct column *column = add_column(sheet, COLUMN_COUNTER, "");
                column->key = counter->name;
                column->key_length = length;
                text_plain(counter->name, column->title, CELL_SIZE);
            }
        }
}

void sheet_make(struct sheet *sheet, const struct run *run)
{
    bool limit = false, accuracy = false;

    *sheet = (struct sheet){.run = run};
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (result->is_roof)
            continue;
        sheet->gbps |= in_bytes(run, result);
        sheet->gops |= !in_bytes(run, result);
        limit |= result->limit_id != NULL;
        accuracy |= result->accuracy.known;
    }
    add_column(sheet, COLUMN_TIME, "time");
    add_column(sheet, COLUMN_INTERVAL, "\u00b195%");
    add_column(sheet, COLUMN_RATE,
               sheet->gops && sheet->gbps ? "rate"
               : sheet->gbps              ? "GB/s"
                                          : "Gop/s");
    if (limit)
        add_column(sheet, COLUMN_LIMIT, "of limit");
    if (accuracy)
        add_column(sheet, COLUMN_ULP, "max ulp");
    add_relative(sheet, run);
    add_baselines(sheet, run);
    add_column(sheet, COLUMN_GHZ, "GHz");
    add_counters(sheet, run);
}

void sheet_drop(struct sheet *sheet, enum column_kind kind)
{
    size_t kept = 0;

    for (size_t i = 0; i < sheet->n; i++)
        if (sheet->column[i].kind != kind)
            sheet->column[kept++] = sheet->column[i];
    sheet->n = kept;
}

static void interval_cell(const struct result *result, char *text)
{
    const struct interval *ci = &result->summary.ci_ns;
    double half =
        fmax(ci->hi - result->summary.median_ns, result->summary.median_ns - ci->lo);
    double percent = 100 * half / result->summary.median_ns;

    if (result->samples.shared)
        snprintf(text, CELL_SIZE, "shared");
    else if (ci->known && percent >= 999.5)
        snprintf(text, CELL_SIZE, ">999%%");
    else if (ci->known && result->summary.median_ns > 0)
        snprintf(text, CELL_SIZE, "\u00b1%.*f%%", percent < 9.995 ? 2 : 1, percent);
}

/* The cell tells the unit if the title does not. */
static void rate_cell(const struct sheet *sheet, const struct result *result, char *text)
{
    bool bytes = in_bytes(sheet->run, result);
    double rate = bytes ? result->summary.gbps : result->summary.gops;
    char digits[NUMBER_SIZE];

    if (!(rate > 0))
        return;
    text_digits(rate, digits);
    snprintf(text, CELL_SIZE, "%s%s", digits,
             !(bytes ? sheet->gops : sheet->gbps) ? ""
             : bytes                              ? " GB/s"
                                                  : " Gop/s");
}

static void ulp_cell(const struct result *result, char *text)
{
    double ulp = result->accuracy.max_ulp;

    if (result->accuracy.known && isfinite(ulp))
        snprintf(text, CELL_SIZE, "%.*f", ulp < 99.995 ? 2 : 0, ulp);
}

static void speedup_digits(double value, char out[NUMBER_SIZE])
{
    if (value < 1)
        snprintf(out, NUMBER_SIZE, "%.3f", value);
    else
        text_digits(value, out);
}

/* "1.20x [1.19, 1.21]"; behind the x a star if the baseline is unranked, a tilde if the
 * ratio is unpaired. */
static void put_ratio(const struct column *column, const struct ratio *ratio, bool ranked,
                      char *text, enum tone *tone)
{
    char value[NUMBER_SIZE], lo[NUMBER_SIZE], hi[NUMBER_SIZE];
    int length;

    speedup_digits(ratio->speedup, value);
    length = snprintf(text, CELL_SIZE, "%sx%s%s", value, ranked ? "" : "*",
                      ratio->unpaired ? "~" : "");
    if (!ratio->ci.known)
        return;
    speedup_digits(ratio->ci.lo, lo);
    speedup_digits(ratio->ci.hi, hi);
    if (!column->compact)
        snprintf(text + length, CELL_SIZE - (size_t)length, " [%s, %s]", lo, hi);
    if (!ranked)
        *tone = TONE_DIM;
    else if (ratio->ci.lo > 1)
        *tone = TONE_GOOD;
    else if (ratio->ci.hi < 1)
        *tone = TONE_BAD;
}

static void ratio_cell(const struct sheet *sheet, const struct column *column,
                       const struct result *result, char *text, enum tone *tone)
{
    struct versus versus =
        baseline_ratio(sheet->run, result, column->key, column->key_length);

    if (versus.ratio)
        put_ratio(column, versus.ratio, versus.ranked, text, tone);
}

/* The factor by which it is faster than the row that the run names. */
static void relative_cell(const struct sheet *sheet, const struct column *column,
                          const struct result *result, char *text, enum tone *tone)
{
    const struct result *const base = relative_base(sheet->run, result);
    struct ratio ratio = {.unpaired = true};

    if (!base || !result_has_summary(result) || !(result->summary.median_ns > 0))
        return;
    ratio.speedup = base->summary.median_ns / result->summary.median_ns;
    const struct speedup speedup = result_speedup(result, base);
    if (speedup.rounds)
        ratio = (struct ratio){.speedup = speedup.times, .ci = speedup.ci};
    put_ratio(column, &ratio, true, text, tone);
}

static void counter_cell(const struct column *column, const struct result *result,
                         char *text)
{
    FOR_EACH (const struct counter, counter, result->samples.counters,
              result->samples.n_counters) {
        if (strcmp(counter->name, column->key))
            continue;
        if (counter->absent) {
            snprintf(text, CELL_SIZE, "n/a");
        } else if (counter->n && isfinite(counter->value)) {
            text_scaled(counter->value, "", text);
            if (counter->doubt)
                strncat(text, "?", CELL_SIZE - strlen(text) - 1);
        }
        return;
    }
}

void sheet_cell(const struct sheet *sheet, const struct column *column,
                const struct result *result, char text[CELL_SIZE], enum tone *tone)
{
    snprintf(text, CELL_SIZE, "-");
    *tone = TONE_PLAIN;
    switch (column->kind) {
    case COLUMN_TIME:
        if (result_has_summary(result))
            text_time(result->summary.median_ns, text);
        break;
    case COLUMN_INTERVAL:
        interval_cell(result, text);
        break;
    case COLUMN_RATE:
        rate_cell(sheet, result, text);
        break;
    case COLUMN_LIMIT:
        if (result->summary.limit.id)
            snprintf(text, CELL_SIZE, "%.1f%%%s", 100 * result->summary.limit.share,
                     result->summary.limit.too_low ? "!" : "");
        if (result->summary.limit.too_low)
            *tone = TONE_BAD;
        break;
    case COLUMN_ULP:
        ulp_cell(result, text);
        break;
    case COLUMN_RELATIVE:
        relative_cell(sheet, column, result, text, tone);
        break;
    case COLUMN_RATIO:
        ratio_cell(sheet, column, result, text, tone);
        break;
    case COLUMN_GHZ:
        if (result->summary.ghz > 0)
            snprintf(text, CELL_SIZE, "%.3f", result->summary.ghz);
        break;
    case COLUMN_COUNTER:
        counter_cell(column, result, text);
        break;
    }
}

void sheet_rows(const struct run *run, size_t first, size_t end, bool roofs,
                sheet_row *row, void *context)
{
    bool only_roofs = true;

    for (size_t i = first; i < end; i++)
        only_roofs &= run->results[i].is_roof;
    for (int role = 0; role < (roofs || only_roofs ? 3 : 2); role++)
        for (size_t i = first; i < end; i++) {
            const struct result *result = &run->results[i];
            int own = result->is_roof ? 2 : result->is_baseline ? 1 : 0;
            if (own == role && result->status != STATUS_PENDING)
                row(result, context);
        }
}
