/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "history.h"
#include "text/text.h"

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

static void add_percent(struct buffer *cell, const char *before, double change)
{
    buffer_format(cell, "%s%+.*f%%", before, fabs(change) < 0.1 ? 2 : 1, 100 * change);
}

static void tell_compared(struct buffer *cell, const struct history_entry *entry)
{
    buffer_plain(cell, entry->verdict);
    if (isfinite(entry->compared))
        add_percent(cell, " ", entry->compared);
    if (isfinite(entry->compared) && entry->compared_ci.known) {
        add_percent(cell, " [", entry->compared_ci.lo);
        add_percent(cell, ", ", entry->compared_ci.hi);
        buffer_add(cell, "]");
    }
}

/* A terminal with less has no room for seconds. */
enum { WIDE = 100 };

static void put(struct grid *grid, const char *text)
{
    GRID_TEXTS(grid, text[0] ? text : "-");
}

/* A narrow row has minutes: "2026-11-21 18:54". */
static void put_row(struct grid *grid, const struct history_entry *entry, bool labelled,
                    bool narrow)
{
    FREED_BY(buffer_free) struct buffer last = {.text = NULL}, change = {.text = NULL};
    const struct interval *const ci = &entry->ci_ns;
    const bool known = entry->median_ns > 0;
    char time[NUMBER_SIZE] = "-";

    const size_t day = strcspn(entry->started_at, "T"), all = strlen(entry->started_at);
    if (narrow && day < all && entry->started_at[all - 1] == 'Z')
        grid_cell(grid, "%.*s %.5s", (int)day, entry->started_at,
                  entry->started_at + day + 1);
    else
        put(grid, entry->started_at);
    put(grid, entry->commit);
    if (labelled)
        put(grid, entry->label);
    if (known)
        text_time(entry->median_ns, time);
    put(grid, time);
    if (known && ci->known)
        grid_cell(grid, "\u00b1%.2f%%",
                  100 * fmax(ci->hi - entry->median_ns, entry->median_ns - ci->lo) /
                      entry->median_ns);
    else
        put(grid, "-");
    if (isfinite(entry->change))
        add_percent(&change, "~", entry->change);
    put(grid, buffer_text(&change));
    if (entry->verdict)
        tell_compared(&last, entry);
    else if (strcmp(entry->status, "ok") != 0)
        buffer_tell(&last, entry->reason[0] ? "%s: %s" : "%s", entry->status,
                    entry->reason);
    GRID_TEXTS(grid, buffer_text(&last));
}

/* "since commit 25c13c4608f6 (2026-11-21): +4.1% [+3.6%, +4.6%], 20 runs before, 12
 * after".
 */
static void put_change(const struct history *history, const struct history_change *change,
                       struct buffer *line, const struct text_page *page)
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
    buffer_format(line, ", %zu runs before, %zu after", change->before, change->after);
    text_item(page, page->markdown ? "%s" : "  %s", buffer_text(line));
}

/* The rows [first, end): one case on one host. */
static void put_table(const struct history *history, size_t first, size_t end,
                      const struct text_page *page)
{
    const struct history_entry *const head = &history->entries[first];
    FREED_BY(buffer_free) struct buffer line = {.text = NULL};
    size_t changes = 0;
    bool labelled = false; /* labels are rare; the other columns are always there */

    for (size_t i = first; i < end; i++)
        labelled |= history->entries[i].label[0] != '\0';
    const char *const host = *head->fingerprint ? head->fingerprint : HISTORY_NO_HOST;
    const char *const comma = head->cpu[0] ? ", " : "";
    if (page->markdown)
        text_markdown_tell(page->file, "## %s\n\n%s%s%s\n\n", head->id, host, comma,
                           head->cpu);
    else {
        fputs(first ? "\n" : "", page->file);
        text_item(page, "%s on %s%s%s", head->id, host, comma, head->cpu);
    }
    struct grid grid = {.at = labelled ? "lllrrrl" : "llrrrl"};
    const bool narrow = page->width && page->width < WIDE;
    GRID_TEXTS(&grid, narrow ? "date, UTC" : "date", "commit");
    if (labelled)
        GRID_TEXTS(&grid, "label");
    GRID_TEXTS(&grid, "time", "\u00b195%", "change", "");
    for (size_t i = first; i < end; i++)
        put_row(&grid, &history->entries[i], labelled, narrow);
    grid_write(&grid, page, 2);
    fputs(page->markdown ? "\n" : "", page->file);
    FOR_EACH (const struct history_change, change, history->changes, history->n_changes)
        if (change->at >= first && change->at < end) {
            put_change(history, change, &line, page);
            changes++;
        }
    fputs(page->markdown && changes ? "\n" : "", page->file);
}

/* Real changes go both ways; what only ever gets slower may be an alarm that is false. */
static void put_directions(const struct directions *gates, const struct text_page *page)
{
    FREED_BY(buffer_free) struct buffer line = {.text = NULL};

    if (!gates->slower && !gates->faster)
        return;
    buffer_format(&line,
                  "gates: %zu run%s found more regressions than improvements, %zu the "
                  "other way (sign test p = %.2g)",
                  gates->slower, gates->slower == 1 ? "" : "s", gates->faster, gates->p);
    fputc('\n', page->file);
    text_item(page, "%s", buffer_text(&line));
    if (gates->p < DIRECTIONS_P && gates->slower > gates->faster)
        text_item(
            page,
            "  equal builds would be as often faster as slower: either the code gets "
            "slower again and again, or these are false alarms (`simdbench "
            "selftest`)");
}

int history_write_text(const struct history *history, const struct text_page *page,
                       struct error *error)
{
    errno = 0;
    fputs(page->markdown ? "# simdbench history\n\n" : "", page->file);
    if (page->markdown)
        text_answer(page, history_answer(history));
    for (size_t first = 0, end; first < history->n; first = end) {
        end = history_group_end(history, first);
        put_table(history, first, end, page);
    }
    put_directions(&history->gates, page);
    if (!page->markdown)
        text_answer(page, history_answer(history));
    return finish(page->file, error);
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
