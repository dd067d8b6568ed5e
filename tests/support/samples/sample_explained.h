/* SPDX-License-Identifier: Apache-2.0 */
/* A small run with explanations: of one case all there is, of another one next to
 * nothing. */
#pragma once

#include "sample_run.h"

/* Never NULL. Always the same. */
struct run *sample_explained(void);
/* Every text of its explanations is hostile. */
struct run *sample_explained_hostile(void);
