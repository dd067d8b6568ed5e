/* SPDX-License-Identifier: Apache-2.0 */
/* Own kernels, moved: proved, and the same results to the bit. */
#include "arena.h"
#include "lay_out.h"
#include "surgeon.h"

static const unsigned shifts[] = {0, 1, 20, 48};

static void bind(const struct arena *arena, const struct simdbench_kernel *kernel,
                 const char *text, struct operands *operands)
{
    const struct simdbench_op *op = op_find(kernel->op);
    struct simdbench_shape shape;
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS];
    struct simdbench_operand *each[SIMDBENCH_MAX_OPERANDS];
    char error[256] = "";
    for (size_t i = 0; i < ARRAY_LEN(each); i++) {
        operand[i] = (struct simdbench_operand){.size = sizeof operand[i]};
        each[i] = &operand[i];
    }
    assert_int_equal(op->parse(text, &shape, error, sizeof error), 0);
    if (kernel->layout)
        assert_int_equal(op->relayout(&shape, kernel->layout, error, sizeof error), 0);
    const int n = op->layout(&shape, kernel->type, each);
    assert_true(n > 0 && n <= 4);
    lay_out(operands, op, &shape, kernel->type, (uint32_t)n);
    for (int i = 0; i < n; i++)
        operands->operand[i].data = arena_place(
            arena, i, MIDDLE, operands->operand[i].count * type_bytes(kernel->type), 64);
    assert_int_equal(op->fill(&operands->view, 7, NULL), 0);
}

static uint64_t hash_outputs(const struct operands *operands)
{
    uint64_t hash = 14695981039346656037u;
    FOR_EACH (const struct simdbench_operand, operand, operands->operand,
              operands->view.count) {
        const unsigned char *bytes = operand->data;
        for (size_t k = 0;
             operand_is_output(operand) && k < operand->count * type_bytes(operand->type);
             k++)
            hash = (hash ^ bytes[k]) * 1099511628211u;
    }
    return hash;
}

static uint64_t run_on_poison(const struct operands *operands, surgery_function *run,
                              const struct patient *patient)
{
    operands_poison(operands);
    call_patient(run, (void *)(uintptr_t)patient);
    return hash_outputs(operands);
}

static void try_variant(const char *name, struct surgery *surgery, unsigned shift,
                        const struct operands *operands, const struct patient *patient,
                        uint64_t right)
{
    struct surgery_variant *variant = NULL;
    struct error error = {.text = ""};
    surgery_function *run = NULL;
    if (surgery_copy(surgery, shift, &variant, &error) < 0 ||
        surgery_prove(variant, 0, &error) < 0 ||
        surgery_select(variant, &run, &error) < 0)
        fail_msg("%s, shift %u: %s", name, shift, error.text);
    assert_true(run != (surgery_function *)patient->function);
    assert_int_equal(((uintptr_t)run - (uintptr_t)patient->function) % 4096, shift);
    if (run_on_poison(operands, run, patient) != right)
        fail_msg("%s, shift %u: other results", name, shift);
    assert_int_equal(surgery_restore(surgery, &error), 0);
}

static void try_kernel(const struct arena *arena, const struct simdbench_kernel *kernel,
                       const char *shape, unsigned shift)
{
    struct operands operands;
    struct surgery *surgery;
    struct surgery_facts facts;
    struct error error = {.text = ""};
    char why[256] = "", name[128];
    void *state = NULL;
    snprintf(name, sizeof name, "%s/%s/%s/%s@%s", kernel->op, type_name(kernel->type),
             kernel->isa, kernel->variant, shape);
    bind(arena, kernel, shape, &operands);
    if (kernel->prepare && kernel->prepare(&operands.view, &state, why, sizeof why) < 0)
        return;
    struct patient patient = {
        .function = (patient_function *)kernel->run, .a = &operands.view, .b = state};
    if (open_patient(&patient, &surgery, &error) < 0)
        fail_msg("%s: %s", name, error.text);
    const uint64_t right =
        run_on_poison(&operands, (surgery_function *)kernel->run, &patient);
    try_variant(name, surgery, shift, &operands, &patient, right);
    surgery_facts(surgery, &facts);
    if (getenv("SURGERY_TELL"))
        print_message("%s: %u functions, %zu bytes, %u tables, %u jumps, left %u %s\n",
                      name, facts.functions, facts.bytes, facts.tables, facts.jumps,
                      facts.left, facts.why_left);
    surgery_close(surgery);
    assert_int_equal(run_on_poison(&operands, (surgery_function *)kernel->run, &patient),
                     right);
    if (kernel->release)
        kernel->release(state);
}

/* Each kernel is moved once; together they try all places. */
static void try_op(const struct arena *arena, const char *op, const char *shape)
{
    size_t n = 0;
    for (const struct simdbench_kernel *const *kernel = kernel_list(); *kernel; kernel++)
        if (runs_here(*kernel, op)) {
            try_kernel(arena, *kernel, shape, shifts[n % ARRAY_LEN(shifts)]);
            n++;
        }
    assert_true(n > 0);
}

TEST(test_relu)
{
    try_op(*state, "relu", "72");
}

TEST(test_tanh)
{
    try_op(*state, "tanh", "40");
}

TEST(test_gemm)
{
    try_op(*state, "gemm", "7");
}

TEST(test_conv)
{
    try_op(*state, "conv", "n1c4h3w5k4r3s3p1q1");
}

TESTS_SKIPPED_IF(cannot_trace)
