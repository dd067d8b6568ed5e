/* SPDX-License-Identifier: Apache-2.0 */
/* Room for the operands of an op, each between pages without access, and
 * for what is right: the state of each test. */
#pragma once

#include "guarded.h"
#include "unit.h"

enum { REGION = (8 << 20) + (1 << 16), FENCE = 256 };

/* Places of an operand in its region; MIDDLE is aligned to its elements only. */
enum place { LEFT, RIGHT, MIDDLE, PLACES };

struct arena {
    char *region[4];
    void *reference;
    double *slack;
};

static inline int arena_make(void **state)
{
    struct arena *arena = calloc(1, sizeof *arena);
    assert_non_null(arena);
    for (int i = 0; i < 4; i++)
        arena->region[i] = guarded_new(REGION);
    arena->reference = malloc(REGION);
    arena->slack = malloc(REGION * 2);
    assert_non_null(arena->reference);
    assert_non_null(arena->slack);
    *state = arena;
    return 0;
}

static inline int arena_drop(void **state)
{
    struct arena *arena = *state;
    for (int i = 0; i < 4; i++)
        guarded_free(arena->region[i], REGION);
    free(arena->reference);
    free(arena->slack);
    free(arena);
    return 0;
}

TESTS_BETWEEN(arena_make, arena_drop)

/* The beginning of operand i, if it has so many bytes. */
static inline void *arena_place(const struct arena *arena, int i, enum place place,
                                size_t bytes, size_t element)
{
    char *const region = arena->region[i];
    assert_true(bytes + 2 * FENCE + element <= REGION);
    return place == LEFT    ? region
           : place == RIGHT ? region + REGION - bytes
                            : region + FENCE + element;
}
