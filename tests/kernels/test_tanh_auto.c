/* SPDX-License-Identifier: Apache-2.0 */
/* Rows `auto` of tanh: what they may choose, and how the fastest is found. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fastest.h"
#include "guarded.h"
#include "tanh_vectors.h"
#include "team.h"
#include "unit.h"

enum { MOST = 1003, ASKED_MAX = 16 };

/* ---- how the fastest is found ---- */

/* The CPU time that is scripted is what calls of the functions are said to take. */
static bool scripted;
static uint64_t now_ns;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!scripted || clock != CLOCK_THREAD_CPUTIME_ID)
        return (int)syscall(SYS_clock_gettime, clock, now);
    *now = (struct timespec){(time_t)(now_ns / 1000000000), (long)(now_ns % 1000000000)};
    return 0;
}

/* One call in 97 is disturbed. */
static void takes(const struct simdbench_operands *operands, void *state, unsigned ns)
{
    static unsigned calls;
    const volatile float *x = operands->operand[0]->data;
    volatile float *y = operands->operand[1]->data;
    assert_null(state);
    for (uint64_t i = 0; i < operands->operand[0]->count; i++)
        y[i] = x[i];
    now_ns += ++calls % 97 ? ns : 100 * ns;
}

static void slow(const struct simdbench_operands *operands, void *state)
{
    takes(operands, state, 1200);
}

static void quick(const struct simdbench_operands *operands, void *state)
{
    takes(operands, state, 1000);
}

static void middle(const struct simdbench_operands *operands, void *state)
{
    takes(operands, state, 1100);
}

/* In all the time that it may take, without a look at the operands. */
TEST(test_fastest)
{
    static run_function *const run[] = {slow, quick, middle};
    static const struct fastest_pace pace = {0, 2e4, 4e4, 3e6};
    static const uint64_t sizes[] = {100, 4096, 10000};
    char *const memory =
        mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct operands v;
        double ns[3];
        const uint64_t begin = now_ns;
        vectors_bind(&v, SIMDBENCH_F32, memory + 64, memory + (1 << 19), sizes[i]);
        scripted = true;
        const int status = fastest_measure("tanh", run, 3, &v.view, &pace, ns);
        scripted = false;
        assert_int_equal(status, 0);
        assert_true((double)(now_ns - begin) >= pace.budget_ns);
        assert_near(ns[0], 1200, 1e-6);
        assert_near(ns[1], 1000, 1e-6);
        assert_near(ns[2], 1100, 1e-6);
    }
    munmap(memory, 1 << 20);
}

/* Values as the op makes them, in all of a long operand, at the offsets of the case. */
static void looks(const struct simdbench_operands *operands, void *state)
{
    const float *const x = operands->operand[0]->data;
    float *const y = operands->operand[1]->data;
    int negative = 0;
    assert_null(state);
    assert_int_equal((uintptr_t)x % PAGE, 192);
    assert_int_equal((uintptr_t)y % PAGE, 64);
    for (int i = 0; i < 3 * PAGE; i++) {
        assert_true(fabsf(x[i]) < 5 && x[i] != 0 && y[i] != 0);
        negative += x[i] < 0;
    }
    assert_in_range(negative, PAGE, 2 * PAGE);
}

TEST(test_values)
{
    static run_function *const run[] = {looks};
    static const struct fastest_pace once = {0};
    struct operands v;
    double ns;
    vectors_bind(&v, SIMDBENCH_F32, (void *)(uintptr_t)192, (void *)(uintptr_t)64,
                 3 * PAGE);
    assert_int_equal(fastest_measure("tanh", run, 1, &v.view, &once, &ns), 0);
}

static _Atomic uint64_t elements, parts;

static void counts(const struct simdbench_operands *operands, void *state)
{
    elements += operands->operand[1]->count;
    parts++;
}

/* Each of the threads has as many elements as are worth while, but for whole lines. */
TEST(test_long_operands)
{
    static run_function *const run[] = {counts};
    struct operands v;
    double ns;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        const struct fastest_pace once = {.elements = 1000};
        struct error error;
        vectors_bind(&v, SIMDBENCH_F32, NULL, NULL, 1001 * threads);
        v.view.threads = threads;
        elements = parts = 0;
        assert_int_equal(team_start(threads, NULL, 0, &error), 0);
        assert_int_equal(fastest_measure("tanh", run, 1, &v.view, &once, &ns), 0);
        assert_int_equal(parts % threads, 0);
        assert_int_equal(elements, 1000 * parts);
    }
    team_stop();
}

/* ---- what they may choose ---- */

static bool may_choose(const struct simdbench_kernel *automatic,
                       const struct simdbench_kernel *row, double most_ulp)
{
    return runs_here(row, "tanh") && row->type == automatic->type &&
           !strcmp(row->isa, automatic->isa) && !row->flags &&
           (most_ulp <= 0 || row->max_ulp <= most_ulp);
}

static size_t choices(const struct simdbench_kernel *automatic, double most_ulp)
{
    size_t n = 0;
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++)
        n += may_choose(automatic, *at, most_ulp);
    return n;
}

/* The row that a choice names. */
static const struct simdbench_kernel *chosen(const struct simdbench_kernel *automatic,
                                             const char *text)
{
    const size_t length = strcspn(text, ",");
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++)
        if (may_choose(automatic, *at, 0) && strlen((*at)->variant) == length &&
            !memcmp((*at)->variant, text, length))
            return *at;
    fail_msg("'%s' names no row of %s", text, automatic->isa);
    return NULL;
}

/* Runs the row that it names, which is exact enough. */
static void check_choice(const struct simdbench_kernel *automatic, double most_ulp,
                         uint64_t n)
{
    double x[MOST], expected[MOST], y[MOST];
    char error[100] = "", ulp[40];
    struct simdbench_choice choice = {.size = sizeof choice};
    struct operands v;
    void *made = NULL;

    vectors_bind(&v, automatic->type, x, expected, n);
    v.view.most_ulp = most_ulp;
    assert_int_equal(op_find("tanh")->fill(&v.view, 3, NULL), 0);
    assert_int_equal(automatic->prepare(&v.view, &made, error, sizeof error), 0);
    automatic->choice(&v.view, made, &choice);
    const struct simdbench_kernel *const row = chosen(automatic, choice.implementation);
    assert_true(may_choose(automatic, row, most_ulp));
    snprintf(ulp, sizeof ulp, "%s, %.4g ulp: ", row->variant, row->max_ulp);
    assert_memory_equal(choice.implementation, ulp, strlen(ulp));
    assert_int_equal(strstr(choice.implementation, " times ") != NULL,
                     choices(automatic, most_ulp) > 1);
    row->run(&v.view, NULL);
    v.operand[1].data = y;
    automatic->run(&v.view, made);
    assert_memory_equal(y, expected, n * type_bytes(automatic->type));
    automatic->release(made);
}

/* Errors that are asked for: of each row, more than that, a bit less, and 1. */
static size_t asked_errors(const struct simdbench_kernel *automatic,
                           double asked[ASKED_MAX])
{
    size_t n = 0;
    asked[n++] = 0;
    asked[n++] = 1;
    asked[n++] = 4;
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++)
        if (may_choose(automatic, *at, 0)) {
            assert_true(n + 2 <= ASKED_MAX);
            asked[n++] = (*at)->max_ulp;
            asked[n++] = (*at)->max_ulp - 0.001;
        }
    return n;
}

static void check_auto(const struct simdbench_kernel *automatic)
{
    double asked[ASKED_MAX];
    const size_t n = asked_errors(automatic, asked);
    for (size_t i = 0; i < n; i++) {
        char error[100] = "";
        struct operands v;
        void *made = NULL;
        if (choices(automatic, asked[i])) {
            check_choice(automatic, asked[i], i % 2 ? 8 : MOST);
            continue;
        }
        vectors_bind(&v, automatic->type, NULL, NULL, 8);
        v.view.most_ulp = asked[i];
        assert_int_equal(automatic->prepare(&v.view, &made, error, sizeof error),
                         -ENOTSUP);
        assert_non_null(strstr(error, automatic->isa));
        assert_non_null(strstr(error, " ulp"));
    }
}

/* One for each type on each set, that states what its worst row does. */
TEST(test_auto)
{
    size_t rows = 0, isas = 0;
    for (size_t i = 0; i < isa_count(); i++)
        isas += isa_get(i)->built && isa_available(i, NULL, 0);
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++) {
        double max = 0, mean = 0;
        if (!runs_here(*at, "tanh") || strcmp((*at)->variant, "auto") != 0)
            continue;
        for (const struct simdbench_kernel *const *row = kernel_list(); *row; row++)
            if (may_choose(*at, *row, 0)) {
                max = fmax(max, (*row)->max_ulp);
                mean = fmax(mean, (*row)->mean_ulp);
            }
        assert_near((*at)->max_ulp, max, 0);
        assert_near((*at)->mean_ulp, mean, 0);
        assert_int_equal((*at)->flags, SIMDBENCH_ADAPTS);
        assert_true(choices(*at, 0) > 1);
        check_auto(*at);
        rows++;
    }
    assert_int_equal(rows, 2 * isas);
}

/* No element: nothing to measure, but some row. */
TEST(test_empty)
{
    for (const struct simdbench_kernel *const *at = kernel_list(); *at; at++)
        if (runs_here(*at, "tanh") && !strcmp((*at)->variant, "auto"))
            check_choice(*at, 0, 0);
}
