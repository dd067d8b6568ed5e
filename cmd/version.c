/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "commit.h"

const struct version simdbench_version = {
    .number = SIMDBENCH_VERSION,
    .commit = SIMDBENCH_COMMIT,
    .compiler = SIMDBENCH_COMPILER,
    .flags = SIMDBENCH_FLAGS,
};
