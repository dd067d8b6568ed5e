/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"
#include "process/process.h"
#include "unit.h"

TEST(test_grows_and_copies)
{
    struct text_list list = {0};
    char text[16];
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "%d", i);
        text_list_add(&list, text);
    }
    text_list_add_n(&list, "abcdef", 3);
    assert_int_equal(list.n, 101);
    assert_string_equal(list.item[0], "0");
    assert_string_equal(list.item[63], "63");
    assert_string_equal(list.item[64], "64");
    assert_string_equal(list.item[99], "99");
    assert_string_equal(list.item[100], "abc");
    text_list_free(&list);
    assert_int_equal(list.n, 0);
    assert_null(list.item);
}

TEST(test_cut)
{
    struct text_list list = {0};
    for (int i = 0; i < 5; i++)
        text_list_add(&list, "x");
    text_list_cut(&list, 9);
    assert_int_equal(list.n, 5);
    text_list_cut(&list, 3);
    assert_int_equal(list.n, 3);
    /* After a cut to any length there is still room to grow. */
    for (int i = 0; i < 20; i++)
        text_list_add(&list, "y");
    assert_int_equal(list.n, 23);
    assert_string_equal(list.item[2], "x");
    assert_string_equal(list.item[22], "y");
    text_list_free(&list);
}

TEST(test_near)
{
    static const char *const names[] = {"auto",     "all",    "scalar",  "sse2",
                                        "avx2",     "avx512", "maxplus", "minplus",
                                        "maxtimes", "gemm"};
    static const struct {
        const char *word, *near;
    } known[] = {{"avx521", "avx512"},    /* swapped */
                 {"avx51", "avx512"},     /* lacks one */
                 {"AVX512", "avx512"},    /* case */
                 {"avx", "avx2, avx512"}, /* beginning */
                 {"512", "avx512"},       /* end */
                 {"sacalar", "scalar"},   /* one too many */
                 {"maxpuls", "maxplus"},
                 {"plus", "maxplus, minplus"},
                 {"gem", "gemm"},
                 {"AVX2", "avx2"}, /* and nothing else */
                 {"quux", ""},
                 {"", ""},
                 {"x", ""}};
    struct text_list list = {0};
    char out[100];
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        text_list_add(&list, names[i]);
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        text_list_near(&list, known[i].word, out, sizeof out);
        assert_string_equal(out, known[i].near);
    }
    char word[5000];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    text_list_near(&list, word, out, sizeof out);
    assert_string_equal(out, "");
    text_list_free(&list);
}

TEST(test_near_in_little_room)
{
    struct text_list list = {0};
    char out[12] = "unchanged";
    for (int i = 0; i < 5; i++)
        text_list_add(&list, "abcd");
    text_list_near(&list, "abce", out, sizeof out);
    assert_string_equal(out, "abcd, abcd");
    text_list_near(&list, "abce", out, 5);
    assert_string_equal(out, "abcd");
    text_list_near(&list, "abce", out, 4);
    assert_string_equal(out, "");
    char big[64];
    text_list_near(&list, "abce", big, sizeof big);
    assert_string_equal(big, "abcd, abcd, abcd");
    text_list_free(&list);
}

TEST(test_glob)
{
    const char *const id = "gemm/maxplus-f32/avx512/fma@256x256x256";
    assert_true(text_glob("gemm/*", id));
    assert_true(text_glob("*fma@256*", id));
    assert_true(text_glob("*/f?a@*", id));
    assert_true(text_glob("*/[a-f]ma@*", id));
    assert_true(text_glob(id, id));
    assert_false(text_glob("gemm", id));
    assert_false(text_glob("*/[!f]ma@*", id));
    assert_false(text_glob("*@128*", id));
    assert_false(text_glob("", id));
    assert_true(text_glob("*", ""));
    assert_true(text_glob("a[b", "a[b"));
    assert_true(text_glob("a\\*", "a\\b"));
}
