/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes: what they mean. */
#include "parsed.h"

/* ---- the example of the documentation, in full ---- */

TEST(test_mix)
{
    const struct declaration *d = parsed(
        "void mix(inout float dst[n], const float src[n], float gain = 0.5, size_t n);");
    struct declared_sizes sizes;
    assert_string_equal(d->name, "mix");
    assert_int_equal(d->returned, CTYPE_VOID);
    assert_int_equal(d->n, 4);
    assert_int_equal(d->argument[0].kind, ARGUMENT_ARRAY);
    assert_int_equal(d->argument[0].role, ARGUMENT_INOUT);
    assert_int_equal(d->argument[0].type, CTYPE_F32);
    assert_int_equal(d->argument[0].length, DECLARED_WHOLE);
    assert_int_equal(d->argument[1].role, ARGUMENT_IN);
    assert_int_equal(d->argument[2].kind, ARGUMENT_NUMBER);
    assert_true(d->argument[2].number == 0.5);
    assert_int_equal(d->argument[3].kind, ARGUMENT_DIMENSION);
    assert_int_equal(d->argument[3].type, CTYPE_U64);
    assert_int_equal(d->n_dimensions, 1);
    assert_string_equal(d->dimension[0].name, "n");
    assert_int_equal(d->dimension[0].argument, 3);
    assert_int_equal(declaration_measure(d, (int64_t[]){100}, &sizes, NULL), 0);
    assert_int_equal(sizes.count[0], 100);
    assert_int_equal(sizes.bytes[1], 400);
    assert_int_equal(sizes.integer[3], 100);
    assert_int_equal(sizes.in_bytes, 800);
    assert_int_equal(sizes.out_bytes, 400);
}

/* ---- types ---- */

TEST(test_types)
{
    static const struct {
        const char *word;
        enum ctype type;
    } words[] = {
        {"char", CTYPE_I8},
        {"signed char", CTYPE_I8},
        {"unsigned char", CTYPE_U8},
        {"char unsigned", CTYPE_U8},
        {"short", CTYPE_I16},
        {"unsigned short int", CTYPE_U16},
        {"int", CTYPE_I32},
        {"unsigned", CTYPE_U32},
        {"signed", CTYPE_I32},
        {"long", CTYPE_I64},
        {"long unsigned int", CTYPE_U64},
        {"unsigned long long", CTYPE_U64},
        {"long long int", CTYPE_I64},
        {"size_t", CTYPE_U64},
        {"uLong", CTYPE_U64},
        {"Bytef", CTYPE_U8},
        {"gboolean", CTYPE_I32},
        {"uint_fast32_t", CTYPE_U64},
        {"ptrdiff_t", CTYPE_I64},
        {"int8_t", CTYPE_I8},
        {"uint16_t", CTYPE_U16},
        {"int64_t", CTYPE_I64},
        {"float", CTYPE_F32},
        {"double", CTYPE_F64},
        {"_Float16", CTYPE_F16},
        {"bf16", CTYPE_BF16},
        {"u8", CTYPE_U8},
        {"i32", CTYPE_I32},
        {"f64", CTYPE_F64},
        {"void", CTYPE_BYTES},
        {"bytes", CTYPE_BYTES},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        static const char *const forms[][2] = {
            {"void (const ", " x[4])"},
            {"int (", " const x[4])"},
            {"void f(const volatile ", " x[restrict const static 4])"},
            {"void (in ", " [4])"}};
        for (size_t k = 0; k < ARRAY_LEN(forms); k++) {
            char text[128];
            snprintf(text, sizeof text, "%s%s%s", forms[k][0], words[i].word,
                     forms[k][1]);
            const struct declaration *d = parsed(text);
            assert_int_equal(d->argument[0].type, words[i].type);
            assert_int_equal(d->argument[0].role, ARGUMENT_IN);
            assert_string_equal(d->argument[0].name, k == 3 ? "arg1" : "x");
        }
    }
}

TEST(test_returned)
{
    static const struct {
        const char *text;
        enum ctype type;
    } all[] = {{"void ()", CTYPE_VOID},
               {"void f(void)", CTYPE_VOID},
               {"uint32_t crc32()", CTYPE_U32},
               {"extern const char *strchr()", CTYPE_POINTER},
               {"void *memcpy()", CTYPE_POINTER},
               {"struct x *get()", CTYPE_POINTER},
               {"bool is() noexcept", CTYPE_BOOL},
               {"int Handler::interrupt()", CTYPE_I32},
               {"static inline double dot();", CTYPE_F64}};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        assert_int_equal(parsed(all[i].text)->returned, all[i].type);
        assert_int_equal(parsed(all[i].text)->n, 0);
    }
}

/* The object of a method may be made, filled, found, or none. */
TEST(test_objects_of_methods)
{
    static const struct {
        const char *object;
        enum argument_kind kind;
    } all[] = {
        {"void *self = from calloc(1, 16) then Filter::Filter(self, 0.5f) free free",
         ARGUMENT_OPAQUE},
        {"inout bytes self[16] then Filter::Filter(self, 0.5f)", ARGUMENT_ARRAY},
        {"Filter *self = &global_filter", ARGUMENT_SYMBOL},
        {"Filter *self = NULL", ARGUMENT_NULL}};
    for (size_t i = 0; i < 2 * ARRAY_LEN(all); i++) {
        char text[200];
        snprintf(text, sizeof text, "void Filter::run(%s, float y[n], int n) %s",
                 all[i / 2].object, i % 2 ? "override" : "const");
        const struct declaration *d = parsed(text);
        assert_int_equal(d->argument[0].kind, all[i / 2].kind);
        assert_int_equal(d->n, 3);
    }
}

/* Names may be words that mean something at other places. */
TEST(test_words_as_names)
{
    const struct declaration *d = parsed(
        "void (const float in[bytes], float out[from], size_t bytes, int from, int "
        "length, u8 free[length], int u8 = 2)");
    assert_string_equal(d->argument[0].name, "in");
    assert_string_equal(d->argument[1].name, "out");
    assert_int_equal(d->argument[1].role, ARGUMENT_OUT);
    assert_string_equal(d->dimension[0].name, "bytes");
    assert_string_equal(d->argument[6].name, "u8");
}

/* ---- expressions ---- */

TEST(test_extents)
{
    static const struct {
        const char *text;
        int64_t value;
    } all[] = {
        {"h * w", 35},
        {"h * stride + twice", 54},
        {"2 * w + 3", 13},
        {"w - h - 1", -3},
        {"-(w)", -5},
        {"(w + 2) * (h - 1)", 42},
        {"100 / h / 2", 7},
        {"100 / (h / 2)", 33},
        {"-100 / 7", -14},
        {"100 % h", 2},
        {"h * sizeof(float) + sizeof(uint16_t)", 30},
        {"0x10 + 010 + 3ul + 'A'", 92},
        {"((((w))))", 5},
        {"(w + 31) & ~31 | 1 << 3", 40},
        {"~0u", UINT32_MAX},
        {"~0lu", -1},
        {"~1U & 0xfff", 0xffe},
        {"1 | 6 ^ 2", 5},
        {"-w >> 1", -3},
        {"h << 2 + 1", 56},
        {"w /* columns */ * 2 // twice", 10},
    };
    const struct declaration *d = parsed(
        "void (u8 x[h][w], int twice = 2 * stride, size_t h, int w, int stride = w + "
        "1, u8 y[h * twice]) for unused");
    const int64_t dimension[] = {7, 5, 1};
    assert_int_equal(d->n_dimensions, 3);
    assert_int_equal(value_at(&d->argument[0].count, dimension), 35);
    assert_int_equal(value_at(&d->argument[1].integer, dimension), 12);
    assert_int_equal(d->argument[4].kind, ARGUMENT_INTEGER);
    assert_int_equal(value_at(&d->argument[5].count, dimension), 84);
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct extent extent;
        struct error error = {.text = ""};
        if (declaration_expression(d, all[i].text, &extent, &error) < 0)
            fail_msg("%s", error.text);
        assert_int_equal(value_at(&extent, dimension), all[i].value);
    }
}

static int measured(const char *text, int64_t n, int64_t m, struct error *error)
{
    struct declared_sizes sizes;
    return declaration_measure(parsed(text), (int64_t[]){n, m}, &sizes, error);
}

TEST(test_limits)
{
    struct error error;
    assert_int_equal(
        measured("void (u8 x[n * n], size_t n)", INT64_C(1) << 32, 0, &error),
        -EOVERFLOW);
    assert_string_equal(error.text, "an extent is beyond what 64 bits hold");
    assert_int_equal(measured("void (f64 x[n], size_t n)", INT64_C(1) << 41, 0, &error),
                     0);
    assert_int_equal(
        measured("void (f64 x[n], size_t n)", (INT64_C(1) << 41) + 1, 0, &error),
        -EOVERFLOW);
    assert_string_equal(error.text,
                        "x would have 2199023255553 elements, more than memory holds");
    assert_int_equal(measured("void (f64 x[n - 3], size_t n)", 3, 0, &error), 0);
    assert_int_equal(measured("void (f64 x[n - 3], size_t n)", 2, 0, &error), -EINVAL);
    assert_string_equal(error.text, "x would have -1 elements");
    assert_int_equal(measured("void (u8 x[n / m], int n, int m)", 2, 0, &error), -EDOM);
    assert_int_equal(measured("void (u8 x[n % m], int n, int m)", 2, 0, &error), -EDOM);
    assert_int_equal(measured("void (u8 x[n >> m], int n, int m)", 2, 63, &error), -EDOM);
    assert_int_equal(measured("void (u8 x[n << m], int n, int m)", 2, -1, &error), -EDOM);
    assert_int_equal(measured("void (u8 x[n << m], int n, int m)", 2, 62, &error),
                     -EOVERFLOW);
    assert_int_equal(
        measured("void (u8 x[n / (m)], size_t n, long m)", INT64_MAX, -1, &error),
        -EINVAL);
    assert_int_equal(
        measured("void (u8 x[(-n - 1) / m], long n, long m)", INT64_MAX, -1, &error),
        -EOVERFLOW);
    assert_int_equal(measured("void (int n)", INT32_MAX, 0, &error), 0);
    assert_int_equal(measured("void (int n)", INT64_C(1) << 31, 0, &error), -EINVAL);
    assert_string_equal(error.text,
                        "n would be 2147483648, and a i32 holds -2147483648 to "
                        "2147483647");
    assert_int_equal(measured("void (size_t n)", -1, 0, &error), -EINVAL);
    assert_int_equal(measured("void (u8 n)", 256, 0, &error), -EINVAL);
    assert_int_equal(measured("void (unsigned k = n - 1, size_t n)", 0, 0, &error),
                     -EINVAL);
}

/* ---- pointers with a value ---- */

TEST(test_pointers)
{
    const struct declaration *d = parsed(
        "int (struct ctx *c = from ctx_new(3, -0.5, 1.5f, \"a\\n\", NULL, 2 * n) free "
        "ctx_free, const char *s = \"x\\x00y\\\"\", void *p = NULL, void **q = nullptr, "
        "void "
        "*f = &compare, char t = 'T', bool b = true, float i = -INFINITY, enum e e = "
        "101, "
        "unsigned &n, plan_t plan = from plan_new(n))");
    const struct made_argument *made = d->argument[0].made;
    const int64_t dimension[] = {21};
    assert_int_equal(d->argument[0].kind, ARGUMENT_OPAQUE);
    assert_string_equal(d->argument[0].step[0].name, "ctx_new");
    assert_string_equal(d->argument[0].freed_by, "ctx_free");
    assert_int_equal(d->argument[0].n_made, 6);
    assert_int_equal(value_at(&made[0].integer, dimension), 3);
    assert_int_equal(made[1].type, CTYPE_F64);
    assert_true(made[1].number == -0.5);
    assert_int_equal(made[2].type, CTYPE_F32);
    assert_string_equal(made[3].text, "a\n");
    assert_int_equal(made[4].kind, ARGUMENT_NULL);
    assert_int_equal(value_at(&made[5].integer, dimension), 42);
    assert_int_equal(d->argument[1].kind, ARGUMENT_TEXT);
    assert_int_equal(d->argument[1].text_bytes, 4);
    assert_memory_equal(d->argument[1].text, "x\0y\"", 5);
    assert_int_equal(d->argument[2].kind, ARGUMENT_NULL);
    assert_int_equal(d->argument[3].kind, ARGUMENT_NULL);
    assert_int_equal(d->argument[4].kind, ARGUMENT_SYMBOL);
    assert_string_equal(d->argument[4].text, "compare");
    assert_int_equal(value_at(&d->argument[5].integer, NULL), 'T');
    assert_int_equal(d->argument[6].type, CTYPE_BOOL);
    assert_int_equal(value_at(&d->argument[6].integer, NULL), 1);
    assert_true(isinf(d->argument[7].number) && d->argument[7].number < 0);
    assert_int_equal(d->argument[8].type, CTYPE_I32);
    assert_int_equal(d->argument[9].kind, ARGUMENT_DIMENSION);
    assert_true(d->argument[9].by_address);
    assert_int_equal(d->argument[10].kind, ARGUMENT_OPAQUE);
    assert_string_equal(d->argument[10].step[0].name, "plan_new");
}

/* The layout is that of C on x86-64. */
TEST(test_structures)
{
    const struct declaration *d = parsed(
        "typedef struct vec { float x, y, z; } vec;\n"
        "struct item { char tag; vec at[2]; double *a, **b; bool on; };\n"
        "typedef struct { struct item i; unsigned char id[2 + 1]; short s; } pack;\n"
        "void f(const vec v[n], struct item i[n], pack p[1], const vec &one = "
        "NULL, "
        "const bool b[n], bool c[n], const bool e[2] = {1, 0}, size_t n)");
    const int64_t n[] = {10};
    assert_int_equal(d->argument[0].type, CTYPE_F32);
    assert_int_equal(value_at(&d->argument[0].count, n), 30);
    assert_int_equal(d->argument[1].type, CTYPE_BYTES);
    assert_int_equal(value_at(&d->argument[1].count, n), 560);
    assert_int_equal(value_at(&d->argument[2].count, n), 64);
    assert_int_equal(d->argument[3].kind, ARGUMENT_NULL);
    assert_int_equal(d->argument[4].type, CTYPE_U8);
    assert_string_equal(d->argument[4].text, "indices:0..2");
    assert_string_equal(d->argument[5].text, "");
    assert_string_equal(d->argument[6].text, "values:1, 0");
    /* A name may stand for a pointer; each member of a list has it, and its own ones. */
    d = parsed(
        "typedef float *row; typedef row rows[2]; typedef const uint8_t byte;\n"
        "struct a {row a, b, *c;}; struct b {rows a; byte *b, c;};\n"
        "void f(struct a a[1], struct b b[1], const struct a c[1] then g(c), const "
        "struct b d[1] = {0})");
    assert_int_equal(value_at(&d->argument[0].count, n), 24);
    assert_int_equal(value_at(&d->argument[1].count, n), 32);
    /* An attribute moves the members of its own structure alone. */
    d = parsed(
        "struct a {char t; int v;}; struct __attribute__((packed)) b {char t; int v;};"
        "typedef API_PUBLIC int id; typedef struct {char t; bool on; void *p;} c; "
        "typedef const float row;"
        "int f(const struct a a[n], const c c[n], row r[n], alignas(64) u8 y[n], int n)");
    assert_int_equal(value_at(&d->argument[0].count, n), 80);
    assert_false(d->argument[0].has_bool || d->argument[0].has_pointer);
    assert_int_equal(value_at(&d->argument[1].count, n), 160);
    assert_true(d->argument[1].has_bool && d->argument[1].has_pointer);
    assert_string_equal(d->returned_as, "int");
}

TEST(test_typedefs)
{
    const struct declaration *d = parsed(
        "typedef unsigned long uLong; typedef unsigned char Byte;\ntypedef float real;\n"
        "uLong adler32(uLong adler = 1, const Byte buf[len], real r = 2, uLong len)");
    assert_int_equal(d->returned, CTYPE_U64);
    assert_int_equal(d->argument[0].type, CTYPE_U64);
    assert_int_equal(d->argument[1].type, CTYPE_U8);
    assert_int_equal(d->argument[2].type, CTYPE_F32);
    assert_int_equal(d->argument[3].kind, ARGUMENT_DIMENSION);
    d = parsed(
        "struct o { int a; enum { B } b; }; enum e { C };\n"
        "typedef unsigned char uuid_t[16];\n"
        "typedef struct state { int a; struct { int b[3]; } c; } *state;\n"
        "typedef enum { ONE, TWO = 2 } number; typedef const state constant;\n"
        "typedef int (*compare)(const void *, const void *); typedef uuid_t two[2];\n"
        "void f(const uuid_t a, uuid_t b[n], state s = from make() free unmake, number "
        "k, "
        "compare c = &by_bytes, constant t = NULL, const two d, size_t n)");
    assert_int_equal(d->argument[0].role, ARGUMENT_IN);
    assert_int_equal(value_at(&d->argument[0].count, NULL), 16);
    assert_int_equal(d->argument[1].role, ARGUMENT_OUT);
    assert_int_equal(value_at(&d->argument[1].count, (int64_t[]){0, 3}), 48);
    assert_int_equal(d->argument[2].kind, ARGUMENT_OPAQUE);
    assert_string_equal(d->argument[2].freed_by, "unmake");
    assert_int_equal(d->argument[3].type, CTYPE_I32);
    assert_int_equal(d->argument[4].kind, ARGUMENT_SYMBOL);
    assert_int_equal(d->argument[5].kind, ARGUMENT_NULL);
    assert_int_equal(value_at(&d->argument[6].count, NULL), 32);
    d = parsed("my_ssize_t f(const utf8_uint8_t x[n], my_uint16_t n)");
    assert_int_equal(d->returned, CTYPE_I64);
    assert_int_equal(d->argument[0].type, CTYPE_U8);
    assert_int_equal(d->argument[1].type, CTYPE_U16);
    /* Names that are known are no prefix of another one. */
    d = parsed("mp_size_t f(const u_int8_t x[n], const u_int32_t y[n], size_t n)");
    assert_int_equal(d->returned, CTYPE_I64);
    assert_int_equal(d->argument[0].type, CTYPE_U8);
    assert_int_equal(d->argument[1].type, CTYPE_U32);
}

TEST(test_functions)
{
    const struct declaration *d = parsed(
        "void qsort(inout bytes base[n * size], size_t n, size_t size = sizeof(int), int "
        "(*compare)(const void *, const void *) = &compare_ints, void (*none)(void) = "
        "NULL)");
    assert_string_equal(d->argument[3].name, "compare");
    assert_int_equal(d->argument[3].kind, ARGUMENT_SYMBOL);
    assert_string_equal(d->argument[3].text, "compare_ints");
    assert_int_equal(d->argument[4].kind, ARGUMENT_NULL);
    assert_int_equal(value_at(&d->argument[0].count, (int64_t[]){5}), 20);
}

TEST(test_freed)
{
    const struct declaration *d = parsed(
        "char *f(char **a free g(&), const u8 **b = 0, char **c = NULL, void *d = from "
        "m(&d) free e(&d)) free h(&) for n, u8 x[n]");
    assert_string_equal(d->freed_by, "h");
    assert_string_equal(d->argument[0].freed_by, "g");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(d->argument[i].kind, ARGUMENT_NULL);
        assert_int_equal(d->argument[i].by_address, i < 2);
    }
    assert_string_equal(d->argument[3].freed_by, "e");
    assert_true(d->argument[0].freed_by_address);
    assert_true(d->argument[3].freed_by_address);
    assert_true(d->freed_by_address);
}

TEST(test_lengths)
{
    const struct declaration *d =
        parsed("long (u8 dst[2 * n] length *written, u8 more[9] length return, size_t "
               "*written = 2 * n, size_t n)");
    assert_int_equal(d->argument[0].length, 2);
    assert_int_equal(d->argument[1].length, DECLARED_RETURN);
    assert_int_equal(d->argument[2].kind, ARGUMENT_LENGTH);
    assert_true(d->argument[2].by_address);
    assert_int_equal(value_at(&d->argument[2].integer, (int64_t[]){8}), 16);
    d = parsed("void (u8 dst[9] length written, size_t *written)");
    assert_int_equal(d->argument[1].integer.n, 0);
    assert_int_equal(value_at(&d->argument[1].integer, NULL), 0);
}

TEST(test_tolerances)
{
    static const struct {
        const char *text;
        enum tolerance_kind kind;
        double value;
    } all[] = {{"exact", TOLERANCE_EXACT, 0},
               {"4ulp", TOLERANCE_ULP, 4},
               {"0.5ulp", TOLERANCE_ULP, 0.5},
               {"abs:1e-6", TOLERANCE_ABS, 1e-6},
               {"rel:.25", TOLERANCE_REL, 0.25}};
    static const char *const bad[] = {"",      "4",      "ulp",     "-1ulp",
                                      "abs:",  "abs:-1", "rel:nan", "abs:1e999",
                                      "4ulps", "exact ", "rel:1ulp"};
    struct tolerance tolerance;
    struct error error;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        assert_int_equal(tolerance_parse(all[i].text, &tolerance, &error), 0);
        assert_int_equal(tolerance.kind, all[i].kind);
        assert_true(tolerance.value == all[i].value);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_int_equal(tolerance_parse(bad[i], &tolerance, &error), -EINVAL);
        assert_non_null(strstr(error.text, "is none of exact, 4ulp"));
    }
}

/* Names with their namespaces: of types, and of makers. */
TEST(test_scopes)
{
    const struct declaration *const d =
        parsed("void (ns::Filter &f = from ns::make(3) free ns::drop)");
    assert_int_equal(d->argument[0].kind, ARGUMENT_OPAQUE);
    assert_string_equal(d->argument[0].step[0].name, "ns::make");
    assert_string_equal(d->argument[0].freed_by, "ns::drop");
}
