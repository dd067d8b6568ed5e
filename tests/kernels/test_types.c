/* SPDX-License-Identifier: Apache-2.0 */
/* Names, numbers and units in the last place of all element types. */
#include "kernels.h"
#include "unit.h"

TEST(test_names)
{
    static const char *const bad[] = {
        "",        "f8",        "bytes",
        "bytes0",  "bytes4097", "bytes01",
        "bytes-1", "bytes18x",  "bytes99999999999999999999"};
    static const size_t bytes[] = {0, 4, 8, 4, 8, 1, 1, 2, 2, 4, 8, 2, 2};
    for (uint32_t type = 1; type < ARRAY_LEN(bytes); type++) {
        assert_int_equal(type_find(type_name(type)), type);
        assert_int_equal(type_bytes(type), bytes[type]);
    }
    for (uint32_t k = 1; k <= SIMDBENCH_BYTES_MAX; k++) {
        assert_int_equal(type_find(type_name(SIMDBENCH_BYTES(k))), SIMDBENCH_BYTES(k));
        assert_int_equal(type_bytes(SIMDBENCH_BYTES(k)), k);
    }
    assert_string_equal(type_name(SIMDBENCH_BYTES(18)), "bytes18");
    assert_null(type_name(SIMDBENCH_BYTES(0)));
    assert_null(type_name(SIMDBENCH_BYTES(SIMDBENCH_BYTES_MAX + 1)));
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_int_equal(type_find(bad[i]), 0);
}

/* Each float of 16 bits comes back from its number. */
TEST(test_halves)
{
    static const uint32_t types[] = {SIMDBENCH_F16, SIMDBENCH_BF16};
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
            const uint16_t half = (uint16_t)bits;
            uint16_t back = 0;
            const double number = type_get(types[t], &half, 0);
            type_set(types[t], &back, 0, number);
            if (isnan(number))
                assert_true(isnan(type_get(types[t], &back, 0)));
            else
                assert_int_equal(back, half);
        }
    }
}

#ifdef __FLT16_MANT_DIG__
/* As the compiler rounds: numbers of all sizes, and ties. */
TEST(test_rounding)
{
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        const double share = random_uniform(&seed);
        const int exponent = (int)(random_next(&seed) % 44) - 27;
        const double scaled = ldexp(i % 2 ? share : round(share * 4096) / 4096, exponent);
        const _Float16 want = (_Float16)scaled;
        uint16_t bits, got = 0;
        memcpy(&bits, &want, sizeof bits);
        type_set(SIMDBENCH_F16, &got, 0, scaled);
        assert_int_equal(got, bits);
    }
}
#endif

static void expect_set(uint32_t type, double value, double want)
{
    uint64_t element = 0;
    type_set(type, &element, 0, value);
    const double got = type_get(type, &element, 0);
    assert_memory_equal(&got, &want, sizeof got);
}

TEST(test_numbers)
{
    expect_set(SIMDBENCH_U8, 255.9, 255);
    expect_set(SIMDBENCH_U8, 300, 255);
    expect_set(SIMDBENCH_U8, -3, 0);
    expect_set(SIMDBENCH_I8, -129, -128);
    expect_set(SIMDBENCH_I8, -2.5, -2);
    expect_set(SIMDBENCH_I16, 1e9, 32767);
    expect_set(SIMDBENCH_U32, 0x1p32, 0xffffffff);
    expect_set(SIMDBENCH_I64, -0x1p70, -0x1p63);
    expect_set(SIMDBENCH_U64, 0x1p63, 0x1p63);
    expect_set(SIMDBENCH_I32, (double)NAN, 0);
    expect_set(SIMDBENCH_F16, 65519, 65504);
    expect_set(SIMDBENCH_F16, 65520, (double)INFINITY);
    expect_set(SIMDBENCH_F16, 0x1p-25, 0);         /* a tie, to even */
    expect_set(SIMDBENCH_F16, 0x1.8p-24, 0x1p-23); /* a tie, to even */
    expect_set(SIMDBENCH_BF16, 1 + 0x1p-8, 1);
    expect_set(SIMDBENCH_BF16, 1 + 0x1.8p-7, 1 + 0x1p-6);
    expect_set(SIMDBENCH_BF16, 0x1.ffp127, (double)INFINITY);
    expect_set(SIMDBENCH_BYTES(5), 3, 0);
}

TEST(test_ulp)
{
    assert_near(type_ulp(SIMDBENCH_F16, 1), 0x1p-10, 0);
    assert_near(type_ulp(SIMDBENCH_F16, -1.999), 0x1p-10, 0);
    assert_near(type_ulp(SIMDBENCH_F16, 0), 0x1p-24, 0);
    assert_near(type_ulp(SIMDBENCH_BF16, 3), 0x1p-6, 0);
    assert_near(type_ulp(SIMDBENCH_BF16, 0x1p-140), 0x1p-133, 0);
    assert_near(type_ulp(SIMDBENCH_F32, 1), 0x1p-23, 0);
    assert_near(type_ulp(SIMDBENCH_F64, 4), 0x1p-50, 0);
    assert_near(type_ulp(SIMDBENCH_U8, 200), 1, 0);
}

TEST(test_poison)
{
    for (uint32_t type = SIMDBENCH_F32; type <= SIMDBENCH_BF16; type++) {
        uint64_t data[3] = {0};
        type_poison(type, data, 2);
        const bool is_float = type_kind(type) == TYPE_FLOAT;
        assert_int_equal(type_is_poison(type, data, 1), is_float);
        assert_int_equal(isnan(type_get(type, data, 1)) != 0, is_float);
        assert_false(type_is_poison(type, data, 2));
        assert_near(type_get(type, data, 2), 0, 0);
    }
}
