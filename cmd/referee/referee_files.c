/* SPDX-License-Identifier: Apache-2.0 */
/* Each of the two processes loads a file of declarations that is made for it: the
 * candidate's has nothing of the known functions, not even their names. */
#include "files.h"
#include "referee_private.h"

static cJSON *tree_read(const char *path)
{
    FREED_BY(free_memory) char *bytes = must_have(malloc(DECLARED_SIZE_MAX + 1));
    file_read("", path, bytes, DECLARED_SIZE_MAX + 1);
    return cJSON_Parse(bytes);
}

static const struct declared_op *find_op(const struct declared_file *file,
                                         const char *path, const char *name,
                                         struct error *error)
{
    FREED_BY(text_list_free) struct text_list names = {.n = 0};
    for (size_t i = 0; i < file->n; i++) {
        if (name ? !strcmp(file->op[i].name, name) : file->n == 1)
            return &file->op[i];
        text_list_add(&names, file->op[i].name);
    }
    char all[200];
    text_list_join(&names, ", ", all, sizeof all);
    invalid(error, "%.200s: %s%.60s: it declares %s; name one, as in judge %.100s %.60s",
            path, name ? "no op " : "which op", name ?: "", all, path, file->op[0].name);
    return NULL;
}

/* The op of a file in a document of its own. */
static cJSON *document_of(const cJSON *op)
{
    cJSON *const document = must_have(cJSON_CreateObject());
    cJSON_AddNumberToObject(document, "functions", 1);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(document, "ops"),
                         cJSON_Duplicate(op, true));
    return document;
}

static cJSON *op_in(const cJSON *document)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(document, "ops"), 0);
}

static void set(cJSON *op, const char *key, cJSON *value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(op, key);
    if (value)
        cJSON_AddItemToObject(op, key, value);
}

/* The reference takes its turn among the kernels: it is the last of set lib, if it is
 * none of them. */
static void add_reference(cJSON *op, const struct declared_op *from)
{
    cJSON *const kernels = cJSON_GetObjectItemCaseSensitive(op, "kernels");
    for (size_t i = 0; i < from->n_kernels; i++)
        if (!from->reference || !strcmp(from->kernel[i].text, from->reference))
            return;
    cJSON *const name = cJSON_CreateString(from->reference);
    cJSON *const lib = cJSON_DetachItemFromObjectCaseSensitive(kernels, "lib");
    cJSON *list = lib && cJSON_IsArray(lib) ? lib : cJSON_CreateArray();
    if (lib && list != lib)
        cJSON_AddItemToArray(list, lib);
    cJSON_AddItemToArray(list, name);
    cJSON_AddItemToObject(kernels, "lib", list);
}

static int find_library(const struct declared_op *from, struct referee *referee,
                        struct error *error)
{
    char found[PATH_MAX];
    if (!from->library)
        return invalid(error,
                       "op %s has no \"library\", as in \"library\": \"./libmix.so\"",
                       from->name);
    const int status = library_where(from->library, found, sizeof found, error);
    if (status == 0 && !realpath(found, referee->known_library))
        return error_set(error, -errno, "%.300s: %s", found, strerror(errno));
    return status;
}

/* The known function that is right, as the module of the file decides it. */
static int list_known(struct referee *referee, struct error *error)
{
    const struct declared_op *const op = op_of(referee);
    referee->n_known = op->n_kernels;
    referee->reference = SIZE_MAX;
    if (op->n_kernels > KNOWN_MAX)
        return error_set(error, -E2BIG, "op %s has more than %d kernels", op->name,
                         KNOWN_MAX);
    for (size_t i = 0; i < op->n_kernels; i++) {
        struct known *const known = &referee->known[i];
        *known = (struct known){.name = op->kernel[i].text, .isa = op->kernel[i].name};
        known->runs = !strcmp(known->isa, "lib") || isa_runs(known->isa, NULL, 0);
        if (op->reference ? !strcmp(known->name, op->reference) : known->runs)
            if (referee->reference == SIZE_MAX)
                referee->reference = i;
    }
    if (referee->reference == SIZE_MAX)
        return error_set(error, -ENOTSUP, "op %s: no function of it can run here",
                         op->name);
    referee->known[referee->reference].runs = true;
    return 0;
}

/* Names of operands, in the order in which a declared op has them. */
static void name_operands(struct referee *referee)
{
    const struct declaration *const declaration = &op_of(referee)->declaration;
    size_t n = 0;
    FOR_EACH (const struct declared_argument, argument, declaration->argument,
              declaration->n) {
        const bool array = argument->kind == ARGUMENT_ARRAY;
        const bool twice = array && argument->role == ARGUMENT_INOUT;
        if (!array && argument->kind != ARGUMENT_LENGTH)
            continue;
        for (int k = 0; k <= twice; k++)
            referee->operand_name[n++] = argument->name;
    }
    referee->operand_name[n] = "returned value";
}

static int make_folder(struct referee *referee, struct error *error)
{
    const char *const folder = getenv("TMPDIR");
    snprintf(referee->folder, sizeof referee->folder, "%.40s/simdbench-XXXXXX",
             folder && strlen(folder) < 40 ? folder : "/tmp");
    if (mkdtemp(referee->folder))
        return 0;
    const int status =
        error_set(error, -errno, "%s: %s", referee->folder, strerror(errno));
    referee->folder[0] = '\0';
    return status;
}

int files_write(struct referee *referee, const char *file, const char *name,
                struct error *error)
{
    struct declared_file all;
    int status = declared_load(file, &all, error);
    if (status < 0)
        return status;
    const struct declared_op *const from = find_op(&all, file, name, error);
    FREED_BY(json_delete) cJSON *document = NULL;
    status = from ? find_library(from, referee, error) : -EINVAL;
    if (status == 0)
        status = make_folder(referee, error);
    if (status == 0) {
        FREED_BY(json_delete) cJSON *tree = tree_read(file);
        const cJSON *const op = cJSON_GetArrayItem(
            cJSON_GetObjectItemCaseSensitive(tree, "ops"), (int)(from - all.op));
        document = document_of(op);
        set(op_in(document), "library", cJSON_CreateString(referee->known_library));
        add_reference(op_in(document), from);
        snprintf(referee->known_path, sizeof referee->known_path, "%s/known.json",
                 referee->folder);
        status = message_save(document, referee->known_path, error);
    }
    if (status == 0)
        status = declared_load(referee->known_path, &referee->file, error);
    declared_free(&all);
    if (status < 0)
        return status;
    if (!declaration_has_outputs(&op_of(referee)->declaration))
        return invalid(error,
                       "op %s writes no array and returns nothing: nobody could tell "
                       "whether it is right; write 'inout bytes x[SIZE] then make(x)' in "
                       "place of an object that it changes",
                       op_of(referee)->name);
    if (declaration_makes(&op_of(referee)->declaration))
        return invalid(error,
                       "op %s makes memory, and nobody compares what is in it here: "
                       "nobody could tell whether it is right",
                       op_of(referee)->name);
    name_operands(referee);
    return list_known(referee, error);
}

int files_write_candidate(struct referee *referee, struct error *error)
{
    static const char *const left_out[] = {"reference", "kernels", "tails",
                                           "shapes",    "sizes",   "library"};
    FREED_BY(json_delete) cJSON *tree = tree_read(referee->known_path);
    cJSON *const op = op_in(tree);
    for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
        set(op, left_out[i], NULL);
    cJSON *const kernels = cJSON_AddObjectToObject(op, "kernels");
    cJSON_AddStringToObject(kernels, "lib", referee->symbol);
    cJSON_AddStringToObject(op, "library", referee->library);
    snprintf(referee->candidate_path, sizeof referee->candidate_path,
             "%s/candidate%zu.json", referee->folder, ++referee->n_candidates);
    return message_save(tree, referee->candidate_path, error);
}

void files_remove(struct referee *referee)
{
    declared_free(&referee->file);
    if (!referee->folder[0])
        return;
    unlink(referee->known_path);
    for (size_t i = 1; i <= referee->n_candidates; i++) {
        snprintf(referee->candidate_path, sizeof referee->candidate_path,
                 "%s/candidate%zu.json", referee->folder, i);
        unlink(referee->candidate_path);
    }
    rmdir(referee->folder);
}
