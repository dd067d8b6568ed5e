/* SPDX-License-Identifier: Apache-2.0 */
/* Speed over size, with intervals, limits and baselines. */
#include <math.h>

#include "figure.h"

enum { SERIES_MAX = 12, SIZES_MAX = 40 };
/* Room beside the first and the last size. */
#define MARGIN 1.2

/* Cases of one op, element type and number of threads. */
struct panel {
    const struct result *first;
    bool bytes;                              /* rates are GB/s */
    const struct result *series[SERIES_MAX]; /* the first case of each line */
    const struct result *size[SIZES_MAX];    /* the first case of each size */
    size_t n_series, n_sizes;
};

static bool is_shown(const struct result *result)
{
    return !result->is_roof && result->status == STATUS_OK && result->id &&
           result_has_summary(result) &&
           (result->summary.gops > 0 || result->summary.gbps > 0) &&
           (result->work.ops > 0 || result->work.bytes > 0);
}

static bool same_panel(const struct result *a, const struct result *b)
{
    return text_same(a->op, b->op) && !strcmp(result_element(a), result_element(b)) &&
           a->threads == b->threads;
}

/* Cases of a line have the same id but for the shape. */
static bool same_series(const struct result *a, const struct result *b)
{
    const size_t length = strcspn(a->id, "@");
    return length == strcspn(b->id, "@") && !memcmp(a->id, b->id, length);
}

static double work_of(const struct result *result)
{
    return result->work.ops > 0 ? result->work.ops : result->work.bytes;
}

static double rate_of(const struct panel *panel, const struct result *result)
{
    return panel->bytes ? result->summary.gbps : result->summary.gops;
}

static void fill_panel(const struct run *run, struct panel *panel)
{
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        size_t s = 0, z = 0;
        if (!is_shown(result) || !same_panel(result, panel->first))
            continue;
        panel->bytes |= !(result->summary.gops > 0) || result->summary.limit.gbps > 0;
        while (s < panel->n_series && !same_series(panel->series[s], result))
            s++;
        if (s == panel->n_series && s < SERIES_MAX)
            panel->series[panel->n_series++] = result;
        while (z < panel->n_sizes && work_of(panel->size[z]) != work_of(result))
            z++;
        if (z == panel->n_sizes && z < SIZES_MAX)
            panel->size[panel->n_sizes++] = result;
    }
}

/* A percent sign would begin a format. */
static void put_tick(struct figure *figure, const char *text)
{
    FREED_BY(buffer_free) struct buffer tick = {.text = NULL};

    for (const char *c = text ?: ""; *c; c++)
        buffer_format(&tick, *c == '%' ? "%%%%" : "%c", *c);
    figure_quoted(figure, buffer_text(&tick));
}

/* An axis with many sizes has numbers of its own. */
static void put_axis(struct figure *figure, const struct panel *panel)
{
    enum { TICKS_MAX = 10 };
    FILE *const file = figure->file;
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < panel->n_sizes; i++) {
        least = fmin(least, work_of(panel->size[i]));
        most = fmax(most, work_of(panel->size[i]));
    }
    fprintf(file,
            "set logscale x 2\nset yrange [0:*]\nset xrange [%.9g:%.9g]\nset bmargin 7\n",
            least / MARGIN, most * MARGIN);
    if (panel->n_sizes > TICKS_MAX) {
        fprintf(file, "set xlabel '%s a call'\nset format x '%%.1s%%c'\nset xtics auto\n",
                panel->first->work.ops > 0 ? "operations" : "bytes");
        return;
    }
    fprintf(file, "unset xlabel\nset xtics rotate by 25 right (");
    for (size_t i = 0; i < panel->n_sizes; i++) {
        fputs(i ? ", " : "", file);
        put_tick(figure, panel->size[i]->shape);
        fprintf(file, " %.9g", work_of(panel->size[i]));
    }
    fprintf(file, ")\n");
}

/* "avx512/fma", "openblas sgemm": what tells a line from the others of its panel. */
static void put_name(struct figure *figure, const struct result *result)
{
    FREED_BY(buffer_free) struct buffer name = {.text = NULL};

    if (result->source)
        buffer_format(&name, "%.20s: ", result->source);
    buffer_format(&name, result->module.name ? "%.20s %.30s" : "%.20s/%.30s",
                  result->module.name ?: result->isa ?: "", result->variant ?: "");
    figure_quoted(figure, buffer_text(&name));
}

/* Rates at the ends of the interval of the time. */
static void put_line(const struct figure *figure, const struct panel *panel,
                     const struct result *series)
{
    FOR_EACH (const struct result, result, figure->run->results, figure->run->n_results) {
        if (!is_shown(result) || !same_panel(result, series) ||
            !same_series(result, series))
            continue;
        const double rate = rate_of(panel, result), ns = result->summary.median_ns;
        const bool known =
            result->summary.ci_ns.known && result->summary.ci_ns.lo > 0 && ns > 0;
        fprintf(figure->file, "%.9g %.6g %.6g %.6g\n", work_of(result), rate,
                known ? rate * ns / result->summary.ci_ns.hi : rate,
                known ? rate * ns / result->summary.ci_ns.lo : rate);
    }
    fprintf(figure->file, "e\n");
}

/* The highest limit of any case of each size; false if none is known. */
static bool put_limits(const struct figure *figure, const struct panel *panel, bool write)
{
    bool any = false;

    for (size_t z = 0; z < panel->n_sizes; z++) {
        double most = 0;
        FOR_EACH (const struct result, result, figure->run->results,
                  figure->run->n_results)
            if (is_shown(result) && same_panel(result, panel->first) &&
                work_of(result) == work_of(panel->size[z]))
                most = fmax(most, panel->bytes ? result->summary.limit.gbps
                                               : result->summary.limit.gops);
        any |= most > 0;
        if (write && most > 0)
            fprintf(figure->file, "%.9g %.6g\n", work_of(panel->size[z]), most);
    }
    return any;
}

static void put_panel(struct figure *figure, const struct panel *panel)
{
    FILE *const file = figure->file;
    const struct result *const first = panel->first;
    const bool limits = put_limits(figure, panel, false);
    char title[MODEL_NAME_MAX + 64];

    snprintf(title, sizeof title, "%.200s %.20s, %d thread%s", first->op,
             result_element(first), first->threads, first->threads == 1 ? "" : "s");
    fprintf(file, "set title ");
    figure_quoted(figure, title);
    fprintf(file,
            "\nset ylabel '%s'\nset key outside below maxrows 4 samplen 1.5 font ',10'\n",
            panel->bytes ? "GB/s" : "Gop/s");
    put_axis(figure, panel);
    fprintf(file, "plot ");
    for (size_t i = 0; i < panel->n_series; i++) {
        fprintf(file,
                "%s'-' smooth unique with lines lw 1.5 lc rgb '%s' notitle, "
                "'-' with yerrorbars pt %zu ps 0.5 lc rgb '%s' title ",
                i ? ", " : "", figure_colour(i), 5 + 2 * (i % 5), figure_colour(i));
        put_name(figure, panel->series[i]);
    }
    if (limits)
        fprintf(
            file,
            ", '-' smooth unique with lines dt 2 lw 1.5 lc rgb '#777777' title 'limit'");
    fputc('\n', file);
    for (size_t i = 0; i < panel->n_series; i++) {
        put_line(figure, panel, panel->series[i]);
        put_line(figure, panel, panel->series[i]);
    }
    if (limits) {
        put_limits(figure, panel, true);
        fprintf(file, "e\n");
    }
}

void figure_speed(struct figure *figure)
{
    const struct run *const run = figure->run;
    struct panel panels[PANELS_MAX];
    size_t n = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        size_t i = 0;
        while (i < n && !same_panel(panels[i].first, result))
            i++;
        if (!is_shown(result) || i < n || n == PANELS_MAX)
            continue;
        panels[n] = (struct panel){.first = result};
        fill_panel(run, &panels[n++]);
    }
    figure_panels(figure, n ? n : 1);
    for (size_t i = 0; i < n; i++)
        put_panel(figure, &panels[i]);
}
