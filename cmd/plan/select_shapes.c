/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes from all places that can name them: ranges, single ones, lists and files. */
#include "select.h"

static int add_shape(struct selection *selection, const char *text, const char *origin,
                     struct error *error)
{
    if (text_list_has(&selection->shapes, text))
        return 0;
    if (selection->shapes.n >= SIZES_MAX)
        return invalid(error, "%.300s: more than %d shapes", origin, SIZES_MAX);
    text_list_add(&selection->shapes, text);
    text_list_add(&selection->origins, origin);
    return 0;
}

static int add_shapes(struct selection *selection, const struct text_list *texts,
                      const char *origin, struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < texts->n && status == 0; i++)
        status = add_shape(selection, texts->item[i], origin, error);
    return status;
}

/* ---- files ---- */

/* A shape a line; what follows a # is a comment. */
static int read_lines(struct selection *selection, const char *path, FILE *file,
                      struct error *error)
{
    FREED_BY(free_memory) char *line = NULL;
    size_t capacity = 0, number = 0, shapes = 0;
    ssize_t length;
    int status = 0;
    while (status == 0 && (length = getline(&line, &capacity, file)) >= 0) {
        char origin[4200];
        snprintf(origin, sizeof origin, "%s:%zu", path, ++number);
        if (strlen(line) != (size_t)length) {
            status = invalid(error, "%.400s: a zero byte; is it text?", origin);
            break;
        }
        line[strcspn(line, "#\r\n")] = '\0';
        char *text = line + strspn(line, " \t");
        const size_t used = strcspn(text, " \t");
        if (text[used + strspn(text + used, " \t")])
            status = invalid(error,
                             "%.300s: '%.100s' is more than one shape; write each on a "
                             "line of its own",
                             origin, text);
        text[used] = '\0';
        if (used > 0 && status == 0)
            status = add_shape(selection, text, origin, error);
        shapes += used > 0;
    }
    if (status == 0 && ferror(file))
        status = error_set(error, -EIO, "--shapes=%.300s: %s", path, strerror(errno));
    else if (status == 0 && !shapes)
        status = invalid(error, "--shapes=%.300s: no shapes in it", path);
    return status;
}

static int unknown_list(const struct selection *selection, const char *name, int code,
                        const struct text_list *known, struct error *error)
{
    if (code != ENOENT)
        return error_set(error, -code, "--shapes=%.300s: %s", name, strerror(code));
    if (known->n)
        return selection_unknown("--shapes=", name, "list of shapes or file", known,
                                 error);
    return error_set(error, -ENOENT,
                     "--shapes=%.300s: no such file, and op %s has no lists of shapes",
                     name, selection->op);
}

static int add_list(struct selection *selection, const char *name, struct error *error)
{
    FREED_BY(text_list_free) struct text_list shapes = {.n = 0}, known = {.n = 0};
    struct shape_list list;
    bool found = false;
    for (size_t at = 0;
         catalog_next_list(selection->catalog, selection->op, &at, &list);) {
        text_list_add(&known, list.name);
        if (strcmp(list.name, name) != 0)
            continue;
        found = true;
        text_list_split(&shapes, list.shapes, " ");
    }
    if (found) {
        char origin[128];
        snprintf(origin, sizeof origin, "--shapes=%.100s", name);
        return add_shapes(selection, &shapes, origin, error);
    }
    FILE *const file = fopen(name, "r");
    if (!file)
        return unknown_list(selection, name, errno, &known, error);
    const int status = read_lines(selection, name, file, error);
    fclose(file);
    return status;
}

/* ---- the op's own ---- */

static int add_default(struct selection *selection, struct error *error)
{
    const bool accuracy = selection->how->accuracy;
    const char *text = catalog_op_text(selection->catalog, selection->op,
                                       accuracy ? "accuracy_shape" : "default_shapes");
    if (!text)
        return invalid(error, "op %s has no default sizes: give --sizes", selection->op);
    FREED_BY(text_list_free) struct text_list shapes = {.n = 0};
    struct error why = {.text = ""};
    const int status = sizes_expand(text, &shapes, &why);
    return status < 0 ? error_set(error, status, "sizes of op %s: %.400s", selection->op,
                                  why.text)
                      : add_shapes(selection, &shapes, "its own default", error);
}

static int compare_rungs(const void *left, const void *right)
{
    const double a = strtod(*(char *const *)left, NULL);
    const double b = strtod(*(char *const *)right, NULL);
    return (a > b) - (a < b);
}

/* Rungs are as many bytes for each thread, so each number of threads has its own. */
static int add_rungs(struct selection *selection, struct error *error)
{
    const struct request *const request = selection->request;
    const struct memory_levels levels = levels_here();
    int status = 0;
    if (!levels.n)
        return error_set(error, -ENOTSUP,
                         "--ladder: this machine does not tell the sizes of its caches; "
                         "give the working sets with --sizes");
    selection->rungs = must_have(calloc(request->n_threads, sizeof *selection->rungs));
    for (size_t i = 0; i < request->n_threads && status == 0; i++) {
        levels_rungs(&levels, request->threads[i], &selection->rungs[i]);
        text_list_add(&selection->rungs[i], "registers");
        status = add_shapes(selection, &selection->rungs[i], "--ladder", error);
    }
    /* All have the same origin. */
    qsort(selection->shapes.item, selection->shapes.n, sizeof *selection->shapes.item,
          compare_rungs);
    return status;
}

int selection_shapes(struct selection *selection, struct error *error)
{
    const struct request *const request = selection->request;
    if (request->suite)
        return add_list(selection, SUITE, error);
    int status = add_shapes(selection, &request->sizes, "--sizes", error)
                     ?: add_shapes(selection, &request->shapes, "--shape", error);
    for (size_t i = 0; i < request->shape_lists.n && status == 0; i++)
        status = add_list(selection, request->shape_lists.item[i], error);
    if (status == 0 && !request->sizes.n && !request->shapes.n && !request->shape_lists.n)
        status =
            request->ladder ? add_rungs(selection, error) : add_default(selection, error);
    return status;
}
