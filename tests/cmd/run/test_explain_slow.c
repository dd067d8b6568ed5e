/* SPDX-License-Identifier: Apache-2.0 */
/* Finding slow-instruction names its form, and what else does the work; finding call
 * names what is called. */
#include "explain/explain_private.h"
#include "reports.h"
#include "unit.h"

static void assert_advice(const char *form, const char *text, const char *remedy)
{
    char name[INSPECT_FORM];
    struct inspect_loop loop = {.dearest_form = name, .dearest_each = 70.02};
    struct subject subject = {
        .trace = {.known = true, .census = {.loop = &loop, .n_loops = 1}}};
    struct run *const run = run_new();
    snprintf(name, sizeof name, "%s", form);
    struct explanation *const why = result_explanation(run_add_result(run));
    assert_non_null(explanation_add_finding(why, "latency-chain"));
    assert_non_null(explanation_add_finding(why, "slow-instruction"));
    explain_slow(&subject, why);
    assert_null(why->findings[0].remedy);
    assert_string_equal(why->findings[1].text, text);
    assert_string_equal(why->findings[1].remedy, remedy);
    run_free(run);
}

static void test_advice(void **state)
{
    assert_advice("vpcompressb m512{k}, zmm",
                  "vpcompressb m512{k}, zmm takes 70 cycles on this CPU",
                  "compress to a register and store that");
    assert_advice("vcompressps m512{k}, zmm",
                  "vcompressps m512{k}, zmm takes 70 cycles on this CPU",
                  "compress to a register and store that");
    assert_advice("vpcompressb zmm{k}, zmm",
                  "vpcompressb zmm{k}, zmm takes 70 cycles on this CPU",
                  "another form: simdbench doctor instructions 'vpcompressb'");
    assert_advice("lock xadd m64, r64", "lock xadd m64, r64 takes 70 cycles on this CPU",
                  "one atomic operation for many elements");
}

static void test_call(void **state)
{
    char name[] = "strtol";
    const struct subject subject = {.trace = {.known = true, .census.name_out = name}};
    struct run *const run = run_new();
    struct explanation *const why = result_explanation(run_add_result(run));
    /* One that a call within the module explains stays as it is. */
    assert_non_null(explanation_add_finding(why, "call"));
    assert_non_null(finding_add_evidence(&why->findings[0], "edit_call"));
    assert_non_null(explanation_add_finding(why, "call"));
    assert_non_null(finding_add_evidence(&why->findings[1], "out_share"));
    explain_slow(&subject, why);
    assert_null(why->findings[0].text);
    assert_null(why->findings[0].remedy);
    assert_string_equal(
        why->findings[1].text,
        "it calls strtol again and again, and most instructions are there");
    run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_advice),
                                       cmocka_unit_test(test_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
