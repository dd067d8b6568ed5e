/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes as headers have them: macros and attributes say nothing about a call. */
#include "parsed.h"

TEST(test_macros)
{
    static const char *const all[] = {
        "ZEXTERN int ZEXPORT f OF((const Bytef x[n], uInt n));",
        "extern int f OF((const u8 x[n], int n))",
        "int inflate_f OF((const u8 x[n], int n))",
        "LZO_EXTERN(int) f(const u8 x[n], int n)",
        "extern LZMA_API(uint64_t) f(const u8 x[n], size_t n) lzma_nothrow "
        "lzma_attr_pure;",
        "std::uint32_t ns::f(const std::uint8_t x[n], std::size_t n)",
        "ns::T *f(const u8 x[n], std::ptrdiff_t n)",
        "float f<float, std::pair<int, 3>>(const u8 x[n], size_t n)",
        "XXH_PUBLIC_API XXH_PUREFN int f(XXH_NOESCAPE const void x[n], size_t n);",
        "size_t CAPSTONE_API cs_f(const u8 x[n], int n)",
        "OPUS_EXPORT OPUS_WARN_UNUSED_RESULT int f(const u8 x[n], int n) "
        "OPUS_ARG_NONNULL(1) OPUS_ARG_NONNULL(2);",
        "extern int f (const u8 x[n], size_t n) __attribute__ ((__nothrow__ , __leaf__)) "
        "__attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));",
        "extern size_t f (const char x[n], int n) __THROW __nonnull ((1));",
        "[[nodiscard]] bool simdjson::f(const char x[n], size_t n) noexcept;",
        "extern \"C\" double std::ns::f(const u8 MY_RESTRICT x[n], size_t n) throw();",
        "__declspec(dllexport) void *f(void *MY_RESTRICT _Nonnull x[1][n], int n)",
        "static __inline__ float f(IN const float x[n], IN unsigned n) __asm__(\"g\")",
        "mi_decl_nodiscard mi_decl_restrict void* f(const u8 x[n], int n) mi_attr_malloc "
        "mi_attr_alloc_size(2) for k",
        "void f(OPENBLAS_CONST u8 x[n], OPENBLAS_CONST int n)",
        "int f(__attribute__((aligned(64))) const u8 x[n], int n)",
        "int f(alignas(32) const u8 x[n], _Alignas(4) int n)",
        "int mode_f(const u8 x[n], int n) for mode, interrupt, pascal",
        "hs_error_t HS_CDECL hs_f(const char x[n], unsigned int n);",
        "YAJL_API yajl_status yajl_f(const unsigned char x[n], size_t n);",
        "APU_DECLARE(apr_status_t) apr_f(const void x[n], apr_size_t n);",
        "extern LZMA_API(lzma_ret) lzma_f(const uint8_t x[n], size_t n) lzma_nothrow;",
        "BZ_EXTERN int BZ_API(BZ2_f) ( const char x[n], unsigned int n );",
        "LUA_API int (lua_f) (const u8 x[n], int n);",
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        const struct declaration *d = parsed(all[i]);
        assert_int_equal(d->n, 2);
        assert_string_equal(d->argument[0].name, "x");
        assert_string_equal(d->argument[1].name, "n");
        assert_int_equal(value_at(&d->argument[0].count, (int64_t[]){5, 5}), 5);
        assert_int_equal(d->name[strlen(d->name) - 1], 'f');
        assert_true(d->argument[0].role != ARGUMENT_OUT || strstr(all[i], "void *MY"));
    }
}

/* Words of headers that tell the bits of a number, or hide a '*'. */
TEST(test_words)
{
    static const struct {
        const char *word;
        enum ctype type;
        enum argument_role role;
    } all[] = {
        {"UINT8", CTYPE_U8, ARGUMENT_OUT},
        {"int64", CTYPE_I64, ARGUMENT_OUT},
        {"const OPJ_INT32", CTYPE_I32, ARGUMENT_IN},
        {"l_uint32", CTYPE_U32, ARGUMENT_OUT},
        {"const npy_float64", CTYPE_F64, ARGUMENT_IN},
        {"FT_UInt16", CTYPE_U16, ARGUMENT_OUT},
        {"OPJ_SIZE_T", CTYPE_U64, ARGUMENT_OUT},
        {"const FLAC__int16", CTYPE_I16, ARGUMENT_IN},
        {"png_bytep", CTYPE_U8, ARGUMENT_OUT},
        {"png_const_bytep", CTYPE_U8, ARGUMENT_IN},
        {"mp_srcptr", CTYPE_U64, ARGUMENT_IN},
        {"gconstpointer", CTYPE_BYTES, ARGUMENT_IN},
    };
    char text[96];
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        snprintf(text, sizeof text, "int f(%s x[n], int n)", all[i].word);
        const struct declared_argument *const x = parsed(text)->argument;
        assert_int_equal(x->type, all[i].type);
        assert_int_equal(x->role, all[i].role);
        assert_int_equal(x->planes.n, 0);
    }
    const struct declaration *d =
        parsed("int f(JSAMPARRAY x[k][n], png_uint_16p y[n], gpointer p = "
               "NULL, int k, int n)");
    assert_int_equal(value_at(&d->argument[0].planes, (int64_t[]){3, 5}), 3);
    assert_int_equal(d->argument[1].type, CTYPE_U16);
    assert_int_equal(value_at(&d->argument[1].count, (int64_t[]){3, 5}), 5);
    assert_int_equal(d->argument[2].kind, ARGUMENT_NULL);
}

/* Ends of ranges, and what lies inside of a larger array. */
TEST(test_places)
{
    const struct declaration *d =
        parsed("int f(const u16 x[n], const u16 *end = x + n, float *at = &image[4 * w], "
               "void *same = x, const float complex *last = z + n - 1, u8 *before = y - "
               "1, const float complex *first = z - 1, long *k = n, const float complex "
               "z[n], size_t n) for inout float image[9 * w], w, u8 y[n]");
    const int64_t dimension[] = {5, 7};
    const int64_t places[] = {5, 28, 0, 8, -1, -2};
    struct declared_sizes sizes;
    struct error error;
    for (int i = 1; i <= 6; i++)
        assert_int_equal(d->argument[i].kind, ARGUMENT_WITHIN);
    assert_int_equal(d->argument[7].kind, ARGUMENT_LENGTH);
    assert_int_equal(declaration_measure(d, dimension, &sizes, &error), 0);
    for (int i = 1; i <= 6; i++)
        assert_int_equal(sizes.integer[i], places[i - 1]);
    assert_true(declaration_passes(d, d->n_passed));
    char memory[256];
    void *pointer[DECLARED_MAX] = {memory};
    struct call_frame frame;
    pointer[d->argument[2].within] = memory + 8;
    call_fill(d, &sizes, pointer, &frame);
    assert_int_equal(frame.word[1], (uintptr_t)(memory + 10));
    assert_int_equal(frame.word[2], (uintptr_t)(memory + 8 + 112));
    assert_int_equal(frame.word[3], (uintptr_t)memory);
    d = parsed("int f(void *o = from make(x)) for const u8 x[n], n");
    assert_false(declaration_passes(d, d->n_passed));
    d = parsed("int f(const u16 *end = x + m) for const u16 x[n], n, m");
    assert_int_equal(declaration_measure(d, (int64_t[]){5, 6}, &sizes, &error), -EINVAL);
    assert_string_equal(error.text, "end would be element 6 of x, which has 5");
    assert_int_equal(declaration_measure(d, (int64_t[]){5, -1}, &sizes, &error), 0);
    assert_int_equal(declaration_measure(d, (int64_t[]){5, -2}, &sizes, &error), -EINVAL);
}

/* Constants of an enumeration are numbers from there on; sizeof knows structures. */
TEST(test_constants)
{
    const struct declaration *d = parsed(
        "#include <stdint.h>\n#define API extern\n#define ROOM (TWICE * 4) // bytes\n"
        "#define TWICE 2\n#define MOST ( TWICE * 4 )\n#define MIX(a) a\n#define EMPTY\n"
        "enum { COPY = 1 << 4, ADD, LAST = ADD + 2, BELOW = -3, NEVER = unknown, LOST "
        "};\n"
        "typedef enum kind { ONE, TWO } kind_t;\n"
        "typedef struct state { double sum; int n; char kept[TWO + 4]; } state_t;\n"
        "int f(kind_t k = TWO, int flags = COPY | ADD, int low = BELOW, const int "
        "list[3] = {LAST, BELOW, -ONE}, u8 x[sizeof(state_t) + sizeof(struct state)], "
        "size_t bytes = sizeof(state_t *), float gain = TWO, int LOST, u8 y[MOST + 1], "
        "const int sizes[3] = {sizeof(state_t), 1, 2 *sizeof(u16)})");
    static const int64_t values[] = {1, 17, -3};
    for (int i = 0; i < 3; i++)
        assert_int_equal(value_at(&d->argument[i].integer, NULL), values[i]);
    assert_string_equal(d->argument[3].text, "values:19, -3, -0");
    assert_int_equal(value_at(&d->argument[4].count, NULL), 48);
    assert_int_equal(value_at(&d->argument[5].integer, NULL), 8);
    assert_true(d->argument[6].number == 1);
    assert_string_equal(d->dimension[0].name, "LOST");
    assert_int_equal(value_at(&d->argument[8].count, NULL), 9);
    assert_string_equal(d->argument[9].text, "values:24, 1, 2 * 2");
}

/* A value with anything behind it is none, and a line ends where it ends. */
TEST(test_constants_that_are_none)
{
    const struct declaration *d = parsed(
        "enum { OLD DEPRECATED, OLDER }; enum { SAME = 2 == 2, NEXT };\n"
        "#define MINUS -\ntypedef int whole;\n#\ntypedef whole number;\n"
        "#define LIMIT 0x100000000\n#define LIMIT (1 << 32)\n"
        "#define ALL 0xffffffffffffffff\nenum { BIG = 0x7fffffffffffffff };\n"
        "void f(number OLD, int OLDER, int SAME, whole NEXT, u64 most = LIMIT, int ALL, "
        "int BIG)");
    assert_int_equal(d->n_dimensions, 6);
    assert_int_equal(value_at(&d->argument[4].integer, NULL), INT64_C(1) << 32);
}

/* Objects that set a library up are made before all others. A name with an underscore is
 * no macro where it stands alone, and numbers behind `for` are told to nobody. */
TEST(test_behind_for)
{
    const struct declaration *d = parsed(
        "int f(ctx **one_ctx free g, void *p = from make(more), u8 x[m]) for void "
        "*ready = from calloc(1, 1) then start(), void *more = from made(m), m = 2 * "
        "n + 1, n;");
    assert_string_equal(d->argument[0].name, "one_ctx");
    assert_int_equal(d->n_objects, 3);
    assert_int_equal(d->object[0], 3);
    assert_int_equal(d->object[1], 4);
    assert_int_equal(d->object[2], 1);
    assert_int_equal(d->argument[5].kind, ARGUMENT_INTEGER);
    assert_int_equal(value_at(&d->argument[2].count, (int64_t[]){4}), 9);
}

/* The functions that fill an array are told the seed. */
TEST(test_seed)
{
    const struct declaration *d =
        parsed("void (inout u8 x[n] then f(x, n, seed), int n)");
    assert_int_equal(d->argument[0].made[2].kind, ARGUMENT_DIMENSION);
    d = parsed("void (inout u8 x[n] then f(x, seed), int n, int seed = 3)");
    assert_int_equal(d->argument[0].made[1].kind, ARGUMENT_INTEGER);
}

TEST(test_pairs)
{
    static const char *const all[] = {
        "float _Complex", "float complex",       "_Complex float",
        "fftwf_complex",  "std::complex<float>", "complex float",
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        char text[128];
        snprintf(text, sizeof text, "void (const %s x[n], %s *const y[2][n], int n)",
                 all[i], all[i]);
        const struct declaration *d = parsed(text);
        assert_int_equal(d->argument[0].type, CTYPE_F32);
        assert_int_equal(value_at(&d->argument[0].count, (int64_t[]){5}), 10);
        assert_int_equal(value_at(&d->argument[1].planes, NULL), 2);
        assert_int_equal(value_at(&d->argument[1].count, (int64_t[]){5}), 10);
    }
    assert_int_equal(parsed("void (double complex x[n], int n)")->argument[0].type,
                     CTYPE_F64);
    assert_string_equal(parsed("void (float complex[4])")->argument[0].name, "complex");
}

TEST(test_values)
{
    const struct declaration *d = parsed("int f(const u8 **x[k][w], const int s[3] = {w, "
                                         "0, (k + 1) * 2}, const float c[2] "
                                         "= {-0.5, 1e3f,}, int k, int w)");
    assert_int_equal(value_at(&d->argument[0].planes, (int64_t[]){4, 7}), 4);
    assert_int_equal(value_at(&d->argument[0].count, (int64_t[]){4, 7}), 7);
    assert_string_equal(d->argument[1].text, "values:w, 0, (k + 1) * 2");
    assert_string_equal(d->argument[2].text, "values:-0.5, 1e3f,");
    assert_string_equal(d->argument[0].text, "");
}

#define S "typedef struct { char *text; int n; } s; "

TEST(test_objects)
{
    const struct declaration *d = parsed(
        "void (ctx *c = from calloc(1, 288) then init(c) then set_key(c, key, 128) free "
        "free, void *h = from open(3, &h), void *b = from b_new(late)) "
        "for const u8 key[16], void *late = from l_new(c)");
    const struct declared_argument *const c = d->argument, *const h = c + 1;
    assert_int_equal(c->n_steps, 3);
    assert_int_equal(c->n_made, 6);
    assert_string_equal(c->step[2].name, "set_key");
    assert_int_equal(c->step[2].first, 3);
    assert_int_equal(c->step[2].n, 3);
    assert_int_equal(c->made[3].kind, ARGUMENT_OPAQUE);
    assert_int_equal(c->made[4].kind, ARGUMENT_ARRAY);
    assert_int_equal(value_at(&c->made[5].integer, NULL), 128);
    assert_string_equal(c->freed_by, "free");
    assert_false(c->made[3].by_address);
    assert_true(h->made[1].by_address);
    assert_int_equal(d->n_objects, 4);
    assert_int_equal(d->object[0], 0);
    assert_int_equal(d->object[2], 4); /* before what is made from it */
    assert_int_equal(d->object[3], 2);
    d = parsed(
        "int (state_t const *s = from state_new(), void *f = from calloc(1, 64) then "
        "Filter::Filter(f) free Filter::~Filter)");
    assert_int_equal(d->n_objects, 2);
    assert_string_equal(d->argument[1].freed_by, "Filter::~Filter");
}

/* The address of a structure whose members have values: pointers to arrays, too. */
TEST(test_members)
{
    const struct declaration *d = parsed(
        "typedef struct { float re, im; } z; typedef struct view { const uint8_t *from; "
        "z at[2]; int w, h; size_t stride; int (*call)(int); double gain; } view; void "
        "f(const view *v = {x + 2 * w, 1, 2.5, w, 0, w, h, 4 * w, &puts, 3} free done, "
        "struct view *none = {}) for const z x[w * h], w, h");
    const struct declared_argument *const v = d->argument;
    static const uint32_t offsets[] = {0, 8, 12, 16, 20, 24, 28, 32, 40, 48};
    assert_int_equal(v->kind, ARGUMENT_OPAQUE);
    assert_int_equal(v->step[0].bytes, 56);
    assert_string_equal(v->step[0].name, "");
    assert_int_equal(v->n_made, ARRAY_LEN(offsets));
    for (size_t i = 0; i < ARRAY_LEN(offsets); i++)
        assert_int_equal(v->made[i].offset, offsets[i]);
    assert_int_equal(v->made[0].kind, ARGUMENT_ARRAY);
    assert_int_equal(value_at(&v->made[0].integer, (int64_t[]){3, 7}), 12);
    assert_int_equal(v->made[1].type, CTYPE_F32);
    assert_int_equal(v->made[5].type, CTYPE_I32);
    assert_int_equal(v->made[7].type, CTYPE_U64);
    assert_int_equal(v->made[8].kind, ARGUMENT_SYMBOL);
    assert_int_equal(v->made[9].type, CTYPE_F64);
    assert_string_equal(v->freed_by, "done");
    assert_int_equal(d->argument[1].step[0].n, 0);
    d = parsed("typedef struct { int n; } s; typedef struct { s *a; s b[2]; } pair; void "
               "f(const pair *o = {i, 1, 2}) for s *i = {n}, n");
    assert_int_equal(d->argument[0].made[0].kind, ARGUMENT_OPAQUE);
    assert_int_equal(d->argument[0].made[2].offset, 12);
    assert_int_equal(d->object[0], 1); /* before what has its address */
    d = parsed("struct Image { float *p; int n; }; void ns::f(const Image &in = {x, n}, "
               "Image y[2]) for const float x[n], n");
    assert_int_equal(d->argument[0].made[1].offset, 8);
    assert_int_equal(value_at(&d->argument[1].count, NULL), 32);
}

TEST(test_refused)
{
    static const char *const all[][2] = {
        {"__attribute__((ms_abi)) void f()", "ms_abi changes how a function is called"},
        {"void f() __attribute__((__regparm__(3)))", "changes how a function is called"},
        {"void f(float x[4] __attribute__((vector_size(16))))",
         "vector_size changes how a function is called; write the type of a vector in a "
         "register: __m128"},
        {"typedef float v4 __attribute__((__vector_size__(16))); void f(v4 x)",
         "called; write the type of a vector in a register"},
        {"void f(__attribute__((mode(DI))) int x)", "mode changes how"},
        {"void __vectorcall f()", "__vectorcall changes how"},
        {"unsigned __int128 f()", "__int128"},
        {"void f(unsigned __int128 x)", "__int128"},
        {"void WINAPI f()", "WINAPI changes how a function is called"},
        {"float usigned f(int n)", "expected '('"},
        {"usigned char f(int n)", "unknown type"},
        {"void (usigned char x[n], int n)", "word too many"},
        {"void (float x[n], int n) fro k", "nothing is expected behind the prototype"},
        {"int f OF((int n)", "expected ')' behind the arguments"},
        {"void (float complex x[n] length m, int *m, int n)",
         "write pairs and structures as their numbers or bytes"},
        {"fftw_complex f(int n)", "a complex number that is returned"},
        {"void (float &x[2] = {1})", "what is only written has no values"},
        {"void (const int x[2] = 3)", "values of an array stand in braces"},
        {"void (const int x[2] = {3)", "the list of values does not end"},
        {"void (const int x[2] = {3 4})", "expected ',' or '}' behind a value"},
        {"void (const int x[2] = {y})", "no argument is called y"},
        {"void (void *a = from f(b), void *b = from g(a))", "a is made from itself"},
        {"void (void *a = from f(a))", "a is not made yet; write &a"},
        {"void (void *a = from f(1) then g(&a))",
         "'&' stands before the object's own name"},
        {"void (void *a = from f(&b), void *b = from f())", "'&' stands before"},
        {S "void f(s *a)", "say its value: = {values of its members}, = NULL"},
        {S "void f(s *a = {1, 2})", "member 1 is a pointer: NULL"},
        {S "void f(s *a = {NULL, b}) for s *b = {}", "member 2 is a number"},
        {S "void f(s *a = {NULL, 1.5})", "member 2 is a whole number"},
        {S "void f(s *a = {NULL, 1, 2})", "at most 2 values of members"},
        {S "void f(s *a = {a})", "a is not made yet"},
        {S "void f(s *a = {&a})", "member 1 is a pointer"},
        {S "void f(s *a = {NULL 1})", "expected"},
        {S "void f(s *a = {NULL, 1)", "expected ',' between values"},
        {S "void f(s *a = {} free free)", "is freed without that"},
        {S "void f(s *a = {} then start(a) free free)", "is freed without that"},
        {"struct b { char x[300]; }; void f(struct b *a = {})", "have at most 256 bytes"},
        {"void f(struct s *a = {NULL})", "a pointer is NULL, a \"text\""},
    };
    struct declaration declaration;
    struct error error;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        assert_int_equal(declaration_parse(all[i][0], &declaration, &error), -EINVAL);
        if (!strstr(error.text, all[i][1]))
            fail_msg("%s: %s", all[i][0], error.text);
    }
}
