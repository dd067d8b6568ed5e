/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_op.h"

#include "conv_plain.h"

/* A part keeps its first row of y and the end of its rows behind the dimensions. */
enum { FIRST = CONV_DIMS, END, PART_DIMS };
_Static_assert((int)PART_DIMS <= SIMDBENCH_MAX_DIMS, "no room for the rows of a part");

static void keep_images(struct operands *part, int64_t from, int64_t to)
{
    int64_t *const images = &part->shape.dim[CONV_N];
    struct simdbench_operand *const moved[] = {&part->operand[0], &part->operand[2]};
    for (size_t i = 0; i < ARRAY_LEN(moved); i++) {
        const int64_t image = (int64_t)moved[i]->count / *images;
        moved[i]->data = (float *)moved[i]->data + from * image;
        moved[i]->count = (uint64_t)((to - from) * image);
    }
    *images = to - from;
}

static bool split_conv_images(struct operands *part, uint32_t index, uint32_t count)
{
    const int64_t n = part->shape.dim[CONV_N];
    const int64_t from = n * index / count, to = n * (index + 1) / count;
    keep_images(part, from, to);
    return to > from;
}

/* Images, or rows of y of all images, whichever leaves the largest part smaller. */
static bool split_conv(struct operands *part, uint32_t index, uint32_t count)
{
    const struct conv_shape conv = conv_shape_of(&part->shape);
    int64_t *const dim = part->shape.dim;
    const bool by_image =
        ceiling(conv.n, count) * conv.oh <= conv.n * ceiling(conv.oh, count);

    part->shape.rank = PART_DIMS;
    dim[FIRST] = by_image ? 0 : conv.oh * index / count;
    dim[END] = by_image ? conv.oh : conv.oh * (index + 1) / count;
    return by_image ? split_conv_images(part, index, count) : dim[END] > dim[FIRST];
}

static bool is_plain(const struct simdbench_kernel *kernel)
{
    return !strcmp(kernel->variant, "plain");
}

static bool split_conv_shares(const struct simdbench_kernel *kernel)
{
    return kernel->prepare && (is_plain(kernel) || !strcmp(kernel->variant, "direct"));
}

static int split_share_conv(const struct simdbench_kernel *kernel,
                            const struct simdbench_operands *part, void *whole,
                            void **state)
{
    const int64_t *const dim = part->shape->dim;
    struct conv_plain *plain = NULL;
    struct conv_plan *plan = NULL;
    const int status =
        is_plain(kernel)
            ? conv_plain_part(&plain, whole, dim[CONV_N], dim[FIRST], dim[END])
            : conv_plan_part(&plan, whole, dim[CONV_N], dim[FIRST], dim[END]);
    *state = plain ? (void *)plain : plan;
    return status;
}

/* For kernels whose state can be shared; and for the others. */
const struct split_rule conv_split[] = {
    {.takes = split_conv_shares, .part = split_conv, .share = split_share_conv},
    {.part = split_conv_images},
    {.part = NULL},
};
