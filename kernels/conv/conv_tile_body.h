/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles of direct convolution that are VECTORS wide and up to COLUMNS long, for each body
 * of conv_dense_body.h, which includes this file once for each width. The preprocessor
 * knows the width: where one function with a constant argument had the code of all
 * widths, gcc took ten minutes for it.
 *
 * Products are written as asm, column by column: compilers gather the loads of x before
 * them and run out of registers, and rotate accumulators.
 */
#define PIXEL fixed
#include "conv_run_body.h"
#undef PIXEL
#define PIXEL any
#include "conv_run_body.h"
#undef PIXEL

EACH_BODY(BODY_TILES)

/* [body][columns - 1] */
static conv_tile_function *const CONV_TILES[][COLUMNS] = {EACH_BODY(BODY_ENTRY)};

#undef VECTORS
#undef COLUMNS
