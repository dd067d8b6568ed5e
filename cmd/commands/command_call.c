/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench call LIB:FUNCTION 'PROTOTYPE'`: the declaration is a module like any other,
 * and the ordinary run measures it. */
#include "commands/call.h"

#include <ctype.h>

#include "commands/commands.h"
#include "output/output.h"
#include "worker/worker.h"

static bool matches(const struct library_function *function, const char *pattern)
{
    if (!pattern)
        return true;
    const bool glob = strpbrk(pattern, "*?[");
    const char *const other = function->demangled ?: "";
    return glob ? text_glob(pattern, function->name) || text_glob(pattern, other)
                : strstr(function->name, pattern) || strstr(other, pattern);
}

/* Functions that are not exported, if nobody asked for them, and so many that those
 * which are would not be seen: a library of Rust has hundreds. */
static size_t left_out(const struct library *library, const char *pattern)
{
    enum { FEW = 50 };
    size_t exported = 0, others = 0;
    for (size_t i = 0; i < library->n; i++) {
        const bool is_exported = library->function[i].binding == FUNCTION_EXPORTED;
        exported += !library->function[i].is_data && is_exported;
        others += !library->function[i].is_data && !is_exported &&
                  library->function[i].binding != FUNCTION_ELSEWHERE;
    }
    return !pattern && exported && others > FEW ? others : 0;
}

/* Prints the functions that match, and finds the first one that is exported. */
static size_t print_functions(const struct library *library, const char *pattern,
                              const struct library_function **first)
{
    struct grid grid = {.at = "rll"};
    const struct text_page page = page_of(stdout, FORMAT_TABLE);
    const bool exported_alone = left_out(library, pattern) > 0;
    static const char *const bindings[] = {[FUNCTION_EXPORTED] = "",
                                           [FUNCTION_HIDDEN] = "hidden",
                                           [FUNCTION_LOCAL] = "local"};
    size_t n = 0;
    FOR_EACH (const struct library_function, function, library->function, library->n) {
        /* Dispatchers keep their choice in variables, which may be called, too. */
        const bool other = function->is_data && (!pattern || !function->bytes ||
                                                 function->bytes % sizeof(void *));
        if (other || function->binding == FUNCTION_ELSEWHERE ||
            !matches(function, pattern) ||
            (exported_alone && function->binding != FUNCTION_EXPORTED))
            continue;
        if (!*first && function->binding == FUNCTION_EXPORTED)
            *first = function;
        if (n++ == 0)
            GRID_TEXTS(&grid, "bytes", "instruction set", "function");
        grid_cell(&grid, "%llu", (unsigned long long)function->bytes);
        GRID_TEXTS(&grid, function->is_data     ? "variable"
                          : function->is_chosen ? "chosen at load"
                                                : function->isa);
        grid_cell(&grid, "%s%s%s%s%s", function->name, function->demangled ? "  " : "",
                  function->demangled ?: "", bindings[function->binding][0] ? "  " : "",
                  bindings[function->binding]);
    }
    grid_write(&grid, &page, 2);
    return n;
}

/* Adds what `call` takes for a function: its name in C++, if that has plain letters and
 * no other function has it. */
static void add_name(struct buffer *text, const struct library *library,
                     const struct library_function *function)
{
    const char *const name = function->demangled ?: "";
    size_t length = 0, same = 0;
    while (isalnum((unsigned char)name[length]) ||
           (name[length] && strchr("_:", name[length])))
        length++;
    for (size_t i = 0; i < library->n && length && name[length] == '('; i++)
        same += library->function[i].demangled &&
                !strncmp(library->function[i].demangled, name, length + 1);
    if (same == 1)
        buffer_format(text, "%.*s", (int)length, name);
    else
        buffer_add(text, function->name);
}

/* Functions that one declaration fits: the words to begin with. The scalar one comes
 * first, as the others are checked against the first. Those of the first line, to be
 * freed, or NULL. */
static char *print_families(const struct library *library, const char *pattern)
{
    char *first = NULL;
    struct family *family = NULL;
    size_t n = 0;
    if (library_families(library, &family, &n) < 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        bool shown = false;
        FREED_BY(buffer_free) struct buffer text = {.text = NULL};
        for (size_t k = 0; k < 2 * family[i].n; k++) {
            const struct library_function *const member =
                family[i].member[k % family[i].n];
            const char *const isa = name_isa(member->name);
            if ((isa && !strcmp(isa, "scalar")) != (k < family[i].n))
                continue;
            shown |= matches(member, pattern);
            buffer_add(&text, text.text ? "," : "");
            add_name(&text, library, member);
        }
        if (!shown || !text.text)
            continue;
        print_line(4, "one op: %s", text.text);
        first = first ?: must_have(strdup(text.text));
    }
    families_free(family, n);
    return first;
}

/* `name`: the library as it was given. */
static int list(const struct library *library, const char *name, const char *pattern)
{
    const struct library_function *first = NULL;
    const size_t n = print_functions(library, pattern, &first);
    const size_t more = left_out(library, pattern);
    FREED_BY(buffer_free) struct buffer next = {.text = NULL};
    FREED_BY(free_memory) char *family = print_families(library, pattern);
    if (family)
        buffer_add(&next, family);
    else if (first)
        add_name(&next, library, first);
    if (more)
        print_line(4, "%zu more are not exported; `simdbench call '%s:*'` lists all",
                   more, name);
    if (n && library->is_stripped)
        print_line(4,
                   "%s was stripped: functions that it does not export have no names, "
                   "often those that a dispatcher chooses from; a build that is not "
                   "stripped lists them",
                   name);
    if (first)
        print_line(4,
                   "Next: `simdbench call '%s:%s' 'PROTOTYPE'`, which may look like "
                   "`'void (inout float dst[n], const float src[n], size_t n)'`",
                   name, buffer_text(&next));
    if (!n && pattern)
        complain("%s: no function's name matches '%s'; simdbench call %s lists all", name,
                 pattern, name);
    else if (!n)
        complain("%s: no names of functions are in it: it was stripped, or exports none; "
                 "take one with its symbols, or a library (.so, .a, .o)",
                 name);
    return n ? EXIT_OK : EXIT_NOTHING;
}

/* Lists functions of a library, those whose names match (NULL: all); the exit status. */
static int call_list(const char *name, const char *pattern)
{
    FREED_BY(library_close) struct library library = {.path = NULL};
    struct error error = {.text = ""};
    const int status = called_open(name, true, &library, &error);
    return status < 0 ? exit_status_of(status, &error) : list(&library, name, pattern);
}

void request_module(struct options *options, const char *module, const char *op)
{
    if (module) {
        FREED_BY(free_memory) char *path = NULL;
        must(asprintf(&path, "%s%s", strchr(module, '/') ? "" : "./", module));
        text_list_add(&options->request.plugins, path);
        options->request.plugins_are_words = true;
    }
    if (!options->request.baselines.n)
        text_list_add(&options->request.baselines, "none");
    free(options->request.op);
    options->request.op = copy_text(op);
}

static int call_function(struct options *options, struct error *error)
{
    const char *const *const words = (const char *const *)options->files.item;
    FREED_BY(called_forget) struct called called;
    const int failed = called_declare(options, words[0], words[1], &called, error);
    if (failed)
        return exit_status_of(failed, error);
    request_module(options, called.file, called.op);
    return command_op(options);
}

int command_call(struct options *options)
{
    struct error error = {.text = ""};
    char object[PATH_MAX];
    const char *places = NULL, *const what = options->files.item[0];
    if (module_is_declared(what)) {
        request_module(options, what,
                       options->files.n > 1 ? options->files.item[1] : NULL);
        return command_op(options);
    }
    const int status = place_split(what, object, sizeof object, &places, &error);
    if (status < 0)
        return exit_status_of(status, &error);
    if (options->files.n < 2)
        return call_list(object, places && *places ? places : NULL);
    return call_function(options, &error);
}
