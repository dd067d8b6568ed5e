/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes as headers have them: macros and attributes say nothing about a call. */
#include "parsed.h"

static void test_macros(void **state)
{
    static const char *const all[] = {
        "ZEXTERN int ZEXPORT f OF((const Bytef x[n], uInt n));",
        "extern int f OF((const u8 x[n], int n))",
        "int inflate_f OF((const u8 x[n], int n))",
        "LZO_EXTERN(int) f(const u8 x[n], int n)",
        "XXH_PUBLIC_API XXH_PUREFN int f(XXH_NOESCAPE const void x[n], size_t n);",
        "size_t CAPSTONE_API cs_f(const u8 x[n], int n)",
        "OPUS_EXPORT OPUS_WARN_UNUSED_RESULT int f(const u8 x[n], int n) "
        "OPUS_ARG_NONNULL(1) OPUS_ARG_NONNULL(2);",
        "extern int f (const u8 x[n], size_t n) __attribute__ ((__nothrow__ , __leaf__)) "
        "__attribute__ ((__pure__)) __attribute__ ((__nonnull__ (1, 2)));",
        "extern size_t f (const char x[n], int n) __THROW __nonnull ((1));",
        "[[nodiscard]] bool simdjson::f(const char x[n], size_t n) noexcept;",
        "extern \"C\" double std::ns::f(const u8 MY_RESTRICT x[n], size_t n) throw();",
        "__declspec(dllexport) void *f(void *MY_RESTRICT _Nonnull x[1][n], int n)",
        "static __inline__ float f(IN const float x[n], IN unsigned n) __asm__(\"g\")",
        "mi_decl_nodiscard mi_decl_restrict void* f(const u8 x[n], int n) mi_attr_malloc "
        "mi_attr_alloc_size(2) for k",
        "void f(OPENBLAS_CONST u8 x[n], OPENBLAS_CONST int n)",
        "int f(__attribute__((aligned(64))) const u8 x[n], int n)",
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        const struct declaration *d = parsed(all[i]);
        assert_int_equal(d->n, 2);
        assert_string_equal(d->argument[0].name, "x");
        assert_string_equal(d->argument[1].name, "n");
        assert_int_equal(value_at(&d->argument[0].count, (int64_t[]){5, 5}), 5);
        assert_int_equal(d->name[strlen(d->name) - 1], 'f');
    }
}

static void test_refused(void **state)
{
    static const char *const all[][2] = {
        {"__attribute__((ms_abi)) void f()", "ms_abi changes how a function is called"},
        {"void f() __attribute__((__regparm__(3)))", "changes how a function is called"},
        {"void WINAPI f()", "WINAPI changes how a function is called"},
        {"float usigned f(int n)", "expected '('"},
        {"usigned char f(int n)", "unknown type"},
        {"void (usigned char x[n], int n)", "word too many"},
        {"void (float x[n], int n) fro k", "nothing is expected behind the prototype"},
        {"int f OF((int n)", "expected ')' behind the arguments"},
    };
    struct declaration declaration;
    struct error error;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        assert_int_equal(declaration_parse(all[i][0], &declaration, &error), -EINVAL);
        if (!strstr(error.text, all[i][1]))
            fail_msg("%s: %s", all[i][0], error.text);
    }
}

int main(void)
{
    return RUN_TESTS(TEST(test_macros), TEST(test_refused));
}
