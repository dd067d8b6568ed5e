/* SPDX-License-Identifier: Apache-2.0 */
/* Short words for the facts of a test, which are called `facts`. */
#pragma once

#include "findings.h"
#include "unit.h"

#define SET(id, value) inspect_fact_set(&facts, FACT_##id, value)
#define VALUE(id) inspect_fact_value(&facts, FACT_##id)
/* Derived anew, such a bound has that value, or is not known. */
#define BOUND(id, value) (inspect_bounds(&facts), assert_near(VALUE(id), value, 1e-9))
#define UNKNOWN(id) (inspect_bounds(&facts), assert_true(isnan(VALUE(id))))
