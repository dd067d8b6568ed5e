/* SPDX-License-Identifier: Apache-2.0 */
/* The rows `auto`: the fastest of those that are exact enough. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "tanh.h"

enum { ROWS_MAX = 8 };

/* Some 20 samples of each row in a few ms. More elements tell nothing new. */
static const struct fastest_pace pace = {
    .elements = 1 << 18, .sample_ns = 0.05e6, .spell_ns = 0.1e6, .budget_ns = 6e6};

static bool is_candidate(const struct simdbench_kernel *row, uint32_t type,
                         const char *isa, double most_ulp)
{
    return !strcmp(row->op, "tanh") && row->type == type && !strcmp(row->isa, isa) &&
           !row->flags && (most_ulp <= 0 || row->max_ulp <= most_ulp);
}

static size_t candidates(uint32_t type, const char *isa, double most_ulp,
                         const struct simdbench_kernel *row[ROWS_MAX])
{
    size_t n = 0;
    for (const struct simdbench_kernel *const *at = kernel_list(); *at && n < ROWS_MAX;
         at++)
        if (is_candidate(*at, type, isa, most_ulp))
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

static int choose(const struct simdbench_kernel *const *row, size_t n,
                  const struct simdbench_operands *operands, struct tanh_auto *made)
{
    run_function *run[ROWS_MAX];
    double ns[ROWS_MAX];
    size_t best = 0, next;
    for (size_t i = 0; i < n; i++)
        run[i] = row[i]->run;
    if (n == 1) {
        snprintf(made->text, sizeof made->text,
                 "%s, %.4g ulp: no other row is within %g ulp", row[0]->variant,
                 row[0]->max_ulp, operands->most_ulp);
    } else {
        const int status = fastest_measure("tanh", run, n, operands, &pace, ns);
        if (status < 0)
            return status;
        best = fastest(ns, n, &next);
        snprintf(made->text, sizeof made->text, "%s, %.4g ulp: %.2f times %s here",
                 row[best]->variant, row[best]->max_ulp, ns[next] / ns[best],
                 row[next]->variant);
    }
    made->run = run[best];
    return 0;
}

static int auto_prepare(const char *isa, const struct simdbench_operands *operands,
                        void **state, char *error, size_t error_size)
{
    const struct simdbench_kernel *row[ROWS_MAX];
    const size_t n = candidates(operands->operand[1]->type, isa, operands->most_ulp, row);
    if (!n) {
        snprintf(error, error_size, "no row of %s is within %g ulp", isa,
                 operands->most_ulp);
        return -ENOTSUP;
    }
    struct tanh_auto *const made = calloc(1, sizeof *made);
    if (!made || choose(row, n, operands, made) < 0) {
        free(made);
        snprintf(error, error_size, "no memory to measure which kernel is faster");
        return -ENOMEM;
    }
    *state = made;
    return 0;
}

#define AUTO(isa)                                                                     \
    int tanh_auto_##isa##_prepare(const struct simdbench_operands *operands,          \
                                  void **state, char *error, size_t error_size)       \
    {                                                                                 \
        return auto_prepare(#isa, operands, state, error, error_size);                \
    }                                                                                 \
    void tanh_auto_##isa##_release(void *state)                                       \
    {                                                                                 \
        free(state);                                                                  \
    }                                                                                 \
    void tanh_auto_##isa##_choice(const struct simdbench_operands *operands,          \
                                  const void *state, struct simdbench_choice *choice) \
    {                                                                                 \
        (void)operands;                                                               \
        const struct tanh_auto *made = state;                                         \
        choice->implementation = made->text;                                          \
    }

AUTO(scalar)
EACH_VECTOR_ISA(AUTO)
