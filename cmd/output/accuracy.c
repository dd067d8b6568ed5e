/* SPDX-License-Identifier: Apache-2.0 */
/* --accuracy: no times, but how far each kernel is from the exact results, one column for
 * each input. */
#include "output/output.h"

/* Groups that differ in nothing but their input stand in one table. */
struct block {
    const struct plan *plan;
    const struct run *run;
    const char *default_input; /* its name, which ids leave out */
    size_t first;              /* a group, whose cases are the rows */
};

static bool same_table(const struct plan *plan, size_t a, size_t b)
{
    const struct plan_group *one = &plan->groups[a], *other = &plan->groups[b];
    return one->type == other->type && !strcmp(one->shape.text, other->shape.text);
}

static bool in_block(const struct block *block, size_t g)
{
    return same_table(block->plan, block->first, g);
}

/* The length of the part of an id that names the kernel. */
static int name_length(const char *id)
{
    return (int)strcspn(id, "@");
}

static const struct result *find_result(const struct block *block, size_t g,
                                        const char *id)
{
    const int length = name_length(id);
    FOR_EACH (const struct result, result, block->run->results, block->run->n_results)
        if (result->group == g && name_length(result->id) == length &&
            !memcmp(result->id, id, (size_t)length))
            return result;
    return NULL;
}

static const char *column_name(const struct block *block, size_t g)
{
    const char *input = block->plan->groups[g].settings.input;
    return input ? input : block->default_input;
}

static void put_ulp(struct grid *grid, double ulp)
{
    grid_cell(grid, ulp < 1000 ? "%.3f" : "%.3g", ulp);
}

static void put_row(const struct block *block, const char *id, struct grid *grid)
{
    double most = 0, sum = 0;
    size_t known = 0;
    grid_cell(grid, "%.*s", name_length(id), id);
    for (size_t g = block->first; g < block->plan->n_groups; g++) {
        const struct result *result =
            in_block(block, g) ? find_result(block, g, id) : NULL;
        if (!in_block(block, g))
            continue;
        if (!result || result->status != STATUS_OK || !result->accuracy.known) {
            GRID_TEXTS(grid, !result                       ? ""
                             : result->status == STATUS_OK ? "-"
                                                           : status_name(result->status));
            continue;
        }
        put_ulp(grid, result->accuracy.max_ulp);
        most = result->accuracy.max_ulp > most ? result->accuracy.max_ulp : most;
        sum += result->accuracy.mean_ulp;
        known++;
    }
    if (known) {
        put_ulp(grid, most);
        put_ulp(grid, sum / (double)known);
    } else {
        GRID_TEXTS(grid, "-", "-");
    }
}

/* The reasons for cells without a number. */
static void print_reasons(const struct block *block, FILE *file)
{
    FOR_EACH (const struct result, result, block->run->results, block->run->n_results) {
        if (!in_block(block, result->group) || !result->reason)
            continue;
        text_line(file, "  %s: %s", result->id, result->reason);
    }
}

static void print_block(const struct block *block, FILE *file)
{
    const struct plan_group *group = &block->plan->groups[block->first];
    struct grid grid = {.at = "lr", .columns = 3};
    text_line(file, "%s %s, %s", group->op, type_name(group->type), group->shape.text);
    text_line(file, "%s", "");
    GRID_TEXTS(&grid, "largest error in ulp");
    for (size_t g = block->first; g < block->plan->n_groups; g++) {
        if (!in_block(block, g))
            continue;
        GRID_TEXTS(&grid, column_name(block, g));
        grid.columns++;
    }
    GRID_TEXTS(&grid, "max", "mean");
    for (size_t c = 0; c < group->n_cases; c++)
        put_row(block, group->cases[c].id, &grid);
    const struct text_page page = page_of(file, FORMAT_TABLE);
    grid_write(&grid, &page, 0);
    print_reasons(block, file);
}

void accuracy_print(const struct plan *plan, const struct run *run,
                    const struct catalog *catalog, FILE *file)
{
    for (size_t g = 0; g < plan->n_groups; g++) {
        const char *inputs = catalog_op_text(catalog, plan->groups[g].op, "inputs");
        char first[64] = "default";
        if (inputs)
            snprintf(first, sizeof first, "%.*s", (int)strcspn(inputs, ", "), inputs);
        size_t earliest = 0;
        while (!same_table(plan, earliest, g))
            earliest++;
        if (earliest < g)
            continue; /* printed */
        if (g > 0)
            text_line(file, "%s", "");
        const struct block block = {
            .plan = plan, .run = run, .default_input = first, .first = g};
        print_block(&block, file);
    }
}
