/* SPDX-License-Identifier: Apache-2.0 */
/* Room explain: why a kernel is as fast as it is. */
#pragma once

#include "cli/cli.h"

/* `simdbench explain CASE...|OP`; returns an exit status. */
int explain_run(struct options *options);
