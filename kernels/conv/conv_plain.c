/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_plain.h"
#include "kernels.h"

/* Bytes of x in one copy: they come from the second cache, once for each tile of output
 * channels. */
enum { STRIP_BYTES = 96 << 10 };
/* Bytes of x and y in one slice: they stay in the second cache beside the weights.
 * Depthwise, each vector serves so few products that they stay in half of a first cache.
 */
enum { SLICE_BYTES = 512 << 10, LONE_SLICE_BYTES = 16 << 10 };

/* So many sums must be under way, as a product waits for the one before it in its sum:
 * two begin in a cycle, and each takes about four. */
enum { SUMS = 8 };

/* Lanes decide, and one is always in use: blocks are for depthwise alone. */
const struct conv_plain_target conv_plain_target_scalar = {
    1, 6, 2, 0, 0, 0, &conv_target_scalar};
const struct conv_plain_target conv_plain_target_avx512 = {
    16, 8, 3, 1.05, 15, 0, &conv_target_avx512};
const struct conv_plain_target conv_plain_target_avx2 = {
    8, 4, 3, 1.1, 4.5, 0.25, &conv_target_avx2};
const struct conv_plain_target conv_plain_target_sse2 = {
    4, 4, 2, 1.27, 1.5, 0.25, &conv_target_sse2};
const struct conv_plain_target conv_plain_target_neon = {
    4, 8, 3, 1.05, 15, 0, &conv_target_neon};

static void conv_plain_free(struct conv_plain *plain)
{
    if (!plain)
        return;
    conv_plan_free(plain->blocked);
    free(plain->scratch);
    if (!plain->is_part) {
        free(plain->weights);
        free(plain->taps);
    }
    free(plain);
}

/* ---- in blocks ---- */

static bool is_depthwise(const struct conv_shape *shape)
{
    return shape->g > 1 && shape->g == shape->c && shape->g == shape->k;
}

/* Rows of y in a slice: no more than a band of the plan; depthwise, where one block is
 * done after the other, whole squares of pixels if they fit. */
static ptrdiff_t slice_rows(const struct conv_plan *plan)
{
    const struct conv_shape *shape = &plan->shape;
    const bool alone = plan->kind == CONV_DEPTHWISE;
    const ptrdiff_t x_blocks = shape->x_plain ? 0 : alone ? 1 : shape->cb;
    const ptrdiff_t y_blocks = alone ? 1 : shape->kb;
    const ptrdiff_t bytes = (x_blocks * shape->u * shape->w + y_blocks * shape->ow) *
                            shape->b * (ptrdiff_t)sizeof(float);
    const ptrdiff_t fit = (alone ? LONE_SLICE_BYTES : SLICE_BYTES) / bytes;
    const ptrdiff_t rows = fit < 1 ? 1 : least(fit, shape->oh);

    if (alone) {
        const ptrdiff_t square = shape->b / least(shape->b, shape->ow & -shape->ow);
        return rows > square ? rows - rows % square : rows;
    }
    const ptrdiff_t band = plan->band * shape->oh / plan->tiles;
    return ceiling(shape->oh, ceiling(shape->oh, band < 1 ? 1 : least(rows, band)));
}

static int make_blocked(struct conv_plain *plain, const struct conv_plain_target *target,
                        const float *weights, char *error, size_t error_size)
{
    const int64_t b = target->blocked->block;
    struct conv_shape shape = plain->shape;
    /* Depthwise, one block after the other is done. */
    const bool alone = is_depthwise(&shape);
    size_t x_count = 0;

    shape.n = 1;
    shape.b = b;
    shape.cb = ceiling(shape.c, b);
    shape.kb = ceiling(shape.k, b);
    shape.x_plain = shape.c <= CONV_IMAGE && shape.g == 1;
    if (!shape.x_plain)
        x_count = (size_t)((alone ? 1 : shape.cb) * b * shape.h * shape.w);
    plain->y_offset = (ptrdiff_t)x_count;
    /* A block of one channel is a plane of x, and of y. */
    plain->scratch_bytes =
        b == 1 ? 0
               : (x_count + (size_t)((alone ? 1 : shape.kb) * b * shape.oh * shape.ow)) *
                     sizeof(float);
    const int status = conv_plan_make(&plain->blocked, &shape, target->blocked, weights,
                                      error, error_size);
    if (status == 0)
        plain->slice_rows = slice_rows(plain->blocked);
    return status;
}

/* ---- by columns ---- */

/* The distance that divides all those of taps and of the pixels of y. */
static ptrdiff_t pace(ptrdiff_t stride, ptrdiff_t dilation, ptrdiff_t taps)
{
    ptrdiff_t a = stride, b = taps > 1 ? dilation : 0;

    while (b > 0) {
        const ptrdiff_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void choose_strips(struct conv_plain *plain,
                          const struct conv_plain_target *target)
{
    const struct conv_shape *shape = &plain->shape;
    const ptrdiff_t tile = (ptrdiff_t)target->vectors * target->lanes;
    const ptrdiff_t budget = STRIP_BYTES / (ptrdiff_t)sizeof(float) / shape->cg;

    plain->points = shape->r == 1 && shape->s == 1;
    plain->in_place =
        plain->points && shape->u == 1 && shape->v == 1 && shape->p == 0 && shape->q == 0;
    plain->rows = plain->points ? 1 : shape->oh;
    plain->row_length = plain->points ? shape->oh * shape->ow : shape->ow;
    plain->pace[0] = pace(shape->u, shape->d, shape->r);
    plain->pace[1] = pace(shape->v, shape->d, shape->s);
    plain->step = shape->u / plain->pace[0];
    plain->height = shape->d * (shape->r - 1) / plain->pace[0] + 1;
    const ptrdiff_t v = shape->v / plain->pace[1];
    const ptrdiff_t last = shape->d * (shape->s - 1) / plain->pace[1];
    const ptrdiff_t phases = least(v, last + 1);

    /* As much of a row as fits, then more rows. */
    const ptrdiff_t tiles = ceiling(plain->row_length, tile);
    const ptrdiff_t fit = budget / (tile * phases * plain->height);
    plain->strip_columns = fit < 1       ? tile
                           : fit < tiles ? ceiling(tiles, ceiling(tiles, fit)) * tile
                                         : tiles * tile;
    const ptrdiff_t used = least(plain->strip_columns, plain->row_length);
    plain->reach = last / v;
    plain->phase = (ceiling(used, target->lanes) + ceiling(plain->reach, target->lanes)) *
                   target->lanes;
    plain->row = plain->phase * phases;
    const ptrdiff_t rows = (budget / plain->row - plain->height) / plain->step + 1;
    plain->strip_rows = rows < 1 ? 1 : least(rows, plain->rows);
    plain->plane = ((plain->strip_rows - 1) * plain->step + plain->height) * plain->row;
    /* Points are copied by whole vectors, of which the last may end later. */
    plain->scratch_bytes =
        (size_t)(shape->cg * plain->plane + target->lanes) * sizeof(float);
}

static void reorder(struct conv_plain *plain, const float *weights)
{
    const struct conv_shape *shape = &plain->shape;
    const ptrdiff_t terms = shape->cg * shape->r * shape->s;
    float *to = plain->weights;

    for (ptrdiff_t group = 0; group < shape->g; group++)
        for (ptrdiff_t tile = 0; tile < plain->tiles; tile++) {
            const ptrdiff_t from = tile * shape->kg / plain->tiles;
            const ptrdiff_t height = (tile + 1) * shape->kg / plain->tiles - from;
            for (ptrdiff_t term = 0; term < terms; term++)
                for (ptrdiff_t k = 0; k < height; k++)
                    *to++ = weights[(group * shape->kg + from + k) * terms + term];
        }
}

static int make_columns(struct conv_plain *plain, const struct conv_plain_target *target,
                        const float *weights, char *error, size_t error_size)
{
    const struct conv_shape *shape = &plain->shape;
    const ptrdiff_t taps = shape->r * shape->s, v = shape->v / plain->pace[1];
    const size_t bytes = (size_t)(shape->k * shape->cg * taps) * sizeof(float);

    plain->tiles = ceiling(shape->kg, target->height);
    plain->weights = conv_floats(bytes);
    plain->taps = malloc((size_t)taps * sizeof *plain->taps);
    if (!plain->weights || !plain->taps) {
        snprintf(error, error_size, "no memory for %zu bytes of weights", bytes);
        return -ENOMEM;
    }
    for (ptrdiff_t tap = 0; tap < taps; tap++) {
        const ptrdiff_t row = tap / shape->s * shape->d / plain->pace[0];
        const ptrdiff_t column = tap % shape->s * shape->d / plain->pace[1];
        plain->taps[tap] = row * plain->row + column % v * plain->phase + column / v;
    }
    reorder(plain, weights);
    snprintf(plain->text, sizeof plain->text, "by columns, tile %tdx%d%s",
             ceiling(shape->kg, plain->tiles), target->vectors * target->lanes,
             plain->in_place ? "" : ", copies strips");
    return 0;
}

/* ---- the choice ---- */

/* Roughly how long each way takes, by output: lanes that are not used, sums that are too
 * few in tiles of short rows, copies and transposes. */
static bool prefers_blocks(const struct conv_plain *plain,
                           const struct conv_plain_target *target)
{
    const struct conv_shape *shape = &plain->shape;
    const int64_t b = target->blocked->block, k = ceiling(shape->kg, b) * b;
    const double terms = (double)(shape->cg * shape->r * shape->s);
    const double uses =
        (double)(shape->kg * shape->r * shape->s) / (double)(shape->u * shape->v);
    const bool image = shape->c <= CONV_IMAGE && shape->g == 1;
    /* Short runs of an image; tiles of one block, blocks that are not full. */
    const double lesser = image                          ? 3.0 / (double)shape->s
                          : k == b || shape->cg % b != 0 ? 1
                                                         : 0;
    const ptrdiff_t vectors = ceiling(plain->row_length, target->lanes);
    const double sums = (double)shape->kg / (double)ceiling(shape->kg, target->height) *
                        (double)least(vectors, target->vectors);
    const double columns = target->columns * (double)(vectors * target->lanes) /
                           (double)plain->row_length * (sums < SUMS ? SUMS / sums : 1);
    const double blocks = (double)k / (double)shape->kg * (1 + target->lesser * lesser) *
                          (1 + target->reorder * (1 / terms + (image ? 0 : 1 / uses)));

    /* Too few products for anything but lanes in use to count. */
    if (is_depthwise(shape))
        return 2 * shape->c > b;
    if (shape->g > 1 && (shape->cg % b || shape->kg % b))
        return false;
    return blocks < columns;
}

static int conv_plain_make(void **plain, const struct conv_shape *shape,
                           const struct conv_plain_target *target, const float *weights,
                           char *error, size_t error_size)
{
    struct conv_plain *made = calloc(1, sizeof *made);
    int result = -ENOMEM;

    snprintf(error, error_size, "no memory for a plan");
    if (!made)
        return result;
    made->shape = *shape;
    choose_strips(made, target);
    result = (prefers_blocks(made, target) ? make_blocked : make_columns)(
        made, target, weights, error, error_size);
    if (result == 0) {
        if (made->blocked)
            snprintf(made->text, sizeof made->text, "in blocks, %s", made->blocked->text);
        made->scratch = conv_floats(made->scratch_bytes);
        if (!made->scratch) {
            snprintf(error, error_size, "no memory for %zu bytes of copies",
                     made->scratch_bytes);
            result = -ENOMEM;
        }
    }
    if (result == 0)
        *plain = made;
    else
        conv_plain_free(made);
    return result;
}

int conv_plain_part(struct conv_plain **part, const struct conv_plain *whole,
                    int64_t images, int64_t first, int64_t end)
{
    struct conv_plain *made = malloc(sizeof *made);

    if (!made)
        return -ENOMEM;
    *made = *whole;
    made->shape.n = images;
    made->shape.first = first;
    made->shape.end = end;
    made->is_part = true;
    made->blocked = NULL;
    made->scratch = conv_floats(made->scratch_bytes);
    if (!made->scratch ||
        (whole->blocked &&
         conv_plan_part(&made->blocked, whole->blocked, 1, first, end) < 0)) {
        conv_plain_free(made);
        return -ENOMEM;
    }
    *part = made;
    return 0;
}

/* ---- rows of kernels.def ---- */

static int plain_prepare(const struct conv_plain_target *target,
                         const struct simdbench_operands *operands, void **state,
                         char *error, size_t error_size)
{
    const struct conv_shape shape = conv_shape_of(operands->shape);
    return conv_plain_make(state, &shape, target, operands->operand[1]->data, error,
                           error_size);
}

static void plain_tell(const struct conv_plain *plain, struct simdbench_choice *choice)
{
    choice->implementation = plain->text;
    choice->workspace_bytes =
        plain->scratch_bytes + (plain->blocked ? plain->blocked->scratch_bytes : 0);
}

#define CONV_PLAIN(isa)                                                     \
    KERNEL_HOOKS(conv_plain_##isa, plain_prepare, &conv_plain_target_##isa, \
                 conv_plain_free, plain_tell)
CONV_PLAIN(scalar)
EACH_VECTOR_ISA(CONV_PLAIN)
