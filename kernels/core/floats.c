/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an op on an instruction set: its body, for each type of float. */
#include VECTORS_OF

#define T f32
#include BODY_OF
#define T f64
#include BODY_OF
