/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of an op that a declaration makes: shapes, operands, answers. */
#include "called_private.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t element_type(enum ctype type)
{
    static const uint32_t types[] = {
        [CTYPE_I8] = SIMDBENCH_I8,       [CTYPE_U8] = SIMDBENCH_U8,
        [CTYPE_I16] = SIMDBENCH_I16,     [CTYPE_U16] = SIMDBENCH_U16,
        [CTYPE_I32] = SIMDBENCH_I32,     [CTYPE_U32] = SIMDBENCH_U32,
        [CTYPE_I64] = SIMDBENCH_I64,     [CTYPE_U64] = SIMDBENCH_U64,
        [CTYPE_F16] = SIMDBENCH_F16,     [CTYPE_BF16] = SIMDBENCH_BF16,
        [CTYPE_F32] = SIMDBENCH_F32,     [CTYPE_F64] = SIMDBENCH_F64,
        [CTYPE_BYTES] = SIMDBENCH_U8,    [CTYPE_BOOL] = SIMDBENCH_U8,
        [CTYPE_POINTER] = SIMDBENCH_I64,
    };
    return (size_t)type < ARRAY_LEN(types) ? types[type] : 0;
}

/* ---- shapes ---- */

int slot_measure(const struct declared_slot *slot, const struct simdbench_shape *shape,
                 struct declared_sizes *sizes, struct error *error)
{
    return declaration_measure(&slot->from->declaration, shape->dim, sizes, error);
}

static uint32_t rank_of(const struct declared_slot *slot)
{
    const uint32_t n = slot->from->declaration.n_dimensions;
    return n ? n : 1;
}

/* "640x480" in the order of the prototype, or one number for all of them. */
static int read_dims(const char *text, uint32_t rank, int64_t *dim)
{
    uint32_t n = 0;
    for (const char *at = text; n < rank;) {
        char *end;
        errno = 0;
        dim[n] = strtoll(at, &end, 10);
        if (end == at || *at < '0' || *at > '9' || errno)
            return -EINVAL;
        n++;
        if (!*end)
            break;
        if (*end != 'x' || n == rank)
            return -EINVAL;
        at = end + 1;
    }
    for (uint32_t i = 1; n == 1 && i < rank; i++)
        dim[i] = dim[0];
    return n == 1 || n == rank ? 0 : -EINVAL;
}

static int op_parse(const struct declared_slot *slot, const char *text,
                    struct simdbench_shape *shape, char *message, size_t size)
{
    struct declared_sizes sizes;
    struct error error = {.text = ""};
    *shape = (struct simdbench_shape){.size = sizeof *shape, .rank = rank_of(slot)};
    if (read_dims(text, shape->rank, shape->dim) < 0) {
        snprintf(message, size, "'%.100s' is no shape: %s", text, slot->shape_help);
        return -EINVAL;
    }
    const int status = slot_measure(slot, shape, &sizes, &error);
    if (status < 0)
        snprintf(message, size, "%s", error.text);
    return status;
}

static void op_format(const struct declared_slot *slot,
                      const struct simdbench_shape *shape, char *text, size_t size)
{
    size_t used = 0;
    (void)slot;
    for (uint32_t i = 0; i < shape->rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, i ? "x" : "",
                                 shape->dim[i]);
}

static int op_layout(const struct declared_slot *slot,
                     const struct simdbench_shape *shape,
                     struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    struct declared_sizes sizes;
    struct error error;
    const int status = slot_measure(slot, shape, &sizes, &error);
    if (status < 0)
        return status;
    for (uint32_t i = 0; i < slot->n_operands; i++) {
        const struct operand_source *const source = &slot->operand[i];
        const int argument = source->argument;
        const bool array =
            argument != NO_OPERAND &&
            slot->from->declaration.argument[argument].kind == ARGUMENT_ARRAY;
        operand[i]->type = source->type;
        operand[i]->role = source->role;
        operand[i]->source = source->source;
        operand[i]->count = array ? sizes.count[argument] : 1;
        operand[i]->ld = (int64_t)operand[i]->count;
    }
    return (int)slot->n_operands;
}

static void op_work(const struct declared_slot *slot, const struct simdbench_shape *shape,
                    double *ops, double *bytes)
{
    struct declared_sizes sizes;
    struct error error;
    int64_t value = 0;
    *ops = *bytes = 0;
    if (slot_measure(slot, shape, &sizes, &error) < 0)
        return;
    if (slot->from->ops.n &&
        extent_value(&slot->from->ops, shape->dim, &value, &error) == 0)
        *ops = (double)value;
    *bytes = (double)sizes.in_bytes + (double)sizes.out_bytes;
}

/* ---- right answers ---- */

double slot_slack(const struct declared_slot *slot, uint32_t type, double value)
{
    const struct tolerance *const tolerance = &slot->from->tolerance;
    const bool real = type_kind(type) == TYPE_FLOAT;
    switch (tolerance->kind) {
    case TOLERANCE_ULP:
        return real ? tolerance->value * type_ulp(type, value) : 0;
    case TOLERANCE_REL:
        return real ? tolerance->value * fabs(value) : 0;
    case TOLERANCE_ABS:
        return tolerance->value;
    default:
        return 0;
    }
}

/* Outputs of a run of their own, and which elements it did not write. */
struct computed {
    struct simdbench_operands view;
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS];
    unsigned char *other[SIMDBENCH_MAX_OPERANDS]; /* of a second run, from other bytes */
    uint64_t length[SIMDBENCH_MAX_OPERANDS];      /* elements that are valid */
};

static size_t bytes_of(const struct simdbench_operand *operand)
{
    return operand->count * type_bytes(operand->type);
}

static const char *output_name(const struct declared_slot *slot, uint32_t i)
{
    const int argument = slot->operand[i].argument;
    return argument == NO_OPERAND ? "returned value"
                                  : slot->from->declaration.argument[argument].name;
}

static void computed_free(struct computed *computed)
{
    for (uint32_t i = 0; i < computed->view.count; i++) {
        free(computed->other[i]);
        if (operand_is_output(&computed->operand[i]))
            free(computed->operand[i].data);
    }
}

static void run_code(void *context)
{
    struct made_call *const made = context;
    made->call.code(&made->frame);
}

/* Calls on outputs that hold that byte everywhere. */
static int compute_once(struct made_call *made, struct computed *computed, int byte,
                        struct error *error)
{
    struct crash crash;
    char text[200];
    for (uint32_t i = 0; i < computed->view.count; i++) {
        struct simdbench_operand *const operand = &computed->operand[i];
        if (operand->role == SIMDBENCH_OUT)
            memset(operand->data, byte, bytes_of(operand));
        else if (operand->role == SIMDBENCH_INOUT)
            memcpy(operand->data, computed->operand[operand->source].data,
                   bytes_of(operand));
    }
    made_call_point(made, &computed->view);
    if (crash_catch(run_code, made, &crash) == 0) {
        made_call_finish(made);
        return 0;
    }
    crash_text(&crash, text, sizeof text);
    return error_set(error, -EFAULT, "%s", text);
}

/* Do both runs differ in all that they should have written? */
static bool differs_everywhere(const struct computed *computed, uint32_t i)
{
    const struct simdbench_operand *const operand = &computed->operand[i];
    const size_t size = type_bytes(operand->type);
    for (uint64_t e = 0; e < computed->length[i]; e++)
        if (!memcmp(computed->other[i] + e * size, (char *)operand->data + e * size,
                    size))
            return false;
    return computed->length[i] > 0;
}

static int compute(const struct declared_slot *slot, struct made_call *made,
                   struct computed *computed, struct error *error)
{
    int status = compute_once(made, computed, 0x5a, error);
    for (uint32_t i = 0; i < computed->view.count && status == 0; i++) {
        const struct simdbench_operand *const operand = &computed->operand[i];
        computed->length[i] = made_call_length(made, i);
        if (operand->role != SIMDBENCH_OUT)
            continue;
        computed->other[i] = malloc(bytes_of(operand) + 1);
        if (!computed->other[i])
            status = error_set(error, -ENOMEM, "out of memory");
        else
            memcpy(computed->other[i], operand->data, bytes_of(operand));
    }
    if (status == 0)
        status = compute_once(made, computed, 0xa5, error);
    for (uint32_t i = 0; i < computed->view.count && status == 0; i++)
        if (computed->other[i] && differs_everywhere(computed, i))
            status = error_set(error, -ENODATA,
                               "writes nothing to %s, or what differs from call to call",
                               output_name(slot, i));
    return status;
}

static int computed_begin(const struct simdbench_operands *operands,
                          struct computed *computed, struct error *error)
{
    *computed = (struct computed){.view = *operands};
    for (uint32_t i = 0; i < operands->count; i++) {
        struct simdbench_operand *const operand = &computed->operand[i];
        *operand = *operands->operand[i];
        computed->view.operand[i] = operand;
        if (operand_is_output(operand))
            operand->data = aligned_alloc(64, (bytes_of(operand) + 64) / 64 * 64);
        if (!operand->data)
            return error_set(error, -ENOMEM, "out of memory");
    }
    return 0;
}

static int compute_by(const struct declared_slot *slot,
                      const struct declared_function *function, struct computed *computed,
                      struct error *error)
{
    struct made_call *made;
    int status = made_call_begin(slot, function, &computed->view, &made, error);
    if (status < 0)
        return status;
    status = compute(slot, made, computed, error);
    made_call_end(made);
    return status;
}

/* Without a reference, the first function that runs here and does not crash. */
static int compute_answers(struct declared_slot *slot, struct computed *computed,
                           struct error *error)
{
    slot->answered = ANSWERED_BY_REFERENCE;
    if (slot->reference)
        return compute_by(slot, NULL, computed, error);
    int status = error_set(error, -ENOTSUP, "none of its functions can run here");
    for (size_t i = 0; i < slot->n_functions; i++) {
        struct declared_function *const function = &slot->function[i];
        if (strcmp(function->isa, "lib") != 0 && !isa_runs(function->isa, NULL, 0))
            continue;
        slot->answered = (int)i;
        status = compute_by(slot, function, computed, error);
        if (status == 0)
            return 0;
    }
    return status;
}

/* Any value is right where the answers' function wrote none. */
static double slack_at(const struct declared_slot *slot, const struct computed *computed,
                       uint32_t i, uint64_t element)
{
    const struct simdbench_operand *const operand = &computed->operand[i];
    const size_t size = type_bytes(operand->type);
    const unsigned char *const other = computed->other[i];
    if (element >= computed->length[i] ||
        (other && memcmp(other + element * size, (char *)operand->data + element * size,
                         size) != 0))
        return INFINITY;
    return slot_slack(slot, operand->type,
                      type_get(operand->type, operand->data, element));
}

static int op_reference(struct declared_slot *slot,
                        const struct simdbench_operands *operands, const uint64_t *index,
                        uint64_t n, void *value, double *slack)
{
    struct computed computed;
    struct error error = {.text = ""};
    uint32_t first = 0;
    int status = computed_begin(operands, &computed, &error);
    if (status == 0)
        status = compute_answers(slot, &computed, &error);
    while (!operand_is_output(&computed.operand[first]))
        first++;
    const struct simdbench_operand *const output = &computed.operand[first];
    const size_t size = type_bytes(output->type);
    for (uint64_t i = 0; i < n && status == 0; i++) {
        const uint64_t element = index ? index[i] : i;
        memcpy((char *)value + i * size, (char *)output->data + element * size, size);
        slack[i] = slack_at(slot, &computed, first, element);
    }
    computed_free(&computed);
    snprintf(slot->trouble, sizeof slot->trouble, "%.100s%.150s",
             slot->reference && status == -EFAULT ? "the reference " : "", error.text);
    return status;
}

/* ---- further outputs ---- */

static int compare_output(const struct declared_slot *slot,
                          const struct computed *computed, uint32_t i,
                          const struct simdbench_operand *got, char *text, size_t size)
{
    const uint64_t n = got->count;
    struct error error = {.text = ""};
    double *const slack = malloc((n + 1) * sizeof *slack);
    if (!slack)
        return -ENOMEM;
    for (uint64_t e = 0; e < n; e++)
        slack[e] = slack_at(slot, computed, i, e);
    const int status =
        operands_compare(got, NULL, n, computed->operand[i].data, slack, &error);
    free(slack);
    if (status < 0)
        snprintf(text, size, "%s: %s", output_name(slot, i), error.text);
    return status;
}

static int op_verify(struct declared_slot *slot,
                     const struct simdbench_operands *operands, char *text, size_t size)
{
    struct computed computed;
    struct error error = {.text = ""};
    uint32_t outputs = 0;
    for (uint32_t i = 0; i < operands->count; i++)
        outputs += operand_is_output(operands->operand[i]);
    if (outputs < 2)
        return 0;
    int status = computed_begin(operands, &computed, &error);
    if (status == 0)
        status = compute_answers(slot, &computed, &error);
    outputs = 0;
    for (uint32_t i = 0; i < operands->count && status == 0; i++)
        if (operand_is_output(operands->operand[i]) && outputs++ > 0)
            status = compare_output(slot, &computed, i, operands->operand[i], text, size);
    computed_free(&computed);
    return status;
}

/* ---- slots ---- */

static struct declared_slot *slots[DECLARED_OPS_MAX];

#define EACH_SLOT(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

#define FUNCTIONS(n)                                                                     \
    static int parse_##n(const char *text, struct simdbench_shape *shape, char *error,   \
                         size_t size)                                                    \
    {                                                                                    \
        return op_parse(slots[n], text, shape, error, size);                             \
    }                                                                                    \
    static void format_##n(const struct simdbench_shape *shape, char *text, size_t size) \
    {                                                                                    \
        op_format(slots[n], shape, text, size);                                          \
    }                                                                                    \
    static int layout_##n(const struct simdbench_shape *shape, uint32_t type,            \
                          struct simdbench_operand *const operand[])                     \
    {                                                                                    \
        (void)type;                                                                      \
        return op_layout(slots[n], shape, operand);                                      \
    }                                                                                    \
    static int fill_##n(const struct simdbench_operands *operands, uint64_t seed,        \
                        const char *input)                                               \
    {                                                                                    \
        return slot_fill(slots[n], operands, seed, input);                               \
    }                                                                                    \
    static int reference_##n(const struct simdbench_operands *operands,                  \
                             const char *semiring, const uint64_t *index, uint64_t many, \
                             void *value, double *slack)                                 \
    {                                                                                    \
        (void)semiring;                                                                  \
        return op_reference(slots[n], operands, index, many, value, slack);              \
    }                                                                                    \
    static void work_##n(const struct simdbench_shape *shape, uint32_t type,             \
                         double *ops, double *bytes)                                     \
    {                                                                                    \
        (void)type;                                                                      \
        op_work(slots[n], shape, ops, bytes);                                            \
    }                                                                                    \
    static int verify_##n(const struct simdbench_operands *operands,                     \
                          const char *semiring, const uint64_t *index, uint64_t many,    \
                          char *error, size_t size)                                      \
    {                                                                                    \
        (void)semiring, (void)index, (void)many;                                         \
        return op_verify(slots[n], operands, error, size);                               \
    }
EACH_SLOT(FUNCTIONS)

#define OP(n)                             \
    {.size = sizeof(struct simdbench_op), \
     .parse = parse_##n,                  \
     .format = format_##n,                \
     .layout = layout_##n,                \
     .fill = fill_##n,                    \
     .reference = reference_##n,          \
     .work = work_##n,                    \
     .verify = verify_##n},
static const struct simdbench_op ops[DECLARED_OPS_MAX] = {EACH_SLOT(OP)};

int slot_take(struct declared_slot *slot, struct error *error)
{
    size_t i = 0;
    while (i < DECLARED_OPS_MAX && slots[i])
        i++;
    if (i == DECLARED_OPS_MAX)
        return error_set(error, -E2BIG, "more than %d declared ops in one process",
                         DECLARED_OPS_MAX);
    slots[i] = slot;
    slot->op = ops[i];
    return 0;
}

const char *declared_trouble(const struct simdbench_op *op)
{
    for (size_t i = 0; i < DECLARED_OPS_MAX; i++)
        if (slots[i] && op == &slots[i]->op)
            return slots[i]->trouble;
    return NULL;
}

void slot_give(const struct declared_slot *slot)
{
    for (size_t i = 0; i < DECLARED_OPS_MAX; i++)
        if (slots[i] == slot)
            slots[i] = NULL;
}
