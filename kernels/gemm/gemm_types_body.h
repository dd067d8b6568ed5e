/* SPDX-License-Identifier: Apache-2.0 */
/* All rows of an instruction set whose tiles are the same for each element type; those of
 * one type where PART is its name. */
#ifdef PART
#define T PART
#include "gemm_body.h"
#include "gemm_rows_body.h"
#else
#define T f32
#include "gemm_body.h"
#include "gemm_rows_body.h"
#define T f64
#include "gemm_body.h"
#include "gemm_rows_body.h"
#define T i32
#include "gemm_body.h"
#include "gemm_rows_body.h"
#define T i64
#include "gemm_body.h"
#include "gemm_rows_body.h"
#endif
