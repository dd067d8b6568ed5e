/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Direct convolution after a plan (conv_plan.h) for one ISA. The file that includes it
 * has included vector_<isa>.h and defines before:
 *
 * T                      f32
 * BLOCK                  channels of a block: LANES or twice as many
 * MAX_VECTORS            of the largest width of a tile
 * COLUMNS_1 to _4        largest length of tiles that are 1 to 4 vectors wide: an <n>
 *                        for which lines.h has LINES_<n>; _2 must be defined, and no
 *                        tile has a width whose length is not
 * EACH_BODY(X)           X(name, pixel, run, taps) for all bodies: each is compiled for
 *                        all sizes of tiles and for one distance of pixels, length of
 *                        runs and enum conv_taps; the last one, 0, 0, CUT, for any
 * COLUMN(u, i, at, ...)  statement: acc[i][v] += x * weight[v] for all v < VECTORS, where
 *                        x is the memory `at`, text of an operand of asm; the operands
 *                        that it needs follow
 * LOAD_WEIGHT(u, v)      statement, in asm: weight[v] = the vector at WEIGHT_AT(u, v),
 *                        which is aligned; or nothing, where COLUMN multiplies with it in
 *                        memory
 */
#pragma once

#include <string.h>

#include "conv_plan.h"
#include "lines.h"

/* EACH_BODY of blocks of 8 channels, where registers are few. */
#define BODIES_OF_8(X)       \
    X(point1, 8, 8, ONE)     \
    X(point2, 16, 8, ONE)    \
    X(taps1, 8, 8, CUT)      \
    X(taps2, 16, 8, CUT)     \
    X(image1x3, 1, 3, WHOLE) \
    X(image2x3, 2, 3, WHOLE) \
    X(image2x7, 2, 7, WHOLE) \
    X(any, 0, 0, CUT)

/* The u-th element of a run at the pixel r columns right of base[j], at a distance that
 * is known at run time, or a constant. */
#ifdef __x86_64__
#define COLUMN_any(u, i, j, r) COLUMN(u, i, LINE_ELEMENT(u, r), LINE_OPERANDS(j))
#else
#define COLUMN_any(u, i, j, r) \
    COLUMN(u, i, "%[x]", AT_DISTANCE(j, LINE_OFFSET(r, s1, s3, s5, s7), u))
#endif
#define COLUMN_fixed(u, i, j, r) \
    COLUMN(u, i, "%[x]", AT_DISTANCE(j, (r) * pixel * (ptrdiff_t)sizeof(float), u))
#define AT_DISTANCE(j, bytes, u) [x] "m"(((const float *)(base[j] + (bytes)))[u])
#define STEP_COLUMN(u, i, j, r)  \
    if ((i) >= from && (i) < to) \
        WIDTH_NAME(COLUMN, PIXEL)(u, i, j, r);
#define STEP(u)                     \
    {                               \
        VEC weight[MAX_VECTORS];    \
        EACH_VECTOR(LOAD_WEIGHT, u) \
        EACH_COLUMN(STEP_COLUMN, u) \
    }

#define STEPS_2 STEP(0) STEP(1)
#define STEPS_4 STEPS_2 STEP(2) STEP(3)

/* Written out, because compilers unroll too late to keep sums in registers. */
#define V(v) ((v) < MAX_VECTORS ? (v) : 0)
#define EACH_VECTOR(X, i) \
    X(i, 0);              \
    if (VECTORS > 1)      \
        X(i, V(1));       \
    if (VECTORS > 2)      \
        X(i, V(2));       \
    if (VECTORS > 3)      \
        X(i, V(3));
#define OF_COLUMN(X, i)   \
    if ((i) < columns) {  \
        EACH_VECTOR(X, i) \
    }
#define Y(i, v) (y + (v) * LANES / BLOCK * y_block + (i) * BLOCK + (v) * LANES % BLOCK)
#define WEIGHT_AT(u, v) (weights + ((u) * VECTORS + (v)) * LANES)
#define WEIGHT_VECTOR(u, v) (*(const VEC *)WEIGHT_AT(u, v))
#define OWN(i, v) __builtin_prefetch(Y(i, v), 1)
#define START(i, v) acc[i][v] = SPLAT(0)
#define FOLD(i, v) acc[i][v] = acc[i][v] + LOAD(Y(i, v))
#define FINISH(i, v) STORE(Y(i, v), acc[i][v])
/* One in each line. */
#define OWN_COLUMN(u, i, j, r)   \
    if ((i) * BLOCK % 16 == 0) { \
        OF_COLUMN(OWN, i)        \
    }
#define START_COLUMN(u, i, j, r) OF_COLUMN(START, i)
#define FOLD_COLUMN(u, i, j, r) OF_COLUMN(FOLD, i)
#define FINISH_COLUMN(u, i, j, r) OF_COLUMN(FINISH, i)
/* Fetches one pixel of each line, if the distance of pixels is a constant. */
#define FETCH_COLUMN(u, i, j, r)       \
    if ((i) < columns) {               \
        if ((i) * pixel % 16 == 0)     \
            __builtin_prefetch(ahead); \
        ahead += s1;                   \
    }

/* One tile, one pass. */
struct conv_pass {
    const float *x; /* first tap of the first column, if no row of taps is left out */
    const float *weights; /* of the first tap, if no row of taps is left out */
    float *y;
    ptrdiff_t y_block;          /* from a block of y to the next */
    const struct conv_tap *tap; /* of the first row of taps */
    ptrdiff_t first, last, all; /* taps from first to before last, of all */
    ptrdiff_t depth, run, last_run;
    ptrdiff_t x_plane, x_pixel;
    bool fold; /* adds to what y holds */
};
typedef void conv_tile_function(const struct conv_pass *pass);

/* Accesses are in asm, where sanitizers see nothing; what they add besides takes minutes
 * to compile. */
#define TILE_BODY \
    static inline __attribute__((always_inline, no_sanitize("undefined"))) void

/* The taps that a body can do. */
enum conv_taps {
    CONV_TAPS_ONE,   /* one, where the kernel begins */
    CONV_TAPS_WHOLE, /* any number, without cuts */
    CONV_TAPS_CUT,   /* any */
};

/* Constants that the compiler makes a body for: the distance from a pixel of x to the
 * next, and the length of a run; 0, 0 is for any. */
struct conv_body {
    int pixel, run;
    enum conv_taps taps;
};

/* Moves on by n elements of a run. */
#define RUN_ON(n)                       \
    for (int j = 0; j < BASES; j++)     \
        base[j] += (n) * sizeof(float); \
    weights += (ptrdiff_t)(n) * VECTORS * LANES;

#define FETCH                                     \
    {                                             \
        const char *ahead = start + columns * s1; \
        EACH_COLUMN(FETCH_COLUMN, 0)              \
    }
#define RUN(from, to) \
    (void)CONV_RUN(from, to, pixel, acc, start, s1, s3, s5, s7, weights, run)

#define BODY(name, pixel_, run_, taps_)  \
    enum { conv_pixel_##name = pixel_ }; \
    static const struct conv_body conv_body_##name = {pixel_, run_, CONV_TAPS_##taps_};
EACH_BODY(BODY)

/* conv_tile_body.h makes these functions, with its width in their names. */
#define WIDTH_NAME(name, n) GLUE(name, n)
#define GLUE(name, n) name##_##n
#define EACH_COLUMN WIDTH_NAME(LINES, COLUMNS)
#define BASES ((COLUMNS + 7) / 8)
#define CONV_RUN WIDTH_NAME(WIDTH_NAME(conv_run, PIXEL), VECTORS)
#define CONV_TILE WIDTH_NAME(WIDTH_NAME(conv_tile, PIXEL), VECTORS)
#define TURN WIDTH_NAME(TURN, PIXEL) /* elements of a run in a turn of its loop */
#define TURN_fixed 8
#define TURN_any 4
#define CONV_TILES WIDTH_NAME(conv_tiles, VECTORS)
#define TILE_NAME(body, i) WIDTH_NAME(conv_##body##_##i, VECTORS)
#define TILE(body, i, j, r)                                                           \
    static void TILE_NAME(body, i)(const struct conv_pass *pass)                      \
    {                                                                                 \
        (conv_pixel_##body                                                            \
             ? WIDTH_NAME(conv_tile_fixed, VECTORS)                                   \
             : WIDTH_NAME(conv_tile_any, VECTORS))((i) + 1, &conv_body_##body, pass); \
    }
#define TILE_ENTRY(body, i, j, r) TILE_NAME(body, i),
#define BODY_TILES(name, pixel, run, taps) EACH_COLUMN(TILE, name)
#define BODY_ENTRY(name, pixel, run, taps) {EACH_COLUMN(TILE_ENTRY, name)},

#ifdef COLUMNS_1
#define VECTORS 1
#define COLUMNS COLUMNS_1
#include "conv_tile_body.h"
#endif
#define VECTORS 2
#define COLUMNS COLUMNS_2
#include "conv_tile_body.h"
#ifdef COLUMNS_3
#define VECTORS 3
#define COLUMNS COLUMNS_3
#include "conv_tile_body.h"
#endif
#ifdef COLUMNS_4
#define VECTORS 4
#define COLUMNS COLUMNS_4
#include "conv_tile_body.h"
#endif

/* Runs of images that are longer than 1 have no cuts (conv_plan.c pads x). */
static bool conv_body_does(const struct conv_body *body, const struct conv_plan *plan,
                           const struct conv_pass *pass)
{
    const bool one = pass->all == 1 && plan->shape.p == 0 && plan->shape.q == 0;

    return body->pixel == 0 ||
           (body->pixel == pass->x_pixel && body->run == pass->run &&
            body->run == pass->last_run && (body->taps != CONV_TAPS_ONE || one));
}

/* Tiles of `vectors` in the first body that does the pass, by their length - 1. */
static conv_tile_function *const *conv_tiles_for(const struct conv_plan *plan,
                                                 const struct conv_pass *pass,
                                                 ptrdiff_t vectors)
{
#define BODY_ADDRESS(name, pixel, run, taps) &conv_body_##name,
    static const struct conv_body *const bodies[] = {EACH_BODY(BODY_ADDRESS)};
    size_t body = 0;

    while (!conv_body_does(bodies[body], plan, pass))
        body++;
    switch (vectors) {
#ifdef COLUMNS_1
    case 1:
        return conv_tiles_1[body];
#endif
    case 2:
        return conv_tiles_2[body];
#ifdef COLUMNS_3
    case 3:
        return conv_tiles_3[body];
#endif
#ifdef COLUMNS_4
    case 4:
        return conv_tiles_4[body];
#endif
    }
    __builtin_unreachable();
}

/* Fills scratch with the rows of x that the band of y from `row` on needs. The
 * zeros left and right of them are there since prepare. */
static void conv_pad(const struct conv_plan *plan, const float *x, ptrdiff_t row)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t element = plan->x_pixel / shape->v, wide = shape->w * element;
    const ptrdiff_t before = shape->q * element;
    const ptrdiff_t room = plan->x_row - before, copied = wide < room ? wide : room;

    if (copied <= 0)
        return;
    for (ptrdiff_t plane = 0; plane < plan->depth; plane++)
        for (ptrdiff_t i = 0; i < plan->pad_rows; i++) {
            const ptrdiff_t from = row * shape->u - shape->p + i;
            if (from >= 0 && from < shape->h)
                memcpy(plan->scratch + plane * plan->x_plane + i * plan->x_row + before,
                       x + (plane * shape->h + from) * wide,
                       (size_t)copied * sizeof(float));
        }
}

/* Rows of taps that fall inside x for row `row` of y. */
static void conv_clip(const struct conv_plan *plan, ptrdiff_t row, struct conv_pass *pass)
{
    const struct conv_shape *shape = &plan->shape;
    ptrdiff_t first, last;

    conv_taps_inside(shape, row * shape->u - shape->p, shape->h, shape->r, &first, &last);
    pass->first = first * plan->row_taps;
    pass->last = last * plan->row_taps;
}

/* Tiles of one image from `tile` to before `end`, `blocks` blocks of y. x is where row
 * `top` of x is or would be, minus the padding to the left. */
static void conv_tiles_of(const struct conv_plan *plan, struct conv_pass *pass,
                          ptrdiff_t blocks, const float *x, ptrdiff_t top, float *y,
                          ptrdiff_t tile, ptrdiff_t end)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t tiles = plan->row_tiles, length = plan->row_length;
    conv_tile_function *const *const tile_of =
        conv_tiles_for(plan, pass, blocks * (BLOCK / LANES));
    ptrdiff_t row = tile / tiles, at = tile % tiles;

    for (; tile < end; row++, at = 0) {
        const ptrdiff_t last = end - tile < tiles - at ? at + end - tile : tiles;
        const float *const x_row = x + (row * shape->u - shape->p - top) * plan->x_row;
        float *const y_row = y + row * length * BLOCK;
        ptrdiff_t column = at * length / tiles;
        conv_clip(plan, row, pass);
        for (; at < last; at++, tile++) {
            const ptrdiff_t next = (at + 1) * length / tiles;
            const int place =
                (at == 0 ? CONV_BEGIN : 0) | (at + 1 == tiles ? CONV_END : 0);
            pass->x = x_row + column * plan->x_pixel;
            pass->y = y_row + column * BLOCK;
            pass->tap = plan->taps[place];
            tile_of[next - column - 1](pass);
            column = next;
        }
    }
}

/* One band of tiles of one image and group, all its output channels. */
static void conv_band(const struct conv_plan *plan, const float *x, const float *weights,
                      float *y, ptrdiff_t tile)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t kb = shape->kb / shape->g, taps = shape->r * plan->row_taps;
    const ptrdiff_t left = conv_plan_tile(plan, shape->end) - tile;
    const ptrdiff_t end = tile + (left < plan->band ? left : plan->band);
    const ptrdiff_t y_block = plan->shape.oh * plan->shape.ow * BLOCK;
    ptrdiff_t top = 0;
    const float *from = x - (plan->padded ? 0 : shape->q * plan->x_pixel / shape->v);

    if (plan->padded) {
        const ptrdiff_t row = tile / plan->row_tiles;
        conv_pad(plan, x, row);
        top = row * shape->u - shape->p;
        from = plan->scratch;
    }
    for (ptrdiff_t block = 0; block < kb; block += plan->blocks) {
        const ptrdiff_t blocks = kb - block < plan->blocks ? kb - block : plan->blocks;
        for (ptrdiff_t deep = 0; deep < plan->depth; deep += plan->pass) {
            const ptrdiff_t rest = plan->depth - deep;
            const ptrdiff_t depth = rest < plan->pass ? rest : plan->pass;
            struct conv_pass pass = {
                .weights = weights + deep * taps * plan->run * blocks * BLOCK,
                .y_block = y_block,
                .all = taps,
                .depth = depth,
                .run = plan->run,
                .last_run = depth == rest ? plan->last_run : plan->run,
                .x_plane = plan->x_plane,
                .x_pixel = plan->x_pixel,
                .fold = deep > 0,
            };
            conv_tiles_of(plan, &pass, blocks, from + deep * plan->x_plane, top,
                          y + block * y_block, tile, end);
        }
        weights +=
            ((plan->depth - 1) * plan->run + plan->last_run) * taps * blocks * BLOCK;
    }
}

/* y = the convolution of x, both laid out as the plan says. */
static void conv_dense(const struct conv_plan *plan, const float *x, float *y)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t kb = shape->kb / shape->g;
    const ptrdiff_t x_group =
        plan->depth * shape->h * shape->w * (plan->x_pixel / shape->v);
    const ptrdiff_t y_group = kb * shape->oh * shape->ow * BLOCK;
    const ptrdiff_t weights = kb * BLOCK * shape->cg * shape->r * shape->s;

    const ptrdiff_t first = conv_plan_tile(plan, shape->first);
    const ptrdiff_t end = conv_plan_tile(plan, shape->end);

    for (ptrdiff_t image = 0; image < shape->n; image++)
        for (ptrdiff_t group = 0; group < shape->g; group++, x += x_group, y += y_group)
            for (ptrdiff_t tile = first; tile < end; tile += plan->band)
                conv_band(plan, x, plan->weights + group * weights, y, tile);
}
