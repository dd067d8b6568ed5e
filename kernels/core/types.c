/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: their names, and their elements as numbers. */
#include "kernels.h"

#include <math.h>

#include "half.h"
#include "poison.h"

/* A float has `digits` bits behind its leading one, and its least normal number is
 * 2^least. */
static const struct {
    const char *name;
    size_t bytes;
    enum type_kind kind;
    int digits, least;
} types[] = {
    [SIMDBENCH_F32] = {"f32", 4, TYPE_FLOAT, 23, -126},
    [SIMDBENCH_F64] = {"f64", 8, TYPE_FLOAT, 52, -1022},
    [SIMDBENCH_I32] = {"i32", 4, TYPE_SIGNED, 0, 0},
    [SIMDBENCH_I64] = {"i64", 8, TYPE_SIGNED, 0, 0},
    [SIMDBENCH_U8] = {"u8", 1, TYPE_UNSIGNED, 0, 0},
    [SIMDBENCH_I8] = {"i8", 1, TYPE_SIGNED, 0, 0},
    [SIMDBENCH_U16] = {"u16", 2, TYPE_UNSIGNED, 0, 0},
    [SIMDBENCH_I16] = {"i16", 2, TYPE_SIGNED, 0, 0},
    [SIMDBENCH_U32] = {"u32", 4, TYPE_UNSIGNED, 0, 0},
    [SIMDBENCH_U64] = {"u64", 8, TYPE_UNSIGNED, 0, 0},
    [SIMDBENCH_F16] = {"f16", 2, TYPE_FLOAT, 10, -14},
    [SIMDBENCH_BF16] = {"bf16", 2, TYPE_FLOAT, 7, -126},
};

/* ---- names ---- */

#define BLOCK "bytes"

/* The length of a block, or 0 for a type that is none. */
static uint32_t block_bytes(uint32_t type)
{
    return type > SIMDBENCH_BYTES(0) && type <= SIMDBENCH_BYTES(SIMDBENCH_BYTES_MAX)
               ? type - SIMDBENCH_BYTES(0)
               : 0;
}

const char *type_name(uint32_t type)
{
    static char blocks[SIMDBENCH_BYTES_MAX + 1][sizeof BLOCK "4096"];
    const uint32_t block = block_bytes(type);
    if (!block)
        return type < ARRAY_LEN(types) ? types[type].name : NULL;
    if (!blocks[block][0])
        snprintf(blocks[block], sizeof blocks[block], BLOCK "%u", block);
    return blocks[block];
}

uint32_t type_find(const char *name)
{
    for (uint32_t i = 1; i < ARRAY_LEN(types); i++) {
        if (strcmp(types[i].name, name) == 0)
            return i;
    }
    const char *digits = name + strlen(BLOCK);
    uint32_t block = 0;
    if (strncmp(name, BLOCK, strlen(BLOCK)) != 0 || *digits == '0')
        return 0;
    for (; *digits >= '0' && *digits <= '9' && block <= SIMDBENCH_BYTES_MAX; digits++)
        block = 10 * block + (uint32_t)(*digits - '0');
    return *digits || block_bytes(SIMDBENCH_BYTES(block)) == 0 ? 0
                                                               : SIMDBENCH_BYTES(block);
}

size_t type_bytes(uint32_t type)
{
    return type < ARRAY_LEN(types) ? types[type].bytes : block_bytes(type);
}

enum type_kind type_kind(uint32_t type)
{
    return type < ARRAY_LEN(types) ? types[type].kind : TYPE_OPAQUE;
}

int type_digits(uint32_t type)
{
    return type < ARRAY_LEN(types) ? types[type].digits : 0;
}

/* ---- elements ---- */

uint64_t type_bits(uint32_t type, const void *array, uint64_t i)
{
    const size_t size = type_bytes(type);
    const char *const from = (const char *)array + i * size;
    const bool negative = type_kind(type) == TYPE_SIGNED;
    uint64_t bits = 0;
    memcpy(&bits, from, size < sizeof bits ? size : sizeof bits);
    if (negative && size < sizeof bits && bits >> (8 * size - 1))
        bits |= UINT64_MAX << 8 * size;
    return bits;
}

double type_get(uint32_t type, const void *array, uint64_t i)
{
    const uint64_t bits = type_bits(type, array, i);
    const enum type_kind kind = type_kind(type);
    if (kind == TYPE_SIGNED)
        return (double)(int64_t)bits;
    if (kind != TYPE_FLOAT)
        return kind == TYPE_UNSIGNED ? (double)bits : 0;
    if (type == SIMDBENCH_F64) {
        double number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    if (type != SIMDBENCH_F16) {
        const uint32_t single = (uint32_t)bits << (type == SIMDBENCH_BF16 ? 16 : 0);
        float number;
        memcpy(&number, &single, sizeof number);
        return (double)number;
    }
    const uint64_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double number = ldexp((double)(mantissa + (exponent ? 1024 : 0)),
                          (int)(exponent ? exponent : 1) - 25);
    if (exponent == 31)
        number = mantissa ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -number : number;
}

double type_ulp(uint32_t type, double exact)
{
    if (type_kind(type) != TYPE_FLOAT)
        return 1;
    const int least = types[type].least, digits = types[type].digits;
    const double magnitude = fabs(exact);
    const int exponent =
        magnitude >= ldexp(1, least) && isfinite(magnitude) ? ilogb(magnitude) : least;
    return ldexp(1, exponent - digits);
}

/* Cut off to a whole number that fits; a NaN is 0. */
static uint64_t integer_bits(uint32_t type, double value)
{
    const int bits = (int)type_bytes(type) * 8;
    const bool negative = type_kind(type) == TYPE_SIGNED;
    const double least = negative ? -ldexp(1, bits - 1) : 0;
    const double beyond = ldexp(1, negative ? bits - 1 : bits);
    const uint64_t most = UINT64_MAX >> (negative ? 65 - bits : 64 - bits);
    if (isnan(value))
        return 0;
    if (value >= beyond)
        return most;
    const double fits = value < least ? least : value;
    return fits < 0 ? (uint64_t)(int64_t)fits : (uint64_t)fits;
}

void type_set(uint32_t type, void *array, uint64_t i, double value)
{
    const size_t size = type_bytes(type);
    char *const to = (char *)array + i * size;
    const float single = (float)value;
    if (type == SIMDBENCH_F64) {
        memcpy(to, &value, sizeof value);
    } else if (type == SIMDBENCH_F32) {
        memcpy(to, &single, sizeof single);
    } else if (type_kind(type) == TYPE_FLOAT) {
        const uint16_t bits = half_of(value, types[type].digits, 1 - types[type].least);
        memcpy(to, &bits, sizeof bits);
    } else if (type_kind(type) != TYPE_OPAQUE) {
        const uint64_t bits = integer_bits(type, value);
        memcpy(to, &bits, size);
    }
}

/* ---- poison ---- */

void type_poison(uint32_t type, void *array, uint64_t n)
{
    const size_t size = type_bytes(type);
    uint8_t *const bytes = array;
    uint16_t *const two = array;
    uint32_t *const four = array;
    uint64_t *const eight = array;
    if (size == 8) {
        for (uint64_t i = 0; i < n; i++)
            eight[i] = POISON_64;
    } else if (size == 4) {
        for (uint64_t i = 0; i < n; i++)
            four[i] = POISON_32;
    } else if (type_kind(type) == TYPE_OPAQUE || size == 1) {
        for (uint64_t i = 0; i < n * size; i++)
            bytes[i] = POISON_8(i);
    } else {
        for (uint64_t i = 0; i < n; i++)
            two[i] = POISON_16;
    }
}

bool type_is_poison(uint32_t type, const void *array, uint64_t i)
{
    const uint64_t bits = type_bits(type, array, i);
    return type_kind(type) == TYPE_FLOAT && bits == (type_bytes(type) == 8   ? POISON_64
                                                     : type_bytes(type) == 4 ? POISON_32
                                                                             : POISON_16);
}
