/* SPDX-License-Identifier: Apache-2.0 */
/* Room license: does wide SIMD cost clock on this machine, and is it worth it? */
#pragma once

#include "cli/cli.h"

int command_license(struct options *options); /* an exit status */

/* The clock under the vector work that costs most of it, over that under scalar work of
 * the same rounds, on a CPU that the caller has locked. NaN if no such work runs here. */
int license_clock(int cpu, struct license_effect *least, struct error *error);
