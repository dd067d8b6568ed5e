/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "export.h"
#include "judge/judge.h"
#include "text/text.h"

static void put_interval(struct csv *csv, bool known, const struct interval *interval)
{
    CSV_NUMBERS(csv, known && interval->known, interval->lo, interval->hi,
                interval->level);
}

static void put_settings(struct csv *csv, const struct setting *settings, size_t n)
{
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    for (size_t i = 0; i < n; i++)
        buffer_tell(&text, "%s%s=%s", i ? ";" : "", settings[i].name, settings[i].value);
    csv_text(csv, buffer_text(&text));
}

/* ---- columns that depend on the run: labels of baselines, names of counters ---- */

struct key {
    const char *text;
    size_t length;
};

struct keys {
    struct key *key;
    size_t n;
};

struct columns {
    struct keys baselines, counters, metrics;
};

static void keys_add(struct keys *keys, const char *text, size_t length)
{
    for (size_t i = 0; i < keys->n; i++)
        if (keys->key[i].length == length && !memcmp(keys->key[i].text, text, length))
            return;
    struct key *const key = LIST_ADD(keys, key, n);
    *key = (struct key){text, length};
}

static void columns_make(const struct run *run, struct columns *columns)
{
    if (run_meets_own(run))
        keys_add(&columns->baselines, "", 0);
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (result->is_baseline && result->id)
            keys_add(&columns->baselines, result->id, baseline_label(result));
        for (size_t c = 0; c < result->samples.n_counters; c++) {
            const char *name = result->samples.counters[c].name;
            keys_add(&columns->counters, name, strlen(name));
        }
        FOR_EACH (const struct metric, metric, result->metrics, result->n_metrics)
            if (isfinite(metric->value))
                keys_add(&columns->metrics, metric->name, strlen(metric->name));
    }
}

/* Columns of a run that compares builds. */
static const char comparison_titles[] =
    ",verdict,verdict_reason,trials,processes,trials_voided,base_ns,head_ns"
    ",change,change_lo,change_hi,change_level,least_change,control_change,floor"
    ",delta,detectable,p";

static void put_keys(struct csv *csv, const char *before, const struct key *key, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        FREED_BY(buffer_free) struct buffer title = {.text = NULL};
        buffer_format(&title, "%s:%.*s", before, (int)key[i].length, key[i].text);
        buffer_add(&title, key[i].length ? "" : OWN_LABEL);
        csv_text(csv, buffer_text(&title));
    }
}

static void put_titles(struct csv *csv, const struct run *run,
                       const struct columns *columns)
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

    fputs(titles, csv->file);
    csv->begun = true;
    for (size_t i = 0; i < columns->baselines.n; i++)
        for (size_t part = 0; part < ARRAY_LEN(ratio); part++)
            put_keys(csv, ratio[part], &columns->baselines.key[i], 1);
    put_keys(csv, "counter", columns->counters.key, columns->counters.n);
    put_keys(csv, "metric", columns->metrics.key, columns->metrics.n);
    fputs(run->gate ? comparison_titles : "", csv->file);
    csv_end(csv);
}

static void put_case(struct csv *csv, const struct result *result)
{
    CSV_TEXTS(csv, result->id);
    CSV_NUMBERS(csv, true, (double)result->group);
    CSV_TEXTS(csv, result_role(result), result->op, result->type, result->isa,
              result->variant, result->shape);
    put_settings(csv, result->settings, result->n_settings);
    CSV_NUMBERS(csv, true, result->threads, result->threads_used);
    CSV_TEXTS(csv, result->module.name);
    put_settings(csv, result->module.options, result->module.n_options);
    CSV_TEXTS(csv, result->module.version, result->module.core,
              status_name(result->status), result->reason);
}

static void put_measured(struct csv *csv, const struct result *result)
{
    const bool known = result_has_summary(result);
    const struct limit *limit = &result->summary.limit;

    CSV_NUMBERS(csv, true, result->work.ops, result->work.bytes);
    CSV_NUMBERS(csv, known, result->samples.prepare_ns,
                (double)result->samples.iterations);
    CSV_NUMBERS(csv, true, (double)result->samples.n, result->samples.voided);
    CSV_NUMBERS(csv, known, result->samples.overhead_ns, result->summary.median_ns,
                result->summary.min_ns, result->summary.mad_ns);
    put_interval(csv, known, &result->summary.ci_ns);
    CSV_NUMBERS(csv, known && result->summary.gops > 0, result->summary.gops);
    CSV_NUMBERS(csv, known && result->summary.gbps > 0, result->summary.gbps);
    CSV_TEXTS(csv, limit->id);
    CSV_NUMBERS(csv, limit->gops > 0, limit->gops);
    CSV_NUMBERS(csv, limit->gbps > 0, limit->gbps);
    CSV_NUMBERS(csv, limit->id, limit->share);
    CSV_NUMBERS(csv, result->summary.ghz > 0, result->summary.ghz);
    put_interval(csv, result->summary.ghz > 0, &result->summary.ghz_ci);
    CSV_TEXTS(csv, result->layout, result->code.implementation, result->unranked,
              result->source);
    CSV_NUMBERS(csv, true, result->samples.workspace_bytes);
    CSV_NUMBERS(csv, result->accuracy.known, result->accuracy.max_ulp,
                result->accuracy.mean_ulp, result->accuracy.worst_input);
}

static void put_comparison(struct csv *csv, const struct comparison *comparison)
{
    static const struct comparison none;
    const struct comparison *c = comparison ? comparison : &none;
    const bool known = comparison_has_change(c), tried = known && c->n_trials;

    CSV_TEXTS(csv, comparison ? verdict_name(c->verdict) : "", c->reason);
    CSV_NUMBERS(csv, comparison, (double)c->n_trials, c->processes, c->voided);
    CSV_NUMBERS(csv, c->base_ns > 0, c->base_ns);
    CSV_NUMBERS(csv, c->head_ns > 0, c->head_ns);
    CSV_NUMBERS(csv, known, c->change);
    put_interval(csv, known, &c->change_ci);
    CSV_NUMBERS(csv, tried, c->least_change, c->control_change, c->floor);
    CSV_NUMBERS(csv, known, c->delta);
    CSV_NUMBERS(csv, tried, c->detectable, c->p);
}

static void put_row(struct csv *csv, const struct run *run, const struct result *result,
                    const struct columns *columns)
{
    static const struct interval unknown;

    put_case(csv, result);
    put_measured(csv, result);
    FOR_EACH (const struct key, key, columns->baselines.key, columns->baselines.n) {
        const struct ratio *ratio =
            baseline_ratio(run, result, key->text, key->length).ratio;
        CSV_NUMBERS(csv, ratio, ratio ? ratio->speedup : 0);
        put_interval(csv, ratio, ratio ? &ratio->ci : &unknown);
    }
    for (size_t i = 0; i < columns->counters.n; i++) {
        double value = NAN;
        FOR_EACH (const struct counter, counter, result->samples.counters,
                  result->samples.n_counters)
            if (!strcmp(counter->name, columns->counters.key[i].text))
                value = !counter->absent && counter->n ? counter->value : NAN;
        CSV_NUMBERS(csv, true, value);
    }
    for (size_t i = 0; i < columns->metrics.n; i++) {
        double value = NAN;
        for (size_t m = 0; m < result->n_metrics; m++)
            if (!strcmp(result->metrics[m].name, columns->metrics.key[i].text))
                value = result->metrics[m].value;
        CSV_NUMBERS(csv, true, value);
    }
    if (run->gate)
        put_comparison(csv, result->comparison);
    csv_end(csv);
}

/* A row for each case, in plan order (RFC 4180); unknown numbers are empty. */
void csv_write(const struct run *run, FILE *file)
{
    struct csv csv = {.file = file};
    struct columns columns = {.baselines = {.key = NULL}};

    columns_make(run, &columns);
    put_titles(&csv, run, &columns);
    for (size_t i = 0; i < run->n_results; i++)
        put_row(&csv, run, &run->results[i], &columns);
    FREE_EACH(columns.baselines.key, columns.counters.key, columns.metrics.key);
}
