/* SPDX-License-Identifier: Apache-2.0 */
/* Inside room inspect: one cause. */
#pragma once

#include "findings.h"

/* Adds a cause to the findings, to what is excluded or to what is unknown. */
void cause_test(const struct inspect_facts *facts, enum inspect_cause cause,
                struct inspect_findings *findings);
