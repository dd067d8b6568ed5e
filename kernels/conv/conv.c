/* SPDX-License-Identifier: Apache-2.0 */
#include "conv.h"

#include <ctype.h>
#include <float.h>
#include <math.h>

#include "conv_op.h"
#include "kernels.h"
#include "vector_input.h"

/* ---- shapes ---- */

static const char letters[] = "nchwkrsuvpqdgb";

/* The value of a letter that is left out. */
static int64_t dim_default(int dim)
{
    return dim != CONV_P && dim != CONV_Q;
}

static int parse_letters(const char *text, struct simdbench_shape *shape, char *error,
                         size_t error_size)
{
    bool seen[CONV_DIMS] = {false};

    for (const char *at = text; *at;) {
        const char *found = strchr(letters, *at);
        if (!found) {
            snprintf(error, error_size,
                     "'%c' in '%s' is none of the letters %s; as in n1c64h56w56k64r3s3",
                     *at, text, letters);
            return -EINVAL;
        }
        const int dim = (int)(found - letters);
        if (!isdigit((unsigned char)*++at)) {
            snprintf(error, error_size, "'%c' in '%s' has no number", *found, text);
            return -EINVAL;
        }
        if (seen[dim]) {
            snprintf(error, error_size, "'%c' stands twice in '%s'", *found, text);
            return -EINVAL;
        }
        seen[dim] = true;
        int64_t value = 0;
        for (; isdigit((unsigned char)*at); at++) {
            value = value * 10 + (*at - '0');
            if (value > INT32_MAX) {
                snprintf(error, error_size, "'%c' in '%s' is over %d", *found, text,
                         INT32_MAX);
                return -EOVERFLOW;
            }
        }
        if (value < dim_default(dim)) {
            snprintf(error, error_size, "'%c' in '%s' is 0, the least is 1", *found,
                     text);
            return -EINVAL;
        }
        shape->dim[dim] = value;
    }
    return 0;
}

/* Blocks of b channels need groups that begin with a block, or groups of one channel. */
static bool blocks_fit(const struct simdbench_shape *shape, int64_t b)
{
    const struct conv_shape conv = conv_shape_of(shape);

    return b == 1 || conv.g == 1 || (conv.g == conv.c && conv.g == conv.k) ||
           (conv.cg % b == 0 && conv.kg % b == 0);
}

static int check_shape(const char *text, const struct simdbench_shape *shape, char *error,
                       size_t error_size)
{
    const int64_t *dim = shape->dim;
    static const struct {
        int of, kernel, padding;
    } sides[] = {{CONV_H, CONV_R, CONV_P}, {CONV_W, CONV_S, CONV_Q}};

    for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
        const int64_t padded = dim[sides[i].of] + 2 * dim[sides[i].padding];
        const int64_t taps = dim[CONV_D] * (dim[sides[i].kernel] - 1) + 1;
        if (taps > padded) {
            snprintf(error, error_size,
                     "'%c' in '%s' reaches over %lld positions, '%c' has %lld with its "
                     "padding",
                     letters[sides[i].kernel], text, (long long)taps,
                     letters[sides[i].of], (long long)padded);
            return -EINVAL;
        }
    }
    for (int i = CONV_C; i <= CONV_K; i += CONV_K - CONV_C) {
        if (dim[i] % dim[CONV_G]) {
            snprintf(error, error_size, "'%c' in '%s' is no multiple of 'g' (%lld)",
                     letters[i], text, (long long)dim[CONV_G]);
            return -EINVAL;
        }
    }
    if (dim[CONV_B] != 1 && dim[CONV_B] != 8 && dim[CONV_B] != 16) {
        snprintf(error, error_size, "'b' in '%s' is neither 1 nor 8 nor 16", text);
        return -EINVAL;
    }
    if (!blocks_fit(shape, dim[CONV_B])) {
        snprintf(error, error_size, "'g' in '%s': groups do not begin at blocks of 'b'",
                 text);
        return -EINVAL;
    }
    return 0;
}

/* A number alone is the side of a square image; the rest has one default. */
enum {
    SQUARE_CHANNELS = 32,
    SQUARE_KERNEL = 3,
    SQUARE_PADDING = 1,
    SQUARE_MAX = 1 << 20
};

static bool parse_square(const char *text, struct simdbench_shape *shape)
{
    char *end;
    const long side = strtol(text, &end, 10);

    if (!isdigit((unsigned char)*text) || *end || side < 1 || side > SQUARE_MAX)
        return false;
    shape->dim[CONV_H] = shape->dim[CONV_W] = side;
    shape->dim[CONV_C] = shape->dim[CONV_K] = SQUARE_CHANNELS;
    shape->dim[CONV_R] = shape->dim[CONV_S] = SQUARE_KERNEL;
    shape->dim[CONV_P] = shape->dim[CONV_Q] = SQUARE_PADDING;
    return true;
}

static int conv_parse(const char *text, struct simdbench_shape *shape, char *error,
                      size_t error_size)
{
    struct simdbench_shape result = {.size = sizeof result, .rank = CONV_DIMS};

    if (!*text) {
        snprintf(error, error_size, "a shape is empty");
        return -EINVAL;
    }
    for (int dim = 0; dim < CONV_DIMS; dim++)
        result.dim[dim] = dim_default(dim);
    int code =
        parse_square(text, &result) ? 0 : parse_letters(text, &result, error, error_size);
    if (code == 0)
        code = check_shape(text, &result, error, error_size);
    if (code == 0)
        *shape = result;
    return code;
}

static void conv_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    size_t used = 0;

    for (int dim = 0; dim < CONV_DIMS && used < text_size; dim++) {
        if (dim >= CONV_U && shape->dim[dim] == dim_default(dim))
            continue;
        const int n = snprintf(text + used, text_size - used, "%c%lld", letters[dim],
                               (long long)shape->dim[dim]);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* ---- layouts ---- */

static const struct {
    const char *name;
    int64_t b;
} layouts[] = {{"nchw", 1}, {"nchw8c", 8}, {"nchw16c", 16}};

static int conv_relayout(struct simdbench_shape *shape, const char *layout, char *error,
                         size_t error_size)
{
    for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
        if (strcmp(layouts[i].name, layout) != 0)
            continue;
        if (!blocks_fit(shape, layouts[i].b)) {
            snprintf(error, error_size,
                     "groups of %lld and %lld channels do not begin at blocks of %lld",
                     (long long)(shape->dim[CONV_C] / shape->dim[CONV_G]),
                     (long long)(shape->dim[CONV_K] / shape->dim[CONV_G]),
                     (long long)layouts[i].b);
            return -ENOTSUP;
        }
        shape->dim[CONV_B] = layouts[i].b;
        return 0;
    }
    snprintf(error, error_size, "'%s' is no layout: nchw, nchw8c or nchw16c", layout);
    return -EINVAL;
}

static const char *conv_layout_of(const struct simdbench_shape *shape)
{
    for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
        if (layouts[i].b == shape->dim[CONV_B])
            return layouts[i].name;
    }
    return NULL;
}

/* Product of the factors up to the first 0; false if its floats do not fit. */
static bool count_of(const int64_t *factors, uint64_t *count)
{
    uint64_t bytes = sizeof(float);

    for (; *factors; factors++) {
        if (__builtin_mul_overflow(bytes, (uint64_t)*factors, &bytes) ||
            bytes > PTRDIFF_MAX)
            return false;
    }
    *count = bytes / sizeof(float);
    return true;
}

static int conv_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const struct conv_shape conv = conv_shape_of(shape);
    const int64_t xb = conv.x_plain ? 1 : conv.b;
    const int64_t counts[3][5] = {
        {conv.n, conv.x_plain ? conv.c : conv.cb * conv.b, conv.h, conv.w},
        {conv.k, conv.cg, conv.r, conv.s},
        {conv.n, conv.kb * conv.b, conv.oh, conv.ow},
    };
    static const uint32_t roles[3] = {SIMDBENCH_IN, SIMDBENCH_CONST, SIMDBENCH_OUT};
    const int64_t ld[3] = {conv.w * xb, conv.s, conv.ow * conv.b};

    if (type != SIMDBENCH_F32)
        return -EINVAL;
    for (int i = 0; i < 3; i++) {
        operand[i]->type = type;
        operand[i]->role = roles[i];
        operand[i]->ld = ld[i];
        if (!count_of(counts[i], &operand[i]->count))
            return -EOVERFLOW;
    }
    return 3;
}

/* Taps of all outputs of a line that meet the input rather than its padding. */
static double inner_taps(int64_t out, int64_t in, int64_t taps, int64_t stride,
                         int64_t pad, int64_t dilation)
{
    int64_t n = 0;

    for (int64_t t = 0; t < taps; t++) {
        const int64_t shift = pad - t * dilation; /* output i reads i * stride - shift */
        const int64_t first = shift > 0 ? (shift + stride - 1) / stride : 0;
        const int64_t beyond = in + shift > 0 ? (in + shift + stride - 1) / stride : 0;
        const int64_t end = beyond < out ? beyond : out;
        n += end > first ? end - first : 0;
    }
    return (double)n;
}

/* The work that no kernel can avoid: it may leave out the products with padding. */
static void conv_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                      double *bytes)
{
    const struct conv_shape conv = conv_shape_of(shape);
    const double rows = inner_taps(conv.oh, conv.h, conv.r, conv.u, conv.p, conv.d);
    const double columns = inner_taps(conv.ow, conv.w, conv.s, conv.v, conv.q, conv.d);
    const double weights = (double)conv.k * (double)conv.cg;
    const double inputs =
        (double)conv.n * (double)conv.c * (double)conv.h * (double)conv.w;
    const double outputs =
        (double)conv.n * (double)conv.k * (double)conv.oh * (double)conv.ow;

    *ops = 2 * (double)conv.n * weights * rows * columns;
    *bytes =
        sizeof(float) * (inputs + outputs + weights * (double)conv.r * (double)conv.s);
}

/* ---- inputs ---- */

/* Inputs are finite: a kernel may multiply the padding with a tap or leave the product
 * out, and 0 * infinity would tell the two apart. */
static bool finite_input(const char *input)
{
    return strcmp(input, "special") != 0 && strncmp(input, "bits", 4) != 0;
}

static int conv_fill(const struct simdbench_operands *operands, uint64_t seed,
                     const char *input)
{
    const struct conv_shape conv = conv_shape_of(operands->shape);
    const int64_t used = conv.c % conv.b, plane = conv.h * conv.w;
    const struct simdbench_operand *x = operands->operand[0];
    const struct simdbench_operand *weights = operands->operand[1];

    if (!input)
        input = "uniform:-1..1";
    if (!finite_input(input) || vector_fill(x->data, x->type, x->count, seed, input) != 0)
        return -EINVAL;
    if (!conv.x_plain && used) {
        const int64_t image = conv.cb * plane * conv.b;
        for (int64_t n = 0; n < conv.n; n++) {
            float *last = (float *)x->data + (n + 1) * image - plane * conv.b;
            for (int64_t i = 0; i < plane; i++, last += conv.b)
                memset(last + used, 0, (size_t)(conv.b - used) * sizeof *last);
        }
    }
    return vector_fill(weights->data, weights->type, weights->count, ~seed, input);
}

/* ---- reference ---- */

struct point {
    int64_t n, k, i, j;
};

static struct point point_of(const struct conv_shape *conv, uint64_t offset)
{
    int64_t rest = (int64_t)offset;
    const int64_t lane = rest % conv->b;
    rest /= conv->b;
    const int64_t j = rest % conv->ow;
    rest /= conv->ow;
    const int64_t i = rest % conv->oh;
    rest /= conv->oh;
    return (struct point){rest / conv->kb, rest % conv->kb * conv->b + lane, i, j};
}

/* Element of x; 0 in the padding. */
static double x_at(const struct conv_shape *conv, const float *x, int64_t n, int64_t c,
                   int64_t i, int64_t j)
{
    const int64_t b = conv->x_plain ? 1 : conv->b;
    const int64_t blocks = conv->x_plain ? conv->c : conv->cb;

    if (i < 0 || i >= conv->h || j < 0 || j >= conv->w)
        return 0;
    return (double)x[(((n * blocks + c / b) * conv->h + i) * conv->w + j) * b + c % b];
}

static int conv_reference(const struct simdbench_operands *operands, const char *semiring,
                          const uint64_t *index, uint64_t n, void *value, double *slack)
{
    const struct conv_shape conv = conv_shape_of(operands->shape);
    const float *x = operands->operand[0]->data;
    const int64_t terms = conv.cg * conv.r * conv.s;

    if (semiring)
        return -EINVAL;
    for (uint64_t e = 0; e < n; e++) {
        const struct point at = point_of(&conv, index ? index[e] : e);
        double sum = 0, magnitude = 0;
        if (at.k < conv.k) {
            const float *weight =
                (const float *)operands->operand[1]->data + at.k * terms;
            const int64_t first = at.k / conv.kg * conv.cg;
            for (int64_t c = 0; c < conv.cg; c++)
                for (int64_t a = 0; a < conv.r; a++)
                    for (int64_t t = 0; t < conv.s; t++) {
                        const double product = x_at(&conv, x, at.n, first + c,
                                                    at.i * conv.u - conv.p + a * conv.d,
                                                    at.j * conv.v - conv.q + t * conv.d) *
                                               (double)*weight++;
                        sum += product;
                        magnitude += fabs(product);
                    }
        }
        ((float *)value)[e] = (float)sum;
        /* Each product may lose a denormal besides. */
        slack[e] = at.k < conv.k ? (double)(terms + 2) *
                                       (FLT_EPSILON / 2 * magnitude + FLT_TRUE_MIN)
                                 : 0;
    }
    return 0;
}

const struct simdbench_op conv_op = {
    .size = sizeof conv_op,
    .name = "conv",
    .summary = "2-D convolution of images with several channels, as in neural networks",
    .shape_help = "n1c16h64w64k16r3s3u1v1p0q0d1g1: batch n, channels c, height h, width "
                  "w, output channels k, kernel r x s, stride u x v, padding p x q, "
                  "dilation d, groups g; what is left out is 1, padding 0; a number "
                  "alone is the side of a square image: 64 is n1c32h64w64k32r3s3p1q1",
    .default_shapes = "n1c16h64w64k16r3s3,n1c64h56w56k64r3s3p1q1,n1c256h14w14k256,"
                      "n1c32h112w112k32r3s3p1q1g32",
    .parse = conv_parse,
    .format = conv_format,
    .layout = conv_layout,
    .fill = conv_fill,
    .reference = conv_reference,
    .work = conv_work,
    .layouts = "nchw,nchw8c,nchw16c",
    .relayout = conv_relayout,
    .layout_of = conv_layout_of,
    .lists = conv_shape_lists,
    .inputs = "uniform:-1..1, uniform:LO..HI, normal, saturated, subnormal, zero",
};

const struct op_row conv_row = {
    .op = &conv_op,
    .libraries = OP_LIST("onednn"),
    .examples = OP_LIST("--shape=n16c16h512w512k16r3s3",
                        "--shapes=resnet50,mobilenet --layout=nchw16c",
                        "--shapes=my_layers.txt --isa=all --dry-run"),
    .threads_sizes =
        "n1c16h4w4k16r3s3,n1c16h8w8k16r3s3,n1c16h16w16k16r3s3,n1c16h32w32k16r3s3,"
        "n1c16h64w64k16r3s3,n1c64h56w56k64r3s3p1q1,n16c16h128w128k16r3s3",
    .license = {.turn = 4,
                .layout = "nchw",
                .sizes = "n1c16h14w14k16r3s3,n1c16h28w28k16r3s3,n1c32h28w28k32r3s3"},
    .split = conv_split,
};
