/* SPDX-License-Identifier: Apache-2.0 */
#include "declare_private.h"
#include "half.h"

static const struct {
    const char *name;
    size_t bytes;
} ctypes[] = {
    [CTYPE_VOID] = {"void", 0}, [CTYPE_I8] = {"i8", 1},
    [CTYPE_U8] = {"u8", 1},     [CTYPE_I16] = {"i16", 2},
    [CTYPE_U16] = {"u16", 2},   [CTYPE_I32] = {"i32", 4},
    [CTYPE_U32] = {"u32", 4},   [CTYPE_I64] = {"i64", 8},
    [CTYPE_U64] = {"u64", 8},   [CTYPE_F16] = {"f16", 2},
    [CTYPE_BF16] = {"bf16", 2}, [CTYPE_F32] = {"f32", 4},
    [CTYPE_F64] = {"f64", 8},   [CTYPE_BYTES] = {"bytes", 1},
    [CTYPE_BOOL] = {"bool", 1}, [CTYPE_POINTER] = {"pointer", 8},
};

const char *ctype_name(enum ctype type)
{
    return ctypes[type].name;
}

size_t ctype_bytes(enum ctype type)
{
    return ctypes[type].bytes;
}

bool ctype_is_float(enum ctype type)
{
    return type >= CTYPE_F16 && type <= CTYPE_F64;
}

bool ctype_is_integer(enum ctype type)
{
    return type >= CTYPE_I8 && type <= CTYPE_U64;
}

static bool is_signed(enum ctype type)
{
    return type == CTYPE_I8 || type == CTYPE_I16 || type == CTYPE_I32 ||
           type == CTYPE_I64;
}

void ctype_range(enum ctype type, int64_t *lo, int64_t *hi)
{
    const unsigned bits = 8 * (unsigned)ctype_bytes(type);
    *lo = 0;
    *hi = type == CTYPE_BOOL ? 1 : INT64_MAX;
    if (is_signed(type)) {
        *hi = INT64_MAX >> (64 - bits);
        *lo = -*hi - 1;
    } else if (type != CTYPE_BOOL && bits < 64) {
        *hi = ((int64_t)1 << bits) - 1;
    }
}

/* ---- words of a call ---- */

uint64_t ctype_of_double(enum ctype type, double value)
{
    uint64_t word = 0;
    const float single = (float)value;
    switch (type) {
    case CTYPE_F64:
        memcpy(&word, &value, sizeof value);
        return word;
    case CTYPE_F32:
        memcpy(&word, &single, sizeof single);
        return word;
    case CTYPE_F16:
        return half_of(value, 10, 15);
    case CTYPE_BF16:
        return half_of(value, 7, 127);
    default:
        return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    }
}
