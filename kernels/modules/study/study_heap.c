/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "study_rows.h"

enum { PAGE = 4096 };

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

STUDY_PREPARE(relu_pool_prepare)
{
    const size_t bytes = operands->operand[1]->count * sizeof(float);
    struct study_pool *const pool = malloc(sizeof *pool);
    float *const blocks = aligned_alloc(PAGE, (2 * bytes + PAGE) / PAGE * PAGE);

    if (!pool || !blocks) {
        free(pool);
        free(blocks);
        snprintf(error, error_size, "no memory for two blocks of %zu bytes", bytes);
        return -ENOMEM;
    }
    *pool = (struct study_pool){blocks, blocks + operands->operand[1]->count};
    *state = pool;
    return 0;
}

void relu_pool_release(void *state)
{
    struct study_pool *const pool = state;

    if (pool)
        free(pool->first);
    free(pool);
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
