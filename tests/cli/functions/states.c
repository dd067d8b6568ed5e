/* SPDX-License-Identifier: Apache-2.0 */
/* The rest of mix.c: functions that have a state, or return memory. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Another number in each call. */
uint32_t draw(void)
{
    static uint32_t number = 1;
    return number = number * 69069 + 1;
}

uint32_t draw_none(uint32_t *to)
{
    (void)to;
    return draw();
}

/* Bytes of which some are by chance what they were in the call before. */
void draw_bytes(uint8_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)(draw() >> 24);
}

/* Memory that is no argument. */
const void *point_elsewhere(const uint8_t *x, size_t n)
{
    static uint32_t hash;
    for (size_t i = 0; i < n; i++)
        hash = hash * 69069 + x[i];
    return &hash;
}

/* One bit for each value; others are left alone. */
void bits_of(const uint8_t *x, uint8_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i / 8] = (uint8_t)((to[i / 8] & ~(1u << i % 8)) | (x[i] & 1u) << i % 8);
}

/* A length that is none. */
long no_length(const uint8_t *x, uint8_t *to, size_t n)
{
    memcpy(to, x, n);
    return -1;
}

/* Memory of a call that finds what no call before it has used up. */
void *new_once(int32_t *x)
{
    if (x[0] < 0)
        abort();
    x[0] = -1;
    return malloc(16);
}

/* A text that is freed, beside values that are compared. */
int32_t told_error(char **error, const int32_t *x, int32_t *y, size_t n)
{
    *error = strdup("none");
    memcpy(y, x, n * sizeof *y);
    return 0;
}

/* Memory that the caller frees; few pieces of it if they are counted. */
static int pieces;

char *new_text(const char *x, char **copy)
{
    if (copy)
        *copy = strdup(x);
    return strdup(x);
}

char *new_counted(const char *x, char **copy)
{
    if (++pieces > 1000)
        abort();
    return new_text(x, copy);
}

void free_counted(char *text)
{
    pieces--;
    free(text);
}

void end_counted(char **text)
{
    free_counted(*text);
    *text = NULL;
}

/* An object that the address of its address frees; there are few at a time. */
static int states;

void state_end(uint32_t **state)
{
    states--;
    free(*state);
    *state = NULL;
}

/* A state that another function begins, and a constant table. */
const int32_t state_table[2] = {5, 6}, *state_pointer = state_table;

void state_begin(uint32_t *state, const int32_t *table, const int32_t *same)
{
    state[0] = (uint32_t)table[0];
    state[1] = (uint32_t)(table == same ? table[1] : 0);
}

void state_open(uint32_t *state, const int32_t *table, const int32_t *same)
{
    if (++states > 4)
        abort();
    state_begin(state, table, same);
}

/* An argument, but not of few elements. */
const void *point_middle(const uint8_t *x, size_t n)
{
    return n < 8 ? &state_table : (const void *)(x + n / 2);
}

void state_add(uint32_t *state, const int32_t *x, size_t n, const int32_t *table)
{
    if (state[0] != 5 || table != state_table)
        abort();
    for (size_t i = 0; i < n; i++)
        state[1] += (uint32_t)x[i];
}

void state_add_wrong(uint32_t *state, const int32_t *x, size_t n, const int32_t *table)
{
    state_add(state, x, n / 2, table);
}

#define WAY(k)                                 \
    case k:                                    \
        *state = *state * (2 * k + 69069) + 1; \
        break;
#define FOUR_WAYS(k) WAY(k) WAY(k + 1) WAY(k + 2) WAY(k + 3)

/* A state that moves on with each value, and takes one of many ways each time. */
void state_mix(uint32_t *state, const uint8_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        switch ((*state >> 24 ^ x[i]) & 15) {
            FOUR_WAYS(0)
            FOUR_WAYS(4)
            FOUR_WAYS(8)
            FOUR_WAYS(12)
        }
}

/* ---- functions that end the process ---- */

void *make_abort(int n)
{
    abort();
}

void *make_exit(int n)
{
    exit(n);
}

typedef void chosen(uint8_t *to, const uint8_t *x, size_t n);

chosen *choose_crash(void)
{
    return *(chosen *volatile *)8;
}

chosen *choose_abort(void)
{
    abort();
}

/* ---- many arrays ---- */

/* Each array gets its number added. */
static int32_t add_to(int32_t *const *array, size_t n_arrays, size_t n)
{
    int32_t sum = 0;
    for (size_t k = 0; k < n_arrays; k++)
        for (size_t i = 0; i < n; i++)
            sum += array[k][i] += (int32_t)k;
    return sum;
}

#define ARRAYS                                                                          \
    int32_t *a, int32_t *b, int32_t *c, int32_t *d, int32_t *e, int32_t *f, int32_t *g, \
        int32_t *h, int32_t *i, int32_t *j, int32_t *k, int32_t *l, int32_t *m,         \
        int32_t *p, int32_t *q

int32_t add_to_all(ARRAYS, size_t n)
{
    return add_to((int32_t *[]){a, b, c, d, e, f, g, h, i, j, k, l, m, p, q}, 15, n);
}

/* Forgets the last one. */
int32_t add_to_most(ARRAYS, size_t n)
{
    (void)q;
    return add_to((int32_t *[]){a, b, c, d, e, f, g, h, i, j, k, l, m, p}, 14, n);
}

/* ---- places in arrays ---- */

uint32_t range_sum(const uint32_t *first, const uint32_t *last)
{
    uint32_t sum = 0;
    while (first < last)
        sum += *first++;
    return sum;
}

/* A row becomes the mean of those beside it. */
void smooth(uint8_t *row, ptrdiff_t stride, int w)
{
    for (int i = 0; i < w; i++)
        row[i] = (uint8_t)((row[i - stride] + row[i + stride]) / 2);
}

void smooth_half(uint8_t *row, ptrdiff_t stride, int w)
{
    smooth(row, stride, w / 2);
}

void smooth_wide(uint8_t *row, ptrdiff_t stride, int w)
{
    smooth(row, stride, w);
    row[-stride - 3] = 0;
}

/* ---- structures with pointers ---- */

struct view {
    const float *from;
    float *to;
    int w, h;
    size_t stride; /* elements */
    float gain;
};

void view_scale(const struct view *v)
{
    for (int y = 0; y < v->h; y++)
        for (int x = 0; x < v->w; x++)
            v->to[(size_t)y * v->stride + (size_t)x] =
                v->gain * v->from[(size_t)y * v->stride + (size_t)x];
}

/* Forgets the last row. */
void view_scale_most(const struct view *v)
{
    struct view most = *v;
    most.h--;
    view_scale(&most);
}
