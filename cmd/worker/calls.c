/* SPDX-License-Identifier: Apache-2.0 */
/* One table of fields for each kind of message serves both ends. */
#include "worker/worker.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- tables ---- */

/* COUNT: 64 bits that are written as a number, not as a text. */
enum kind { TEXT, U64, COUNT, NUMBER, INT, FLAG, DIMS, OPERANDS };

struct field {
    const char *name;
    size_t at;
    enum kind kind;
    bool always; /* also with its default */
};

struct table {
    const struct field *field;
    size_t n;
    const void *defaults; /* a struct of the message's kind */
    size_t size;
};

/* The kind follows from the type of the member. */
#define KIND(type, member)               \
    _Generic(((struct type *)0)->member, \
        const char *: TEXT,              \
        uint64_t: U64,                   \
        double: NUMBER,                  \
        int: INT,                        \
        bool: FLAG,                      \
        struct simdbench_shape: DIMS,    \
        struct operands_map: OPERANDS)
#define NAMED(type, member, name) \
    {name, offsetof(struct type, member), KIND(type, member), true}
#define FIELD(type, member) NAMED(type, member, #member)
/* Not written if it has its default. */
#define OPTIONAL(type, member) \
    {#member, offsetof(struct type, member), KIND(type, member), false}
#define PLACE(type, member) {#member, offsetof(struct type, places.member), U64, false}
#define PLACES(type) \
    PLACE(type, n), PLACE(type, index), PLACE(type, value), PLACE(type, slack)
#define NOWHERE {.index = UINT64_MAX}
/* Defines the table of a struct, whose defaults come first. */
#define TABLE(type, ...)                                                               \
    static const struct field type##_fields[] = {__VA_ARGS__};                         \
    static const struct table type##_table = {type##_fields, ARRAY_LEN(type##_fields), \
                                              &type##_defaults, sizeof type##_defaults};

/* ---- both directions ---- */

static bool same_number(double a, double b)
{
    return isnan(a) || !(a < b || a > b);
}

/* True of what need not be written. */
static bool is_default(const struct field *field, const char *from, const char *otherwise)
{
    const void *const a = from + field->at, *const b = otherwise + field->at;
    switch (field->kind) {
    case TEXT:
        return !*(const char *const *)a;
    case U64:
    case COUNT:
        return *(const uint64_t *)a == *(const uint64_t *)b;
    case NUMBER:
        return isnan(*(const double *)a) ||
               (!field->always && same_number(*(const double *)a, *(const double *)b));
    case INT:
        return *(const int *)a == *(const int *)b;
    case FLAG:
        return !*(const bool *)a;
    default:
        return false;
    }
}

static void write_field(cJSON *object, const struct field *field, const void *at)
{
    const char *const name = field->name;
    switch (field->kind) {
    case TEXT:
        cJSON_AddStringToObject(object, name, *(const char *const *)at);
        break;
    case U64:
        message_add_u64(object, name, *(const uint64_t *)at);
        break;
    case COUNT:
        cJSON_AddNumberToObject(object, name, (double)*(const uint64_t *)at);
        break;
    case NUMBER:
        cJSON_AddNumberToObject(object, name, *(const double *)at);
        break;
    case INT:
        cJSON_AddNumberToObject(object, name, *(const int *)at);
        break;
    case FLAG:
        cJSON_AddBoolToObject(object, name, *(const bool *)at);
        break;
    case DIMS:
        cJSON_AddItemToObject(object, name, message_dims(at));
        break;
    case OPERANDS:
        cJSON_AddItemToObject(object, name, message_operands(at));
        break;
    }
}

static void write_fields(cJSON *object, const struct table *table, const void *from)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct field *const field = &table->field[i];
        const bool none = is_default(field, from, table->defaults);
        const bool never = field->kind == TEXT || field->kind == NUMBER;
        if (!none || (field->always && !never))
            write_field(object, field, (const char *)from + field->at);
    }
}

static int read_field(const cJSON *object, const struct field *field, void *at)
{
    const char *const name = field->name;
    switch (field->kind) {
    case TEXT:
        *(const char **)at = message_text(object, name);
        return 0;
    case U64:
    case COUNT:
        *(uint64_t *)at = message_u64(object, name, *(uint64_t *)at);
        return 0;
    case NUMBER:
        *(double *)at = message_number(object, name, *(double *)at);
        return 0;
    case INT:
        *(int *)at = message_int(object, name, *(int *)at);
        return 0;
    case FLAG:
        *(bool *)at = message_true(object, name);
        return 0;
    case DIMS:
        return message_read_dims(message_get(object, name), at);
    case OPERANDS:
        return message_read_operands(message_get(object, name), at);
    }
    return -EPROTO;
}

static int read_fields(const cJSON *object, const struct table *table, void *to)
{
    int status = 0;
    memcpy(to, table->defaults, table->size);
    for (size_t i = 0; i < table->n; i++) {
        const int read =
            read_field(object, &table->field[i], (char *)to + table->field[i].at);
        status = status ? status : read;
    }
    return status;
}

/* ---- requests ---- */

static const struct shape_call shape_call_defaults;
TABLE(shape_call, FIELD(shape_call, op), FIELD(shape_call, type), FIELD(shape_call, text),
      FIELD(shape_call, layout))

static const struct map_call map_call_defaults = {.threads = 1};
TABLE(map_call, FIELD(map_call, bytes), FIELD(map_call, block), FIELD(map_call, dims),
      FIELD(map_call, operands), FIELD(map_call, threads), OPTIONAL(map_call, most_ulp),
      OPTIONAL(map_call, sets), FIELD(map_call, huge), OPTIONAL(map_call, private))

static const struct inputs_call inputs_call_defaults;
TABLE(inputs_call, FIELD(inputs_call, op), FIELD(inputs_call, seed),
      FIELD(inputs_call, input), FIELD(inputs_call, values))

static const struct reference_call reference_call_defaults = {.places = NOWHERE};
TABLE(reference_call, FIELD(reference_call, op), FIELD(reference_call, semiring),
      FIELD(reference_call, seed), FIELD(reference_call, full),
      FIELD(reference_call, ops), PLACES(reference_call))

static const struct prepare_call prepare_call_defaults = {.kernel = UINT64_MAX};
TABLE(prepare_call, FIELD(prepare_call, kernel), OPTIONAL(prepare_call, threads),
      FIELD(prepare_call, shape))

static const struct check_call check_call_defaults = {
    .number = UINT64_MAX, .places = NOWHERE, .accuracy_n = ACCURACY_OUTPUTS};
TABLE(check_call, NAMED(check_call, number, "case"), PLACES(check_call),
      OPTIONAL(check_call, again), OPTIONAL(check_call, seed),
      OPTIONAL(check_call, accuracy_n), OPTIONAL(check_call, copy))

static const struct accuracy_call accuracy_call_defaults = {
    .places = NOWHERE, .accuracy_n = ACCURACY_OUTPUTS};
TABLE(accuracy_call, FIELD(accuracy_call, op), PLACES(accuracy_call),
      OPTIONAL(accuracy_call, accuracy_n))

static const struct batch_call batch_call_defaults = {.number = UINT64_MAX};
TABLE(batch_call, NAMED(batch_call, number, "case"), FIELD(batch_call, iterations),
      OPTIONAL(batch_call, pass), OPTIONAL(batch_call, regions), FIELD(batch_call, cold),
      OPTIONAL(batch_call, flush_denormals), OPTIONAL(batch_call, fresh_output),
      OPTIONAL(batch_call, apart), OPTIONAL(batch_call, reset), FIELD(batch_call, probe),
      FIELD(batch_call, core_share), OPTIONAL(batch_call, copy))

static const struct overhead_call overhead_call_defaults = {.number = UINT64_MAX};
TABLE(overhead_call, FIELD(overhead_call, cold),
      {"case", offsetof(struct overhead_call, number), U64, false})

static const struct team_call team_call_defaults = {.threads = 1};
TABLE(team_call, FIELD(team_call, threads))

static const struct step_call step_call_defaults = {
    .number = UINT64_MAX, .calls = 1, .places = NOWHERE};
TABLE(step_call, NAMED(step_call, number, "case"), FIELD(step_call, calls),
      PLACES(step_call))

static const struct copies_call copies_call_defaults = {.number = UINT64_MAX, .n = 16};
TABLE(copies_call, NAMED(copies_call, number, "case"), OPTIONAL(copies_call, n),
      OPTIONAL(copies_call, shift), OPTIONAL(copies_call, code),
      OPTIONAL(copies_call, libc_stays), OPTIONAL(copies_call, edits),
      OPTIONAL(copies_call, steps), FIELD(copies_call, executed))

static const struct turns_call turns_call_defaults = {.number = UINT64_MAX, .repeat = 1};
TABLE(turns_call, NAMED(turns_call, number, "case"), FIELD(turns_call, turns),
      FIELD(turns_call, list), OPTIONAL(turns_call, repeat))

static const struct lists_call lists_call_defaults;
TABLE(lists_call, FIELD(lists_call, op), FIELD(lists_call, input),
      FIELD(lists_call, turns), FIELD(lists_call, list), FIELD(lists_call, seed))

/* ---- replies ---- */

static const struct shape_reply shape_reply_defaults;
TABLE(shape_reply, FIELD(shape_reply, text), FIELD(shape_reply, layout),
      FIELD(shape_reply, ops), FIELD(shape_reply, bytes), FIELD(shape_reply, dims),
      FIELD(shape_reply, operands))

static const struct map_reply map_reply_defaults = {.huge_bytes = -1};
TABLE(map_reply, OPTIONAL(map_reply, huge_bytes), OPTIONAL(map_reply, arena_bytes))

static const struct fill_reply fill_reply_defaults;
TABLE(fill_reply, FIELD(fill_reply, hash))

static const struct prepare_reply prepare_reply_defaults = {
    .number = UINT64_MAX, .ops = NAN, .bytes = NAN};
TABLE(prepare_reply, {"case", offsetof(struct prepare_reply, number), COUNT, true},
      OPTIONAL(prepare_reply, threads), FIELD(prepare_reply, prepare_ns),
      FIELD(prepare_reply, ops), FIELD(prepare_reply, bytes),
      FIELD(prepare_reply, workspace_bytes), FIELD(prepare_reply, implementation),
      FIELD(prepare_reply, isa), FIELD(prepare_reply, note), FIELD(prepare_reply, roof))

static const struct check_reply check_reply_defaults = {
    .threads_alive = 1, .max_ulp = NAN, .worst_input = NAN};
TABLE(check_reply, OPTIONAL(check_reply, threads_alive), FIELD(check_reply, note),
      FIELD(check_reply, max_ulp), OPTIONAL(check_reply, mean_ulp),
      FIELD(check_reply, worst_input), OPTIONAL(check_reply, answered),
      OPTIONAL(check_reply, unseen), OPTIONAL(check_reply, varies))

static const struct batch_reply batch_reply_defaults = {
    .process_ns = NAN, .threads_busy = NAN, .waited_ns = -1, .core_split = -1};
TABLE(batch_reply, FIELD(batch_reply, ns), FIELD(batch_reply, cpu_ns),
      FIELD(batch_reply, process_ns), FIELD(batch_reply, minor_faults),
      FIELD(batch_reply, major_faults), FIELD(batch_reply, voluntary_switches),
      FIELD(batch_reply, involuntary_switches), FIELD(batch_reply, migrated),
      FIELD(batch_reply, threads_busy), OPTIONAL(batch_reply, waited_ns),
      OPTIONAL(batch_reply, core_split), OPTIONAL(batch_reply, core_share),
      {"regions", offsetof(struct batch_reply, regions), COUNT, false},
      OPTIONAL(batch_reply, ghz), FIELD(batch_reply, note))

static const struct batch_count batch_count_defaults = {
    .value = NAN, .running_share = 1, .threads = 1};
TABLE(batch_count, FIELD(batch_count, value), OPTIONAL(batch_count, running_share),
      OPTIONAL(batch_count, threads), FIELD(batch_count, scope),
      OPTIONAL(batch_count, user_read), FIELD(batch_count, absent),
      FIELD(batch_count, fix), FIELD(batch_count, errno_name),
      {"errno", offsetof(struct batch_count, code), NUMBER, false},
      OPTIONAL(batch_count, impossible))

static const struct overhead_reply overhead_reply_defaults;
TABLE(overhead_reply, FIELD(overhead_reply, ns))

static const struct overhead_count overhead_count_defaults = {.call = NAN, .region = NAN};
TABLE(overhead_count, FIELD(overhead_count, call), FIELD(overhead_count, region))

static const struct team_reply team_reply_defaults = {.spawn_ns = NAN, .sync_ns = NAN};
TABLE(team_reply, FIELD(team_reply, spawn_ns), FIELD(team_reply, sync_ns))

static const struct copies_reply copies_reply_defaults = {.share = NAN};
TABLE(copies_reply, FIELD(copies_reply, n), FIELD(copies_reply, functions),
      FIELD(copies_reply, tables), FIELD(copies_reply, jumps), FIELD(copies_reply, bytes),
      FIELD(copies_reply, left), OPTIONAL(copies_reply, offset),
      OPTIONAL(copies_reply, loop_bytes), FIELD(copies_reply, share),
      FIELD(copies_reply, whole), FIELD(copies_reply, closed),
      FIELD(copies_reply, prepared), FIELD(copies_reply, why_left),
      FIELD(copies_reply, code), FIELD(copies_reply, executed), FIELD(copies_reply, path))

static const struct copies_edit copies_edit_defaults;
TABLE(copies_edit, FIELD(copies_edit, name), FIELD(copies_edit, changed),
      FIELD(copies_edit, absent))

static const struct loaded_object loaded_object_defaults;
TABLE(loaded_object, FIELD(loaded_object, path), FIELD(loaded_object, soname),
      FIELD(loaded_object, build_id))

static const struct turns_reply turns_reply_defaults;
TABLE(turns_reply, FIELD(turns_reply, ns), FIELD(turns_reply, cpu_ns))

static const struct lists_reply lists_reply_defaults;
TABLE(lists_reply, FIELD(lists_reply, joint))

/* ---- functions ---- */

#define CALL(verb, fields)                                                 \
    cJSON *verb##_call(const struct fields##_call *call)                   \
    {                                                                      \
        cJSON *const request = message_new(#verb);                         \
        write_fields(request, &fields##_call_table, call);                 \
        return request;                                                    \
    }                                                                      \
    int verb##_call_read(const cJSON *request, struct fields##_call *call) \
    {                                                                      \
        return read_fields(request, &fields##_call_table, call);           \
    }
#define REPLY(kind)                                          \
    void kind##_add(cJSON *object, const struct kind *reply) \
    {                                                        \
        write_fields(object, &kind##_table, reply);          \
    }                                                        \
    int kind##_read(const cJSON *object, struct kind *reply) \
    {                                                        \
        return read_fields(object, &kind##_table, reply);    \
    }
CALL_KINDS(CALL, REPLY)

/* ---- requests with lists ---- */

cJSON *setup_call(const struct setup_call *call)
{
    cJSON *const request = message_new("setup");
    cJSON_AddItemToObject(request, "cpus",
                          cJSON_CreateIntArray(call->cpu, (int)call->n_cpu));
    cJSON *const events = cJSON_AddArrayToObject(request, "events");
    for (size_t i = 0; i < call->n_events; i++)
        cJSON_AddItemToArray(events, cJSON_CreateString(call->event[i]));
    cJSON_AddBoolToObject(request, "multiplex", call->multiplex);
    if (call->keep_heap)
        cJSON_AddTrueToObject(request, "keep_heap");
    if (call->proofs)
        proofs_add(request, call->proofs);
    return request;
}

void setup_call_read(const cJSON *request, struct setup_call *call)
{
    const cJSON *item;
    *call = (struct setup_call){.multiplex = message_true(request, "multiplex"),
                                .keep_heap = message_true(request, "keep_heap")};
    cJSON_ArrayForEach (item, message_get(request, "cpus"))
        if (call->n_cpu < CPUS_MAX && cJSON_IsNumber(item))
            call->cpu[call->n_cpu++] = item->valueint;
    cJSON_ArrayForEach (item, message_get(request, "events")) {
        const bool good = call->n_events < EVENTS_MAX && cJSON_IsString(item);
        if (good)
            call->event[call->n_events++] = item->valuestring;
        else
            call->n_events = EVENTS_MAX + 1;
    }
}

cJSON *load_call(const struct load_call *call)
{
    cJSON *const request = message_new("load");
    cJSON_AddStringToObject(request, "path", call->path);
    cJSON *const options = cJSON_AddArrayToObject(request, "options");
    for (size_t i = 0; i < call->n; i++) {
        cJSON *const item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", call->option[i].name);
        cJSON_AddStringToObject(item, "value", call->option[i].value);
        cJSON_AddItemToArray(options, item);
    }
    if (call->enclosed)
        cJSON_AddTrueToObject(request, "enclosed");
    return request;
}

bool load_call_read(const cJSON *request, struct simdbench_option *option, size_t room,
                    struct load_call *call)
{
    const cJSON *item;
    *call = (struct load_call){.path = message_text(request, "path"),
                               .option = option,
                               .enclosed = message_true(request, "enclosed")};
    cJSON_ArrayForEach (item, message_get(request, "options")) {
        const char *const name = message_text(item, "name");
        const char *const value = message_text(item, "value");
        if (!name || !value || call->n == room)
            return false;
        option[call->n++] = (struct simdbench_option){
            .size = sizeof *option, .name = name, .value = value};
    }
    return true;
}

cJSON *describe_call(void)
{
    return message_new("describe");
}

cJSON *objects_call(void)
{
    return message_new("objects");
}
