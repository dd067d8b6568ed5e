/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes as headers have them, and the lines that their messages suggest. */
#include "library_files.h"
#include "unit.h"

enum { LINE = 4096 };

static struct library_function functions[] = {
    {.name = (char[]){"enc_state_create"}},
    {.name = (char[]){"enc_state_create_for_all"}},
    {.name = (char[]){"enc_state_destroy"}},
    {.name = (char[]){"hash_init"}},
    {.name = (char[]){"map_new"}, .is_data = true},
    {.name = (char[]){"pk_close"}},
    {.name = (char[]){"pk_open"}},
};
static const struct library library = {.function = functions, .n = ARRAY_LEN(functions)};

static const struct {
    const char *header, *line;
} all[] = {
    {"void mix(float *dst, const float *src, float gain, size_t n);",
     "void mix(float dst[n], const float src[n], float gain = 0.5, size_t n);"},
    {"int f(const char *src, char *dst, int srcSize, int dstCapacity)",
     "int f(const char src[srcSize], char dst[dstCapacity], int srcSize, int "
     "dstCapacity)"},
    {"int compress(Bytef *dest, uLongf *destLen, const Bytef *source, uLong sourceLen)",
     "int compress(Bytef dest[2 * sourceLen + 64] length destLen, uLongf *destLen = 2 * "
     "sourceLen + 64, const Bytef source[sourceLen], uLong sourceLen)"},
    {"int f(void *to, size_t *written, const void *, size_t n)",
     "int f(void to[2 * n + 64] length written, size_t *written = 2 * n + 64, const void "
     "arg3[n], size_t n)"},
    {"float dot(float const*, float const*, unsigned long)",
     "float dot(float const arg1[arg3], float const arg2[arg3], unsigned long)"},
    {"void f(float*, int, long (*)(long, int))",
     "void f(float arg1[arg2], int, long (*)(long, int) = &nothing)"},
    {"double dot(int n, const double *x, int incx, const double *y, int incy)",
     "double dot(int n, const double x[n], int incx = 1, const double y[n], int incy = "
     "1)"},
    {"void grey(const uint8_t *src, int src_stride, uint8_t *dst, int dst_stride, int "
     "width, "
     "int height)",
     "void grey(const uint8_t src[height * src_stride], int src_stride, uint8_t "
     "dst[height * "
     "dst_stride], int dst_stride, int width, int height)"},
    {"void sort(void *base, size_t n, int (*compare)(const void *, const void *, void "
     "*), "
     "void *arg)",
     "void sort(void base[n], size_t n, int (*compare)(const void *, const void *, void "
     "*) = "
     "&nothing, void *arg = NULL)"},
    {"int each(const char *s, size_t len, visit_fn visit, void *user_data)",
     "int each(const char s[len], size_t len, visit_fn visit = &nothing, void *user_data "
     "= "
     "NULL)"},
    {"int snprintf(char *s, size_t n, const char *format, ...)",
     "int snprintf(char s[n], size_t n, const char *format = \"abc\")"},
    {"float norm(const float *v)", "float norm(const float v[n]) for n"},
    {"void two(const float a[m], const float b[k]);",
     "void two(const float a[m], const float b[k]) for m, k;"},
    {"int parse(const char *text, int *error)",
     "int parse(const char *text = \"abc\", int *error = 0)"},
    {"long to(const char *s, char **end, int base)",
     "long to(const char *s = \"abc\", char **end = 0, int base = 1)"},
    {"void planes(const float **in, float *out, int n)",
     "void planes(const float **in[2][n], float out[n], int n)"},
    {"int level(enc_state_t *e, level_t l, const enc_config *config)",
     "int level(enc_state_t *e = from enc_state_create() free enc_state_destroy, enum "
     "level_t "
     "l = 0, const enc_config *config = NULL)"},
    {"int hash_add(hash_ctx *c, const void *data, size_t n)",
     "int hash_add(hash_ctx *c = from calloc(1, 4096) then hash_init(c) free free, const "
     "void "
     "data[n], size_t n)"},
    {"int pk_read(void *handle, int n, const pk_name *name)",
     "int pk_read(void *handle = from pk_open() free pk_close, int n, const pk_name "
     "*name = "
     "from MAKER())"},
    {"int pk_read(void *handle, int n)",
     "int pk_read(void *handle = from pk_open() free pk_close, int n)"},
    {"typedef struct { float x, y, z; } v3; float len(v3 a, const v3 *b)",
     "typedef struct { float x, y, z; } v3; float len(__m128 a, __m128 a_2, const v3 "
     "b[1])"},
    {"typedef struct { int n; double d; } nd; nd add(nd a, double complex z)",
     "typedef struct { int n; double d; } nd; int64_t add(int64_t a = 1, double a_2 = "
     "0.5, "
     "double z = 0.5, double z_2 = 0.5)"},
    {"typedef bool (*is)(int); int turn(float (*points)[3], is pred, unsigned char sep, "
     "int n)",
     "typedef bool (*is)(int); int turn(float points[n][3], is pred = &nothing, unsigned "
     "char "
     "sep = 1, int n)"},
    {"int solve(double *a, int n, int lda, uint32_t *bytes_of, uint8_t **log, size_t "
     "*log_size)",
     "int solve(double a[n * lda], int n, int lda, uint32_t bytes_of[n], uint8_t **log "
     "free free "
     "length log_size, size_t *log_size)"},
    {"typedef struct { int n[30]; } st; typedef struct { int n; } of; int add(st *state, "
     "of *all, "
     "int n)",
     "typedef struct { int n[30]; } st; typedef struct { int n; } of; int add(inout st "
     "state[1], "
     "inout of all[n], int n)"},
    {"typedef struct { int n; } of; int all(of *out, size_t *n_out, int n)",
     "typedef struct { int n; } of; int all(inout of out[n], size_t *n_out = 0, int "
     "n)"},
    {"void f(float *x, int height_of_the_whole_image, int width_of_the_whole_image)",
     "void f(float x[height_of_the_whole_image * width_of_the_whole_image], int "
     "height_of_the_whole_image, int width_of_the_whole_image)"},
    {"void f(float *x, int height_of_the_whole_large_image_2, int "
     "width_of_the_whole_large_image_2)",
     "void f(float x[height_of_the_whole_large_image_2], int "
     "height_of_the_whole_large_image_2, int width_of_the_whole_large_image_2)"},
    {"int log_of(log_t **log, size_t *log_size)",
     "int log_of(log_t **log = 0, size_t *log_size = 0)"},
    {"typedef struct { double m[4]; } m4; m4 id(void)",
     "typedef struct { double m[4]; } m4; void id(bytes result[32])"},
    {"my_real sum(const my_real x[n], int n) // of all",
     "double sum(const double x[n], int n)"},
    {"colour mean(/* of */ bool fast, doubel gain, float &out)",
     "enum colour mean( bool fast = true, double gain = 0.5, float out[1])"},
    {"int map_size(map_t *m, map_error *error)",
     "int map_size(map_t *m = from MAKER(), map_error *error = NULL)"},
    {"int area(areaHandle_t h, double *a)",
     "int area(areaHandle_t h = from MAKER(), double a[n]) for n"},
    {"void f(float x[n]) for unsigned int n, const float c[n]",
     "void f(float x[n]) for n, const float c[n]"},
    {"void f(std::vector<float> v)", NULL},
    {"int f(int flags = ALL_OF_THEM)", NULL},
    {"#define N 4\nvoid f(float *x)", NULL},
};

TEST(test_completed)
{
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        char line[LINE];
        const bool made =
            declaration_complete(all[i].header, &library, line, sizeof line);
        if (made != (all[i].line != NULL) || (made && strcmp(line, all[i].line) != 0))
            fail_msg("%s: %s", all[i].header, made ? line : "no line");
        struct declaration declaration;
        struct error error;
        if (made)
            assert_int_equal(declaration_parse(line, &declaration, &error), 0);
    }
}

/* A line that does not fit is none, and nothing is written beyond its room. */
TEST(test_short_of_room)
{
    const char *const header = all[2].header;
    const size_t whole = strlen(all[2].line) + 1, most = whole + 4;
    for (size_t size = 1; size <= most; size++) {
        char *const line = malloc(size);
        assert_non_null(line);
        const bool made = declaration_complete(header, NULL, line, size);
        assert_true(size < whole ? !made : made || size < most);
        assert_true(!made || strlen(line) + 1 == whole);
        free(line);
    }
}
