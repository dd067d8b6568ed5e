/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "text/text.h"

enum { HISTORY_COLUMNS = 7 };

void history_free(struct history *history)
{
    FOR_EACH (struct history_entry, entry, history->entries, history->n)
        FREE_EACH(entry->id, entry->fingerprint, entry->cpu, entry->started_at,
                  entry->commit, entry->label, entry->status, entry->reason,
                  entry->verdict);
    FREE_EACH(history->entries, history->changes);
    *history = (struct history){.n = 0};
}

static int finish(FILE *file, struct error *error)
{
    const int code = file_flush(file);
    return code ? error_set(error, code, "cannot write history: %s", strerror(-code)) : 0;
}

/* ---- table ---- */

/* A row of cells, safe to print. */
struct cells {
    struct buffer cell[HISTORY_COLUMNS];
};

static void cells_free(struct cells *cells)
{
    for (size_t i = 0; i < HISTORY_COLUMNS; i++)
        buffer_free(&cells->cell[i]);
}

static void add_percent(struct buffer *cell, const char *before, double change)
{
    buffer_format(cell, "%s%+.*f%%", before, fabs(change) < 0.1 ? 2 : 1, 100 * change);
}

static void fill_compared(struct buffer *cell, const struct history_entry *entry)
{
    if (!entry->verdict)
        return;
    buffer_plain(cell, entry->verdict);
    if (isfinite(entry->compared))
        add_percent(cell, " ", entry->compared);
    if (isfinite(entry->compared) && entry->compared_ci.known) {
        add_percent(cell, " [", entry->compared_ci.lo);
        add_percent(cell, ", ", entry->compared_ci.hi);
        buffer_add(cell, "]");
    }
}

static void fill(struct cells *cells, const struct history_entry *entry)
{
    struct buffer *const cell = cells->cell;
    const struct interval *const ci = &entry->ci_ns;
    const bool known = entry->median_ns > 0;
    char time[NUMBER_SIZE];

    for (size_t i = 0; i < HISTORY_COLUMNS; i++)
        buffer_clear(&cell[i]);
    buffer_plain(&cell[0], entry->started_at);
    buffer_plain(&cell[1], entry->commit);
    buffer_plain(&cell[2], entry->label);
    if (known) {
        text_time(entry->median_ns, time);
        buffer_add(&cell[3], time);
    }
    if (known && ci->known)
        buffer_format(&cell[4], "\u00b1%.2f%%",
                      100 * fmax(ci->hi - entry->median_ns, entry->median_ns - ci->lo) /
                          entry->median_ns);
    if (isfinite(entry->change))
        add_percent(&cell[5], "~", entry->change);
    fill_compared(&cell[6], entry);
    if (strcmp(entry->status, "ok") != 0 && !entry->verdict) {
        buffer_plain(&cell[6], entry->status);
        if (entry->reason[0])
            buffer_add(&cell[6], ": ");
        buffer_plain(&cell[6], entry->reason);
    }
}

static void put_row(const struct cells *cells, const int *width, FILE *file)
{
    for (size_t i = 0; i < HISTORY_COLUMNS - 1; i++) {
        const char *const cell = buffer_text(&cells->cell[i]);
        const char *const shown = cell[0] ? cell : "-";
        const int pad = width[i] - text_width(shown);
        const bool right = i >= 3;
        if (width[i])
            fprintf(file, "  %*s%s%*s", right ? pad : 0, "", shown, right ? 0 : pad, "");
    }
    const char *const last = buffer_text(&cells->cell[HISTORY_COLUMNS - 1]);
    fprintf(file, "%s%s\n", last[0] ? "  " : "", last);
}

/* "since commit 25c13c4608f6 (2026-11-21): +4.1% [+3.6%, +4.6%], 20 runs before, 12
 * after".
 */
static void put_change(const struct history *history, const struct history_change *change,
                       struct buffer *line, FILE *file)
{
    const struct history_entry *const entry = &history->entries[change->at];
    const char *const name = entry->label[0] ? entry->label : entry->commit;

    buffer_clear(line);
    buffer_tell(line, "%s%s (", entry->label[0] ? "since " : "since commit ",
                name[0] ? name : "?");
    buffer_plain_n(line, entry->started_at, strcspn(entry->started_at, "T"));
    add_percent(line, "): ", change->change);
    if (change->ci.known) {
        add_percent(line, " [", change->ci.lo);
        add_percent(line, ", ", change->ci.hi);
        buffer_add(line, "]");
    }
    fprintf(file, "  %s, %zu runs before, %zu after\n", buffer_text(line), change->before,
            change->after);
}

/* The rows [first, end): one case on one host. */
static void put_table(const struct history *history, size_t first, size_t end,
                      struct cells *cells, FILE *file)
{
    static const char *const titles[HISTORY_COLUMNS] = {
        "date", "commit", "label", "time", "\u00b195%", "change", ""};
    const struct history_entry *const head = &history->entries[first];
    int width[HISTORY_COLUMNS] = {0};

    for (size_t i = first; i < end; i++) {
        fill(cells, &history->entries[i]);
        for (size_t k = 0; k < HISTORY_COLUMNS; k++) {
            const int taken = text_width(buffer_text(&cells->cell[k]));
            width[k] = taken > width[k] ? taken : width[k];
        }
    }
    /* Labels are rare; the other columns are always there. */
    for (size_t k = 0; k < HISTORY_COLUMNS; k++)
        if ((k != 2 || width[k]) && text_width(titles[k]) > width[k])
            width[k] = text_width(titles[k]);
    for (size_t k = 0; k < HISTORY_COLUMNS; k++)
        buffer_clear(&cells->cell[k]);
    buffer_tell(&cells->cell[0], "%s on %s%s%s", head->id,
                *head->fingerprint ? head->fingerprint : HISTORY_NO_HOST,
                head->cpu[0] ? ", " : "", head->cpu);
    fprintf(file, "%s%s\n", first ? "\n" : "", buffer_text(&cells->cell[0]));
    buffer_clear(&cells->cell[0]);
    for (size_t k = 0; k < HISTORY_COLUMNS; k++)
        buffer_add(&cells->cell[k], titles[k]);
    put_row(cells, width, file);
    for (size_t i = first; i < end; i++) {
        fill(cells, &history->entries[i]);
        put_row(cells, width, file);
    }
    FOR_EACH (const struct history_change, change, history->changes, history->n_changes)
        if (change->at >= first && change->at < end)
            put_change(history, change, &cells->cell[0], file);
}

/* Real changes go both ways; what only ever gets slower may be an alarm that is false. */
static void put_directions(const struct directions *gates, FILE *file)
{
    if (!gates->slower && !gates->faster)
        return;
    fprintf(
        file,
        "\ngates: %zu run%s found more regressions than improvements, %zu the other way "
        "(sign test p = %.2g)\n",
        gates->slower, gates->slower == 1 ? "" : "s", gates->faster, gates->p);
    if (gates->p < DIRECTIONS_P && gates->slower > gates->faster)
        fputs("  equal builds would be as often faster as slower: either the code gets "
              "slower again and again, or these are false alarms (simdbench selftest)\n",
              file);
}

int history_write_table(const struct history *history, FILE *file, struct error *error)
{
    struct cells cells = {.cell = {{.text = NULL}}};

    errno = 0;
    for (size_t first = 0, end; first < history->n; first = end) {
        end = history_group_end(history, first);
        put_table(history, first, end, &cells, file);
    }
    put_directions(&history->gates, file);
    cells_free(&cells);
    if (text_answer(file, history_answer(history)))
        return error_set(error, -ENOMEM, "out of memory");
    return finish(file, error);
}

/* ---- CSV ---- */

static void put_interval(struct csv *csv, const struct interval *interval)
{
    CSV_NUMBERS(csv, interval->known, interval->lo, interval->hi, interval->level);
}

int history_write_csv(const struct history *history, FILE *file, struct error *error)
{
    struct csv csv = {.file = file};

    errno = 0;
    fputs("id,fingerprint,cpu,started_at,commit,label,status,reason,verdict,median_ns,"
          "ci_lo_ns,ci_hi_ns,ci_level,change,compared,compared_lo,compared_hi,"
          "compared_level\r\n",
          file);
    FOR_EACH (const struct history_entry, entry, history->entries, history->n) {
        CSV_TEXTS(&csv, entry->id, entry->fingerprint, entry->cpu, entry->started_at,
                  entry->commit, entry->label, entry->status, entry->reason,
                  entry->verdict);
        CSV_NUMBERS(&csv, true, entry->median_ns);
        put_interval(&csv, &entry->ci_ns);
        CSV_NUMBERS(&csv, true, entry->change, entry->compared);
        put_interval(&csv, &entry->compared_ci);
        csv_end(&csv);
    }
    return finish(file, error);
}
