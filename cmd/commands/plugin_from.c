/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench new-plugin DIR --from='PROTOTYPE' --link=LIB`: the source of a function that
 * may take the place of a library's, and the declaration that measures both. Arguments
 * are passed as the prototype says it, in plain types of C. */
#include "commands/call.h"
#include "commands/new_plugin.h"
#include "worker/worker.h"

#include <ctype.h>

static const char *c_type(enum ctype type)
{
    static const char *const words[] = {
        [CTYPE_VOID] = "void",      [CTYPE_I8] = "int8_t",     [CTYPE_U8] = "uint8_t",
        [CTYPE_I16] = "int16_t",    [CTYPE_U16] = "uint16_t",  [CTYPE_I32] = "int32_t",
        [CTYPE_U32] = "uint32_t",   [CTYPE_I64] = "int64_t",   [CTYPE_U64] = "uint64_t",
        [CTYPE_F16] = "_Float16",   [CTYPE_BF16] = "__bf16",   [CTYPE_F32] = "float",
        [CTYPE_F64] = "double",     [CTYPE_BYTES] = "uint8_t", [CTYPE_BOOL] = "_Bool",
        [CTYPE_POINTER] = "void *",
    };
    return words[type];
}

/* "__m256d" */
static void add_vector(struct buffer *to, enum ctype type, uint32_t bytes)
{
    buffer_format(to, "__m%u%s", bytes * 8,
                  type == CTYPE_F64     ? "d"
                  : type == CTYPE_BYTES ? "i"
                                        : "");
}

/* "const float *" */
static void add_argument(struct buffer *to, const struct declared_argument *argument)
{
    const bool array = argument->kind == ARGUMENT_ARRAY;
    const bool value = argument->kind == ARGUMENT_DIMENSION ||
                       argument->kind == ARGUMENT_INTEGER ||
                       argument->kind == ARGUMENT_NUMBER;
    const bool is_const =
        array ? argument->role == ARGUMENT_IN : value && argument->by_address;
    if (argument->vector)
        add_vector(to, argument->type, argument->vector);
    else if (value && !argument->by_address)
        buffer_add(to, c_type(argument->type));
    else if (argument->kind == ARGUMENT_TEXT)
        buffer_add(to, "const char *");
    else if (array || value || argument->kind == ARGUMENT_LENGTH)
        buffer_format(to, "%s%s *%s", is_const ? "const " : "", c_type(argument->type),
                      argument->planes.n ? "const *" : "");
    else
        buffer_add(to, "void *");
    buffer_format(to, "%s%s", to->text && to->text[to->length - 1] == '*' ? "" : " ",
                  argument->name);
}

/* "float mix_own(float *y, size_t n)" */
static void add_head(struct buffer *to, const struct declaration *declaration,
                     const char *name)
{
    if (declaration->vector)
        add_vector(to, declaration->returned, declaration->vector);
    else
        buffer_add(to, c_type(declaration->returned));
    buffer_format(to, " %s(%s", name, declaration->n_passed ? "" : "void");
    for (uint32_t i = 0; i < declaration->n_passed; i++) {
        buffer_add(to, i ? ", " : "");
        add_argument(to, &declaration->argument[i]);
    }
    buffer_add(to, ")");
}

static void add_function(struct buffer *to, const struct declaration *declaration,
                         const char *name)
{
    add_head(to, declaration, name);
    buffer_format(to, "\n{\n    %slinked__(",
                  declaration->returned == CTYPE_VOID ? "" : "return ");
    for (uint32_t i = 0; i < declaration->n_passed; i++)
        buffer_format(to, "%s%s", i ? ", " : "", declaration->argument[i].name);
    buffer_add(to, ");\n}");
}

static char *make_source(const struct declaration *declaration, const char *symbol,
                         const char *linked, const char *own)
{
    struct buffer text = {.text = NULL};
    bool vectors = declaration->vector;
    for (uint32_t i = 0; i < declaration->n_passed; i++)
        vectors |= declaration->argument[i].vector > 0;
    buffer_format(&text, "/* %s() is measured beside %s() of a library. */\n", own,
                  symbol);
    buffer_format(&text, "%s#include <stddef.h>\n#include <stdint.h>\n\n",
                  vectors ? "#include <immintrin.h>\n" : "");
    add_head(&text, declaration, "linked__");
    buffer_format(&text, " __asm__(\"%s\");\n\n/* The library's. */\n", symbol);
    add_function(&text, declaration, linked);
    buffer_add(&text, "\n\n/* Yours: write it in place of the call. */\n");
    add_function(&text, declaration, own);
    return text.text;
}

static char *make_declaration(const char *name, const char *prototype, const char *where,
                              const char *linked, const char *own)
{
    FREED_BY(json_delete) cJSON *root = cJSON_CreateObject();
    char library[200];
    snprintf(library, sizeof library, "./%s.so", name);
    cJSON_AddNumberToObject(root, "functions", 1);
    cJSON *const op = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "ops"), op);
    cJSON_AddStringToObject(op, "name", name);
    cJSON_AddStringToObject(op, "prototype", prototype);
    cJSON_AddStringToObject(op, "library", library);
    cJSON *const list =
        cJSON_AddArrayToObject(cJSON_AddObjectToObject(op, "kernels"), "lib");
    cJSON_AddItemToArray(list, cJSON_CreateString(linked));
    cJSON_AddItemToArray(list, cJSON_CreateString(own));
    cJSON_AddStringToObject(op, "reference", where);
    return must_have(cJSON_Print(root));
}

/* The symbol of a function that others may link. */
static int find_symbol(const char *path, const char *name, char **symbol,
                       struct error *error)
{
    const struct library_function *function = NULL;
    FREED_BY(library_close) struct library library = {.path = NULL};
    const int status = called_open(path, false, &library, error)
                           ?: library_find(&library, name, &function, error);
    const bool good = status == 0 && function->binding == FUNCTION_EXPORTED;
    *symbol = good ? must_have(strdup(function->name)) : NULL;
    if (status < 0 || good)
        return status;
    return invalid(
        error,
        "--link: %s does not export %.100s; simdbench call measures it all the same",
        path, name);
}

int plugin_from(const char *prototype, const char *link, const char *name,
                struct plugin_from *from, struct error *error)
{
    struct declaration declaration;
    char given[PATH_MAX], found[PATH_MAX], path[PATH_MAX], own[80], linked[80];
    FREED_BY(free_memory) char *symbol = NULL, *where = NULL;
    const char *place = NULL;
    int status = place_split(link, given, sizeof given, &place, error)
                     ?: declaration_parse(prototype, &declaration, error);
    if (status)
        return status;
    place = *place ? place : declaration.name;
    if (!*place)
        return invalid(error,
                       "which function of %.200s? --link=LIB:NAME, or its name in the "
                       "prototype",
                       link);
    status = library_where(given, found, sizeof found, error);
    if (status == 0 && !realpath(found, path))
        status = error_set(error, -errno, "--link=%.300s: %s", link, strerror(errno));
    /* Words of make, of its shell and of the linker end there. */
    if (status == 0 && strpbrk(path, "'$#\"\\ \t\r\n;&|()<>[]{}*?!,:`"))
        status = invalid(error, "--link: no makefile has a path as %.300s", path);
    status = status ?: find_symbol(path, place, &symbol, error);
    if (status < 0)
        return status;
    const char *const letter = isdigit((unsigned char)*name) ? "f" : "";
    snprintf(own, sizeof own, "%s%s_own", letter, name);
    snprintf(linked, sizeof linked, "%s%s_linked", letter, name);
    for (char *at = own; (at = strchr(at, '-'));)
        linked[at - own] = *at = '_';
    must(asprintf(&where, "%s:%s", path, symbol));
    must(asprintf(&from->libs, "override LDLIBS += %s -Wl,-rpath,%.*s", path,
                  (int)(strrchr(path, '/') - path), path));
    from->source = make_source(&declaration, symbol, linked, own);
    from->declaration = make_declaration(name, prototype, where, linked, own);
    return 0;
}
