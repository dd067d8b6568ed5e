/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution of plain operands in blocks, after a plan (conv_plain.h): x is reordered,
 * convolved as by row `direct`, and y is reordered back. The file that includes it has
 * included conv_dense_body.h and conv_depthwise_body.h.
 */
#pragma once

#include "conv_plain.h"
#include "conv_transpose.h"

/* A range of pixels in each plane. */
struct plain_pixels {
    ptrdiff_t from, n;
};

/* The pixels of y that this plan computes. */
static struct plain_pixels plain_results(const struct conv_plan *plan)
{
    const struct conv_shape *shape = &plan->shape;
    if (plan->kind != CONV_POINTS)
        return (struct plain_pixels){.from = shape->first * shape->ow,
                                     .n = (shape->end - shape->first) * shape->ow};
    const ptrdiff_t length = plan->row_length, tiles = plan->row_tiles;
    const ptrdiff_t from = conv_plan_tile(plan, shape->first) * length / tiles;
    return (struct plain_pixels){
        .from = from, .n = conv_plan_tile(plan, shape->end) * length / tiles - from};
}

/* The pixels of x that it reads. */
static struct plain_pixels plain_sources(const struct conv_plan *plan)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t top = shape->first * shape->u - shape->p;
    const ptrdiff_t bottom =
        (shape->end - 1) * shape->u - shape->p + shape->d * (shape->r - 1) + 1;
    const ptrdiff_t first = top < 0 ? 0 : top;
    const ptrdiff_t end = bottom < shape->h ? bottom : shape->h;
    if (plan->kind == CONV_POINTS)
        return plain_results(plan);
    return (struct plain_pixels){.from = first * shape->w,
                                 .n = end > first ? (end - first) * shape->w : 0};
}

/* Pixels of up to BLOCK planes into a block, or back. The last square begins earlier, not
 * to end later, unless so few pixels are left that one by one takes less time. */
static void plain_to_block(float *to, const float *planes, ptrdiff_t plane,
                           struct plain_pixels pixels, ptrdiff_t n)
{
    to += pixels.from * BLOCK;
    planes += pixels.from;
    for (ptrdiff_t lane = 0; lane < BLOCK; lane += LANES) {
        const ptrdiff_t here = n - lane < 0 ? 0 : n - lane < LANES ? n - lane : LANES;
        const float *const from = planes + lane * plane;
        const ptrdiff_t squares = pixels.n < LANES ? 0 : pixels.n;
        ptrdiff_t i = 0;
        for (; i + LANES / 4 <= squares && here == LANES; i += LANES) {
            const ptrdiff_t at = least(i, pixels.n - LANES);
            VEC square[LANES];
            UNROLL
            for (int c = 0; c < LANES; c++)
                square[c] = LOAD(from + c * plane + at);
            conv_transpose(square);
            UNROLL
            for (int c = 0; c < LANES; c++)
                STORE(to + (at + c) * BLOCK + lane, square[c]);
        }
        for (; i < pixels.n; i++)
            for (ptrdiff_t c = 0; c < LANES; c++)
                to[i * BLOCK + lane + c] = c < here ? from[c * plane + i] : 0;
    }
}

static void plain_from_block(float *planes, const float *from, ptrdiff_t plane,
                             struct plain_pixels pixels, ptrdiff_t n)
{
    planes += pixels.from;
    from += pixels.from * BLOCK;
    for (ptrdiff_t lane = 0; lane < n; lane += LANES) {
        const ptrdiff_t here = n - lane < LANES ? n - lane : LANES;
        float *const to = planes + lane * plane;
        const ptrdiff_t squares = pixels.n < LANES ? 0 : pixels.n;
        ptrdiff_t i = 0;
        for (; i + LANES / 4 <= squares && here == LANES; i += LANES) {
            const ptrdiff_t at = least(i, pixels.n - LANES);
            VEC square[LANES];
            UNROLL
            for (int c = 0; c < LANES; c++)
                square[c] = LOAD(from + (at + c) * BLOCK + lane);
            conv_transpose(square);
            UNROLL
            for (int c = 0; c < LANES; c++)
                STORE(to + c * plane + at, square[c]);
        }
        for (; i < pixels.n; i++)
            for (ptrdiff_t c = 0; c < here; c++)
                to[c * plane + i] = from[i * BLOCK + lane + c];
    }
}

/* One image, a block of channels at a time, rows of y in slices: those of x are reordered
 * once, just before they are needed, and y lies where that of the slice before did. */
static void plain_depthwise(const struct conv_plain *plain, const float *x, float *y)
{
    struct conv_plan slice = *plain->blocked;
    const struct conv_shape *shape = &slice.shape;
    const ptrdiff_t x_pixels = shape->h * shape->w, y_pixels = shape->oh * shape->ow;
    const ptrdiff_t top = shape->first, bottom = shape->end;
    float *const from = plain->scratch;

    for (ptrdiff_t c = 0; c < shape->c; c += BLOCK) {
        const ptrdiff_t n = shape->c - c < BLOCK ? shape->c - c : BLOCK;
        ptrdiff_t done = 0;
        for (slice.shape.first = top; shape->first < bottom;
             slice.shape.first = shape->end) {
            slice.shape.end = least(shape->first + plain->slice_rows, bottom);
            struct plain_pixels sources = plain_sources(&slice);
            const struct plain_pixels results = plain_results(&slice);
            float *const to = from + plain->y_offset - results.from * BLOCK;
            const ptrdiff_t end = sources.from + sources.n;
            sources.from = done > sources.from ? done : sources.from;
            sources.n = end - sources.from;
            done = end > done ? end : done;
            plain_to_block(from, x + c * x_pixels, x_pixels, sources, n);
            depthwise_block(&slice, from, slice.weights + c * shape->r * shape->s, to);
            plain_from_block(y + c * y_pixels, to, y_pixels, results, n);
        }
    }
}

/* One image, rows of y in slices: x and y of each lie in scratch where those of the one
 * before did. */
static void plain_slices(const struct conv_plain *plain, const float *x, float *y)
{
    struct conv_plan slice = *plain->blocked;
    const struct conv_shape *shape = &slice.shape;
    const ptrdiff_t x_pixels = shape->h * shape->w, y_pixels = shape->oh * shape->ow;
    const ptrdiff_t bottom = shape->end;

    for (; shape->first < bottom; slice.shape.first = shape->end) {
        const ptrdiff_t end = shape->first + plain->slice_rows;
        slice.shape.end = end < bottom ? end : bottom;
        const struct plain_pixels sources = plain_sources(&slice);
        const struct plain_pixels results = plain_results(&slice);
        float *const from = plain->scratch - sources.from * BLOCK;
        float *const to = plain->scratch + plain->y_offset - results.from * BLOCK;

        for (ptrdiff_t c = 0; c < shape->c && !shape->x_plain; c += BLOCK)
            plain_to_block(from + c * x_pixels, x + c * x_pixels, x_pixels, sources,
                           shape->c - c < BLOCK ? shape->c - c : BLOCK);
        conv_dense(&slice, shape->x_plain ? x : from, to);
        for (ptrdiff_t k = 0; k < shape->k; k += BLOCK)
            plain_from_block(y + k * y_pixels, to + k * y_pixels, y_pixels, results,
                             shape->k - k < BLOCK ? shape->k - k : BLOCK);
    }
}

static void plain_blocks(const struct conv_plain *plain, const float *x, float *y)
{
    (plain->blocked->kind == CONV_DEPTHWISE ? plain_depthwise : plain_slices)(plain, x,
                                                                              y);
}
