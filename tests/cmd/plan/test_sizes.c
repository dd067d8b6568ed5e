/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args.h"
#include "unit.h"

/* The shapes with a space between them; free() it. */
static char *joined(const struct text_list *shapes)
{
    char *text = NULL;
    size_t size;
    FILE *const file = open_memstream(&text, &size);
    assert_non_null(file);
    for (size_t i = 0; i < shapes->n; i++)
        fprintf(file, "%s%s", i ? " " : "", shapes->item[i]);
    fclose(file);
    return text;
}

TEST(test_expands)
{
    static const struct {
        const char *text, *shapes;
    } known[] = {
        {"64", "64"},
        {"0", "0"},
        {"007", "7"},
        {"64,100,128", "64 100 128"},
        {"032,064,128", "32 64 128"},
        {"128,64,128", "128 64 128"},
        {"64..512", "64 128 256 512"},
        {"64..511", "64 128 256"},
        {"64..513", "64 128 256 512"},
        {"64..64", "64"},
        {"0..0", "0"},
        {"1..10", "1 2 4 8"},
        {"3..50", "3 6 12 24 48"},
        {"64..256:64", "64 128 192 256"},
        {"64..255:64", "64 128 192"},
        {"0..3:1", "0 1 2 3"},
        {"0..0:5", "0"},
        {"5..9:100", "5"},
        {"1k..1M*10", "1000 10000 100000 1000000"},
        {"1k..2M*10", "1000 10000 100000 1000000"},
        {"2..100*7", "2 14 98"},
        {"1Ki..4Ki", "1024 2048 4096"},
        {"1Mi,1M,1Gi,1G,1k", "1048576 1000000 1073741824 1000000000 1000"},
        {"1k..3k:1k", "1000 2000 3000"},
        {"64x32x128", "64x32x128"},
        {"1kx1Kix07", "1000x1024x7"},
        {"0x0x0", "0x0x0"},
        {"64..128,3x4,5", "64 128 3x4 5"},
        {"n16c3h224w224,_own,Z", "n16c3h224w224 _own Z"},
        {"9223372036854775807", "9223372036854775807"},
        {"4611686018427387904..9223372036854775807", "4611686018427387904"},
        {"9223372036854775806..9223372036854775807:1",
         "9223372036854775806 9223372036854775807"},
        {"9223372036854775800..9223372036854775807:9223372036854775807",
         "9223372036854775800"},
        {"1000000000..9223372036854775807*3037000500", "1000000000 3037000500000000000"}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct text_list shapes = {0};
        struct error error = {0};
        const int rc = sizes_expand(known[i].text, &shapes, &error);
        if (rc != 0)
            fail_msg("%s: %s", known[i].text, error.text);
        char *const text = joined(&shapes);
        assert_string_equal(text, known[i].shapes);
        free(text);
        text_list_free(&shapes);
    }
}

TEST(test_refuses)
{
    static const struct {
        const char *text, *item, *reason;
    } known[] = {
        {"", "", "no size"},
        {",", "", "empty"},
        {"64,,128", "", "empty"},
        {"1,000,000", "'000'", "write 1000 for 1,000"},
        {"64,", "", "empty"},
        {"512..64", "'512..64'", "write 64..512"},
        {"0..512", "'0..512'", "twice 0 stays 0"},
        {"0..512*4", "'0..512*4'", "multiple of 0 stays 0"},
        {"1..512*1", "'1..512*1'", "factor below 2"},
        {"1..512*0", "'1..512*0'", "factor below 2"},
        {"1..512:0", "'1..512:0'", "step of 0"},
        {"1..512:-1", "'-1'", "negative"},
        {"1..512:", "'1..512:'", "lacks a step"},
        {"1..512*", "'1..512*'", "lacks a factor"},
        {"1..512*2*2", "'2*2'", "not a whole number"},
        {"..512", "'..512'", "lacks a start"},
        {"64..", "'64..'", "lacks a end"},
        {"64...512", "'.512'", "not a whole number"},
        {"a..b", "'a'", "not a whole number"},
        {"-64", "'-64'", "negative"},
        {"-1..5", "'-1'", "negative"},
        {"+5", "'+5'", "not a whole number"},
        {"1.5", "'1.5'", "not a whole number"},
        {"1.5k", "'1.5k'", "not a whole number"},
        {" 64", "' 64'", "not a whole number"},
        {"64K", "'64K'", "suffix"},
        {"64m", "'64m'", "suffix"},
        {"64kb", "'64kb'", "suffix"},
        {"64kk", "'64kk'", "suffix"},
        {"1e3", "'1e3'", "64..512*2 a range"},
        {"64x", "'64x'", "lacks a dimension"},
        {"64xx64", "'64xx64'", "lacks a dimension"},
        {"x64", NULL, NULL},
        {"64x-3", "'-3'", "negative"},
        {"64x32y", "'32y'", "not a whole number"},
        {"9223372036854775808", "'9223372036854775808'", "2^63-1"},
        {"99999999999999999999999", "'99999999999999999999999'", "2^63-1"},
        {"9223372036854775807k", "'9223372036854775807k'", "2^63-1"},
        {"8589934592Gi", "'8589934592Gi'", "2^63-1"},
        {"1..9223372036854775808", "'9223372036854775808'", "2^63-1"},
        {"1..20000:1", "'1..20000:1'", "more than 10000"},
        {"0..10000:1", "'0..10000:1'", "more than 10000"},
        {"0..9223372036854775807:1", "'0..9223372036854775807:1'", "more than 10000"},
        {"1..6000:1,1..6000:1", "'1..6000:1'", "more than 10000"}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct text_list shapes = {0};
        struct error error = {0};
        text_list_add(&shapes, "before");
        const int rc = sizes_expand(known[i].text, &shapes, &error);
        if (!known[i].item) {
            assert_int_equal(rc, 0);
        } else {
            if (rc != -EINVAL || !strstr(error.text, known[i].item) ||
                !strstr(error.text, known[i].reason))
                fail_msg("%s: %d, %s", known[i].text, rc, error.text);
            assert_int_equal(shapes.n, 1);
        }
        text_list_free(&shapes);
    }
}

TEST(test_limits)
{
    struct text_list shapes = {0};
    struct error error;
    assert_int_equal(sizes_expand("1..10000:1", &shapes, &error), 0);
    assert_int_equal(shapes.n, SIZES_MAX);
    assert_string_equal(shapes.item[SIZES_MAX - 1], "10000");
    assert_int_equal(sizes_expand("1", &shapes, &error), -EINVAL);
    assert_int_equal(shapes.n, SIZES_MAX);
    text_list_free(&shapes);

    /* A long item is cut in the message, a long shape is refused. */
    char text[4000];
    memset(text, '1', sizeof text);
    for (size_t i = 1; i < sizeof text; i += 2)
        text[i] = 'x';
    text[sizeof text - 1] = '\0';
    assert_int_equal(sizes_expand(text, &shapes, &error), -EINVAL);
    memset(text, '-', sizeof text - 1);
    assert_int_equal(sizes_expand(text, &shapes, &error), -EINVAL);
    assert_non_null(strstr(error.text, "-...' is negative"));
    assert_int_equal(shapes.n, 0);
    text_list_free(&shapes);
}

TEST(test_durations)
{
    static const struct {
        const char *text;
        int64_t ns; /* negative: refused */
    } known[] = {{"50ms", 50000000},
                 {"1s", 1000000000},
                 {"500us", 500000},
                 {"1.5s", 1500000000},
                 {"0.3s", 300000000},
                 {"0.000001ms", 1},
                 {"2min", 120000000000},
                 {"0.5min", 30000000000},
                 {"7ns", 7},
                 {"0s", 0},
                 {"9223372036s", 9223372036000000000},
                 {"9223372037s", -1},
                 {"153722867.999999min", -1},
                 {"99999999999999999999s", -1},
                 {"50", -1},
                 {"ms", -1},
                 {"", -1},
                 {"-5ms", -1},
                 {"1.s", -1},
                 {".5s", -1},
                 {"1.0000001s", -1},
                 {"1 s", -1},
                 {"1h", -1},
                 {"1e3ms", -1},
                 {"1sx", -1}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        int64_t ns = -7;
        const char *reason = NULL;
        const int rc = duration_parse(known[i].text, &ns, &reason);
        if (known[i].ns < 0 ? rc == 0 || ns != -7 || !reason
                            : rc != 0 || ns != known[i].ns)
            fail_msg("%s: %d, %lld", known[i].text, rc, (long long)ns);
    }
}
