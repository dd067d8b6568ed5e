/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are built without optimisation, and without debug information. */
#include "fresh.h"

/* heat, f64, with an index for each neighbour. */
RUN(f09)
{
    const double *x = operands->operand[0]->data;
    double *y = operands->operand[1]->data;
    const long h = operands->shape->dim[0], w = operands->shape->dim[1];
    for (long i = 0; i < h; i++)
        for (long j = 0; j < w; j++) {
            const long at = i * w + j;
            if (i == 0 || j == 0 || i == h - 1 || j == w - 1) {
                y[at] = x[at];
                continue;
            }
            double sum = x[at];
            sum += x[at - w];
            sum += x[at + w];
            sum += x[at - 1];
            sum += x[at + 1];
            y[at] = sum * 0.2;
        }
}

/* scan, a byte after the other. */
RUN(f10)
{
    const unsigned char *text = operands->operand[0]->data;
    const unsigned char *end = text + 4 * operands->operand[0]->count;
    int lines = 0;
    while (text < end) {
        if (*text == '\n')
            lines++;
        text++;
    }
    *(int *)operands->operand[1]->data = lines;
}
