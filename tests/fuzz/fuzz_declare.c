/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text is refused as a prototype, with a sentence, a source and a caret, or what it
 * says can be measured at any shape and called. A text that begins with a brace is a file
 * of declarations. With clang: -fsanitize=fuzzer -DSIMDBENCH_LIBFUZZER. Else the program
 * runs a short loop of its own: fuzz_declare [ROUNDS [SEED]].
 */
#include "declare.h"
#include "mutate_json.h"
#include "mutate_text.h"

static void check_message(const struct error *error, const char *text)
{
    const char *const source = strchr(error->text, '\n');
    const char *const caret = source ? strchr(source + 1, '\n') : NULL;
    demand(source && caret && strchr(caret, '^'), "a sentence, a source, a caret", text);
    for (const char *c = error->text; *c; c++)
        demand((*c >= ' ' && *c < 0x7f) || *c == '\n', "nothing controls a terminal",
               text);
}

/* The declaration of a function that does nothing, with the arguments of this one. */
static void call(const struct declaration *declaration,
                 const struct declared_sizes *sizes, const char *text)
{
    static uint64_t memory[2 * RENEWED_MAX / 8];
    void *pointer[DECLARED_MAX] = {NULL};
    struct call_signature signature;
    struct call_frame frame;
    struct call_faults faults;
    struct thunk *thunk;
    for (uint32_t i = 0; i < declaration->n; i++)
        pointer[i] = declaration->argument[i].vector || declaration->argument[i].renewed
                         ? memory
                         : NULL;
    declaration_signature(declaration, &signature);
    call_fill(declaration, sizes, pointer, &frame);
    if (thunk_make(&signature, (const void *)call_nothing, &thunk, NULL) < 0)
        return;
    thunk_code(thunk)(&frame);
    thunk_check(thunk, &frame, &faults);
    demand(!faults.faults, "an empty function does no harm", text);
    for (uint32_t i = 0; i < declaration->n; i++)
        if (declaration->argument[i].kind == ARGUMENT_ARRAY)
            call_length(declaration, sizes, i, &frame);
    thunk_free(thunk);
}

static void measure(const struct declaration *declaration, const char *text)
{
    static const int64_t values[] = {0,     1,         -1,        100,
                                     65537, INT32_MAX, INT64_MAX, INT64_MIN};
    for (size_t v = 0; v < ARRAY_LEN(values); v++) {
        int64_t dimension[DIMENSIONS_MAX];
        struct declared_sizes sizes;
        struct error error = {.text = ""};
        for (size_t d = 0; d < DIMENSIONS_MAX; d++)
            dimension[d] = values[(v + d * d) % ARRAY_LEN(values)];
        if (declaration_measure(declaration, dimension, &sizes, &error) < 0)
            demand(error.text[0], "a shape that cannot be has a reason", text);
        else if (v == 1)
            call(declaration, &sizes, text);
    }
}

static void check_file(const char *text, size_t size)
{
    struct declared_file file;
    struct error error = {.text = ""};
    if (declared_read("folder/m.json", text, size, &file, &error) < 0) {
        demand(error.text[0] && !file.n, "a file that is refused has a reason", text);
        return;
    }
    demand(file.n > 0, "a file has ops", text);
    for (size_t i = 0; i < file.n; i++)
        measure(&file.op[i].declaration, text);
    declared_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct declaration *const declaration = malloc(sizeof *declaration);
    struct error error = {.text = ""};
    char *const text = strndup((const char *)data, size);
    demand(text && declaration, "memory", "");
    if (text[0] == '{') {
        check_file((const char *)data, size);
    } else if (declaration_parse(text, declaration, &error) == 0) {
        measure(declaration, text);
    } else if (strlen(text) <= 4096) {
        char line[4096];
        check_message(&error, text);
        demand(!declaration->n && !declaration->n_dimensions, "nothing is left", text);
        if (declaration_complete(text, NULL, line, sizeof line))
            demand(declaration_parse(line, declaration, &error) == 0, "it can be read",
                   line);
    }
    free(declaration);
    free(text);
    return 0;
}

#ifndef SIMDBENCH_LIBFUZZER
static const char *const seeds[] = {
    "void (inout float dst[n], const float src[n], float gain = 0.5, size_t n)",
    "size_t f(u8 dst[2 * n + 3] length return, const void *restrict p = NULL, unsigned "
    "n);",
    "int (bytes x[h][w * sizeof(int)] length k, long *k = h, int h, int w = 3 - h) for z",
    "f16 (struct s *c = from make(3, \"a\\n\", -0.5f, NULL) free drop, char t = 'T', f16 "
    "y = 1)",
    "double (const unsigned long long x[(n + 7) / 8 % 5], int &n, bool b = true, void *f "
    "= &g)",
    "typedef unsigned char B; int f(inout B b[n * s], int n, B s = 2 * t, int t = 3, int "
    "(*f)(int) "
    "= &g)",
    "struct s {int b;}; typedef u8 id[4]; typedef struct s {int a[2];} *p; typedef enum "
    "{A} e; e f(const id a, id b[n], p p = from g(), x_size_t n)",
    "typedef int (*c)(int); char *f(c c = NULL, char **d free f, e **f = 0, p p = from "
    "g() "
    "free h(&p)) free i for n",
    "typedef struct { int *a; short b[2]; float c; } v; int f(v *v = {x + 2 * n, 1, n, "
    "-0.5f} then g(v) free h, const v *w = {}) for const v *u = {NULL}, int x[n], n",
    "__m256d (__m256d x, const float *const y[k][n], int *error = 0, int k, int n)",
    "void (fir *f = from new(taps, n, a, 0.5f) free drop, a *a = from b(y), u8 y[n]) for "
    "n, "
    "const float taps[n]",
    "ZEXTERN uLong ZEXPORT f OF((const int s[3] = {w, 0.5, -(w)}, int w)) __nonnull "
    "((1));",
    "API_X (int) std::f(float complex x[n], const fftw_complex **y[2][n], int n) "
    "__attribute__((pure))",
    "void (c *c = from m(1, 2) then i(c) then k(c, b, n) free d, void *h = from o(c, "
    "&h)) "
    "for n, const u8 b[n]",
    "void (inout bytes s[n] then f(s, &v, *w, n) then g(\"a\", s), const u8 c[2] = "
    "{','}, "
    "ns::T &t = from ns::m(t2), void *t2 = from m(*w), u64 q = 0x9e3779b97f4a7c15, "
    "std::size_t n)",
    "int f(const png_bytep x[n], void *end = x + n, float *at = &y[k - 1], u8 *p = x, "
    "int "
    "n, UINT16 *q = n) for float complex y[k], k",
    "#define A 2\n#define B(x) x\nenum { C = A << 3, D, E = -1, F = 9 / 0 };\nint f(int "
    "k "
    "= D | ~E ^ 7 & n, const int l[2] = {C, E}, u8 x[n >> 1], float g = C, size_t n)",
    "enum k {U, V}; typedef struct { char c[V + 3]; void (*f)(int); } s; int f(s x[n], s "
    "*y "
    "= {V, &nothing}, size_t b = sizeof(s) + sizeof(s *), k k = U, int n)",
    "void *(const char *s = \"x\\x41\", bf16 e[16], enum e e = 101, float q = -INFINITY)",
};
static const char alphabet[] = "()[]*&,;= +-/%\"'\\.0123456789naxlf{}<>|^~#\x80\xff\n";

static const char file[] =
    "{\"functions\":1,\"ops\":[{\"name\":\"mix\",\"prototype\":\"void (inout float "
    "d[n], const float s[n], size_t n)\",\"kernels\":{\"scalar\":\"mix_c\",\"avx2\":"
    "[\"mix_avx2\",\"t[1]\",\"i(&, "
    "-1)[2][0]\"]},\"library\":\"./m.so\",\"reference\":\"./o.so:mix_c\","
    "\"tolerance\":\"4ulp\",\"inputs\":{\"s\":\"zero\"},\"work\":{\"ops\":\"2 * n\"},"
    "\"roof\":\"copy\",\"sizes\":\"1Ki\",\"shapes\":{\"a\":\"16 "
    "32\"},\"tails\":\"1..70\","
    "\"overread\":32},{\"name\":\"crc\",\"prototype\":\"u32 (u32 c = 0, const u8 x[n], "
    "int n)\",\"kernels\":{\"lib\":\"crc32_z\"}}]}";

/* Documents that differ in members, and bytes that differ. */
static void fuzz_files(unsigned long rounds, uint64_t seed)
{
    for (unsigned long i = 0; i < rounds; i++) {
        char bytes[4096];
        char *const made = mutate_json(file, strlen(file), &seed);
        const char *const text = made && strlen(made) < sizeof bytes / 2 ? made : file;
        size_t size = strlen(text);
        memcpy(bytes, text, size);
        if (i % 2)
            size = mutate_bytes(bytes, size, sizeof bytes, &seed);
        LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
        free(made);
    }
}

int main(int argc, char **argv)
{
    fuzz_files(argc > 1 ? strtoul(argv[1], NULL, 10) : effort_of(20000),
               argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    return fuzz_texts(argc, argv, seeds, ARRAY_LEN(seeds), alphabet);
}
#endif
