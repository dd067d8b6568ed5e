/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of x87, and the words that control floats. No test runs or times one. */
#include "passport_private.h"
#include "unit.h"

static unsigned char room[BLOCK_BYTES];

/* The stack of x87 is as high behind each instruction as before it. */
TEST(test_x87)
{
    static const struct {
        unsigned char code[PASSPORT_CODE];
        size_t each; /* instructions of a copy */
    } cases[] = {{{0xde, 0xc1}, 2} /* faddp */,
                 {{0xde, 0xd9}, 3} /* fcompp */,
                 {{0xdd, 0x00}, 2} /* fld m64 */,
                 {{0xd8, 0xc1}, 1} /* fadd */,
                 {{0xd9, 0xc9}, 1} /* fxch */,
                 {{0xd9, 0x28}, 1} /* fldcw */,
                 {{0xd9, 0xf4}, 2} /* fxtract */};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct block block = {.code = room};
        struct decoded decoded;
        size_t n = 0;
        int height = 0;
        assert_int_equal(decoded_read(cases[i].code, PASSPORT_CODE, &decoded), 0);
        chain_none(&block, &decoded, 4, &(struct apart){.registers = 8});
        assert_false(block.failed);
        for (size_t at = 0; at < block.n; at += decoded.instruction.length, n++) {
            assert_int_equal(decoded_read(block.code + at, block.n - at, &decoded), 0);
            height += x87_pushes(&decoded.instruction);
        }
        assert_int_equal(n, 4 * cases[i].each);
        assert_int_equal(height, 0);
    }
}

/* Control words mask exceptions, and differ from place to place, as their loads would be
 * for nothing else. */
TEST(test_control_words)
{
    static unsigned char data[DATA_BYTES];
    static const struct {
        unsigned char code[PASSPORT_CODE];
        unsigned masks;
    } cases[] = {{{0x0f, 0xae, 0x10}, 0x1f80} /* ldmxcsr */,
                 {{0xd9, 0x28}, 0x3f} /* fldcw */};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct decoded decoded;
        uint16_t word[2];
        assert_int_equal(decoded_read(cases[i].code, PASSPORT_CODE, &decoded), 0);
        data_fill(data, &decoded);
        for (unsigned k = 0; k < 2; k++) {
            memcpy(&word[k], data + DATA_PLACES + 8 * k, sizeof word[k]);
            assert_int_equal(word[k] & cases[i].masks, cases[i].masks);
        }
        assert_int_not_equal(word[0], word[1]);
    }
}
