/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_plan.h"
#include "kernels.h"

/* Bytes of x and of weights in one pass: both stay in a second cache of 1 MB, and in one
 * of 512 kB nearly. */
enum { BAND_BYTES = 256 << 10, PASS_BYTES = 192 << 10 };

const struct conv_target conv_target_avx512 = {16, 4, (const int[]){28, 14, 9, 7}};
const struct conv_target conv_target_avx2 = {8, 3, (const int[]){12, 6, 4}};
const struct conv_target conv_target_sse2 = {8, 2, (const int[]){6, 3}};
const struct conv_target conv_target_scalar = {.block = 1}; /* depthwise alone */
const struct conv_target conv_target_neon = {8, 2, (const int[]){12, 6}};

/* ---- what the shape asks for ---- */

static enum conv_kind kind_of(const struct conv_shape *shape)
{
    if (shape->x_plain && shape->b > 1)
        return CONV_PLANES;
    if (shape->g > 1 && shape->g == shape->c && shape->g == shape->k)
        return CONV_DEPTHWISE;
    if (shape->r == 1 && shape->s == 1 && shape->u == 1 && shape->v == 1 &&
        shape->p == 0 && shape->q == 0)
        return CONV_POINTS;
    return CONV_DENSE;
}

/* Columns of y whose tap e of a row lies inside x: from *first to *last. */
static void inside(const struct conv_shape *shape, ptrdiff_t e, ptrdiff_t *first,
                   ptrdiff_t *last)
{
    const ptrdiff_t before = shape->q - e * shape->d, after = shape->w - 1 + before;

    *first = before > 0 ? least(ceiling(before, shape->v), shape->ow) : 0;
    *last = after < 0 ? -1 : least(after / shape->v, shape->ow - 1);
}

/* True if leaving out a column at one end of each row is not enough. */
static bool needs_padding(const struct conv_plan *plan)
{
    const struct conv_shape *shape = &plan->shape;

    for (ptrdiff_t e = 0; e < shape->s; e++) {
        ptrdiff_t first, last;
        inside(shape, e, &first, &last);
        const ptrdiff_t cut = first + (shape->ow - 1 - last);
        const bool whole_row = plan->kind == CONV_PLANES && plan->run > 1;
        if (cut > (whole_row ? 0 : 1) && (whole_row || shape->ow > 1))
            return true;
    }
    return false;
}

/* Offsets of the taps in x, and what each leaves out in which tile of a row. */
static void lay_taps(struct conv_plan *plan)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t element = plan->kind == CONV_PLANES ? 1 : plan->block;

    for (ptrdiff_t i = 0; i < shape->r * plan->row_taps; i++) {
        const ptrdiff_t a = i / plan->row_taps, e = i % plan->row_taps;
        ptrdiff_t first = 0, last = shape->ow - 1;
        if (!plan->padded)
            inside(shape, e, &first, &last);
        for (int place = 0; place < CONV_PLACES; place++)
            plan->taps[place][i] = (struct conv_tap){
                .offset = a * shape->d * plan->x_row + e * shape->d * element,
                .cut = first > 0 && place & CONV_BEGIN            ? CONV_CUT_FIRST
                       : last < shape->ow - 1 && place & CONV_END ? CONV_CUT_LAST
                                                                  : CONV_CUT_NONE,
            };
    }
}

/* ---- tiles ---- */

/* Cycles of one step of a tile on a core that does one FMA of a vector and one load a
 * cycle, or two half as wide: less than 8 sums wait for each other; and each column has a
 * line of x, which more blocks use more often before it leaves the first cache. */
static double step_cost(double columns, ptrdiff_t blocks)
{
    const double sums = columns * (double)blocks, loads = columns + (double)blocks;
    const double most = sums > loads ? sums : loads;

    return (most < 8 ? 8 : most) + 0.1 * columns + 0.05 * (double)blocks;
}

static void choose_tile(struct conv_plan *plan, const struct conv_target *target)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t kb = shape->kb / shape->g > 0 ? shape->kb / shape->g : 1;
    double best = 0;

    for (ptrdiff_t blocks = 1; blocks <= least(target->max_blocks, kb); blocks++) {
        const ptrdiff_t most = target->max_columns[blocks - 1];
        const ptrdiff_t tiles = ceiling(plan->row_length, most);
        const double columns = (double)plan->row_length / (double)tiles;
        const ptrdiff_t whole = kb / blocks;
        const double cost =
            (double)tiles * ((double)whole * step_cost(columns, blocks) +
                             (kb % blocks ? step_cost(columns, kb % blocks) : 0));
        if (plan->blocks && cost >= best)
            continue;
        best = cost;
        plan->blocks = blocks;
        plan->columns = ceiling(plan->row_length, tiles);
        plan->row_tiles = tiles;
    }
}

/* The parts of x and of the weights that are done at a time. */
static void choose_blocking(struct conv_plan *plan)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t element = (ptrdiff_t)sizeof(float);
    const bool points = plan->kind == CONV_POINTS;
    /* Bands are so many tiles, or all tiles of so many rows. */
    const ptrdiff_t unit = points ? 1 : plan->row_tiles, units = plan->tiles / unit;
    const ptrdiff_t x = plan->depth * element *
                        (points ? plan->columns * plan->x_pixel : shape->u * plan->x_row);
    const ptrdiff_t weights =
        shape->r * plan->row_taps * plan->run * plan->blocks * plan->block * element;
    const ptrdiff_t bands = least(ceiling(x * units, BAND_BYTES), units);
    const ptrdiff_t passes =
        least(ceiling(weights * plan->depth, PASS_BYTES), plan->depth);

    plan->band = ceiling(units, bands) * unit;
    /* Weights that are used once only need not stay. */
    plan->pass = plan->band == 1 ? plan->depth : ceiling(plan->depth, passes);
}

static void choose(struct conv_plan *plan, const struct conv_target *target)
{
    const struct conv_shape *shape = &plan->shape;
    const bool planes = plan->kind == CONV_PLANES;
    static const char *const names[] = {"dense", "points", "planes", "depthwise"};

    plan->depth = planes ? shape->c : shape->cb / shape->g;
    plan->run = !planes ? plan->block : shape->d == 1 ? shape->s : 1;
    plan->last_run = planes ? plan->run : shape->cg - (plan->depth - 1) * plan->block;
    plan->row_taps = planes && plan->run == shape->s ? 1 : shape->s;
    plan->padded = needs_padding(plan);
    plan->x_pixel = shape->v * (planes ? 1 : plan->block);
    const ptrdiff_t width =
        plan->padded ? (shape->ow - 1) * shape->v + (shape->s - 1) * shape->d + 1
                     : shape->w;
    plan->x_row = width * (planes ? 1 : plan->block);
    plan->row_length = plan->kind == CONV_POINTS ? shape->oh * shape->ow : shape->ow;
    choose_tile(plan, target);
    plan->tiles = plan->row_tiles * (plan->kind == CONV_POINTS ? 1 : shape->oh);
    choose_blocking(plan);
    plan->pad_rows =
        (plan->band / plan->row_tiles - 1) * shape->u + (shape->r - 1) * shape->d + 1;
    plan->x_plane = (plan->padded ? plan->pad_rows * plan->x_row
                                  : shape->h * shape->w * (planes ? 1 : plan->block));
    if (plan->padded)
        plan->scratch_bytes = (size_t)(plan->depth * plan->x_plane) * sizeof(float) + 64;
    snprintf(plan->text, sizeof plan->text, "%s, tile %tdx%td%s", names[plan->kind],
             plan->columns, plan->blocks, plan->padded ? ", padded copy" : "");
}

/* ---- weights ---- */

static void reorder_depthwise(struct conv_plan *plan, const float *weights)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t taps = shape->r * shape->s;

    for (ptrdiff_t k = 0; k < shape->k; k++)
        for (ptrdiff_t i = 0; i < taps; i++)
            plan->weights[(k / plan->block * taps + i) * plan->block + k % plan->block] =
                weights[k * taps + i];
}

/* Copies the weights of a group of output channels; returns the end of the copy. */
static float *reorder_blocks(const struct conv_plan *plan, float *to,
                             const float *weights, ptrdiff_t block, ptrdiff_t blocks)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t taps = shape->r * plan->row_taps, all = shape->r * shape->s;

    for (ptrdiff_t deep = 0; deep < plan->depth; deep++) {
        const ptrdiff_t run = deep + 1 < plan->depth ? plan->run : plan->last_run;
        for (ptrdiff_t i = 0; i < taps * run; i++, to += blocks * plan->block) {
            const ptrdiff_t tap = i / run, element = i % run;
            const ptrdiff_t c =
                plan->kind == CONV_PLANES ? deep : deep * plan->block + element;
            const ptrdiff_t at = plan->kind == CONV_PLANES ? tap * run + element : tap;
            for (ptrdiff_t j = 0; j < blocks * plan->block; j++) {
                const ptrdiff_t k = block * plan->block + j;
                to[j] = k < shape->kg ? weights[(k * shape->cg + c) * all + at] : 0.0f;
            }
        }
    }
    return to;
}

static void reorder(struct conv_plan *plan, const float *weights)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t kb = ceiling(shape->kg, plan->block);
    float *to = plan->weights;

    if (plan->kind == CONV_DEPTHWISE) {
        (void)reorder_depthwise(plan, weights);
        return;
    }
    for (ptrdiff_t group = 0; group < shape->g; group++)
        for (ptrdiff_t block = 0; block < kb; block += plan->blocks)
            to = reorder_blocks(
                plan, to, weights + group * shape->kg * shape->cg * shape->r * shape->s,
                block, least(plan->blocks, kb - block));
}

/* ---- plans ---- */

float *conv_floats(size_t bytes)
{
    const size_t whole = bytes ? (bytes + 63) / 64 * 64 : 64;
    float *memory = aligned_alloc(64, whole);

    if (memory)
        memset(memory, 0, whole);
    return memory;
}

void conv_plan_free(struct conv_plan *plan)
{
    if (!plan)
        return;
    free(plan->scratch);
    if (!plan->is_part) {
        free(plan->weights);
        free(plan->taps[0]);
    }
    free(plan);
}

int conv_plan_part(struct conv_plan **part, const struct conv_plan *whole, int64_t images,
                   int64_t first, int64_t end)
{
    struct conv_plan *made = malloc(sizeof *made);

    if (!made)
        return -ENOMEM;
    *made = *whole;
    made->shape.n = images;
    made->shape.first = first;
    made->shape.end = end;
    made->is_part = true;
    made->scratch = made->scratch_bytes ? conv_floats(made->scratch_bytes) : NULL;
    if (made->scratch_bytes && !made->scratch) {
        conv_plan_free(made);
        return -ENOMEM;
    }
    *part = made;
    return 0;
}

int conv_plan_make(struct conv_plan **plan, const struct conv_shape *shape,
                   const struct conv_target *target, const float *weights, char *error,
                   size_t error_size)
{
    const enum conv_kind kind = kind_of(shape);
    const size_t vectors =
        (size_t)(kind == CONV_DEPTHWISE
                     ? shape->kb
                     : shape->g * ceiling(shape->kg, target->block) * shape->cg);
    const size_t taps = (size_t)(shape->r * shape->s);
    const size_t bytes = vectors * taps * (size_t)target->block * sizeof(float);
    struct conv_plan *made = calloc(1, sizeof *made);

    if (!made)
        goto no_memory;
    made->shape = *shape;
    made->block = target->block;
    made->kind = kind;
    if (kind == CONV_DEPTHWISE)
        snprintf(made->text, sizeof made->text, "depthwise");
    else
        (void)choose(made, target);
    made->weights = conv_floats(bytes);
    made->taps[0] = malloc(CONV_PLACES * taps * sizeof *made->taps[0]);
    if (made->scratch_bytes)
        made->scratch = conv_floats(made->scratch_bytes);
    if (!made->weights || !made->taps[0] || (made->scratch_bytes && !made->scratch))
        goto no_memory;
    for (size_t i = 1; i < CONV_PLACES; i++)
        made->taps[i] = made->taps[0] + i * taps;
    if (kind != CONV_DEPTHWISE)
        (void)lay_taps(made);
    (void)reorder(made, weights);
    *plan = made;
    return 0;
no_memory:
    snprintf(error, error_size, "no memory for %zu bytes of weights", bytes);
    conv_plan_free(made);
    return -ENOMEM;
}

/* ---- rows of kernels.def ---- */

static int direct_prepare(const struct conv_target *target,
                          const struct simdbench_operands *operands, void **state,
                          char *error, size_t error_size)
{
    const struct conv_shape shape = conv_shape_of(operands->shape);
    struct conv_plan *plan = NULL;
    const int result = conv_plan_make(&plan, &shape, target, operands->operand[1]->data,
                                      error, error_size);
    *state = plan;
    return result;
}

static void direct_tell(const struct conv_plan *plan, struct simdbench_choice *choice)
{
    choice->implementation = plan->text;
    choice->workspace_bytes = plan->scratch_bytes;
}

#define CONV_DIRECT(isa)                                                                \
    KERNEL_HOOKS(conv_direct_##isa, direct_prepare, &conv_target_##isa, conv_plan_free, \
                 direct_tell)
EACH_VECTOR_ISA(CONV_DIRECT)
