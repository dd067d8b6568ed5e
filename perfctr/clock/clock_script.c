/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of verdicts about time cannot let the machine decide: with this variable the
 * times of batches are made up, and no other program takes a part of the CPU. */
#include <inttypes.h>

#include "perfctr_private.h"

/* Samples that are all equal would hide what is done with their spread. */
enum { WAVE = 17, WAVE_MIDDLE = WAVE / 2 };
#define WAVE_STEP 1e-4

static char kept[4096];
static bool is_kept;

const char *clock_script(void)
{
    const char *const script = is_kept ? kept : getenv("SIMDBENCH_TEST_CLOCK");
    return script && *script ? script : NULL;
}

void clock_script_keep(void)
{
    if (!is_kept)
        snprintf(kept, sizeof kept, "%s", clock_script() ?: "");
    is_kept = true;
}

int64_t clock_budget(void)
{
    return clock_script() ? 0 : clock_now();
}

int64_t clock_patience(int64_t limit_ns)
{
    return clock_script() ? 100 * limit_ns : limit_ns;
}

static double rate_of(const char *name, double rate)
{
    const size_t length = strlen(name);
    const char *entry = clock_script();
    while (entry && (entry = strchr(entry, ','))) {
        entry++;
        if (!strncmp(entry, name, length) && entry[length] == '=')
            rate = strtod(entry + length + 1, NULL);
    }
    return rate;
}

double clock_script_rate(const char *name)
{
    const char *const entry = clock_script();
    return rate_of(name, entry ? strtod(entry, NULL) : 0);
}

double clock_script_copy_rate(const char *name, uint64_t copy)
{
    char of_copy[256];
    snprintf(of_copy, sizeof of_copy, "%s@%" PRIu64, name, copy);
    return rate_of(of_copy, clock_script_rate(name));
}

void sample_script(struct sample *sample, double ns, uint64_t turn)
{
    const double step = (double)(turn * 7 % WAVE) - WAVE_MIDDLE;
    const int64_t made_up = (int64_t)(ns * (1 + WAVE_STEP * step)) + 1;
    *sample = (struct sample){.ns = made_up,
                              .cpu_ns = made_up,
                              .process_ns = made_up,
                              .minor_faults = sample->minor_faults};
}
