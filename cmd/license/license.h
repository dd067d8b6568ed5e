/* SPDX-License-Identifier: Apache-2.0 */
/* Room license: does wide SIMD cost clock on this machine, and is it worth it? */
#pragma once

#include "cli/cli.h"

int command_license(struct options *options); /* an exit status */
