/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that every op has, for every element type. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels.h"
#include "vector_input.h"

/* ---- integers and blocks ---- */

/* Both ends as bits, filled up by their sign. */
struct span {
    uint64_t low, high;
};

/* All that the type has. */
static struct span span_of(uint32_t type)
{
    const unsigned bits = 8 * (unsigned)type_bytes(type);
    const uint64_t all = UINT64_MAX >> (64 - bits);
    return type_kind(type) == TYPE_SIGNED ? (struct span){~(all >> 1), all >> 1}
                                          : (struct span){0, all};
}

static bool is_above(uint32_t type, uint64_t a, uint64_t b)
{
    return type_kind(type) == TYPE_SIGNED ? (int64_t)a > (int64_t)b : a > b;
}

/* Reads "LO..HI", whole numbers within the type. */
static bool read_span(uint32_t type, const char *text, struct span *span)
{
    const struct span all = span_of(type);
    uint64_t *const ends[] = {&span->low, &span->high};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        char *end;
        const bool negative = *text == '-';
        if (text[negative] < '0' || text[negative] > '9' ||
            (negative && type_kind(type) != TYPE_SIGNED))
            return false;
        errno = 0;
        *ends[i] = type_kind(type) == TYPE_SIGNED ? (uint64_t)strtoll(text, &end, 10)
                                                  : strtoull(text, &end, 10);
        if (errno || is_above(type, all.low, *ends[i]) ||
            is_above(type, *ends[i], all.high) || strncmp(end, i ? "" : "..", 2) != 0)
            return false;
        text = end + 2;
    }
    return !is_above(type, span->low, span->high);
}

static uint64_t draw_span(const struct span *span, uint64_t *seed)
{
    const uint64_t width = span->high - span->low + 1, draw = random_next(seed);
    return span->low + (width ? (uint64_t)((unsigned __int128)draw * width >> 64) : draw);
}

/* A bell over the whole range, by the mean of four. */
static uint64_t draw_bell(uint32_t type, uint64_t *seed)
{
    const struct span all = span_of(type);
    unsigned __int128 sum = 0;
    for (int i = 0; i < 4; i++)
        sum += draw_span(&all, seed) - all.low;
    return all.low + (uint64_t)(sum / 4);
}

static void fill_bits(const struct simdbench_operand *operand, uint64_t seed)
{
    const uint64_t bytes = operand_bytes(operand);
    for (uint64_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        const uint64_t draw = random_next(&seed), left = bytes - at;
        memcpy((char *)operand->data + at, &draw,
               left < sizeof draw ? left : sizeof draw);
    }
}

/* -EINVAL: no such name for whole numbers. */
static int fill_whole(const struct simdbench_operand *operand, uint64_t seed,
                      const char *input)
{
    const uint32_t type = operand->type;
    const bool bell = !strcmp(input, "normal");
    const size_t size = type_bytes(type);
    struct span span = span_of(type);
    if (!strcmp(input, "zero"))
        span = (struct span){0, 0};
    else if (strncmp(input, "indices:", 8) == 0) {
        /* The end is the length of what they point into. */
        if (!read_span(type, input + 8, &span) || !is_above(type, span.high, span.low) ||
            is_above(type, 0, span.low))
            return -EINVAL;
        span.high--;
    } else if (!bell &&
               (strncmp(input, "uniform:", 8) != 0 || !read_span(type, input + 8, &span)))
        return -EINVAL;
    for (uint64_t i = 0; i < operand->count; i++) {
        const uint64_t value = bell ? draw_bell(type, &seed) : draw_span(&span, &seed);
        memcpy((char *)operand->data + i * size, &value, size);
    }
    return 0;
}

/* ---- files ---- */

/* Reads as much as the operand takes, and repeats it until the operand is full. */
static int fill_file(const struct simdbench_operand *operand, const char *path)
{
    const uint64_t bytes = operand_bytes(operand);
    char *const data = operand->data;
    uint64_t used = 0;
    struct stat facts;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return -errno;
    int status = fstat(file, &facts) < 0   ? -errno
                 : !S_ISREG(facts.st_mode) ? -ENODATA
                 : bytes && !facts.st_size ? -ENODATA
                                           : 0;
    while (status == 0 && used < bytes) {
        const uint64_t left = bytes - used;
        const ssize_t n = read(file, data + used, left < INT_MAX ? left : INT_MAX);
        if (n < 0 && errno != EINTR)
            status = -errno;
        if (n == 0)
            break;
        used += n > 0 ? (uint64_t)n : 0;
    }
    close(file);
    if (status == 0 && bytes && !used)
        status = -ENODATA;
    for (uint64_t at = used; status == 0 && at < bytes; at += used)
        memcpy(data + at, data, bytes - at < used ? bytes - at : used);
    return status;
}

/* ---- all ---- */

/* Each value stands 1 to 32 times in a row. */
static void make_runs(const struct simdbench_operand *operand, uint64_t seed)
{
    const size_t size = type_bytes(operand->type);
    char *const data = operand->data;
    for (uint64_t i = 0; i < operand->count;) {
        const uint64_t length = 1 + random_next(&seed) % 32, first = i++;
        for (; i < operand->count && i < first + length; i++)
            memcpy(data + i * size, data + first * size, size);
    }
}

bool input_is_ordered(const char *input)
{
    return input && (!strncmp(input, "sorted", 6) || !strncmp(input, "runs", 4) ||
                     !strncmp(input, "file:", 5));
}

int input_fill_operand(const struct simdbench_operand *operand, uint64_t seed,
                       const char *input)
{
    const enum type_kind kind = type_kind(operand->type);
    const bool sorted = input && !strcmp(input, "sorted");
    const bool runs = input && !strcmp(input, "runs");
    if (input && strncmp(input, "file:", 5) == 0)
        return fill_file(operand, input + 5);
    if (!input || sorted || runs) {
        if (kind == TYPE_FLOAT)
            vector_fill(operand->data, operand->type, operand->count, seed, NULL);
        else
            fill_bits(operand, seed);
        if (runs)
            make_runs(operand, ~seed);
        return sorted ? operand_sort(operand) : 0;
    }
    if (kind == TYPE_FLOAT)
        return vector_fill(operand->data, operand->type, operand->count, seed, input);
    return kind == TYPE_OPAQUE ? -EINVAL : fill_whole(operand, seed, input);
}

/* All operands that are no outputs, each by a seed of its own. */
static int input_fill(const struct simdbench_operands *operands, uint64_t seed,
                      const char *input)
{
    int status = 0;
    for (uint32_t i = 0; i < operands->count && status == 0; i++) {
        const struct simdbench_operand *const operand = operands->operand[i];
        const uint64_t own = random_next(&seed);
        if (!operand_is_output(operand))
            status = input_fill_operand(operand, own, input);
    }
    return status;
}

int op_fill(const struct simdbench_op *op, const struct simdbench_operands *operands,
            uint64_t seed, const char *input)
{
    char first[64] = "";
    int status = op->fill ? op->fill(operands, seed, input) : -EINVAL;
    if (status != -EINVAL || op->flags & SIMDBENCH_JOINT || (op->fill && !input))
        return status;
    if (!input && op->inputs)
        snprintf(first, sizeof first, "%.*s", (int)strcspn(op->inputs, ", "), op->inputs);
    return input_fill(operands, seed, input ? input : *first ? first : NULL);
}
