/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/worker.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <sys/socket.h>

#include "process/process.h"
#include "reports.h"
#include "words.h"

cJSON *message_new(const char *verb)
{
    cJSON *message = cJSON_CreateObject();
    cJSON_AddStringToObject(message, "do", verb);
    return message;
}

cJSON *message_ok(void)
{
    cJSON *reply = cJSON_CreateObject();
    cJSON_AddBoolToObject(reply, "ok", true);
    return reply;
}

cJSON *message_get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *message_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(message_get(object, name));
}

double message_number(const cJSON *object, const char *name, double otherwise)
{
    const cJSON *item = message_get(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

int message_int(const cJSON *object, const char *name, int otherwise)
{
    return (int)fmin(fmax(message_number(object, name, otherwise), 0), INT_MAX);
}

/* ---- what is no answer that a worker can give ---- */

/* The text of executed code may be long. */
enum { ENTRIES_MAX = 10000, TEXT_BYTES_MAX = 1 << 16, CODE_BYTES_MAX = 1 << 22 };
#define NUMBER_MAX 1e20 /* more than 64 bits count */

static int check_number(const char *name, double number, struct error *error)
{
    const bool low = number < 0 && !words_have("worst_input,ld,waited_ns", name);
    const bool high = !(fabs(number) <= NUMBER_MAX) &&
                      !words_have("worst_input,max_ulp,mean_ulp", name);
    return low || high ? error_set(error, -EPROTO, "'%.40s' is %g", name, number) : 0;
}

static bool is_too_long(const char *name, const char *text)
{
    return strlen(text) >
           (words_have("code,executed", name) ? CODE_BYTES_MAX : TEXT_BYTES_MAX);
}

int message_check(const cJSON *message, struct error *error)
{
    const char *const name = message->string ?: "";
    const cJSON *item;
    int n = 0;
    if (cJSON_IsNumber(message))
        return *name ? check_number(name, message->valuedouble, error) : 0;
    if (cJSON_IsString(message) && is_too_long(name, message->valuestring))
        return error_set(error, -EPROTO, "'%.40s' has %zu bytes", name,
                         strlen(message->valuestring));
    cJSON_ArrayForEach (item, message) {
        const int status =
            ++n > ENTRIES_MAX
                ? error_set(error, -EPROTO, "'%.40s' has more than %d entries", name,
                            ENTRIES_MAX)
                : message_check(item, error);
        if (status < 0)
            return status;
    }
    return 0;
}

bool message_true(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(message_get(object, name));
}

void message_add_text(cJSON *object, const char *name, const char *text)
{
    if (text)
        cJSON_AddStringToObject(object, name, text);
}

void message_add_u64(cJSON *object, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    cJSON_AddStringToObject(object, name, text);
}

uint64_t message_u64(const cJSON *object, const char *name, uint64_t otherwise)
{
    const cJSON *item = message_get(object, name);
    if (cJSON_IsString(item)) {
        char *end;
        errno = 0;
        unsigned long long value = strtoull(item->valuestring, &end, 10);
        return errno || end == item->valuestring || *end ? otherwise : value;
    }
    if (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 0x1p53)
        return (uint64_t)item->valuedouble;
    return otherwise;
}

int message_send(int socket, const cJSON *message)
{
    FREED_BY(free_memory) char *text = cJSON_PrintUnformatted(message);
    if (!text)
        return -ENOMEM;
    size_t length = strlen(text), sent = 0;
    int status = 0;
    text[length++] = '\n';
    while (sent < length && status == 0) {
        ssize_t n = send(socket, text + sent, length - sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            status = -errno;
        else if (n > 0)
            sent += (size_t)n;
    }
    return status;
}

static const char *const role_names[] = {[SIMDBENCH_IN] = "in",
                                         [SIMDBENCH_OUT] = "out",
                                         [SIMDBENCH_CONST] = "const",
                                         [SIMDBENCH_INOUT] = "inout"};

cJSON *message_operands(const struct operands_map *map)
{
    cJSON *array = cJSON_CreateArray();
    for (uint32_t i = 0; i < map->count; i++) {
        const struct simdbench_operand *operand = &map->operand[i];
        const char *role =
            operand->role < ARRAY_LEN(role_names) ? role_names[operand->role] : NULL;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "type", type_name(operand->type));
        cJSON_AddStringToObject(item, "role", role ? role : "");
        message_add_u64(item, "count", operand->count);
        cJSON_AddNumberToObject(item, "ld", (double)operand->ld);
        if (operand->stride)
            message_add_u64(item, "stride", (uint64_t)operand->stride);
        if (operand->source)
            cJSON_AddNumberToObject(item, "source", operand->source);
        message_add_u64(item, "offset", map->offset[i]);
        if (map->sets > 1) {
            message_add_u64(item, "more", map->more[i]);
            message_add_u64(item, "pitch", map->pitch[i]);
        }
        cJSON_AddItemToArray(array, item);
    }
    return array;
}

int message_read_operands(const cJSON *array, struct operands_map *map)
{
    int n = cJSON_GetArraySize(array);
    if (!cJSON_IsArray(array) || n > SIMDBENCH_MAX_OPERANDS)
        return -EPROTO;
    memset(map, 0, sizeof *map);
    const cJSON *item;
    cJSON_ArrayForEach (item, array) {
        struct simdbench_operand *operand = &map->operand[map->count];
        const char *type = message_text(item, "type"), *role = message_text(item, "role");
        operand->size = sizeof *operand;
        operand->type = type ? type_find(type) : 0;
        for (uint32_t r = SIMDBENCH_IN; role && r < ARRAY_LEN(role_names); r++)
            if (!strcmp(role, role_names[r]))
                operand->role = r;
        operand->count = message_u64(item, "count", 0);
        operand->ld = (int64_t)message_number(item, "ld", 0);
        operand->stride = (int64_t)message_u64(item, "stride", 0);
        operand->source = (uint32_t)message_int(item, "source", 0);
        map->offset[map->count] = message_u64(item, "offset", 0);
        map->more[map->count] = message_u64(item, "more", 0);
        map->pitch[map->count] = message_u64(item, "pitch", 0);
        if (!operand->type || !operand->role)
            return -EPROTO;
        map->count++;
    }
    for (uint32_t i = 0; i < map->count; i++)
        if (map->operand[i].source >= map->count)
            return -EPROTO;
    return 0;
}

cJSON *message_dims(const struct simdbench_shape *shape)
{
    cJSON *array = cJSON_CreateArray();
    for (uint32_t i = 0; i < shape->rank; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber((double)shape->dim[i]));
    return array;
}

int message_read_dims(const cJSON *array, struct simdbench_shape *shape)
{
    int n = cJSON_GetArraySize(array);
    if (!cJSON_IsArray(array) || n > SIMDBENCH_MAX_DIMS)
        return -EPROTO;
    *shape = (struct simdbench_shape){.size = sizeof *shape};
    const cJSON *item;
    cJSON_ArrayForEach (item, array) {
        if (!cJSON_IsNumber(item) || item->valuedouble < -0x1p53 ||
            item->valuedouble > 0x1p53)
            return -EPROTO;
        shape->dim[shape->rank++] = (int64_t)item->valuedouble;
    }
    return 0;
}

static int write_json(const void *context, FILE *file, struct error *error)
{
    FREED_BY(free_memory) char *text = must_have(cJSON_Print(context));
    fprintf(file, "%s\n", text);
    return 0;
}

int message_save(const cJSON *document, const char *path, struct error *error)
{
    return file_save(path, write_json, document, error);
}
