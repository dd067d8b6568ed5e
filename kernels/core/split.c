/* SPDX-License-Identifier: Apache-2.0 */
#include "split.h"

#include "op_row.h"
#include "split_rules.h"
#include "team.h"

struct part {
    struct operands operands;
    void *state;
};

struct split {
    const struct simdbench_kernel *kernel;
    const struct split_rule *rule; /* NULL: cannot be split */
    void *whole;                   /* state for all operands, or NULL */
    uint32_t parts;
    struct part part[];
};

/* ---- ranges ---- */

struct split_range split_range(int64_t n, int64_t step, uint32_t index, uint32_t count)
{
    const int64_t steps = (n + step - 1) / step;
    const int64_t from = steps * index / count * step;
    const int64_t to = steps * (index + 1) / count * step;
    return (struct split_range){.from = from, .to = to < n ? to : n};
}

static const struct simdbench_operand *first_output(const struct operands *operands)
{
    for (uint32_t i = 0; i < operands->view.count; i++)
        if (operand_is_output(&operands->operand[i]))
            return &operands->operand[i];
    return &operands->operand[0];
}

/* The start of range `index`: a line of the output, after the first whole one. */
static uint64_t range_begin(uint64_t n, const struct simdbench_operand *output,
                            uint32_t index, uint32_t count)
{
    const size_t size = type_bytes(output->type), line = size < 64 ? 64 / size : 1;
    const uint64_t head = -(uintptr_t)output->data % 64 / size;
    const uint64_t even = n / count * index + n % count * index / count;
    if (index == 0 || index == count)
        return index ? n : 0;
    const uint64_t past = even > head ? (even - head + line - 1) / line * line : 0;
    return head + past < n ? head + past : n;
}

static bool split_elements(struct operands *part, uint32_t index, uint32_t count)
{
    const struct simdbench_operand output = *first_output(part);
    bool any = false;
    FOR_EACH (struct simdbench_operand, operand, part->operand, part->view.count) {
        const uint64_t from = range_begin(operand->count, &output, index, count);
        const uint64_t to = range_begin(operand->count, &output, index + 1, count);
        operand->data = (char *)operand->data + from * type_bytes(operand->type);
        operand->count = to - from;
        any |= to > from;
    }
    part->shape.dim[0] = (int64_t)first_output(part)->count;
    return any;
}

/* Every part uses what a row `auto` has chosen for all of them. */
static int share_whole(const struct simdbench_kernel *kernel,
                       const struct simdbench_operands *part, void *whole, void **state)
{
    *state = whole;
    return 0;
}

const struct split_rule split_by_elements[] = {{.part = split_elements}, {.part = NULL}};
const struct split_rule split_by_elements_shared[] = {
    {.part = split_elements, .share = share_whole}, {.part = NULL}};

static const struct split_rule *rule_of(const struct simdbench_kernel *kernel)
{
    const struct op_row *const row = op_row_find(kernel->op);
    const struct split_rule *rule = row ? row->split : NULL;
    while (rule && rule->part && rule->takes && !rule->takes(kernel))
        rule++;
    return rule && rule->part ? rule : NULL;
}

/* A copy of the operands, to be cut. */
static void copy_view(struct operands *copy, const struct simdbench_operands *whole)
{
    copy->view = *whole;
    copy->shape = *whole->shape;
    copy->view.shape = &copy->shape;
    copy->view.threads = 1;
    for (uint32_t i = 0; i < whole->count; i++) {
        copy->operand[i] = *whole->operand[i];
        copy->view.operand[i] = &copy->operand[i];
    }
}

static bool cut(const struct split *split, const struct simdbench_operands *operands,
                uint32_t index, uint32_t count, struct operands *part)
{
    copy_view(part, operands);
    /* Each thread runs the whole of a kernel that works in registers alone. */
    return (split->kernel->flags & SIMDBENCH_REGISTERS) ||
           split->rule->part(part, index, count);
}

static int prepare(const struct simdbench_kernel *kernel,
                   const struct simdbench_operands *operands, void **state, char *error,
                   size_t error_size)
{
    *state = NULL;
    return kernel->prepare ? kernel->prepare(operands, state, error, error_size) : 0;
}

static int prepare_parts(struct split *split, const struct simdbench_operands *operands,
                         char *error, size_t error_size)
{
    const uint32_t count = operands->threads;
    for (uint32_t i = 0; i < count; i++) {
        struct part *const part = &split->part[split->parts];
        if (!cut(split, operands, i, count, &part->operands))
            continue;
        const struct simdbench_operands *const view = &part->operands.view;
        const int status =
            split->rule->share
                ? split->rule->share(split->kernel, view, split->whole, &part->state)
                : prepare(split->kernel, view, &part->state, error, error_size);
        if (status < 0)
            return status;
        split->parts++;
    }
    return 0;
}

int split_make(struct split **out, const struct simdbench_kernel *kernel,
               const struct simdbench_operands *operands, char *error, size_t error_size)
{
    struct split *const split =
        calloc(1, sizeof *split + operands->threads * sizeof split->part[0]);
    int status = split ? 0 : -ENOMEM;
    if (status < 0)
        return status;
    split->kernel = kernel;
    split->rule = rule_of(kernel);
    if (!split->rule || split->rule->share)
        status = prepare(kernel, operands, &split->whole, error, error_size);
    if (status == 0 && split->rule)
        status = prepare_parts(split, operands, error, error_size);
    if (status < 0)
        split_free(split);
    else
        *out = split;
    return status;
}

void split_free(struct split *split)
{
    if (!split)
        return;
    void (*const release)(void *) = split->kernel->release;
    const struct split_rule *const rule = split->rule;
    void (*const release_part)(void *) = rule && rule->release ? rule->release : release;
    for (uint32_t i = 0; i < split->parts && release_part; i++)
        if (split->part[i].state != split->whole)
            release_part(split->part[i].state);
    if (release && (!rule || rule->share))
        release(split->whole);
    free(split);
}

uint32_t split_parts(const struct split *split)
{
    return split->parts ? split->parts : 1;
}

void split_choice(const struct split *split, const struct simdbench_operands *operands,
                  struct simdbench_choice *choice)
{
    const struct split_rule *const rule = split->rule;
    const bool own = rule && !rule->share;
    if (split->kernel->choice && (!own || split->parts)) {
        split->kernel->choice(operands, own ? split->part[0].state : split->whole,
                              choice);
        choice->workspace_bytes *= split_parts(split);
    }
    for (uint32_t i = 0; i < split->parts && rule->bytes; i++)
        choice->workspace_bytes += rule->bytes(&split->part[i].operands.view);
}

static void run_part(void *context, uint32_t index, uint32_t count)
{
    const struct split *const split = context;
    const struct part *const part = &split->part[index];
    split->kernel->run(&part->operands.view, part->state);
}

void split_run(const struct simdbench_operands *operands, void *state)
{
    struct split *const split = state;
    if (split->rule && split->parts)
        team_run(split->parts, run_part, split);
    else
        split->kernel->run(operands, split->whole);
}
