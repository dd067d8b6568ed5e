/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce.h"
#include "vector/vector_scalar.h"

#define T f32
#include "reduce_body.h"
#define T f64
#include "reduce_body.h"
