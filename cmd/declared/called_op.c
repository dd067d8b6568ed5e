/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of an op that a declaration makes: shapes, operands, answers. */
#include "called_private.h"

#include <inttypes.h>

static uint32_t element_type(enum ctype type)
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
        snprintf(message, size, "'%.100s' is no shape: %s%s", text,
                 shape->rank == 1 ? "one number, for " : "", slot->shape_help);
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
        if (argument == NO_OPERAND && slot->from->declaration.vector)
            operand[i]->count =
                slot->from->declaration.vector / type_bytes(operand[i]->type);
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

/* ---- operands: from the arguments of a prototype ---- */

/* An inout array takes two. */
static int add_argument(struct declared_slot *slot, int i)
{
    static const uint32_t roles[] = {[ARGUMENT_IN] = SIMDBENCH_IN,
                                     [ARGUMENT_OUT] = SIMDBENCH_OUT,
                                     [ARGUMENT_INOUT] = SIMDBENCH_INOUT};
    const struct declared_argument *const argument = &slot->from->declaration.argument[i];
    struct operand_source source = {.argument = i, .type = element_type(argument->type)};
    const bool array = argument->kind == ARGUMENT_ARRAY;
    slot->pointer[i] = NO_OPERAND;
    if (!array && argument->kind != ARGUMENT_LENGTH && !argument->content.is_compared)
        return 0;
    if (argument->content.is_compared)
        source.type = SIMDBENCH_U64;
    source.role = array ? roles[argument->role] : SIMDBENCH_OUT;
    const uint32_t takes = source.role == SIMDBENCH_INOUT ? 2 : 1;
    if (slot->n_operands + takes >= SIMDBENCH_MAX_OPERANDS) /* one is a result */
        return -E2BIG;
    if (takes == 2) {
        source.role = SIMDBENCH_IN;
        slot->operand[slot->n_operands] = source;
        source.role = SIMDBENCH_INOUT;
        source.source = slot->n_operands++;
    }
    if (array)
        slot->pointer[i] = (int)slot->n_operands;
    slot->operand[slot->n_operands++] = source;
    return 0;
}

/* The element type of cases: of the first output that is an array, or else of the first
 * array, or of what is returned. */
static uint32_t type_of(const struct declared_slot *slot)
{
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < slot->n_operands; i++) {
            const struct operand_source *const source = &slot->operand[i];
            if ((operand_is_array(slot, i) || pass == 2) &&
                (source->role != SIMDBENCH_IN || pass == 1))
                return source->type;
        }
    return SIMDBENCH_F32;
}

int called_operands(struct declared_slot *slot, struct error *error)
{
    const struct declaration *const declaration = &slot->from->declaration;
    int status = 0;
    for (uint32_t i = 0; i < declaration->n && status == 0; i++)
        status = add_argument(slot, (int)i);
    if (status < 0)
        return error_set(
            error, status,
            "op %s: more than %d arrays and results, of which an inout array "
            "is two",
            slot->from->name, SIMDBENCH_MAX_OPERANDS);
    const bool seen = declaration_has_outputs(declaration);
    /* Nothing that is returned is 0: every op has an output. */
    if (declaration->returned != CTYPE_VOID || !seen)
        slot->operand[slot->n_operands++] = (struct operand_source){
            .argument = NO_OPERAND,
            .type = seen ? element_type(declaration->returned) : SIMDBENCH_U8,
            .role = SIMDBENCH_OUT};
    slot->type = type_of(slot);
    return 0;
}

/* ---- slots ---- */

static struct declared_slot *slots[DECLARED_SLOTS];

/* Octal numbers, whose digits can be joined. */
#define EIGHT(X, n) X(0##n##0) X(0##n##1) X(0##n##2) X(0##n##3) FOUR(X, n)
#define FOUR(X, n) X(0##n##4) X(0##n##5) X(0##n##6) X(0##n##7)
#define SLOTS(X, n) HALF(X, n) EIGHT(X, n##4) EIGHT(X, n##5) EIGHT(X, n##6) EIGHT(X, n##7)
#define HALF(X, n) EIGHT(X, n##0) EIGHT(X, n##1) EIGHT(X, n##2) EIGHT(X, n##3)
#define EACH_SLOT(X) SLOTS(X, 0) SLOTS(X, 1) SLOTS(X, 2)

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
static const struct simdbench_op ops[DECLARED_SLOTS] = {EACH_SLOT(OP)};

int slot_take(struct declared_slot *slot, struct error *error)
{
    size_t i = 0;
    while (i < DECLARED_SLOTS && slots[i])
        i++;
    if (i == DECLARED_SLOTS)
        return error_set(error, -E2BIG, "more than %d declared ops in one process",
                         DECLARED_SLOTS);
    slots[i] = slot;
    slot->op = ops[i];
    return 0;
}

struct declared_slot *slot_of(const struct simdbench_op *op)
{
    for (size_t i = 0; i < DECLARED_SLOTS; i++)
        if (slots[i] && op == &slots[i]->op)
            return slots[i];
    return NULL;
}

const char *declared_trouble(const struct simdbench_op *op)
{
    const struct declared_slot *const slot = slot_of(op);
    return slot ? slot->trouble : NULL;
}

void slot_give(const struct declared_slot *slot)
{
    for (size_t i = 0; i < DECLARED_SLOTS; i++)
        if (slots[i] == slot)
            slots[i] = NULL;
}
