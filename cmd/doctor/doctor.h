/* SPDX-License-Identifier: Apache-2.0 */
/* Room doctor: what of this machine costs a benchmark its truth, and what to type. */
#pragma once

#include "cli/cli.h"

int command_doctor(struct options *options); /* an exit status */
