/* SPDX-License-Identifier: Apache-2.0 */
/* Types of values: their ranges, and numbers as words of a call. */
#include "declare.h"
#include "unit.h"

TEST(test_ctypes)
{
    static const struct {
        enum ctype type;
        const char *name;
        size_t bytes;
        int64_t lo, hi;
    } all[] = {
        {CTYPE_I8, "i8", 1, -128, 127},
        {CTYPE_U8, "u8", 1, 0, 255},
        {CTYPE_I16, "i16", 2, -32768, 32767},
        {CTYPE_U16, "u16", 2, 0, 65535},
        {CTYPE_I32, "i32", 4, INT32_MIN, INT32_MAX},
        {CTYPE_U32, "u32", 4, 0, UINT32_MAX},
        {CTYPE_I64, "i64", 8, INT64_MIN, INT64_MAX},
        {CTYPE_U64, "u64", 8, 0, INT64_MAX},
        {CTYPE_F16, "f16", 2, 0, 0},
        {CTYPE_BF16, "bf16", 2, 0, 0},
        {CTYPE_F32, "f32", 4, 0, 0},
        {CTYPE_F64, "f64", 8, 0, 0},
        {CTYPE_BYTES, "bytes", 1, 0, 0},
        {CTYPE_BOOL, "bool", 1, 0, 1},
        {CTYPE_POINTER, "pointer", 8, 0, 0},
        {CTYPE_VOID, "void", 0, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        int64_t lo, hi;
        assert_string_equal(ctype_name(all[i].type), all[i].name);
        assert_int_equal(ctype_bytes(all[i].type), all[i].bytes);
        const char *const kind = all[i].name + strspn(all[i].name, "b");
        assert_int_equal(ctype_is_float(all[i].type), kind[0] == 'f');
        assert_int_equal(ctype_is_integer(all[i].type), i < 8);
        if (!all[i].hi)
            continue;
        ctype_range(all[i].type, &lo, &hi);
        assert_int_equal(lo, all[i].lo);
        assert_int_equal(hi, all[i].hi);
    }
}

TEST(test_words)
{
    static const struct {
        enum ctype type;
        double value;
        uint64_t word;
    } all[] = {
        {CTYPE_F16, 1, 0x3c00},
        {CTYPE_F16, -2, 0xc000},
        {CTYPE_F16, 65504, 0x7bff},
        {CTYPE_F16, 0x1p-24, 1},
        {CTYPE_F16, 0x1p-14, 0x400},
        {CTYPE_F16, 0x3ffp-24, 0x3ff},
        {CTYPE_F16, INFINITY, 0x7c00},
        {CTYPE_BF16, 1, 0x3f80},
        {CTYPE_BF16, -0.0, 0x8000},
        {CTYPE_BF16, 0x1p-133, 1},
        {CTYPE_F32, 0.5, 0x3f000000},
        {CTYPE_F64, 1, 0x3ff0000000000000},
        {CTYPE_I8, -1, 0xffffffffffffffff},
        {CTYPE_U32, 4294967295.0, 0xffffffff},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        assert_int_equal(ctype_of_double(all[i].type, all[i].value), all[i].word);
    /* Halves are rounded to the even one. */
    assert_int_equal(ctype_of_double(CTYPE_F16, 1 + 0x1p-11), 0x3c00);
    assert_int_equal(ctype_of_double(CTYPE_F16, 1 + 0x3p-11), 0x3c02);
    assert_int_equal(ctype_of_double(CTYPE_F16, 65520), 0x7c00);
    assert_int_equal(ctype_of_double(CTYPE_F16, 65519), 0x7bff);
    assert_int_equal(ctype_of_double(CTYPE_F16, 0x1p-25), 0);
    assert_int_equal(ctype_of_double(CTYPE_F16, 0x1.8p-25), 1);
    assert_int_equal(ctype_of_double(CTYPE_BF16, 1 + 0x1p-8), 0x3f80);
    assert_int_equal(ctype_of_double(CTYPE_F16, NAN) & 0x7fff, 0x7e00);
    assert_int_equal(ctype_of_double(CTYPE_BF16, NAN) & 0x7fff, 0x7fc0);
    /* The whole range of both, as the compiler reads it. */
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const uint16_t code = (uint16_t)bits;
        const uint32_t shifted = bits << 16;
        _Float16 half;
        float single;
        memcpy(&half, &code, sizeof half);
        memcpy(&single, &shifted, sizeof single);
        if (!isnan((double)half))
            assert_int_equal(ctype_of_double(CTYPE_F16, (double)half), bits);
        if (!isnan(single))
            assert_int_equal(ctype_of_double(CTYPE_BF16, (double)single), bits);
    }
}
