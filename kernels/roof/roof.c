/* SPDX-License-Identifier: Apache-2.0 */
#include "roof.h"

#include <inttypes.h>

#include "kernels.h"
#include "prototypes.h"
#include "split_rules.h"

/* The number at *text, which moves behind it; -1 if there is none. */
static long long read_number(const char **text)
{
    char *end = NULL;
    const bool digit = **text >= '0' && **text <= '9';
    const long long number = strtoll(*text, &end, 10);
    *text = end;
    return digit ? number : -1;
}

static int roof_parse(const char *text, struct simdbench_shape *shape, char *error,
                      size_t error_size)
{
    *shape = (struct simdbench_shape){.size = sizeof *shape};
    if (strcmp(text, "registers") == 0)
        return 0;
    const char *end = text;
    errno = 0;
    const long long bytes = read_number(&end);
    const long long passes = *end == 'x' && end > text ? (end++, read_number(&end)) : 1;
    if (bytes < 0 || passes < 1 || *end) {
        snprintf(error, error_size,
                 "'%s' is neither 'registers' nor a number of bytes, nor BYTESxPASSES",
                 text);
        return -EINVAL;
    }
    if (errno == ERANGE || passes > ROOF_PASSES_MAX) {
        snprintf(error, error_size, "%s bytes are too many", text);
        return -EOVERFLOW;
    }
    if (bytes % 8) {
        snprintf(error, error_size, "%s is no multiple of 8 bytes", text);
        return -EINVAL;
    }
    shape->rank = passes > 1 ? 3 : 1;
    shape->dim[0] = bytes;
    if (passes > 1) {
        shape->dim[1] = passes;
        shape->dim[2] = ROOF_SHAPE;
    }
    return 0;
}

static void roof_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    if (shape->rank == 0)
        snprintf(text, text_size, "registers");
    else if (shape->rank == 1)
        snprintf(text, text_size, "%" PRId64, shape->dim[0]);
    else
        snprintf(text, text_size, "%" PRId64 "x%" PRId64, shape->dim[0], shape->dim[1]);
}

static int roof_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    static const uint32_t roles[] = {SIMDBENCH_IN, SIMDBENCH_OUT};
    if (shape->rank == 0)
        return 0;
    uint64_t count = (uint64_t)shape->dim[0] / type_bytes(type);
    for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
        operand[i]->type = type;
        operand[i]->role = roles[i];
        operand[i]->count = count;
        operand[i]->ld = (int64_t)count;
    }
    return ARRAY_LEN(roles);
}

static int roof_fill(const struct simdbench_operands *operands, uint64_t seed,
                     const char *input)
{
    if (input)
        return -EINVAL;
    for (uint32_t i = 0; i < operands->count; i++) {
        const struct simdbench_operand *operand = operands->operand[i];
        if (operand->role == SIMDBENCH_OUT)
            continue;
        /* Any finite numbers that differ will do. */
        for (uint64_t e = 0; e < operand->count; e++) {
            uint64_t value = (seed + e) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
            if (operand->type == SIMDBENCH_F32)
                ((float *)operand->data)[e] = (float)value;
            else if (operand->type == SIMDBENCH_F64)
                ((double *)operand->data)[e] = (double)value;
        }
    }
    return 0;
}

static int roof_reference(const struct simdbench_operands *operands, const char *semiring,
                          const uint64_t *index, uint64_t n, void *value, double *slack)
{
    return -ENOTSUP;
}

/* Kernels that move bytes say themselves how many. */
static void roof_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                      double *bytes)
{
    *ops = shape->rank == 0 ? 2.0 * ROOF_PAIRS : 0;
    *bytes = shape->rank == 0 ? 0 : (double)shape->dim[0] * (double)roof_passes(shape);
}

const struct simdbench_op roof_op = {
    .size = sizeof roof_op,
    .name = "roof",
    .summary = "limits of this machine: instruction mixes and memory bandwidth",
    .shape_help =
        "registers, or BYTES of each buffer, or BYTESxPASSES: so often over them a call",
    .default_shapes = "registers,16Ki,256Ki,8Mi,64Mi",
    .parse = roof_parse,
    .format = roof_format,
    .layout = roof_layout,
    .fill = roof_fill,
    .reference = roof_reference,
    .work = roof_work,
};

void roof_registers_work(const struct simdbench_operands *operands, double *ops,
                         double *bytes)
{
    *ops = 2.0 * ROOF_PAIRS;
    *bytes = 0;
}

/* ---- memory streams ---- */

/* Together they stay in the first cache, and a pass takes hundreds of cycles. Operands of
 * more than half of it get memory of their own too, but no longer passes. */
#define LONGER_BYTES 16384

/* Passes over copies of the operands, end to end: fewer, which are longer. They begin
 * within a line as the operands do, and far from each other within a page. */
static int lengthen(struct roof_streams *streams,
                    const struct simdbench_operands *operands)
{
    struct operands_map map = {.count = operands->count};
    const int64_t passes = streams->passes;
    uint64_t bytes = 0, times = 1;
    for (uint32_t i = 0; i < map.count; i++)
        bytes += operand_bytes(operands->operand[i]);
    while (streams->passes % 2 == 0 && 2 * times * bytes <= LONGER_BYTES) {
        streams->passes /= 2;
        times *= 2;
    }
    if (passes == 1 || bytes > LONGER_BYTES)
        return 0;
    for (uint32_t i = 0; i < map.count; i++) {
        map.operand[i] = *operands->operand[i];
        map.operand[i].count *= times;
    }
    const int status = operands_offsets(&map, OPERANDS_PAGE, 0, NULL);
    if (status < 0)
        return status;
    operands_spread(&map);
    for (uint32_t i = 0; i < map.count; i++)
        map.offset[i] += (uintptr_t)operands->operand[i]->data % 64;
    streams->longer = malloc(sizeof *streams->longer);
    streams->memory = aligned_alloc(OPERANDS_PAGE, map.bytes);
    if (!streams->longer || !streams->memory)
        return -ENOMEM;
    memset(streams->memory, 0, map.bytes);
    operands_bind(streams->longer, &map, operands->shape, 1, streams->memory);
    return 0;
}

int roof_memory_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    if (operands->count == 0) {
        snprintf(error, error_size, "it moves memory: the shape must be a byte count");
        return -ENOTSUP;
    }
    struct roof_streams *const streams = calloc(1, sizeof *streams);
    if (!streams)
        return -ENOMEM;
    streams->passes = roof_passes(operands->shape);
    const int status = lengthen(streams, operands);
    if (status < 0)
        roof_memory_release(streams);
    else
        *state = streams;
    return status;
}

void roof_memory_release(void *state)
{
    struct roof_streams *const streams = state;
    free(streams->longer);
    free(streams->memory);
    free(streams);
}

void roof_memory_choice(const struct simdbench_operands *operands, const void *state,
                        struct simdbench_choice *choice)
{
}

struct traffic {
    double read, written, first_in, first_out;
};

static struct traffic traffic_of(const struct simdbench_operands *operands)
{
    struct traffic traffic = {0};
    for (uint32_t i = operands->count; i-- > 0;) {
        const struct simdbench_operand *operand = operands->operand[i];
        double bytes = (double)operand->count * (double)type_bytes(operand->type);
        if (operand->role != SIMDBENCH_OUT)
            traffic.read += bytes;
        if (operand->role == SIMDBENCH_OUT || operand->role == SIMDBENCH_INOUT)
            traffic.written += traffic.first_out = bytes;
        else
            traffic.first_in = bytes;
    }
    const double passes = (double)roof_passes(operands->shape);
    return (struct traffic){passes * traffic.read, passes * traffic.written,
                            passes * traffic.first_in, passes * traffic.first_out};
}

void roof_read_work(const struct simdbench_operands *operands, double *ops, double *bytes)
{
    *ops = 0;
    *bytes = traffic_of(operands).read;
}

void roof_write_work(const struct simdbench_operands *operands, double *ops,
                     double *bytes)
{
    *ops = 0;
    *bytes = traffic_of(operands).written;
}

void roof_copy_work(const struct simdbench_operands *operands, double *ops, double *bytes)
{
    struct traffic traffic = traffic_of(operands);
    *ops = 0;
    *bytes =
        2 * (traffic.first_in < traffic.first_out ? traffic.first_in : traffic.first_out);
}

bool roof_is_source(const struct simdbench_operands *operands, uint32_t i)
{
    const uint32_t role = operands->operand[i]->role;
    if (role == SIMDBENCH_OUT || role == SIMDBENCH_INOUT)
        return false;
    for (uint32_t k = 0; k < operands->count; k++)
        if (operands->operand[k]->role == SIMDBENCH_INOUT &&
            operands->operand[k]->source == i)
            return true;
    return false;
}

void roof_streams_work(const struct simdbench_operands *operands, double *ops,
                       double *bytes)
{
    *ops = *bytes = 0;
    for (uint32_t i = 0; i < operands->count; i++) {
        const struct simdbench_operand *const operand = operands->operand[i];
        const double size = (double)operand->count * (double)type_bytes(operand->type);
        if (!roof_is_source(operands, i))
            *bytes += (operand->role == SIMDBENCH_INOUT ? 2 : 1) * size *
                      (double)roof_passes(operands->shape);
    }
}

const struct op_row roof_row = {.op = &roof_op, .split = split_by_elements};
