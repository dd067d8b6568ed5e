/* SPDX-License-Identifier: Apache-2.0 */
#include "softmax.h"
#include "vector/vector_neon.h"

#define T f32
#include "softmax_body.h"
#define T f64
#include "softmax_body.h"
