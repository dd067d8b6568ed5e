/* SPDX-License-Identifier: Apache-2.0 */
/* A file of declarations: every key is known, stands there once, and has its type. */
#include <fcntl.h>
#include <unistd.h>

#include "declared_private.h"
#include "json_fault.h"

/* Nobody writes more by hand. */
enum { MEMBERS_MAX = 64, OPS_MAX = 1000 };

/* The end of a long path tells more than its beginning. A message may have three lines.
 */
int spot_fail(const struct spot *spot, int status, const char *format, ...)
{
    char message[sizeof spot->error->text];
    const size_t length = strlen(spot->path), most = 48;
    const char *const end = spot->path + (length > most ? length - most : 0);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_set(spot->error, status, "%s%s: %.96s%s%s", length > most ? "..." : "",
                     end, spot->where, spot->where[0] ? ": " : "", message);
}

int spot_no_memory(const struct spot *spot)
{
    return spot_fail(spot, -ENOMEM, "out of memory");
}

struct spot spot_inside(const struct spot *spot, const char *key)
{
    struct spot in = *spot;
    const size_t n = strlen(in.where);
    snprintf(in.where + n, sizeof in.where - n, "%s%.40s", n ? "." : "", key);
    return in;
}

/* ---- members ---- */

static bool is_again(const cJSON *object, const cJSON *member)
{
    for (const cJSON *one = object->child; one != member; one = one->next)
        if (!strcmp(one->string, member->string))
            return true;
    return false;
}

int text_read(const struct spot *spot, const cJSON *json, char **text)
{
    if (!cJSON_IsString(json) || !json->valuestring[0])
        return spot_fail(spot, -EINVAL, "expected a text that is not empty");
    *text = strdup(json->valuestring);
    return *text ? 0 : spot_no_memory(spot);
}

int members_read(const struct spot *spot, const cJSON *json, member_reader *read,
                 void *context)
{
    const cJSON *member;
    int status =
        cJSON_IsObject(json) ? 0 : spot_fail(spot, -EINVAL, "expected an object");
    if (status == 0 && cJSON_GetArraySize(json) > MEMBERS_MAX)
        status = spot_fail(spot, -E2BIG, "more than %d members", MEMBERS_MAX);
    cJSON_ArrayForEach (member, json) {
        const struct spot in = spot_inside(spot, member->string);
        if (status < 0)
            break;
        status = is_again(json, member)
                     ? spot_fail(&in, -EEXIST, "this key is there twice")
                     : read(&in, member, context);
    }
    return status;
}

/* ---- the file ---- */

static int read_ops(const struct spot *spot, const cJSON *json, const char *folder,
                    struct declared_file *file)
{
    const cJSON *one;
    int status = cJSON_IsArray(json) && json->child
                     ? 0
                     : spot_fail(spot, -EINVAL, "expected a list of ops");
    if (status == 0 && cJSON_GetArraySize(json) > OPS_MAX)
        status = spot_fail(spot, -E2BIG, "more than %d ops", OPS_MAX);
    size_t i = 0;
    cJSON_ArrayForEach (one, json) {
        struct spot in = *spot;
        snprintf(in.where, sizeof in.where, "ops[%zu]", i++);
        if (status == 0)
            status = declared_op_read(&in, one, folder, file);
    }
    return status;
}

struct whole {
    const char *folder;
    struct declared_file *file;
    bool versioned;
};

static int read_top(const struct spot *spot, const cJSON *json, void *context)
{
    struct whole *const whole = context;
    if (!strcmp(json->string, "$schema"))
        return 0;
    if (!strcmp(json->string, "functions")) {
        whole->versioned = true;
        return cJSON_IsNumber(json) && json->valuedouble == 1
                   ? 0
                   : spot_fail(spot, -EINVAL, "this program reads version 1");
    }
    if (!strcmp(json->string, "ops"))
        return read_ops(spot, json, whole->folder, whole->file);
    return spot_fail(spot, -EINVAL, "unknown key; known are functions and ops");
}

static int read_tree(const struct spot *spot, const cJSON *tree, struct whole *whole)
{
    const int status = members_read(spot, tree, read_top, whole);
    if (status < 0)
        return status;
    return whole->versioned && whole->file->n
               ? 0
               : spot_fail(spot, -EINVAL, "expected \"functions\": 1 and \"ops\"");
}

int declared_read(const char *path, const char *bytes, size_t size,
                  struct declared_file *file, struct error *error)
{
    const struct spot spot = {.path = path, .error = error};
    const char *const slash = strrchr(path, '/');
    char *const folder = strndup(path, slash ? (size_t)(slash + 1 - path) : 0);
    /* A zero byte would end the document before its end. */
    const char *end = memchr(bytes, '\0', size);
    *file = (struct declared_file){.op = NULL};
    if (!folder)
        return spot_no_memory(&spot);
    cJSON *const tree = size <= DECLARED_SIZE_MAX && !end
                            ? cJSON_ParseWithLengthOpts(bytes, size, &end, 0)
                            : NULL;
    struct whole whole = {.folder = folder, .file = file};
    char fault[160];
    const int status = json_fault(bytes, size, end, tree, fault, sizeof fault)
                           ? spot_fail(&spot, -EINVAL, "%s", fault)
                           : read_tree(&spot, tree, &whole);
    cJSON_Delete(tree);
    free(folder);
    if (status < 0)
        declared_free(file);
    return status;
}

/* Once more than is allowed shows that it is too much. */
static int load(int fd, char **bytes, size_t *size)
{
    *size = 0;
    *bytes = malloc(DECLARED_SIZE_MAX + 1);
    while (*bytes && *size <= DECLARED_SIZE_MAX) {
        const ssize_t n = read(fd, *bytes + *size, DECLARED_SIZE_MAX + 1 - *size);
        if (n == 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
        *size += n > 0 ? (size_t)n : 0;
    }
    return *bytes ? -EFBIG : -ENOMEM;
}

int declared_load(const char *path, struct declared_file *file, struct error *error)
{
    const struct spot spot = {.path = path, .error = error};
    FREED_BY(free_memory) char *bytes = NULL;
    size_t size = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *file = (struct declared_file){.op = NULL};
    const int status = fd < 0 ? -errno : load(fd, &bytes, &size);
    if (fd >= 0)
        close(fd);
    return status == 0 && bytes
               ? declared_read(path, bytes, size, file, error)
               : spot_fail(&spot, status, "cannot be read: %s", strerror(-status));
}

/* ---- freeing ---- */

static void texts_free(struct named_text *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        FREE_EACH(text[i].name, text[i].text);
    free(text);
}

void declared_free(struct declared_file *file)
{
    FOR_EACH (struct declared_op, op, file->op, file->n) {
        FREE_EACH(op->name, op->prototype, op->library, op->reference,
                  op->reference_library, op->roof, op->sizes, op->tails, op->calls);
        texts_free(op->kernel, op->n_kernels);
        texts_free(op->input, op->n_inputs);
        texts_free(op->shape, op->n_shapes);
    }
    free(file->op);
    *file = (struct declared_file){.op = NULL};
}
