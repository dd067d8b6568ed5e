/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on clocks that were made up. */
#include "judge/judge.h"
#include "unit.h"

enum { ROUNDS = 20, CLASSES = 4, LEVELS = 3 };

static const struct {
    const char *name;
    int bits;
} payloads[] = {{"scalar", 0}, {"128 light", 128}, {"512 heavy", 512}, {"scalar", 0}};

/* A machine that runs at 3 GHz, its classes at these shares of it. `noise` swings each
 * class on its own. */
struct machine {
    double narrow, wide, noise;
    size_t rounds;       /* 0: ROUNDS */
    const char *no_wide; /* why that class was skipped */
    bool lacking;        /* as the CPU cannot */
};

#define MACHINE(narrow, wide, noise) \
    ((struct machine){narrow, wide, noise, 0, NULL, false})

/* Shares of the licences on one core, of each class; NULL: not counted. */
static const double (*licences)[LEVELS];

struct made {
    double level[CLASSES][LEVELS][ROUNDS];
    struct license_scope scope[LICENSE_SCOPES];
    double ghz[LICENSE_SCOPES][CLASSES][ROUNDS];
};

/* Even over -1 to 1. */
static double next_uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static void make_scope(struct made *made, size_t which, const struct machine *machine)
{
    struct license_scope *const scope = &made->scope[which];
    const double share[CLASSES] = {1, machine->narrow, machine->wide, 1};
    uint64_t random = which + 1;
    scope->name = which ? "all cores" : "one core";
    scope->n_classes = CLASSES;
    scope->rounds = machine->rounds ? machine->rounds : ROUNDS;
    for (size_t i = 0; i < CLASSES; i++) {
        scope->class[i].name = payloads[i].name;
        scope->class[i].bits = payloads[i].bits;
        scope->class[i].control = i == CLASSES - 1;
        scope->class[i].ghz = made->ghz[which][i];
    }
    if (machine->no_wide)
        snprintf(scope->class[2].skip, sizeof scope->class[2].skip, "%s",
                 machine->no_wide);
    scope->class[2].lacking = machine->lacking;
    for (size_t i = 0; i < CLASSES && licences && which == 0; i++)
        for (size_t k = 0; k < LEVELS; k++) {
            scope->class[i].level[k] = made->level[i][k];
            for (size_t round = 0; round < ROUNDS; round++)
                made->level[i][k][round] = licences[i][k];
        }
    /* The clock of the machine itself wanders by 5%: rounds are paired. */
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < CLASSES; i++)
            made->ghz[which][i][round] = 3 * (1 - 0.0025 * (double)round) * share[i] *
                                         (1 + machine->noise * next_uniform(&random));
    license_summarise(scope);
}

/* The second scope is left out where there is no second machine. */
static struct license_verdict judge(const struct machine *one, const struct machine *all)
{
    struct made *const made = calloc(1, sizeof *made);
    struct license_verdict verdict;
    assert_non_null(made);
    make_scope(made, 0, one);
    if (all)
        make_scope(made, 1, all);
    else
        strcpy(made->scope[1].skip, "there is one core only");
    license_judge(made->scope, LICENSE_SCOPES, &verdict);
    free(made);
    return verdict;
}

static void expect(const struct machine *one, const struct machine *all,
                   enum license_cost cost, const char *word)
{
    const struct license_verdict verdict = judge(one, all);
    if (verdict.cost != cost || !strstr(verdict.reason, word))
        fail_msg("%s (%s), expected %s (...%s...)", license_cost_name(verdict.cost),
                 verdict.reason, license_cost_name(cost), word);
}

static const struct machine equal = {.narrow = 1, .wide = 1, .noise = 0.001};

TEST(test_none)
{
    expect(&equal, NULL, LICENSE_NONE, "512 bit");
    expect(&equal, &equal, LICENSE_NONE, "512 bit");
    /* A loss of 0.5% is none, and so is a gain. */
    expect(&MACHINE(1, 0.995, 0.001), NULL, LICENSE_NONE, "99%");
    expect(&MACHINE(1, 1.02, 0.001), NULL, LICENSE_NONE, "");
    expect(&(struct machine){1, 0.5, 0.001, 0, "the CPU lacks it", true}, NULL,
           LICENSE_NONE, "128 bit");
}

TEST(test_light)
{
    const struct machine light = MACHINE(1, 0.95, 0.001);
    expect(&light, NULL, LICENSE_LIGHT, "512 heavy on one core runs at 95.0%");
    expect(&equal, &light, LICENSE_LIGHT, "all cores");
    expect(&MACHINE(1, 0.985, 0.001), NULL, LICENSE_LIGHT, "98.5%");
    expect(&MACHINE(0.97, 1, 0.001), NULL, LICENSE_LIGHT, "128 light");
}

TEST(test_heavy)
{
    const struct machine light = MACHINE(1, 0.95, 0.001);
    const struct machine heavy = MACHINE(0.97, 0.75, 0.001);
    expect(&heavy, NULL, LICENSE_HEAVY, "512 heavy on one core runs at 75.0%");
    expect(&light, &heavy, LICENSE_HEAVY, "all cores");
    expect(&heavy, &light, LICENSE_HEAVY, "one core");
    /* The larger of two losses is told. */
    expect(&heavy, &MACHINE(1, 0.70, 0.001), LICENSE_HEAVY, "70.0%");
}

TEST(test_unknown)
{
    const struct machine few = {1, 1, 0.001, 5, NULL, false};
    const struct machine noisy = MACHINE(1, 1, 0.2);
    expect(&few, NULL, LICENSE_UNKNOWN, "too few rounds");
    expect(&equal, &few, LICENSE_UNKNOWN, "all cores");
    expect(&noisy, NULL, LICENSE_UNKNOWN, "scalar work differs from itself");
    /* Right at the threshold, and a loss below what the control deviates by. */
    expect(&MACHINE(1, 0.99, 0.004), NULL, LICENSE_UNKNOWN, "no loss");
    expect(&MACHINE(1, 0.97, 0.2), NULL, LICENSE_UNKNOWN, "differs");
    /* It could run, but the clock under it is not known. */
    expect(&(struct machine){1, 1, 0.001, 0, "other programs", false}, NULL,
           LICENSE_UNKNOWN, "512 heavy on one core: other programs");
    /* A loss that is larger than all noise is one. */
    expect(&MACHINE(1, 0.5, 0.1), NULL, LICENSE_HEAVY, "512 heavy");
    expect(&few, &MACHINE(1, 0.8, 0.001), LICENSE_HEAVY, "80.0%");
}

/* The clock is noisy, or its class has none: a licence tells, one of scalar work does
 * not. */
TEST(test_counters_tell)
{
    static const double heavy[][LEVELS] = {
        {1, 0, 0}, {0.9, 0.1, 0}, {0.1, 0.1, 0.8}, {1, 0, 0}};
    static const double light[][LEVELS] = {
        {1, 0, 0}, {1, 0, 0}, {0.2, 0.5, 0.3}, {1, 0, 0}};
    static const double none[][LEVELS] = {
        {1, 0, 0}, {1, 0, 0}, {0.7, 0.2, 0.1}, {1, 0, 0}};
    static const double shared[][LEVELS] = {
        {0.1, 0, 0.9}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    static const double lost[][LEVELS] = {
        {1, 0, 0}, {1, 0, 0}, {NAN, NAN, NAN}, {1, 0, 0}};
    const struct machine noisy = MACHINE(1, 1, 0.2);
    const struct machine untimed = {1, 1, 0.001, 0, "even half the work", false};
    const struct machine doubt = MACHINE(1, 0.99, 0.004);
    const struct machine few = {1, 1, 0.001, 5, NULL, false};
    licences = heavy;
    expect(&noisy, NULL, LICENSE_HEAVY, "512 heavy on one core has licence 2");
    expect(&noisy, NULL, LICENSE_HEAVY,
           "the clock does not tell: on one core scalar work");
    expect(&untimed, NULL, LICENSE_HEAVY,
           "does not tell: 512 heavy on one core: even half");
    /* The clock excludes a heavy loss. */
    expect(&doubt, NULL, LICENSE_LIGHT, "has licence 2");
    expect(&few, NULL, LICENSE_UNKNOWN, "too few rounds");
    licences = light;
    expect(&noisy, NULL, LICENSE_LIGHT, "has licence 1");
    expect(&untimed, NULL, LICENSE_LIGHT, "has licence 1");
    licences = none;
    expect(&noisy, NULL, LICENSE_UNKNOWN, "differs");
    expect(&untimed, NULL, LICENSE_UNKNOWN, "even half");
    licences = shared;
    expect(&noisy, NULL, LICENSE_UNKNOWN, "differs");
    licences = lost;
    expect(&untimed, NULL, LICENSE_UNKNOWN, "even half");
    licences = NULL;
}

/* Both tell: the clock decides, a loss of its own comes before one of a licence alone. */
TEST(test_counters_beside)
{
    static const double heavy[][LEVELS] = {
        {1, 0, 0}, {1, 0, 0}, {0, 0.1, 0.9}, {1, 0, 0}};
    static const double none[][LEVELS] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    static const double shared[][LEVELS] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    const struct machine light = MACHINE(1, 0.95, 0.001);
    const struct machine much = MACHINE(1, 0.7, 0.001);
    const struct machine noisy = MACHINE(1, 1, 0.2);
    licences = heavy;
    expect(&equal, NULL, LICENSE_NONE, "contradict: 512 heavy has licence 2, though it");
    expect(&light, NULL, LICENSE_LIGHT, "95.0% of the scalar clock");
    assert_null(strstr(judge(&light, NULL).reason, "contradict"));
    assert_false(judge(&light, NULL).by_counters);
    assert_true(judge(&noisy, NULL).by_counters);
    expect(&noisy, &much, LICENSE_HEAVY, "512 heavy on all cores runs at 70.0%");
    expect(&noisy, &light, LICENSE_HEAVY, "has licence 2");
    licences = none;
    assert_null(strstr(judge(&equal, NULL).reason, "contradict"));
    expect(&much, NULL, LICENSE_HEAVY,
           "70.0% of the scalar clock; the licence counters "
           "contradict: it has none");
    assert_null(strstr(judge(&equal, &much).reason, "contradict"));
    licences = shared;
    assert_null(strstr(judge(&equal, NULL).reason, "contradict"));
    licences = NULL;
}

TEST(test_nothing)
{
    struct license_scope *const scopes = calloc(LICENSE_SCOPES, sizeof *scopes);
    struct license_verdict verdict;
    assert_non_null(scopes);
    license_judge(scopes, LICENSE_SCOPES, &verdict);
    assert_int_equal(verdict.cost, LICENSE_UNKNOWN);
    assert_string_equal(verdict.reason, "nothing could be measured");
    free(scopes);
}

TEST(test_wins_from)
{
    struct license_net net = {.n_points = 4};
    for (size_t i = 0; i < 4; i++)
        net.point[i].ci = (struct interval){true, 1.1, 1.2, 0.95};
    assert_int_equal(license_wins_from(&net), 0);
    net.point[1].ci = (struct interval){true, 0.8, 0.9, 0.95};
    assert_int_equal(license_wins_from(&net), 2);
    net.point[2].ci = (struct interval){true, 0.995, 1.1, 0.95};
    assert_int_equal(license_wins_from(&net), 2);
    net.point[2].ci = (struct interval){true, 0.9, 1.1, 0.95}; /* nobody knows */
    assert_int_equal(license_wins_from(&net), 3);
    net.point[3].ci.known = false;
    assert_int_equal(license_wins_from(&net), 4);
}

/* The answer: the verdict in words, sizes, and what to type if nobody knows. */
static void expect_answer(enum license_cost cost, const char *shapes,
                          const char *const *expected, size_t n)
{
    struct license *const license = calloc(1, sizeof *license);
    char small[] = "8", large[] = "64";
    assert_non_null(license);
    license->verdict.cost = cost;
    strcpy(license->verdict.reason, "this is why");
    license->n_nets = shapes ? 1 : 0;
    license->net[0] = (struct license_net){.op = "gemm", .n_points = 2};
    for (size_t i = 0; shapes && i < 2; i++)
        license->net[0].point[i] =
            (struct license_point){.shape = i ? large : small,
                                   .speedup = shapes[i] == '+' ? 1.5 : 0.5,
                                   .ci = {.known = true,
                                          .lo = shapes[i] == '+' ? 1.4 : 0.4,
                                          .hi = shapes[i] == '+' ? 1.6 : 0.6}};
    struct answer answer = license_answer(license);
    assert_int_equal(answer.n, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(answer.line[i], expected[i]);
    answer_free(&answer);
    free(license);
}

TEST(test_answer)
{
#define NOT_SLOWER "With that clock avx512 is not slower than narrower sets: gemm "
    static const char none[] = "Wide SIMD costs no clock on this machine: this is why";
    expect_answer(LICENSE_NONE, NULL, LIST(const char *, none));
    expect_answer(LICENSE_NONE, "++", LIST(const char *, none, NOT_SLOWER "at any size"));
    expect_answer(LICENSE_NONE, "-+", LIST(const char *, none, NOT_SLOWER "from 64 on"));
    expect_answer(LICENSE_NONE, "--",
                  LIST(const char *, none, NOT_SLOWER "at no size for certain"));
    expect_answer(LICENSE_UNKNOWN, NULL,
                  LIST(const char *,
                       "It is not known whether wide SIMD costs clock on this machine: "
                       "this is why",
                       "More rounds on a quieter machine may tell: scripts/quiet.sh "
                       "simdbench license --rounds=100"));
}
