/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "judge/judge.h"
#include "text/text.h"

/* One row for each case, in plan order (RFC 4180): numbers in full, unknown ones empty.
 */
struct csv {
    FILE *file;
    struct buffer scratch;
    bool begun; /* this row has a field already */
};

static void put(struct csv *csv, const char *text)
{
    fputs(csv->begun ? "," : "", csv->file);
    csv->begun = true;
    text_csv(csv->file, text);
}

static void put_number(struct csv *csv, bool known, double value)
{
    put(csv, "");
    text_csv_number(csv->file, known, value);
}

static void put_interval(struct csv *csv, bool known, const struct interval *interval)
{
    known &= interval->known;
    put_number(csv, known, interval->lo);
    put_number(csv, known, interval->hi);
    put_number(csv, known, interval->level);
}

static void end_row(struct csv *csv)
{
    fputs("\r\n", csv->file);
    csv->begun = false;
}

static void put_settings(struct csv *csv, const struct setting *settings, size_t n)
{
    buffer_clear(&csv->scratch);
    for (size_t i = 0; i < n; i++) {
        buffer_add(&csv->scratch, i ? ";" : "");
        buffer_plain(&csv->scratch, settings[i].name);
        buffer_add(&csv->scratch, "=");
        buffer_plain(&csv->scratch, settings[i].value);
    }
    put(csv, buffer_text(&csv->scratch));
}

/* ---- columns that depend on the run: a baseline's label or a counter's name each ----
 */

struct key {
    const char *text;
    size_t length;
};

struct keys {
    struct key *key;
    size_t n;
};

static int keys_add(struct keys *keys, const char *text, size_t length)
{
    for (size_t i = 0; i < keys->n; i++)
        if (keys->key[i].length == length && !memcmp(keys->key[i].text, text, length))
            return 0;
    struct key *const key = array_grow(&keys->key, keys->n, sizeof *key);
    if (!key)
        return -ENOMEM;
    *key = (struct key){text, length};
    keys->n++;
    return 0;
}

static int keys_make(const struct run *run, struct keys *baselines, struct keys *counters,
                     struct keys *metrics)
{
    int code = 0;

    for (size_t i = 0; i < run->n_results; i++) {
        const struct result *result = &run->results[i];
        if (result->is_baseline && result->id && !code)
            code = keys_add(baselines, result->id, baseline_label(result));
        for (size_t c = 0; c < result->n_counters && !code; c++) {
            const char *name = result->counters[c].name;
            code = keys_add(counters, name, strlen(name));
        }
        for (size_t m = 0; m < result->n_metrics && !code; m++)
            if (isfinite(result->metrics[m].value))
                code = keys_add(metrics, result->metrics[m].name,
                                strlen(result->metrics[m].name));
    }
    return code;
}

/* Columns of a run that compares builds. */
static const char comparison_titles[] =
    ",verdict,verdict_reason,trials,processes,trials_voided,base_ns,head_ns"
    ",change,change_lo,change_hi,change_level,least_change,control_change,floor"
    ",delta,detectable,p";

static void put_titles(struct csv *csv, const struct run *run,
                       const struct keys *baselines, const struct keys *counters,
                       const struct keys *metrics)
{
    static const char titles[] =
        "id,group,role,op,type,isa,variant,shape,settings,threads,threads_used,module"
        ",module_options,module_version,module_core,status,reason,ops,bytes"
        ",prepare_ns,iterations,samples,voided,overhead_ns,median_ns,min_ns,mad_ns"
        ",ci_lo_ns,ci_hi_ns,ci_level,gops,gbps,limit_id,limit_gops,limit_gbps"
        ",limit_share,ghz,ghz_lo,ghz_hi,ghz_level,layout,implementation,unranked"
        ",source,workspace_bytes,max_ulp,mean_ulp,worst_input";
    static const char *const ratio[] = {"speedup", "speedup_lo", "speedup_hi",
                                        "speedup_level"};
    struct buffer title = {.text = NULL};

    fputs(titles, csv->file);
    csv->begun = true;
    for (size_t i = 0; i < baselines->n; i++)
        for (size_t part = 0; part < ARRAY_LEN(ratio); part++) {
            buffer_clear(&title);
            buffer_format(&title, "%s:%.*s", ratio[part], (int)baselines->key[i].length,
                          baselines->key[i].text);
            put(csv, buffer_text(&title));
        }
    for (size_t i = 0; i < counters->n; i++) {
        buffer_clear(&title);
        buffer_format(&title, "counter:%s", counters->key[i].text);
        put(csv, buffer_text(&title));
    }
    for (size_t i = 0; i < metrics->n; i++) {
        buffer_clear(&title);
        buffer_format(&title, "metric:%s", metrics->key[i].text);
        put(csv, buffer_text(&title));
    }
    buffer_free(&title);
    fputs(run->gate ? comparison_titles : "", csv->file);
    end_row(csv);
}

static void put_case(struct csv *csv, const struct result *result)
{
    put(csv, result->id);
    put_number(csv, true, (double)result->group);
    put(csv, result_role(result));
    put(csv, result->op);
    put(csv, result->type);
    put(csv, result->isa);
    put(csv, result->variant);
    put(csv, result->shape);
    put_settings(csv, result->settings, result->n_settings);
    put_number(csv, true, result->threads);
    put_number(csv, true, result->threads_used);
    put(csv, result->module);
    put_settings(csv, result->module_options, result->n_module_options);
    put(csv, result->module_version);
    put(csv, result->module_core);
    put(csv, status_name(result->status));
    put(csv, result->reason);
}

static void put_measured(struct csv *csv, const struct result *result)
{
    bool known = result_has_summary(result);
    const struct limit *limit = &result->limit;

    put_number(csv, true, result->ops);
    put_number(csv, true, result->bytes);
    put_number(csv, known, result->prepare_ns);
    put_number(csv, known, (double)result->iterations);
    put_number(csv, true, (double)result->n_samples);
    put_number(csv, true, result->voided);
    put_number(csv, known, result->overhead_ns);
    put_number(csv, known, result->median_ns);
    put_number(csv, known, result->min_ns);
    put_number(csv, known, result->mad_ns);
    put_interval(csv, known, &result->ci_ns);
    put_number(csv, known && result->gops > 0, result->gops);
    put_number(csv, known && result->gbps > 0, result->gbps);
    put(csv, limit->id);
    put_number(csv, limit->gops > 0, limit->gops);
    put_number(csv, limit->gbps > 0, limit->gbps);
    put_number(csv, limit->id != NULL, limit->share);
    put_number(csv, result->ghz > 0, result->ghz);
    put_interval(csv, result->ghz > 0, &result->ghz_ci);
}

static void put_choice(struct csv *csv, const struct result *result)
{
    bool accuracy = result->has_accuracy;

    put(csv, result->layout);
    put(csv, result->implementation);
    put(csv, result->unranked);
    put(csv, result->source);
    put_number(csv, true, result->workspace_bytes);
    put_number(csv, accuracy, result->max_ulp);
    put_number(csv, accuracy, result->mean_ulp);
    put_number(csv, accuracy, result->worst_input);
}

static void put_comparison(struct csv *csv, const struct comparison *comparison)
{
    static const struct comparison none;
    const struct comparison *c = comparison ? comparison : &none;
    const bool known = c->base_ns > 0 && c->head_ns > 0, tried = c->n_trials > 0;

    put(csv, comparison ? verdict_name(c->verdict) : "");
    put(csv, c->reason);
    put_number(csv, comparison != NULL, (double)c->n_trials);
    put_number(csv, comparison != NULL, c->processes);
    put_number(csv, comparison != NULL, c->voided);
    put_number(csv, c->base_ns > 0, c->base_ns);
    put_number(csv, c->head_ns > 0, c->head_ns);
    put_number(csv, known, c->change);
    put_interval(csv, known, &c->change_ci);
    put_number(csv, known && tried, c->least_change);
    put_number(csv, known && tried, c->control_change);
    put_number(csv, known && tried, c->floor);
    put_number(csv, known, c->delta);
    put_number(csv, known && tried, c->detectable);
    put_number(csv, known && tried, c->p);
}

static void put_row(struct csv *csv, const struct run *run, const struct result *result,
                    const struct keys *baselines, const struct keys *counters,
                    const struct keys *metrics)
{
    static const struct ratio unknown;

    put_case(csv, result);
    put_measured(csv, result);
    put_choice(csv, result);
    for (size_t i = 0; i < baselines->n; i++) {
        const struct ratio *ratio =
            baseline_ratio(run, result, baselines->key[i].text, baselines->key[i].length)
                .ratio;
        put_number(csv, ratio != NULL, ratio ? ratio->speedup : 0);
        put_interval(csv, ratio != NULL, ratio ? &ratio->ci : &unknown.ci);
    }
    for (size_t i = 0; i < counters->n; i++) {
        const struct counter *found = NULL;
        for (size_t c = 0; c < result->n_counters && !found; c++)
            if (!strcmp(result->counters[c].name, counters->key[i].text))
                found = &result->counters[c];
        put_number(csv, found && !found->absent && found->n, found ? found->value : 0);
    }
    for (size_t i = 0; i < metrics->n; i++) {
        const struct metric *found = NULL;
        for (size_t m = 0; m < result->n_metrics && !found; m++)
            if (!strcmp(result->metrics[m].name, metrics->key[i].text))
                found = &result->metrics[m];
        put_number(csv, found && isfinite(found->value), found ? found->value : 0);
    }
    if (run->gate)
        put_comparison(csv, result->comparison);
    end_row(csv);
}

int csv_write(const struct run *run, FILE *file)
{
    struct csv csv = {.file = file};
    struct keys baselines = {.key = NULL}, counters = {.key = NULL};
    struct keys metrics = {.key = NULL};
    int code = keys_make(run, &baselines, &counters, &metrics);

    if (!code) {
        put_titles(&csv, run, &baselines, &counters, &metrics);
        for (size_t i = 0; i < run->n_results; i++)
            put_row(&csv, run, &run->results[i], &baselines, &counters, &metrics);
    }
    free(baselines.key);
    free(counters.key);
    free(metrics.key);
    buffer_free(&csv.scratch);
    return code;
}
