/* SPDX-License-Identifier: Apache-2.0 */
/* A function that the command line declares: LIB:FUNCTION 'PROTOTYPE'. The declaration is
 * written to a file, which is a module like any other. */
#include "commands/call.h"
#include "worker/worker.h"

#include <unistd.h>

/* Names and dimensions need no more than this. */
static void plain_name(const char *from, const char *end, char *to, size_t size)
{
    size_t n = 0;
    for (; from < end && n + 1 < size; from++) {
        const bool good = strchr(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *from);
        to[n++] = good ? *from : '_';
    }
    to[n] = '\0';
}

/* The op has the name of its function, without what that says of an instruction set. */
static void name_op(const struct options *options, struct called *called,
                    const struct declaration *declaration)
{
    const char *const place = called->places.item[0];
    char *last;
    plain_name(place, place + strcspn(place, "(["), called->op, sizeof called->op);
    while (name_isa(called->op) && (last = strrchr(called->op, '_')) && last > called->op)
        *last = '\0';
    if (declaration->name[0])
        plain_name(declaration->name, declaration->name + strlen(declaration->name),
                   called->op, sizeof called->op);
    if (op_find(called->op))
        snprintf(called->op + strlen(called->op), sizeof called->op - strlen(called->op),
                 "_fn");
}

static void name_module(const char *library, char *name, size_t size)
{
    const char *const stem = basename(library);
    const char *const end = strstr(stem, ".so");
    plain_name(stem, end && end > stem ? end : stem + strcspn(stem, "."), name, size);
}

/* ---- the declaration ---- */

/* A file that lies beside a declaration that is kept, or below it, is named from there,
 * for other machines. */
static void add_path(cJSON *to, const char *key, const char *kind, const char *path,
                     const struct called *called, bool kept)
{
    char file[sizeof called->file], folder[PATH_MAX], name[2 * PATH_MAX + 10];
    snprintf(file, sizeof file, "%s", called->file);
    *strrchr(file, '/') = '\0';
    const size_t n = kept && realpath(file, folder) ? strlen(folder) : 0;
    const bool beside = n && !strncmp(path, folder, n) && path[n] == '/';
    snprintf(name, sizeof name, "%s%s%s", kind, beside ? "." : "",
             path + (beside ? n : 0));
    cJSON_AddStringToObject(to, key, name);
}

/* The whole name of a file that need not be there yet. A link keeps its own. */
static bool whole_path(const char *file, char path[2 * PATH_MAX])
{
    const char *const name = basename(file);
    char folder[PATH_MAX], found[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s.", (int)(name - file), file);
    if (!realpath(folder, found))
        return false;
    snprintf(path, 2 * PATH_MAX, "%s/%s", found[1] ? found : "", name);
    return true;
}

/* "ARGUMENT=NAME" of --input belongs to the declaration, "NAME" to the run. A file is
 * meant from where it is typed, and the declaration is elsewhere. */
static void take_inputs(struct options *options, const struct called *called, cJSON *op)
{
    struct text_list *const asked = &options->request.inputs;
    struct text_list rest = {.n = 0};
    cJSON *inputs = NULL;
    for (size_t i = 0; i < asked->n; i++) {
        const char *const equals = strchr(asked->item[i], '=');
        if (!equals) {
            text_list_add(&rest, asked->item[i]);
            continue;
        }
        char name[DECLARED_NAME], path[2 * PATH_MAX];
        snprintf(name, sizeof name, "%.*s", (int)(equals - asked->item[i]),
                 asked->item[i]);
        inputs = inputs ?: cJSON_AddObjectToObject(op, "inputs");
        if (!strncmp(equals, "=file:", 6) && whole_path(equals + 6, path))
            add_path(inputs, name, "file:", path, called, options->call.save);
        else
            cJSON_AddStringToObject(inputs, name, equals + 1);
    }
    text_list_free(asked);
    *asked = rest;
}

static cJSON *make_document(struct options *options, const char *prototype,
                            const struct called *called)
{
    const struct call_options *const call = &options->call;
    cJSON *const root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "functions", 1);
    cJSON *const op = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "ops"), op);
    cJSON_AddStringToObject(op, "name", called->op);
    cJSON_AddStringToObject(op, "prototype", prototype);
    add_path(op, "library", "",
             call->save || !called->linked ? called->object : called->linked, called,
             call->save);
    cJSON *const kernels = cJSON_AddObjectToObject(op, "kernels");
    for (size_t i = 0; i < called->places.n; i++) {
        const char *const isa = name_isa(called->places.item[i]) ?: "lib";
        cJSON *const list = cJSON_GetObjectItemCaseSensitive(kernels, isa)
                                ?: cJSON_AddArrayToObject(kernels, isa);
        cJSON_AddItemToArray(list, cJSON_CreateString(called->places.item[i]));
    }
    message_add_text(op, "reference", call->reference ? called->reference : NULL);
    message_add_text(op, "tolerance", call->tolerance);
    FREED_BY(buffer_free) struct buffer sizes = {.text = NULL};
    for (size_t i = 0; call->save && i < options->request.sizes.n; i++)
        buffer_format(&sizes, "%s%s", i ? "," : "", options->request.sizes.item[i]);
    message_add_text(op, "sizes", sizes.text);
    message_add_text(op, "roof", call->roof);
    if (call->work)
        cJSON_AddStringToObject(cJSON_AddObjectToObject(op, "work"), "ops", call->work);
    if (call->overread)
        cJSON_AddNumberToObject(op, "overread", call->overread);
    if (call->reset)
        cJSON_AddTrueToObject(op, "reset");
    take_inputs(options, called, op);
    return root;
}

/* The name of the file becomes that of the module. */
static int name_file(const struct options *options, struct called *called,
                     struct error *error)
{
    const char *const kept = options->call.save;
    const char *const top = getenv("TMPDIR");
    char name[DECLARED_NAME];
    name_module(called->object, name, sizeof name);
    if (kept) {
        snprintf(called->file, sizeof called->file, "%s%s", strchr(kept, '/') ? "" : "./",
                 kept);
    } else {
        snprintf(called->folder, sizeof called->folder,
                 "%.3000s" DECLARED_FOLDER "XXXXXX", top && *top ? top : "/tmp");
        if (!mkdtemp(called->folder)) {
            const int code = errno;
            called->folder[0] = '\0';
            return error_set(error, -code, "no folder for the declaration: %s",
                             strerror(code));
        }
        snprintf(called->file, sizeof called->file, "%s/%s.json", called->folder, name);
    }
    return 0;
}

static int expect_function(const struct library *library, const char *name,
                           struct error *error)
{
    const struct library_function *function;
    struct place place;
    return place_parse(name, &place, error)
               ?: library_find(library, place.name, &function, error);
}

/* The other library must have the function. */
static int check_reference(const struct declared_op *op, struct error *error)
{
    FREED_BY(library_close) struct library library = {.path = NULL};
    if (library_must_link(op->reference_library))
        return 0;
    return library_read(op->reference_library, &library, error)
               ?: expect_function(&library, op->reference, error);
}

/* Faults of the declaration are told here, not by a worker about a temporary file. */
static int check_document(const struct called *called, const cJSON *document,
                          struct error *error)
{
    struct declared_file file;
    FREED_BY(library_close) struct library library = {.path = NULL};
    FREED_BY(free_memory) char *text = must_have(cJSON_PrintUnformatted(document));
    int status = declared_read("call", text, strlen(text), &file, error);
    if (status < 0)
        return status;
    const struct declared_op *const op = &file.op[0];
    status = library_read(called->linked ?: called->object, &library, error);
    if (status == 0 && called->linked) { /* messages name what was typed */
        free(library.path);
        library.path = must_have(strdup(called->object));
    }
    for (size_t i = 0; i < called->places.n && status == 0; i++)
        status = expect_function(&library, called->places.item[i], error);
    if (status == 0 && op->reference)
        status = op->reference_library ? check_reference(op, error)
                                       : expect_function(&library, op->reference, error);
    declared_free(&file);
    return status;
}

/* ---- the words ---- */

static int read_places(const char *places, struct called *called, struct error *error)
{
    /* A C++ name has commas between parentheses. */
    int depth = 0;
    const char *begin = places;
    for (const char *at = places;; at++) {
        depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
        if (*at && (*at != ',' || depth > 0))
            continue;
        if (at > begin)
            text_list_add_n(&called->places, begin, (size_t)(at - begin));
        begin = at + 1;
        if (!*at)
            break;
    }
    struct place place;
    int status = 0;
    for (size_t i = 0; i < called->places.n && status == 0; i++)
        status = place_parse(called->places.item[i], &place, error);
    return status;
}

/* A path without links or dots: it is read from another folder. */
static int find_library(struct called *called, struct error *error)
{
    char found[PATH_MAX];
    int status = library_where(called->object, found, sizeof found, error);
    if (status == 0 && !realpath(found, called->object))
        status = error_set(error, -errno, "%.300s: %s", found, strerror(errno));
    if (status == 0 && library_must_link(called->object)) {
        FREED_BY(free_memory) char *command = NULL;
        status = library_link(called->object, &called->linked, &command, error);
        if (status == 0)
            complain("linked by: %s", command);
    }
    return status;
}

/* --reference=LIBRARY:FUNCTION with the path of the library. */
static int find_reference(const char *given, struct called *called, struct error *error)
{
    const size_t n = place_library(given);
    char name[PATH_MAX], found[PATH_MAX], path[PATH_MAX];
    snprintf(called->reference, sizeof called->reference, "%s", given);
    if (!n)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)n, given);
    const int status = library_where(name, found, sizeof found, error);
    if (status == 0 && !realpath(found, path))
        return error_set(error, -errno, "%.300s: %s", found, strerror(errno));
    if (status == 0)
        snprintf(called->reference, sizeof called->reference, "%s%s", path, given + n);
    return status;
}

static int split_words(const char *where, struct called *called, struct error *error)
{
    const char *places = NULL;
    if (is_prototype(where) && !place_library(where) &&
        !memchr(where, ':', strcspn(where, "(")))
        return invalid(error,
                       "%.200s: the library comes first, as in simdbench call "
                       "./LIB.so:NAME '%.200s'",
                       where, where);
    int status =
        place_split(where, called->object, sizeof called->object, &places, error);
    if (status == 0 && places && *places)
        status = read_places(places, called, error);
    if (status == 0 && !called->places.n)
        status = invalid(error,
                         "%.200s: which function? As in %.100s:NAME 'PROTOTYPE'; "
                         "simdbench call %.100s lists them",
                         where, where, where);
    return status;
}

int called_open(const char *given, bool decode, struct library *library,
                struct error *error)
{
    char path[PATH_MAX], *linked = NULL, *command = NULL;
    int status = library_where(given, path, sizeof path, error);
    if (status == 0 && library_must_link(path))
        status = library_link(path, &linked, &command, error);
    if (command && decode)
        complain("linked by: %s", command);
    if (status == 0)
        status = library_read(linked ?: path, library, error);
    if (status == 0 && decode)
        status = library_decode(library, NULL, error);
    if (linked)
        unlink(linked);
    FREE_EACH(linked, command);
    return status;
}

/* "run" of "audio::Filter::run". */
static char *last_part(char *name)
{
    for (char *at; (at = strstr(name, "::"));)
        name = at + 2;
    return name;
}

/* A prototype of `audio::Filter::run` as its class has it does not name the object, which
 * comes first. A class is a name that has a constructor. */
static void suggest_object(const struct library *library, const char *place)
{
    const struct library_function *maker;
    struct error lost;
    char of[DECLARED_TEXT], name[2 * DECLARED_TEXT + 2];
    snprintf(of, sizeof of, "%.*s", (int)strcspn(place, "<("), place);
    char *const end = last_part(of);
    if (end == of)
        return;
    end[-2] = '\0';
    snprintf(name, sizeof name, "%s::%s", of, last_part(of));
    const int status = library_find(library, name, &maker, &lost);
    if (status == 0 || status == -EEXIST)
        text_line(stderr,
                  "%s looks like a method: then its object comes first, as in 'void "
                  "*self = from calloc(1, BYTES) then %s(self) free free'",
                  place, name);
}

/* Adds to a message about a prototype a line that can be read, if names tell one. The
 * message is told here. */
static void suggest(const char *given, const char *place, const char *prototype,
                    struct error *error)
{
    enum { LINE_MAX_BYTES = 4096 };
    char path[PATH_MAX];
    struct error lost;
    FREED_BY(library_close) struct library library = {.path = NULL};
    FREED_BY(free_memory) char *line = must_have(malloc(LINE_MAX_BYTES));
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    const bool known = library_where(given, path, sizeof path, &lost) == 0 &&
                       !library_must_link(path) &&
                       library_read(path, &library, &lost) == 0;
    if (!declaration_complete(prototype, known ? &library : NULL, line, LINE_MAX_BYTES))
        return;
    for (const char *at = line; *at; at++) /* as a shell takes it */
        if (*at == '\'')
            buffer_add(&text, "'\\''");
        else
            buffer_format(&text, "%c", *at);
    exit_status_of(-EINVAL, error);
    const bool makes = strstr(line, "()") && strstr(line, "= from ");
    text_line(stderr, "perhaps%s%s: '%s'",
              makes ? ", with the arguments that makers of objects take" : "",
              strstr(line, "MAKER") ? " (MAKER is one that nobody knows)" : "",
              buffer_text(&text));
    if (known)
        suggest_object(&library, place);
    error->text[0] = '\0';
}

int called_declare(struct options *options, const char *where, const char *prototype,
                   struct called *called, struct error *error)
{
    struct declaration declaration;
    FREED_BY(json_delete) cJSON *document = NULL;
    *called = (struct called){.object = ""};
    int status = split_words(where, called, error);
    if (status < 0)
        return status;
    status = declaration_parse(prototype, &declaration, error);
    if (status < 0)
        suggest(called->object, called->places.item[0], prototype, error);
    if (status == 0) {
        name_op(options, called, &declaration);
        status = find_library(called, error);
    }
    if (status == 0 && options->call.reference)
        status = find_reference(options->call.reference, called, error);
    status = status ?: name_file(options, called, error);
    if (status == 0) {
        document = make_document(options, prototype, called);
        status = check_document(called, document, error);
    }
    if (status == 0)
        status = message_save(document, called->file, error);
    return status;
}

static int head_file(const char *base, const char *head, char **file, struct error *error)
{
    char ignored[PATH_MAX], name[PATH_MAX];
    const char *wanted = "", *place = "";
    int status = place_split(base, ignored, sizeof ignored, &wanted, error);
    if (status == 0 && access(head, F_OK) == 0)
        snprintf(name, sizeof name, "%s", head);
    else if (status == 0)
        status = place_split(head, name, sizeof name, &place, error);
    if (status == 0 && *place && strcmp(place, wanted) != 0)
        status = invalid(error,
                         "BASE=%.200s and HEAD=%.200s: two builds of one function are "
                         "compared; simdbench call compares functions of one build",
                         base, head);
    *file = status < 0 ? NULL : must_have(strdup(name));
    return status;
}

int called_builds(struct options *options, struct called *called, struct error *error)
{
    const struct text_list *const words = &options->files;
    struct text_list builds = {.n = 0};
    FREED_BY(free_memory) char *head = NULL;
    const int status =
        called_declare(options, words->item[0], words->item[2], called, error)
            ?: head_file(words->item[0], words->item[1], &head, error);
    if (status < 0)
        return status;
    text_list_add(&builds, called->object);
    text_list_add(&builds, head);
    text_list_free(&options->files);
    options->files = builds;
    options->functions = must_have(strdup(called->file));
    return 0;
}

void called_forget(struct called *called)
{
    if (called->folder[0]) {
        unlink(called->file);
        rmdir(called->folder);
    }
    if (called->linked)
        unlink(called->linked);
    free(called->linked);
    text_list_free(&called->places);
}
