/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <math.h>
#include <stdint.h>

/* The bits of a number as a float of 16 bits: sign, exponent and `fraction` bits; `bias`
 * of its exponent. It is rounded to nearest, ties to even: the value is scaled so that
 * its last bit is 1, as rint() rounds so. */
static inline uint16_t half_of(double value, int fraction, int bias)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const int infinite = 0x7fff >> fraction << fraction;
    double size = fabs(value);
    int exponent;
    if (isnan(value))
        return (uint16_t)(sign | infinite | 1 << (fraction - 1));
    if (isinf(value))
        return (uint16_t)(sign | infinite);
    frexp(size, &exponent); /* size is in [0.5, 1) * 2^exponent */
    exponent = exponent - 1 < 1 - bias || size == 0 ? 1 - bias : exponent - 1;
    size = rint(ldexp(size, fraction - exponent));
    /* The bit above the fraction belongs to the exponent; of subnormals it is clear. */
    const double bits = size + ldexp(exponent + bias - 1, fraction);
    return (uint16_t)(sign | (bits >= infinite ? infinite : (int)bits));
}
