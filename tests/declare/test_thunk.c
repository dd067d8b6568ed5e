/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by machine code against those of C. */
#include <immintrin.h>
#include <xmmintrin.h>

#include "made_thunk.h"

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
    assert_int_equal(frame.result, ctype_of_double(CTYPE_F64, -0.25));
    thunk_free(thunk);
}

TEST(test_mixed)
{
    run_mixed(CODE);
    run_mixed(JUMP);
    run_mixed(CHECKED);
}

/* Integers alone: eighteen of them are on the stack. */
static uint64_t take_integers(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                              uint64_t f, uint64_t g, uint64_t h, uint64_t i, uint64_t j,
                              uint64_t k, uint64_t l, uint64_t m, uint64_t n, uint64_t o,
                              uint64_t p, uint64_t q, uint64_t r, uint64_t s, uint64_t t,
                              uint64_t u, uint64_t v, uint64_t w, uint64_t x)
{
    const uint64_t all[] = {a, b, c, d, e, f, g, h, i, j, k, l,
                            m, n, o, p, q, r, s, t, u, v, w, x};
    uint64_t sum = 0;
    for (size_t at = 0; at < ARRAY_LEN(all); at++)
        sum = sum * 31 + all[at];
    return is_aligned() ? sum : 0;
}

TEST(test_any_number)
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
        /* The number of floats, which is passed too, is no result. */
        signature.argument[0] = CALL_VECTOR;
        struct thunk *thunk = make(&signature, (const void *)call_nothing);
        thunk_code(thunk)(&frame);
        assert_int_equal(frame.result, 0);
        thunk_check(thunk, &frame, &faults);
        assert_string_equal(faults.text, "");
        assert_int_equal(faults.faults, 0);
        thunk_free(thunk);
    }
}

/* A structure that the call changes is as it was made before the next one. */
struct cursor {
    const uint8_t *next;
    uint32_t left;
};

static uint32_t take_cursor(struct cursor *cursor, int by)
{
    while (cursor->left)
        cursor->left--, cursor->next++;
    return (uint32_t)cursor->next[0] + (uint32_t)by;
}

TEST(test_renewed)
{
    static const uint8_t bytes[] = {1, 2, 3, 40};
    struct cursor cursor[2] = {{NULL, 7}, {bytes, 3}};
    void *const pointer[DECLARED_MAX] = {cursor};
    struct declaration declaration;
    struct declared_sizes sizes;
    struct call_frame frame;
    struct call_faults faults;
    struct thunk *const thunk =
        make_declared("struct cursor { const uint8_t *next; uint32_t left; }; uint32_t f("
                      "struct cursor *c = {x, 3}, int by = 2) for const uint8_t x[4]",
                      (const void *)take_cursor, &declaration);
    assert_int_equal(declaration.argument[0].renewed, sizeof *cursor);
    assert_int_equal(declaration_measure(&declaration, NULL, &sizes, NULL), 0);
    call_fill(&declaration, &sizes, pointer, &frame);
    for (int i = 0; i < 3; i++) {
        thunk_code(thunk)(&frame);
        assert_int_equal(frame.result, 42);
        assert_int_equal(cursor[0].left, 0);
        assert_ptr_equal(cursor[0].next, bytes + 3);
        thunk_jump(thunk)(&frame);
        assert_ptr_equal(cursor[0].next, bytes + 3);
        thunk_check(thunk, &frame, &faults);
        assert_int_equal(frame.result, 42);
        assert_int_equal(faults.faults, 0);
    }
    thunk_free(thunk);
}

/* So is one that another structure leads to. */
struct reader {
    struct cursor *cursor;
};

static uint32_t take_reader(struct reader *reader, int by)
{
    return take_cursor(reader->cursor, by);
}

TEST(test_renewed_behind)
{
    static const uint8_t bytes[] = {1, 2, 3, 40};
    struct cursor cursor[2] = {{NULL, 7}, {bytes, 3}};
    struct reader reader[2] = {{NULL}, {cursor}};
    void *const pointer[DECLARED_MAX] = {reader, NULL, cursor};
    struct declaration declaration;
    struct declared_sizes sizes;
    struct call_frame frame;
    struct thunk *const thunk = make_declared(
        "struct cursor { const uint8_t *next; uint32_t left; }; struct reader { struct "
        "cursor *cursor; }; uint32_t f(struct reader *r = {c}, int by = 2) for struct "
        "cursor *c = {x, 3}, const uint8_t x[4]",
        (const void *)take_reader, &declaration);
    assert_int_equal(declaration_measure(&declaration, NULL, &sizes, NULL), 0);
    call_fill(&declaration, &sizes, pointer, &frame);
    for (int i = 0; i < 3; i++) {
        cursor[0].left = 9;
        thunk_code(thunk)(&frame);
        assert_int_equal(frame.result, 42);
        assert_ptr_equal(cursor[0].next, bytes + 3);
    }
    thunk_free(thunk);
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

TEST(test_again)
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
        assert_int_equal((uint32_t)frame.result,
                         ctype_of_double(CTYPE_F32, (double)right));
    }
    assert_true(values[7] == 8.0f / 1024);
    thunk_free(thunk);
}

/* A function whose arguments fit into registers returns to the caller of the jump, and
 * nothing is stored. */
TEST(test_jump)
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
    assert_int_equal((uint32_t)frame.result, ctype_of_double(CTYPE_F32, 36.0 / 16));
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

TEST(test_addresses)
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
        assert_int_equal((int32_t)frame.result, -15);
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

TEST(test_half)
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
    assert_int_equal((uint16_t)frame.result, ctype_of_double(CTYPE_F16, -3));
    thunk_free(thunk);
}

/* ---- vectors ---- */

/* In assembly, as compilers pass wide vectors by the flags of the whole file. */
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

TEST(test_vectors)
{
    run_vector("__m512d (__m256d x, double by = 0.25, __m512d y)", (const void *)add_wide,
               CALL_VECTOR_64, 0.5);
    run_vector("__m256 (__m256 x, size_t n, __m256 y)", (const void *)add_8,
               CALL_VECTOR_32, 4);
    run_vector("__m128 (__m128 x, void *gap = NULL, __m128 y)", (const void *)add_4,
               CALL_VECTOR_16, 2);
}
