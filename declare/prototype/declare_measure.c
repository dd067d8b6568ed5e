/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and values of a prototype at a shape. */
#include <inttypes.h>

#include "declare_private.h"

static int measure_planes(const struct declared_argument *argument,
                          const int64_t *dimension, int64_t *planes, struct error *error)
{
    *planes = 1;
    if (!argument->planes.n)
        return 0;
    const int status = extent_value(&argument->planes, dimension, planes, error);
    return status < 0 || (*planes >= 0 && *planes <= PLANES_MAX)
               ? status
               : invalid(error,
                         "%s would have %" PRId64 " pointers; 0 to %d are possible",
                         argument->name, *planes, PLANES_MAX);
}

static int measure_array(const struct declared_argument *argument,
                         const int64_t *dimension, uint32_t i,
                         struct declared_sizes *sizes, struct error *error)
{
    const uint64_t size = ctype_bytes(argument->type);
    int64_t value = 0, planes = 0;
    int status = extent_value(&argument->count, dimension, &value, error)
                     ?: measure_planes(argument, dimension, &planes, error);
    if (status < 0)
        return status;
    if (value < 0)
        return invalid(error, "%s would have %" PRId64 " elements", argument->name,
                       value);
    uint64_t bytes;
    if (__builtin_mul_overflow((uint64_t)value, size * (uint64_t)(planes ? planes : 1),
                               &bytes) ||
        bytes > DECLARED_BYTES_MAX)
        return error_set(error, -EOVERFLOW,
                         "%s would have %" PRId64 " elements, more than memory holds",
                         argument->name, value);
    const uint64_t align = argument->planes.n ? PLANE_ALIGN / size : 1;
    sizes->planes[i] = (uint64_t)planes;
    sizes->plane[i] = (uint64_t)value;
    sizes->stride[i] = ((uint64_t)value + align - 1) / align * align;
    sizes->count[i] = sizes->stride[i] * (uint64_t)planes;
    sizes->bytes[i] = (uint64_t)planes * (uint64_t)value * size;
    return 0;
}

static int measure_integer(const struct declared_argument *argument,
                           const int64_t *dimension, int64_t *value, struct error *error)
{
    int64_t lo, hi;
    int status = 0;
    *value = 0;
    if (argument->kind == ARGUMENT_DIMENSION)
        *value = dimension[argument->dimension];
    else
        status = extent_value(&argument->integer, dimension, value, error);
    ctype_range(argument->type, &lo, &hi);
    const bool beyond =
        argument->type == CTYPE_U64 && extent_is_beyond(&argument->integer);
    if (status == 0 && !beyond && (*value < lo || *value > hi))
        status = invalid(
            error, "%s would be %" PRId64 ", and a %s holds %" PRId64 " to %" PRId64,
            argument->name, *value, ctype_name(argument->type), lo, hi);
    return status;
}

/* A place may be one element before or behind its array: loops from 1 to n, and ends. */
static int measure_place(const struct declaration *declaration, uint32_t i,
                         const int64_t *dimension, struct declared_sizes *sizes,
                         struct error *error)
{
    const struct declared_argument *const argument = &declaration->argument[i];
    const uint64_t count = sizes->count[argument->within];
    int64_t *const at = &sizes->integer[i];
    const int status = extent_value(&argument->integer, dimension, at, error);
    return status < 0 || (*at >= -(int64_t)argument->each && *at <= (int64_t)count)
               ? status
               : invalid(error,
                         "%s would be element %" PRId64 " of %s, which has %" PRIu64,
                         argument->name, *at,
                         declaration->argument[argument->within].name, count);
}

static bool has_integer(const struct declared_argument *argument)
{
    return argument->kind == ARGUMENT_DIMENSION || argument->kind == ARGUMENT_INTEGER ||
           argument->kind == ARGUMENT_LENGTH;
}

int declaration_measure(const struct declaration *declaration, const int64_t *dimension,
                        struct declared_sizes *sizes, struct error *error)
{
    int status = 0;
    *sizes = (struct declared_sizes){.in_bytes = 0};
    for (uint32_t i = 0; i < declaration->n && status == 0; i++) {
        const struct declared_argument *const argument = &declaration->argument[i];
        if (argument->kind == ARGUMENT_ARRAY)
            status = measure_array(argument, dimension, i, sizes, error);
        else if (has_integer(argument) && !ctype_is_float(argument->type))
            status = measure_integer(argument, dimension, &sizes->integer[i], error);
        sizes->in_bytes += argument->role & ARGUMENT_IN ? sizes->bytes[i] : 0;
        sizes->out_bytes += argument->role & ARGUMENT_OUT ? sizes->bytes[i] : 0;
    }
    for (uint32_t i = 0; i < declaration->n && status == 0; i++)
        if (declaration->argument[i].kind == ARGUMENT_WITHIN)
            status = measure_place(declaration, i, dimension, sizes, error);
    return status;
}
