/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An op with all that an op may have: y = x / 3, shape N, or mN for layout "mirrored", in
 * which y is the other way round. Options of the module, for what a library may do:
 * isa=NAME is what its library rows chose, spare=N leaves N threads alive, name=NAME is
 * what the library calls its core.
 */
#include "simdbench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAIN, MIRRORED };

/* ---- the op ---- */

static int third_parse(const char *text, struct simdbench_shape *shape, char *error,
                       size_t error_size)
{
    const char *digits = text + (*text == 'm');
    char *end;
    long long n = strtoll(digits, &end, 10);
    if (end == digits || *end || n < 0 || n > 1000000000) {
        snprintf(error, error_size, "'%s' is neither N nor mN", text);
        return -EINVAL;
    }
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = 2};
    shape->dim[0] = n;
    shape->dim[1] = *text == 'm' ? MIRRORED : PLAIN;
    return 0;
}

static void third_format(const struct simdbench_shape *shape, char *text,
                         size_t text_size)
{
    snprintf(text, text_size, "%s%" PRId64, shape->dim[1] == MIRRORED ? "m" : "",
             shape->dim[0]);
}

static int third_relayout(struct simdbench_shape *shape, const char *layout, char *error,
                          size_t error_size)
{
    const int wanted = strcmp(layout, "plain") == 0      ? PLAIN
                       : strcmp(layout, "mirrored") == 0 ? MIRRORED
                                                         : -1;
    if (wanted < 0)
        return -EINVAL;
    if (wanted == MIRRORED && shape->dim[0] % 2 != 0) {
        snprintf(error, error_size, "an odd number of elements cannot be mirrored");
        return -ENOTSUP;
    }
    shape->dim[1] = wanted;
    return 0;
}

static const char *third_layout_of(const struct simdbench_shape *shape)
{
    return shape->dim[1] == MIRRORED ? "mirrored" : "plain";
}

static int third_layout(const struct simdbench_shape *shape, uint32_t type,
                        struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    for (int i = 0; i < 2; i++) {
        operand[i]->type = type;
        operand[i]->role = i == 0 ? SIMDBENCH_IN : SIMDBENCH_OUT;
        operand[i]->count = (uint64_t)shape->dim[0];
        operand[i]->ld = shape->dim[0];
    }
    return 2;
}

static int third_fill(const struct simdbench_operands *operands, uint64_t seed,
                      const char *input)
{
    float *in = operands->operand[0]->data;
    float low = -1, high = 1;
    if (input && strcmp(input, "zero") == 0)
        low = high = 0;
    else if (input && strncmp(input, "uniform:", 8) == 0 && strstr(input, "..")) {
        low = strtof(input + 8, NULL);
        high = strtof(strstr(input, "..") + 2, NULL);
    } else if (input && strcmp(input, "unit") != 0)
        return -EINVAL;
    for (uint64_t i = 0; i < operands->operand[0]->count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        in[i] = low + (high - low) * (float)(seed >> 40) * 0x1p-24f;
    }
    return 0;
}

/* The input that belongs to an output. */
static float third_input(const struct simdbench_operands *operands, uint64_t position)
{
    const uint64_t last = operands->operand[0]->count - 1;
    const float *in = operands->operand[0]->data;
    return in[operands->shape->dim[1] == MIRRORED ? last - position : position];
}

static int third_reference(const struct simdbench_operands *operands,
                           const char *semiring, const uint64_t *index, uint64_t n,
                           void *value, double *slack)
{
    if (semiring)
        return -EINVAL;
    for (uint64_t i = 0; i < n; i++) {
        double right = (double)third_input(operands, index ? index[i] : i) / 3;
        ((float *)value)[i] = (float)right;
        slack[i] = fabs(right) * 0x1p-21;
    }
    return 0;
}

static int third_accuracy(const struct simdbench_operands *operands,
                          const uint64_t *index, uint64_t n,
                          struct simdbench_accuracy *accuracy)
{
    const float *out = operands->operand[1]->data;
    double sum = 0, most = -1;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t position = index ? index[i] : i;
        const float x = third_input(operands, position);
        const double right = (double)x / 3;
        int exponent = 0;
        frexp(right, &exponent);
        const double gap = ldexp(1, exponent - 24);
        const double ulp = right == 0 ? 0 : fabs((double)out[position] - right) / gap;
        sum += ulp;
        if (ulp > most) {
            most = ulp;
            accuracy->worst_input = (double)x;
        }
    }
    accuracy->max_ulp = fmax(most, 0);
    accuracy->mean_ulp = n > 0 ? sum / (double)n : 0;
    return 0;
}

static void third_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                       double *bytes)
{
    *ops = (double)shape->dim[0];
    *bytes = 8 * *ops;
}

static const struct simdbench_shape_list tiny = {.size = sizeof tiny,
                                                 .name = "tiny",
                                                 .summary = "shapes that take no time",
                                                 .shapes = "100 101 m50"};
static const struct simdbench_shape_list large = {.size = sizeof large,
                                                  .name = "large",
                                                  .summary =
                                                      "more elements than are checked",
                                                  .shapes = "200000"};

static const struct simdbench_op third_op = {
    .size = sizeof third_op,
    .name = "third",
    .summary = "a third of every input",
    .shape_help = "N, or mN for mirrored outputs",
    .default_shapes = "1000",
    .parse = third_parse,
    .format = third_format,
    .layout = third_layout,
    .fill = third_fill,
    .reference = third_reference,
    .work = third_work,
    .layouts = "plain,mirrored",
    .relayout = third_relayout,
    .layout_of = third_layout_of,
    .lists = (const struct simdbench_shape_list *const[]){&tiny, &large, NULL},
    .inputs = "unit, uniform:LO..HI, zero",
    .accuracy = third_accuracy,
    .accuracy_inputs = "unit uniform:1..4 zero",
    .accuracy_shape = "3000"};

/* ---- its kernels ---- */

static const char *library_isa;

static void divide(const struct simdbench_operands *operands, void *state)
{
    float *out = operands->operand[1]->data;
    for (uint64_t i = 0; i < operands->operand[1]->count; i++)
        out[i] = third_input(operands, i) / 3;
}

static void multiply(const struct simdbench_operands *operands, void *state)
{
    float *out = operands->operand[1]->data;
    for (uint64_t i = 0; i < operands->operand[1]->count; i++)
        out[i] = third_input(operands, i) * 0.333333343f;
}

static void library_choice(const struct simdbench_operands *operands, const void *state,
                           struct simdbench_choice *choice)
{
    choice->implementation = operands->shape->dim[0] < 500 ? "loop" : "loop, long";
    choice->isa = library_isa;
    choice->note = "counts itself among the best";
    choice->workspace_bytes = 4096;
}

#define ROW(name, isa_, layout_, variant_, run_, ...)                   \
    static const struct simdbench_kernel name = {.size = sizeof name,   \
                                                 .type = SIMDBENCH_F32, \
                                                 .op = "third",         \
                                                 .isa = isa_,           \
                                                 .layout = layout_,     \
                                                 .variant = variant_,   \
                                                 .run = run_,           \
                                                 __VA_ARGS__}
ROW(divide_plain, "scalar", "plain", "divide", divide, .max_ulp = 0.5, .mean_ulp = 0.25);
ROW(divide_mirrored, "scalar", "mirrored", "divide", divide, .roof = NULL);
ROW(multiply_any, "scalar", NULL, "multiply", multiply, .roof = NULL);
#if defined(__aarch64__)
ROW(multiply_narrow, "neon", "plain", "multiply", multiply, .roof = NULL);
#else
ROW(multiply_narrow, "sse2", "plain", "multiply", multiply, .roof = NULL);
#endif
ROW(library_any, "lib", NULL, "chosen", divide, .choice = library_choice);

/* ---- the module ---- */

static const char *core_name;

static void *idle(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static int third_open(const struct simdbench_option *const *options, size_t n,
                      char *error, size_t error_size)
{
    for (size_t i = 0; i < n; i++) {
        pthread_t thread;
        if (strcmp(options[i]->name, "isa") == 0)
            library_isa = strdup(options[i]->value);
        else if (strcmp(options[i]->name, "name") == 0)
            core_name = strdup(options[i]->value);
        else if (strcmp(options[i]->name, "spare") == 0)
            for (int k = 0; k < atoi(options[i]->value); k++)
                pthread_create(&thread, NULL, idle, NULL);
        else {
            snprintf(error, error_size, "no such option: %s", options[i]->name);
            return -EINVAL;
        }
    }
    return 0;
}

static int third_describe(struct simdbench_description *description)
{
    description->version = "1.0";
    description->core = core_name;
    return 0;
}

static const struct simdbench_module third = {
    .size = sizeof third,
    .abi = SIMDBENCH_ABI,
    .name = "third",
    .ops = (const struct simdbench_op *const[]){&third_op, NULL},
    .kernels = (const struct simdbench_kernel *const[]){&divide_plain, &divide_mirrored,
                                                        &multiply_any, &multiply_narrow,
                                                        &library_any, NULL},
    .open = third_open,
    .describe = third_describe};

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    return &third;
}
