/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room referee: a verdict about a function from elsewhere. Is it right? Does it do its
 * work in each call? How fast is it? docs/judge.md.
 */
#pragma once

#include "cli/cli.h"

/* `simdbench judge`; an exit status. */
int command_judge(struct options *options);
