/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the writers of a fleet. */
#pragma once

#include "fleet.h"

/* A text that hosts give to a fact, and how many do. */
struct fleet_value {
    const char *text; /* NULL: they do not say */
    size_t n;
};
/* Calls `tell` for each fact in which hosts differ, and returns their number. */
typedef void tell_difference(void *context, const struct fleet *fleet, const char *name,
                             const struct fleet_value *values, size_t n);
size_t fleet_each_difference(const struct fleet *fleet, tell_difference *tell,
                             void *context);
