/* SPDX-License-Identifier: Apache-2.0 */
/* Module `study`: its rows are what their names say. test_baselines checks that they are
 * right. */
#include <malloc.h>
#include <sys/prctl.h>

#include "effort.h"
#include "kernels.h"
#include "library_child.h"
#include "page_faults.h"
#include "unit.h"

enum { FAIL = 1, PAGE = 4096, CALLS = 4 };

#if defined(__x86_64__)
#define ISA "sse2"
#else
#define ISA "neon"
#endif

static bool is_built(void)
{
    return isa_get((size_t)isa_find(ISA))->built;
}

static int study_load(struct module *module)
{
    char path[4096];
    struct error error = {.text = ""};
    /* Pages of 2 MiB would be fewer, and MALLOC_PERTURB_ writes to blocks. */
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    (void)mallopt(M_PERTURB, 0);
    return module_find("study", path, sizeof path, &error) < 0
               ? -ENOENT
               : module_load(module, path, NULL, 0, &error);
}

static const struct simdbench_kernel *row_find(const struct module *module,
                                               const char *op, const char *variant)
{
    const struct simdbench_kernel *const *row = module->table->kernels;
    while (*row && (strcmp((*row)->op, op) != 0 || strcmp((*row)->isa, ISA) != 0 ||
                    strcmp((*row)->variant, variant) != 0))
        row++;
    return *row;
}

/* Page faults of a call that follows another one, or -1; *kept: the heap does not follow
 * glibc's rules. */
static double faults_of(const struct simdbench_kernel *row, const char *size, bool *kept)
{
    const struct simdbench_op *const op = op_find(row->op);
    struct simdbench_choice choice = {.size = sizeof choice};
    struct simdbench_shape shape;
    struct operands_map map;
    struct operands operands;
    char error[200];
    void *state = NULL;
    if (op->parse(size, &shape, error, sizeof error) < 0 ||
        operands_place(op, &shape, row->type, 64, 7, &map, NULL) < 0)
        return -1;
    void *const memory = aligned_alloc(PAGE, (map.bytes + PAGE - 1) / PAGE * PAGE);
    operands_bind(&operands, &map, &shape, 1, memory);
    if (op->fill(&operands.view, 11, NULL) < 0 ||
        (row->prepare && row->prepare(&operands.view, &state, error, sizeof error) < 0))
        return -1;
    row->run(&operands.view, state);
    const long before = page_faults();
    for (int call = 0; call < CALLS; call++)
        row->run(&operands.view, state);
    const long after = page_faults();
    if (row->choice)
        row->choice(&operands.view, state, &choice);
    *kept = choice.implementation && strstr(choice.implementation, "kept");
    if (row->release)
        row->release(state);
    free(memory);
    return (double)(after - before) / CALLS;
}

/* ---- what children do ---- */

struct expected {
    const char *op, *variant, *size;
    double least, most; /* page faults of a call */
};

static int faults_as_told(const char *history)
{
    const struct expected rows[] = {
        {"relu", "alloc_twice", "1000", 0, 10},
        {"relu", "autovec", "1000000", 0, 10},
        {"relu", "alloc_pool", "1000000", 0, 10},
        {"relu", "alloc_twice", "100000", 0, 10},
        {"relu", "alloc_twice", "1000000", 1850, 2000},
        {"relu", "alloc_twice", "100000", 0, 10},
        {"relu", "alloc_mmap", "100000", 190, 200},
        {"relu", "alloc_mmap", "1000000", 1950, 1960},
        {"gemm", "ladder_good", "64", 0, 10},
        {"gemm", "ladder_alloc", "64", 200, 260},
        {"gemm", "ladder_alloc_warm", "64", 0, 10},
        {"gemm", "ladder_alloc", "64", 200, 260},
        {"gemm", "ladder_calloc", "64", 1, 60},
        {"gemm", "ladder_bad_but_alloc", "64", 0, 10},
    };
    struct module module;
    /* Emulators, valgrind and sanitizers have pages of their own. */
    if (effort_divisor() > 1 || !is_built())
        return SKIP;
    if (study_load(&module) < 0)
        return FAIL;
    /* Whatever was freed before. */
    void *block = malloc((size_t)atoi(history) << 20);
    memset(block, 1, (size_t)atoi(history) << 20);
    free(block);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct simdbench_kernel *const row =
            row_find(&module, rows[i].op, rows[i].variant);
        bool kept = false;
        const double found = row ? faults_of(row, rows[i].size, &kept) : -1;
        /* Sanitizers have a malloc of their own. */
        if (found >= 0 && kept && strcmp(rows[i].variant, "alloc_twice") == 0)
            return SKIP;
        if (found < rows[i].least || found > rows[i].most) {
            fprintf(stderr, "%s %s@%s: %g page faults, not %g to %g\n", rows[i].op,
                    rows[i].variant, rows[i].size, found, rows[i].least, rows[i].most);
            return FAIL;
        }
    }
    return 0;
}

/* A process that was told to keep its heap: no row undoes that. */
static int heap_stays_kept(const char *size)
{
    struct module module;
    bool kept = false;
    /* Sanitizers have a malloc of their own. */
    if (mallinfo2().arena == 0 || !is_built())
        return SKIP;
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    if (study_load(&module) < 0)
        return FAIL;
    const double found = faults_of(row_find(&module, "relu", "alloc_twice"), size, &kept);
    return kept && found >= 0 && found < 1 ? 0 : FAIL;
}

/* Spoilt rows are left out of runs that do not ask for them; their sound twins are not.
 */
static int flags_as_told(const char *unused)
{
    static const char *const sound[] = {"autovec", "unroll64", "tiled", "ladder_good",
                                        "packed",  "loop",     "lanes", "libm",
                                        "blocks",  "fused"};
    struct module module;
    if (study_load(&module) < 0)
        return FAIL;
    size_t wrong = 0;
    for (size_t i = 0; module.table->kernels[i]; i++) {
        const struct simdbench_kernel *const row = module.table->kernels[i];
        bool listed = false;
        for (size_t k = 0; k < ARRAY_LEN(sound); k++)
            listed |= strcmp(row->variant, sound[k]) == 0;
        wrong += listed == (bool)(row->flags & SIMDBENCH_PATHOLOGY);
    }
    module_unload(&module);
    return wrong ? FAIL : 0;
}

int main(void)
{
    return RUN_CHILDREN(CHILD(faults_as_told, "1"), CHILD(faults_as_told, "20"),
                        CHILD(heap_stays_kept, "1000000"), CHILD(flags_as_told, "rows"));
}
