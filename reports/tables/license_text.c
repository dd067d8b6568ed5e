/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

static void add_interval(struct buffer *text, const struct interval *ci, double scale,
                         int digits)
{
    if (ci->known)
        buffer_format(text, " [%.*f, %.*f]", digits, scale * ci->lo, digits,
                      scale * ci->hi);
    else
        buffer_add(text, " [unknown]");
}

/* Ends a cell. */
static void put(struct grid *grid, struct buffer *cell)
{
    GRID_TEXTS(grid, buffer_text(cell));
    buffer_clear(cell);
}

/* "1.0 / 2.0 / 97.0%", empty if nothing was counted. */
static void put_levels(struct grid *grid, const struct license_class *class,
                       size_t rounds, struct buffer *cell)
{
    const size_t n = license_levels(class);
    for (size_t k = 0; k < n; k++)
        buffer_format(cell, "%s%.1f", k ? " / " : "",
                      100 * stats_median(class->level[k], rounds));
    buffer_add(cell, n ? "%" : "");
    put(grid, cell);
    if (n)
        buffer_format(cell, "%.1f%%", 100 * stats_median(class->top_of_cycles, rounds));
    put(grid, cell);
}

static void put_class(struct grid *grid, const struct license_class *class, size_t rounds,
                      bool counted, struct buffer *cell)
{
    const bool timed = !class->skip[0];
    GRID_TEXTS(grid, class->control ? "scalar again" : class->name);
    if (timed) {
        buffer_format(cell, "%.3f GHz", class->median_ghz);
        add_interval(cell, &class->ghz_ci, 1, 3);
    } else {
        buffer_tell(cell, "skipped: %s", class->skip);
    }
    put(grid, cell);
    if (timed && (class->control || class->bits)) {
        buffer_format(cell, "%.2f%%", 100 * class->effect.ratio);
        add_interval(cell, &class->effect.ci, 100, 2);
    }
    put(grid, cell);
    if (counted)
        put_levels(grid, class, rounds, cell);
}

static void put_scope(const struct license_scope *scope, const struct text_page *page)
{
    FREED_BY(buffer_free) struct buffer cell = {.text = NULL};
    const size_t levels = scope->n_classes ? license_levels(&scope->class[0]) : 0;
    struct grid grid = {.at = levels ? "lllrr" : "lll"};

    const bool markdown = page->markdown;
    FILE *const file = page->file;
    text_tell(file, markdown ? "### %s" : "%s", scope->name);
    if (scope->skip[0]) {
        fputs(": skipped: ", file);
        (markdown ? text_markdown_tell : text_tell)(file, "%s\n\n", scope->skip);
        return;
    }
    for (size_t i = 0; i < scope->n_cpu; i++)
        fprintf(file, "%s%d", i ? "," : ": CPU ", scope->cpu[i]);
    fprintf(file, "; %zu rounds", scope->rounds);
    if (scope->disturbed)
        fprintf(file, ", %zu thrown away as other programs took the CPU",
                scope->disturbed);
    fputs(markdown ? "\n\n" : "\n", file);
    GRID_TEXTS(&grid, "work", "clock", "of scalar");
    for (size_t k = 0; k < levels; k++)
        buffer_format(&cell, "%s%zu", k ? " / " : "licence ", k);
    if (levels) {
        put(&grid, &cell);
        GRID_TEXTS(&grid, "of cycles");
    }
    FOR_EACH (const struct license_class, class, scope->class, scope->n_classes)
        if (!class->control || !class->skip[0])
            put_class(&grid, class, scope->rounds, levels > 0, &cell);
    grid_write(&grid, page, 2);
    fputc('\n', file);
}

static void put_net(const struct license_net *net, const struct text_page *page)
{
    const size_t from = license_wins_from(net);
    FREED_BY(buffer_free) struct buffer cell = {.text = NULL};
    struct grid grid = {.at = "lrll"};

    if (net->skip[0])
        text_item(page, "%s: skipped: %s", net->op, net->skip);
    else if (from == 0)
        text_item(page, "%s: avx512 is not slower in any of these shapes", net->op);
    else if (from < net->n_points)
        text_item(page, "%s: avx512 is not slower from %s on", net->op,
                  net->point[from].shape);
    else
        text_item(page, "%s: avx512 is slower, or nobody knows, up to %s", net->op,
                  net->point[net->n_points - 1].shape);
    GRID_TEXTS(&grid, "shape", "times as fast", "avx512", "narrower");
    FOR_EACH (const struct license_point, point, net->point, net->n_points) {
        GRID_TEXTS(&grid, point->shape);
        buffer_format(&cell, "%.3fx", point->speedup);
        add_interval(&cell, &point->ci, 1, 3);
        put(&grid, &cell);
        grid_cell(&grid, "%.*s", (int)strcspn(point->wide, "@"), point->wide);
        grid_cell(&grid, "%.*s", (int)strcspn(point->narrow, "@"), point->narrow);
    }
    fputs(page->markdown ? "\n" : "", page->file);
    grid_write(&grid, page, 2);
    fputs(page->markdown ? "\n" : "", page->file);
}

void license_write(const struct license *license, const struct text_page *page)
{
    char chains[80];

    fputs(page->markdown ? "# simdbench license\n\n"
                         : "clock under each kind of work (medians, 95% intervals)\n\n",
          page->file);
    if (page->markdown)
        text_answer(page, license_answer(license));
    FOR_EACH (const struct license_scope, scope, license->scope, LICENSE_SCOPES)
        put_scope(scope, page);
    snprintf(chains, sizeof chains, "%.3f GHz by adds, %.3f GHz by multiplies",
             license->ghz_add, license->ghz_imul);
    text_item(page, "chains alone, best of many: %s", chains);
    if (license->top[0])
        text_item(page,
                  "of cycles: %s over the cycles of the thread, as perf stat counts them",
                  license->top);
    if (license->counters[0])
        text_item(page, "no licence counters that tell, so the clock alone decides: %s",
                  license->counters);
    if (license->net_skip[0])
        text_item(page, "no net effect: %s", license->net_skip);
    else if (license->n_nets)
        text_item(page,
                  "net effect, work and clock together (batches of 0.5 ms take turns)");
    FOR_EACH (const struct license_net, net, license->net, license->n_nets)
        put_net(net, page);
    if (license->n_nets && license->verdict.cost >= LICENSE_LIGHT)
        text_item(page,
                  "the clock stays low for a while after wide work, also for a narrow "
                  "batch that follows: avx512 looks better here than on its own");
    text_item(page, "%s, fingerprint %s", license->cpu, license->fingerprint);
    if (!page->markdown)
        text_answer(page, license_answer(license));
}
