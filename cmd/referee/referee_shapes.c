/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that nobody can foresee: small ones, some near those of the user, and some
 * between. */
#include "referee_private.h"

#include <inttypes.h>
#include <math.h>

enum {
    NEAR_MAX = 70,
    VECTORS = 64 /* elements: the rest of a division by it is what loops leave */
};
/* The product of small dimensions: a measure of arrays and of time for most ops. */
#define WORK_MAX (UINT64_C(1) << 18)

void shapes_draw(struct small_shapes *shapes, uint64_t *random)
{
    memset(shapes, 0, sizeof *shapes);
    for (size_t d = 0; d < SIMDBENCH_MAX_DIMS; d++)
        for (uint64_t i = 0; i < SMALL_SHAPES; i++) {
            const uint64_t k = random_next(random) % (i + 1);
            shapes->size[d][i] = shapes->size[d][k];
            shapes->size[d][k] = i + 1;
        }
}

static void limit_work(uint64_t *dim, uint32_t rank)
{
    for (;;) {
        double work = 1;
        uint32_t largest = 0;
        for (uint32_t d = 0; d < rank; d++) {
            work *= (double)dim[d];
            largest = dim[d] > dim[largest] ? d : largest;
        }
        if (work <= (double)WORK_MAX)
            return;
        dim[largest] = dim[largest] > VECTORS ? dim[largest] - VECTORS : dim[largest] / 2;
    }
}

static void write_shape(const uint64_t *dim, uint32_t rank, char text[SHAPE_TEXT])
{
    size_t used = 0;
    for (uint32_t d = 0; d < rank && used < SHAPE_TEXT; d++)
        used += (size_t)snprintf(text + used, SHAPE_TEXT - used, "%s%" PRIu64,
                                 d ? "x" : "", dim[d]);
}

void shape_small(const struct small_shapes *shapes, size_t number, uint32_t rank,
                 char text[SHAPE_TEXT])
{
    uint64_t dim[SIMDBENCH_MAX_DIMS] = {0};
    for (uint32_t d = 0; d < rank; d++)
        dim[d] = shapes->size[d][number];
    limit_work(dim, rank);
    write_shape(dim, rank, text);
}

/* The sizes of an asked shape; one number stands for all dimensions. */
static void read_shape(const char *asked, uint32_t rank, uint64_t *dim)
{
    for (uint32_t d = 0; d < rank; d++) {
        char *end;
        dim[d] = strtoull(asked, &end, 10);
        asked = *end ? end + 1 : asked;
    }
}

void shape_near(uint64_t *random, const char *asked, uint32_t rank, char text[SHAPE_TEXT])
{
    uint64_t dim[SIMDBENCH_MAX_DIMS];
    read_shape(asked, rank, dim);
    for (uint32_t d = 0; d < rank; d++) {
        const uint64_t reach = dim[d] / 4 < NEAR_MAX ? dim[d] / 4 : NEAR_MAX;
        dim[d] = dim[d] + reach - random_next(random) % (2 * reach + 1);
    }
    write_shape(dim, rank, text);
}

bool shape_between(uint64_t *random, const char *asked, uint32_t rank,
                   char text[SHAPE_TEXT])
{
    uint64_t dim[SIMDBENCH_MAX_DIMS] = {0};
    bool larger = false;
    read_shape(asked, rank, dim);
    for (uint32_t d = 0; d < rank; d++)
        if (dim[d] > SMALL_SHAPES) {
            larger = true;
            dim[d] = (uint64_t)(SMALL_SHAPES *
                                pow((double)dim[d] / SMALL_SHAPES,
                                    (double)(random_next(random) >> 11) * 0x1p-53));
        }
    limit_work(dim, rank);
    write_shape(dim, rank, text);
    return larger;
}
