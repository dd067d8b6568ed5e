/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction sets of this machine and of machines that are not here; the registry. */
#include "isa_state.h"
#include "kernels.h"
#include "unit.h"

static bool has(const struct isa_state *state, const char *isa, char *reason)
{
    return isa_state_has(state, (size_t)isa_find(isa), reason, 300);
}

#if defined(__x86_64__)
/* x86-64-v4 with an operating system that saves everything. */
static const struct isa_state full = {.leaf1_ecx = 0x3ed83203 | 1u << 27,
                                      .leaf1_edx = 3u << 25,
                                      .leaf7_ebx = 1u << 3 | 1u << 5 | 1u << 8 |
                                                   1u << 16 | 1u << 17 | 1u << 28 |
                                                   1u << 30 | 1u << 31,
                                      .extended1_ecx = 1u << 0 | 1u << 5,
                                      .saved = 0xe7};

TEST(test_bits)
{
    assert_int_equal(isa_count(), 4);
    assert_int_equal(isa_get((size_t)isa_find("avx512"))->bits, 512);
    assert_int_equal(isa_find("neon"), -1);
}

TEST(test_cpu_lacks)
{
    char reason[300] = "";
    struct isa_state cpu = full;
    cpu.leaf7_ebx &= ~(1u << 16 | 1u << 17);
    assert_false(has(&cpu, "avx512", reason));
    assert_string_equal(reason, "the CPU lacks avx512f, avx512dq");
    assert_true(has(&cpu, "avx2", reason));

    cpu = full;
    cpu.leaf1_ecx &= ~(1u << 12);
    assert_false(has(&cpu, "avx2", reason));
    assert_string_equal(reason, "the CPU lacks fma");
    assert_false(has(&cpu, "avx512", reason));
    assert_true(has(&cpu, "sse2", reason));

    cpu = full;
    cpu.extended1_ecx &= ~(1u << 5);
    assert_false(has(&cpu, "avx2", reason));
    assert_string_equal(reason, "the CPU lacks lzcnt");
}

TEST(test_system_lacks)
{
    char reason[300] = "";
    struct isa_state cpu = full;
    cpu.saved = 0x7;
    assert_false(has(&cpu, "avx512", reason));
    assert_string_equal(reason,
                        "the operating system has not enabled ZMM state (XCR0 = 0x7)");
    assert_true(has(&cpu, "avx2", reason));
    cpu.saved = 0x3;
    assert_false(has(&cpu, "avx2", reason));
    assert_string_equal(reason,
                        "the operating system has not enabled YMM state (XCR0 = 0x3)");
    assert_true(has(&cpu, "sse2", reason));
}

TEST(test_nothing)
{
    char reason[300] = "";
    const struct isa_state none = {0};
    assert_true(has(&none, "scalar", reason));
    assert_false(has(&none, "sse2", reason));
    assert_string_equal(reason, "the CPU lacks sse, sse2");
    assert_false(has(&none, "avx512", reason));
    assert_non_null(strstr(reason, "avx512cd"));
}
#elif defined(__aarch64__)
static const struct isa_state full = {.hwcap = 3};

TEST(test_bits)
{
    assert_int_equal(isa_count(), 2);
    assert_int_equal(isa_get((size_t)isa_find("neon"))->bits, 128);
    assert_int_equal(isa_find("avx2"), -1);
}

TEST(test_cpu_lacks)
{
    char reason[300] = "";
    const struct isa_state none = {0}, integers = {.hwcap = 1};
    assert_true(has(&none, "scalar", reason));
    assert_false(has(&none, "neon", reason));
    assert_string_equal(reason, "the CPU lacks fp, asimd");
    assert_false(has(&integers, "neon", reason));
    assert_string_equal(reason, "the CPU lacks asimd");
}
#endif

TEST(test_names)
{
    for (size_t i = 0; i < isa_count(); i++)
        assert_int_equal(isa_find(isa_get(i)->name), i);
    assert_string_equal(isa_get(0)->name, "scalar");
    assert_int_equal(isa_find("avx3"), -1);
    assert_int_equal(isa_find("lib"), -1);
}

TEST(test_full)
{
    for (size_t i = 0; i < isa_count(); i++)
        assert_true(isa_state_has(&full, i, NULL, 0));
}

TEST(test_here)
{
    assert_true(isa_available(0, NULL, 0));
    assert_true(isa_available(isa_best(), NULL, 0));
    for (size_t i = isa_best() + 1; i < isa_count(); i++)
        assert_false(isa_available(i, NULL, 0));
#if defined(__x86_64__)
    __builtin_cpu_init();
    assert_true(isa_available((size_t)isa_find("sse2"), NULL, 0));
    assert_int_equal(isa_available((size_t)isa_find("avx2"), NULL, 0),
                     __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                         __builtin_cpu_supports("bmi2"));
    assert_int_equal(
        isa_available((size_t)isa_find("avx512"), NULL, 0),
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512cd"));
#elif defined(__aarch64__)
    assert_true(isa_available((size_t)isa_find("neon"), NULL, 0));
#endif
}

/* ---- additions ---- */

TEST(test_checked)
{
    struct error error;
    assert_int_equal(isa_check("scalar", &error), 0);
    assert_int_equal(isa_check("scaler", &error), -EINVAL);
    assert_string_equal(error.text, "'scaler': there is no instruction set 'scaler'; did "
                                    "you mean scalar?; simdbench list isas shows them");
    assert_int_equal(isa_check("vsx", &error), -EINVAL);
    assert_string_equal(error.text,
                        "vsx is an instruction set of POWER; simdbench list isas "
                        "shows those of this CPU");
    assert_true(!isa_elsewhere("neon") == (isa_find("neon") >= 0));
    assert_null(isa_elsewhere("scaler"));
    assert_int_equal(isa_check("", &error), -EINVAL);
    assert_int_equal(isa_check("scalar+", &error), -EINVAL);
    assert_int_equal(isa_find("scalar+"), -1);
    assert_false(isa_covers("scalar", "scalar+"));
    assert_false(isa_runs("scalar+", NULL, 0));
}

#if defined(__x86_64__)
TEST(test_additions)
{
    char reason[300] = "";
    struct error error;
    struct isa_state cpu = full;
    assert_int_equal(isa_check("avx512+vnni+vbmi2", &error), 0);
    assert_int_equal(isa_find("avx512+vnni+vbmi2"), isa_find("avx512"));
    assert_int_equal(isa_check("avx512+vnny", &error), -EINVAL);
    assert_non_null(strstr(error.text, "there is no addition 'vnny'; did you mean vnni"));
    assert_int_equal(isa_check("avx2+vnni", &error), -EINVAL);
    assert_string_equal(error.text, "'avx2+vnni': vnni adds to avx512, not to avx2");
    assert_int_equal(isa_find("avx512+vnni+"), -1);
    assert_true(isa_covers("avx512", "avx512+vnni"));
    assert_true(isa_covers("avx512+vbmi2+vnni", "avx512+vnni+vbmi2"));
    assert_false(isa_covers("avx512+vnni", "avx512"));
    assert_false(isa_covers("avx512+vnni", "avx512+vnni+vbmi2"));
    assert_false(isa_covers("avx2", "avx512+vnni"));

    assert_false(isa_state_runs(&cpu, "avx512+vnni+vbmi2", reason, sizeof reason));
    assert_string_equal(reason, "the CPU lacks vbmi2, vnni");
    cpu.leaf7_ecx = 1u << 11;
    assert_true(isa_state_runs(&cpu, "avx512+vnni", reason, sizeof reason));
    assert_false(isa_state_runs(&cpu, "avx512+vnni+vbmi2", reason, sizeof reason));
    assert_string_equal(reason, "the CPU lacks vbmi2");
    cpu.leaf7_ecx = 1u << 11 | 1u << 6;
    assert_true(isa_state_runs(&cpu, "avx512+vnni+vbmi2", reason, sizeof reason));
    cpu.leaf7_ebx &= ~(1u << 16);
    assert_false(isa_state_runs(&cpu, "avx512+vnni", reason, sizeof reason));
    assert_string_equal(reason, "the CPU lacks avx512f");

    /* A part of a wider bundle, which a narrower one may add. */
    cpu = (struct isa_state){.leaf1_edx = 3u << 25, .leaf1_ecx = 1u << 9 | 1u << 28};
    assert_true(isa_state_runs(&cpu, "sse2+ssse3", reason, sizeof reason));
    assert_false(isa_state_runs(&cpu, "sse2+avx", reason, sizeof reason)); /* no YMM */
    cpu.saved = 7;
    assert_true(isa_state_runs(&cpu, "sse2+avx", reason, sizeof reason));
}
#elif defined(__aarch64__)
TEST(test_additions)
{
    char reason[300] = "";
    struct isa_state cpu = full;
    assert_false(isa_state_runs(&cpu, "neon+dotprod", reason, sizeof reason));
    assert_string_equal(reason, "the CPU lacks dotprod");
    cpu.hwcap |= 1u << 20;
    assert_true(isa_state_runs(&cpu, "neon+dotprod", reason, sizeof reason));
    assert_false(isa_state_runs(&cpu, "neon+dotprod+i8mm", reason, sizeof reason));
    cpu.hwcap2 = 1u << 13;
    assert_true(isa_state_runs(&cpu, "neon+dotprod+i8mm", reason, sizeof reason));
}
#endif

/* ---- registry ---- */

TEST(test_types)
{
    assert_string_equal(type_name(SIMDBENCH_F32), "f32");
    assert_int_equal(type_find("f64"), SIMDBENCH_F64);
    assert_int_equal(type_find("f17"), 0);
    assert_null(type_name(0));
    assert_null(type_name(99));
    assert_int_equal(type_bytes(SIMDBENCH_I32), 4);
    assert_int_equal(type_bytes(SIMDBENCH_I64), 8);
    assert_int_equal(type_bytes(99), 0);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

TEST(test_rows)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    assert_non_null(op_find("roof"));
    assert_null(op_find("roo"));
    for (size_t i = 0; op_list()[i]; i++) {
        assert_int_equal(op_list()[i]->size, sizeof(struct simdbench_op));
        assert_ptr_equal(op_find(op_list()[i]->name), op_list()[i]);
    }
    assert_non_null(kernels[0]);
    for (size_t i = 0; kernels[i]; i++) {
        const struct simdbench_kernel *kernel = kernels[i];
        assert_int_equal(kernel->size, sizeof *kernel);
        assert_non_null(op_find(kernel->op));
        assert_non_null(type_name(kernel->type));
        assert_true(isa_find(kernel->isa) >= 0);
        assert_non_null(kernel->run);
        assert_true(strlen(kernel->variant) > 0);
        assert_true(!kernel->semiring || strlen(kernel->semiring) > 0);
        assert_int_equal(kernel->prepare == NULL, kernel->release == NULL);
        bool has_limit = !kernel->roof;
        for (size_t j = 0; kernels[j]; j++) {
            has_limit = has_limit || (strcmp(kernels[j]->op, "roof") == 0 &&
                                      kernels[j]->type == kernel->type &&
                                      strcmp(kernels[j]->isa, kernel->isa) == 0 &&
                                      strcmp(kernels[j]->variant, kernel->roof) == 0);
            /* A part of the work is a limit, too. */
            has_limit = has_limit || ((kernels[j]->flags & SIMDBENCH_PARTIAL) &&
                                      strcmp(kernels[j]->op, kernel->op) == 0 &&
                                      same(kernels[j]->semiring, kernel->semiring) &&
                                      kernels[j]->type == kernel->type &&
                                      strcmp(kernels[j]->isa, kernel->isa) == 0 &&
                                      strcmp(kernels[j]->variant, kernel->roof) == 0);
            assert_true(i == j || kernels[j]->type != kernel->type ||
                        strcmp(kernels[j]->op, kernel->op) != 0 ||
                        !same(kernels[j]->semiring, kernel->semiring) ||
                        strcmp(kernels[j]->isa, kernel->isa) != 0 ||
                        strcmp(kernels[j]->variant, kernel->variant) != 0);
        }
        assert_true(has_limit);
    }
}
