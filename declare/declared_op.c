/* SPDX-License-Identifier: Apache-2.0 */
/* One op of a file of declarations. */
#include "declared_private.h"
#include "library_files.h"

/* ---- lists of texts with names ---- */

struct texts {
    struct named_text **list;
    size_t *n;
};

static int add_text(const struct spot *spot, const cJSON *json, const char *name,
                    const struct texts *texts)
{
    if (!array_room(texts->list, *texts->n, sizeof **texts->list))
        return spot_no_memory(spot);
    struct named_text *const new = &(*texts->list)[(*texts->n)++];
    *new = (struct named_text){.name = strdup(name)};
    return new->name ? text_read(spot, json, &new->text) : spot_no_memory(spot);
}

static bool is_name(const char *name, const char *more)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    char known[sizeof letters + 4];
    snprintf(known, sizeof known, "%s%s", letters, more);
    return name[0] && name[0] != '-' && strlen(name) < DECLARED_NAME &&
           !name[strspn(name, known)];
}

static int add_shape(const struct spot *spot, const cJSON *json, void *context)
{
    if (!is_name(json->string, "-."))
        return spot_fail(spot, -EINVAL,
                         "a list of shapes has letters, digits, '_', '-' and '.'");
    return add_text(spot, json, json->string, context);
}

/* One place, or several of one instruction set. */
static int add_kernel(const struct spot *spot, const cJSON *json, void *context)
{
    const struct texts *const texts = context;
    const cJSON *one = json;
    int status = 0;
    if (!is_name(json->string, "+"))
        return spot_fail(spot, -EINVAL,
                         "an instruction set is named like avx2 or avx512+vnni");
    if (cJSON_IsArray(json) && !json->child)
        return spot_fail(spot, -EINVAL, "the list is empty");
    if (cJSON_IsArray(json))
        one = json->child;
    do {
        struct place place;
        struct error why = {.text = ""};
        status = add_text(spot, one, json->string, texts);
        if (status == 0 &&
            place_parse((*texts->list)[*texts->n - 1].text, &place, &why) < 0)
            status = spot_fail(spot, -EINVAL, "%s", why.text);
        one = one->next;
    } while (status == 0 && cJSON_IsArray(json) && one);
    return status;
}

/* ---- keys of an op ---- */

struct reading {
    struct declared_op *op;
    const char *folder;        /* of the file, with its slash; empty: here */
    const cJSON *ops, *inputs; /* read when the prototype is known */
};

/* A path with a slash is one from the folder of the file. */
static int add_library(const struct spot *spot, const char *text, size_t n,
                       const struct reading *reading, char **library)
{
    const bool inside = text[0] != '/' && memchr(text, '/', n);
    const size_t dot = inside && *reading->folder && !strncmp(text, "./", 2) ? 2 : 0;
    if (asprintf(library, "%s%.*s", inside ? reading->folder : "", (int)(n - dot),
                 text + dot) < 0)
        *library = NULL;
    return *library ? 0 : spot_no_memory(spot);
}

static int read_path(const struct spot *spot, const cJSON *json,
                     const struct reading *reading, char **path)
{
    FREED_BY(free_memory) char *text = NULL;
    return text_read(spot, json, &text)
               ?: add_library(spot, text, strlen(text), reading, path);
}

/* A place, or LIBRARY:PLACE. */
static int read_reference(const struct spot *spot, const cJSON *json,
                          const struct reading *reading)
{
    struct declared_op *const op = reading->op;
    struct place place;
    struct error why = {.text = ""};
    int status = text_read(spot, json, &op->reference);
    const size_t n = status == 0 ? place_library(op->reference) : 0;
    if (n) {
        status = add_library(spot, op->reference, n, reading, &op->reference_library);
        memmove(op->reference, op->reference + n + 1, strlen(op->reference + n + 1) + 1);
    }
    return status == 0 && place_parse(op->reference, &place, &why) < 0
               ? spot_fail(spot, -EINVAL, "%s", why.text)
               : status;
}

static int read_prototype(const struct spot *spot, const cJSON *json,
                          struct declared_op *op)
{
    struct error why = {.text = ""};
    int status = text_read(spot, json, &op->prototype);
    if (status == 0) {
        status = declaration_parse(op->prototype, &op->declaration, &why);
        if (status < 0)
            return spot_fail(spot, status, "%s", why.text);
    }
    return status;
}

static int read_tolerance(const struct spot *spot, const cJSON *json,
                          struct tolerance *tolerance)
{
    struct error why = {.text = ""};
    if (!cJSON_IsString(json))
        return spot_fail(spot, -EINVAL,
                         "expected a text such as 4ulp, abs:1e-6 or exact");
    const int status = tolerance_parse(json->valuestring, tolerance, &why);
    return status < 0 ? spot_fail(spot, status, "%s", why.text) : 0;
}

static int read_work(const struct spot *spot, const cJSON *json, void *context)
{
    struct reading *const reading = context;
    if (strcmp(json->string, "ops") != 0)
        return spot_fail(spot, -EINVAL,
                         "work knows 'ops' alone; bytes follow from the prototype");
    if (!cJSON_IsString(json))
        return spot_fail(spot, -EINVAL,
                         "expected an expression in quotes, such as \"2 * n\"");
    reading->ops = json;
    return 0;
}

static int read_overread(const struct spot *spot, const cJSON *json, uint32_t *bytes)
{
    const double value = cJSON_IsNumber(json) ? json->valuedouble : -1;
    if (!(value >= 0 && value <= DECLARED_OVERREAD_MAX) || value != (uint32_t)value)
        return spot_fail(spot, -EINVAL, "expected a whole number of bytes up to %d",
                         DECLARED_OVERREAD_MAX);
    *bytes = (uint32_t)value;
    return 0;
}

static int read_name(const struct spot *spot, const cJSON *json, char **name)
{
    const int status = text_read(spot, json, name);
    return status == 0 && !is_name(*name, "-")
               ? spot_fail(spot, -EINVAL,
                           "'%.64s': a name has letters, digits, '_' and '-'", *name)
               : status;
}

static int read_key(const struct spot *spot, const cJSON *json, void *context)
{
    struct reading *const reading = context;
    struct declared_op *const op = reading->op;
    const char *const key = json->string;
    if (!strcmp(key, "name"))
        return read_name(spot, json, &op->name);
    if (!strcmp(key, "prototype"))
        return read_prototype(spot, json, op);
    if (!strcmp(key, "kernels"))
        return members_read(spot, json, add_kernel,
                            &(struct texts){&op->kernel, &op->n_kernels});
    if (!strcmp(key, "library"))
        return read_path(spot, json, reading, &op->library);
    if (!strcmp(key, "calls"))
        return read_path(spot, json, reading, &op->calls);
    if (!strcmp(key, "reference"))
        return read_reference(spot, json, reading);
    if (!strcmp(key, "tolerance"))
        return read_tolerance(spot, json, &op->tolerance);
    if (!strcmp(key, "inputs")) {
        reading->inputs = json;
        return 0;
    }
    if (!strcmp(key, "work"))
        return members_read(spot, json, read_work, reading);
    if (!strcmp(key, "roof"))
        return text_read(spot, json, &op->roof);
    if (!strcmp(key, "sizes"))
        return text_read(spot, json, &op->sizes);
    if (!strcmp(key, "shapes"))
        return members_read(spot, json, add_shape,
                            &(struct texts){&op->shape, &op->n_shapes});
    if (!strcmp(key, "tails"))
        return text_read(spot, json, &op->tails);
    if (!strcmp(key, "overread"))
        return read_overread(spot, json, &op->overread);
    if (!strcmp(key, "reset")) {
        op->reset = cJSON_IsTrue(json);
        return cJSON_IsBool(json) ? 0
                                  : spot_fail(spot, -EINVAL, "expected true or false");
    }
    return spot_fail(
        spot, -EINVAL,
        "unknown key; known are name, prototype, kernels, library, reference, "
        "tolerance, inputs, work, roof, sizes, shapes, tails, calls, overread, reset");
}

/* ---- what needs the prototype ---- */

static int add_input(const struct spot *spot, const cJSON *json, void *context)
{
    struct declared_op *const op = context;
    const int i = declaration_find(&op->declaration, json->string);
    if (i < 0)
        return spot_fail(spot, -EINVAL, "the prototype has no such argument");
    if (op->declaration.argument[i].kind != ARGUMENT_ARRAY ||
        op->declaration.argument[i].role == ARGUMENT_OUT)
        return spot_fail(spot, -EINVAL, "the argument is no array that is read");
    return add_text(spot, json, json->string, &(struct texts){&op->input, &op->n_inputs});
}

/* = {1, 2} of the prototype, unless "inputs" says something else. */
static int add_values(const struct spot *spot, struct declared_op *op)
{
    int status = 0;
    for (uint32_t i = 0; i < op->declaration.n && status == 0; i++) {
        const struct declared_argument *const argument = &op->declaration.argument[i];
        if (argument->kind != ARGUMENT_ARRAY || !argument->text[0])
            continue;
        cJSON *const text = cJSON_CreateString(argument->text);
        status = text ? add_text(spot, text, argument->name,
                                 &(struct texts){&op->input, &op->n_inputs})
                      : spot_no_memory(spot);
        cJSON_Delete(text);
    }
    return status;
}

static int finish_op(const struct spot *spot, const struct reading *reading)
{
    struct declared_op *const op = reading->op;
    struct error why = {.text = ""};
    struct spot in = spot_inside(spot, "work.ops");
    if (!op->name || !op->prototype || !op->n_kernels)
        return spot_fail(spot, -EINVAL, "an op needs a name, a prototype and kernels");
    if (reading->ops &&
        declaration_expression(&op->declaration, reading->ops->valuestring, &op->ops,
                               &why) < 0)
        return spot_fail(&in, -EINVAL, "%s", why.text);
    in = spot_inside(spot, "inputs");
    const int status =
        reading->inputs ? members_read(&in, reading->inputs, add_input, op) : 0;
    return status < 0 ? status : add_values(&in, op);
}

int declared_op_read(const struct spot *spot, const cJSON *json, const char *folder,
                     struct declared_file *file)
{
    if (!array_room(&file->op, file->n, sizeof *file->op))
        return spot_no_memory(spot);
    memset(&file->op[file->n], 0, sizeof *file->op);
    struct reading reading = {.op = &file->op[file->n++], .folder = folder};
    int status =
        members_read(spot, json, read_key, &reading) ?: finish_op(spot, &reading);
    for (size_t i = 0; i + 1 < file->n && status == 0; i++)
        if (!strcmp(file->op[i].name, reading.op->name))
            status =
                spot_fail(spot, -EEXIST, "there are two ops %.64s", reading.op->name);
    return status;
}
