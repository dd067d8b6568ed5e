/* SPDX-License-Identifier: Apache-2.0 */
#include "maxpool.h"
#include "vector/vector_sse2.h"

#define T f32
#include "maxpool_body.h"
#define T f64
#include "maxpool_body.h"
