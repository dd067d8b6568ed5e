/* SPDX-License-Identifier: Apache-2.0 */
#include "absolute.h"
#include "vector/vector_scalar.h"

#define T f32
#include "absolute_body.h"
#define T f64
#include "absolute_body.h"
