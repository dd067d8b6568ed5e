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

TEST(test_advice)
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

TEST(test_call)
{
    char name[] = "strtol";
    const struct subject subject = {
        .trace = {.known = true, .census = {.name_out = name, .share_out = 0.55}}};
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

/* A call names what the loop itself calls and where, but not one that an edit dropped. If
 * most instructions are in another module, it names what is called there. */
TEST(test_callee)
{
    char inner[] = "exp", outer[] = "sigmoid", source[] = "net.c:7";
    struct inspect_line line[] = {
        {.callee = inner, .executed = 18, .first = 5},
        {.callee = outer, .executed = 9, .first = 2, .source = source},
        {.callee = inner, .executed = 5, .first = 1},
        {.executed = 99}};
    struct inspect_loop loop = {.iterations = 9, .n_lines = ARRAY_LEN(line)};
    struct subject subject = {
        .trace = {.known = true, .census = {.loop = &loop, .n_loops = 1, .line = line}}};
    struct run *const run = run_new();
    struct explanation *const why = result_explanation(run_add_result(run));
    assert_non_null(explanation_add_finding(why, "call"));
    assert_non_null(explanation_add_finding(why, "call"));
    assert_non_null(finding_add_evidence(&why->findings[1], "edit_call"));
    explain_slow(&subject, why);
    assert_string_equal(
        why->findings[0].text,
        "the hot loop calls sigmoid at net.c:7, and saves registers around it");
    assert_null(why->findings[1].text);
    subject.trace.census.name_out = inner;
    subject.trace.census.share_out = 0.7;
    explain_slow(&subject, why);
    assert_non_null(strstr(why->findings[0].text, "it calls exp again and again"));
    subject.trace.census.share_out = 0.45;
    assert_non_null(finding_add_evidence(&why->findings[0], "out_share"));
    explain_slow(&subject, why);
    assert_non_null(strstr(why->findings[0].text, "and many instructions are there"));
    run_free(run);
}

/* The division that takes most, and what becomes of one of integers, not of one of x87.
 */
TEST(test_division)
{
    char root[] = "vsqrtps ymm0, ymm1", form[] = "vsqrtps ymm, ymm", div[] = "div rcx",
         divided[] = "div r64", x87[] = "fdiv m32", source[] = "gcd.c:7";
    struct inspect_line line[] = {
        {.text = root, .form = form, .executed = 9, .throughput = 6},
        {.text = div, .form = divided, .executed = 9, .throughput = 7, .source = source}};
    struct inspect_loop loop = {.n_lines = ARRAY_LEN(line)};
    const struct subject subject = {
        .trace = {.known = true, .census = {.loop = &loop, .n_loops = 1, .line = line}}};
    for (int integer = 0; integer <= 1; integer++) {
        struct run *const run = run_new();
        struct explanation *const why = result_explanation(run_add_result(run));
        assert_non_null(explanation_add_finding(why, "divider"));
        string_set(&why->findings[0].text, "they take it");
        line[0].throughput = integer ? 6 : 8;
        explain_slow(&subject, why);
        assert_string_equal(why->findings[0].text,
                            integer ? "they take it, above all div at gcd.c:7"
                                    : "they take it, above all vsqrtps");
        assert_int_equal(why->findings[0].remedy != NULL, integer);
        run_free(run);
    }
    line[1].form = x87;
    struct run *const run = run_new();
    struct explanation *const why = result_explanation(run_add_result(run));
    assert_non_null(explanation_add_finding(why, "divider"));
    string_set(&why->findings[0].text, "they take it");
    explain_slow(&subject, why);
    assert_null(why->findings[0].remedy);
    run_free(run);
}

/* Too many instructions are told from code that is too long. */
TEST(test_entering)
{
    struct inspect_loop loop = {.n_lines = 0};
    struct subject subject = {
        .trace = {.known = true, .census = {.loop = &loop, .n_loops = 1}}};
    inspect_fact_set(&subject.facts, FACT_instructions, 12.25);
    struct run *const run = run_new();
    struct explanation *const why = result_explanation(run_add_result(run));
    for (size_t i = 0; i < 2; i++)
        assert_non_null(explanation_add_finding(why, "front-end"));
    assert_non_null(finding_add_evidence(&why->findings[0], "dispatch_cycles"));
    assert_non_null(finding_add_evidence(&why->findings[1], "decode_cycles"));
    explain_slow(&subject, why);
    assert_non_null(strstr(why->findings[0].text, "12.2 in an iteration"));
    assert_non_null(why->findings[0].remedy);
    assert_null(why->findings[1].text);
    subject.trace.census.n_loops = 0;
    explain_slow(&subject, why);
    assert_non_null(strstr(why->findings[0].text, "12.2 in a call"));
    run_free(run);
}

/* A bound of ports names what shares the unit that accounts for it, each once. */
TEST(test_units)
{
    char count[] = "popcnt r64, m64", zeros[] = "tzcnt r64, r64", sum[] = "add r64, r64";
    struct inspect_line line[] = {
        {.form = count, .executed = 20, .throughput = 1, .units = INSPECT_PRODUCTS},
        {.form = sum, .executed = 10, .throughput = 0.25},
        {.form = zeros, .executed = 10, .throughput = 1, .units = INSPECT_PRODUCTS},
        {.form = count, .executed = 10, .throughput = 1, .units = INSPECT_PRODUCTS}};
    struct inspect_loop loop = {.iterations = 10, .n_lines = ARRAY_LEN(line)};
    const struct subject subject = {
        .trace = {.known = true, .census = {.loop = &loop, .n_loops = 1, .line = line}}};
    struct run *const run = run_new();
    struct explanation *const why = result_explanation(run_add_result(run));
    static const char *const causes[] = {"integer-ports", "integer-ports",
                                         "address-arithmetic", "vector-ports"};
    for (size_t i = 0; i < ARRAY_LEN(causes); i++) {
        assert_non_null(explanation_add_finding(why, causes[i]));
        assert_non_null(finding_add_evidence(&why->findings[i], "integer_cycles"));
        why->findings[i].evidence[0].value = i == 1 ? 4.5 : 4;
    }
    string_set(&why->findings[3].evidence[0].what, "shuffle_cycles");
    explain_slow(&subject, why);
    assert_string_equal(
        why->findings[0].text,
        "one unit of this core takes all of popcnt, tzcnt, one after the other");
    for (size_t i = 1; i < ARRAY_LEN(causes); i++)
        assert_null(why->findings[i].text);
    run_free(run);
}

/* A bound of vector units names the form that a core splits, if its steps are a third. */
TEST(test_steps)
{
    char product[] = "vpmullq zmm, zmm, zmm", sum[] = "vpaddq zmm, zmm, zmm";
    struct inspect_line line[] = {
        {.form = sum, .executed = 60, .throughput = 0.5, .steps = 1},
        {.form = product, .executed = 5, .throughput = 1.5, .steps = 3},
        {.form = product, .executed = 5, .throughput = 1.5, .steps = 3}};
    struct inspect_loop loop = {.iterations = 10, .n_lines = ARRAY_LEN(line), .steps = 9};
    const struct subject subject = {
        .trace = {.known = true, .census = {.loop = &loop, .n_loops = 1, .line = line}}};
    for (int much = 0; much <= 1; much++) {
        struct run *const run = run_new();
        struct explanation *const why = result_explanation(run_add_result(run));
        loop.steps = much ? 9 : 9.1;
        assert_non_null(explanation_add_finding(why, "vector-ports"));
        assert_non_null(finding_add_evidence(&why->findings[0], "vector_cycles"));
        string_set(&why->findings[0].text, "they are busy");
        explain_slow(&subject, why);
        assert_string_equal(why->findings[0].text,
                            much
                                ? "they are busy, above all vpmullq zmm, zmm, zmm, which "
                                  "takes the places of 3 instructions"
                                : "they are busy");
        assert_int_equal(why->findings[0].remedy != NULL, much);
        run_free(run);
    }
}

/* Three instructions that a newer one replaces are named where these take the time, and
 * not without the sum, nor beside a chain. */
TEST(test_newer)
{
    char bytes[] = "vpmaddubsw zmm0, zmm1, zmm2", words[] = "pmaddwd xmm0, xmm3",
         sum[] = "vpaddd zmm4, zmm4, zmm0";
    struct inspect_line line[] = {{.text = bytes, .executed = 8},
                                  {.text = words, .executed = 8},
                                  {.text = sum, .executed = 8}};
    const struct inspect_loop loop = {.iterations = 8, .n_lines = ARRAY_LEN(line)};
    static const char *const causes[] = {"at-limit", "vector-ports", "latency-chain"};
    for (size_t i = 0; i < 2 * ARRAY_LEN(causes); i++) {
        line[2].executed = i < ARRAY_LEN(causes) ? 8 : 7;
        const struct subject subject = {
            .trace = {.known = true, .census = {.straight = loop, .line = line}}};
        struct run *const run = run_new();
        struct explanation *const why = result_explanation(run_add_result(run));
        assert_non_null(explanation_add_finding(why, causes[i % ARRAY_LEN(causes)]));
        string_set(&why->findings[0].remedy, "less work");
        explain_slow(&subject, why);
        assert_int_equal(strstr(why->findings[0].remedy, "one vpdpbusd") != NULL, i < 2);
        run_free(run);
    }
}

/* Gathers are told beside loads one by one, which are advised where they are faster. */
TEST(test_gathers)
{
    struct inspect_loop loop = {.n_lines = 0};
    struct subject subject = {
        .trace = {.known = true, .census = {.loop = &loop, .n_loops = 1}}};
    for (int known = 0; known <= 2; known++) {
        struct run *const run = run_new();
        struct explanation *const why = result_explanation(run_add_result(run));
        inspect_fact_set(&subject.facts, FACT_rate_gathered_256, 1);
        inspect_fact_set(&subject.facts, FACT_gathered, 8);
        inspect_fact_set(&subject.facts, FACT_rate_picked_256, known ? known : NAN);
        assert_non_null(explanation_add_finding(why, "gathers"));
        string_set(&why->findings[0].text, "they take it");
        string_set(&why->findings[0].remedy, "whole vectors");
        explain_slow(&subject, why);
        assert_string_equal(
            why->findings[0].text,
            known == 0 ? "they take it"
            : known == 1
                ? "they take it: 1 cycles an element here, 1 if loaded one by one"
                : "they take it: 1 cycles an element here, 0.5 if loaded one by one");
        assert_string_equal(why->findings[0].remedy,
                            known == 2 ? "load elements one by one; or whole vectors"
                                       : "whole vectors");
        run_free(run);
    }
}

/* The branch that goes its rarer way most often is named by its source, or its place: one
 * of the hot loop, unless the evidence is of the whole call. */
TEST(test_branch)
{
    char jump[] = "jle 0x1010", other[] = "jnz 0x1000", source[] = "mix.c:12";
    struct inspect_line line[] = {
        {.address = 0x1000, .text = other, .executed = 100, .undecided = 1},
        {.address = 0x1010, .text = jump, .executed = 100, .undecided = 37}};
    struct inspect_loop loop = {.address = 0x1000, .iterations = 100, .n_lines = 1};
    const struct subject subject = {.trace = {.known = true,
                                              .census = {.loop = &loop,
                                                         .n_loops = 1,
                                                         .line = line,
                                                         .n_lines = ARRAY_LEN(line)}}};
    struct run *const run = run_new();
    struct explanation *const why = result_explanation(run_add_result(run));
    assert_non_null(explanation_add_finding(why, "mispredicts"));
    explain_slow(&subject, why);
    assert_non_null(strstr(why->findings[0].text, "above all jnz at byte 0 of the loop"));
    assert_non_null(finding_add_evidence(&why->findings[0], "few_shape"));
    explain_slow(&subject, why);
    assert_non_null(strstr(why->findings[0].text, "above all jle at byte 16 of the loop, "
                                                  "which goes its rarer way in 37% of"));
    line[1].source = source;
    explain_slow(&subject, why);
    assert_non_null(strstr(why->findings[0].text, "above all jle at mix.c:12, which"));
    run_free(run);
}

/* A chain names up to four instructions that take a tenth of it or more, in the order of
 * their addresses, if it is the chain that was seen: the one that the finding rests on,
 * whatever else waits in the loop. */
TEST(test_chain)
{
    char add[] = "addss xmm0, xmm1", mul[] = "mulss xmm0, xmm2",
         load[] = "mov eax, [rdi]";
    char source[] = "mix.c:12", other[] = "mix.c:13";
    struct inspect_line line[] = {
        {.address = 1,
         .text = add,
         .source = source,
         .chained = {4, 4},
         .waits_in_vain = true},
        {.address = 2, .text = mul, .source = source, .chained = {5, 5}},
        {.address = 3, .text = load, .source = other, .chained = {0.2, 9}}};
    struct inspect_loop loop = {.n_lines = ARRAY_LEN(line)};
    const struct subject subject = {
        .trace = {.known = true, .census = {.loop = &loop, .n_loops = 1, .line = line}}};
    static const char *const says[] = {"results wait: addss, mulss at mix.c:12 take 9 of "
                                       "the 9.2 cycles of the chain in a "
                                       "turn",
                                       "results wait: addss, mulss at mix.c:12, mov at "
                                       "mix.c:13 take 18 of the 18 cycles "
                                       "of the chain in a turn",
                                       "results wait"};
    static const struct {
        const char *cause;
        double chain, kept, registers, memory;
        size_t says;
    } rows[] = {{"latency-chain", 9, 9, 9.2, 9.2, 0}, {"latency-chain", 9, 9, 9.2, 18, 0},
                {"latency-chain", 18, 9, 9.2, 18, 1}, {"memory-chain", 9, 9, 9.2, 18, 1},
                {"memory-chain", 9, 9, 9.2, 40, 2},   {"memory-chain", 9, 9, 9, 12, 2}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run = run_new();
        struct explanation *const why = result_explanation(run_add_result(run));
        assert_non_null(explanation_add_finding(why, rows[i].cause));
        string_set(&why->findings[0].text, "results wait");
        loop.chain = rows[i].chain;
        loop.kept_chain = rows[i].kept;
        loop.placed_chain = i == 1 ? 4 : 6;
        loop.register_chain = rows[i].registers;
        loop.memory_chain = rows[i].memory;
        explain_slow(&subject, why);
        assert_string_equal(why->findings[0].text, says[rows[i].says]);
        const char *const remedy = why->findings[0].remedy ?: "";
        assert_int_equal(strstr(remedy, "zero the register of addss before it") != NULL,
                         rows[i].cause[0] == 'l');
        assert_int_equal(strstr(remedy, "from where the next") != NULL, i == 1 || i == 2);
        run_free(run);
    }
    line[0].text = mul;
    struct run *const run = run_new();
    struct explanation *const why = result_explanation(run_add_result(run));
    assert_non_null(explanation_add_finding(why, "memory-chain"));
    string_set(&why->findings[0].text, "results wait");
    loop.memory_chain = 18;
    explain_slow(&subject, why);
    assert_non_null(strstr(why->findings[0].text, ": 2 mulss at mix.c:12, mov at mix"));
    run_free(run);
}

/* At a limit of arithmetic, the width that computes most is named if it is a wider one:
 * by the rates of what is the limit, at that width too. Limits of divisions and of forms,
 * and rates that are not known, say nothing. */
TEST(test_width)
{
    static const struct {
        const char *says, *flag;
        double bits, multiplies, floats, integers, fmas[3], computed[3], divides, form;
    } rows[] = {
        /* Two units for FMAs of any width, three for operations of up to 256 bits. */
        {"of 512 it computes 4 times", "512", 128, 8, 8, 0, {2, 2, 2}, {3, 3, 2}, 0, 0},
        {"of 512 it computes 2.7 times", "512", 128, 0, 0, 9, {2, 2, 2}, {3, 3, 2}, 0, 0},
        {"of 512 it computes 1.3 times", "512", 256, 0, 0, 9, {2, 2, 1}, {3, 3, 2}, 0, 0},
        /* One unit for FMAs of 512 bits. */
        {"of 256 it computes 2 times", NULL, 128, 8, 8, 0, {2, 2, 1}, {3, 3, 2}, 0, 0},
        {NULL, NULL, 256, 8, 8, 0, {2, 2, 1}, {3, 3, 2}, 0, 0},
        {NULL, NULL, 512, 8, 8, 0, {2, 2, 2}, {3, 3, 2}, 0, 0},
        {NULL, NULL, 128, 8, 8, 0, {2, 2, 2}, {3, 3, 2}, 1, 0},
        {NULL, NULL, 128, 0, 0, 9, {2, 2, 2}, {3, 3, 2}, 0, 2.9},
        {NULL, NULL, 128, 8, 8, 0, {2, NAN, NAN}, {3, 3, 2}, 0, 0}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run = run_new();
        struct explanation *const why = result_explanation(run_add_result(run));
        struct subject subject = {.trace.known = true};
        struct inspect_facts *const facts = &subject.facts;
        assert_non_null(explanation_add_finding(why, "at-limit"));
        inspect_fact_set(facts, FACT_free_bits, rows[i].bits);
        inspect_fact_set(facts, FACT_multiplies, rows[i].multiplies);
        inspect_fact_set(facts, FACT_float_arithmetic, rows[i].floats);
        inspect_fact_set(facts, FACT_needed, rows[i].floats + rows[i].integers);
        inspect_fact_set(facts, FACT_divides, rows[i].divides);
        inspect_fact_set(facts, FACT_needed_form, rows[i].form);
        inspect_fact_set(facts, FACT_arithmetic_cycles,
                         rows[i].multiplies / 2 + rows[i].integers / 3);
        for (size_t k = 0; k < 3; k++) {
            inspect_fact_set(facts, FACT_rate_fmas_128 + k, rows[i].fmas[k]);
            inspect_fact_set(facts, FACT_rate_floats_128 + k, rows[i].fmas[k]);
            inspect_fact_set(facts, FACT_rate_computed_128 + k, rows[i].computed[k]);
        }
        explain_slow(&subject, why);
        const struct explained_finding *const finding = why->findings;
        if (rows[i].says)
            assert_non_null(strstr(finding->text, rows[i].says));
        else
            assert_null(finding->text);
        if (rows[i].flag)
            assert_non_null(strstr(finding->remedy, "-mprefer-vector-width=512"));
        else
            assert_true(!finding->remedy || !strstr(finding->remedy, "512"));
        run_free(run);
    }
}

/* Bounds that explain the time need no look at the loop; a residual does. */
TEST(test_explained)
{
    const double bounds[] = {99, 90};
    for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
        struct run *const run = run_new();
        run_add_result(run);
        struct subject subject = {.base = {.run = run}};
        inspect_fact_set(&subject.facts, FACT_cycles, 100);
        inspect_fact_set(&subject.facts, FACT_code_cycles, bounds[i]);
        explain_take(&subject, false);
        const struct explanation *const why = run->results[0].explanation;
        assert_int_equal(why->n_findings, 1);
        assert_string_equal(why->findings[0].cause, "unexplained");
        assert_int_equal(!why->findings[0].remedy, i == 0);
        assert_int_equal(strstr(why->findings[0].text, "nothing is left") != NULL,
                         i == 0);
        run_free(run);
    }
}
