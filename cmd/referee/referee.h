/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room referee: one verdict about a function that somebody else, or a program, wrote: is
 * it right, does it do its work in each call, and how fast is it? docs/judge.md.
 */
#pragma once

#include "cli/cli.h"

/* `simdbench judge`; an exit status. */
int command_judge(struct options *options);
