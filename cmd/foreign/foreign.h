/* SPDX-License-Identifier: Apache-2.0 */
/* Room foreign: what functions execute inside somebody else's program, and what it asks
 * of them (docs/prove.md). */
#pragma once

#include "cli/cli.h"

int command_prove(struct options *options);
int command_capture(struct options *options);
