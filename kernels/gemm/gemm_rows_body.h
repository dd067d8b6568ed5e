/* SPDX-License-Identifier: Apache-2.0 */
/* All rows of gemm and gemm_argmax that types of all instruction sets have, after
 * gemm_body.h. A file that has rows `fma` defines GEMM_FMA_ROWS, and what makes the
 * products of `spans`, SPANS_MAXPLUS and SPANS_MINPLUS; one that has rows `reload`
 * GEMM_RELOAD_ROWS. Ends the type. */
GEMM_KERNEL(maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(minplus, add, GEMM_MINPLUS_ADD)
#if !OF(IS_INTEGER)
GEMM_KERNEL(maxtimes, mul, GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(maxtimes, mul)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_KERNEL(maxtimes, spans, GEMM_MAXTIMES_MUL)
#ifdef GEMM_FMA_ROWS
GEMM_KERNEL(maxplus, fma, GEMM_MAXPLUS_FMA)
GEMM_KERNEL(minplus, fma, GEMM_MINPLUS_FMA)
GEMM_ARGMAX_VALUE(maxplus, fma)
GEMM_ARGMAX_VALUE(minplus, fma)
GEMM_ARGMAX_KERNEL(maxplus, spans, SPANS_MAXPLUS)
GEMM_ARGMAX_KERNEL(minplus, spans, SPANS_MINPLUS)
#else
GEMM_ARGMAX_VALUE(maxplus, add)
GEMM_ARGMAX_VALUE(minplus, add)
GEMM_ARGMAX_KERNEL(maxplus, spans, GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_KERNEL(minplus, spans, GEMM_MINPLUS_ADD)
#endif
#ifdef GEMM_RELOAD_ROWS
GEMM_KERNEL(maxplus, reload, GEMM_MAXPLUS_RELOAD)
GEMM_KERNEL(minplus, reload, GEMM_MINPLUS_RELOAD)
#endif
#ifdef EACH_MASKED_TILE
#include "gemm_argmax_masked_body.h"
#endif
#endif

#undef T
