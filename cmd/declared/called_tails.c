/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes with a remainder, which are checked before any size is timed. */
#include "called_private.h"

enum { TAILS_MAX = 4096, TAIL_SEED = 1 };

int tails_read(const char *text, long *first, long *last)
{
    char *end;
    *first = strtol(text, &end, 10);
    *last = !strncmp(end, "..", 2) ? strtol(end + 2, &end, 10) : -1;
    return *end || *first < 0 || *last < *first || *last - *first > TAILS_MAX ? -EINVAL
                                                                              : 0;
}

/* Operands of a size, and the right answers. */
struct tail {
    struct simdbench_shape shape;
    struct simdbench_operands view;
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS];
    void *value;
    double *slack;
};

static void tail_free(struct tail *tail)
{
    for (uint32_t i = 0; i < tail->view.count; i++)
        free(tail->operand[i].data);
    FREE_EACH(tail->value, tail->slack);
}

static const struct simdbench_operand *output_of(const struct tail *tail)
{
    uint32_t i = 0;
    while (!operand_is_output(&tail->operand[i]))
        i++;
    return &tail->operand[i];
}

/* -EDOM: the declaration has no such size. */
static int tail_make(struct declared_slot *slot, long size, struct tail *tail,
                     struct error *error)
{
    struct simdbench_operand *list[SIMDBENCH_MAX_OPERANDS];
    char text[32];
    *tail = (struct tail){.view = {.size = sizeof tail->view, .threads = 1}};
    for (size_t i = 0; i < SIMDBENCH_MAX_OPERANDS; i++)
        list[i] = tail->view.operand[i] = &tail->operand[i];
    snprintf(text, sizeof text, "%ld", size);
    tail->view.shape = &tail->shape;
    if (slot->op.parse(text, &tail->shape, error->text, sizeof error->text) < 0)
        return -ERANGE;
    const int count = slot->op.layout(&tail->shape, slot->type, list);
    if (count < 0)
        return -ERANGE;
    tail->view.count = (uint32_t)count;
    for (int i = 0; i < count; i++) {
        const size_t bytes = operand_bytes(list[i]);
        list[i]->data = aligned_alloc(64, (bytes + 64) / 64 * 64);
        if (!list[i]->data)
            return no_memory(error);
        type_poison(list[i]->type, list[i]->data, list[i]->count);
    }
    const struct simdbench_operand *const output = output_of(tail);
    tail->value = calloc(output->count + 1, type_bytes(output->type));
    tail->slack = calloc(output->count + 1, sizeof *tail->slack);
    if (!tail->value || !tail->slack)
        return no_memory(error);
    return slot_fill(slot, &tail->view, TAIL_SEED, NULL);
}

static int check_size(struct declared_slot *slot,
                      const struct declared_function *function, long size,
                      struct error *error)
{
    FREED_BY(tail_free) struct tail tail;
    struct made_call *made = NULL;
    char note[200];
    int status =
        tail_make(slot, size, &tail, error)
            ?: slot->op.reference(&tail.view, NULL, NULL, output_of(&tail)->count,
                                  tail.value, tail.slack);
    /* A size that the reference cannot do is none. */
    const bool none = status < 0 && status != -ENOMEM;
    if (status == 0)
        status = made_call_begin(slot, function, &tail.view, &made, error);
    if (status == 0) {
        const struct declared_answers want = {
            .n = output_of(&tail)->count, .value = tail.value, .slack = tail.slack};
        status = declared_run_guarded(&made->call, &want, note, sizeof note, error);
    }
    if (made)
        declared_release(&made->call);
    return none ? 0 : status;
}

int declared_run_tails(const struct declared_call *call, struct error *error)
{
    const struct made_call *const made = (const struct made_call *)call;
    struct declared_function *const function = (struct declared_function *)made->function;
    struct declared_slot *const slot = function->slot;
    struct error why = {.text = ""};
    long first = 0, last = -1;
    int status = 0;
    if (!slot->from->tails || function->tails_checked)
        return 0;
    const struct last_answers answers = slot->last;
    tails_read(slot->from->tails, &first, &last);
    for (long size = first; size <= last && status == 0; size++) {
        status = check_size(slot, function, size, &why);
        if (status < 0)
            error_set(error, status, "at size %ld: %s", size, why.text);
    }
    slot->last = answers;
    function->tails_checked = status == 0;
    return status;
}
