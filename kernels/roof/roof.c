/* SPDX-License-Identifier: Apache-2.0 */
#include "roof.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Reads "2r1w:", if it is there. False: there are too many or none. */
static bool read_streams(const char **text, int64_t streams[2])
{
    const char *at = *text;
    const char *const colon = strchr(at, ':');
    if (!colon)
        return true;
    for (int i = 0; i < 2; i++, at++) {
        streams[i] = read_number(&at);
        if (streams[i] < 0 || streams[i] > ROOF_STREAMS_MAX || *at != "rw"[i])
            return false;
    }
    *text = at + 1;
    return at == colon && streams[0] + streams[1] > 0;
}

static int roof_parse(const char *text, struct simdbench_shape *shape, char *error,
                      size_t error_size)
{
    *shape = (struct simdbench_shape){.size = sizeof *shape};
    if (strcmp(text, "registers") == 0)
        return 0;
    const char *end = text;
    int64_t streams[2] = {1, 1};
    errno = 0;
    if (!read_streams(&end, streams)) {
        snprintf(error, error_size,
                 "'%s' does not begin with 0 to %d streams that are read and written, as "
                 "in 2r1w:4096",
                 text, ROOF_STREAMS_MAX);
        return -EINVAL;
    }
    const bool plain = end == text;
    const long long bytes = read_number(&end);
    const long long passes = *end == 'x' && end > text ? (end++, read_number(&end)) : 1;
    if (bytes < 0 || passes < 1 || *end) {
        snprintf(error, error_size,
                 "'%s' is neither 'registers' nor a number of bytes, BYTESxPASSES or "
                 "KrMw:BYTES",
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
    shape->rank = !plain ? 5 : passes > 1 ? 3 : 1;
    shape->dim[0] = bytes;
    if (shape->rank > 1) {
        shape->dim[1] = passes;
        shape->dim[2] = ROOF_SHAPE;
    }
    if (!plain)
        memcpy(&shape->dim[3], streams, sizeof streams);
    return 0;
}

static void roof_format(const struct simdbench_shape *shape, char *text, size_t text_size)
{
    if (shape->rank == 0)
        snprintf(text, text_size, "registers");
    else if (shape->rank == 1)
        snprintf(text, text_size, "%" PRId64, shape->dim[0]);
    else {
        char streams[32] = "", passes[24] = "";
        if (shape->rank == 5)
            snprintf(streams, sizeof streams, "%" PRId64 "r%" PRId64 "w:", shape->dim[3],
                     shape->dim[4]);
        if (shape->dim[1] > 1)
            snprintf(passes, sizeof passes, "x%" PRId64, shape->dim[1]);
        snprintf(text, text_size, "%s%" PRId64 "%s", streams, shape->dim[0], passes);
    }
}

static int roof_layout(const struct simdbench_shape *shape, uint32_t type,
                       struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int read = shape->rank == 5 ? (int)shape->dim[3] : 1;
    const int written = shape->rank == 5 ? (int)shape->dim[4] : 1;
    if (shape->rank == 0)
        return 0;
    uint64_t count = (uint64_t)shape->dim[0] / type_bytes(type);
    for (int i = 0; i < read + written; i++) {
        operand[i]->type = type;
        operand[i]->role = i < read ? SIMDBENCH_IN : SIMDBENCH_OUT;
        operand[i]->count = count;
        operand[i]->ld = (int64_t)count;
    }
    return read + written;
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
    (void)operands, (void)semiring, (void)index, (void)n, (void)value, (void)slack;
    return -ENOTSUP;
}

/* Kernels that move bytes say themselves how many. */
static void roof_work(const struct simdbench_shape *shape, uint32_t type, double *ops,
                      double *bytes)
{
    (void)type;
    *ops = shape->rank == 0 ? 2.0 * ROOF_PAIRS : 0;
    *bytes = shape->rank == 0 ? 0 : (double)shape->dim[0] * (double)roof_passes(shape);
}

const struct simdbench_op roof_op = {
    .size = sizeof roof_op,
    .name = "roof",
    .summary = "limits of this machine: instruction mixes and memory bandwidth",
    .shape_help =
        "registers, or BYTES of each buffer, or BYTESxPASSES: so often over them a call; "
        "2r1w:BYTES: row stream reads two buffers and writes one",
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
    (void)operands;
    *ops = 2.0 * ROOF_PAIRS;
    *bytes = 0;
}

/* ---- memory streams ---- */

int roof_memory_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    if (operands->count == 0) {
        snprintf(error, error_size, "it moves memory: the shape must be a byte count");
        return -ENOTSUP;
    }
    struct roof_state *const made = calloc(1, sizeof *made);
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    double written = 0;
    for (uint32_t i = 0; i < operands->count; i++)
        if (operands->operand[i]->role == SIMDBENCH_OUT)
            written += (double)operands->operand[i]->count *
                       (double)type_bytes(operands->operand[i]->type);
    if (!made)
        return -ENOMEM;
    made->past = cache > 0 && written > (double)cache;
    *state = made;
    return 0;
}

void roof_memory_release(void *state)
{
    free(state);
}

void roof_memory_choice(const struct simdbench_operands *operands, const void *state,
                        struct simdbench_choice *choice)
{
    (void)operands;
    (void)state;
    (void)choice;
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

void roof_update_work(const struct simdbench_operands *operands, double *ops,
                      double *bytes)
{
    *ops = 0;
    *bytes = 2 * traffic_of(operands).written;
}

void roof_stream_work(const struct simdbench_operands *operands, double *ops,
                      double *bytes)
{
    const struct traffic traffic = traffic_of(operands);
    *ops = 0;
    *bytes = traffic.read + traffic.written;
}

const struct op_row roof_row = {.op = &roof_op, .split = split_by_elements};
