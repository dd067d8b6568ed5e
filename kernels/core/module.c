/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <dlfcn.h>

#include "near_names.h"

enum { OLDEST_ABI = 1 };

/* Bytes that a struct must have to be of any use: up to and including a field. */
#define BYTES_TO(struct_name, field) \
    (offsetof(struct struct_name, field) + sizeof(((struct struct_name *)0)->field))

/* The module's table, copied. `table` comes first, so that module->table finds the rest.
 */
struct copy {
    struct simdbench_module table;
    struct simdbench_op *op;
    struct simdbench_kernel *kernel;
    const struct simdbench_op **ops;
    const struct simdbench_kernel **kernels;
};

static void copy_free(struct copy *copy)
{
    if (!copy)
        return;
    free(copy->op);
    free(copy->kernel);
    free(copy->ops);
    free(copy->kernels);
    free(copy);
}

/* Copies as much as the maker's size covers; the rest becomes zero. */
static void copy_struct(void *to, size_t to_size, const void *from)
{
    uint32_t size;
    memcpy(&size, from, sizeof size);
    memset(to, 0, to_size);
    memcpy(to, from, size < to_size ? size : to_size);
    size = (uint32_t)to_size;
    memcpy(to, &size, sizeof size);
}

#define NAME_RULE "of letters, digits, '-' and '_', at most 256"

bool module_name_valid(const char *text)
{
    if (!text || !*text)
        return false;
    if (strlen(text) > MODULE_NAME_MAX)
        return false;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] == 0;
}

/* ---- ops ---- */

/* Fields that may be missing, but not without each other. */
static int check_op_extras(const struct simdbench_op *op, const char *module,
                           struct error *error)
{
    const struct {
        const char *has, *lacks;
        bool bad;
    } pairs[] = {
        {"layouts", "relayout", op->layouts && !op->relayout},
        {"layouts", "layout_of", op->layouts && !op->layout_of},
        {"relayout", "layouts", op->relayout && !op->layouts},
        {"accuracy", "accuracy_inputs", op->accuracy && !op->accuracy_inputs},
        {"accuracy", "accuracy_shape", op->accuracy && !op->accuracy_shape},
        {"length", "verify", op->length && !op->verify},
    };
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        if (pairs[i].bad)
            return invalid(error, "module %s: op '%s' has %s but no %s", module, op->name,
                           pairs[i].has, pairs[i].lacks);
    }
    for (size_t i = 0; op->lists && op->lists[i]; i++) {
        const struct simdbench_shape_list *list = op->lists[i];
        if (list->size < BYTES_TO(simdbench_shape_list, shapes) ||
            !module_name_valid(list->name) || !list->summary || !list->shapes)
            return invalid(
                error,
                "module %s: shape list %zu of op '%s' needs its size, a name " NAME_RULE
                ", a summary and shapes",
                module, i, op->name);
    }
    return 0;
}

static int check_op(const struct copy *copy, size_t index, struct error *error)
{
    const struct simdbench_op *op = &copy->op[index];
    const char *module = copy->table.name;
    if (!module_name_valid(op->name))
        return invalid(error, "module %s: the name of op %zu must be " NAME_RULE, module,
                       index);
    if (op_find(op->name))
        return invalid(
            error, "module %s: op '%s' is already one of simdbench; choose another name",
            module, op->name);
    for (size_t i = 0; i < index; i++) {
        if (strcmp(copy->op[i].name, op->name) == 0)
            return invalid(error, "module %s: op '%s' is there twice", module, op->name);
    }
    const char *missing = !op->summary          ? "summary"
                          : !op->shape_help     ? "shape_help"
                          : !op->default_shapes ? "default_shapes"
                          : !op->parse          ? "parse"
                          : !op->format         ? "format"
                          : !op->layout         ? "layout"
                          : !op->reference      ? "reference"
                          : !op->work           ? "work"
                                                : NULL;
    if (!missing && !op->fill && op->flags & SIMDBENCH_JOINT)
        missing = "fill, which inputs that go together need";
    if (missing)
        return invalid(error, "module %s: op '%s' has no %s", module, op->name, missing);
    return check_op_extras(op, module, error);
}

static int copy_ops(struct copy *copy, struct error *error)
{
    size_t n = 0;
    while (copy->table.ops && copy->table.ops[n])
        n++;
    copy->op = calloc(n + 1, sizeof *copy->op);
    copy->ops = calloc(n + 1, sizeof *copy->ops);
    if (!copy->op || !copy->ops)
        return no_memory(error);
    for (size_t i = 0; i < n; i++) {
        if (copy->table.ops[i]->size < BYTES_TO(simdbench_op, work))
            return invalid(
                error,
                "module %s: op %zu has size %u; set .size = sizeof(struct simdbench_op)",
                copy->table.name, i, copy->table.ops[i]->size);
        copy_struct(&copy->op[i], sizeof copy->op[i], copy->table.ops[i]);
        copy->ops[i] = &copy->op[i];
        int status = check_op(copy, i, error);
        if (status < 0)
            return status;
    }
    copy->table.ops = copy->ops;
    return 0;
}

/* ---- kernels ---- */

/* Near matches and where all of them are told. */
static void unknown_roof(const char *name, char *text, size_t size)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    struct near near = {.word = name};
    for (size_t i = 0; kernels[i]; i++)
        if (strcmp(kernels[i]->op, "roof") == 0 &&
            (!near.n || !strstr(near.text, kernels[i]->variant)))
            near_try(&near, kernels[i]->variant);
    snprintf(text, size, "%s; simdbench list roofs shows them", near.text);
}

/* Names of other programs for them. */
static void take_roof_alias(const char **name)
{
    static const char *const aliases[][2] = {
        {"triad", "streams"}, {"update", "streams"}, {"dot", "load"}};
    for (size_t i = 0; *name && i < ARRAY_LEN(aliases); i++)
        if (strcmp(*name, aliases[i][0]) == 0)
            *name = aliases[i][1];
}

static bool has_roof(const char *name)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    bool found = strcmp(name, "none") == 0;
    for (size_t i = 0; kernels[i] && !found; i++)
        found =
            strcmp(kernels[i]->op, "roof") == 0 && strcmp(kernels[i]->variant, name) == 0;
    return found;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_row(const struct simdbench_kernel *a, const struct simdbench_kernel *b)
{
    return a->type == b->type && same_text(a->op, b->op) &&
           same_text(a->semiring, b->semiring) && same_text(a->isa, b->isa) &&
           same_text(a->variant, b->variant) &&
           (!a->layout || !b->layout || same_text(a->layout, b->layout));
}

static int check_kernel(const struct copy *copy, size_t index, struct error *error)
{
    const struct simdbench_kernel *kernel = &copy->kernel[index];
    const char *module = copy->table.name;
    const struct {
        const char *field, *value;
        bool may_be_missing;
    } names[] = {
        {"op", kernel->op, false},           {"semiring", kernel->semiring, true},
        {"variant", kernel->variant, false}, {"layout", kernel->layout, true},
        {"roof", kernel->roof, true},        {"other_roof", kernel->other_roof, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (names[i].may_be_missing && !names[i].value)
            continue;
        if (!module_name_valid(names[i].value))
            return invalid(error, "module %s: the %s of kernel %zu must be " NAME_RULE,
                           module, names[i].field, index);
    }
    if (!type_name(kernel->type))
        return invalid(error, "module %s: kernel %s has unknown type %u", module,
                       kernel->variant, kernel->type);
    struct error why = {.text = "there is no name"};
    const char *const isa = kernel->isa;
    if (!isa || (strcmp(isa, "lib") != 0 && isa_check(isa, &why) < 0))
        return invalid(error,
                       "module %s: the instruction set of kernel %s: %s; 'lib' stands "
                       "for a library that chooses for itself",
                       module, kernel->variant, why.text);
    const char *const roofs[] = {kernel->roof, kernel->other_roof};
    for (size_t i = 0; i < ARRAY_LEN(roofs); i++) {
        char known[300];
        if (!roofs[i] || has_roof(roofs[i]))
            continue;
        unknown_roof(roofs[i], known, sizeof known);
        return invalid(error,
                       "module %s: kernel %s names roof '%s', which does not exist%s",
                       module, kernel->variant, roofs[i], known);
    }
    if (!kernel->run)
        return invalid(error, "module %s: kernel %s has no run", module, kernel->variant);
    if (copy->table.abi < SIMDBENCH_ABI && kernel->flags & SIMDBENCH_ADAPTS)
        return invalid(error,
                       "module %s: kernel %s reads most_ulp, which module ABI %u has "
                       "elsewhere: compile it again with the simdbench.h of this one",
                       module, kernel->variant, copy->table.abi);
    for (size_t i = 0; i < index; i++) {
        if (same_row(&copy->kernel[i], kernel))
            return invalid(error, "module %s: kernel %s is there twice", module,
                           kernel->variant);
    }
    return 0;
}

static int copy_kernels(struct copy *copy, struct error *error)
{
    size_t n = 0;
    while (copy->table.kernels && copy->table.kernels[n])
        n++;
    if (n == 0)
        return invalid(error, "module %s has no kernels", copy->table.name);
    copy->kernel = calloc(n + 1, sizeof *copy->kernel);
    copy->kernels = calloc(n + 1, sizeof *copy->kernels);
    if (!copy->kernel || !copy->kernels)
        return no_memory(error);
    for (size_t i = 0; i < n; i++) {
        if (copy->table.kernels[i]->size < BYTES_TO(simdbench_kernel, run))
            return invalid(error,
                           "module %s: kernel %zu has size %u; set .size = sizeof(struct "
                           "simdbench_kernel)",
                           copy->table.name, i, copy->table.kernels[i]->size);
        copy_struct(&copy->kernel[i], sizeof copy->kernel[i], copy->table.kernels[i]);
        copy->kernels[i] = &copy->kernel[i];
        take_roof_alias(&copy->kernel[i].roof);
        take_roof_alias(&copy->kernel[i].other_roof);
        int status = check_kernel(copy, i, error);
        if (status < 0)
            return status;
    }
    copy->table.kernels = copy->kernels;
    return 0;
}

/* ---- loading ---- */

static int check_abi(const struct simdbench_module *table, const char *path,
                     struct error *error)
{
    if (!table)
        return invalid(error, "%s: simdbench_module() returned no table", path);
    if (table->size < BYTES_TO(simdbench_module, abi))
        return invalid(
            error,
            "%s: its table has size %u; set .size = sizeof(struct simdbench_module)",
            path, table->size);
    if (table->abi < OLDEST_ABI || table->abi > SIMDBENCH_ABI)
        return error_set(error, -EPROTO,
                         "%s was compiled for module ABI %u, this simdbench has ABI %u: "
                         "%s",
                         path, table->abi, SIMDBENCH_ABI,
                         table->abi > SIMDBENCH_ABI
                             ? "use a newer simdbench, or compile it with the "
                               "simdbench.h of this one"
                             : "compile it again with the simdbench.h of this one");
    if (table->size < BYTES_TO(simdbench_module, kernels))
        return invalid(
            error,
            "%s: its table has size %u; set .size = sizeof(struct simdbench_module)",
            path, table->size);
    if (!module_name_valid(table->name))
        return invalid(error, "%s: the module's name must be " NAME_RULE, path);
    return 0;
}

static int open_module(const struct simdbench_module *table,
                       const struct simdbench_option *const *options, size_t n,
                       struct error *error)
{
    if (!table->open && n > 0)
        return invalid(error, "module %s takes no options; '%s=%s' was given",
                       table->name, options[0]->name, options[0]->value);
    if (!table->open)
        return 0;
    char text[400] = "";
    int status = table->open(options, n, text, sizeof text);
    if (status >= 0)
        return 0;
    text[sizeof text - 1] = 0;
    return error_set(error, status, "module %s cannot start: %s", table->name,
                     *text ? text : strerror(-status));
}

int module_load(struct module *module, const char *path,
                const struct simdbench_option *const *options, size_t n,
                struct error *error)
{
    int status;
    struct copy *copy = NULL;
    *module = (struct module){0};
    void *handle = module_open(path, error);
    if (!handle)
        return -ENOENT;

    const struct simdbench_module *(*entry)(uint32_t);
    *(void **)&entry = dlsym(handle, "simdbench_module");
    if (!entry) {
        status = error_set(error, -EINVAL,
                           "%s is no simdbench module: it does not export "
                           "simdbench_module(); functions of a library need a "
                           "prototype: simdbench call %s lists them; write "
                           "LIB.so:NAME 'PROTOTYPE' (ab: OLD.so:NAME NEW.so "
                           "'PROTOTYPE'), or a file that declares them",
                           path, path);
        goto out;
    }
    const struct simdbench_module *table = entry(SIMDBENCH_ABI);
    status = check_abi(table, path, error);
    if (status < 0)
        goto out;
    copy = calloc(1, sizeof *copy);
    if (!copy) {
        status = no_memory(error);
        goto out;
    }
    copy_struct(&copy->table, sizeof copy->table, table);
    status = copy_ops(copy, error)
                     ?: copy_kernels(copy, error)
                     ?: open_module(&copy->table, options, n, error);
    if (status < 0)
        goto out;
    module->handle = handle;
    module->table = &copy->table;
    return 0;
out:
    copy_free(copy);
    dlclose(handle);
    return status;
}

void module_unload(struct module *module)
{
    if (!module->handle)
        return;
    if (module->table->close)
        module->table->close();
    copy_free((struct copy *)module->table);
    dlclose(module->handle);
    *module = (struct module){0};
}
