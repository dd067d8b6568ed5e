/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "conv/conv_plain.h"
#include "split_rules.h"

/* A part keeps its first row of y and the end of its rows behind the dimensions. */
enum { FIRST = CONV_DIMS, END, PART_DIMS };
_Static_assert((int)PART_DIMS <= SIMDBENCH_MAX_DIMS, "no room for the rows of a part");

static int64_t ceiling(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Images, or rows of y of all images, whichever leaves the largest part smaller. */
bool split_conv(struct operands *part, uint32_t index, uint32_t count)
{
    const struct conv_shape conv = conv_shape_of(&part->shape);
    int64_t *const dim = part->shape.dim;
    const bool by_image =
        ceiling(conv.n, count) * conv.oh <= conv.n * ceiling(conv.oh, count);
    const int64_t n = by_image ? conv.n : conv.oh;
    const int64_t from = n * index / count, to = n * (index + 1) / count;
    const int64_t image = by_image ? from : 0;
    struct simdbench_operand *const x = &part->operand[0], *const y = &part->operand[2];
    const int64_t x_channels = conv.x_plain ? conv.c : conv.cb * conv.b;

    part->shape.rank = PART_DIMS;
    dim[CONV_N] = by_image ? to - from : conv.n;
    dim[FIRST] = by_image ? 0 : from;
    dim[END] = by_image ? conv.oh : to;
    x->data = (float *)x->data + image * x_channels * conv.h * conv.w;
    y->data = (float *)y->data + image * conv.kb * conv.b * conv.oh * conv.ow;
    return to > from;
}

static bool is_plain(const struct simdbench_kernel *kernel)
{
    return !strcmp(kernel->variant, "plain");
}

int split_share_conv(const struct simdbench_kernel *kernel,
                     const struct simdbench_operands *part, void *whole, void **state)
{
    const int64_t *const dim = part->shape->dim;
    struct conv_plain *plain = NULL;
    struct conv_plan *plan = NULL;
    int status = -ENOTSUP;

    if (whole && is_plain(kernel))
        status = conv_plain_part(&plain, whole, dim[CONV_N], dim[FIRST], dim[END]);
    else if (whole && !strcmp(kernel->variant, "direct"))
        status = conv_plan_part(&plan, whole, dim[CONV_N], dim[FIRST], dim[END]);
    *state = plain ? (void *)plain : plan;
    return status;
}

void split_release_conv(const struct simdbench_kernel *kernel, void *state)
{
    if (is_plain(kernel))
        conv_plain_part_free(state);
    else
        conv_plan_part_free(state);
}
