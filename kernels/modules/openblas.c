/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `openblas`: sgemm and dgemm, row-major, as baselines of op gemm, sgemm after
 * im2col as one of op conv, and what OpenBLAS adds to BLAS: sums and transposed copies.
 * Option coretype=NAME makes OpenBLAS use the kernels of that core instead of those that
 * it chooses itself, which for a CPU newer than the library may be far from the best.
 * Option library=FILE loads that one.
 *
 * The library is found when the module opens, not when it is linked: so the module exists
 * on machines without it, and its environment can be set first.
 */
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

#include "blas.h"
#include "conv/conv.h"
#include "library.h"

/* ---- convolution as a matrix product ----
 *
 * The image's columns, one for each pixel of y, hold all the x that the pixel needs: a
 * matrix r*s times as large as x, made anew for every image inside the timed call. Where
 * it would be x itself (1x1, stride 1, no padding), x is multiplied as it lies. */

struct im2col {
    struct conv_shape shape;
    int m, n, k;    /* of the product: k/g, oh * ow, c/g * r * s */
    float *columns; /* k x n, or NULL: x is that matrix */
    uint64_t bytes;
};

static int im2col_prepare(const struct simdbench_operands *operands, void **state,
                          char *error, size_t error_size)
{
    const struct conv_shape shape = conv_shape_of(operands->shape);
    const int64_t n = shape.oh * shape.ow, k = shape.cg * shape.r * shape.s;
    if (shape.kg > INT_MAX || n > INT_MAX || k > INT_MAX)
        return refuse(error, error_size, -ENOTSUP, "OpenBLAS takes dimensions up to %d",
                      INT_MAX);
    struct im2col *work = calloc(1, sizeof *work);
    if (!work)
        return -ENOMEM;
    *work = (struct im2col){.shape = shape, .m = (int)shape.kg, .n = (int)n, .k = (int)k};
    if (shape.r * shape.s * shape.u * shape.v > 1 || shape.p + shape.q > 0) {
        /* Both are below 2^31. */
        work->bytes = (uint64_t)n * (uint64_t)k * sizeof(float);
        work->columns = work->bytes > PTRDIFF_MAX ? NULL : malloc(work->bytes);
        if (!work->columns) {
            snprintf(error, error_size, "no memory for a matrix of %lld x %lld",
                     (long long)k, (long long)n);
            free(work);
            return -ENOMEM;
        }
        memset(work->columns, 0, work->bytes);
    }
    *state = work;
    return 0;
}

static void im2col_release(void *state)
{
    struct im2col *work = state;
    free(work->columns);
    free(work);
}

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* One row of columns, seen from kernel element e: x at e - q, e - q + v, ... */
static void copy_row(const struct conv_shape *s, const float *x, int64_t e, float *to)
{
    const int64_t start = e * s->d - s->q;
    /* The first pixel that is not left of x, and the first that is right of it. */
    const int64_t first = clamp((s->v - 1 - start) / s->v, s->ow);
    const int64_t end =
        start >= s->w ? first : clamp((s->w - 1 - start) / s->v + 1, s->ow);
    memset(to, 0, (size_t)first * sizeof *to);
    if (s->v == 1 && end > first)
        memcpy(to + first, x + start + first, (size_t)(end - first) * sizeof *to);
    for (int64_t j = first; s->v > 1 && j < end; j++)
        to[j] = x[start + j * s->v];
    memset(to + end, 0, (size_t)(s->ow - end) * sizeof *to);
}

static void fill_columns(const struct conv_shape *s, const float *x, float *to)
{
    for (int64_t c = 0; c < s->cg; c++) {
        for (int64_t a = 0; a < s->r; a++) {
            for (int64_t e = 0; e < s->s; e++) {
                for (int64_t i = 0; i < s->oh; i++, to += s->ow) {
                    const int64_t row = i * s->u - s->p + a * s->d;
                    if (row < 0 || row >= s->h)
                        memset(to, 0, (size_t)s->ow * sizeof *to);
                    else
                        copy_row(s, x + (c * s->h + row) * s->w, e, to);
                }
            }
        }
    }
}

static void im2col_run(const struct simdbench_operands *operands, void *state)
{
    const struct im2col *work = state;
    const struct conv_shape *s = &work->shape;
    const float *x = operands->operand[0]->data, *weights = operands->operand[1]->data;
    float *y = operands->operand[2]->data;
    for (int64_t image = 0; image < s->n; image++) {
        for (int64_t group = 0; group < s->g; group++) {
            const float *columns = x;
            if (work->columns) {
                fill_columns(s, x, work->columns);
                columns = work->columns;
            }
            blas.sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, work->m, work->n, work->k,
                       1, weights + group * work->m * (int64_t)work->k, work->k, columns,
                       work->n, 0, y, work->n);
            x += s->cg * s->h * s->w;
            y += work->m * (int64_t)work->n;
        }
    }
}

static void im2col_choice(const struct simdbench_operands *operands, const void *state,
                          struct simdbench_choice *choice)
{
    const struct im2col *work = state;
    choice->implementation = work->columns ? "im2col, sgemm" : "sgemm alone";
    choice->note = work->columns ? "im2col is inside the timed call" : NULL;
    choice->workspace_bytes = work->bytes;
}

static const struct simdbench_kernel conv_im2col = {
    .size = sizeof conv_im2col,
    .type = SIMDBENCH_F32,
    .op = "conv",
    .isa = "lib",
    .variant = "im2col",
    .layout = "nchw",
    .roof = "fma",
    .prepare = im2col_prepare,
    .run = im2col_run,
    .release = im2col_release,
    .choice = im2col_choice,
};

/* ---- functions that OpenBLAS adds to BLAS; builds without them have NULL here ---- */

#define TRANSPOSED_COPY(T)                                                          \
    void (*)(int order, int transpose, int rows, int columns, T factor, const T *a, \
             int lda, T *b, int ldb)
static struct {
    __typeof__(float (*)(int n, const float *x, int step)) ssum;
    __typeof__(double (*)(int n, const double *x, int step)) dsum;
    __typeof__(TRANSPOSED_COPY(float)) somatcopy;
    __typeof__(TRANSPOSED_COPY(double)) domatcopy;
} added;

/* OpenBLAS 0.3.21 adds 16 numbers and more wrongly with core type SkylakeX: 59 is 52. A
 * sum of few small integers is exact. */
static void check_sums(void)
{
    float x[333];
    double wide[333], sum = 0;
    for (int i = 0; i < 333; i++) {
        x[i] = (float)(i % 7 + 1);
        sum += wide[i] = x[i];
    }
    if (added.ssum && added.ssum(333, x, 1) != sum)
        added.ssum = NULL;
    if (added.dsum && added.dsum(333, wide, 1) != sum)
        added.dsum = NULL;
}

static int added_prepare(const struct simdbench_operands *operands, bool there,
                         void **state, char *error, size_t error_size)
{
    if (!there)
        return refuse(error, error_size, -ENOTSUP,
                      "this OpenBLAS has no such function that is right with this core "
                      "type");
    if (operands->shape->rank == 3)
        return refuse(error, error_size, -ENOTSUP, "OpenBLAS has no sums of columns");
    if (operands->operand[0]->count > INT_MAX)
        return refuse(error, error_size, -ENOTSUP, "OpenBLAS takes up to %d elements",
                      INT_MAX);
    return 0;
}

/* Row `name` of one type; CALL calls that function with x, y and dimensions. */
#define ADDED_ROW(name, type_, op_, semiring_, roof_, CALL)                       \
    static PREPARE(name##_prepare, added_prepare, added.name != NULL) static void \
        name##_run(const struct simdbench_operands *operands, void *state)        \
    {                                                                             \
        const struct simdbench_operand *const x = operands->operand[0],           \
                                              *const y = operands->operand[1];    \
        const int rows = (int)operands->shape->dim[0],                            \
                  columns = (int)operands->shape->dim[1];                         \
        CALL;                                                                     \
    }                                                                             \
    static const struct simdbench_kernel added_##name = {                         \
        .size = sizeof added_##name,                                              \
        .type = type_,                                                            \
        .op = op_,                                                                \
        .semiring = semiring_,                                                    \
        .isa = "lib",                                                             \
        .variant = #name,                                                         \
        .roof = roof_,                                                            \
        .prepare = name##_prepare,                                                \
        .run = name##_run,                                                        \
    };
/* One sum of all elements, or one of each row. */
#define SUMS(name, T)                                       \
    const int n = y->count == 1 ? rows * columns : columns; \
    for (uint64_t i = 0; i < y->count; i++)                 \
    ((T *)y->data)[i] = added.name(n, (const T *)x->data + (int64_t)i * n, 1)
#define COPY(name) \
    added.name(ROW_MAJOR, TRANSPOSE, rows, columns, 1, x->data, columns, y->data, rows)

ADDED_ROW(ssum, SIMDBENCH_F32, "reduce", "sum", "read", SUMS(ssum, float))
ADDED_ROW(dsum, SIMDBENCH_F64, "reduce", "sum", "read", SUMS(dsum, double))
ADDED_ROW(somatcopy, SIMDBENCH_F32, "transpose", NULL, "copy", COPY(somatcopy))
ADDED_ROW(domatcopy, SIMDBENCH_F64, "transpose", NULL, "copy", COPY(domatcopy))

#define CORE_VARIABLE "OPENBLAS_CORETYPE"

static struct {
    void *handle;
    char *(*config)(void);
    char *(*core)(void);
    void (*set_threads)(int n);
    char version[64];
    bool told; /* the user's environment names the core */
} openblas;

/* ---- core types ---- */

/* The instruction sets of each core's gemm kernels; cores that are not here use SSE.
 * Sandy Bridge to Excavator use AVX (and some FMA) but no AVX2, so no bundle of
 * simdbench's. */
static const struct {
    const char *core, *isa;
} cores[] = {
    {"Sandybridge", "avx"},   {"Bulldozer", "avx"},
    {"Piledriver", "avx"},    {"Steamroller", "avx"},
    {"Excavator", "avx"},     {"Haswell", "avx2"},
    {"Zen", "avx2"},          {"SkylakeX", "avx512"},
    {"Cooperlake", "avx512"}, {"Sapphirerapids", "avx512"},
};

static const char *core_isa(const char *core)
{
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        if (strcasecmp(cores[i].core, core) == 0)
            return cores[i].isa;
    }
    return "sse2";
}

/* ---- module ---- */

/* Builds for SciPy have a prefix before each name. */
#define FUNCTIONS(prefix)                                           \
    {                                                               \
        {prefix "cblas_sgemm", &blas.sgemm},                        \
        {prefix "cblas_dgemm", &blas.dgemm},                        \
        {prefix "openblas_get_config", &openblas.config},           \
        {prefix "openblas_get_corename", &openblas.core},           \
        {prefix "openblas_set_num_threads", &openblas.set_threads}, \
    }

static void load_added(const char *prefix)
{
    const struct symbol symbols[] = {{"ssum", &added.ssum},
                                     {"dsum", &added.dsum},
                                     {"somatcopy", &added.somatcopy},
                                     {"domatcopy", &added.domatcopy}};
    for (size_t i = 0; i < SYMBOLS(symbols); i++) {
        char name[40];
        snprintf(name, sizeof name, "%scblas_%s", prefix, symbols[i].name);
        void *const found = dlsym(openblas.handle, name);
        memcpy(symbols[i].where, &found, sizeof found);
    }
    check_sums();
}

static int load(const char *file, char *error, size_t error_size)
{
    const struct library library = {file, "install OpenBLAS, e.g. package libopenblas0"};
    static const struct symbol plain[] = FUNCTIONS(""), scipy[] = FUNCTIONS("scipy_");
    char why[512];
    int status = library_load(&library, &openblas.handle, plain, SYMBOLS(plain), error,
                              error_size);
    if (status < 0 &&
        (!openblas.handle || library_load(&library, &openblas.handle, scipy,
                                          SYMBOLS(scipy), why, sizeof why) < 0))
        return status;
    load_added(status < 0 ? "scipy_" : "");
    blas.brand = "OpenBLAS";
    /* "OpenBLAS 0.3.21 NO_AFFINITY ...": the first two words. */
    const char *config = openblas.config();
    size_t first = strcspn(config, " ");
    size_t words = first + (config[first] == ' ');
    words += strcspn(config + words, " ");
    snprintf(openblas.version, sizeof openblas.version, "%.*s", (int)words, config);
    return 0;
}

static int openblas_open(const struct simdbench_option *const *options, size_t n,
                         char *error, size_t error_size)
{
    const char *core = NULL, *file = "libopenblas.so.0";
    int status = library_options("coretype", options, n, &core, &file, error, error_size);
    if (status < 0)
        return status;
    /* The user's environment may name one too: OpenBLAS takes it without a check. */
    const char *const named = core ? core : getenv(CORE_VARIABLE);
    openblas.told = !core && named;
    if (named && !blas_cpu_has(core_isa(named)))
        return refuse(error, error_size, -EINVAL, "%s=%s needs %s, which this CPU lacks",
                      core ? "coretype" : CORE_VARIABLE, named, core_isa(named));
    /* One thread until set_threads says otherwise: none is started by loading. */
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) < 0 ||
        (core && setenv(CORE_VARIABLE, core, 1) < 0))
        return -errno;
    status = load(file, error, error_size);
    if (status < 0)
        return status;
    if (core && strcasecmp(core, openblas.core()) != 0)
        return refuse(error, error_size, -EINVAL,
                      "%s does not know coretype=%s and would take %s instead",
                      openblas.version, core, openblas.core());
    return 0;
}

/* OpenBLAS takes older kernels for CPUs that are newer than itself, and those that the
 * environment names. */
static const char *wider_core(const char *isa)
{
#define ADVICE(core) openblas.told ? core " (" CORE_VARIABLE " is set)" : core
    if (strcmp(isa, "avx512") != 0 && blas_cpu_has("avx512"))
        return ADVICE("coretype=SkylakeX");
    if (strcmp(isa, "avx512") != 0 && strcmp(isa, "avx2") != 0 && blas_cpu_has("avx2"))
        return ADVICE("coretype=Haswell");
#undef ADVICE
    return NULL;
}

static int openblas_describe(struct simdbench_description *description)
{
    description->version = openblas.version;
    description->core = openblas.core();
    description->isa = core_isa(openblas.core());
    description->detail = openblas.config();
    description->advice = wider_core(description->isa);
    return 0;
}

static int openblas_set_threads(uint32_t threads)
{
    if (threads == 0 || threads > INT_MAX)
        return -EINVAL;
    openblas.set_threads((int)threads);
    return 0;
}

static const struct simdbench_kernel *const kernels[] = {
    &blas_sgemm, &blas_dgemm,      &conv_im2col,     &added_ssum,
    &added_dsum, &added_somatcopy, &added_domatcopy, NULL};

MODULE(.name = "openblas", .kernels = kernels, .open = openblas_open,
       .describe = openblas_describe, .set_threads = openblas_set_threads)
