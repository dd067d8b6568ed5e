/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_pathologies.h"
#include "conv_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int conv_pathology_prepare(const struct simdbench_operands *operands, void **state,
                           char *error, size_t error_size)
{
    const struct conv_shape shape = conv_shape_of(operands->shape);
    const float *weights = operands->operand[1]->data;
    const int64_t terms = shape.c * shape.r * shape.s;
    const size_t bytes = (size_t)(shape.kb * shape.b * terms) * sizeof *weights;

    if (shape.g > 1 || shape.x_plain) {
        snprintf(error, error_size, "only for one group of more than %d channels",
                 CONV_IMAGE);
        return -ENOTSUP;
    }
    struct conv_pathology *made = malloc(sizeof *made);
    float *to = conv_floats(bytes);
    if (!made || !to) {
        free(made);
        free(to);
        snprintf(error, error_size, "no memory for %zu bytes of weights", bytes);
        return -ENOMEM;
    }
    for (int64_t k = 0; k < shape.k; k++)
        for (int64_t term = 0; term < terms; term++)
            to[(k / shape.b * terms + term) * shape.b + k % shape.b] =
                weights[k * terms + term];
    *made = (struct conv_pathology){.shape = shape, .weights = to};
    *state = made;
    return 0;
}

void conv_pathology_release(void *state)
{
    struct conv_pathology *made = state;

    if (made)
        free(made->weights);
    free(made);
}

void conv_pathology_choice(const struct simdbench_operands *operands, const void *state,
                           struct simdbench_choice *choice)
{
    choice->workspace_bytes = 0;
}
