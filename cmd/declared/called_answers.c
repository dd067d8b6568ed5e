/* SPDX-License-Identifier: Apache-2.0 */
/* Right outputs of a declared op: the reference, or the first function, computes them. */
#include "called_computed.h"

#include <inttypes.h>
#include <malloc.h>
#include <math.h>

double declared_slack(const struct tolerance *tolerance, uint32_t type, double value)
{
    const bool real = type_kind(type) == TYPE_FLOAT;
    if (real && tolerance->kind > TOLERANCE_EXACT && !isfinite(value))
        return 0; /* a part of it would be any distance */
    switch (tolerance->kind) {
    case TOLERANCE_ULP:
        return real ? tolerance->value * type_ulp(type, value) : 0;
    case TOLERANCE_REL:
        return real ? tolerance->value * fabs(value) : 0;
    case TOLERANCE_ABS:
        return tolerance->value;
    case TOLERANCE_NONE:
        return real ? SLACK_UNSAID : 0;
    default:
        return 0;
    }
}

const char *output_name(const struct declared_slot *slot, uint32_t i)
{
    const int argument = slot->operand[i].argument;
    return argument == NO_OPERAND && slot->from->declaration.content.is_compared
               ? "hash of what is returned"
           : argument == NO_OPERAND ? "returned value"
                                    : slot->from->declaration.argument[argument].name;
}

static void computed_free(struct computed *computed)
{
    for (uint32_t i = 0; i < computed->view.count; i++) {
        const struct simdbench_operand *const operand = &computed->operand[i];
        free(computed->other[i]);
        output_free(operand, computed->again[i]);
        if (operand_is_output(operand))
            output_free(operand, operand->data);
    }
}

static void run_code(void *context)
{
    struct made_call *const made = context;
    made->call.code(&made->frame);
}

static void poison(const struct simdbench_operand *operand, int byte)
{
    unsigned char *const bytes = operand->data;
    memset(bytes, byte, operand_bytes(operand));
    for (size_t b = 0; byte == MIXED_BYTES && b < operand_bytes(operand); b++)
        bytes[b] = (unsigned char)((b * 0x9e3779b97f4a7c15) >> 56);
}

/* Memory that malloc() gives next holds that byte, as far as nobody writes to it. Small
 * blocks are those that were freed last, and are not touched by M_PERTURB: by default a
 * thread keeps 7 of each size up to 1032 bytes in glibc. */
static void fill_heap(int byte)
{
    enum { SMALL_MAX = 1032, STEP = 16, KEPT = 7 };
    void *block[KEPT];
    mallopt(M_PERTURB, byte ^ 0xff); /* a block gets the complement */
    for (size_t n = STEP + 8; n <= SMALL_MAX; n += STEP) {
        for (size_t k = 0; k < KEPT; k++) {
            block[k] = malloc(n);
            if (block[k])
                memset(block[k], byte, n);
            __asm__ volatile("" : : "r"(block[k]) : "memory");
        }
        for (size_t k = 0; k < KEPT; k++)
            free(block[k]);
    }
}

/* Memory is as the user wants it. */
static void leave_heap(void)
{
    const char *const wanted = getenv("MALLOC_PERTURB_");
    mallopt(M_PERTURB, wanted ? (int)strtol(wanted, NULL, 10) : 0);
}

int compute_once(struct made_call *made, struct computed *computed, int byte,
                 struct error *error)
{
    struct crash crash;
    char text[200];
    for (uint32_t i = 0; i < computed->view.count; i++) {
        struct simdbench_operand *const operand = &computed->operand[i];
        if (operand->role == SIMDBENCH_OUT)
            poison(operand, byte);
        else if (operand->role == SIMDBENCH_INOUT &&
                 computed->operand[operand->source].data)
            memcpy(operand->data, computed->operand[operand->source].data,
                   operand_bytes(operand));
    }
    fill_heap(computed->heap);
    const int status = declared_point(&made->call, &computed->view, error);
    const bool crashed = status == 0 && crash_catch(run_code, made, &crash) < 0;
    if (!crashed && status == 0)
        declared_finish(&made->call);
    if (!crashed) { /* a crash may have been in malloc() */
        leave_heap();
        return status == 0 && made->content_ends
                   ? invalid(error, "the memory that it made ends before its length")
                   : status;
    }
    made_call_crash_text(made, &crash, text, sizeof text);
    return error_set(error, -EFAULT, "%s", text);
}

static bool all_bytes(const unsigned char *bytes, size_t n, unsigned char byte)
{
    while (n && bytes[n - 1] == byte)
        n--;
    return !n;
}

/* Rates count all bytes of an array: one of which less than half is written is told. */
static void tell_unwritten(struct declared_slot *slot, const struct computed *computed,
                           uint32_t i)
{
    const struct simdbench_operand *const operand = &computed->operand[i];
    const unsigned char *const first = computed->other[i], *const second = operand->data;
    const size_t n = computed->length[i] * type_bytes(operand->type);
    size_t written = 0;
    for (size_t b = 0; b < n; b++)
        written += first[b] != FIRST_BYTE || second[b] != SECOND_BYTE;
    if (2 * written < n)
        snprintf(slot->last.note, sizeof slot->last.note,
                 "the right answers write %zu of the %zu bytes of %s: rates count all",
                 written, n, output_name(slot, i));
}

/* True if both runs wrote other values, or if no element is the same, so that none is
 * compared. Bits that neither wrote hold those of the two bytes, which differ in each: of
 * a bitmap a byte can be written in part. */
static bool output_varies(const struct declared_slot *slot,
                          const struct computed *computed, uint32_t i)
{
    const struct simdbench_operand *const operand = &computed->operand[i];
    const bool partly = operand->role == SIMDBENCH_OUT && operand_is_array(slot, i);
    const size_t size = type_bytes(operand->type);
    bool same = !computed->length[i];
    for (uint64_t e = 0; e < computed->length[i]; e++) {
        const unsigned char *const first = computed->other[i] + e * size;
        const unsigned char *const second = (unsigned char *)operand->data + e * size;
        same |= !memcmp(first, second, size);
        for (size_t b = 0; b < size; b++)
            if ((first[b] ^ second[b]) & (partly ? first[b] ^ FIRST_BYTE : 0xff))
                return true;
    }
    return !same;
}

/* True of a pointer that is returned and points into no array. */
static bool points_elsewhere(const struct declared_slot *slot,
                             const struct computed *computed, uint32_t i)
{
    return slot->operand[i].argument == NO_OPERAND &&
           slot->from->declaration.returned == CTYPE_POINTER &&
           *(const int64_t *)computed->operand[i].data == POINTS_ELSEWHERE;
}

/* Many calls in a row, on the same values, return memory that none of the others did. */
static bool returns_new_memory(struct made_call *made, struct computed *computed)
{
    enum { CALLS = 9 };
    uint64_t seen[CALLS];
    struct error lost;
    if (pointer_offset(made, made->frame.result) != POINTS_ELSEWHERE)
        return false;
    for (int i = 0; i < CALLS; i++) {
        if (compute_once(made, computed, SECOND_BYTE, &lost) < 0 ||
            pointer_offset(made, made->frame.result) != POINTS_ELSEWHERE)
            return false;
        seen[i] = made->frame.result;
        for (int k = 0; k < i; k++)
            if (seen[k] == seen[i])
                return false;
    }
    return true;
}

static void tell_memory(struct declared_slot *slot, struct made_call *made,
                        struct computed *computed)
{
    const struct declaration *const declaration = &slot->from->declaration;
    const char *const freer = declaration_freer(declaration);
    if (*declaration->freed_by && !made->frame.result)
        snprintf(slot->last.note, sizeof slot->last.note,
                 "returned NULL, so that the time is that of a call that makes nothing");
    else if (*freer)
        snprintf(slot->last.note, sizeof slot->last.note,
                 "the time of a call is also that of %s, which frees what it made",
                 freer);
    else if (declaration->returned == CTYPE_POINTER && returns_new_memory(made, computed))
        snprintf(
            slot->last.note, sizeof slot->last.note,
            "returns new memory in each call, which nobody frees, so that the time "
            "is also that of fresh pages: 'free NAME' behind the prototype frees it");
}

/* Results that are others in each call may be equal in two by chance: what was seen once
 * holds as long as the shape is the same. */
static void forget_varied(struct declared_slot *slot, const struct simdbench_shape *shape)
{
    if (shape->rank == slot->varied_at.rank &&
        !memcmp(shape->dim, slot->varied_at.dim, shape->rank * sizeof *shape->dim))
        return;
    memset(slot->varied, 0, sizeof slot->varied);
    slot->varied_at = *shape;
}

static int judge_outputs(struct declared_slot *slot, struct computed *computed,
                         struct error *error)
{
    slot->last.varies = false;
    bool seen = false;
    char returned[48];
    name_returned(slot, computed, returned, sizeof returned);
    forget_varied(slot, computed->view.shape);
    for (uint32_t i = 0; i < computed->view.count; i++) {
        const struct simdbench_operand *const operand = &computed->operand[i];
        const bool is_returned = slot->operand[i].argument == NO_OPERAND;
        if (is_returned ? seen : operand_is_output(operand) && !operand_is_array(slot, i))
            tell_refusal(slot, computed, i);
        seen |= operand_is_output(operand) && !points_elsewhere(slot, computed, i);
        if (!computed->other[i])
            continue;
        const bool differs = output_varies(slot, computed, i);
        slot->varied[i] |= differs;
        computed->varies[i] = slot->varied[i];
        computed->differs |= differs;
        slot->last.varies |= computed->varies[i];
        if (operand->role != SIMDBENCH_OUT)
            continue;
        tell_unwritten(slot, computed, i);
        if (computed->length[i] &&
            all_bytes(computed->other[i], operand_bytes(operand), FIRST_BYTE) &&
            all_bytes(operand->data, operand_bytes(operand), SECOND_BYTE))
            return error_set(error, -ENODATA,
                             "%swrites nothing to %s; what is only read has const or in "
                             "before its type; a decoder wants --input=NAME=file:PATH",
                             returned, output_name(slot, i));
    }
    slot->last.unseen = !seen;
    slot->last.computed = true;
    return 0;
}

static int compute(struct declared_slot *slot, struct made_call *made,
                   struct computed *computed, struct error *error)
{
    slot->last.note[0] = '\0';
    computed->heap = FIRST_BYTE;
    int status = compute_once(made, computed, FIRST_BYTE, error);
    computed->heap = SECOND_BYTE;
    for (uint32_t i = 0; i < computed->view.count && status == 0; i++) {
        const struct simdbench_operand *const operand = &computed->operand[i];
        const uint64_t length = declared_length(&made->call, i);
        computed->length[i] = length < operand->count ? length : operand->count;
        if (!operand_is_output(operand))
            continue;
        computed->other[i] = malloc(operand_bytes(operand) + 1);
        if (!computed->other[i])
            status = no_memory(error);
        else
            memcpy(computed->other[i], operand->data, operand_bytes(operand));
    }
    if (status == 0) {
        tell_memory(slot, made, computed);
        status = compute_once(made, computed, SECOND_BYTE, error);
    }
    status = status ?: judge_outputs(slot, computed, error);
    if (status == 0)
        tell_why(slot, made, computed);
    if (status == 0 && !*slot->last.note)
        tell_idle(slot, computed->view.shape);
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
            operand->data = output_buffer(operand);
        if (!operand->data)
            return no_memory(error);
    }
    return 0;
}

static int compute_by(struct declared_slot *slot,
                      const struct declared_function *function, struct computed *computed,
                      struct error *error)
{
    struct made_call *made;
    int status = made_call_begin(slot, function, &computed->view, &made, error);
    if (status < 0)
        return status;
    status = compute(slot, made, computed, error);
    if (status == -EFAULT)
        made_call_name_array(made, error);
    declared_release(&made->call);
    return status;
}

/* Without a reference, the first function that runs here and does not crash. */
static int compute_answers(struct declared_slot *slot, struct computed *computed,
                           struct error *error)
{
    slot->last.by = ANSWERED_BY_REFERENCE;
    if (slot->reference)
        return compute_by(slot, NULL, computed, error);
    int status = error_set(error, -ENOTSUP, "none of its functions can run here");
    for (size_t i = 0; i < slot->n_functions; i++) {
        struct declared_function *const function = &slot->function[i];
        if (strcmp(function->isa, "lib") != 0 && !isa_runs(function->isa, NULL, 0))
            continue;
        slot->last.by = (int)i;
        status = compute_by(slot, function, computed, error);
        if (status == 0)
            return 0;
    }
    return status;
}

/* Any value is right where the answers' function wrote none, or another one each time. */
static double slack_at(const struct declared_slot *slot, const struct computed *computed,
                       uint32_t i, uint64_t element)
{
    const struct simdbench_operand *const operand = &computed->operand[i];
    const size_t size = type_bytes(operand->type);
    const unsigned char *const other = computed->other[i];
    if (element >= computed->length[i] || computed->varies[i] ||
        (other && memcmp(other + element * size, (char *)operand->data + element * size,
                         size) != 0))
        return INFINITY;
    return declared_slack(&slot->from->tolerance, operand->type,
                          type_get(operand->type, operand->data, element));
}

int op_reference(struct declared_slot *slot, const struct simdbench_operands *operands,
                 const uint64_t *index, uint64_t n, void *value, double *slack)
{
    FREED_BY(computed_free) struct computed computed;
    struct error error = {.text = ""};
    uint32_t first = 0;
    int status = computed_begin(operands, &computed, &error)
                     ?: compute_answers(slot, &computed, &error);
    while (!operand_is_output(operands->operand[first]))
        first++;
    const struct simdbench_operand *const output = &computed.operand[first];
    const size_t size = type_bytes(output->type);
    for (uint64_t i = 0; i < n && status == 0 && output->data; i++) {
        const uint64_t element = index ? index[i] : i;
        memcpy((char *)value + i * size, (char *)output->data + element * size, size);
        slack[i] = slack_at(slot, &computed, first, element);
    }
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
    FREED_BY(free_memory) double *slack = malloc((n + 1) * sizeof *slack);
    if (!slack)
        return -ENOMEM;
    for (uint64_t e = 0; e < n; e++)
        slack[e] = slack_at(slot, computed, i, e);
    const int status =
        operands_compare(got, NULL, n, computed->operand[i].data, slack, &error);
    if (status < 0)
        snprintf(text, size, "%s: %s", output_name(slot, i), error.text);
    return status;
}

int op_verify(struct declared_slot *slot, const struct simdbench_operands *operands,
              char *text, size_t size)
{
    struct computed computed;
    struct error error = {.text = ""};
    uint32_t outputs = 0;
    for (uint32_t i = 0; i < operands->count; i++)
        outputs += operand_is_output(operands->operand[i]);
    /* Another process may have computed the first one's answers: they are computed here,
     * too, to know what is seen of them. */
    const bool alone = outputs < 2;
    const int by = slot->last.by;
    if (alone && slot->last.computed)
        return 0;
    int status = computed_begin(operands, &computed, &error)
                     ?: compute_answers(slot, &computed, &error);
    outputs = 0;
    for (uint32_t i = 0; i < operands->count && status == 0; i++)
        if (operand_is_output(operands->operand[i]) && outputs++ > 0)
            status = compare_output(slot, &computed, i, operands->operand[i], text, size);
    computed_free(&computed);
    if (!alone)
        return status;
    slot->last.by = by;
    return 0;
}
