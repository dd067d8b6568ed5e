/* SPDX-License-Identifier: Apache-2.0 */
/* A fleet as a table and in Markdown. */
#include "fleet_private.h"

enum { NAMED = 8 }; /* hosts in one line */

static void tell_who(struct buffer *line, const struct fleet *fleet, const char *name,
                     const struct fleet_value *value)
{
    size_t named = 0;

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (text_same(facts_find_text(&host->is, name), value->text) && named++ < NAMED)
            buffer_tell(line, named > 1 ? ", %s" : "%s", host->node);
    if (named > NAMED)
        buffer_format(line, " and %zu more", named - NAMED);
}

static void put_difference(void *context, const struct fleet *fleet, const char *name,
                           const struct fleet_value *values, size_t n)
{
    const struct text_page *const page = context;
    FREED_BY(buffer_free) struct buffer line = {.text = NULL};

    buffer_tell(&line, "%s: %s", name, values[0].text ?: "unknown");
    buffer_format(&line, " on %zu host%s", values[0].n, values[0].n == 1 ? "" : "s");
    for (size_t i = 1; i < n; i++) {
        buffer_tell(&line, "; %s on ", values[i].text ?: "unknown");
        tell_who(&line, fleet, name, &values[i]);
    }
    text_item(page, page->markdown ? "%s" : "  %s", buffer_text(&line));
}

static void put_case(struct grid *grid, const struct fleet_case *one)
{
    const double times[] = {one->min_ns, one->p5_ns, one->median_ns, one->p95_ns,
                            one->max_ns};
    char text[NUMBER_SIZE];

    grid_cell(grid, "%zu", one->n);
    for (size_t i = 0; i < ARRAY_LEN(times); i++) {
        text_time(times[i], text);
        GRID_TEXTS(grid, text);
    }
    grid_cell(grid, "%.1f%%", 100 * one->spread);
    grid_cell(grid, "%s%s", one->id, one->judged ? "" : "  (too few hosts to judge)");
}

static int put_kind(const struct text_page *page, const struct fleet *fleet,
                    const char *fingerprint)
{
    size_t hosts = 0;
    const char *cpu = NULL;
    char count[NUMBER_SIZE];
    struct grid grid = {.at = "rrrrrrrl"};

    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (text_same(host->fingerprint, fingerprint)) {
            hosts++;
            cpu = cpu ?: facts_find_text(&host->is, "cpu");
        }
    snprintf(count, sizeof count, "%zu host%s", hosts, hosts == 1 ? "" : "s");
    fputc('\n', page->file);
    text_item(page, "kind %s, %s, %s", fingerprint ?: "unknown", cpu ?: "unknown CPU",
              count);
    fputs(page->markdown ? "\n" : "", page->file);
    GRID_TEXTS(&grid, "hosts", "fastest", "5%", "median", "95%", "slowest", "spread",
               "case");
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        if (text_same(one->fingerprint, fingerprint))
            put_case(&grid, one);
    return grid_write(&grid, page, 2);
}

/* The first cases of each host; CSV, JSON and the page have all. Returns their number. */
static size_t add_outliers(const struct fleet *fleet, struct grid *grid)
{
    enum { SHOWN = 3 };
    size_t found = 0;
    for (size_t host = 0; host < fleet->n_hosts; host++) {
        const char *const node = fleet->hosts[host].node;
        size_t n = 0;
        FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
            FOR_EACH (const struct fleet_point, point, one->points, one->n) {
                if (point->host != host || point->verdict == FLEET_ALIKE || n++ >= SHOWN)
                    continue;
                GRID_TEXTS(grid, node, fleet_verdict_name(point->verdict));
                grid_cell(grid, "%+.1f%%", 100 * (point->ratio - 1));
                grid_cell(grid, "%zu", point->n);
                GRID_TEXTS(grid, one->id);
            }
        if (n > SHOWN) {
            GRID_TEXTS(grid, node, "", "", "");
            grid_cell(grid, "and %zu more case%s", n - SHOWN, n == SHOWN + 1 ? "" : "s");
        }
        found += n;
    }
    return found;
}

static void put_rule(const struct text_page *page)
{
    FREED_BY(buffer_free) struct buffer rule = {.text = NULL};

    buffer_format(&rule,
                  "rule: %.0f%% off or more, and beyond what one of %.0f fleets of equal "
                  "hosts reaches in any case",
                  100 * FLEET_LEAST, 1 / FLEET_ALARM);
    fputs(page->markdown ? "\n" : "", page->file);
    text_item(page, "%s", buffer_text(&rule));
}

static int put_outliers(const struct text_page *page, const struct fleet *fleet)
{
    struct grid grid = {.at = "llrrl"};
    FILE *const file = page->file;
    size_t judged = 0;

    GRID_TEXTS(&grid, "host", "verdict", "time", "runs", "case");
    const size_t found = add_outliers(fleet, &grid);
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        judged += one->judged;
    if (found)
        fprintf(file, "\nhosts that do otherwise than their kind:\n%s",
                page->markdown ? "\n" : "");
    else
        fprintf(file,
                judged ? "\nno host does otherwise than its kind\n"
                       : "\nno host is judged: no kind has %d hosts\n",
                FLEET_MIN);
    const int status = grid_write(&grid, page, 2);
    if (judged)
        put_rule(page);
    return status;
}

static bool kind_is_new(const struct fleet *fleet, const struct fleet_host *host)
{
    for (const struct fleet_host *other = fleet->hosts; other < host; other++)
        if (text_same(other->fingerprint, host->fingerprint))
            return false;
    return true;
}

int fleet_write_text(const struct fleet *fleet, const struct text_page *page)
{
    FILE *const file = page->file;
    const bool markdown = page->markdown;
    size_t kinds = 0;
    int status = 0;

    if (markdown) {
        fputs("# simdbench report --by=host\n\n", file);
        status = text_answer(page, fleet_answer(fleet));
    }
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        kinds += kind_is_new(fleet, host);
    fprintf(file, "%zu host%s of %zu kind%s, %zu run%s\n", fleet->n_hosts,
            fleet->n_hosts == 1 ? "" : "s", kinds, kinds == 1 ? "" : "s", fleet->runs,
            fleet->runs == 1 ? "" : "s");
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (status == 0 && kind_is_new(fleet, host))
            status = put_kind(page, fleet, host->fingerprint);
    status = status ?: put_outliers(page, fleet);
    FOR_EACH (const struct fleet_host, host, fleet->hosts, fleet->n_hosts)
        if (host->bad) {
            char count[NUMBER_SIZE];
            snprintf(count, sizeof count, "%zu", host->bad);
            text_item(page, "%s: %s wrong or failed", host->node, count);
        }
    fprintf(file, "\nwhat hosts are, and differ in (first run of each):\n%s",
            markdown ? "\n" : "");
    struct text_page copy = *page;
    const int differences = fleet_each_difference(fleet, put_difference, &copy);
    if (differences == 0)
        text_item(page, markdown ? "nothing" : "  nothing");
    if (status < 0 || differences < 0)
        return status ?: differences;
    return markdown ? 0 : text_answer(page, fleet_answer(fleet));
}
