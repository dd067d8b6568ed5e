/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a sample run in a format, for tests that read it as other programs do. */
#include <string.h>

#include "effort.h"
#include "sample_explained.h"
#include "sample_study.h"
#include "sample_verdicts.h"

enum { MANY = 10000 };

/* The sample with CPU time that is a tenth above wall time in every second batch, and as
 * much below in the others. */
static struct run *sample_cpu_time(void)
{
    struct run *run = sample_run();

    FOR_EACH (struct result, result, run->results, run->n_results) {
        struct counter *const clock = result_add_counter(result, "task-clock");
        for (size_t i = 0; i < result->samples.n; i++)
            counter_add_sample(clock, result->samples.ns[i] * (i % 2 ? 0.9 : 1.1));
    }
    return run;
}

static struct run *make(const char *which)
{
    return !strcmp(which, "run")             ? sample_run()
           : !strcmp(which, "plan")          ? sample_run_plan()
           : !strcmp(which, "cpu-time")      ? sample_cpu_time()
           : !strcmp(which, "hostile")       ? sample_run_hostile()
           : !strcmp(which, "empty")         ? run_new()
           : !strcmp(which, "why")           ? sample_explained()
           : !strcmp(which, "why-hostile")   ? sample_explained_hostile()
           : !strcmp(which, "study")         ? sample_study_run()
           : !strcmp(which, "study-hostile") ? sample_study_hostile()
           : !strcmp(which, "many")          ? sample_many(effort_of(MANY))
           : !strcmp(which, "gate")          ? sample_verdicts(false)
           : !strcmp(which, "gate-strict")   ? sample_verdicts(true)
           : !strcmp(which, "gate-stored")   ? sample_verdicts_stored()
           : !strcmp(which, "gate-code")     ? sample_verdicts_code()
           : !strcmp(which, "gate-hostile")  ? sample_verdicts_hostile()
           : !strcmp(which, "gate-many")     ? sample_verdicts_many(effort_of(MANY))
                                             : NULL;
}

int main(int argc, char **argv)
{
    struct error error = {.text = ""};
    enum format format = FORMATS;
    struct run *run = argc == 3 && !format_find(argv[2], &format) ? make(argv[1]) : NULL;
    if (!run) {
        fprintf(stderr, "usage: sample_formats SAMPLE FORMAT\n");
        return 2;
    }
    const int code = run_write(run, format, NULL, stdout, &error);
    if (code)
        fprintf(stderr, "%s\n", error.text);
    run_free(run);
    return code ? 1 : 0;
}
