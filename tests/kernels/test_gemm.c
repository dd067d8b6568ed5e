/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row of gemm against the reference, bit by bit: ragged shapes, misaligned
 * operands, rows with gaps, operands that touch pages without access on either side.
 */
#include "arena.h"
#include "effort.h"
#include "kernels.h"
#include "lay_out.h"
#include "unit.h"

struct problem {
    int64_t m, n, k;
    int64_t gap[3];   /* elements between the end of a row and the next one */
    int64_t matrices; /* of a batch, or 0 */
    int64_t between;  /* and elements between them */
    enum place place;
    const char *input;
};

/* Lays the operands of a problem into the arena and fills A and B. */
static void arena_bind(const struct arena *arena, const struct problem *problem,
                       uint32_t type, struct operands *operands)
{
    const size_t size = type_bytes(type);
    const struct simdbench_op *op = op_find("gemm");
    const struct simdbench_shape shape = {
        .size = sizeof shape,
        .rank = problem->matrices ? 4 : 3,
        .dim = {problem->m, problem->n, problem->k, problem->matrices}};
    lay_out(operands, op, &shape, type, 3);
    for (int i = 0; i < 3; i++) {
        struct simdbench_operand *operand = &operands->operand[i];
        const int64_t rows = i == 1 ? problem->k : problem->m, columns = operand->ld;
        operand->ld += problem->gap[i];
        if (problem->matrices)
            operand->stride = rows * operand->ld + problem->between;
        if (operand->count)
            operand->count = (uint64_t)((problem->matrices ? problem->matrices - 1 : 0) *
                                            operand->stride +
                                        (rows - 1) * operand->ld + columns);
        const size_t bytes = operand->count * size;
        operand->data = arena_place(arena, i, problem->place, bytes, size);
    }
    assert_int_equal(op->fill(&operands->view, 7, problem->input), 0);
}

/* Bytes of the region around C that a kernel may not change, and how many on each side.
 */
static void fences(const struct arena *arena, const struct simdbench_operand *c,
                   size_t size, char **begin, char **end)
{
    char *const first = arena->region[2], *const last = arena->region[2] + REGION;
    char *const from = c->data, *const to = from + c->count * size;
    *begin = from - first < FENCE ? first : from - FENCE;
    *end = last - to < FENCE ? last : to + FENCE;
}

/* True if that byte of C belongs to a gap between rows or matrices. */
static bool in_gap(const struct operands *operands, size_t size, size_t at)
{
    const struct simdbench_operand *c = &operands->operand[2];
    const size_t pitch = (size_t)c->ld * size, stride = (size_t)c->stride * size;
    const size_t within = stride ? at % stride : at;
    return within % pitch >= (size_t)operands->shape.dim[1] * size ||
           within / pitch >= (size_t)operands->shape.dim[0];
}

/* True if only elements of C changed since the bytes from `begin` were set to `byte`. */
static bool gaps_untouched(const struct arena *arena, const struct operands *operands,
                           size_t size, char byte)
{
    const struct simdbench_operand *c = &operands->operand[2];
    char *begin, *end;
    fences(arena, c, size, &begin, &end);
    const char *const from = c->data, *const to = from + c->count * size;
    for (const char *at = begin; at < end; at++)
        if ((at < from || at >= to || in_gap(operands, size, (size_t)(at - from))) &&
            *at != byte)
            return false;
    return true;
}

/* Equal bits; with `zeros` zeros of both signs are equal, too. */
static bool same_elements(const void *a, const void *b, size_t n, size_t size, bool zeros)
{
    if (memcmp(a, b, n * size) == 0)
        return true;
    for (size_t i = 0; zeros && i < n; i++) {
        const char *const x = (const char *)a + i * size, *const y =
                                                              (const char *)b + i * size;
        const bool zero = size == 4 ? *(const float *)x == 0 && *(const float *)y == 0
                                    : *(const double *)x == 0 && *(const double *)y == 0;
        if (!zero && memcmp(x, y, size) != 0)
            return false;
    }
    return zeros;
}

static bool same_rows(const struct operands *operands, const void *reference, size_t size,
                      bool zeros)
{
    const struct simdbench_operand *c = &operands->operand[2];
    const int64_t rows = operands->shape.dim[0];
    const int64_t matrices = operands->shape.rank == 4 ? operands->shape.dim[3] : 1;
    for (int64_t i = 0; i < matrices * rows; i++) {
        const size_t at = (size_t)(i / rows * c->stride + i % rows * c->ld) * size;
        if (!same_elements((const char *)c->data + at, (const char *)reference + at,
                           (size_t)operands->shape.dim[1], size, zeros))
            return false;
    }
    return true;
}

/* Runs one row of the table on operands that are bound. */
static void check_kernel(const struct arena *arena, const struct simdbench_kernel *kernel,
                         const struct operands *operands, const void *reference)
{
    const size_t size = type_bytes(kernel->type);
    const uint64_t inputs = operands_hash(operands);
    char error[256] = "";
    char *begin, *end;
    void *state = NULL;
    fences(arena, &operands->operand[2], size, &begin, &end);
    memset(begin, 0x5a, (size_t)(end - begin));
    if (kernel->prepare(&operands->view, &state, error, sizeof error) != 0)
        fail_msg("%s", error);
    kernel->run(&operands->view, state);
    kernel->run(&operands->view, state);
    kernel->release(state);

    const int64_t *dim = operands->shape.dim;
    if (!same_rows(operands, reference, size,
                   strcmp(kernel->isa, "neon") == 0 && kernel->type <= SIMDBENCH_F64))
        fail_msg("wrong: %s-%s/%s/%s@%dx%dx%d ld %d %d %d", kernel->semiring,
                 type_name(kernel->type), kernel->isa, kernel->variant, (int)dim[0],
                 (int)dim[1], (int)dim[2], (int)operands->operand[0].ld,
                 (int)operands->operand[1].ld, (int)operands->operand[2].ld);
    if (!gaps_untouched(arena, operands, size, 0x5a))
        fail_msg("outside of C: %s-%s/%s/%s@%dx%dx%d", kernel->semiring,
                 type_name(kernel->type), kernel->isa, kernel->variant, (int)dim[0],
                 (int)dim[1], (int)dim[2]);
    assert_true(operands_hash(operands) == inputs);
}

/* Valgrind's fma of doubles makes -0 + -0 a positive zero. */
static bool fma_is_right(void)
{
    volatile double zero = -0.0, one = 1;

    return signbit(fma(zero, one, zero));
}

static bool is_tried(const struct simdbench_kernel *kernel, const char *input)
{
    return runs_here(kernel, "gemm") &&
           (!input || strcmp(kernel->roof, "fma_max") != 0 || fma_is_right());
}

/* All rows on one problem. */
static void check(const struct arena *arena, const struct problem *problem)
{
    static const char *const semirings[] = {"maxplus", "minplus", "maxtimes"};
    const struct simdbench_op *op = op_find("gemm");
    const struct simdbench_kernel *const *kernels = kernel_list();
    if (!effort_turn())
        return;
    for (uint32_t type = SIMDBENCH_F32; type <= SIMDBENCH_I64; type++) {
        struct operands operands;
        arena_bind(arena, problem, type, &operands);
        /* Integers have no maxtimes. */
        for (size_t s = 0; s < ARRAY_LEN(semirings) - (type > SIMDBENCH_F64); s++) {
            assert_int_equal(op->reference(&operands.view, semirings[s], NULL,
                                           operands.operand[2].count, arena->reference,
                                           arena->slack),
                             0);
            for (size_t i = 0; kernels[i]; i++)
                if (is_tried(kernels[i], problem->input) && kernels[i]->type == type &&
                    strcmp(kernels[i]->semiring, semirings[s]) == 0)
                    check_kernel(arena, kernels[i], &operands, arena->reference);
        }
    }
}

/* ---- tests ---- */

#define CHECK(...) check(*state, &(struct problem){__VA_ARGS__})

static const int64_t depths[] = {0, 1, 2, 3, 4, 5, 7, 8, 17};

static enum place turn(int64_t number)
{
    return (enum place)(number % PLACES);
}

/* Every number of rows, so every way to cut C into strips. */
TEST(test_heights)
{
    for (int64_t m = 0; m <= 74; m++)
        for (int64_t n = 15; n <= 17; n += 2)
            CHECK(.m = m, .n = n, .k = 5, .place = turn(m));
}

/* Every number of columns, so every way to cut C into tiles. */
TEST(test_widths)
{
    for (int64_t n = 0; n <= 74; n++)
        for (int64_t m = 1; m <= 7; m += 3)
            CHECK(.m = m, .n = n, .k = 6, .place = turn(n + m));
}

TEST(test_depths)
{
    for (size_t i = 0; i < ARRAY_LEN(depths); i++)
        for (int64_t n = 5; n <= 40; n += 7)
            CHECK(.m = 27, .n = n, .k = depths[i], .place = turn(n));
}

/* Few columns and many k-steps; few rows or k-steps and many columns. */
TEST(test_slim)
{
    static const char *const inputs[] = {NULL, "special", "ties"};
    for (int64_t n = 1; n <= 15; n++)
        for (int64_t m = 1; m <= 14; m += 1 + m / 5)
            CHECK(.m = m, .n = n, .k = 70 * n + 11 * m, .gap = {m % 3, n % 2, m % 2},
                  .place = turn(n + m), .input = inputs[(m + n) % 3]);
    CHECK(.m = 6, .n = 1, .k = 2500, .place = RIGHT, .input = "special");
    CHECK(.m = 30, .n = 37, .k = 3001, .place = LEFT);
    CHECK(.m = 5, .n = 3, .k = 3001, .gap = {3, 1, 2}, .place = RIGHT,
          .input = "special");
    for (int64_t k = 1; k <= 12; k++)
        for (int64_t m = 1; m <= 5; m++)
            CHECK(.m = m, .n = 23 + 8 * k, .k = k, .gap = {k % 3, m % 2, k % 2},
                  .place = turn(k + m), .input = inputs[(m + k) % 3]);
}

/* Rows with gaps, shapes at random. */
TEST(test_random)
{
    uint64_t seed = 20;
    for (int i = 0; i < 60; i++) {
        struct problem problem = {.m = (int64_t)(random_next(&seed) % 71),
                                  .n = (int64_t)(random_next(&seed) % 71),
                                  .k = (int64_t)(random_next(&seed) % 40),
                                  .place = turn(i)};
        for (int operand = 0; operand < 3; operand++)
            problem.gap[operand] = (int64_t)(random_next(&seed) % 20);
        check(*state, &problem);
    }
}

/* Operands so large that each ISA packs and cuts them into several blocks. */
TEST(test_blocks)
{
    CHECK(.m = 53, .n = 97, .k = 600, .place = RIGHT);
    CHECK(.m = 61, .n = 130, .k = 1100, .place = RIGHT);
    CHECK(.m = 5, .n = 11, .k = 1031, .place = LEFT);
    CHECK(.m = 26, .n = 801, .k = 131, .gap = {3, 0, 5}, .place = RIGHT);
    CHECK(.m = 25, .n = 513, .k = 257, .gap = {0, 7, 1}, .place = MIDDLE);
    CHECK(.m = 1, .n = 1, .k = 2500, .place = RIGHT);
    CHECK(.m = 300, .n = 3, .k = 300, .place = RIGHT);
    /* Rows that would all fall on one set of the cache, in one block and in several. */
    CHECK(.m = 131, .n = 20, .k = 19, .gap = {1005, 0, 0}, .place = RIGHT);
    CHECK(.m = 49, .n = 50, .k = 64, .gap = {960, 0, 0}, .place = LEFT);
}

/* Batches, with gaps between matrices and without; none and one of them, too. */
TEST(test_batches)
{
    uint64_t seed = 5;
    for (int64_t i = 0; i < 40; i++) {
        struct problem problem = {.m = (int64_t)(random_next(&seed) % 40),
                                  .n = (int64_t)(random_next(&seed) % 50),
                                  .k = (int64_t)(random_next(&seed) % 30),
                                  .matrices = 1 + i % 4,
                                  .between =
                                      i % 3 ? (int64_t)(random_next(&seed) % 50) : 0,
                                  .place = turn(i)};
        for (int operand = 0; operand < 3 && i % 2; operand++)
            problem.gap[operand] = (int64_t)(random_next(&seed) % 5);
        check(*state, &problem);
    }
    CHECK(.m = 31, .n = 70, .k = 300, .matrices = 3, .place = RIGHT);
    CHECK(.m = 64, .n = 64, .k = 64, .matrices = 8, .place = LEFT, .input = "special");
}

/* Whatever is equal often. */
TEST(test_ties)
{
    for (int64_t n = 3; n <= 67; n += 16)
        CHECK(.m = 27, .n = n, .k = 40, .place = turn(n), .input = "ties");
}

/* NaN, infinities, zeros of both signs, denormals; integers that saturate and absorb. */
TEST(test_special)
{
    for (int64_t n = 1; n <= 49; n += 8)
        for (size_t i = 0; i < ARRAY_LEN(depths); i++)
            CHECK(.m = 31, .n = n, .k = depths[i], .place = turn(n), .input = "special");
    CHECK(.m = 29, .n = 33, .k = 1100, .place = LEFT, .input = "special");
}

/* Each semiring has a row on each ISA; with fma where the ISA has one. */
TEST(test_rows)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    size_t count = 0, wanted = 0;
    for (size_t i = 0; i < isa_count(); i++)
        wanted += isa_get(i)->built ? 2 * (i < 2 ? 3 : 7) + 2 * 2 : 0;
    for (size_t i = 0; kernels[i]; i++) {
        if (strcmp(kernels[i]->op, "gemm") != 0)
            continue;
        char roof[32];
        const bool by_fma = !strcmp(kernels[i]->variant, "wide") ||
                            !strcmp(kernels[i]->variant, "reload");
        snprintf(roof, sizeof roof, "%s_max", by_fma ? "fma" : kernels[i]->variant);
        assert_string_equal(kernels[i]->roof, roof);
        assert_true(isa_find(kernels[i]->isa) >= 0);
        count++;
    }
    assert_int_equal(count, wanted);
}
