/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "tables.h"

enum { INTERVAL_SIZE = 40 };

static const char *interval_text(const struct interval *ci, double scale, int digits,
                                 char out[INTERVAL_SIZE])
{
    if (ci->known)
        snprintf(out, INTERVAL_SIZE, "[%.*f, %.*f]", digits, scale * ci->lo, digits,
                 scale * ci->hi);
    else
        snprintf(out, INTERVAL_SIZE, "[unknown]");
    return out;
}

enum { LEVELS_SIZE = 64 };

/* "1.0 / 2.0 / 97.0%", empty if nothing was counted. */
static const char *levels_text(const struct license_class *class, size_t rounds,
                               char out[LEVELS_SIZE])
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t k = 0; k < license_levels(class); k++)
        at += (size_t)snprintf(out + at, LEVELS_SIZE - at, "%s%.1f", k ? " / " : "",
                               100 * stats_median(class->level[k], rounds));
    if (at)
        snprintf(out + at, LEVELS_SIZE - at, "%%");
    return out;
}

/* "licence 0 / 1 / 2" */
static const char *levels_title(size_t n, char out[LEVELS_SIZE])
{
    size_t at = (size_t)snprintf(out, LEVELS_SIZE, "licence");
    for (size_t k = 0; k < n; k++)
        at += (size_t)snprintf(out + at, LEVELS_SIZE - at, "%s%zu", k ? " / " : " ", k);
    return out;
}

static void print_levels(const struct license_class *class, size_t rounds, FILE *file)
{
    char title[LEVELS_SIZE], levels[LEVELS_SIZE];
    if (!license_levels(class) || !isfinite(stats_median(class->level[0], rounds)))
        return;
    fprintf(file, "  %s: %s; %.1f%% of cycles",
            levels_title(license_levels(class), title),
            levels_text(class, rounds, levels),
            100 * stats_median(class->top_of_cycles, rounds));
}

/* The meaning of the last number of a class with licences. */
static void top_text(const struct license *license, char *out, size_t size)
{
    snprintf(out, size,
             "of cycles: %s over the cycles of the thread, as perf stat counts them",
             license->top);
}

static void print_class(const struct license_class *class, size_t rounds, FILE *file)
{
    char ghz[INTERVAL_SIZE], ratio[INTERVAL_SIZE];
    const char *const name = class->control ? "scalar again" : class->name;
    if (class->skip[0]) {
        if (!class->control) {
            fprintf(file, "  %-12s  skipped: %s", name, class->skip);
            print_levels(class, rounds, file);
            fputc('\n', file);
        }
        return;
    }
    fprintf(file, "  %-12s  %5.3f GHz %s", name, class->median_ghz,
            interval_text(&class->ghz_ci, 1, 3, ghz));
    if (class->control || class->bits)
        fprintf(file, "  %6.2f%% of scalar %s", 100 * class->effect.ratio,
                interval_text(&class->effect.ci, 100, 2, ratio));
    print_levels(class, rounds, file);
    fputc('\n', file);
}

static void print_scope(const struct license_scope *scope, FILE *file)
{
    if (scope->skip[0]) {
        text_line(file, "%s: skipped: %s", scope->name, scope->skip);
        fputc('\n', file);
        return;
    }
    fprintf(file, "%s: CPU", scope->name);
    for (size_t i = 0; i < scope->n_cpu; i++)
        fprintf(file, "%s%d", i ? "," : " ", scope->cpu[i]);
    fprintf(file, "; %zu rounds", scope->rounds);
    if (scope->disturbed)
        fprintf(file, ", %zu thrown away as other programs took the CPU",
                scope->disturbed);
    fputc('\n', file);
    for (size_t i = 0; i < scope->n_classes; i++)
        print_class(&scope->class[i], scope->rounds, file);
    fputc('\n', file);
}

static void print_net(const struct license_net *net, FILE *file)
{
    const size_t from = license_wins_from(net);
    char ci[INTERVAL_SIZE];
    if (net->skip[0]) {
        text_line(file, "%s: skipped: %s", net->op, net->skip);
        return;
    }
    fprintf(file, "%s: ", net->op);
    if (from == 0)
        fprintf(file, "avx512 is not slower in any of these shapes\n");
    else if (from < net->n_points)
        fprintf(file, "avx512 is not slower from %s on\n", net->point[from].shape);
    else
        fprintf(file, "avx512 is slower, or nobody knows, up to %s\n",
                net->point[net->n_points - 1].shape);
    FOR_EACH (const struct license_point, point, net->point, net->n_points)
        fprintf(file, "  %-18s  %.3fx %-16s  %.*s over %.*s\n", point->shape,
                point->speedup, interval_text(&point->ci, 1, 3, ci),
                (int)strcspn(point->wide, "@"), point->wide,
                (int)strcspn(point->narrow, "@"), point->narrow);
}

void license_print(const struct license *license, FILE *file)
{
    fputs("clock under each kind of work (medians, 95% intervals)\n\n", file);
    for (size_t i = 0; i < LICENSE_SCOPES; i++)
        print_scope(&license->scope[i], file);
    fprintf(file,
            "chains alone, best of many: %.3f GHz by adds, %.3f GHz by multiplies\n",
            license->ghz_add, license->ghz_imul);
    if (license->top[0]) {
        char top[160];
        top_text(license, top, sizeof top);
        text_line(file, "%s", top);
        fputc('\n', file);
    }
    if (license->counters[0])
        text_tell(file, "no licence counters that tell, so the clock alone decides: %s\n",
                  license->counters);
    if (license->net_skip[0])
        fprintf(file, "no net effect: %s\n", license->net_skip);
    else if (license->n_nets)
        fputs("\nnet effect, work and clock together (batches of 0.5 ms take turns)\n",
              file);
    for (size_t i = 0; i < license->n_nets; i++)
        print_net(&license->net[i], file);
    if (license->n_nets && license->verdict.cost >= LICENSE_LIGHT)
        fputs("the clock stays low for a while after wide work, also for a narrow batch "
              "that follows:\navx512 looks better here than on its own\n",
              file);
    text_answer(file, license_answer(license));
}

/* ---- Markdown ---- */

static void put_class(const struct license_class *class, size_t rounds, bool counted,
                      FILE *file)
{
    char text[INTERVAL_SIZE + 32], ci[INTERVAL_SIZE], levels[LEVELS_SIZE];
    const bool timed = !class->skip[0];

    if (class->control && !timed)
        return;
    fputs("|", file);
    text_markdown_cell(file, class->control ? "scalar again" : class->name);
    snprintf(text, sizeof text, "%.3f GHz %s", class->median_ghz,
             interval_text(&class->ghz_ci, 1, 3, ci));
    text_markdown_cell(file, timed ? text : class->skip);
    snprintf(text, sizeof text, "%.2f%% %s", 100 * class->effect.ratio,
             interval_text(&class->effect.ci, 100, 2, ci));
    text_markdown_cell(file, timed && (class->control || class->bits) ? text : "");
    if (counted) {
        snprintf(text, sizeof text, "%.1f%%",
                 100 * stats_median(class->top_of_cycles, rounds));
        text_markdown_cell(file, levels_text(class, rounds, levels));
        text_markdown_cell(file, class->top_of_cycles ? text : "");
    }
    fputc('\n', file);
}

static void put_scope(const struct license_scope *scope, FILE *file)
{
    text_markdown_tell(file, "\n### %s\n\n", scope->name);
    if (scope->skip[0]) {
        text_markdown_tell(file, "%s\n", scope->skip);
        return;
    }
    char title[LEVELS_SIZE];
    const size_t n = scope->n_classes ? license_levels(&scope->class[0]) : 0;
    fputs("| work | clock | of scalar |", file);
    if (n)
        fprintf(file, " %s | of cycles |", levels_title(n, title));
    fprintf(file, "\n| :-- | :-- | :-- |%s\n", n ? " --: | --: |" : "");
    for (size_t i = 0; i < scope->n_classes; i++)
        put_class(&scope->class[i], scope->rounds, n > 0, file);
}

void license_markdown(const struct license *license, FILE *file)
{
    fputs("# simdbench license\n\n", file);
    text_answer_markdown(file, license_answer(license));
    for (size_t i = 0; i < LICENSE_SCOPES; i++)
        put_scope(&license->scope[i], file);
    fputs("\n", file);
    if (license->top[0]) {
        char top[160];
        top_text(license, top, sizeof top);
        text_markdown_tell(file, "- %s\n", top);
    }
    if (license->counters[0])
        text_markdown_tell(
            file, "- no licence counters that tell, so the clock alone decides: %s\n",
            license->counters);
    FOR_EACH (const struct license_net, net, license->net, license->n_nets) {
        FOR_EACH (const struct license_point, point, net->point, net->n_points) {
            char ci[INTERVAL_SIZE];
            text_markdown_tell(file, "- %s %s", net->op, point->shape);
            fprintf(file, ": avx512 is %.3fx as fast \\%s\n", point->speedup,
                    interval_text(&point->ci, 1, 3, ci));
        }
    }
    text_markdown_tell(file, "- %s, fingerprint %s\n", license->cpu,
                       license->fingerprint);
}
