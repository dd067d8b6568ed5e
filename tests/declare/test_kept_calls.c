/* SPDX-License-Identifier: Apache-2.0 */
/* Files of calls that were kept: what was written is read; what was cut or changed is
 * refused. */
#include <unistd.h>

#include "declare.h"
#include "unit.h"

static const struct kept_call kept[] = {
    {.dimension = {5, 2}, .bytes = 0, .data = NULL},
    {.dimension = {4, 2}, .bytes = 3, .data = (const unsigned char *)"abc"},
    {.dimension = {4, 2}, .bytes = 2, .data = (const unsigned char *)"de"},
};

static char *write_file(const struct kept_call *call, size_t n, size_t *bytes)
{
    char *text = NULL;
    struct error error;
    FILE *const file = open_memstream(&text, bytes);
    assert_non_null(file);
    assert_int_equal(kept_calls_write(file, call, n, &error), 0);
    fclose(file);
    return text;
}

static int read_bytes(const char *text, size_t n, struct kept_calls *calls)
{
    char path[] = "/tmp/simdbench-calls-XXXXXX";
    struct error error;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, n), n);
    close(fd);
    const int status = kept_calls_read(path, calls, &error);
    unlink(path);
    return status;
}

TEST(test_round_trip)
{
    struct kept_calls calls;
    size_t bytes;
    char *const text = write_file(kept, 3, &bytes);
    assert_int_equal(read_bytes(text, bytes, &calls), 0);
    assert_int_equal(calls.n, 3);
    assert_int_equal(kept_calls_most(&calls, 2), 2);
    assert_int_equal(kept_calls_most(&calls, 0), 3);
    static const char *const found[] = {"abc", "de", "abc"};
    for (size_t i = 0; i < 3; i++) {
        const struct kept_call *const call =
            kept_call_find(&calls, (int64_t[]){4, 2}, 2, i);
        assert_int_equal(call->bytes, strlen(found[i]));
        assert_memory_equal(call->data, found[i], call->bytes);
    }
    assert_int_equal(kept_call_find(&calls, (int64_t[]){5, 2}, 2, 7)->bytes, 0);
    /* A shape that no call had takes all of them in turn. */
    static const size_t bytes_of[] = {3, 2, 0};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(kept_call_find(&calls, (int64_t[]){9, 9}, 2, i)->bytes,
                         bytes_of[i % 3]);
    kept_calls_free(&calls);
    free(text);
}

TEST(test_refused)
{
    struct kept_calls calls;
    struct error error;
    size_t bytes, read = 0;
    char *const text = write_file(kept, 3, &bytes);
    /* Whole calls alone: that is so at the ends of the three. */
    for (size_t n = 0; n < bytes; n++)
        if (read_bytes(text, n, &calls) == 0) {
            kept_calls_free(&calls);
            read++;
        }
    assert_int_equal(read, 2);
    text[0] ^= 1;
    assert_int_equal(read_bytes(text, bytes, &calls), -EINVAL);
    assert_null(calls.call);
    free(text);
    assert_int_equal(kept_calls_read("/none.calls", &calls, &error), -ENOENT);
    assert_int_equal(kept_calls_read("/", &calls, &error), -EINVAL);
}

/* Numbers that say how long an array is, or how far in it a place lies, are not kept. */
TEST(test_integers)
{
    static const char *const texts[] = {
        "void (int k = 3, u8 x[n], int n)", "void (int k = 3, u8 x[3])",
        "void (int k = 3, u8 *e = x + 3, u8 x[n], int n)"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct declaration declaration;
        struct error error;
        assert_int_equal(declaration_parse(texts[i], &declaration, &error), 0);
        assert_int_equal(kept_integer(&declaration, 0), i == 0);
    }
}
