/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_rows.h"

enum { LINE = 64, PAGE = 4096 };

static struct {
    bool kept;      /* nothing goes back to the system, as this process was told */
    size_t settled; /* 0: never */
} heap;

void heap_look(void)
{
    const size_t before = mallinfo2().hblks;
    void *const probe = malloc(HEAP_MOST + PAGE);

    /* Compilers leave out blocks that nobody uses. */
    __asm__ volatile("" : : "r"(probe) : "memory");
    heap.kept = probe && mallinfo2().hblks == before;
    free(probe);
}

void heap_settle(size_t largest)
{
    if (heap.kept || heap.settled == largest)
        return;
    heap.settled = largest;
    /* A block of its own has a header, and whole pages. */
    const size_t pages = (largest + 2 * sizeof(size_t) + PAGE - 1) / PAGE * PAGE;
    const size_t most = pages < HEAP_MOST ? pages : HEAP_MOST;
    (void)mallopt(M_MMAP_THRESHOLD, (int)most);
    (void)mallopt(M_TRIM_THRESHOLD, (int)(2 * most));
}

/* ---- hooks of the rows of relu that allocate ---- */

static void choose(const struct simdbench_operands *operands,
                   struct simdbench_choice *choice, const char *implementation)
{
    choice->implementation = implementation;
    choice->workspace_bytes = 2 * operands->operand[1]->count * sizeof(float);
}

/* Two blocks that are kept from call to call, the second behind `first` bytes. */
static bool blocks_make(size_t align, size_t first, size_t bytes, void **state)
{
    struct study_blocks *const blocks = malloc(sizeof *blocks);
    float *const memory = aligned_alloc(align, (bytes + align) / align * align);

    if (!blocks || !memory) {
        free(blocks);
        free(memory);
        return false;
    }
    *blocks = (struct study_blocks){memory, memory + first / sizeof *memory};
    *state = blocks;
    return true;
}

static void blocks_release(void *state)
{
    struct study_blocks *const blocks = state;

    if (blocks)
        free(blocks->a);
    free(blocks);
}

STUDY_PREPARE(relu_pool_prepare)
{
    const size_t bytes = operands->operand[1]->count * sizeof(float);

    if (blocks_make(PAGE, bytes, 2 * bytes, state))
        return 0;
    snprintf(error, error_size, "no memory for two blocks of %zu bytes", bytes);
    return -ENOMEM;
}

void relu_pool_release(void *state)
{
    blocks_release(state);
}

STUDY_CHOICE(relu_pool_choice)
{
    choose(operands, choice, "two blocks, kept");
}

STUDY_PREPARE(relu_twice_prepare)
{
    heap_look();
    return 0;
}

void relu_twice_release(void *state)
{
}

STUDY_CHOICE(relu_twice_choice)
{
    choose(operands, choice,
           heap.kept ? "calloc and malloc, heap kept" : "calloc and malloc");
}

STUDY_PREPARE(relu_mmap_prepare)
{
    return 0;
}

void relu_mmap_release(void *state)
{
}

STUDY_CHOICE(relu_mmap_choice)
{
    choose(operands, choice, "mmap twice");
}

/* ---- hooks of the rows of gemm: blocks that are kept from call to call ---- */

static int blocks_prepare(void **state, char *error, size_t error_size)
{
    if (!blocks_make(LINE, STUDY_BLOCK_A, STUDY_BLOCK_A + STUDY_BLOCK_B, state)) {
        snprintf(error, error_size, "no memory for packed blocks");
        return -ENOMEM;
    }
    memset(((struct study_blocks *)*state)->a, 0, STUDY_BLOCK_A + STUDY_BLOCK_B);
    heap_look();
    return 0;
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
