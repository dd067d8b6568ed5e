/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tally.h"

void legend_flush(struct legend *legend)
{
    legend->line(buffer_text(&legend->buffer), legend->context);
    buffer_clear(&legend->buffer);
}

void legend_put(struct legend *legend, const char *before, const char *text)
{
    buffer_add(&legend->buffer, before);
    buffer_plain(&legend->buffer, text);
    legend_flush(legend);
}

const char *legend_part(struct legend *legend, const char *separator, const char *name,
                        const char *text)
{
    if (!text || !*text)
        return separator;
    buffer_tell(&legend->buffer, "%s%s%s", separator, name, text);
    return ", ";
}

void legend_range(struct legend *legend, const char *lo, const char *hi)
{
    buffer_format(&legend->buffer, strcmp(lo, hi) ? " %s to %s" : " %s", lo, hi);
}

/* A stream that was measured and turned out to be no limit of the case. */
static bool has_no_limit(const struct run *run, const struct result *result)
{
    const struct limit *const limit = &result->summary.limit;
    if (!limit->guessed || limit->id || !result->limit_id || result->source ||
        !status_has_time(result->status))
        return false;
    FOR_EACH (const struct result, roof, run->results, run->n_results)
        if (roof->is_roof && roof->group == result->group && roof->status == STATUS_OK &&
            text_same(roof->id, result->limit_id))
            return true;
    return false;
}

static void no_limit_line(struct legend *legend)
{
    size_t n = 0;
    FOR_EACH (const struct result, result, legend->run->results, legend->run->n_results)
        n += has_no_limit(legend->run, result);
    if (!n)
        return;
    buffer_format(&legend->buffer,
                  "no limit: %zu case%s faster than a stream of the same bytes, which is "
                  "none for %s; --roof=NAME names another one",
                  n, n == 1 ? " is" : "s are", n == 1 ? "it" : "them");
    legend_flush(legend);
}

/* Each group measures its limits anew, so a line tells the range over all groups. */
static void limit_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    struct tally tally = {.n = 0};
    char lo_text[NUMBER_SIZE], hi_text[NUMBER_SIZE];
    bool too_low = false;

    for (size_t i = 0; i < run->n_results; i++) {
        const struct limit *limit = &run->results[i].summary.limit;
        if (limit->id && !run->results[i].source)
            tally_add(&tally, limit->id, strcspn(limit->id, "@"), "");
        too_low |= limit->too_low;
    }
    for (size_t t = 0; t < tally.n; t++) {
        const char *key = tally.entry[t].key;
        const bool joined = legend->brief && t > 0;
        size_t length = tally.entry[t].key_length;
        double lo = INFINITY, hi = 0;
        bool gops = true;
        for (size_t i = 0; i < run->n_results; i++) {
            const struct limit *limit = &run->results[i].summary.limit;
            if (!limit->id || run->results[i].source || strncmp(limit->id, key, length) ||
                strcspn(limit->id, "@") != length)
                continue;
            gops = limit->gops > 0;
            lo = fmin(lo, gops ? limit->gops : limit->gbps);
            hi = fmax(hi, gops ? limit->gops : limit->gbps);
        }
        text_digits(lo, lo_text);
        text_digits(hi, hi_text);
        buffer_add(buffer, joined ? "; " : "limit: ");
        buffer_plain_n(buffer, key, length);
        legend_range(legend, lo_text, hi_text);
        buffer_add(buffer, gops ? " Gop/s" : " GB/s");
        if (!legend->brief || t + 1 == tally.n)
            legend_flush(legend);
    }
    if (too_low)
        legend->line("limit too low: cases marked ! are above 102% of their limit",
                     legend->context);
    no_limit_line(legend);
}

static void note_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct tally notes = {.n = 0}, intervals = {.n = 0};

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const char *id = result->id ?: "";
        for (size_t n = 0; n < result->n_notes; n++)
            tally_add(&notes, result->notes[n], strlen(result->notes[n]), id);
        if (result->summary.ci_reason && !result->is_roof && result->status == STATUS_OK)
            tally_add(&intervals, result->summary.ci_reason,
                      strlen(result->summary.ci_reason), id);
    }
    tally_lines(&notes, "note", legend);
    tally_lines(&intervals, "no interval", legend);
}

/* A reason that a counter shares with others; it is no text where there is none. */
struct reason {
    const char *text;
    size_t length;
};
typedef struct reason reason_of(const struct run *run, const struct counter *counter);

/* A reason that is the PMU's stands once for the whole run. */
static struct reason absence_of(const struct run *run, const struct counter *counter)
{
    const char *const absent = counter->absent;
    const bool told =
        absent && (counter->asked || !run->pmu_reason || strcmp(absent, run->pmu_reason));

    return told ? (struct reason){absent, strlen(absent)} : (struct reason){NULL, 0};
}

/* Without the numbers in parentheses, which differ from case to case. */
static struct reason doubt_of(const struct run *run, const struct counter *counter)
{
    const char *const doubt = counter->absent ? NULL : counter->doubt;
    const char *const numbers = doubt ? strstr(doubt, " (") : NULL;
    const size_t whole = doubt ? strlen(doubt) : 0;

    return (struct reason){doubt, numbers ? (size_t)(numbers - doubt) : whole};
}

/* One line for each reason, with the names of all counters that have it. */
static void reason_lines(struct legend *legend, const char *what, reason_of *find)
{
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    struct tally reasons = {.n = 0};

    FOR_EACH (const struct result, result, run->results, run->n_results)
        FOR_EACH (const struct counter, counter, result->samples.counters,
                  result->samples.n_counters) {
            const struct reason reason = find(run, counter);
            if (reason.text)
                tally_add(&reasons, reason.text, reason.length, "");
        }
    for (size_t r = 0; r < reasons.n; r++) {
        struct tally names = {.n = 0};
        FOR_EACH (const struct result, result, run->results, run->n_results)
            FOR_EACH (const struct counter, counter, result->samples.counters,
                      result->samples.n_counters) {
                const struct reason reason = find(run, counter);
                if (reason.text && tally_has(&reasons, r, reason.text, reason.length))
                    tally_add(&names, counter->name, strlen(counter->name), "");
            }
        buffer_format(buffer, "%s: ", what);
        for (size_t i = 0; i < names.n; i++)
            buffer_tell(buffer, "%s%s", i ? ", " : "", names.entry[i].key);
        buffer_add(buffer, names.lost ? ", ...: " : ": ");
        buffer_plain_n(buffer, reasons.entry[r].key, reasons.entry[r].key_length);
        legend_flush(legend);
    }
}

/* Returns whether the user asked for counters. */
static bool counter_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    bool asked = false;
    double voided = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results)
        FOR_EACH (const struct counter, counter, result->samples.counters,
                  result->samples.n_counters) {
            asked |= counter->asked;
            voided += counter->voided;
        }
    if (asked)
        legend->line("counters: median of one call", legend->context);
    reason_lines(legend, "n/a", absence_of);
    reason_lines(legend, "in doubt, marked ?", doubt_of);
    if (voided > 0) {
        buffer_format(&legend->buffer,
                      "void: %.0f counts that no core can reach were thrown away",
                      voided);
        legend_flush(legend);
    }
    return asked;
}

static void status_line(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    size_t count[STATUS_COUNT] = {0}, cases = 0;

    for (size_t i = 0; i < run->n_results; i++)
        if (!run->results[i].is_roof) {
            count[run->results[i].status]++;
            cases++;
        }
    if (count[STATUS_OK] == cases)
        return;
    buffer_format(buffer, "cases: %zu of %zu ok", count[STATUS_OK], cases);
    for (int status = STATUS_PENDING; status < STATUS_COUNT; status++)
        if (status != STATUS_OK && count[status])
            buffer_format(buffer, ", %zu %s", count[status],
                          status_name((enum status)status));
    legend_flush(legend);
}

/* A neighbour on the core slows kernels that need all of it more than their limit. */
static void core_shared_line(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    const double probed = facts_find_number(&run->host, "core_probes");
    const double shared = facts_find_number(&run->host, "core_shared_probes");
    bool rows = false;

    FOR_EACH (const struct result, result, run->results, run->n_results)
        rows |= result->samples.shared;
    if (!rows && !(shared > 0.05 * probed))
        return;
    buffer_add(buffer, "core shared: ");
    if (isfinite(shared) && isfinite(probed))
        buffer_format(buffer, "%.0f of %.0f", shared, probed);
    else
        buffer_add(buffer, "some");
    buffer_add(buffer,
               " batches ran beside another thread on this core and are set apart");
    if (rows)
        buffer_add(buffer, "; rows that say shared contain them, as fewer than 12 did "
                           "not");
    legend_flush(legend);
}

/* Lines that explain no number of the table. */
static void other_lines(struct legend *legend)
{
    if (!run_is_ladder(legend->run))
        mean_lines(legend);
    choice_lines(legend);
    note_lines(legend);
}

/* A row that nobody has explains an empty column. */
static void relative_line(struct legend *legend)
{
    const struct run *const run = legend->run;
    const char *const name = facts_find_text(&run->settings, "relative_to");
    bool found = !name;

    FOR_EACH (const struct result, result, run->results, run->n_results)
        found = found || relative_base(run, result);
    if (!found) {
        buffer_tell(&legend->buffer,
                    "vs %s: no group has such a row that is ok, and another one", name);
        legend_flush(legend);
    }
}

void legend_notes(const struct run *run, bool brief, legend_line *line, void *context)
{
    struct legend legend = {.run = run, .line = line, .context = context, .brief = brief};

    limit_lines(&legend);
    relative_line(&legend);
    baseline_lines(&legend);
    unranked_lines(&legend);
    source_lines(&legend);
    if (!brief)
        other_lines(&legend);
    proof_lines(&legend);
    const bool asked = counter_lines(&legend);
    if (run->pmu_reason && *run->pmu_reason && (!brief || asked))
        legend_put(&legend, "no PMU: ", run->pmu_reason);
    core_shared_line(&legend);
    status_line(&legend);
    buffer_free(&legend.buffer);
}

/* Settings of a project file stand on no command line. */
static void project_line(struct legend *legend)
{
    const char *const set = facts_find_text(&legend->run->settings, "project_options");
    const char *const file = facts_find_text(&legend->run->settings, "project");

    legend_part(legend, "", "settings: ", set);
    if (set && *set) {
        legend_part(legend, " from ", "", file);
        legend_flush(legend);
    }
}

static void origin_lines(struct legend *legend)
{
    static const char *const shown[] = {"cpu", "virtualisation", "kernel", "os"};
    const struct run *const run = legend->run;
    struct buffer *const buffer = &legend->buffer;
    const char *const begin = ": ", *separator = begin;

    buffer_add(buffer, "host");
    for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
        const char *const fact = facts_find_text(&run->host, shown[i]);
        separator = legend_part(legend, separator, "", fact);
    }
    const char *const cpus = facts_find_text(&run->settings, "cpu_measured");
    separator = legend_part(
        legend, separator,
        cpus && strchr(cpus, ',') ? "measured on CPUs " : "measured on CPU ", cpus);
    separator = legend_part(legend, separator, "fingerprint ", run->fingerprint);
    if (separator == begin)
        buffer_add(buffer, ": the file does not tell");
    legend_flush(legend);
    buffer_add(buffer, run->tool_version && *run->tool_version
                           ? "run: simdbench"
                           : "run: by another program");
    legend_part(legend, " ", "", run->tool_version);
    legend_part(legend, ", ", "commit ", run->tool_commit);
    legend_part(legend, ", ", "label ", facts_find_text(&run->settings, "label"));
    legend_part(legend, ", ", "", run->tool_compiler);
    legend_part(legend, ", ", "seed ", run->seed);
    legend_part(legend, ", ", "", run->started_at);
    legend_part(legend, ", ", "scheduled ", facts_find_text(&run->settings, "scheduled"));
    legend_flush(legend);
}

void legend_origin(const struct run *run, bool brief, legend_line *line, void *context)
{
    struct legend legend = {.run = run, .line = line, .context = context};
    if (!brief)
        origin_lines(&legend);
    project_line(&legend);
    if (run->interrupted)
        line("interrupted: what was not measured until then is skipped", context);
    if (brief)
        line("host, versions and all notes: --verbose, or any file", context);
    buffer_free(&legend.buffer);
}
