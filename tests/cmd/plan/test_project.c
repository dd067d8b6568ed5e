/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults from a project file: what counts, what the command line replaces, what is
 * refused, and with which line. */
#include <unistd.h>

#include "command_line.h"
#include "unit.h"

static char path[] = "/tmp/simdbench-project-XXXXXX";

static void write_file(const char *text)
{
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static struct options with_file(const char *text, const char *line)
{
    write_file(text);
    return parsed(line);
}

static const char *joined(const struct text_list *list)
{
    static char text[500];
    text[0] = '\0';
    text_list_join(list, " ", text, sizeof text);
    return text;
}

TEST(test_sections)
{
    static const char text[] =
        "{\"global\": {\"quiet\": true, \"threshold\": \"5%\", \"rounds\": 9},\n"
        " \"gemm\": {\"sizes\": \"64,128\", \"threshold\": \"1%\", \"plugin\": "
        "[\"./a.so\", \"/b.so\"]},\n"
        " \"gemm-backward\": {\"type\": \"f64\"},\n"
        " \"ab\": {\"threshold\": \"3%\", \"rounds\": 12, \"quiet\": false}}\n";
    static const struct {
        const char *line;
        bool quiet;
        double threshold;
        uint32_t rounds;
        const char *sizes, *plugins;
    } cases[] = {{"gemm", true, 0.02, 9, "64 128", "/tmp/a.so /b.so"},
                 {"gemm --sizes=32 --plugin=c.so --no-quiet --rounds=7", false, 0.02, 7,
                  "32", "c.so"},
                 {"relu", true, 0.02, 9, "", ""},
                 {"ab x.so y.so", false, 0.03, 12, "", ""},
                 {"ab x.so y.so gemm", false, 0.01, 12, "64 128", "/tmp/a.so /b.so"},
                 {"ab x.so y.so gemm --threshold=4% --shape=8x8x8", false, 0.04, 12, "",
                  "/tmp/a.so /b.so"},
                 {"compare a b", false, 0.05, 0, "", ""},
                 {"explain own:gemm/maxplus-f32/avx2/fma@64 gemm", true, 0.02, 0,
                  "64 128", "/tmp/a.so /b.so"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct options o = with_file(text, cases[i].line);
        assert_int_equal(o.quiet, cases[i].quiet);
        assert_int_equal(o.threshold * 1000 + 0.5, cases[i].threshold * 1000 + 0.5);
        assert_int_equal(o.how.rounds, cases[i].rounds);
        assert_string_equal(joined(&o.request.sizes), cases[i].sizes);
        assert_string_equal(joined(&o.request.plugins), cases[i].plugins);
        assert_string_equal(o.project_file, path);
        assert_int_equal(o.n_defaults, 11);
        options_free(&o);
    }
    struct options o = with_file(text, "gemm_backward");
    assert_string_equal(joined(&o.request.types), "f64");
    assert_string_equal(joined(&o.from_project), "--type=f64 --quiet --rounds=9");
    options_free(&o);
    o = with_file(text, "gemm --project=no");
    assert_true(!o.project_file && !o.quiet && !o.n_defaults);
    options_free(&o);
}

TEST(test_lines)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"{\n\"gemm\": {\n\"sizes\": \"9..\"}}", ":3: gemm.sizes: --sizes=9..: "},
        {"{\"gemm\": {\"label\": \"a:\\\"b{\\n\",\n\"size\": \"9\"}}",
         ":2: gemm.size: no such option here; did you mean sizes?"},
        {"{\"gemm\": {}, \n\n\"gem\": {}}", ""},
        {"{\"gemm\": {}, \n\n\"gem\": {\"sizes\": 4}}", ":3: gem: a section is global"},
        {"{\"gemm\": {\"sizes\": [\"4\",\n {\"a\": 1}]}}",
         ": line 1: gemm.sizes: expected"},
        {"{\"gemm\": {\"sizes\": []}}", "line 1: gemm.sizes: the list is empty"},
        {"{\"gemm\": {\"sizes\": null}}", "line 1: gemm.sizes: expected a text"},
        {"{\"gemm\": {\"sizes\": true}}", ":1: gemm.sizes: this option needs a value"},
        {"{\"gemm\": {\"sizes\": \"\"}}", ":1: gemm.sizes: --sizes=: is empty"},
        {"{\"gemm\": {\"quiet\": \"yes\"}}", ":1: gemm.quiet: this option is true or"},
        {"{\"gemm\": {\"help\": true}}", ":1: gemm.help: no such option here"},
        {"{\"report\": {\"isa\": \"avx2\"}}", ":1: report.isa: no such option here"},
        {"{\"gemm\": {\"rounds\": 9,\n \"rounds\": 9}}",
         "line 2: gemm.rounds: this key is"},
        {"{\"gemm\": {},\n \"gemm\": {\"rounds\": 9}}", "line 2: gemm: this section is"},
        {"{\n\"gemm\": 4}", "line 2: gemm: expected an object"},
        {"[]", "line 1: expected an object"},
        {"{\n\n\"gemm\": x}", "line 3: this is no JSON"},
        {"", "line 1: this is no JSON"}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct options options;
        struct error error;
        write_file(bad[i].text);
        const int rc = parse("relu", &options, &error);
        if (!*bad[i].says) {
            assert_int_equal(rc, 0);
            options_free(&options);
            continue;
        }
        if (rc >= 0 || !strstr(error.text, bad[i].says) ||
            strncmp(error.text, path, strlen(path)) != 0)
            fail_msg("%s: %d, %s", bad[i].text, rc, rc < 0 ? error.text : "");
    }
    setenv("SIMDBENCH_PROJECT", "/nowhere/x.json", 1);
    struct options options;
    struct error error;
    assert_int_equal(parse("relu", &options, &error), -ENOENT);
    assert_non_null(strstr(error.text, "/nowhere/x.json: No such file"));
    setenv("SIMDBENCH_PROJECT", path, 1);
}

/* Whatever one byte becomes: read, or refused with a line. */
TEST(test_any_bytes)
{
    static const char good[] = "{\"gemm\": {\"sizes\": [\"4\", 8],\n\"quiet\": true},"
                               "\"ab\": {\"rounds\": 1e1}}";
    static const char others[] = "\"{}[]:,\\ x1\n\x01\xff";
    size_t refused = 0;
    for (size_t i = 0; i < strlen(good); i++)
        for (size_t k = 0; k < sizeof others; k++) {
            char text[sizeof good];
            struct project_default *list = NULL;
            struct error error = {.text = ""};
            size_t n = 0;
            memcpy(text, good, sizeof good);
            text[i] = others[k];
            const int rc = project_read_json(&list, &n, text, strlen(text), &error);
            if (rc != 0) {
                assert_int_equal(rc, -EINVAL);
                assert_non_null(strstr(error.text, "line "));
                refused++;
            }
            project_free(list, n);
        }
    assert_in_range(refused, 300, strlen(good) * sizeof others - 1);
}

/* An op of a plug-in is known only to that. */
TEST(test_foreign_ops)
{
    struct options o = with_file("{\"softmax\": {\"plugin\": \"s.so\", \"sizes\": 4096}}",
                                 "softmax --rounds=8");
    assert_string_equal(joined(&o.request.plugins), "/tmp/s.so");
    assert_string_equal(joined(&o.request.sizes), "4096");
    options_free(&o);
}

static int begin(void **state)
{
    const int file = mkstemp(path);
    close(file);
    return file < 0 ? -1 : setenv("SIMDBENCH_PROJECT", path, 1);
}

static int end(void **state)
{
    return unlink(path);
}

TESTS_BETWEEN(begin, end)
