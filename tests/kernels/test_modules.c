/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: good ones, tables that are wrong, and how they are found. The environment says
 * where the test modules and the documentation are. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels.h"
#include "unit.h"

static int load(struct module *module, const char *name, struct error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.so", getenv("SIMDBENCH_MODULES"), name);
    return module_load(module, path, NULL, 0, error);
}

static int load_tables(const char *how, struct module *module, struct error *error)
{
    setenv("TABLES", how, 1);
    int status = load(module, "tables", error);
    unsetenv("TABLES");
    return status;
}

/* ---- good modules ---- */

/* Runs one row of a module's own op on one shape and checks every output. */
static int run_row(const struct simdbench_op *op, const struct simdbench_kernel *kernel,
                   const char *text, struct error *error)
{
    struct simdbench_shape shape;
    struct operands_map map;
    struct operands operands;
    void *state = NULL;
    char message[100] = "";
    assert_int_equal(op->parse(text, &shape, message, sizeof message), 0);
    assert_int_equal(operands_place(op, &shape, kernel->type, 64, 1, &map, error), 0);
    void *base = aligned_alloc(4096, map.bytes);
    assert_non_null(base);
    operands_bind(&operands, &map, &shape, 1, base);
    assert_int_equal(op->fill(&operands.view, 1, NULL), 0);
    operands_guard(&operands);
    operands_poison(&operands);
    const uint64_t hash = operands_hash(&operands);
    if (kernel->prepare)
        assert_int_equal(kernel->prepare(&operands.view, &state, message, sizeof message),
                         0);
    kernel->run(&operands.view, state);
    if (kernel->release)
        kernel->release(state);

    const struct simdbench_operand *output = &operands.operand[map.count - 1];
    float *value = malloc(output->count * sizeof *value + 1);
    double *slack = malloc(output->count * sizeof *slack + 1);
    assert_int_equal(op->reference(&operands.view, kernel->semiring, NULL, output->count,
                                   value, slack),
                     0);
    int status = operands_compare(output, NULL, output->count, value, slack, error);
    if (status == 0 && operands_damaged(&operands) >= 0)
        status = -EFAULT;
    if (status == 0 && operands_hash(&operands) != hash)
        status = -EPERM;
    free(value);
    free(slack);
    free(base);
    return status;
}

TEST(test_own_op)
{
    static const char *const shapes[] = {"1x1", "3x5", "0x4", "17x129", "2x1000"};
    struct module module;
    struct error error;
    struct simdbench_description description = {.size = sizeof description};
    assert_int_equal(load(&module, "softmax", &error), 0);
    assert_string_equal(module.table->name, "softmax");
    assert_null(module.table->ops[1]);
    assert_null(module.table->kernels[1]);
    assert_int_equal(module.table->describe(&description), 0);
    assert_string_equal(description.version, "softmax 1.0");
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        assert_int_equal(
            run_row(module.table->ops[0], module.table->kernels[0], shapes[i], &error),
            0);
    module_unload(&module);
    assert_null(module.handle);
}

/* A misbehaving row is seen; the good row beside it is not blamed. */
TEST(test_misbehaviour)
{
    static const struct {
        const char *module;
        int status;
    } cases[] = {
        {"wrong_result", -EDOM}, {"writes_outside", -EFAULT}, {"writes_input", -EDOM}};
    struct module module;
    struct error error;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(load(&module, cases[i].module, &error), 0);
        const struct simdbench_module *table = module.table;
        assert_int_equal(run_row(table->ops[0], table->kernels[0], "100", &error), 0);
        assert_int_equal(run_row(table->ops[0], table->kernels[1], "100", &error),
                         cases[i].status);
        module_unload(&module);
    }
}

TEST(test_options)
{
    const struct simdbench_option good = {sizeof good, 0, "trace", "1"};
    const struct simdbench_option bad = {sizeof bad, 0, "trace", "2"};
    const struct simdbench_option *list[] = {&good, &bad};
    char path[PATH_MAX];
    struct module module;
    struct error error;
    snprintf(path, sizeof path, "%s/softmax.so", getenv("SIMDBENCH_MODULES"));
    assert_int_equal(module_load(&module, path, list, 1, &error), 0);
    module_unload(&module);
    assert_int_equal(module_load(&module, path, list, 2, &error), -EINVAL);
    assert_string_equal(error.text, "module softmax cannot start: trace=2: only trace=0 "
                                    "and trace=1 are known");
    assert_null(module.handle);
    module_unload(&module);

    snprintf(path, sizeof path, "%s/tables.so", getenv("SIMDBENCH_MODULES"));
    assert_int_equal(module_load(&module, path, list, 1, &error), -EINVAL);
    assert_string_equal(error.text,
                        "module tables takes no options; 'trace=1' was given");
    /* open() without a message of its own. */
    assert_int_equal(load_tables("options", &module, &error), -EINVAL);
    assert_string_equal(error.text, "module tables cannot start: Invalid argument");
}

/* ---- modules that are refused ---- */

TEST(test_newer_abi)
{
    struct module module;
    struct error error;
    assert_int_equal(load(&module, "newer_abi", &error), -EPROTO);
    assert_non_null(strstr(error.text, "module ABI 3"));
    assert_non_null(strstr(error.text, "this simdbench has ABI 2"));
    assert_non_null(strstr(error.text, "use a newer simdbench"));
    assert_int_equal(load_tables("abi0", &module, &error), -EPROTO);
    assert_non_null(strstr(error.text, "compile it again"));
}

TEST(test_older_abi)
{
    struct module module;
    struct error error;
    assert_int_equal(load_tables("abi1", &module, &error), 0);
    module_unload(&module);
    assert_int_equal(load_tables("abi1-adapts", &module, &error), -EINVAL);
    assert_non_null(strstr(error.text, "kernel good reads most_ulp"));
}

TEST(test_no_module)
{
    struct module module;
    struct error error;
    assert_int_equal(load(&module, "no_entry", &error), -EINVAL);
    assert_non_null(strstr(error.text, "simdbench_module()"));
    assert_int_equal(load(&module, "not_there", &error), -ENOENT);
    assert_non_null(strstr(error.text, "not_there.so"));
}

TEST(test_tables)
{
    static const struct {
        const char *how, *text;
    } cases[] = {{"null", "returned no table"},
                 {"size", "size 4"},
                 {"module-size", "sizeof(struct simdbench_module)"},
                 {"module-name", "the module's name"},
                 {"no-kernels", "has no kernels"},
                 {"kernel-size", "sizeof(struct simdbench_kernel)"},
                 {"kernel-type", "unknown type 99"},
                 {"kernel-isa", "'avx3'"},
                 {"kernel-roof", "'sky'"},
                 {"kernel-variant", "the variant of kernel 0"},
                 {"kernel-null", "the variant of kernel 0"},
                 {"kernel-run", "has no run"},
                 {"kernel-twice", "is there twice"},
                 {"op-size", "sizeof(struct simdbench_op)"},
                 {"op-name", "the name of op 0"},
                 {"op-own", "'roof' is already one of simdbench"},
                 {"op-twice", "is there twice"},
                 {"op-fill", "has no fill"},
                 {"op-layouts", "has layouts but no relayout"},
                 {"op-relayout", "has relayout but no layouts"},
                 {"op-accuracy", "has accuracy but no accuracy_inputs"},
                 {"op-list", "shape list 0 of op 'twice'"}};
    struct module module;
    struct error error;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        error.text[0] = 0;
        assert_int_equal(load_tables(cases[i].how, &module, &error), -EINVAL);
        if (!strstr(error.text, cases[i].text))
            fail_msg("%s: %s", cases[i].how, error.text);
        assert_null(module.handle);
    }
    assert_int_equal(load_tables("good", &module, &error), 0);
    module_unload(&module);
    /* An op with one layout has no names for it. */
    assert_int_equal(load_tables("kernel-layout", &module, &error), 0);
    module_unload(&module);
}

/* Fields behind the end of an older module's structs read as zero. */
TEST(test_older)
{
    struct module module;
    struct error error;
    assert_int_equal(load_tables("older", &module, &error), 0);
    assert_null(module.table->open);
    assert_null(module.table->close);
    assert_null(module.table->kernels[0]->release);
    assert_null(module.table->kernels[0]->work);
    assert_non_null(module.table->kernels[0]->run);
    assert_int_equal(module.table->kernels[0]->size, sizeof(struct simdbench_kernel));
    module_unload(&module);
}

/* Rows of one name are two if they take different layouts. */
TEST(test_layouts)
{
    struct module module;
    struct error error;
    assert_int_equal(load(&module, "third", &error), 0);
    const struct simdbench_op *op = module.table->ops[0];
    assert_string_equal(op->layouts, "plain,mirrored");
    assert_string_equal(op->lists[0]->name, "tiny");
    assert_non_null(op->accuracy);
    size_t n = 0;
    for (size_t i = 0; module.table->kernels[i]; i++)
        n += strcmp(module.table->kernels[i]->variant, "divide") == 0;
    assert_int_equal(n, 2);
    module_unload(&module);
}

/* ---- finding ---- */

TEST(test_find)
{
    char path[PATH_MAX], want[PATH_MAX];
    struct error error;
    assert_int_equal(module_find("softmax", path, sizeof path, &error), 0);
    snprintf(want, sizeof want, "%s/softmax.so", getenv("SIMDBENCH_MODULES"));
    assert_string_equal(path, want);
    assert_int_equal(module_find(want, path, sizeof path, &error), 0);
    assert_string_equal(path, want);
    assert_int_equal(module_find("softmix", path, sizeof path, &error), -ENOENT);
    assert_non_null(strstr(error.text, "there is no module 'softmix'; did you mean "
                                       "softmax? (looked in "));
    assert_non_null(strstr(error.text, "simdbench/modules"));
    assert_int_equal(module_find("qqqqqqqq", path, sizeof path, &error), -ENOENT);
    assert_null(strstr(error.text, "did you mean"));
    assert_int_equal(module_find("a/softmax.so", path, sizeof path, &error), -ENOENT);
    assert_int_equal(module_find("softmax", path, 10, &error), -ENOENT);
    assert_int_equal(module_find(want, path, 10, &error), -ENAMETOOLONG);
}

/* A file in this folder must not become a library of the system's. */
TEST(test_find_here)
{
    char path[PATH_MAX], old[PATH_MAX];
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(chdir(getenv("SIMDBENCH_MODULES")), 0);
    assert_int_equal(module_find("softmax.so", path, sizeof path, NULL), 0);
    assert_string_equal(path, "./softmax.so");
    assert_int_equal(chdir(old), 0);
}

struct names {
    char text[4000];
    bool all_there;
};

static void names_each(const char *name, const char *path, void *context)
{
    struct names *names = context;
    struct stat facts;
    size_t used = strlen(names->text);
    snprintf(names->text + used, sizeof names->text - used, "%s ", name);
    names->all_there = names->all_there && stat(path, &facts) == 0;
}

TEST(test_each)
{
    struct names names = {.all_there = true};
    /* The same folder once more: no name comes twice. */
    char *old = strdup(getenv("SIMDBENCH_MODULES")), list[2 * PATH_MAX];
    snprintf(list, sizeof list, ":/does/not/exist:%s:%s:", old, old);
    setenv("SIMDBENCH_MODULES", list, 1);
    module_each(names_each, &names);
    setenv("SIMDBENCH_MODULES", old, 1);
    free(old);
    assert_true(names.all_there);
    char *first = strstr(names.text, "softmax ");
    assert_non_null(first);
    assert_null(strstr(first + 1, "softmax "));
    assert_true(strstr(names.text, "crash_load ") < first);
}

/* ---- documentation ---- */

static char *read_text(const char *relative)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", getenv("SOURCE_ROOT"), relative);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 100000);
    assert_non_null(text);
    assert_true(fread(text, 1, 99999, file) > 0);
    fclose(file);
    return text;
}

TEST(test_document)
{
    char *document = read_text("docs/plugin.md");
    char *source = read_text("bindings/c/my_gemm.c");
    char *begin = strstr(document, "```c\n");
    assert_non_null(begin);
    begin += strlen("```c\n");
    char *end = strstr(begin, "```\n");
    assert_non_null(end);
    *end = 0;
    assert_string_equal(begin, source);
    free(document);
    free(source);
}

TEST(test_document_runs)
{
    static const char *const shapes[] = {"1x1x1", "5x7x0", "33x65x17"};
    const struct simdbench_op *gemm = op_find("gemm");
    struct module module;
    struct error error;
    if (!gemm || isa_find("avx2") < 0 ||
        !isa_available((size_t)isa_find("avx2"), NULL, 0))
        skip();
    assert_int_equal(load(&module, "my_gemm", &error), 0);
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        assert_int_equal(run_row(gemm, module.table->kernels[0], shapes[i], &error), 0);
    module_unload(&module);
}
