/* SPDX-License-Identifier: Apache-2.0 */
/* One table of fields for each kind of message serves both ends. */
#include "worker/worker.h"

#include <math.h>

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
#define KIND(member)                  \
    _Generic(((self *)0)->member,     \
        const char *: TEXT,           \
        uint64_t: U64,                \
        double: NUMBER,               \
        int: INT,                     \
        bool: FLAG,                   \
        struct simdbench_shape: DIMS, \
        struct operands_map: OPERANDS)
#define NAMED(member, name) {name, offsetof(self, member), KIND(member), true}
#define FIELD(member) NAMED(member, #member)
/* Not written if it has its default. */
#define OPTIONAL(member) {#member, offsetof(self, member), KIND(member), false}
#define PLACE(member) {#member, offsetof(self, places.member), U64, false}
#define PLACES PLACE(n), PLACE(index), PLACE(value), PLACE(slack)
#define NOWHERE {.index = UINT64_MAX}
#define DEFAULTS(...) {__VA_ARGS__}
/* Defines the table of a struct, which is `self` in it. */
#define TABLE(type, otherwise, ...)                                              \
    static const struct table *type##_table(void)                                \
    {                                                                            \
        typedef struct type self;                                                \
        static const self defaults = otherwise;                                  \
        static const struct field fields[] = {__VA_ARGS__};                      \
        static const struct table table = {fields, ARRAY_LEN(fields), &defaults, \
                                           sizeof defaults};                     \
        return &table;                                                           \
    }

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
    FOR_EACH (const struct field, field, table->field, table->n) {
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

TABLE(shape_call, DEFAULTS(), FIELD(op), FIELD(type), FIELD(text), FIELD(layout))

TABLE(map_call, DEFAULTS(.threads = 1), FIELD(bytes), FIELD(block), FIELD(dims),
      FIELD(operands), FIELD(threads), OPTIONAL(most_ulp), OPTIONAL(sets), FIELD(huge),
      OPTIONAL(private))

TABLE(inputs_call, DEFAULTS(), FIELD(op), FIELD(seed), FIELD(input), FIELD(values))

TABLE(reference_call, DEFAULTS(.places = NOWHERE), FIELD(op), FIELD(semiring),
      FIELD(seed), FIELD(full), FIELD(ops), PLACES)

TABLE(prepare_call, DEFAULTS(.kernel = UINT64_MAX), FIELD(kernel), OPTIONAL(threads),
      FIELD(shape))

TABLE(check_call,
      DEFAULTS(.number = UINT64_MAX, .places = NOWHERE, .accuracy_n = ACCURACY_OUTPUTS),
      NAMED(number, "case"), PLACES, OPTIONAL(again), OPTIONAL(seed),
      OPTIONAL(accuracy_n), OPTIONAL(copy), OPTIONAL(first))

TABLE(accuracy_call, DEFAULTS(.places = NOWHERE, .accuracy_n = ACCURACY_OUTPUTS),
      FIELD(op), PLACES, OPTIONAL(accuracy_n))

TABLE(verify_call, DEFAULTS(.places = NOWHERE), FIELD(op), FIELD(semiring), PLACES)

TABLE(batch_call, DEFAULTS(.number = UINT64_MAX), NAMED(number, "case"),
      FIELD(iterations), OPTIONAL(pass), OPTIONAL(regions), FIELD(cold),
      OPTIONAL(flush_denormals), OPTIONAL(fresh_output), OPTIONAL(apart), OPTIONAL(reset),
      FIELD(probe), FIELD(core_share), OPTIONAL(copy))

TABLE(overhead_call, DEFAULTS(.number = UINT64_MAX), FIELD(cold),
      {"case", offsetof(self, number), U64, false})

TABLE(team_call, DEFAULTS(.threads = 1), FIELD(threads))

TABLE(step_call, DEFAULTS(.number = UINT64_MAX, .calls = 1, .places = NOWHERE),
      NAMED(number, "case"), FIELD(calls), PLACES)

TABLE(copies_call, DEFAULTS(.number = UINT64_MAX, .n = 16), NAMED(number, "case"),
      OPTIONAL(n), OPTIONAL(shift), OPTIONAL(code), OPTIONAL(libc_stays), OPTIONAL(edits),
      OPTIONAL(steps), OPTIONAL(whole_only), FIELD(executed))

TABLE(turns_call, DEFAULTS(.number = UINT64_MAX, .repeat = 1), NAMED(number, "case"),
      FIELD(turns), FIELD(list), OPTIONAL(repeat))

TABLE(lists_call, DEFAULTS(), FIELD(op), FIELD(input), FIELD(turns), FIELD(list),
      FIELD(seed))

/* ---- replies ---- */

TABLE(shape_reply, DEFAULTS(), FIELD(text), FIELD(layout), FIELD(ops), FIELD(bytes),
      FIELD(dims), FIELD(operands))

TABLE(map_reply, DEFAULTS(.huge_bytes = -1), OPTIONAL(huge_bytes), OPTIONAL(arena_bytes))

TABLE(fill_reply, DEFAULTS(), FIELD(hash))

TABLE(prepare_reply, DEFAULTS(.number = UINT64_MAX, .ops = NAN, .bytes = NAN),
      {"case", offsetof(self, number), COUNT, true}, OPTIONAL(threads), FIELD(prepare_ns),
      FIELD(ops), FIELD(bytes), FIELD(workspace_bytes), FIELD(implementation), FIELD(isa),
      FIELD(note), FIELD(roof))

TABLE(check_reply, DEFAULTS(.threads_alive = 1, .max_ulp = NAN, .worst_input = NAN),
      OPTIONAL(threads_alive), FIELD(note), FIELD(max_ulp), OPTIONAL(mean_ulp),
      FIELD(worst_input), OPTIONAL(answered), OPTIONAL(unseen), OPTIONAL(varies))

TABLE(batch_reply,
      DEFAULTS(.process_ns = NAN, .threads_busy = NAN, .waited_ns = -1, .core_split = -1,
               .subnormal = -1),
      FIELD(ns), FIELD(cpu_ns), FIELD(process_ns), FIELD(minor_faults),
      FIELD(major_faults), FIELD(voluntary_switches), FIELD(involuntary_switches),
      FIELD(migrated), FIELD(threads_busy), OPTIONAL(waited_ns), OPTIONAL(core_split),
      OPTIONAL(core_share), {"regions", offsetof(self, regions), COUNT, false},
      OPTIONAL(subnormal), OPTIONAL(ghz), FIELD(note))

TABLE(batch_count, DEFAULTS(.value = NAN, .running_share = 1, .threads = 1), FIELD(value),
      OPTIONAL(running_share), OPTIONAL(threads), FIELD(scope), OPTIONAL(user_read),
      FIELD(absent), FIELD(fix), FIELD(errno_name),
      {"errno", offsetof(self, code), NUMBER, false}, OPTIONAL(impossible))

TABLE(overhead_reply, DEFAULTS(), FIELD(ns))

TABLE(overhead_count, DEFAULTS(.call = NAN, .region = NAN), FIELD(call), FIELD(region))

TABLE(team_reply, DEFAULTS(.spawn_ns = NAN, .sync_ns = NAN), FIELD(spawn_ns),
      FIELD(sync_ns))

TABLE(copies_reply, DEFAULTS(.share = NAN), FIELD(n), FIELD(functions), FIELD(tables),
      FIELD(jumps), FIELD(bytes), FIELD(left), OPTIONAL(offset), OPTIONAL(loop_bytes),
      FIELD(share), FIELD(whole), FIELD(closed), FIELD(prepared), FIELD(why_left),
      FIELD(code), FIELD(executed), FIELD(path))

TABLE(copies_edit, DEFAULTS(), FIELD(name), FIELD(changed), FIELD(absent))

TABLE(loaded_object, DEFAULTS(), FIELD(path), FIELD(soname), FIELD(build_id))

TABLE(turns_reply, DEFAULTS(), FIELD(ns), FIELD(cpu_ns))

TABLE(lists_reply, DEFAULTS(), FIELD(joint))

/* ---- functions ---- */

#define CALL(verb, fields)                                                 \
    cJSON *verb##_call(const struct fields##_call *call)                   \
    {                                                                      \
        cJSON *const request = message_new(#verb);                         \
        write_fields(request, fields##_call_table(), call);                \
        return request;                                                    \
    }                                                                      \
    int verb##_call_read(const cJSON *request, struct fields##_call *call) \
    {                                                                      \
        return read_fields(request, fields##_call_table(), call);          \
    }
#define REPLY(kind)                                          \
    cJSON *kind##_ok(const struct kind *reply)               \
    {                                                        \
        cJSON *const object = message_ok();                  \
        write_fields(object, kind##_table(), reply);         \
        return object;                                       \
    }                                                        \
    void kind##_add(cJSON *object, const struct kind *reply) \
    {                                                        \
        write_fields(object, kind##_table(), reply);         \
    }                                                        \
    int kind##_read(const cJSON *object, struct kind *reply) \
    {                                                        \
        return read_fields(object, kind##_table(), reply);   \
    }
EACH_CALL(CALL)
EACH_REPLY(REPLY)

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
    if (call->right)
        cJSON_AddTrueToObject(request, "right");
    return request;
}

bool load_call_read(const cJSON *request, struct simdbench_option *option, size_t room,
                    struct load_call *call)
{
    const cJSON *item;
    *call = (struct load_call){.path = message_text(request, "path"),
                               .option = option,
                               .enclosed = message_true(request, "enclosed"),
                               .right = message_true(request, "right")};
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
