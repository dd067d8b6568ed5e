/* SPDX-License-Identifier: Apache-2.0 */
#include "map.h"
#include "vector/vector_sse2.h"

#define HAS_STREAM
#define T f32
#include "map_body.h"
#define T f64
#include "map_body.h"
