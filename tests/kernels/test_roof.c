/* SPDX-License-Identifier: Apache-2.0 */
/* Op roof: its shapes, what its streams move, and that its mixes run. */
#include <signal.h>
#include <sys/mman.h>

#include "effort.h"
#include "kernels.h"
#include "lay_out.h"
#include "roof/roof.h"
#include "unit.h"

/* ---- the op ---- */

TEST(test_shapes)
{
    const struct simdbench_op *op = op_find("roof");
    struct simdbench_shape shape;
    char text[64], error[128];
    assert_int_equal(op->parse("registers", &shape, error, sizeof error), 0);
    assert_int_equal(shape.rank, 0);
    op->format(&shape, text, sizeof text);
    assert_string_equal(text, "registers");
    assert_int_equal(op->parse("4096", &shape, error, sizeof error), 0);
    assert_int_equal(shape.rank, 1);
    assert_int_equal(shape.dim[0], 4096);
    op->format(&shape, text, sizeof text);
    assert_string_equal(text, "4096");
    assert_int_equal(op->parse("0", &shape, error, sizeof error), 0);
    assert_int_equal(op->parse("4096x3", &shape, error, sizeof error), 0);
    assert_int_equal(shape.rank, 3);
    op->format(&shape, text, sizeof text);
    assert_string_equal(text, "4096x3");
    assert_int_equal(op->parse("4096x1", &shape, error, sizeof error), 0);
    assert_int_equal(shape.rank, 1);
    static const char *const wrong[] = {"",   "x",   "-8",   "+8",    "12", " 8",
                                        "8x", "8x0", "8x-1", "8x8x8", "x8", "8x 8"};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        assert_int_equal(op->parse(wrong[i], &shape, error, sizeof error), -EINVAL);
    assert_int_equal(op->parse("99999999999999999999", &shape, error, sizeof error),
                     -EOVERFLOW);
    assert_int_equal(op->parse("8x1000000001", &shape, error, sizeof error), -EOVERFLOW);
}

TEST(test_op_work)
{
    const struct simdbench_op *op = op_find("roof");
    struct simdbench_shape shape = {.size = sizeof shape};
    double ops, bytes;
    op->work(&shape, SIMDBENCH_F32, &ops, &bytes);
    assert_true(ops == 2 * 286720 && bytes == 0);
    shape.rank = 1;
    shape.dim[0] = 800;
    op->work(&shape, SIMDBENCH_F64, &ops, &bytes);
    assert_true(ops == 0 && bytes == 800);
    assert_int_equal(op->parse("800x5", &shape, NULL, 0), 0);
    op->work(&shape, SIMDBENCH_F64, &ops, &bytes);
    assert_true(ops == 0 && bytes == 4000);
    assert_int_equal(op->reference(NULL, NULL, NULL, 0, NULL, NULL), -ENOTSUP);
}

/* ---- mixes ---- */

TEST(test_registers)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    struct operands operands;
    struct operands_map map = {0};
    const struct simdbench_shape shape = {.size = sizeof shape};
    unsigned n = 0;
    operands_bind(&operands, &map, &shape, 1, NULL);
    for (size_t i = 0; kernels[i]; i++) {
        if (!runs_here(kernels[i], "roof") || !(kernels[i]->flags & SIMDBENCH_REGISTERS))
            continue;
        assert_null(kernels[i]->prepare);
        kernels[i]->run(&operands.view, NULL);
        n++;
    }
#if defined(__x86_64__)
    assert_int_equal(n, 16 + (isa_available(2, NULL, 0) ? 16 : 0) +
                            (isa_available(3, NULL, 0) ? 16 : 0));
#else
    assert_int_equal(n, 16);
#endif
}

/* ---- streams ---- */

/* Two inputs, two outputs and one that is both, of various sizes, among them none. */
enum { OPERANDS = 5 };

struct stream {
    struct operands_map map;
    struct operands operands;
    void *base;
};

static void stream_make(struct stream *stream, uint32_t type, uint64_t in, uint64_t out,
                        uint64_t align, uint64_t seed)
{
    const uint64_t count[OPERANDS] = {out, in, 3, 5, 3};
    const uint32_t role[OPERANDS] = {SIMDBENCH_OUT, SIMDBENCH_IN, SIMDBENCH_CONST,
                                     SIMDBENCH_OUT, SIMDBENCH_INOUT};
    const struct simdbench_shape shape = {.size = sizeof shape, .rank = 1, .dim = {1}};
    memset(&stream->map, 0, sizeof stream->map);
    stream->map.count = OPERANDS;
    for (int i = 0; i < OPERANDS; i++) {
        stream->map.operand[i] =
            (struct simdbench_operand){.size = sizeof(struct simdbench_operand),
                                       .type = type,
                                       .role = role[i],
                                       .source = i == 4 ? 2 : 0,
                                       .count = count[i],
                                       .ld = (int64_t)count[i]};
    }
    assert_int_equal(operands_offsets(&stream->map, align, seed, NULL), 0);
    stream->base = aligned_alloc(4096, stream->map.bytes);
    assert_non_null(stream->base);
    for (uint64_t i = 0; i < stream->map.bytes / 8; i++)
        ((uint64_t *)stream->base)[i] = random_next(&seed);
    operands_bind(&stream->operands, &stream->map, &shape, 1, stream->base);
    operands_poison(&stream->operands);
    operands_guard(&stream->operands);
}

static uint64_t bytes_of(const struct simdbench_operand *operand)
{
    return operand->count * type_bytes(operand->type);
}

static uint64_t words_of(const struct simdbench_operand *operand)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < bytes_of(operand); i += 8) {
        uint64_t word = 0, left = bytes_of(operand) - i;
        memcpy(&word, (const char *)operand->data + i, left < 8 ? left : 8);
        sum ^= word;
    }
    return sum;
}

static void fill_ones(const struct simdbench_operand *operand)
{
    for (uint64_t i = 0; i < operand->count; i++) {
        if (operand->type == SIMDBENCH_F32)
            ((float *)operand->data)[i] = 1;
        else
            ((double *)operand->data)[i] = 1;
    }
}

/* Outputs that a stream must leave, and the bytes that it says it moves. */
static double expect(const char *variant, struct operands *want, uint64_t read_words,
                     uint64_t sum)
{
    struct simdbench_operand *operand = want->operand;
    const uint64_t in = bytes_of(&operand[1]), out = bytes_of(&operand[0]);
    const uint64_t copied = in < out ? in : out;
    uint64_t written = 0;
    for (int i = 0; i < OPERANDS; i++)
        written += operand_is_output(&operand[i]) ? bytes_of(&operand[i]) : 0;
    if (strcmp(variant, "load") == 0 || strcmp(variant, "read") == 0) {
        assert_true(sum == (strcmp(variant, "read") ? 0 : read_words));
        return (double)(in + bytes_of(&operand[2]) + bytes_of(&operand[4]));
    }
    if (strncmp(variant, "write", 5) == 0) {
        for (int i = 0; i < OPERANDS; i++)
            if (operand_is_output(&operand[i]))
                fill_ones(&operand[i]);
        return (double)written;
    }
    if (strcmp(variant, "streams") == 0) {
        double bytes = 0;
        for (int i = 0; i < OPERANDS; i++) {
            if (operand[i].role == SIMDBENCH_OUT)
                memset(operand[i].data, 0xff, bytes_of(&operand[i]));
            if (i == 2) /* operand 4 begins as its copy */
                continue;
            bytes += (double)bytes_of(&operand[i]) *
                     (operand[i].role == SIMDBENCH_INOUT ? 2 : 1);
        }
        return bytes;
    }
    memcpy(operand[0].data, operand[1].data, copied);
    return (double)(2 * copied);
}

static void check_stream(const struct simdbench_kernel *kernel, uint64_t in, uint64_t out,
                         uint64_t align)
{
    struct stream stream, want;
    char error[100];
    void *run_state = NULL;
    double ops, bytes;
    stream_make(&stream, kernel->type, in, out, align, in * 31 + out);
    stream_make(&want, kernel->type, in, out, align, in * 31 + out);
    const struct operands *operands = &stream.operands;
    const struct simdbench_operand *operand = operands->operand;
    const uint64_t words =
        words_of(&operand[1]) ^ words_of(&operand[2]) ^ words_of(&operand[4]);
    assert_int_equal(kernel->prepare(&operands->view, &run_state, error, sizeof error),
                     0);
    kernel->run(&operands->view, run_state);
    kernel->work(&operands->view, &ops, &bytes);
    assert_true(ops == 0);
    assert_true(bytes == expect(kernel->variant, &want.operands, words,
                                ((const struct roof_streams *)run_state)->sum));
    assert_memory_equal(stream.base, want.base, stream.map.bytes);
    kernel->release(run_state);
    free(stream.base);
    free(want.base);
}

static bool is_stream(const struct simdbench_kernel *kernel)
{
    return runs_here(kernel, "roof") && !(kernel->flags & SIMDBENCH_REGISTERS);
}

TEST(test_streams)
{
    static const uint64_t longer[] = {511, 512, 513, 1000, 4095, 10007};
    const struct simdbench_kernel *const *kernels = kernel_list();
    unsigned n = 0;
    for (size_t i = 0; kernels[i]; i++) {
        if (!is_stream(kernels[i]))
            continue;
        for (uint64_t count = 0; count <= 300; count += effort_step())
            check_stream(kernels[i], count, count, count % 2 ? 64 : 8);
        for (size_t l = 0; l < ARRAY_LEN(longer); l++)
            check_stream(kernels[i], longer[l], longer[l], l % 2 ? 64 : 8);
        check_stream(kernels[i], 100, 37, 64);
        check_stream(kernels[i], 37, 100, 64);
        n++;
    }
    assert_true(n >= 28 && n % 14 == 0);
}

/* Passes over little memory run over copies of it, as long ones as their number allows,
 * and move as many times the bytes. */
TEST(test_passes)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    for (size_t i = 0; kernels[i]; i++)
        for (uint64_t passes = 3; is_stream(kernels[i]) && passes <= 48; passes *= 16) {
            struct stream stream, before;
            char error[100];
            void *run_state = NULL;
            double ops, bytes, once;
            stream_make(&stream, kernels[i]->type, 37, 37, 64, passes);
            stream_make(&before, kernels[i]->type, 37, 37, 64, passes);
            struct operands *const operands = &stream.operands;
            kernels[i]->work(&operands->view, &ops, &once);
            assert_int_equal(op_find("roof")->parse(passes == 3 ? "296x3" : "296x48",
                                                    &operands->shape, NULL, 0),
                             0);
            assert_int_equal(
                kernels[i]->prepare(&operands->view, &run_state, error, sizeof error), 0);
            const struct roof_streams *const streams = run_state;
            assert_int_equal(streams->passes, 3);
            assert_non_null(streams->longer);
            for (uint32_t k = 0; k < OPERANDS; k++) {
                const struct simdbench_operand *const copy =
                    streams->longer->view.operand[k];
                assert_int_equal(copy->count, passes / 3 * operands->operand[k].count);
                assert_int_equal(
                    ((uintptr_t)copy->data - (uintptr_t)operands->operand[k].data) % 64,
                    0);
            }
            kernels[i]->run(&operands->view, run_state);
            /* Zeros, unlike the operands. */
            if (strcmp(kernels[i]->variant, "read") == 0)
                assert_true(streams->sum == 0);
            kernels[i]->work(&operands->view, &ops, &bytes);
            assert_true(bytes == (double)passes * once);
            assert_int_equal(operands_damaged(operands), -1);
            assert_memory_equal(stream.base, before.base, stream.map.bytes);
            kernels[i]->release(run_state);
            free(stream.base);
            free(before.base);
        }
}

/* Copies go to what is input and output if there is no other output. */
TEST(test_in_place)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    float x[100], y[100];
    struct simdbench_operand operand[2] = {
        {.type = SIMDBENCH_F32, .role = SIMDBENCH_IN, .count = 100, .data = x},
        {.type = SIMDBENCH_F32, .role = SIMDBENCH_INOUT, .count = 100, .data = y}};
    const struct simdbench_shape shape = {.size = sizeof shape, .rank = 1};
    const struct simdbench_operands operands = {
        .count = 2, .shape = &shape, .operand = {&operand[0], &operand[1]}};
    for (size_t i = 0; kernels[i]; i++) {
        char error[100];
        void *run_state = NULL;
        double ops, bytes;
        if (!is_stream(kernels[i]) || strncmp(kernels[i]->variant, "copy", 4) != 0)
            continue;
        for (int e = 0; e < 100; e++) {
            x[e] = (float)e;
            y[e] = -1;
        }
        assert_int_equal(kernels[i]->prepare(&operands, &run_state, error, sizeof error),
                         0);
        kernels[i]->run(&operands, run_state);
        kernels[i]->release(run_state);
        kernels[i]->work(&operands, &ops, &bytes);
        assert_true(bytes == 800);
        assert_memory_equal(x, y, sizeof x);
    }
}

/* ---- loads and updates ---- */

enum { PAGE = 4096, PAGES = 5 };

static char *protected_pages;
static volatile unsigned touched;

static void on_touch(int signal, siginfo_t *info, void *context)
{
    const size_t page = (size_t)((char *)info->si_addr - protected_pages) / PAGE;
    if (page >= PAGES)
        abort();
    touched |= 1u << page;
    mprotect(protected_pages + page * PAGE, PAGE, PROT_READ | PROT_WRITE);
}

/* They change nothing, but nothing less than a load or store of each page is right. */
static void check_touches(const char *variant, uint32_t role, int protection)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    const struct simdbench_shape shape = {.size = sizeof shape, .rank = 1};
    struct simdbench_operand operand = {.role = role};
    const struct simdbench_operands operands = {
        .count = 1, .shape = &shape, .operand = {&operand}};
    struct sigaction action = {.sa_sigaction = on_touch, .sa_flags = SA_SIGINFO}, before;
    protected_pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(protected_pages != MAP_FAILED);
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    for (size_t i = 0; kernels[i]; i++) {
        if (!is_stream(kernels[i]) || strcmp(kernels[i]->variant, variant) != 0)
            continue;
        operand.type = kernels[i]->type;
        operand.count = ((PAGES - 1) * PAGE + 16) / type_bytes(operand.type);
        operand.data = protected_pages;
        assert_int_equal(mprotect(protected_pages, PAGES * PAGE, protection), 0);
        touched = 0;
        char error[100];
        void *run_state = NULL;
        assert_int_equal(kernels[i]->prepare(&operands, &run_state, error, sizeof error),
                         0);
        kernels[i]->run(&operands, run_state);
        kernels[i]->release(run_state);
        assert_int_equal(touched, (1 << PAGES) - 1);
    }
    sigaction(SIGSEGV, &before, NULL);
    munmap(protected_pages, PAGES * PAGE);
}

TEST(test_touches)
{
    check_touches("load", SIMDBENCH_IN, PROT_NONE);
    check_touches("streams", SIMDBENCH_INOUT, PROT_READ);
}

/* A kernel that leaves upper halves behind slows down all SSE code after it. */
TEST(test_clean_registers)
{
#if defined(__x86_64__)
    const struct simdbench_kernel *const *kernels = kernel_list();
    if (!isa_available((size_t)isa_find("avx2"), NULL, 0))
        skip();
    for (size_t i = 0; kernels[i]; i++) {
        struct stream stream;
        char error[100];
        void *run_state = NULL;
        uint64_t registers[16][4];
        if (!runs_here(kernels[i], "roof"))
            continue;
        stream_make(&stream, kernels[i]->type, 1000, 1000, 64, 1);
        if (kernels[i]->prepare)
            kernels[i]->prepare(&stream.operands.view, &run_state, error, sizeof error);
        kernels[i]->run(&stream.operands.view, run_state);
#define SAVE(r) "vmovups %%ymm" #r ", " #r "*32(%0)\n\t"
        __asm__ volatile(SAVE(0) SAVE(1) SAVE(2) SAVE(3) SAVE(4) SAVE(5) SAVE(6) SAVE(7)
                             SAVE(8) SAVE(9) SAVE(10) SAVE(11) SAVE(12) SAVE(13) SAVE(14)
                                 SAVE(15) "vzeroupper"
                         :
                         : "r"(registers)
                         : "memory");
        for (int r = 0; r < 16; r++)
            assert_true(registers[r][2] == 0 && registers[r][3] == 0);
        if (kernels[i]->release)
            kernels[i]->release(run_state);
        free(stream.base);
    }
#else
    skip();
#endif
}

TEST(test_streams_need_operands)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    const struct simdbench_shape shape = {.size = sizeof shape};
    const struct operands_map map = {0};
    struct operands operands;
    char error[100];
    void *run_state = NULL;
    operands_bind(&operands, &map, &shape, 1, NULL);
    for (size_t i = 0; kernels[i]; i++) {
        if (strcmp(kernels[i]->op, "roof") == 0 && kernels[i]->prepare)
            assert_int_equal(
                kernels[i]->prepare(&operands.view, &run_state, error, sizeof error),
                -ENOTSUP);
    }
}

TEST(test_fill)
{
    const struct simdbench_op *op = op_find("roof");
    struct stream stream;
    stream_make(&stream, SIMDBENCH_F32, 100, 100, 64, 1);
    const struct operands *operands = &stream.operands;
    assert_int_equal(op->fill(&operands->view, 5, NULL), 0);
    const uint64_t first = operands_hash(operands);
    const float *in = operands->operand[1].data;
    for (int i = 0; i < 100; i++)
        assert_true(in[i] >= 0 && in[i] < 0x1p24f && (i == 0 || in[i] != in[i - 1]));
    assert_int_equal(op->fill(&operands->view, 6, NULL), 0);
    assert_true(operands_hash(operands) != first);
    assert_int_equal(op->fill(&operands->view, 5, NULL), 0);
    assert_true(operands_hash(operands) == first);
    assert_int_equal(op->fill(&operands->view, 5, "other"), -EINVAL);
    assert_int_equal(operands_damaged(operands), -1);
    free(stream.base);
}
