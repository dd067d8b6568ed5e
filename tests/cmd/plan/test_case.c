/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of cases: their parts, what is no id, and other threads. */
#include "case/case.h"
#include "unit.h"

static struct error error;

static struct case_name parts_of(const char *id)
{
    struct case_name name;
    if (case_name_parse(id, &name, &error) < 0)
        fail_msg("%s: %s", id, error.text);
    return name;
}

static void expect(const char *id, const char *written)
{
    struct case_name name = parts_of(id);
    char *const text = case_name_format(&name);
    assert_string_equal(text, written);
    free(text);
    case_name_free(&name);
}

TEST(test_parts)
{
    struct case_name name = parts_of("./a@b/m.so,core=x:gemm/max-plus-f32/avx2/fma@8x8"
                                     ";threads=3;cache=cold;pages=2m;align=128"
                                     ";accuracy-at-most=0.5;input=hard;inputs=24");
    assert_string_equal(name.prefix, "./a@b/m.so,core=x");
    assert_string_equal(name.op, "gemm");
    assert_string_equal(name.semiring, "max-plus");
    assert_string_equal(name.type, "f32");
    assert_string_equal(name.isa, "avx2");
    assert_string_equal(name.variant, "fma");
    assert_string_equal(name.shape, "8x8");
    assert_int_equal(name.settings.threads, 3);
    assert_true(name.settings.cold);
    assert_true(name.settings.huge_pages);
    assert_int_equal(name.settings.align, 128);
    assert_near(name.settings.most_ulp, 0.5, 0);
    assert_string_equal(name.settings.input, "hard");
    assert_int_equal(name.settings.sets, 24);
    assert_null(name.layout);
    assert_null(name.module);
    case_name_free(&name);
    name = parts_of("relu/f32/avx2/max@8");
    assert_null(name.prefix);
    assert_null(name.semiring);
    assert_null(name.settings.input);
    case_name_free(&name);
}

/* Each set of settings comes back as it was. */
TEST(test_settings)
{
    static char hard[] = "hard";
    for (unsigned bits = 0; bits < 128; bits++) {
        struct case_name name = parts_of("tanh/f32/avx2/exp@64");
        name.settings = (struct case_settings){.threads = bits & 1 ? 16 : 1,
                                               .cold = bits & 2,
                                               .huge_pages = bits & 4,
                                               .align = bits & 8 ? 2097152 : 64,
                                               .most_ulp = bits & 16 ? 1.25 : 0,
                                               .input = bits & 32 ? strdup(hard) : NULL,
                                               .sets = bits & 64 ? SETS_MAX : 1};
        char *const text = case_name_format(&name);
        expect(text, text);
        struct case_name again = parts_of(text);
        assert_int_equal(again.settings.threads, bits & 1 ? 16 : 0);
        assert_int_equal(again.settings.cold, (bits & 2) != 0);
        assert_int_equal(again.settings.huge_pages, (bits & 4) != 0);
        assert_int_equal(again.settings.align, bits & 8 ? 2097152 : 0);
        assert_near(again.settings.most_ulp, bits & 16 ? 1.25 : 0, 0);
        assert_int_equal(again.settings.input != NULL, (bits & 32) != 0);
        assert_int_equal(again.settings.sets, bits & 64 ? SETS_MAX : 0);
        case_name_free(&again);
        case_name_free(&name);
        free(text);
    }
}

TEST(test_order)
{
    expect("a/b/c/d@e;input=x;threads=2", "a/b/c/d@e;threads=2;input=x");
    expect("a/b/c/d@e;threads=1;align=64", "a/b/c/d@e");
    expect("a/b/c/d@e;input=x;input=y", "a/b/c/d@e;input=y");
}

TEST(test_no_ids)
{
    static const char *const texts[] = {"",
                                        "@",
                                        "relu",
                                        "relu@8",
                                        "relu/f32/avx2@8",
                                        "relu/f32/avx2/@8",
                                        "/f32/avx2/max@8",
                                        "m:/f32/avx2/max@8",
                                        "relu/f32/avx2/max@",
                                        "relu/f32/avx2/max@;threads=2",
                                        "relu/f32/avx2/max@8;",
                                        "relu/f32/avx2/max@8;threads",
                                        "relu/f32/avx2/max@8;threads=",
                                        "relu/f32/avx2/max@8;threads=two",
                                        "relu/f32/avx2/max@8;threads=-1",
                                        "relu/f32/avx2/max@8;threads=4294967296",
                                        "relu/f32/avx2/max@8;cache=hot",
                                        "relu/f32/avx2/max@8;pages=4k",
                                        "relu/f32/avx2/max@8;align=0",
                                        "relu/f32/avx2/max@8;accuracy-at-most=none",
                                        "relu/f32/avx2/max@8;input=",
                                        "relu/f32/avx2/max@8;thread=2",
                                        "x/relu/f32/avx2/max@8"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct case_name name;
        if (case_name_parse(texts[i], &name, &error) != -EINVAL || name.op)
            fail_msg("'%s' is an id", texts[i]);
        assert_non_null(strstr(error.text, "no id of a case"));
        assert_null(case_id_threads(texts[i], 2));
    }
}

TEST(test_threads)
{
    char *const more = case_id_threads("relu/f32/avx2/max@8;cache=cold", 2);
    assert_string_equal(more, "relu/f32/avx2/max@8;threads=2;cache=cold");
    char *const one = case_id_threads(more, 1);
    assert_string_equal(one, "relu/f32/avx2/max@8;cache=cold");
    free(more);
    free(one);
}
