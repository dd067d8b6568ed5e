/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of the rows of gemm: blocks that are kept from call to call. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_rows.h"

enum { LINE = 64 };

static int blocks_prepare(void **state, char *error, size_t error_size)
{
    struct study_blocks *const blocks = malloc(sizeof *blocks);
    float *const memory = aligned_alloc(LINE, STUDY_BLOCK_A + STUDY_BLOCK_B);

    if (!blocks || !memory) {
        free(blocks);
        free(memory);
        snprintf(error, error_size, "no memory for packed blocks");
        return -ENOMEM;
    }
    memset(memory, 0, STUDY_BLOCK_A + STUDY_BLOCK_B);
    *blocks = (struct study_blocks){memory, memory + STUDY_BLOCK_A / sizeof *memory};
    *state = blocks;
    heap_look();
    return 0;
}

static void blocks_release(void *state)
{
    struct study_blocks *const blocks = state;

    if (blocks)
        free(blocks->a);
    free(blocks);
}

#define HOOKS(name, text)                                        \
    STUDY_PREPARE(name##_prepare)                                \
    {                                                            \
        return blocks_prepare(state, error, error_size);         \
    }                                                            \
    void name##_release(void *state)                             \
    {                                                            \
        blocks_release(state);                                   \
    }                                                            \
    STUDY_CHOICE(name##_choice)                                  \
    {                                                            \
        (void)operands, (void)state;                             \
        choice->implementation = text;                           \
        choice->workspace_bytes = STUDY_BLOCK_A + STUDY_BLOCK_B; \
    }

HOOKS(small_tiles, "tiles 64x64x64")
HOOKS(large_tiles, "tiles 256x256x512")
HOOKS(small_tiles_alloc, "tiles 64x64x64, zeroed blocks of malloc")
HOOKS(large_tiles_alloc, "tiles 256x256x512, zeroed blocks of malloc")
HOOKS(small_tiles_calloc, "tiles 64x64x64, blocks of calloc")
