/* SPDX-License-Identifier: Apache-2.0 */
/* All rows of the type PART on an instruction set whose tiles are the same for each. */
#define T PART
#include "gemm_body.h"
#include "gemm_rows_body.h"
