/* SPDX-License-Identifier: Apache-2.0 */
/* Files of declarations: what they say, and which keys and values are refused. */
#include <unistd.h>

#include "declare.h"
#include "unit.h"

static const char whole[] =
    "{\"$schema\": \"functions-1.json\", \"functions\": 1, \"ops\": [\n"
    "  {\"name\": \"mix\",\n"
    "   \"prototype\": \"void (inout float dst[n], const float src[n], float gain = 0.5, "
    "size_t n)\",\n"
    "   \"kernels\": {\"scalar\": \"mix_c\", \"avx2\": [\"mix_avx2\", \"table[1]\"], "
    "\"lib\": \"choose()\", \"avx512+vnni\": \"mix_vnni\"},\n"
    "   \"library\": \"build/libmix.so\", \"reference\": \"mix_c\", \"tolerance\": "
    "\"4ulp\",\n"
    "   \"inputs\": {\"src\": \"uniform:0..1\", \"dst\": \"zero\"},\n"
    "   \"work\": {\"ops\": \"2 * n\"}, \"roof\": \"copy\", \"sizes\": \"1Ki..1Mi\",\n"
    "   \"shapes\": {\"small\": \"16 32\", \"big-1.5\": \"1Mi\"}, \"tails\": \"1..70\",\n"
    "   \"overread\": 32},\n"
    "  {\"name\": \"crc\", \"prototype\": \"uint32_t (uint32_t c = 0, const u8 x[n], int "
    "n)\",\n"
    "   \"kernels\": {\"lib\": \"crc32_z\"}, \"library\": \"libz.so.1\"}]}\n";

static void check_whole(const struct declared_file *file)
{
    assert_int_equal(file->n, 2);
    const struct declared_op *mix = &file->op[0], *crc = &file->op[1];
    assert_string_equal(mix->name, "mix");
    assert_int_equal(mix->declaration.n, 4);
    assert_int_equal(mix->n_kernels, 5);
    assert_string_equal(mix->kernel[1].name, "avx2");
    assert_string_equal(mix->kernel[1].text, "mix_avx2");
    assert_string_equal(mix->kernel[2].name, "avx2");
    assert_string_equal(mix->kernel[2].text, "table[1]");
    assert_string_equal(mix->kernel[4].name, "avx512+vnni");
    assert_string_equal(mix->reference, "mix_c");
    assert_int_equal(mix->tolerance.kind, TOLERANCE_ULP);
    assert_true(mix->tolerance.value == 4);
    assert_int_equal(mix->n_inputs, 2);
    assert_string_equal(mix->input[0].name, "src");
    assert_string_equal(mix->input[0].text, "uniform:0..1");
    int64_t ops;
    assert_int_equal(extent_value(&mix->ops, (int64_t[]){21}, &ops, NULL), 0);
    assert_int_equal(ops, 42);
    assert_string_equal(mix->roof, "copy");
    assert_string_equal(mix->sizes, "1Ki..1Mi");
    assert_int_equal(mix->n_shapes, 2);
    assert_string_equal(mix->shape[1].name, "big-1.5");
    assert_string_equal(mix->tails, "1..70");
    assert_int_equal(mix->overread, 32);
    assert_string_equal(crc->library, "libz.so.1");
    assert_null(crc->reference);
    assert_int_equal(crc->tolerance.kind, TOLERANCE_NONE);
    assert_int_equal(crc->ops.n, 0);
}

TEST(test_whole)
{
    struct declared_file file;
    struct error error = {.text = ""};
    if (declared_read("some/where/mix.json", whole, strlen(whole), &file, &error) < 0)
        fail_msg("%s", error.text);
    check_whole(&file);
    assert_string_equal(file.op->library, "some/where/build/libmix.so");
    declared_free(&file);
    assert_int_equal(file.n, 0);
}

TEST(test_load)
{
    char path[] = "/tmp/simdbench-functions-XXXXXX";
    struct declared_file file;
    struct error error = {.text = ""};
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, whole, strlen(whole)), strlen(whole));
    assert_int_equal(declared_load(path, &file, &error), 0);
    check_whole(&file);
    assert_string_equal(file.op->library, "/tmp/build/libmix.so");
    declared_free(&file);
    assert_int_equal(ftruncate(fd, DECLARED_SIZE_MAX + 1), 0);
    assert_int_equal(declared_load(path, &file, &error), -EFBIG);
    close(fd);
    unlink(path);
    assert_int_equal(declared_load(path, &file, &error), -ENOENT);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(declared_load("/", &file, &error), -EISDIR);
}

#define OP(text)                                                                         \
    "{\"functions\":1,\"ops\":[{\"name\":\"f\",\"prototype\":\"void (inout u8 x[n], u8 " \
    "y[n], int n)\"," text "}]}"
#define KERNEL "\"kernels\":{\"lib\":\"f\"}"
#define NEXT(name) "},{\"name\":\"" name "\",\"prototype\":\"void ()\"," KERNEL

static const struct {
    const char *text, *message;
} refused[] = {
    {"", "m.json: byte 0, line 1: this is no JSON: the text ends too early"},
    {"{\n\"functions\": 1,\n}",
     "m.json: byte 18, line 3: this is no JSON at '}': take out the comma in front"},
    {"{\"functions\": 1 \"ops\": []}",
     "m.json: byte 16, line 1: this is no JSON at '\"': a comma or colon is missing in"},
    {"{\"functions\": 1, \"ops\": [",
     "m.json: byte 24, line 1: this is no JSON at '[': the text ends too early"},
    {"{\"ops\": [{\"name\": \"scale\"",
     "m.json: byte 24, line 1: this is no JSON at '\"': the text ends too early"},
    {"{\"a\": true",
     "m.json: byte 9, line 1: this is no JSON at 'e': the text ends too early"},
    {"{\"a\": tru",
     "m.json: byte 6, line 1: this is no JSON at 't': the text ends too early"},
    {"{\"a\": 12",
     "m.json: byte 7, line 1: this is no JSON at '2': the text ends too early"},
    {"[[1]", "m.json: byte 3, line 1: this is no JSON at ']': the text ends too early"},
    {"{\"name\": \"mix",
     "m.json: byte 10, line 1: this is no JSON at 'm': a text lacks its closing quote"},
    {"[\"", "m.json: byte 1, line 1: this is no JSON at '\"': a text lacks its closing"},
    {"[1,2\"x\"]",
     "m.json: byte 4, line 1: this is no JSON at '\"': a comma or colon is missing in"},
    {"[1,2}", "m.json: byte 4, line 1: this is no JSON at '}'"},
    {"{\"a\": [1}", "m.json: byte 8, line 1: this is no JSON at '}'"},
    {"{\"a\"}", "m.json: byte 4, line 1: this is no JSON at '}'"},
    {"{ // ours\n}",
     "m.json: byte 2, line 1: this is no JSON at '/': it has no comments"},
    {"{'functions': 1}",
     "m.json: byte 1, line 1: this is no JSON at ''': write \" in place of '"},
    {"{functions: 1}",
     "m.json: byte 1, line 1: this is no JSON at 'f': write names and texts in quotes"},
    {"{} x", "m.json: byte 3, line 1: more text after the end of the document at 'x'"},
    {"[]", "m.json: expected an object"},
    {"{}", "m.json: expected \"functions\": 1 and \"ops\""},
    {"{\"functions\":2}", "m.json: functions: this program reads version 1"},
    {"{\"functions\":1,\"functions\":1}", "m.json: functions: this key is there twice"},
    {"{\"functions\":1,\"op\":[]}",
     "m.json: op: unknown key; known are functions and ops"},
    {"{\"functions\":1,\"ops\":[]}", "m.json: ops: expected a list of ops"},
    {"{\"functions\":1,\"ops\":[3]}", "m.json: ops[0]: expected an object"},
    {"{\"functions\":1,\"ops\":[{\"name\":\"f\"}]}",
     "m.json: ops[0]: an op needs a name, a prototype and kernels"},
    {"{\"functions\":1,\"ops\":[{\"name\":\"f g\"}]}",
     "m.json: ops[0].name: 'f g': a name has letters, digits, '_' and '-'"},
    {"{\"functions\":1,\"ops\":[{\"prototype\":\"void (int)x\"}]}",
     "m.json: ops[0].prototype: nothing is expected behind the prototype but 'free "
     "NAME', 'length', 'for' and dimensions\n    void (int)x\n              ^"},
    {OP(KERNEL ",\"color\":1"), "m.json: ops[0].color: unknown key; known are name, "},
    {OP("\"kernels\":{\"AVX 2\":\"f\"}"),
     "m.json: ops[0].kernels.AVX 2: an instruction set is named like avx2"},
    {OP("\"kernels\":{\"avx2\":[]}"), "m.json: ops[0].kernels.avx2: the list is empty"},
    {OP("\"kernels\":{\"avx2\":[\"f\",3]}"),
     "m.json: ops[0].kernels.avx2: expected a text that is not empty"},
    {OP("\"kernels\":{\"avx2\":\"t[x]\"}"),
     "m.json: ops[0].kernels.avx2: 't[x]': expected the index of a table"},
    {OP("\"kernels\":{\"avx2\":\"f\",\"avx2\":\"g\"}"),
     "m.json: ops[0].kernels.avx2: this key is there twice"},
    {OP(KERNEL ",\"tolerance\":\"4 ulp\""),
     "m.json: ops[0].tolerance: tolerance '4 ulp' is none of exact"},
    {OP(KERNEL ",\"tolerance\":4"), "m.json: ops[0].tolerance: expected a text such as"},
    {OP(KERNEL ",\"reference\":\"\""), "m.json: ops[0].reference: expected a text"},
    {OP(KERNEL ",\"inputs\":{\"z\":\"zero\"}"),
     "m.json: ops[0].inputs.z: the prototype has no such argument"},
    {OP(KERNEL ",\"inputs\":{\"y\":\"zero\"}"),
     "m.json: ops[0].inputs.y: the argument is no array that is read"},
    {OP(KERNEL ",\"inputs\":{\"n\":\"zero\"}"),
     "m.json: ops[0].inputs.n: the argument is no array that is read"},
    {OP(KERNEL ",\"work\":{\"bytes\":\"n\"}"),
     "m.json: ops[0].work.bytes: work knows 'ops' alone"},
    {OP(KERNEL ",\"work\":{\"ops\":\"2 * m\"}"),
     "m.json: ops[0].work.ops: no argument is called m"},
    {OP(KERNEL ",\"work\":{\"ops\":2}"),
     "m.json: ops[0].work.ops: expected an expression"},
    {OP(KERNEL ",\"shapes\":{\"a b\":\"1\"}"),
     "m.json: ops[0].shapes.a b: a list of shapes"},
    {OP(KERNEL ",\"overread\":-1"), "m.json: ops[0].overread: expected a whole number"},
    {OP(KERNEL ",\"overread\":1.5"), "m.json: ops[0].overread: expected a whole number"},
    {OP(KERNEL ",\"overread\":4097"), "m.json: ops[0].overread: expected a whole number"},
    {OP(KERNEL ",\"sizes\":100"), "m.json: ops[0].sizes: expected a text"},
    {OP(KERNEL NEXT("g") NEXT("h") NEXT("f")), "m.json: ops[3]: there are two ops f"},
};

TEST(test_refused)
{
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        struct declared_file file;
        struct error error = {.text = ""};
        const char *const text = refused[i].text, *const message = refused[i].message;
        assert_true(declared_read("m.json", text, strlen(text), &file, &error) < 0);
        if (strncmp(error.text, message, strlen(message)) != 0)
            fail_msg("%s: %s", text, error.text);
        assert_int_equal(file.n, 0);
        assert_null(file.op);
    }
    static const char zero[] = "{\n\"a\":\0 1}";
    struct declared_file file;
    struct error error = {.text = ""};
    assert_true(declared_read("m.json", zero, sizeof zero - 1, &file, &error) < 0);
    assert_non_null(
        strstr(error.text, "byte 6, line 2: this is no JSON: a text has no zero"));
}

/* Members that need the prototype may stand before it; a file in this folder has no
 * folder. */
TEST(test_any_order)
{
    static const char text[] =
        "{\"ops\":[{\"inputs\":{\"x\":\"zero\"},\"work\":{\"ops\":\"n\"}," KERNEL
        ",\"library\":\"./m.so\",\"prototype\":\"void (const u8 x[n], int n)\","
        "\"name\":\"f\"}],\"functions\":1}";
    struct declared_file file;
    struct error error = {.text = ""};
    if (declared_read("m.json", text, strlen(text), &file, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(file.op[0].n_inputs, 1);
    assert_int_equal(file.op[0].ops.n, 1);
    assert_string_equal(file.op->library, "./m.so");
    declared_free(&file);
}
