/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room costs: passports of instruction forms (passport.h) and rates of cores (perfctr.h),
 * kept in the user's cache until the host boots again. A form that is not there is
 * measured when it is asked for.
 *
 * SIMDBENCH_TEST_COSTS="vpcompress*=70,vdiv*=10" makes costs up for tests: forms that
 * match take so many cycles, all others one, and nothing is measured or kept.
 */
#pragma once

#include <cjson/cJSON.h>

#include "inspect.h"
#include "passport.h"
#include "perfctr.h"

/* The member of a host with its forms. It has another name where other rules measure. */
#define COSTS_MEMBER "measured by 6"

struct costs;
/* Never NULL. `fingerprint`: of the host. */
struct costs *costs_open(const char *fingerprint);
/* Fills a passport for each of `n` forms. Those that are not kept, or all if `again`, are
 * measured on the CPU of this process; `done` is told how many of these are ready. Zero,
 * or a negative errno: -EINTR if `done` wanted no more. */
int costs_of(struct costs *costs, const struct passport_form *forms, size_t n, bool again,
             passport_done *done, void *context, struct passport *passports,
             struct error *error);
/* The same for instructions that were executed, as struct inspect_options asks for it:
 * `costs` is a struct costs. */
inspect_costs_of costs_of_code;
/* Takes core_rate_count() rates of core_rates_measure() on this CPU. The last ones that
 * were measured alone on the core are kept, and each value becomes their median: another
 * thread may be there all the time that one run measures. */
void costs_of_core(struct costs *costs, int cpu, double *value, const bool *alone);
/* Keeps what was measured, and frees it; NULL is allowed. */
void costs_close(struct costs *costs);
/* Whether costs are made up for a test. */
bool costs_are_made_up(void);

/* A passport as JSON: {"throughput": 1, "links": [[from, to, address, cycles, full],
 * ...]}, or
 * {"reason": "..."}. False if the value is none. */
cJSON *cost_json(const struct passport *passport);
bool cost_read(const cJSON *value, struct passport *passport);
