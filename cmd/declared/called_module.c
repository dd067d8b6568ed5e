/* SPDX-License-Identifier: Apache-2.0 */
/* From a file of declarations to the table of a module. */
#include "called_private.h"
#include "reports.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

/* A name that may stand in ids, up to a character or its end. */
static void plain_name(const char *from, char end, char *to, size_t size)
{
    size_t n = 0;
    for (; *from && *from != end && n + 1 < size; from++) {
        const bool good = isalnum((unsigned char)*from) || *from == '_' || *from == '-';
        if (good || (n && to[n - 1] != '_'))
            to[n++] = good ? *from : '_';
    }
    while (n && to[n - 1] == '_')
        n--;
    to[n] = '\0';
    if (!n)
        snprintf(to, size, "function");
}

void declared_variant(const char *text, char *name, size_t size)
{
    struct place place;
    struct error lost;
    const bool chosen = place_parse(text, &place, &lost) == 0 &&
                        place.kind == PLACE_RESOLVER; /* choose(1), not f(int) */
    plain_name(text, chosen ? '\0' : '(', name, size);
}

static void stem_of(const char *path, char *name, size_t size)
{
    char stem[NAME_MAX + 1];
    snprintf(stem, sizeof stem, "%s", basename(path));
    char *const dot = strrchr(stem, '.');
    if (dot)
        *dot = '\0';
    plain_name(stem, '(', name, size);
}

/* ---- shapes ---- */

/* "1..70" as "1 2 3 ...": every size, in all dimensions. */
static char *expand_tails(const char *text)
{
    long first, last;
    if (tails_read(text, &first, &last) < 0)
        return NULL;
    const size_t size = (size_t)(last - first + 1) * 21 + 1;
    char *const list = calloc(1, size);
    size_t used = 0;
    for (long i = first; list && i <= last; i++)
        used += (size_t)snprintf(list + used, size - used, "%s%ld", used ? " " : "", i);
    return list;
}

static int add_lists(struct declared_slot *slot, struct error *error)
{
    const struct declared_op *const from = slot->from;
    const size_t n = from->n_shapes + (from->tails != NULL);
    slot->list = calloc(n + 1, sizeof *slot->list);
    slot->lists = calloc(n + 1, sizeof *slot->lists);
    slot->tails = from->tails ? expand_tails(from->tails) : NULL;
    if (!slot->list || !slot->lists)
        return no_memory(error);
    if (from->tails && !slot->tails)
        return invalid(error, "op %s: tails \"%.60s\" is no range of sizes", from->name,
                       from->tails);
    for (size_t i = 0; i < n; i++) {
        const bool tails = i == from->n_shapes;
        slot->list[i] = (struct simdbench_shape_list){
            .size = sizeof slot->list[i],
            .name = tails ? "tails" : from->shape[i].name,
            .summary = tails ? "sizes of which most have a remainder" : "declared",
            .shapes = tails ? slot->tails : from->shape[i].text};
        slot->lists[i] = &slot->list[i];
    }
    slot->op.lists = n ? slot->lists : NULL;
    return 0;
}

static int add_texts(struct declared_slot *slot, struct error *error)
{
    const struct declaration *const declaration = &slot->from->declaration;
    FREED_BY(buffer_free) struct buffer help = {.text = NULL};
    for (uint32_t i = 0; i < declaration->n_dimensions; i++)
        buffer_format(&help, "%s%s", i ? " x " : "", declaration->dimension[i].name);
    if (!help.length)
        buffer_add(&help, "1: the function has no dimensions");
    for (uint32_t i = 1; i < declaration->n_dimensions; i++)
        buffer_add(&help, i == 1 ? ", as in 64x64" : "x64");
    if (declaration->n_dimensions > 1)
        buffer_format(&help,
                      ", or one number for all; one that is no size has a value in the "
                      "prototype: %s = 1",
                      declaration->dimension[0].name);
    slot->shape_help = copy_text(buffer_text(&help));
    must(asprintf(&slot->summary, "declared: %s", slot->from->prototype));
    slot->op.name = slot->from->name;
    slot->op.summary = slot->summary;
    slot->op.shape_help = slot->shape_help;
    slot->op.inputs = DECLARED_INPUTS;
    slot->op.default_shapes = slot->from->sizes                ? slot->from->sizes
                              : declaration->n_dimensions == 0 ? "1"
                              : declaration->n_dimensions == 1 ? "1Ki,16Ki,256Ki"
                                                               : "64";
    return 0;
}

static int check_inputs(struct declared_slot *slot, struct error *error)
{
    const struct declared_op *const from = slot->from;
    for (size_t i = 0; i < from->n_inputs; i++) {
        struct error why;
        if (declaration_find(&from->declaration, from->input[i].name) < 0)
            return invalid(error, "op %s: inputs: there is no argument '%.60s'",
                           from->name, from->input[i].name);
        if (input_check(&from->declaration, from->input[i].text, &why) < 0)
            return invalid(error, "op %s: inputs: %s: %s", from->name,
                           from->input[i].name, why.text);
        if (input_is_joint(from->input[i].text))
            slot->op.flags |= SIMDBENCH_JOINT | OP_EASY;
        if (input_has_form(from->input[i].text))
            slot->op.flags |= OP_FORMED;
        if (input_is_ordered(from->input[i].text))
            slot->op.flags |= OP_ORDERED;
    }
    for (uint32_t i = 0; i < from->declaration.n; i++)
        if (from->declaration.argument[i].role != ARGUMENT_OUT &&
            (from->declaration.argument[i].has_bool ||
             from->declaration.argument[i].has_pointer))
            slot->op.flags |= SIMDBENCH_JOINT | OP_FORMED;
    if (slot_has_fillers(slot))
        slot->op.flags |= SIMDBENCH_JOINT | OP_FORMED | OP_ORDERED;
    return 0;
}

/* ---- libraries and functions ---- */

static int open_library(const char *name, struct library *library, void **handle,
                        char **linked, struct error *error)
{
    char path[PATH_MAX], *command = NULL;
    int status = library_where(name, path, sizeof path, error);
    if (status == 0 && library_must_link(path)) {
        status = library_link(path, linked, &command, error);
        free(command);
    }
    const char *const file = *linked ?: path;
    if (status == 0)
        status = library_read(file, library, error);
    if (status < 0)
        return status;
    /* It is timed on one CPU, which helpers of OpenMP would have to share. */
    setenv("OMP_NUM_THREADS", "1", 0);
    *handle = module_open(file, error);
    if (!*handle && library_is_linked(file))
        library_explain_load(error);
    return *handle ? 0 : -ENOENT;
}

struct finding {
    void *handle, **address;
    const struct library *objects;
    struct place place;
    int status;
    struct error *error;
};

static void find_place(void *context)
{
    struct finding *const finding = context;
    finding->status = place_resolve(finding->handle, finding->objects, &finding->place,
                                    finding->address, finding->error);
}

/* A function that chooses the one to call may crash. */
int called_find(void *handle, const struct library *library, const char *text,
                void **address, struct error *error)
{
    struct finding finding = {
        .handle = handle, .objects = library, .address = address, .error = error};
    char why[200];
    const int status = place_parse(text, &finding.place, error);
    if (status < 0)
        return status;
    return crash_catch_named(finding.place.name, find_place, &finding, why, sizeof why) <
                   0
               ? error_set(error, -EFAULT, "%.80s %s", finding.place.text, why)
               : finding.status;
}

static int find_reference(struct declared_slot *slot, struct error *error)
{
    const struct declared_op *const from = slot->from;
    if (!from->reference_library)
        return called_find(slot->handle, &slot->library, from->reference,
                           &slot->reference, error);
    return open_library(from->reference_library, &slot->other, &slot->other_handle,
                        &slot->other_linked, error)
               ?: called_find(slot->other_handle, &slot->other, from->reference,
                              &slot->reference, error);
}

static int add_function(struct declared_slot *slot, const struct named_text *from,
                        struct error *error)
{
    struct declared_function *const function = &slot->function[slot->n_functions];
    snprintf(function->isa, sizeof function->isa, "%s", from->name);
    declared_variant(from->text, function->variant, sizeof function->variant);
    if (strcmp(function->isa, "lib") != 0 && isa_check(function->isa, error) < 0)
        return -EINVAL;
    const int status =
        called_find(slot->handle, &slot->library, from->text, &function->address, error);
    if (status < 0)
        return status;
    function->slot = slot;
    function->kernel = (struct simdbench_kernel){
        .size = sizeof function->kernel,
        .type = slot->type,
        .op = slot->from->name,
        .isa = function->isa,
        .variant = function->variant,
        .roof = slot->from->roof,
        .flags = slot->from->reset ? SIMDBENCH_RESETS : 0,
    };
    slot->n_functions++;
    return 0;
}

static bool has_function(const char *file, const char *text)
{
    char path[PATH_MAX];
    struct error why;
    struct place place;
    FREED_BY(library_close) struct library library = {.n = 0};
    const struct library_function *function;
    return place_parse(text, &place, &why) == 0 &&
           library_where(file, path, sizeof path, &why) == 0 &&
           library_read(path, &library, &why) == 0 &&
           library_find(&library, place.name, &function, &why) != -ENOENT;
}

/* Functions that only the `other` file has are left out; `lost` says which. */
static int add_functions(struct declared_slot *slot, const char *other,
                         struct error *lost, struct error *error)
{
    const struct declared_op *const from = slot->from;
    int status = 0;
    for (size_t i = 0; i < from->n_kernels && status == 0; i++) {
        status = add_function(slot, &from->kernel[i], error);
        if (status == -ENOENT && other && has_function(other, from->kernel[i].text)) {
            *lost = *error;
            status = 0;
        }
    }
    return status;
}

static int open_slot(struct declared_slot *slot, const char *library, const char *other,
                     struct error *lost, struct error *error)
{
    const struct declared_op *const from = slot->from;
    struct error why = {.text = ""};
    slot->last.by = ANSWERED_BY_REFERENCE;
    if (op_find(from->name))
        return invalid(error, "op '%s' is already one of simdbench; choose another name",
                       from->name);
    int status = called_operands(slot, error)
                     ?: slot_take(slot, error)
                     ?: add_texts(slot, error)
                     ?: add_lists(slot, error)
                     ?: check_inputs(slot, error)
                     ?: slot_open_calls(slot, error);
    if (status < 0)
        return status;
    library = library ?: from->library;
    if (!library)
        return invalid(error,
                       "op %s has no \"library\", as in \"library\": \"./libmix.so\", "
                       "and none was given: FILE.json,library=./libmix.so",
                       from->name);
    status = open_library(library, &slot->library, &slot->handle, &slot->linked, &why);
    slot->function = calloc(from->n_kernels + 1, sizeof *slot->function);
    if (!slot->function)
        return no_memory(error);
    if (status == 0)
        status = add_functions(slot, other, lost, &why);
    if (status == 0 && from->reference && slot->n_functions)
        status = find_reference(slot, &why);
    return status < 0 ? error_set(error, status, "op %s: %s", from->name, why.text) : 0;
}

static void close_library(struct library *library, void *handle, char *linked)
{
    library_close(library);
    if (handle)
        dlclose(handle);
    if (linked)
        unlink(linked);
    free(linked);
}

static void close_slot(struct declared_slot *slot)
{
    slot_give(slot);
    kept_calls_free(&slot->calls);
    close_library(&slot->library, slot->handle, slot->linked);
    close_library(&slot->other, slot->other_handle, slot->other_linked);
    FREE_EACH(slot->function, slot->summary, slot->shape_help, slot->list, slot->lists,
              slot->tails, slot);
}

/* ---- the module ---- */

static struct declared *opened; /* whom describe() speaks of */

static int describe(struct simdbench_description *description)
{
    description->version = opened->version;
    return 0;
}

static int make_table(struct declared *declared, struct error *error)
{
    for (size_t i = 0; i < declared->n_slots; i++)
        declared->n_functions += declared->slot[i]->n_functions;
    declared->ops = calloc(declared->n_slots + 1, sizeof *declared->ops);
    declared->kernels = calloc(declared->n_functions + 1, sizeof *declared->kernels);
    declared->function = calloc(declared->n_functions + 1, sizeof *declared->function);
    if (!declared->ops || !declared->kernels || !declared->function)
        return no_memory(error);
    size_t n = 0;
    for (size_t i = 0; i < declared->n_slots; i++) {
        struct declared_slot *const slot = declared->slot[i];
        declared->ops[i] = &slot->op;
        for (size_t k = 0; k < slot->n_functions; k++, n++) {
            declared->function[n] = &slot->function[k];
            declared->kernels[n] = &slot->function[k].kernel;
        }
    }
    declared->table = (struct simdbench_module){.size = sizeof declared->table,
                                                .abi = SIMDBENCH_ABI,
                                                .name = declared->name,
                                                .ops = declared->ops,
                                                .kernels = declared->kernels,
                                                .describe = describe};
    return 0;
}

static int read_options(const struct simdbench_option *const *options, size_t n,
                        const char **library, const char **other, struct error *error)
{
    for (size_t i = 0; i < n; i++) {
        const char **const to = !strcmp(options[i]->name, "partly")    ? other
                                : !strcmp(options[i]->name, "library") ? library
                                                                       : NULL;
        if (!to)
            return invalid(error,
                           "a declaration takes library=FILE; '%.60s=%.100s' was given",
                           options[i]->name, options[i]->value);
        *to = options[i]->value;
    }
    return 0;
}

int declared_open(const char *path, const struct simdbench_option *const *options,
                  size_t n, struct declared **out, struct error *error)
{
    const char *library = NULL, *other = NULL;
    struct error lost = {.text = ""};
    struct declared *const declared = calloc(1, sizeof *declared);
    if (!declared)
        return no_memory(error);
    snprintf(declared->path, sizeof declared->path, "%s", path);
    stem_of(path, declared->name, sizeof declared->name);
    int status = read_options(options, n, &library, &other, error)
                     ?: declared_load(path, &declared->file, error);
    if (status == 0 && declared->file.n > DECLARED_OPS_MAX)
        status = error_set(error, -E2BIG, "%s: more than %d ops", path, DECLARED_OPS_MAX);
    for (size_t i = 0; i < declared->file.n && status == 0; i++) {
        struct declared_slot *const slot = calloc(1, sizeof *slot);
        if (!slot) {
            status = no_memory(error);
            break;
        }
        declared->slot[declared->n_slots++] = slot;
        slot->declared = declared;
        slot->from = &declared->file.op[i];
        status = open_slot(slot, library, other, &lost, error);
        if (status == 0 && lost.text[0] && !slot->n_functions) {
            close_slot(slot);
            declared->n_slots--;
        }
    }
    if (status == 0 && lost.text[0] && !declared->n_slots)
        status = error_set(error, -ENOENT, "%s", lost.text);
    status = status ?: make_table(declared, error);
    if (status < 0) {
        declared_close(declared);
        return status;
    }
    if (declared->n_slots) {
        const char *const file = declared->slot[0]->library.path;
        snprintf(declared->version, sizeof declared->version, "%s",
                 library_is_linked(file) ? "linked" : basename(file));
    }
    opened = declared;
    *out = declared;
    return 0;
}

void declared_close(struct declared *declared)
{
    for (size_t i = 0; i < declared->n_slots; i++)
        close_slot(declared->slot[i]);
    declared_free(&declared->file);
    FREE_EACH(declared->ops, declared->kernels, declared->function, declared);
}

const struct simdbench_module *declared_table(const struct declared *declared)
{
    return &declared->table;
}
