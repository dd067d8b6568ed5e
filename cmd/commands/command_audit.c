/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench audit`: an ordinary run of all kernels of an op, at sizes at which
 * dispatchers change their mind or forget to; the judge of the run says what they miss.
 */
#include "commands/call.h"
#include "commands/commands.h"
#include "declared/declared.h"
#include "plan/plan.h"

/* Vectors, their tails, and what lies in each cache. */
#define AUDIT_SIZES                                                               \
    "1,2,3,4,7,8,12,15,16,17,31,32,33,63,64,65,100,127,128,129,255,256,257,1000," \
    "1Ki,4Ki,16Ki,64Ki,256Ki"

static bool is_module(const char *word)
{
    const char *const dot = strrchr(word, '.');
    return dot && (!strcmp(dot, ".json") || !strcmp(dot, ".so"));
}

/* Not of an op without dimensions, which has the shape 1. */
static bool is_line(const char *shapes)
{
    return shapes && strcmp(shapes, "1") != 0 &&
           strspn(shapes, "0123456789KMGi.,*: ") == strlen(shapes);
}

/* Has each op that will run one dimension alone? */
static bool is_linear(const struct options *options, const struct catalog *catalog)
{
    FREED_BY(text_list_free) struct text_list ops = {.n = 0};
    bool linear = true;
    catalog_ops(catalog, &ops);
    for (size_t i = 0; i < ops.n; i++) {
        const struct worker *const owner = catalog_op_owner(catalog, ops.item[i]);
        if (options->request.op ? !strcmp(ops.item[i], options->request.op)
                                : owner && owner->info.path)
            linear &= is_line(catalog_op_text(catalog, ops.item[i], "default_shapes"));
    }
    return linear;
}

static int choose_sizes(struct options *options)
{
    struct error error = {.text = ""};
    FREED_BY(catalog_free) struct catalog catalog = {.memory_fd = -1};
    int status = catalog_make(&options->request, &options->how, &catalog, &error);
    if (status == 0 && is_linear(options, &catalog))
        status = sizes_expand(AUDIT_SIZES, &options->request.sizes, &error);
    return exit_status_of(status, &error);
}

/* ---- functions of a library ---- */

/* The kernel that a judge takes for the dispatcher of an op: the one that chooses for
 * itself, of several the one with the name of the op; NULL: none. */
static const char *place_that_chooses(const struct declared_op *op)
{
    const char *place = NULL;
    size_t n = 0;
    for (size_t i = 0; i < op->n_kernels; i++)
        if (!strcmp(op->kernel[i].name, "lib")) {
            n++;
            if (!strcmp(op->kernel[i].text, op->name))
                return op->kernel[i].text;
            place = op->kernel[i].text;
        }
    return n == 1 ? place : NULL;
}

/* Code that leads nowhere else is taken for a kernel, as crc32() beside crc32_avx2() may
 * be, though a compiler may have put kernels into what chooses among them. */
static bool is_a_kernel(const struct declared_op *op, const char *where)
{
    struct error lost;
    struct place place;
    FREED_BY(library_close) struct library library = {.path = NULL};
    const struct library_function *found;
    struct library_function *function;
    if (!op->library || library_must_link(op->library) ||
        place_parse(where, &place, &lost) < 0 || place.kind != PLACE_SYMBOL ||
        called_open(op->library, false, &library, &lost) < 0 ||
        library_find(&library, place.name, &found, &lost) < 0)
        return false;
    function = &library.function[found - library.function];
    return library_decode(&library, function, &lost) == 0 && function->stays;
}

static void look_for_dispatcher(struct options *options, const char *path, const char *op)
{
    struct declared_file file;
    struct error told_later;
    const struct declared_op *one = NULL;
    if (declared_load(path, &file, &told_later) < 0)
        return;
    for (size_t i = 0; i < file.n; i++)
        if (op ? !strcmp(file.op[i].name, op) : file.n == 1)
            one = &file.op[i];
    const char *const place = one ? place_that_chooses(one) : NULL;
    if (place && is_a_kernel(one, place)) {
        complain(
            "%s calls no other function, so it is taken for a kernel of %s; if kernels "
            "were compiled into it, --dispatcher=%s takes it for what chooses",
            place, one->name, place);
        options->dispatcher = must_have(strdup("none"));
    }
    declared_free(&file);
}

static int audit_module(struct options *options, const char *module, const char *op)
{
    const char *const dot = module ? strrchr(module, '.') : NULL;
    if (dot && !strcmp(dot, ".json") && !options->dispatcher && !options->help)
        look_for_dispatcher(options, module, op);
    request_module(options, module, op);
    if (!options->request.isas.n)
        text_list_add(&options->request.isas, "all");
    if (!options->request.sizes.n && !options->request.shapes.n && !options->help) {
        const int status = choose_sizes(options);
        if (status != EXIT_OK)
            return status;
    }
    return command_op(options);
}

/* Lists the other functions of the families that a function belongs to. `whole`: one of
 * them has its name, and it stands among its members. */
static int list_family(const struct library *library, const char *name,
                       struct text_list *others, bool *whole, struct error *error)
{
    struct family *family = NULL;
    size_t n = 0;
    if (library_families(library, &family, &n) < 0)
        return no_memory(error);
    *whole = false;
    for (size_t i = 0; i < n; i++) {
        bool found = !strcmp(family[i].name, name);
        *whole |= found;
        for (size_t m = 0; m < family[i].n; m++)
            found |= !strcmp(family[i].member[m]->name, name);
        for (size_t m = 0; m < family[i].n && found; m++)
            if (strcmp(family[i].member[m]->name, name) != 0 || *whole)
                text_list_add(others, family[i].member[m]->name);
    }
    families_free(family, n);
    return 0;
}

/* Adds to "LIB:dot" the other functions of its family: "LIB:dot,dot_c,dot_avx2". */
static int called_family(const char *where, char **all, struct error *error)
{
    char given[PATH_MAX];
    const char *name = NULL;
    const struct library_function *function;
    struct library library;
    struct error lost;
    FREED_BY(text_list_free) struct text_list others = {.n = 0};
    struct buffer text = {.text = NULL};
    bool whole = false;
    int status = place_split(where, given, sizeof given, &name, error)
                     ?: called_open(given, false, &library, error);
    if (status < 0)
        return status;
    if (name)
        status = list_family(&library, name, &others, &whole, error);
    if (status == 0 && name && !others.n &&
        library_find(&library, name, &function, &lost) == 0)
        status =
            invalid(error,
                    "%s has no other functions of the same name but for an instruction "
                    "set: write those to choose from, LIB:mix,mix_c,mix_avx2; `simdbench "
                    "call LIB:mix` lists what there is",
                    name);
    library_close(&library);
    if (status < 0)
        return status;
    buffer_format(&text, "%.*s", (int)(strlen(where) - (whole ? strlen(name) + 1 : 0)),
                  where);
    for (size_t i = 0; i < others.n; i++)
        buffer_format(&text, "%s%s", whole && !i ? ":" : ",", others.item[i]);
    *all = text.text;
    return 0;
}

/* A family of functions of a library, with one prototype. */
static int audit_family(struct options *options)
{
    const char *const *const words = (const char *const *)options->files.item;
    struct error error = {.text = ""};
    FREED_BY(called_forget) struct called called = {.object = ""};
    FREED_BY(free_memory) char *all = NULL;
    const int status = called_family(words[0], &all, &error)
                           ?: called_declare(options, all, words[1], &called, &error);
    return status < 0 ? exit_status_of(status, &error)
                      : audit_module(options, called.file, called.op);
}

int command_audit(struct options *options)
{
    const char *const what = options->files.item[0];
    const char *const second = options->files.n > 1 ? options->files.item[1] : NULL;
    /* Rows of a library's functions have plain names. */
    if (options->dispatcher &&
        ((second && is_prototype(second)) || strstr(what, ".json"))) {
        char *const variant = must_have(malloc(DECLARED_NAME));
        declared_variant(options->dispatcher, variant, DECLARED_NAME);
        free(options->dispatcher);
        options->dispatcher = variant;
    }
    if (second && is_prototype(second))
        return audit_family(options);
    if (!is_module(what) && (strstr(what, ".so.") || strchr(what, '/'))) {
        complain("%s: audit takes a file of functions, a plug-in or an op, or functions "
                 "of a library with a prototype, LIB:mix 'PROTOTYPE'; `simdbench call "
                 "%s` lists them",
                 what, what);
        return EXIT_USAGE;
    }
    if (!is_module(what) && second) {
        complain("%s: audit takes one op: simdbench audit %s", second, what);
        return EXIT_USAGE;
    }
    return is_module(what) ? audit_module(options, what, second)
                           : audit_module(options, NULL, what);
}
