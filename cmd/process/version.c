/* SPDX-License-Identifier: Apache-2.0 */
#include "commit.h"
#include "process/process.h"

const struct version simdbench_version = {
    .number = SIMDBENCH_VERSION,
    .commit = SIMDBENCH_COMMIT,
    .compiler = SIMDBENCH_COMPILER,
    .flags = SIMDBENCH_FLAGS,
};
