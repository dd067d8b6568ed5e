/* SPDX-License-Identifier: Apache-2.0 */
/* Room foreign: what functions execute inside somebody else's program (docs/prove.md). */
#pragma once

#include "cli/cli.h"

int command_prove(struct options *options);
