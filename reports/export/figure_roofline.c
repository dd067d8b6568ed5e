/* SPDX-License-Identifier: Apache-2.0 */
/* Rooflines: what a core, or all, can do at each arithmetic intensity, measured. */
#include <math.h>

#include "figure.h"

enum { ROOFS_MAX = 16 };
/* Mixes whose rates differ by less share a line and its name. */
#define SAME_LINE 0.2

/* The highest rate of any case of that level or mix, on any instruction set. */
struct roof {
    const char *name;
    double rate;
};

struct panel {
    int threads;
    struct roof level[ROOFS_MAX], mix[ROOFS_MAX];
    size_t levels, mixes;
    double peak;
    double x[2], y[2]; /* ranges */
};

static bool is_measured(const struct result *result)
{
    return result->status == STATUS_OK && result_has_summary(result);
}

static bool is_level(const struct result *result)
{
    return result->work.level && is_measured(result) && result->work.working_set > 0 &&
           result->summary.gbps > 0;
}

static bool is_mix(const struct result *result)
{
    return text_same(result->work.level, "registers") && is_measured(result) &&
           result->summary.gops > 0;
}

static bool is_point(const struct result *result)
{
    return !result->work.level && !result->is_roof && is_measured(result) &&
           result->summary.gops > 0 && result->work.ops > 0 && result->work.bytes > 0;
}

bool figure_has_roofs(const struct run *run)
{
    bool levels = false, mixes = false;
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        levels |= is_level(result);
        mixes |= is_mix(result);
    }
    return levels && mixes;
}

static void raise_roof(struct roof *roofs, size_t *n, const char *name, double rate)
{
    size_t i = 0;
    while (i < *n && strcmp(roofs[i].name, name) != 0)
        i++;
    if (i == ROOFS_MAX)
        return;
    if (i == *n)
        roofs[(*n)++] = (struct roof){.name = name};
    roofs[i].rate = fmax(roofs[i].rate, rate);
}

static void find_roofs(const struct run *run, struct panel *panel)
{
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (result->threads != panel->threads)
            continue;
        if (is_level(result))
            raise_roof(panel->level, &panel->levels, result->work.level,
                       result->summary.gbps);
        else if (is_mix(result))
            raise_roof(panel->mix, &panel->mixes, result->variant, result->summary.gops);
    }
    for (size_t i = 0; i < panel->mixes; i++)
        panel->peak = fmax(panel->peak, panel->mix[i].rate);
}

static void widen(double range[2], double value)
{
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

/* The knees of all roofs and all points are inside. */
static void find_ranges(const struct run *run, struct panel *panel)
{
    double slowest = INFINITY;
    panel->x[0] = 1.0 / 16;
    panel->x[1] = 16;
    for (size_t i = 0; i < panel->levels; i++) {
        widen(panel->x, 2 * panel->peak / panel->level[i].rate);
        slowest = fmin(slowest, panel->level[i].rate);
    }
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (is_point(result) && result->threads == panel->threads)
            widen(panel->x, 1.5 * result->work.ops / result->work.bytes);
    panel->y[0] = panel->y[1] = panel->peak;
    widen(panel->y, slowest * panel->x[0]);
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (is_point(result) && result->threads == panel->threads)
            widen(panel->y, result->summary.gops);
    panel->y[0] /= 1.5;
    panel->y[1] *= 2;
}

/* The names of mixes whose lines would lie on that one; the highest of their rates. */
static double join_mixes(const struct panel *panel, double rate, bool told[ROOFS_MAX],
                         struct buffer *names)
{
    double most = rate;

    for (size_t k = 0; k < panel->mixes; k++) {
        if (told[k] || fabs(log(panel->mix[k].rate / rate)) > SAME_LINE)
            continue;
        buffer_add(names, names->length ? ", " : "");
        buffer_add(names, panel->mix[k].name);
        most = fmax(most, panel->mix[k].rate);
        told[k] = true;
    }
    return most;
}

static void put_mixes(struct figure *figure, const struct panel *panel)
{
    FREED_BY(buffer_free) struct buffer name = {.text = NULL};
    bool told[ROOFS_MAX] = {false};

    for (size_t i = 0; i < panel->mixes; i++) {
        if (told[i])
            continue;
        buffer_clear(&name);
        const double rate = join_mixes(panel, panel->mix[i].rate, told, &name);
        const bool peak = rate == panel->peak;
        buffer_format(&name, " %.3g Gop/s", rate);
        fprintf(figure->file, "set arrow from %g,%g to %g,%g nohead lw %d lc rgb '%s'\n",
                rate / panel->level[0].rate, rate, panel->x[1], rate, peak ? 2 : 1,
                peak ? "#000000" : "#777777");
        fprintf(figure->file, "set label ");
        figure_quoted(figure, buffer_text(&name));
        fprintf(figure->file, " at %g,%g right font ',10' offset 0,0.5\n", panel->x[1],
                rate);
    }
}

static void put_levels(struct figure *figure, const struct panel *panel)
{
    for (size_t i = 0; i < panel->levels; i++) {
        const struct roof *const roof = &panel->level[i];
        const double knee = panel->peak / roof->rate;
        fprintf(figure->file, "set arrow from %g,%g to %g,%g nohead lw 2 lc rgb '%s'\n",
                panel->x[0], panel->x[0] * roof->rate, knee, panel->peak,
                figure_colour(i));
    }
}

static bool has_point(const struct figure *figure, const struct panel *panel,
                      const struct result *one)
{
    return is_point(one) && one->threads == panel->threads && one->op && figure->run;
}

/* The ops of the points, each once. */
static size_t find_ops(const struct figure *figure, const struct panel *panel,
                       const char *ops[ROOFS_MAX])
{
    size_t n = 0;
    FOR_EACH (const struct result, result, figure->run->results, figure->run->n_results) {
        size_t i = 0;
        if (!has_point(figure, panel, result))
            continue;
        while (i < n && strcmp(ops[i], result->op) != 0)
            i++;
        if (i == n && n < ROOFS_MAX)
            ops[n++] = result->op;
    }
    return n;
}

static void put_points(struct figure *figure, const struct panel *panel, const char *op)
{
    FOR_EACH (const struct result, result, figure->run->results, figure->run->n_results)
        if (has_point(figure, panel, result) && !strcmp(result->op, op))
            fprintf(figure->file, "%.6g %.6g\n", result->work.ops / result->work.bytes,
                    result->summary.gops);
    fprintf(figure->file, "e\n");
}

static void put_panel(struct figure *figure, const struct panel *panel)
{
    FILE *const file = figure->file;
    const char *ops[ROOFS_MAX];
    const size_t n = find_ops(figure, panel, ops);

    fprintf(file, "unset arrow\nunset label\nset logscale xy\nset key right bottom "
                  "samplen 1.5 font ',10'\n");
    fprintf(file, "set title '%d thread%s'\n", panel->threads,
            panel->threads == 1 ? "" : "s");
    fprintf(file, "set xlabel 'operations a byte'\nset ylabel 'Gop/s'\n");
    fprintf(file, "set xrange [%g:%g]\nset yrange [%g:%g]\n", panel->x[0], panel->x[1],
            panel->y[0], panel->y[1]);
    put_levels(figure, panel);
    put_mixes(figure, panel);
    fprintf(file, "plot ");
    for (size_t i = 0; i < panel->levels; i++) {
        FREED_BY(buffer_free) struct buffer name = {.text = NULL};
        buffer_format(&name, "%s %.3g GB/s", panel->level[i].name, panel->level[i].rate);
        fprintf(file, "%sNaN with lines lw 2 lc rgb '%s' title ", i ? ", " : "",
                figure_colour(i));
        figure_quoted(figure, buffer_text(&name));
    }
    for (size_t i = 0; i < n; i++) {
        fprintf(file, ", '-' with points pt %zu ps 0.7 lc rgb '%s' title ", 5 + 2 * i,
                figure_colour(panel->levels + i));
        figure_quoted(figure, ops[i]);
    }
    fputc('\n', file);
    for (size_t i = 0; i < n; i++)
        put_points(figure, panel, ops[i]);
}

void figure_roofline(struct figure *figure)
{
    const struct run *const run = figure->run;
    struct panel panels[PANELS_MAX];
    size_t n = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        size_t i = 0;
        while (i < n && panels[i].threads != result->threads)
            i++;
        if (i < n || n == PANELS_MAX || !(is_level(result) || is_mix(result)))
            continue;
        panels[n] = (struct panel){.threads = result->threads};
        find_roofs(run, &panels[n]);
        n += panels[n].levels && panels[n].mixes;
    }
    for (size_t i = 0; i < n; i++)
        find_ranges(run, &panels[i]);
    figure_panels(figure, n);
    for (size_t i = 0; i < n; i++)
        put_panel(figure, &panels[i]);
}
