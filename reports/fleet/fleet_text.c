/* SPDX-License-Identifier: Apache-2.0 */
/* A fleet as a table and in Markdown. */
#include <math.h>
#include <string.h>

#include "fleet_private.h"

/* ---- table ---- */

enum { NAMED = 8 }; /* hosts in one line */

static void put_who(FILE *file, const struct fleet *fleet, const char *name,
                    const struct fleet_value *value)
{
    size_t named = 0;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (text_same(facts_find_text(&host->is, name), value->text) && named++ < NAMED)
            text_tell(file, "%s%s", named > 1 ? ", " : "", host->node);
    if (named > NAMED)
        fprintf(file, " and %zu more", named - NAMED);
}

static void put_difference(void *context, const struct fleet *fleet, const char *name,
                           const struct fleet_value *values, size_t n)
{
    FILE *const file = context;

    text_tell(file, "  %s: %s", name, values[0].text ?: "unknown");
    fprintf(file, " on %zu host%s", values[0].n, values[0].n == 1 ? "" : "s");
    for (size_t i = 1; i < n; i++) {
        text_tell(file, "; %s on ", values[i].text ?: "unknown");
        put_who(file, fleet, name, &values[i]);
    }
    fputc('\n', file);
}

static void put_case(FILE *file, const struct fleet_case *one)
{
    const double times[] = {one->min_ns, one->p5_ns, one->median_ns, one->p95_ns,
                            one->max_ns};
    char text[NUMBER_SIZE];

    fprintf(file, "  %5zu", one->n);
    for (size_t i = 0; i < ARRAY_LEN(times); i++) {
        text_time(times[i], text);
        fprintf(file, "  %9s", text);
    }
    fprintf(file, "  %5.1f%%  ", 100 * one->spread);
    text_tell(file, "%s%s\n", one->id, one->judged ? "" : "  (too few hosts to judge)");
}

static void put_kind(FILE *file, const struct fleet *fleet, const char *fingerprint)
{
    size_t hosts = 0;
    const char *cpu = NULL;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (text_same(host->fingerprint, fingerprint)) {
            hosts++;
            cpu = cpu ?: facts_find_text(&host->is, "cpu");
        }
    text_tell(file, "\nkind %s, %s", fingerprint ?: "unknown", cpu ?: "unknown CPU");
    fprintf(file, ", %zu host%s\n", hosts, hosts == 1 ? "" : "s");
    fprintf(file, "  %5s  %9s  %9s  %9s  %9s  %9s  %6s  case\n", "hosts", "fastest", "5%",
            "median", "95%", "slowest", "spread");
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        if (text_same(one->fingerprint, fingerprint))
            put_case(file, one);
}

/* The text of hosts that stand out, in one format. */
struct outlier_lines {
    const char *heading;
    void (*put)(FILE *file, const char *node, const struct fleet_point *point,
                const char *id);
    void (*more)(FILE *file, const char *node, size_t cases);
};

/* The first cases of each host; CSV, JSON and the page have all. Returns their number. */
static size_t put_each(const struct fleet *fleet, FILE *file,
                       const struct outlier_lines *lines)
{
    enum { SHOWN = 3 };
    size_t found = 0;
    for (size_t host = 0; host < fleet->n_hosts; host++) {
        size_t n = 0;
        FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
            FOR_EACH (const struct fleet_point, point, one->points, one->n) {
                if (point->host != host || point->verdict == FLEET_ALIKE)
                    continue;
                fputs(found + n ? "" : lines->heading, file);
                if (n++ < SHOWN)
                    lines->put(file, fleet->hosts[host].node, point, one->id);
            }
        if (n > SHOWN)
            lines->more(file, fleet->hosts[host].node, n - SHOWN);
        found += n;
    }
    return found;
}

static void put_outlier(FILE *file, const char *node, const struct fleet_point *point,
                        const char *id)
{
    text_tell(file, "  %s", node);
    fprintf(file, ": %s, %.1f%% %s, %zu run%s, ", fleet_verdict_name(point->verdict),
            100 * fabs(point->ratio - 1), point->ratio > 1 ? "more time" : "less time",
            point->n, point->n == 1 ? "" : "s");
    text_tell(file, "%s\n", id);
}

static void put_more(FILE *file, const char *node, size_t cases)
{
    text_tell(file, "  %s", node);
    fprintf(file, ": and %zu more case%s\n", cases, cases == 1 ? "" : "s");
}

static void put_outliers(FILE *file, const struct fleet *fleet)
{
    const size_t found =
        put_each(fleet, file,
                 &(struct outlier_lines){"\nhosts that do otherwise than their kind:\n",
                                         put_outlier, put_more});
    size_t judged = 0;

    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        judged += one->judged;
    if (!found)
        fprintf(file,
                judged ? "\nno host does otherwise than its kind\n"
                       : "\nno host is judged: no kind has %d hosts\n",
                FLEET_MIN);
    if (judged)
        fprintf(file,
                "rule: %.0f%% off or more, and beyond what one of %.0f fleets of equal "
                "hosts reaches in any case\n",
                100 * FLEET_LEAST, 1 / FLEET_ALARM);
}

static bool kind_is_new(const struct fleet *fleet, const struct fleet_host *host)
{
    for (const struct fleet_host *other = fleet->hosts; other < host; other++)
        if (text_same(other->fingerprint, host->fingerprint))
            return false;
    return true;
}

int fleet_write_table(const struct fleet *fleet, FILE *file)
{
    size_t kinds = 0;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        kinds += kind_is_new(fleet, host);
    fprintf(file, "%zu host%s of %zu kind%s, %zu run%s\n", fleet->n_hosts,
            fleet->n_hosts == 1 ? "" : "s", kinds, kinds == 1 ? "" : "s", fleet->runs,
            fleet->runs == 1 ? "" : "s");
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (kind_is_new(fleet, host))
            put_kind(file, fleet, host->fingerprint);
    put_outliers(file, fleet);
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (host->bad) {
            text_tell(file, "%s", host->node);
            fprintf(file, ": %zu wrong or failed\n", host->bad);
        }
    fputs("\nwhat hosts are, and differ in (first run of each):\n", file);
    const int differences = fleet_each_difference(fleet, put_difference, file);
    if (differences == 0)
        fputs("  nothing\n", file);
    return differences < 0 ? differences : text_answer(file, fleet_answer(fleet));
}

/* ---- Markdown ---- */

static void mark_outlier(FILE *file, const char *node, const struct fleet_point *point,
                         const char *id)
{
    text_markdown_tell(file, "| %s |", node);
    fprintf(file, " %s | %+.1f%% | %zu |", fleet_verdict_name(point->verdict),
            100 * (point->ratio - 1), point->n);
    text_markdown_tell(file, " %s |\n", id);
}

static void mark_more(FILE *file, const char *node, size_t cases)
{
    text_markdown_tell(file, "| %s |", node);
    fprintf(file, " | | | and %zu more case%s |\n", cases, cases == 1 ? "" : "s");
}

static void mark_outliers(const struct fleet *fleet, FILE *file)
{
    const struct outlier_lines lines = {"| host | verdict | time | runs | case |\n"
                                        "| :-- | :-- | --: | --: | :-- |\n",
                                        mark_outlier, mark_more};
    fputs(put_each(fleet, file, &lines) ? "\n" : "", file);
}

static void mark_case(const struct fleet_case *one, FILE *file)
{
    const double times[] = {one->min_ns, one->median_ns, one->max_ns};
    char text[NUMBER_SIZE];

    text_markdown_tell(file, "| %s | %s |", one->id, one->fingerprint ?: "unknown");
    fprintf(file, " %zu |", one->n);
    for (size_t i = 0; i < ARRAY_LEN(times); i++) {
        text_time(times[i], text);
        fprintf(file, " %s |", text);
    }
    fprintf(file, " %.1f%% |\n", 100 * one->spread);
}

static void mark_difference(void *context, const struct fleet *fleet, const char *name,
                            const struct fleet_value *values, size_t n)
{
    FILE *const file = context;

    text_markdown_tell(file, "- %s", name);
    for (size_t i = 0; i < n; i++) {
        text_markdown_tell(file, i ? "; %s" : ": %s", values[i].text ?: "unknown");
        fprintf(file, " on %zu host%s", values[i].n, values[i].n == 1 ? "" : "s");
    }
    fputc('\n', file);
}

int fleet_write_markdown(const struct fleet *fleet, FILE *file)
{
    fputs("# simdbench report --by=host\n\n", file);
    const int status = text_answer_markdown(file, fleet_answer(fleet));
    if (status < 0)
        return status;
    mark_outliers(fleet, file);
    fputs("| case | kind | hosts | fastest | median | slowest | spread |\n"
          "| :-- | :-- | --: | --: | --: | --: | --: |\n",
          file);
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        mark_case(one, file);
    fputs("\nWhat hosts differ in:\n\n", file);
    const int differences = fleet_each_difference(fleet, mark_difference, file);
    if (differences == 0)
        fputs("- nothing\n", file);
    return differences < 0 ? differences : 0;
}
