/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sample_run.h"
#include "unit.h"

/* The run that is read from a run's JSON; written again it gives the same bytes. */
static inline struct run *read_back(const struct run *run)
{
    char *const first = sample_text(run, FORMAT_JSON, NULL);
    struct error error = {.text = ""};
    struct run *again;
    if (run_read_json(&again, first, strlen(first), &error))
        fail_msg("%s", error.text);
    char *const second = sample_text(again, FORMAT_JSON, NULL);
    assert_string_equal(first, second);
    free(first);
    free(second);
    return again;
}

static inline void assert_prints_the_same(const struct run *run, const struct run *again,
                                          enum format format)
{
    char *const live = sample_text(run, format, NULL);
    char *const later = sample_text(again, format, NULL);
    assert_string_equal(live, later);
    free(live);
    free(later);
}
