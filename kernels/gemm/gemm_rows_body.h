/* SPDX-License-Identifier: Apache-2.0 */
/* All rows of gemm and gemm_argmax that types of all instruction sets have, after
 * gemm_body.h. A file that has rows `fma` defines GEMM_FMA_ROWS; one whose rows `spans`
 * are in another file GEMM_SPANS_ELSEWHERE. Ends the type. */
GEMM_KERNEL(maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(minplus, add, GEMM_MINPLUS_ADD)
#if !OF(IS_INTEGER)
GEMM_KERNEL(maxtimes, mul, GEMM_MAXTIMES_MUL)
#ifdef GEMM_FMA_ROWS
GEMM_KERNEL(maxplus, fma, GEMM_MAXPLUS_FMA)
GEMM_KERNEL(minplus, fma, GEMM_MINPLUS_FMA)
GEMM_ARGMAX_VALUE(maxplus, fma)
GEMM_ARGMAX_VALUE(minplus, fma)
#else
GEMM_ARGMAX_VALUE(maxplus, add)
GEMM_ARGMAX_VALUE(minplus, add)
#endif
GEMM_ARGMAX_VALUE(maxtimes, mul)
#ifndef GEMM_SPANS_ELSEWHERE
#include "gemm_argmax_body.h"
#endif
#ifdef EACH_MASKED_TILE
#include "gemm_argmax_masked_body.h"
#endif
#endif

#undef T
