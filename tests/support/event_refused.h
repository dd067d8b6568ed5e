/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "perfctr.h"
#include "unit.h"

/* There is no such event, and the error says `word`. */
static inline void expect_error(const char *name, const char *word)
{
    struct event event;
    struct error error = {.text = ""};
    assert_int_equal(event_encode(name, &event, &error), -EINVAL);
    if (!strstr(error.text, word))
        fail_msg("\"%s\" does not say \"%s\"", error.text, word);
}
