/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by machine code against those of C, and functions that break the rules. */
#include <fenv.h>
#include <immintrin.h>
#include <xmmintrin.h>

#include "declare.h"
#include "unit.h"

static struct thunk *make(const struct call_signature *signature, const void *function)
{
    struct thunk *thunk = NULL;
    struct error error = {.text = ""};
    assert_int_equal(thunk_make(signature, function, &thunk, &error), 0);
    return thunk;
}

static struct thunk *make_declared(const char *prototype, const void *function,
                                   struct declaration *declaration)
{
    struct call_signature signature;
    struct error error = {.text = ""};
    if (declaration_parse(prototype, declaration, &error) < 0)
        fail_msg("%s", error.text);
    declaration_signature(declaration, &signature);
    return make(&signature, function);
}

/* ---- arguments arrive ---- */

static struct {
    double value[16];
    bool aligned;
} seen;

static bool is_aligned(void)
{
    return (uintptr_t)__builtin_frame_address(0) % 16 == 0;
}

static double take_mixed(int8_t a, double b, uint16_t c, float d, int e, float f,
                         int64_t g, double h, const char *i, float j, unsigned k,
                         double l, long m, double n, float o, double p)
{
    const double all[16] = {a,  b, c, d, e,         f, (double)g, h,
                            *i, j, k, l, (double)m, n, o,         p};
    memcpy(seen.value, all, sizeof all);
    seen.aligned = is_aligned();
    return -0.25;
}

static const char mixed[] =
    "double take_mixed(int8_t a = -3, double b = 1.5, uint16_t c = 65535, float d = 0.1, "
    "int e = -70000, float f = -2.5, int64_t g = -1 - 4294967296, double h = 1e300, "
    "const char *i = \"x\", float j = 3.25, unsigned k = 4000000000, double l = 7, "
    "long m = 5, double n = -9.5, float o = 11.5, double p = 0.0625)";

enum form { CODE, JUMP, CHECKED };

static void run_mixed(enum form form)
{
    const double right[16] = {
        -3,  1.5, 65535, (double)0.1f, -70000, -2.5,  -4294967297.0, 1e300, 'x', 3.25,
        4e9, 7,   5,     -9.5,         11.5,   0.0625};
    void *const pointer[DECLARED_MAX] = {NULL};
    struct declaration declaration;
    struct declared_sizes sizes;
    struct call_frame frame;
    struct call_faults faults;
    struct thunk *thunk = make_declared(mixed, (const void *)take_mixed, &declaration);
    assert_int_equal(declaration_measure(&declaration, NULL, &sizes, NULL), 0);
    call_fill(&declaration, &sizes, pointer, &frame);
    memset(&seen, 0, sizeof seen);
    frame.result = 7;
    if (form == CHECKED) {
        thunk_check(thunk, &frame, &faults);
        assert_string_equal(faults.text, "");
        assert_int_equal(faults.faults & ~CALL_UPPER, 0);
    } else {
        (form == CODE ? thunk_code(thunk) : thunk_jump(thunk))(&frame);
    }
    assert_memory_equal(seen.value, right, sizeof right);
    assert_true(seen.aligned);
    assert_true(ctype_to_double(CTYPE_F64, frame.result) == -0.25);
    thunk_free(thunk);
}

static void test_mixed(void **state)
{
    run_mixed(CODE);
    run_mixed(JUMP);
    run_mixed(CHECKED);
}

/* Integers alone: ten of them are on the stack, and one is none. */
static uint64_t take_integers(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                              uint64_t f, uint64_t g, uint64_t h, uint64_t i, uint64_t j,
                              uint64_t k, uint64_t l, uint64_t m, uint64_t n, uint64_t o,
                              uint64_t p)
{
    const uint64_t all[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};
    uint64_t sum = 0;
    for (size_t v = 0; v < ARRAY_LEN(all); v++)
        sum = sum * 31 + all[v];
    return is_aligned() ? sum : 0;
}

static void test_any_number(void **state)
{
    for (uint32_t n = 0; n <= DECLARED_MAX; n++) {
        struct call_signature signature = {.n = n};
        struct call_frame frame = {.result = 1};
        struct call_faults faults;
        uint64_t sum = 0;
        if (n == DECLARED_MAX) {
            for (uint32_t i = 0; i < n; i++) {
                frame.word[i] = 1000003 * (i + 1);
                sum = sum * 31 + frame.word[i];
            }
            struct thunk *thunk = make(&signature, (const void *)take_integers);
            thunk_code(thunk)(&frame);
            assert_int_equal(frame.result, sum);
            thunk_free(thunk);
        }
        struct thunk *thunk = make(&signature, (const void *)call_nothing);
        thunk_code(thunk)(&frame);
        thunk_check(thunk, &frame, &faults);
        assert_string_equal(faults.text, "");
        assert_int_equal(faults.faults, 0);
        thunk_free(thunk);
    }
}

/* The code may be called any number of times, and by a compiler that keeps values in
 * callee-saved registers. */
static float scale(float *values, size_t n, float by)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i] *= by;
    return sum;
}

static void test_again(void **state)
{
    float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    void *const pointer[DECLARED_MAX] = {values};
    struct declaration declaration;
    struct declared_sizes sizes;
    struct call_frame frame;
    struct thunk *thunk =
        make_declared("float (inout float values[n], size_t n, float by = 0.5)",
                      (const void *)scale, &declaration);
    assert_int_equal(declaration_measure(&declaration, (int64_t[]){8}, &sizes, NULL), 0);
    call_fill(&declaration, &sizes, pointer, &frame);
    float right = 36;
    for (int i = 0; i < 10; i++) {
        thunk_code(thunk)(&frame);
        right /= 2;
        assert_true(ctype_to_double(CTYPE_F32, frame.result) == (double)right);
    }
    assert_true(values[7] == 8.0f / 1024);
    thunk_free(thunk);
}

/* A function whose arguments fit into registers returns to the caller of the jump, and
 * nothing is stored. */
static void test_jump(void **state)
{
    float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct call_signature signature = {
        .n = 3,
        .argument = {CALL_INTEGER, CALL_INTEGER, CALL_VECTOR},
        .vector_result = true};
    struct call_frame frame = {
        .word = {(uintptr_t)values, 8, ctype_of_double(CTYPE_F32, 0.5)}, .result = 7};
    struct thunk *thunk = make(&signature, (const void *)scale);
    assert_true(thunk_jump(thunk) != thunk_code(thunk));
    for (int i = 0; i < 3; i++)
        thunk_jump(thunk)(&frame);
    assert_true(values[7] == 1);
    assert_int_equal(frame.result, 7);
    thunk_code(thunk)(&frame);
    assert_true(ctype_to_double(CTYPE_F32, frame.result) == 36.0 / 16);
    thunk_free(thunk);
}

/* ---- addresses ---- */

static int compact(uint8_t *to, const uint8_t *from, size_t n, unsigned *written,
                   const float *least)
{
    const unsigned room = *written;
    *written = 0;
    for (size_t i = 0; i < n; i++)
        if (from[i] >= *least && *written < room)
            to[(*written)++] = from[i];
    return -(int)room;
}

static void test_addresses(void **state)
{
    uint8_t to[16], from[16];
    void *const pointer[DECLARED_MAX] = {to, from, [5] = to};
    struct declaration declaration;
    struct declared_sizes sizes;
    struct call_frame frame;
    struct thunk *thunk = make_declared(
        "int (u8 to[n] length written, const u8 from[n], size_t n, unsigned *written = n "
        "- 1, const float &least = 4.0)",
        (const void *)compact, &declaration);
    for (int i = 0; i < 16; i++)
        from[i] = (uint8_t)i;
    assert_int_equal(declaration_measure(&declaration, (int64_t[]){16}, &sizes, NULL), 0);
    call_fill(&declaration, &sizes, pointer, &frame);
    for (int i = 0; i < 3; i++) { /* each call finds n - 1 again */
        thunk_code(thunk)(&frame);
        assert_int_equal(call_length(&declaration, &sizes, 0, &frame), 12);
        assert_int_equal(call_length(&declaration, &sizes, 1, &frame), 16);
        assert_true(ctype_to_double(CTYPE_I32, frame.result) == -15);
    }
    assert_int_equal(to[11], 15);
    declaration.argument[0].length = DECLARED_RETURN;
    assert_true(call_length(&declaration, &sizes, 0, &frame) == (uint64_t)-15);
    declaration.returned = CTYPE_U32;
    assert_true(call_length(&declaration, &sizes, 0, &frame) == (uint32_t)-15);
    assert_int_equal(frame.word[declaration.n], 0);
    thunk_free(thunk);
}

static _Float16 twice(_Float16 x)
{
    return x + x;
}

static void test_half(void **state)
{
    void *const pointer[DECLARED_MAX] = {NULL};
    struct declaration declaration;
    struct declared_sizes sizes;
    struct call_frame frame;
    struct thunk *thunk =
        make_declared("f16 (f16 x = -1.5)", (const void *)twice, &declaration);
    assert_int_equal(declaration_measure(&declaration, NULL, &sizes, NULL), 0);
    call_fill(&declaration, &sizes, pointer, &frame);
    thunk_code(thunk)(&frame);
    assert_true(ctype_to_double(CTYPE_F16, frame.result) == -3);
    thunk_free(thunk);
}

/* ---- vectors ---- */

/* In assembly, as compilers pass wide vectors by the flags of the whole file. */
#define NAKED __attribute__((naked, noinline)) static void
NAKED add_wide(void)
{
    __asm__("vmovapd %ymm0, %ymm0\n\tvaddpd %zmm2, %zmm0, %zmm0\n\t"
            "vbroadcastsd %xmm1, %zmm1\n\tvmulpd %zmm1, %zmm0, %zmm0\n\tret");
}
NAKED add_8(void)
{
    __asm__("vxorps %xmm2, %xmm2, %xmm2\n\tvcvtsi2ss %rdi, %xmm2, %xmm2\n\t"
            "vshufps $0, %xmm2, %xmm2, %xmm2\n\tvinsertf128 $1, %xmm2, %ymm2, %ymm2\n\t"
            "vmulps %ymm2, %ymm1, %ymm1\n\tvaddps %ymm1, %ymm0, %ymm0\n\tret");
}
NAKED add_4(void)
{
    __asm__("addps %xmm1, %xmm0\n\tret");
}

/* All forms of the call, on elements 1, 2, 3 ... in both arguments. */
static void run_vector(const char *prototype, const void *function, enum call_class class,
                       double by)
{
    double doubles[16];
    float floats[16];
    struct declaration declaration;
    struct declared_sizes sizes;
    struct call_signature signature;
    struct call_faults faults;
    struct call_frame frame;
    struct error error;
    struct thunk *thunk;
    for (int i = 0; i < 16; i++)
        doubles[i] = floats[i] = (float)i + 1;
    if (declaration_parse(prototype, &declaration, &error) < 0)
        fail_msg("%s", error.text);
    const bool single = declaration.returned == CTYPE_F32;
    void *const values = single ? (void *)floats : doubles;
    void *const pointer[DECLARED_MAX] = {values, values, values};
    declaration_signature(&declaration, &signature);
    assert_int_equal(signature.argument[2], class);
    assert_int_equal(declaration_measure(&declaration, (int64_t[]){3}, &sizes, NULL), 0);
    if (thunk_make(&signature, function, &thunk, &error) == -ENOTSUP) {
        assert_non_null(strstr(error.text, "this CPU has no vectors of"));
        return;
    }
    assert_true(class == CALL_VECTOR_16 || thunk_jump(thunk) == thunk_code(thunk));
    for (int form = CODE; form <= CHECKED; form++) {
        call_fill(&declaration, &sizes, pointer, &frame);
        if (form == CHECKED) {
            thunk_check(thunk, &frame, &faults);
            assert_string_equal(faults.text, "");
            assert_true(class == CALL_VECTOR_16 || !faults.faults);
        } else {
            thunk_code(thunk)(&frame);
        }
        for (uint32_t i = 0; i < 4; i++) {
            float result;
            double number;
            memcpy(&result, frame.vector + 4 * i, sizeof result);
            memcpy(&number, frame.vector + 8 * i, sizeof number);
            assert_true((single ? (double)result : number) == by * (i + 1));
        }
    }
    thunk_free(thunk);
}

static void test_vectors(void **state)
{
    run_vector("__m512d (__m256d x, double by = 0.25, __m512d y)", (const void *)add_wide,
               CALL_VECTOR_64, 0.5);
    run_vector("__m256 (__m256 x, size_t n, __m256 y)", (const void *)add_8,
               CALL_VECTOR_32, 4);
    run_vector("__m128 (__m128 x, void *gap = NULL, __m128 y)", (const void *)add_4,
               CALL_VECTOR_16, 2);
}

/* ---- functions that break the rules ---- */

NAKED breaks_rbx(void)
{
    __asm__("xor %ebx, %ebx\n\tret");
}
NAKED breaks_rbp(void)
{
    __asm__("mov $1, %ebp\n\tret");
}
NAKED breaks_three(void)
{
    __asm__("inc %r12\n\tnot %r15\n\txor $1, %r13\n\tret");
}
NAKED breaks_r14(void)
{
    __asm__("bswap %r14\n\tret");
}
NAKED breaks_stack(void)
{
    __asm__("ret $16");
}
NAKED breaks_direction(void)
{
    __asm__("std\n\tret");
}
NAKED breaks_mmx(void)
{
    __asm__("pxor %mm0, %mm0\n\tret");
}
NAKED breaks_mxcsr(void)
{
    __asm__("stmxcsr -4(%rsp)\n\torl $0x8000, -4(%rsp)\n\tldmxcsr -4(%rsp)\n\tret");
}
NAKED breaks_control(void)
{
    __asm__("fnstcw -4(%rsp)\n\txorl $0x300, -4(%rsp)\n\tfldcw -4(%rsp)\n\tret");
}
NAKED breaks_upper(void)
{
    __asm__("vpcmpeqd %xmm1, %xmm1, %xmm1\n\tvinsertf128 $1, %xmm1, %ymm1, %ymm9\n\tret");
}
/* What may be changed: the other registers, flags and the state bits of mxcsr. */
NAKED breaks_nothing(void)
{
    __asm__(
        "xor %eax, %eax\n\tmov %rax, %rcx\n\tmov %rax, %rdx\n\tmov %rax, %rsi\n\t"
        "mov %rax, %rdi\n\tmov %rax, %r8\n\tmov %rax, %r9\n\tmov %rax, %r10\n\t"
        "mov %rax, %r11\n\tcmp $1, %eax\n\txorps %xmm0, %xmm0\n\tmovaps %xmm0, %xmm15\n\t"
        "divss %xmm0, %xmm0\n\tret");
}

static const struct {
    void (*function)(void);
    unsigned faults;
    const char *text;
} rules[] = {
    {breaks_nothing, 0, ""},
    {breaks_rbx, CALL_REGISTERS, "rbx is not restored"},
    {breaks_rbp, CALL_REGISTERS, "rbp is not restored"},
    {breaks_three, CALL_REGISTERS, "r12, r13 and r15 are not restored"},
    {breaks_r14, CALL_REGISTERS, "r14 is not restored"},
    {breaks_stack, CALL_STACK, "the stack pointer is +16 bytes off"},
    {breaks_direction, CALL_DIRECTION, "the direction flag is set"},
    {breaks_mmx, CALL_X87, "x87 registers are in use (emms is missing)"},
    {breaks_control, CALL_X87, "the x87 control word is changed"},
    {breaks_mxcsr, CALL_MXCSR, "mxcsr is changed"},
};

static void test_rules(void **state)
{
    const struct call_signature signature = {.n = 9};
    const unsigned mxcsr = _mm_getcsr() & ~0x3fu;
    const int rounding = fegetround();
    for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
        struct thunk *thunk = make(&signature, (const void *)rules[i].function);
        struct call_frame frame = {.result = 0};
        struct call_faults faults;
        thunk_check(thunk, &frame, &faults);
        assert_string_equal(faults.text, rules[i].text);
        assert_int_equal(faults.faults, rules[i].faults);
        thunk_free(thunk);
        assert_int_equal(_mm_getcsr() & ~0x3fu, mxcsr);
        assert_int_equal(fegetround(), rounding);
    }
}

static void test_upper(void **state)
{
    const struct call_signature signature = {.n = 0};
    struct call_frame frame = {.result = 0};
    struct call_faults faults;
    if (!__builtin_cpu_supports("avx"))
        skip();
    struct thunk *thunk = make(&signature, (const void *)breaks_upper);
    thunk_check(thunk, &frame, &faults);
    assert_int_equal(faults.faults, CALL_UPPER);
    assert_string_equal(faults.text, "");
    thunk_free(thunk);
}

/* No page can be written and run. */
static void test_pages(void **state)
{
    const struct call_signature signature = {.n = 1};
    struct thunk *thunk = make(&signature, (const void *)call_nothing);
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    bool found = false;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long lo, hi;
        char flags[5];
        assert_int_equal(sscanf(line, "%lx-%lx %4s", &lo, &hi, flags), 3);
        const uintptr_t code = (uintptr_t)thunk_code(thunk);
        if (code >= lo && code < hi) {
            found = true;
            assert_string_equal(flags, "r-xp");
        }
    }
    fclose(maps);
    assert_true(found);
    thunk_free(thunk);
}

int main(void)
{
    return RUN_TESTS(TEST(test_mixed), TEST(test_any_number), TEST(test_again),
                     TEST(test_jump), TEST(test_addresses), TEST(test_half),
                     TEST(test_vectors), TEST(test_rules), TEST(test_upper),
                     TEST(test_pages));
}
