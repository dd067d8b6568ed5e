/* SPDX-License-Identifier: Apache-2.0 */
/* Every own kernel that a team shares gives the same bits as one thread, whatever the
 * number of threads, more than there are rows included; and stays within its operands. */
#include <time.h>
#include <unistd.h>

#include "effort.h"
#include "open_team.h"
#include "split.h"

#define GEMM_SHAPES \
    "1x1x1", "5x3x7", "3x100x9", "100x3x9", "33x65x0", "67x35x5", "130x131x17"

static const uint32_t team_sizes[] = {1, 2, 3, 5, 7};

struct bench {
    struct operands operands;
    struct operands_map map;
    unsigned char *memory, *expected;
};

/* The smallest error of a row that another may run: with it there is no other choice. */
static double least_ulp(const struct simdbench_kernel *kernel)
{
    double least = kernel->max_ulp;
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++)
        if (!strcmp((*at)->op, kernel->op) && !strcmp((*at)->isa, kernel->isa) &&
            (*at)->type == kernel->type && !(*at)->flags && (*at)->max_ulp < least)
            least = (*at)->max_ulp;
    return least;
}

static void bench_open(struct bench *bench, const struct simdbench_kernel *kernel,
                       const char *text, uint64_t align)
{
    const struct simdbench_op *const op = op_find(kernel->op);
    struct simdbench_shape shape;
    struct error error;
    char why[256];
    assert_int_equal(op->parse(text, &shape, why, sizeof why), 0);
    if (kernel->layout && op->relayout)
        assert_int_equal(op->relayout(&shape, kernel->layout, why, sizeof why), 0);
    assert_int_equal(
        operands_place(op, &shape, kernel->type, align, 7, &bench->map, &error), 0);
    const size_t bytes = (bench->map.bytes + 4095) / 4096 * 4096;
    bench->memory = aligned_alloc(4096, bytes);
    bench->expected = malloc(bytes);
    assert_non_null(bench->memory);
    assert_non_null(bench->expected);
    memset(bench->memory, 0, bytes);
    operands_bind(&bench->operands, &bench->map, &shape, 1, bench->memory);
    if (kernel->flags & SIMDBENCH_ADAPTS)
        bench->operands.view.most_ulp = least_ulp(kernel);
    assert_int_equal(op->fill(&bench->operands.view, 3, NULL), 0);
}

static void reset(const struct bench *bench)
{
    operands_guard(&bench->operands);
    operands_poison(&bench->operands);
}

/* False: it does not support the shape. */
static bool run_alone(const struct bench *bench, const struct simdbench_kernel *kernel)
{
    const struct simdbench_operands *const view = &bench->operands.view;
    void *state = NULL;
    char why[256];
    reset(bench);
    const int status =
        kernel->prepare ? kernel->prepare(view, &state, why, sizeof why) : 0;
    if (status == -ENOTSUP)
        return false;
    assert_int_equal(status, 0);
    kernel->run(view, state);
    if (kernel->release)
        kernel->release(state);
    memcpy(bench->expected, bench->memory, bench->map.bytes);
    return true;
}

static void run_split(const struct bench *bench, const struct simdbench_kernel *kernel,
                      uint32_t threads, uint32_t *parts)
{
    struct simdbench_operands view = bench->operands.view;
    struct split *split;
    char why[256];
    view.threads = threads;
    reset(bench);
    assert_int_equal(split_make(&split, kernel, &view, why, sizeof why), 0);
    split_run(&view, split);
    reset(bench);
    split_run(&view, split);
    *parts = split_parts(split);
    split_free(split);
    assert_int_equal(operands_damaged(&bench->operands), -1);
    if (memcmp(bench->expected, bench->memory, bench->map.bytes) != 0)
        fail_msg("%s/%s/%s/%s with %u threads: other bits than alone", kernel->op,
                 type_name(kernel->type), kernel->isa, kernel->variant, threads);
}

/* Tests a shape with all kernels of an op that can run here and have that layout; how
 * many these are. */
static size_t check(const char *op, const char *layout, const char *shape, uint64_t align)
{
    size_t n = 0;
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++) {
        const struct simdbench_kernel *const kernel = *at;
        struct bench bench;
        const bool other = layout && (!kernel->layout || strcmp(layout, kernel->layout));
        if (strcmp(kernel->op, op) || other || kernel->flags & SIMDBENCH_REGISTERS ||
            !isa_available((size_t)isa_find(kernel->isa), NULL, 0))
            continue;
        bench_open(&bench, kernel, shape, align);
        const bool supported = run_alone(&bench, kernel);
        const size_t step = effort_divisor() > 1 ? 2 : 1;
        for (size_t i = 0; i < ARRAY_LEN(team_sizes) && supported; i += step) {
            uint32_t parts;
            run_split(&bench, kernel, team_sizes[i], &parts);
            assert_in_range(parts, 1, team_sizes[i]);
        }
        free(bench.memory);
        free(bench.expected);
        n++;
    }
    return n;
}

TEST(same_bits_as_alone)
{
    static const struct {
        const char *op, *layout;
        uint64_t align;
        const char *shapes[10];
    } cases[] = {{"relu", NULL, 64, {"1", "15", "16", "17", "100", "1003"}},
                 {"relu", NULL, 8, {"1003"}},
                 {"relu", "inplace", 8, {"1003"}},
                 {"tanh", NULL, 64, {"1", "1003"}},
                 {"tanh", NULL, 8, {"33"}},
                 {"roof", NULL, 64, {"64", "4104"}},
                 {"gemm", NULL, 64, {GEMM_SHAPES, "b5x9x18x7", "b2x40x40x9"}},
                 {"gemm_argmax", NULL, 64, {"5x3x7", "67x35x300"}},
                 {"gemm_backward", NULL, 64, {GEMM_SHAPES}}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (const char *const *shape = cases[i].shapes; *shape; shape++)
            assert_true(check(cases[i].op, cases[i].layout, *shape, cases[i].align) > 0);
}

/* Columns of dB are added up elsewhere: those of all parts are as many as dB has. */
TEST(gemm_backward_tells_its_memory)
{
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++) {
        struct bench bench;
        struct split *split;
        char why[256];
        struct simdbench_choice choice = {.size = sizeof choice};
        if (strcmp((*at)->op, "gemm_backward"))
            continue;
        bench_open(&bench, *at, "67x35x5", 64);
        struct simdbench_operands view = bench.operands.view;
        view.threads = 3;
        assert_int_equal(split_make(&split, *at, &view, why, sizeof why), 0);
        split_choice(split, &view, &choice);
        assert_int_equal(choice.workspace_bytes, 35 * 5 * type_bytes((*at)->type));
        split_free(split);
        free(bench.memory);
        free(bench.expected);
    }
}

/* Padding that copies x, columns beyond, one tap, a picture, depthwise, strides. */
TEST(conv)
{
    static const char *const shapes[] = {"n1c16h1w1k16",
                                         "n3c16h5w6k16r3s3p1q1",
                                         "n1c19h13w11k17r3s3",
                                         "n1c16h9w9k16r5s5p2q2",
                                         "n1c32h7w9k35",
                                         "n2c3h15w17k16r3s3u2v2p1q1",
                                         "n1c16h2w8k16r2s2",
                                         "n1c16h8w12k16g16r3s3p1q1",
                                         "n1c16h13w12k16r3s3p2q2d2",
                                         "n1c32h8w8k64g2r3s3p1q1",
                                         "n1c32h9w9k16u2v2"};
    static const char *const layouts[] = {"nchw16c", "nchw8c", "nchw"};
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        for (size_t k = 0; k < ARRAY_LEN(layouts); k++)
            n += check("conv", layouts[k], shapes[i], 64);
    assert_true(n > 0);
}

static void expect_parts(const struct simdbench_kernel *kernel, const char *shape,
                         uint32_t threads, uint32_t expected)
{
    struct bench bench;
    uint32_t parts;
    bench_open(&bench, kernel, shape, 64);
    assert_true(run_alone(&bench, kernel));
    run_split(&bench, kernel, threads, &parts);
    assert_int_equal(parts, expected);
    free(bench.memory);
    free(bench.expected);
}

/* Kernels whose state cannot be shared get whole images, and a state for each. */
TEST(conv_images)
{
    static const struct {
        const char *shape;
        uint32_t threads, parts;
    } cases[] = {{"n1c16h5w6k16r3s3p1q1", 7, 1},
                 {"n3c16h5w6k19r3s3p1q1", 7, 3},
                 {"n5c16h5w6k16", 2, 2}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t n = 0;
        assert_true(check("conv", NULL, cases[i].shape, 64) > 0);
        for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++) {
            if (strcmp((*at)->op, "conv") || !(*at)->flags ||
                !isa_available((size_t)isa_find((*at)->isa), NULL, 0))
                continue;
            expect_parts(*at, cases[i].shape, cases[i].threads, cases[i].parts);
            n++;
        }
        assert_true(n > 0);
    }
}

/* ---- parts as a kernel sees them ---- */

static const struct simdbench_kernel *noted_kernel;
static struct {
    unsigned prepared, released, on_lines; /* how many outputs began at 64 bytes */
    uint32_t threads;
    uint64_t longest;
    void *first;           /* state of the first part */
    const void *choice_of; /* state that was asked */
} noted;

static int note_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    const struct simdbench_operand *const output = operands->operand[operands->count - 1];
    int status = 0;
    *state = &noted;
    if (noted_kernel->prepare)
        status = noted_kernel->prepare(operands, state, error, error_size);
    if (!noted.prepared++)
        noted.first = *state;
    noted.threads = operands->threads;
    if (noted.longest < output->count)
        noted.longest = output->count;
    noted.on_lines += (uintptr_t)output->data % 64 == 0;
    return status;
}

static void note_release(void *state)
{
    noted.released += state == noted.first;
}

static void note_choice(const struct simdbench_operands *operands, const void *state,
                        struct simdbench_choice *choice)
{
    noted.choice_of = state;
}

/* Splits a kernel for seven threads as if it was of that op; the number of parts. */
static uint32_t note_split(const struct simdbench_kernel *at, const char *op,
                           uint64_t align)
{
    struct simdbench_kernel kernel = *(noted_kernel = at);
    struct simdbench_choice choice = {.size = sizeof choice};
    struct bench bench;
    struct split *split;
    char why[256];
    bench_open(&bench, &kernel, "448", align);
    kernel.op = op;
    kernel.prepare = note_prepare;
    kernel.release = note_release;
    kernel.choice = note_choice;
    memset(&noted, 0, sizeof noted);
    struct simdbench_operands view = bench.operands.view;
    view.threads = 7;
    assert_int_equal(split_make(&split, &kernel, &view, why, sizeof why), 0);
    split_choice(split, &view, &choice);
    const uint32_t parts = split_parts(split);
    split_free(split);
    assert_ptr_equal(noted.choice_of, noted.first);
    free(bench.memory);
    free(bench.expected);
    return parts;
}

/* Ranges of elements have one thread and a state of their own, and begin at a line; the
 * first may not. An op that cannot be split has one state for all threads, and so has
 * one whose parts share it. */
TEST(parts_have_their_own)
{
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++) {
        if (strcmp((*at)->op, "tanh") || strcmp((*at)->isa, "scalar") || (*at)->prepare)
            continue;
        for (uint64_t align = 8; align <= 64; align += 56) {
            assert_int_equal(note_split(*at, "roof", align), 7);
            assert_true(noted.prepared == 7 && noted.released == 7);
            assert_int_equal(noted.threads, 1);
            assert_int_equal(noted.on_lines, align == 64 ? 7 : 6);
            assert_true(align < 64 || noted.longest == 64);
        }
        for (int shared = 0; shared < 2; shared++) {
            assert_int_equal(note_split(*at, shared ? "tanh" : "other", 64),
                             shared ? 7 : 1);
            assert_true(noted.prepared == 1 && noted.released == 1);
            assert_int_equal(noted.threads, 7);
        }
    }
}

/* As many parts as threads where there is enough to do. */
TEST(all_have_a_part)
{
    static const struct {
        const char *op, *shape;
    } cases[] = {{"relu", "1000"},
                 {"tanh", "1000"},
                 {"gemm", "64x64x8"},
                 {"gemm_backward", "64x64x8"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++) {
            if (strcmp((*at)->op, cases[i].op) || strcmp((*at)->isa, "scalar") ||
                (*at)->layout || (*at)->flags)
                continue;
            expect_parts(*at, cases[i].shape, 7, 7);
        }
}

/* ---- relu's auto ---- */

static int64_t helpers_ns(void)
{
    struct timespec all, own;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
    return (all.tv_sec - own.tv_sec) * 1000000000LL + all.tv_nsec - own.tv_nsec;
}

/* It is chosen once, by all threads at work: each does as much as the caller, which goes
 * on for 50 ms of its CPU time. */
TEST(auto_chooses_on_the_team)
{
    struct bench bench;
    char shape[32], why[256];
    const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++)
        if (!strcmp((*at)->op, "relu") && !strcmp((*at)->isa, "scalar") &&
            !strcmp((*at)->variant, "auto") && (*at)->type == SIMDBENCH_F32)
            noted_kernel = *at;
    struct simdbench_kernel counted = *noted_kernel;
    counted.prepare = note_prepare;
    if (cache > 16 << 20)
        skip();
    snprintf(shape, sizeof shape, "%ld", cache > 0 ? cache / 4 : 1 << 18);
    bench_open(&bench, &counted, shape, 64);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        struct simdbench_operands view = bench.operands.view;
        struct simdbench_choice choice = {.size = sizeof choice};
        struct split *split;
        view.threads = threads;
        noted.prepared = 0;
        team_rest();
        const int64_t before = helpers_ns();
        assert_int_equal(split_make(&split, &counted, &view, why, sizeof why), 0);
        const int64_t spent = helpers_ns() - before;
        assert_int_equal(noted.prepared, 1);
        assert_int_equal(noted.threads, threads);
        assert_int_equal(spent > 5000000, threads > 1);
        split_choice(split, &view, &choice);
        assert_non_null(strstr(choice.implementation, " times "));
        split_free(split);
    }
    free(bench.memory);
    free(bench.expected);
}
