/* SPDX-License-Identifier: Apache-2.0 */
#include "fastest.h"

#include <time.h>

#include "numbers.h"
#include "split.h"
#include "team.h"

enum { TURNS_MIN = 3, SAMPLES_MAX = 256, PAGE = 4096 };
/* Elements that inputs repeat: to fill all of them takes longer than to measure. */
enum { PERIOD = 4096 };

struct timing {
    struct simdbench_kernel kernel;
    struct split *split; /* NULL: one thread */
    uint64_t calls;      /* calls that are timed together, as the clock is slow */
    size_t n;
    double ns[SAMPLES_MAX]; /* of a call */
};

/* This thread spins until the last part is done, and what others took of the CPU says
 * nothing of the kernel. */
static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double sample_ns(const struct timing *timing,
                        const struct simdbench_operands *operands)
{
    run_function *const run = timing->split ? split_run : timing->kernel.run;
    const double begin = cpu_ns();
    for (uint64_t i = 0; i < timing->calls; i++)
        run(operands, timing->split);
    return cpu_ns() - begin;
}

static void spell(struct timing *timing, const struct simdbench_operands *operands,
                  double least, bool keep)
{
    const double end = cpu_ns() + least;
    do {
        const double ns = sample_ns(timing, operands) / (double)timing->calls;
        if (keep && timing->n < SAMPLES_MAX)
            timing->ns[timing->n++] = ns;
    } while (cpu_ns() < end);
}

static double median(struct timing *timing)
{
    qsort(timing->ns, timing->n, sizeof *timing->ns, by_double);
    return timing->ns[timing->n / 2];
}

/* The first spell of each turn only settles the caches: a shared one takes some calls
 * until it holds what an ordinary store needs, after others went past it. */
static void take_turns(struct timing *timing, size_t n,
                       const struct simdbench_operands *operands,
                       const struct fastest_pace *pace)
{
    for (size_t i = 0; i < n; i++) {
        timing[i].calls = 1;
        while (sample_ns(&timing[i], operands) < pace->sample_ns)
            timing[i].calls *= 2;
    }
    const double end = cpu_ns() + pace->budget_ns;
    for (int turns = 0; turns < TURNS_MIN || cpu_ns() < end; turns++) {
        for (size_t i = 0; i < n; i++) {
            spell(&timing[i], operands, pace->spell_ns, false);
            spell(&timing[i], operands, pace->spell_ns, true);
        }
    }
}

/* By all threads of the case. */
static int measure(const char *op, run_function *const *run, size_t n,
                   const struct simdbench_operands *operands,
                   const struct fastest_pace *pace, double *ns)
{
    FREED_BY(free_memory) struct timing *timing = calloc(n, sizeof *timing);
    int status = timing ? 0 : -ENOMEM;
    for (size_t i = 0; i < n && status == 0; i++) {
        timing[i].kernel = (struct simdbench_kernel){
            .size = sizeof timing[i].kernel, .op = op, .run = run[i]};
        if (operands->threads > 1)
            status = split_make(&timing[i].split, &timing[i].kernel, operands, NULL, 0);
    }
    if (status == 0) {
        take_turns(timing, n, operands, pace);
        team_rest();
    }
    for (size_t i = 0; i < n && status == 0; i++)
        ns[i] = median(&timing[i]);
    for (size_t i = 0; i < n && timing; i++)
        split_free(timing[i].split);
    return status;
}

/* ---- operands to measure on ---- */

/* Values that the op has by default, and none that are zero: some machines stream lines
 * that are all zeros nearly twice as fast as others. */
static void fill(const char *op, const struct operands *operands)
{
    struct simdbench_operand few[SIMDBENCH_MAX_OPERANDS];
    struct simdbench_operands view = operands->view;
    const uint32_t n = operands->view.count;
    for (uint32_t i = 0; i < n; i++) {
        few[i] = operands->operand[i];
        memset(few[i].data, 0x3f, operand_bytes(&few[i]));
        few[i].count = few[i].count < PERIOD ? few[i].count : PERIOD;
        view.operand[i] = &few[i];
    }
    op_find(op)->fill(&view, 1, NULL);
    for (uint32_t i = 0; i < n; i++) {
        const size_t period = operand_bytes(&few[i]),
                     end = operand_bytes(&operands->operand[i]);
        char *const data = few[i].data;
        for (size_t at = period; at < end; at += period)
            memcpy(data + at, data, end - at < period ? end - at : period);
    }
}

/* The case's operands, or what they begin with, in other memory, at the same page
 * offsets, since the values of its own are nothing to prepare. NULL if there is not
 * enough memory. */
static char *workspace_make(const struct simdbench_operands *operands, uint64_t most,
                            struct operands *copy)
{
    size_t at[SIMDBENCH_MAX_OPERANDS], end = 0;
    copy->view = *operands;
    for (uint32_t i = 0; i < operands->count; i++) {
        copy->operand[i] = *operands->operand[i];
        if (most && copy->operand[i].count > most)
            copy->operand[i].count = most;
        copy->view.operand[i] = &copy->operand[i];
        at[i] = end + (uintptr_t)copy->operand[i].data % PAGE;
        end = (at[i] + operand_bytes(&copy->operand[i]) + PAGE - 1) / PAGE * PAGE;
    }
    char *const memory = aligned_alloc(PAGE, end + PAGE);
    for (uint32_t i = 0; i < operands->count && memory; i++)
        copy->operand[i].data = memory + at[i];
    return memory;
}

int fastest_measure(const char *op, run_function *const *run, size_t n,
                    const struct simdbench_operands *operands,
                    const struct fastest_pace *pace, double *ns)
{
    struct operands copy;
    FREED_BY(free_memory) char *memory =
        workspace_make(operands, pace->elements * operands->threads, &copy);
    if (!memory)
        return -ENOMEM;
    fill(op, &copy);
    return measure(op, run, n, &copy.view, pace, ns);
}

/* ---- the choice of a row ---- */

enum { ROWS_MAX = 8 };

static bool is_candidate(const struct simdbench_kernel *row,
                         const struct simdbench_op *op, const char *isa,
                         const struct simdbench_operands *operands)
{
    const double most_ulp = operands->most_ulp;
    return !strcmp(row->op, op->name) && !strcmp(row->isa, isa) &&
           row->type == operands->operand[0]->type && !row->flags && !row->prepare &&
           (!row->layout || !strcmp(row->layout, op->layout_of(operands->shape))) &&
           (most_ulp <= 0 || row->max_ulp <= most_ulp);
}

static size_t candidates(const struct simdbench_op *op, const char *isa, size_t most,
                         const struct simdbench_operands *operands,
                         const struct simdbench_kernel *row[ROWS_MAX])
{
    size_t n = 0;
    for (const struct simdbench_kernel *const *at = kernel_list();
         *at && n < most && n < ROWS_MAX; at++)
        if (is_candidate(*at, op, isa, operands))
            row[n++] = *at;
    return n;
}

/* The number of the fastest, and after it in speed of the next one. */
static size_t fastest(const double *ns, size_t n, size_t *next)
{
    size_t best = ns[1] < ns[0];
    *next = !best;
    for (size_t i = 2; i < n; i++) {
        if (ns[i] < ns[best]) {
            *next = best;
            best = i;
        } else if (ns[i] < ns[*next]) {
            *next = i;
        }
    }
    return best;
}

/* The sentence begins with the row and, where rows state it, its error. */
static void explain(struct fastest *made, double most_ulp, double times,
                    const struct simdbench_kernel *next)
{
    char *const text = made->text;
    const size_t size = sizeof made->text;
    const double ulp = made->row->max_ulp;
    int n = snprintf(text, size, "%s", made->row->variant);
    if (ulp > 0)
        n += snprintf(text + n, size - (size_t)n, ", %.4g ulp", ulp);
    if (next)
        snprintf(text + n, size - (size_t)n, ": %.2f times %s here", times,
                 next->variant);
    else if (most_ulp > 0)
        snprintf(text + n, size - (size_t)n, ": no other row is within %g ulp", most_ulp);
}

static int choose(const struct simdbench_kernel *const *row, size_t n,
                  const struct simdbench_operands *operands,
                  const struct fastest_pace *pace, struct fastest *made)
{
    run_function *run[ROWS_MAX];
    double ns[ROWS_MAX] = {1};
    size_t best = 0, next = 0;
    for (size_t i = 0; i < n; i++)
        run[i] = row[i]->run;
    const int status =
        n > 1 ? fastest_measure(row[0]->op, run, n, operands, pace, ns) : 0;
    if (status < 0)
        return status;
    if (n > 1)
        best = fastest(ns, n, &next);
    made->row = row[best];
    made->run = run[best];
    explain(made, operands->most_ulp, ns[next] / ns[best], n > 1 ? row[next] : NULL);
    return 0;
}

int fastest_choose(const char *op, const char *isa, size_t most,
                   const struct simdbench_operands *operands,
                   const struct fastest_pace *pace, void **state, char *error,
                   size_t error_size)
{
    const struct simdbench_kernel *row[ROWS_MAX];
    const size_t n = candidates(op_find(op), isa, most, operands, row);
    if (!n) {
        snprintf(error, error_size, "no row of %s is within %g ulp", isa,
                 operands->most_ulp);
        return -ENOTSUP;
    }
    struct fastest *const made = calloc(1, sizeof *made);
    if (!made || choose(row, n, operands, pace, made) < 0) {
        free(made);
        snprintf(error, error_size, "no memory to measure which kernel is faster");
        return -ENOMEM;
    }
    *state = made;
    return 0;
}

void fastest_tell(const void *state, struct simdbench_choice *choice)
{
    const struct fastest *const made = state;
    choice->implementation = made->text;
    choice->roof = made->row->roof;
}
