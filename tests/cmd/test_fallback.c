/* SPDX-License-Identifier: Apache-2.0 */
/* What is planned where the CPU lacks the instruction sets that were asked for: the test
 * says which ones it has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"

/* The linker puts this in place of isa_available(). */
bool fake_available(size_t index, char *reason,
                    size_t size) __asm__("__wrap_isa_available");

static unsigned cpu_has; /* a bit for each set */

bool fake_available(size_t index, char *reason, size_t size)
{
    if (reason)
        snprintf(reason, size, "pretended");
    return cpu_has >> index & 1;
}

struct row {
    unsigned has;
    const char *op;                      /* NULL: all that have a suite */
    const char *isas;                    /* --isa */
    const char *variant, *layout, *glob; /* NULL: not given */
    const char *measured;                /* instead; NULL: nothing */
    const char *why;                     /* without ", instead" */
};

static void add(struct text_list *list, const char *words)
{
    text_list_split(list, words, ",");
}

static struct options options_of(const struct row *row, const char *isas)
{
    struct options options;
    options_init(&options);
    options.command = strdup(row->op ? row->op : "all");
    options.is_op = row->op;
    options.suite = !row->op;
    options.in_process = true;
    add(&options.isas, isas);
    add(&options.variants, row->variant);
    add(&options.layouts, row->layout);
    add(&options.filters, row->glob);
    add(&options.baselines, "none");
    add(&options.sizes, row->op && !strcmp(row->op, "gemm") ? "8" : NULL);
    return options;
}

/* What --dry-run prints of a plan of these sets, none in place of others. */
static char *plan_text(const struct row *row, const struct catalog *catalog,
                       const char *isas)
{
    struct options options = options_of(row, isas);
    struct error error = {.text = ""};
    struct plan plan;
    char *text = NULL;
    size_t size;
    options.isa_strict = true;
    if (plan_make(&options, catalog, &plan, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(plan.isas_instead.n + plan.why_instead.n, 0);
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    plan_print(&plan, file);
    fclose(file);
    plan_free(&plan);
    options_free(&options);
    return text;
}

/* Those that are there in place of others say so, the rest does not. */
static void check_notes(const struct row *row, const struct catalog *catalog,
                        const struct plan *plan, const char *why)
{
    size_t told = 0;
    for (size_t g = 0; g < plan->n_groups; g++) {
        const struct plan_group *group = &plan->groups[g];
        for (size_t i = 0; i < group->n_cases; i++) {
            const struct plan_case *entry = &group->cases[i];
            const struct offer *offer = &catalog->offers[entry->offer];
            const bool wanted = row->measured && !strcmp(offer->isa, row->measured) &&
                                !strcmp(offer->op, group->op);
            assert_int_equal(text_list_has(&entry->notes, why), wanted);
            assert_int_equal(entry->notes.n, wanted);
            told += wanted;
        }
    }
    assert_int_equal(told > 0, row->measured != NULL);
}

static void check(const struct row *row)
{
    struct options options = options_of(row, row->isas);
    struct catalog catalog;
    struct error error = {.text = ""};
    struct plan plan;
    char isas[100], why[200], *text = NULL;
    size_t size;

    cpu_has = row->has;
    catalog_make(&options, &catalog, &error);
    if (plan_make(&options, &catalog, &plan, &error) < 0)
        fail_msg("%s", error.text);
    snprintf(why, sizeof why, "%s, instead", row->why ? row->why : "");
    assert_int_equal(plan.isas_instead.n, row->measured != NULL);
    assert_int_equal(plan.why_instead.n, row->measured != NULL);
    if (row->measured) {
        assert_string_equal(plan.isas_instead.item[0], row->measured);
        assert_string_equal(plan.why_instead.item[0], why);
    }
    check_notes(row, &catalog, &plan, why);

    /* But for notes it is the plan of somebody who asked for both. */
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    plan_print(&plan, file);
    fclose(file);
    snprintf(isas, sizeof isas, "%s%s%s", row->isas, row->measured ? "," : "",
             row->measured ? row->measured : "");
    char *both = plan_text(row, &catalog, isas);
    assert_string_equal(text, both);
    free(both);
    free(text);
    free(plan_text(row, &catalog, row->isas));
    plan_free(&plan);
    catalog_free(&catalog);
    options_free(&options);
}

#if defined(__x86_64__)
enum { NEHALEM = 3, HASWELL = 7, SKYLAKE = 15 };
#define NO_AVX512 "this CPU has no AVX-512: measured "

static void test_fallback(void **state)
{
    static const struct row rows[] = {
        {HASWELL, "gemm", .isas = "avx512", .measured = "avx2",
         .why = NO_AVX512 "avx2, its widest"},
        {NEHALEM, "gemm", .isas = "avx512", .measured = "sse2",
         .why = NO_AVX512 "sse2, its widest"},
        {NEHALEM, "gemm", .isas = "avx2,avx512", .measured = "sse2",
         .why = "this CPU has no AVX2 or AVX-512: measured sse2, its widest"},
        {HASWELL, "gemm", .isas = "avx512", .variant = "fma", .measured = "avx2",
         .why = NO_AVX512 "avx2, its widest"},
        {HASWELL, "conv", .isas = "avx512", .measured = "avx2",
         .why = NO_AVX512 "avx2, its widest"},
        {HASWELL, "conv", .isas = "avx512", .layout = "nchw16c", .measured = "scalar",
         .why = NO_AVX512 "scalar, its widest with such kernels"},
        {HASWELL, "roof", .isas = "avx512", .measured = "avx2",
         .why = NO_AVX512 "avx2, its widest"},
        {HASWELL, NULL, .isas = "avx512", .measured = "avx2",
         .why = NO_AVX512 "avx2, its widest"},
        /* Narrower sets have no such kernels. */
        {NEHALEM, "gemm", .isas = "avx512", .variant = "fma"},
        {HASWELL, "gemm", .isas = "avx512", .glob = "*/avx512/*"},
        /* Something that was asked for is there. */
        {SKYLAKE, "gemm", .isas = "avx512"},
        {HASWELL, "gemm", .isas = "avx512,sse2"},
        {HASWELL, "gemm", .isas = "all"},
        {HASWELL, "gemm", .isas = "auto,avx512"},
        {NEHALEM, "gemm", .isas = "all", .variant = "fma"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}
#elif defined(__aarch64__)
static void test_fallback(void **state)
{
    static const struct row rows[] = {
        {1, "gemm", .isas = "neon", .measured = "scalar",
         .why = "this CPU has no NEON: measured scalar, its widest"},
        {3, "gemm", .isas = "neon"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fallback)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
