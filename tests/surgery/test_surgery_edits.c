/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of code: exactly those instructions change, and what is not safe is refused. */
#include "surgeon.h"

enum { TURNS = 64, FLOATS = 8 * TURNS, INPUT_FLOATS = FLOATS + 8 };
static _Alignas(64) float input[INPUT_FLOATS], output[FLOATS], right[FLOATS];

/* %rdi: input, %rsi: output; each loop has 64 turns. */
#define FUNCTION(name, code)                                               \
    __asm__(".pushsection .text\n.type " #name ", @function\n" #name ":\n" \
            "   movl $64, %ecx\n" code ".size " #name ", . - " #name "\n"  \
            ".popsection\n");                                              \
    patient_function name __attribute__((visibility("hidden")));

FUNCTION(sum, "   xorps %xmm0, %xmm0\n"
              "1: addps (%rdi), %xmm0\n"
              "   addq $16, %rdi\n   decl %ecx\n   jnz 1b\n"
              "   movups %xmm0, (%rsi)\n   retq\n")
FUNCTION(sum_of_register, "   vxorps %xmm0, %xmm0, %xmm0\n"
                          "1: vmovups (%rdi), %ymm1\n"
                          "   vaddps %ymm1, %ymm0, %ymm0\n"
                          "   addq $32, %rdi\n   decl %ecx\n   jnz 1b\n"
                          "   vmovups %ymm0, (%rsi)\n   vzeroupper\n   retq\n")
FUNCTION(quotients, "1: movups (%rdi), %xmm0\n   movups 16(%rdi), %xmm9\n"
                    "   divps %xmm9, %xmm0\n   movups %xmm0, (%rsi)\n"
                    "   addq $16, %rdi\n   addq $16, %rsi\n   decl %ecx\n   jnz 1b\n"
                    "   retq\n")
FUNCTION(roots, "1: sqrtps (%rdi), %xmm0\n   movups %xmm0, (%rsi)\n"
                "   addq $16, %rdi\n   addq $16, %rsi\n   decl %ecx\n   jnz 1b\n"
                "   retq\n")
FUNCTION(gathers, "   vpcmpeqd %ymm3, %ymm3, %ymm3\n   vpsrld $31, %ymm3, %ymm4\n"
                  "1: vmovaps %ymm3, %ymm2\n"
                  "   vgatherdps %ymm2, 4(%rdi, %ymm4, 4), %ymm0\n"
                  "   vmovups %ymm0, (%rsi)\n"
                  "   addq $4, %rdi\n   addq $32, %rsi\n   decl %ecx\n   jnz 1b\n"
                  "   vzeroupper\n   retq\n")
FUNCTION(stores, "1: movups (%rdi), %xmm0\n   movups %xmm0, (%rsi)\n"
                 "   addq $16, %rdi\n   addq $16, %rsi\n   decl %ecx\n   jnz 1b\n"
                 "   movups %xmm0, (%rsi)\n   retq\n")
FUNCTION(spilled, "   xorps %xmm2, %xmm2\n"
                  "1: movups (%rdi), %xmm0\n   movaps %xmm0, %xmm1\n"
                  "   movups %xmm1, -40(%rsp)\n   movups -40(%rsp), %xmm2\n"
                  "   addps %xmm2, %xmm0\n   movups %xmm0, (%rsi)\n"
                  "   addq $16, %rdi\n   addq $16, %rsi\n   decl %ecx\n   jnz 1b\n"
                  "   retq\n")
FUNCTION(late, "1: movss (%rdi), %xmm0\n   movss 4(%rdi), %xmm1\n"
               "   movss %xmm0, -16(%rsp)\n   movss %xmm1, -12(%rsp)\n"
               "   movsd -16(%rsp), %xmm2\n   movsd %xmm2, (%rsi)\n"
               "   addq $8, %rdi\n   addq $8, %rsi\n   decl %ecx\n   jnz 1b\n"
               "   retq\n")
FUNCTION(late_operand, "   xorps %xmm2, %xmm2\n"
                       "1: movss (%rdi), %xmm0\n   movss 4(%rdi), %xmm1\n"
                       "   movss %xmm0, -24(%rsp)\n   movss %xmm1, -16(%rsp)\n"
                       "   movups (%rdi), %xmm2\n   addps -24(%rsp), %xmm2\n"
                       "   movsd %xmm2, (%rsi)\n"
                       "   addq $8, %rdi\n   addq $8, %rsi\n   decl %ecx\n   jnz 1b\n"
                       "   retq\n")
/* The first of its loads alone reaches over a narrower store. */
FUNCTION(once_late, "   movl %ecx, 4(%rsi)\n   movq %rsi, %rdx\n"
                    "1: movsd (%rdx), %xmm2\n   movsd %xmm2, 512(%rsi)\n"
                    "   addq $8, %rdx\n   decl %ecx\n   jnz 1b\n   retq\n")
FUNCTION(nothing, "   retq\n")
__asm__(
    ".pushsection .text\n.type nop_function, @function\nnop_function:\n   nop\n   retq\n"
    ".size nop_function, . - nop_function\n.popsection\n");
/* Short branches over it do not reach when each of them counts. */
FUNCTION(calls, "   movl %ecx, %edx\n"
                "1: callq nop_function\n   callq nothing\n   movl (%rdi), %eax\n"
                "   testl $1, %eax\n   jz 2f\n   addl $4, %eax\n"
                "2: testl $2, %eax\n   jz 3f\n   xorl $8, %eax\n"
                "3: testl $4, %eax\n   jz 4f\n   incl %eax\n"
                "4: movl %eax, (%rsi)\n"
                "   addq $4, %rdi\n   addq $4, %rsi\n   decl %edx\n   jnz 1b\n   retq\n")
/* The constant lies relative to the code, behind another number of bytes. */
__asm__(".pushsection .rodata\n.balign 16\nones: .long 0x3f800000, 0x3f800000, "
        "0x3f800000, 0x3f800000\n.popsection\n");
FUNCTION(legacy, "   movaps ones(%rip), %xmm3\n   xorl %r8d, %r8d\n"
                 "1: movups (%rdi), %xmm0\n   movaps %xmm0, %xmm9\n"
                 "   addps ones(%rip), %xmm9\n   mulps %xmm9, %xmm0\n"
                 "   pshufd $0x1b, %xmm0, %xmm2\n   psrldq $4, %xmm2\n"
                 "   phaddd %xmm3, %xmm2\n   movss 4(%rdi), %xmm2\n"
                 "   movups %xmm2, (%rsi, %r8)\n   movhps %xmm0, 8(%rsi, %r8)\n"
                 "   cvtsi2ssq %rcx, %xmm1\n   movss %xmm1, %xmm0\n"
                 "   movlps %xmm0, (%rsi, %r8)\n"
                 "   addq $16, %rdi\n   addq $16, %rsi\n   decl %ecx\n   jnz 1b\n"
                 "   retq\n")
/* A root keeps upper elements of its result, and nobody needs them. */
FUNCTION(keeps_upper, "1: movss (%rdi), %xmm0\n   sqrtss %xmm0, %xmm1\n"
                      "   movups %xmm1, (%rsi)\n   addq $4, %rdi\n   addq $16, %rsi\n"
                      "   decl %ecx\n   jnz 1b\n   retq\n")
FUNCTION(reads_wide, "   vxorps %xmm1, %xmm1, %xmm1\n"
                     "1: vmovups (%rdi), %ymm0\n   addps %xmm1, %xmm0\n"
                     "   vmovmskps %ymm0, %eax\n   vmovups %ymm0, (%rsi)\n"
                     "   decl %ecx\n   jnz 1b\n   vzeroupper\n   retq\n")
/* An AVX instruction just before writes what is read wide. */
FUNCTION(reads_anew, "   vxorps %xmm1, %xmm1, %xmm1\n"
                     "1: movups (%rdi), %xmm0\n   addps %xmm1, %xmm0\n"
                     "   movups %xmm0, (%rsi)\n   vmovups (%rdi), %ymm0\n"
                     "   vmovmskps %ymm0, %eax\n   addq $4, %rdi\n   addq $16, %rsi\n"
                     "   decl %ecx\n   jnz 1b\n   vzeroupper\n   retq\n")
FUNCTION(streams, "1: movups (%rdi), %xmm0\n   movl 16(%rdi), %eax\n"
                  "   movntps %xmm0, (%rsi)\n   movntdq %xmm0, 16(%rsi)\n"
                  "   movnti %eax, 32(%rsi)\n   movnti %rax, 40(%rsi)\n"
                  "   addq $4, %rdi\n   addq $16, %rsi\n   subl $2, %ecx\n   ja 1b\n"
                  "   sfence\n   retq\n")
/* Twelve of sixteen bytes. */
FUNCTION(masked_streams,
         "   pcmpeqd %xmm1, %xmm1\n   psrldq $4, %xmm1\n   movaps %xmm1, %xmm9\n"
         "1: movups (%rdi), %xmm0\n   movaps %xmm0, %xmm8\n"
         "   xchgq %rdi, %rsi\n   maskmovdqu %xmm9, %xmm8\n"
         "   addq $16, %rdi\n   vmaskmovdqu %xmm1, %xmm0\n"
         "   addq $16, %rdi\n   xchgq %rdi, %rsi\n   addq $16, %rdi\n"
         "   subl $4, %ecx\n   ja 1b\n   sfence\n   retq\n")
/* Some of their loads cross lines: all begin 8 bytes behind a multiple of their size, or
 * each elsewhere. */
FUNCTION(across, "1: vmovups 8(%rdi), %ymm0\n   vaddps 40(%rdi), %ymm0, %ymm0\n"
                 "   vmovups %ymm0, (%rsi)\n"
                 "   addq $32, %rdi\n   addq $32, %rsi\n   subl $2, %ecx\n   ja 1b\n"
                 "   vzeroupper\n   retq\n")
FUNCTION(anywhere, "1: vmovupd (%rdi), %ymm0\n   vmovups %ymm0, (%rsi)\n"
                   "   addq $24, %rdi\n   addq $32, %rsi\n   decl %ecx\n   jnz 1b\n"
                   "   vzeroupper\n   retq\n")
FUNCTION(across_to_general,
         "1: vmovups 8(%rdi), %ymm0\n   vmovmskps %ymm0, %eax\n"
         "   addq $32, %rdi\n   decl %ecx\n   jnz 1b\n   vzeroupper\n   retq\n")
FUNCTION(across_to_flags, "   vpcmpeqd %ymm1, %ymm1, %ymm1\n"
                          "1: vptest 8(%rdi), %ymm1\n   jz 2f\n"
                          "   addq $32, %rdi\n   decl %ecx\n   jnz 1b\n"
                          "2: vzeroupper\n   retq\n")
FUNCTION(to_flags, "1: movss (%rdi), %xmm0\n   divss 4(%rdi), %xmm0\n"
                   "   comiss %xmm0, %xmm0\n   movss %xmm0, (%rsi)\n"
                   "   decl %ecx\n   jnz 1b\n   retq\n")
FUNCTION(to_general, "1: movups (%rdi), %xmm0\n   divps 16(%rdi), %xmm0\n"
                     "   movaps %xmm0, %xmm7\n   movmskps %xmm7, %eax\n"
                     "   decl %ecx\n   jnz 1b\n   retq\n")
FUNCTION(to_address, "   vpcmpeqd %ymm3, %ymm3, %ymm3\n"
                     "1: vmovups (%rdi), %ymm0\n   vdivps %ymm3, %ymm0, %ymm1\n"
                     "   vpsrld $30, %ymm1, %ymm4\n   vmovaps %ymm3, %ymm2\n"
                     "   vgatherdps %ymm2, (%rdi, %ymm4, 4), %ymm5\n"
                     "   decl %ecx\n   jnz 1b\n   vzeroupper\n   retq\n")
FUNCTION(to_memory, "1: movss (%rdi), %xmm0\n   divss 4(%rdi), %xmm0\n"
                    "   movss %xmm0, (%rsi)\n   movl (%rsi), %eax\n"
                    "   decl %ecx\n   jnz 1b\n   retq\n")
FUNCTION(to_places, "1: movups (%rdi), %xmm0\n   divps 16(%rdi), %xmm0\n"
                    "   vmaskmovps %xmm9, %xmm0, (%rsi)\n"
                    "   decl %ecx\n   jnz 1b\n   retq\n")
FUNCTION(masked, "   vpcmpeqd %xmm9, %xmm9, %xmm9\n"
                 "1: movups (%rdi), %xmm0\n   divps 16(%rdi), %xmm0\n"
                 "   vmaskmovps %xmm0, %xmm9, (%rsi)\n"
                 "   decl %ecx\n   jnz 1b\n   retq\n")
FUNCTION(mask_stays, "   vpcmpeqd %ymm3, %ymm3, %ymm3\n   vpsrld $31, %ymm3, %ymm4\n"
                     "1: vmovaps %ymm3, %ymm2\n"
                     "   vgatherdps %ymm2, 4(%rdi, %ymm4, 4), %ymm0\n"
                     "   vmovmskps %ymm2, %eax\n   vmovups %ymm0, (%rsi)\n"
                     "   decl %ecx\n   jnz 1b\n   vzeroupper\n   retq\n")
/* All results are stored before the first one counts in a table. */
FUNCTION(to_counts, "   movq %rsi, %rdx\n   shll $2, %ecx\n"
                    "1: movss (%rdi), %xmm0\n   divss %xmm0, %xmm0\n"
                    "   movss %xmm0, (%rdx)\n   addq $4, %rdi\n   addq $4, %rdx\n"
                    "   decl %ecx\n   jnz 1b\n   movl $256, %ecx\n   movq %rsi, %r9\n"
                    "2: movl (%r9), %eax\n   shrl $24, %eax\n"
                    "   incl 1024(%rsi, %rax, 4)\n   addq $4, %r9\n"
                    "   decl %ecx\n   jnz 2b\n   retq\n")
/* Bytes behind stores that overlap are not theirs. */
FUNCTION(beside, "   movl $1, -8(%rsp)\n"
                 "1: movups (%rdi), %xmm0\n   divps 16(%rdi), %xmm0\n"
                 "   movups %xmm0, -24(%rsp)\n   movss %xmm0, -12(%rsp)\n"
                 "   movl -8(%rsp), %eax\n   subl %eax, %ecx\n   jnz 1b\n   retq\n")
/* Division by zero leaves a flag, and multiplication does not. */
#define DIVIDED                                                               \
    "   movl $0x1f80, -8(%rsp)\n   ldmxcsr -8(%rsp)\n   xorps %xmm1, %xmm1\n" \
    "1: movss (%rdi), %xmm0\n   divss %xmm1, %xmm0\n"                         \
    "   decl %ecx\n   jnz 1b\n   stmxcsr -8(%rsp)\n"                          \
    "   testb $4, -8(%rsp)\n   jnz 2f\n"
FUNCTION(to_branches, DIVIDED "   testl %ecx, %ecx\n   jz 2f\n   nop\n2: retq\n")
/* Writes a byte to standard error without that flag. */
FUNCTION(complains, DIVIDED "   movl $1, %eax\n   movl $2, %edi\n   movq %rsp, %rsi\n"
                            "   movl $1, %edx\n   syscall\n   testl %edx, %edx\n"
                            "   jz 2f\n   nop\n2: retq\n")

/* ---- planning ---- */

struct plan {
    struct surgery *surgery;
    struct surgery_seen *seen;
    size_t n;
};

static void see(struct patient *patient, struct plan *plan)
{
    struct inspect_census census;
    struct error error = {.text = ""};
    trace_patient(patient, (surgery_function *)patient->function, &census);
    plan->n = census.n_lines;
    plan->seen = calloc(plan->n, sizeof *plan->seen);
    assert_non_null(plan->seen);
    for (size_t i = 0; i < plan->n; i++) {
        const struct inspect_line *const line = &census.line[i];
        plan->seen[i] = (struct surgery_seen){
            .address = line->address,
            .executed = line->executed,
            .loop = line->loop == INSPECT_NO_LOOP ? SURGERY_COLD : line->loop,
            .spills = line->spills > 0,
            .reloads = line->reloads > 0,
            .takes_vectors = line->takes_vectors,
            .late = inspect_is_late(line),
            .crosses = line->crosses,
            .beyond = line->beyond};
    }
    inspect_census_free(&census);
    if (open_patient(patient, &plan->surgery, &error) < 0)
        fail_msg("%s", error.text);
}

static void forget(struct plan *plan)
{
    surgery_close(plan->surgery);
    free(plan->seen);
}

/* Leaves the results of the edited code in `output`; -errno of the plan. */
static int edit(patient_function *function, enum surgery_edit kind, size_t *changed,
                struct error *error)
{
    static const unsigned shifts[] = {0, 17, 48};
    struct patient patient = {.function = function, .a = input, .b = output};
    struct plan plan;
    see(&patient, &plan);
    const int status =
        surgery_plan_edit(plan.surgery, kind, plan.seen, plan.n, changed, error);
    for (size_t i = 0; i < ARRAY_LEN(shifts) && status == 0; i++) {
        struct surgery_variant *variant = NULL;
        surgery_function *run = NULL;
        memset(output, 0, sizeof output);
        if (surgery_edit(plan.surgery, kind, shifts[i], &variant, error) < 0 ||
            surgery_prove(variant, 0, error) < 0 ||
            surgery_select(variant, &run, error) < 0)
            fail_msg("%s, shift %u: %s", surgery_edit_name(kind), shifts[i], error->text);
        call_patient(run, &patient);
        assert_int_equal(surgery_restore(plan.surgery, error), 0);
    }
    forget(&plan);
    return status;
}

static void edit_well(patient_function *function, enum surgery_edit kind, size_t changes)
{
    struct error error = {.text = ""};
    size_t changed = 0;
    if (edit(function, kind, &changed, &error) < 0)
        fail_msg("%s: %s", surgery_edit_name(kind), error.text);
    assert_int_equal(changed, changes);
}

static void refuse(patient_function *function, enum surgery_edit kind, int code,
                   const char *why)
{
    struct error error = {.text = ""};
    size_t changed = 0;
    const int status = edit(function, kind, &changed, &error);
    if (status != code || !strstr(error.text, why))
        fail_msg("%s: %d, %s", surgery_edit_name(kind), status, error.text);
}

static void assert_floats(const float *found, const float *expected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(found[i] == expected[i]))
            fail_msg("%zu: %g, not %g", i, (double)found[i], (double)expected[i]);
}

/* ---- tests ---- */

/* The sum of the last turn alone is left: x, or x + x. */
TEST(test_chain)
{
    edit_well(sum, SURGERY_CHAIN, 1);
    assert_floats(output, input + 4 * (TURNS - 1), 4);
    if (!__builtin_cpu_supports("avx2"))
        return;
    edit_well(sum_of_register, SURGERY_CHAIN, 1);
    for (size_t i = 0; i < 8; i++)
        right[i] = 2 * input[8 * (TURNS - 1) + i];
    assert_floats(output, right, 8);
}

TEST(test_divide)
{
    edit_well(quotients, SURGERY_DIVIDE, 1);
    for (size_t i = 0; i < 4 * TURNS; i++)
        right[i] = input[i] * input[i + 4];
    assert_floats(output, right, 4 * TURNS);
    edit_well(roots, SURGERY_DIVIDE, 1);
    assert_floats(output, input, 4 * TURNS);
}

TEST(test_gather)
{
    if (!__builtin_cpu_supports("avx2"))
        skip();
    edit_well(gathers, SURGERY_GATHER, 1);
    for (size_t i = 0; i < 8 * TURNS; i++)
        right[i] = input[1 + i / 8 + i % 8];
    assert_floats(output, right, 8 * TURNS);
}

/* Stores behind the loop stay. */
TEST(test_store)
{
    edit_well(stores, SURGERY_STORE, 1);
    memset(right, 0, sizeof right);
    memcpy(right + 4 * TURNS, input + 4 * (TURNS - 1), 16);
    assert_floats(output, right, 4 * TURNS + 4);
}

/* The store is gone, and so is the load. */
TEST(test_spill)
{
    edit_well(spilled, SURGERY_SPILL, 2);
    assert_floats(output, input, 4 * TURNS);
    refuse(spilled, SURGERY_FORWARD, -ENOENT, "nothing of that kind");
}

TEST(test_forward)
{
    edit_well(late, SURGERY_FORWARD, 1);
    memset(right, 0, sizeof right);
    assert_floats(output, right, 2 * TURNS);
    /* x + x in place of x + what was stored */
    edit_well(late_operand, SURGERY_FORWARD, 1);
    for (size_t i = 0; i < 2 * TURNS; i++)
        right[i] = 2 * input[i];
    assert_floats(output, right, 2 * TURNS);
    refuse(once_late, SURGERY_FORWARD, -ENOENT, "nothing of that kind");
}

/* Results stay: all else is laid out anew, with short branches made long in the trial. */
TEST(test_call)
{
    memset(output, 0, sizeof output);
    calls(input, output);
    memcpy(right, output, sizeof right);
    edit_well(calls, SURGERY_CALL, 1);
    assert_memory_equal(output, right, sizeof right);
}

/* The results stay, of all kinds of operands. */
static void keep_results(patient_function *function, enum surgery_edit kind,
                         size_t changes)
{
    memset(output, 0, sizeof output);
    function(input, output);
    memcpy(right, output, sizeof right);
    edit_well(function, kind, changes);
    assert_memory_equal(output, right, sizeof right);
}

TEST(test_vex)
{
    if (!__builtin_cpu_supports("avx2"))
        skip();
    keep_results(legacy, SURGERY_VEX, 13);
    keep_results(reads_anew, SURGERY_VEX, 3);
    edit_well(keeps_upper, SURGERY_VEX, 3);
    for (unsigned i = 1; i < 4 * TURNS; i += i % 4 == 3 ? 2 : 1)
        assert_float_equal(output[i], 0, 0);
    refuse(reads_wide, SURGERY_VEX, -EPERM, "a general register at reads_wide+0x");
    refuse(sum_of_register, SURGERY_VEX, -ENOENT, "nothing of that kind");
}

TEST(test_cached)
{
    keep_results(streams, SURGERY_CACHED, 4);
    if (__builtin_cpu_supports("avx"))
        keep_results(masked_streams, SURGERY_CACHED, 2);
    refuse(stores, SURGERY_CACHED, -ENOENT, "nothing of that kind");
}

TEST(test_whole)
{
    if (!__builtin_cpu_supports("avx2"))
        skip();
    edit_well(across, SURGERY_WHOLE, 2);
    for (size_t i = 0; i < 4 * TURNS; i++)
        right[i] = input[i] + input[i + 8];
    assert_floats(output, right, 4 * TURNS);
    edit_well(anywhere, SURGERY_WHOLE, 1);
    for (size_t i = 0; i < 8 * TURNS; i++)
        right[i] = input[i / 8 * 6 + i % 2];
    assert_floats(output, right, 8 * TURNS);
    refuse(across_to_general, SURGERY_WHOLE, -EPERM, "a general register");
    refuse(across_to_flags, SURGERY_WHOLE, -ENOENT, "nothing of that kind");
    refuse(stores, SURGERY_WHOLE, -ENOENT, "nothing of that kind");
}

TEST(test_unsafe)
{
    refuse(to_flags, SURGERY_DIVIDE, -EPERM, "flags at to_flags+0x");
    refuse(to_general, SURGERY_DIVIDE, -EPERM, "a general register at to_general+0x");
    refuse(to_memory, SURGERY_DIVIDE, -EPERM, "a general register at to_memory+0x");
    refuse(to_counts, SURGERY_DIVIDE, -EPERM, "a general register at to_counts+0x");
    refuse(to_counts, SURGERY_STORE, -EPERM, "a general register at to_counts+0x");
    edit_well(beside, SURGERY_DIVIDE, 1);
    refuse(to_branches, SURGERY_DIVIDE, -EPERM, "branches would execute");
    if (!__builtin_cpu_supports("avx2"))
        return;
    refuse(to_address, SURGERY_DIVIDE, -EPERM, "an address at to_address+0x");
    refuse(to_places, SURGERY_DIVIDE, -EPERM, "an address at to_places+0x");
    edit_well(masked, SURGERY_DIVIDE, 1);
    refuse(mask_stays, SURGERY_GATHER, -EPERM, "a general register at mask_stays+0x");
}

/* Code that an edit broke may complain: nobody hears it. */
TEST(test_silence)
{
    int ends[2];
    char byte;
    const int before = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    refuse(complains, SURGERY_DIVIDE, -EPERM, "branches would execute");
    dup2(before, STDERR_FILENO);
    close(ends[1]);
    close(before);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

static int fill_input(void **state)
{
    for (size_t i = 0; i < INPUT_FLOATS; i++)
        input[i] = (float)(1 + i % 13) / 4;
    return 0;
}

TESTS_BETWEEN(fill_input, NULL)
TESTS_SKIPPED_IF(cannot_trace)
