/* SPDX-License-Identifier: Apache-2.0 */
/* A run is shown and saved while it grows. */
#include "output/output.h"

#define SAVE_EVERY_NS 1000000000LL
#define PROGRESS_EVERY_NS 100000000LL

double forecast_again(struct forecast *forecast, const struct progress *progress,
                      int64_t now)
{
    if (progress->done == 0)
        forecast->begun = now;
    if (progress->done == 1 && !forecast->second)
        forecast->second = now;
    if (progress->done != 2 || !forecast->second)
        return 0;
    const double first = (double)(forecast->second - forecast->begun) * 1e-9;
    const double other = (double)(now - forecast->second) * 1e-9;
    const double groups = (double)(progress->n_groups - progress->group - 1);
    const double seconds = (double)(now - progress->started) * 1e-9 +
                           (progress->wanted - 2) * other +
                           groups * (first + (progress->wanted - 1) * other);
    forecast->second = 0;
    if (!(forecast->seconds > 0) || seconds < 1.5 * forecast->seconds)
        return 0;
    forecast->seconds = seconds;
    return seconds;
}

static void draw(void *context, const struct progress *progress)
{
    struct live *const live = context;
    const int64_t now = clock_now();
    const double seconds = forecast_again(&live->forecast, progress, now);
    if (seconds > 0)
        complain("this will take about %.0f s, as the first processes took", seconds);
    if (!live->progress || now - live->drawn < PROGRESS_EVERY_NS)
        return;
    live->drawn = now;
    const double share =
        ((double)progress->group + (double)progress->done / progress->wanted) /
        (double)progress->n_groups;
    const double spent = (double)(now - progress->started) * 1e-9;
    char left[32] = "";
    if (share > 0.02)
        snprintf(left, sizeof left, ", %.0f s left", spent * (1 - share) / share);
    char title[512];
    if (progress->title)
        snprintf(title, sizeof title, "%s", progress->title);
    else
        snprintf(title, sizeof title, "[%zu/%zu] %s %s %s", progress->group + 1,
                 progress->n_groups, progress->plan->op, type_name(progress->plan->type),
                 progress->plan->shape.text);
    progress_show("%s: %s %u of %u%s", title, progress->step, progress->done + 1,
                  progress->wanted, left);
}

/* A disk that is full now may have room at the end: then it counts. */
static void save(struct live *live, struct run *run)
{
    struct error error = {.text = ""};
    if (!live->options->n_outputs || clock_now() - live->saved < SAVE_EVERY_NS)
        return;
    live->saved = clock_now();
    if (outputs_save(live->options, run, &error) < 0 && !live->save_failed) {
        complain("%s; to be tried again", error.text);
        live->save_failed = true;
    }
}

static void show_group(void *context, struct run *run, size_t group)
{
    struct live *const live = context;
    const struct text_options text = text_of_stdout(live->options);
    progress_end();
    if (live->table && !live->begun)
        table_begin(run, &text, stdout);
    live->begun = true;
    if (live->table)
        table_group(run, group, &text, stdout);
    standard_flush(NULL);
    if (!run->interrupted)
        save(live, run);
}

void live_begin(struct live *live, const struct options *options, bool table)
{
    *live = (struct live){
        .options = options,
        .table = table && options->format == FORMAT_TABLE,
        .progress = !options->quiet,
        .watcher = {.context = live, .progress = draw, .group_done = show_group}};
}

void live_end(const struct live *live, const struct run *run)
{
    const struct text_options text = text_of_stdout(live->options);
    progress_end();
    if (live->table && live->begun)
        table_end(run, &text, stdout);
}
