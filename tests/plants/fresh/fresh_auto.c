/* SPDX-License-Identifier: Apache-2.0 */
/* A plain loop, for a compiler to make vectors of; it is told to prefer narrow ones. */
#include "fresh.h"

/* axpy, f64 */
RUN(f17)
{
    const double *restrict const x = F64(0), *restrict const z = F64(1);
    double *restrict const y = F64(2);
    const ptrdiff_t n = DIM(0);
    for (ptrdiff_t i = 0; i < n; i++)
        y[i] = 1.5 * x[i] + z[i];
}
