/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of code are compared: no code executes. */
#include "compared.h"
#include "hash.h"

TEST(test_texts)
{
    static const char a[] = "function\nmov a\tx+0x0\nadd b\tx+0x3\nret\tx+0x6\n"
                            "function\nsub c\ty+0x0\nret\ty+0x1\n";
    static const char moved[] = "function\nmov a\tz+0x9\nadd b\tz+0xa\nret\tz+0xb\n"
                                "function\nsub c\tv+0x0\nret\tv+0x1\n";
    static const char one[] = "function\nmov a\tx+0x0\nxor q\tx+0x2\nadd b\tx+0x3\n"
                              "ret\tx+0x6\nfunction\nsub c\ty+0x0\nret\ty+0x1\n";
    static const char less[] = "function\nmov a\tx+0x0\nadd b\tx+0x3\nret\tx+0x6\n";
    static const char last[] = "function\nmov a\tx+0x0\nadd b\tx+0x3\nret\tx+0x6\n"
                               "function\nsub d\ty+0x0\nret\ty+0x1\n";
    struct surgery_difference difference = compare(a, moved);
    assert_true(difference.same && difference.nearly);
    difference = compare(a, one);
    assert_true(!difference.same && difference.nearly);
    assert_int_equal(difference.instructions, 1);
    assert_string_equal(difference.where, "x+0x2");
    difference = compare(a, less);
    assert_true(!difference.same && !difference.nearly);
    assert_int_equal(difference.instructions, 2);
    assert_string_equal(difference.where, "y+0x0");
    difference = compare(a, last);
    assert_int_equal(difference.instructions, 1);
    assert_string_equal(difference.where, "y+0x0");
    assert_int_equal(surgery_compare("function\nmov", a, &difference), -EINVAL);
    /* A table of unknown length. */
    assert_true(compare("function\nlea 0102\n", "function\nlea 01...\n").same);
    assert_true(compare("function\nlea 01...\n", "function\nlea 0102\n").same);
    assert_false(compare("function\nlea 02...\n", "function\nlea 0102\n").same);
    assert_false(compare("function\nlea 0102...\n", "function\nlea 01\n").same);
    /* First values of variables. */
    assert_true(compare("function\nlea v =1\tx\n", "function\nlea v =1\ty\n").same_data);
    difference = compare("function\nlea v =1\nret\n", "function\nlea v =2\nret\n");
    assert_true(difference.same && !difference.same_data);
    difference = compare("function\nlea v =?\n", "function\nlea v =?\n");
    assert_true(difference.same && !difference.same_data);
}

/* The published value of FNV-1a: what was kept before is known again. */
TEST(test_hash)
{
    assert_int_equal(hash_bytes(HASH_FIRST, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
}

/* Places make no other print; code and data do. */
TEST(test_prints)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {{"function\nmov a\tx+0x0\n", "function\nmov a\ty+0x9\n", true},
                 {"function\nmov a\n", "function\nmov b\n", false},
                 {"function\nmov a\n", "function\nfunction\nmov a\n", false},
                 {"function\nlea v =1\tx\n", "function\nlea v =1\ty\n", true},
                 {"function\nlea v =1\n", "function\nlea v =2\n", false},
                 {"call slot memcpy libc\tx\n", "call slot memcpy libc\ty\n", true}};
    char a[SURGERY_PRINT], b[SURGERY_PRINT];
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_true(surgery_print(cases[i].a, false, a));
        assert_true(surgery_print(cases[i].b, false, b));
        assert_int_equal(!strcmp(a, b), cases[i].same);
    }
    assert_false(surgery_print("function\nlea v =?\n", true, a));
    assert_false(surgery_print("function\ncall slot mix\n", false, a));
    assert_false(surgery_print("function\ncall slot memcpy\n", false, a));
    assert_true(surgery_print("function\ncall slot mix\n", true, a));
    assert_true(surgery_print("call slot mix f1:0\nfunction\nret\n", false, a));
}

/* One that is new gives those behind it other numbers. */
TEST(test_texts_new_function)
{
#define CALLER(first, second) \
    "function\ncall f" first ":0\tx+0x0\ncall f" second ":0\tx+0x5\nret\tx+0x6\n"
#define OTHERS(number)                                               \
    "function\nsub c\ty+0x0\njnz f" number ":1\ty+0x1\nret\ty+0x2\n" \
    "function\ndiv e\tz+0x0\nmul d\tz+0x1\nmul e\tz+0x2\nor d\tz+0x3\nret\tz+0x4\n"
    static const char before[] = CALLER("1", "2") OTHERS("1");
    static const char after[] =
        CALLER("1", "3") "function\nxor q\tw+0x0\njmp f2:0\tw+0x2\n" OTHERS("2");
    static const char changed[] = CALLER("1", "3") "function\nxor q\tw+0x0\njmp f2:0\tw"
                                                   "+0x2\n" OTHERS("3");
    const struct surgery_difference difference = compare(before, after);
    assert_true(!difference.same && difference.nearly && compare(after, after).same);
    assert_int_equal(difference.instructions, 3);
    assert_string_equal(difference.where, "x+0x0");
    assert_int_equal(compare(after, before).instructions, 3);
    assert_int_equal(compare(before, changed).instructions, 4);
    /* Equal functions, which only jump to others, and one more of them. */
#define JUMPS(name, number) "function\njmp f" number ":0\t" name "+0x0\n"
    static const char two[] =
        CALLER("1", "2") JUMPS("t1", "3") JUMPS("t2", "4") OTHERS("3");
    static const char three[] =
        "function\ncall f1:0\tx+0x0\ncall f2:0\tx+0x5\ncall "
        "f3:0\tx+0xa\nret\tx+0xf\n" JUMPS("t1", "4") JUMPS("t2", "5") JUMPS("t3", "6")
            OTHERS("4") "function\nxor q\tw+0x0\nret\tw+0x2\n";
    assert_int_equal(compare(two, three).instructions, 4);
    assert_int_equal(compare(three, two).instructions, 4);
}
