/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misbehaves as the environment variable HOSTILE says: "PLACE:ACT", where row "bad" is
 * right until the place is reached ("run" is the first call, which is checked; "later"
 * the 20th; "traced" each one that somebody traces), or "table:FAULT" for what the module
 * says of itself. Row "good" is good. scripts/bench hostile expects something of each.
 */
#include "hostile_trace.h"

#include <stdbool.h>

enum { LATER = 20, LONG = 5000, MANY = 20000 };

#define TEXT "a\033[31m\r\n\xc2\x9b::error ::x ##[error]y ##vso[a.b]\n::error::c"

/* The text after "PLACE:" in HOSTILE, or NULL. */
static const char *asked(const char *place)
{
    static char how[64]; /* the environment may be gone */
    const size_t length = strlen(place);
    const char *const wanted = getenv("HOSTILE");

    if (wanted && !how[0])
        snprintf(how, sizeof how, "%s", wanted);
    return !strncmp(how, place, length) && how[length] == ':' ? how + length + 1 : NULL;
}

static void reach(const char *place)
{
    const char *const wanted = asked(place);

    for (size_t i = 0; wanted && i < sizeof acts / sizeof acts[0]; i++)
        if (!strcmp(acts[i].name, wanted))
            acts[i].act();
    for (size_t i = 0; wanted && i < sizeof trace_acts / sizeof trace_acts[0]; i++)
        if (!strcmp(trace_acts[i].name, wanted))
            trace_acts[i].act();
}

static bool spoiled(const char *fault)
{
    const char *const wanted = asked("table");
    return wanted && !strcmp(wanted, fault);
}

/* ---- places ---- */

__attribute__((constructor)) static void at_load(void)
{
    reach("load");
}

__attribute__((destructor)) static void at_exit(void)
{
    reach("exit");
}

static int hostile_open(const struct simdbench_option *const *options, size_t n,
                        char *error, size_t error_size)
{
    reach("open");
    return 0;
}

static int hostile_describe(struct simdbench_description *description)
{
    static char version[LONG + 1];
    memset(version, 'v', LONG);
    description->version = spoiled("long-version") ? version : "1";
    if (spoiled("text-library"))
        description->version = description->core = description->isa =
            description->detail = description->advice = TEXT;
    reach("describe");
    return 0;
}

static void hostile_close(void)
{
    reach("close");
}

static int hostile_prepare(const struct simdbench_operands *operands, void **state,
                           char *error, size_t error_size)
{
    now = NULL;
    reach("prepare");
    if (spoiled("prepare-fails")) {
        memset(error, '\033', error_size);
        return -EIO;
    }
    return 0;
}

static void hostile_run(const struct simdbench_operands *operands, void *state)
{
    static int calls;
    twice_run(operands, state);
    now = operands;
    if (++calls == 1)
        reach("run");
    if (calls == LATER)
        reach("later");
    if (asked("traced") && tracer())
        reach("traced");
}

static void hostile_release(void *state)
{
    reach("release");
}

/* ---- tables ---- */

static int
layout_too_many(const struct simdbench_shape *shape, uint32_t type,
                struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    twice_layout(shape, type, operand);
    return 1000;
}

static int
layout_too_large(const struct simdbench_shape *shape, uint32_t type,
                 struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int n = twice_layout(shape, type, operand);
    operand[1]->count = UINT64_MAX / 2;
    return n;
}

static int layout_wrong(const struct simdbench_shape *shape, uint32_t type,
                        struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS])
{
    const int n = twice_layout(shape, type, operand);
    operand[1]->type = operand[1]->role = 77;
    return n;
}

static int fails(const struct simdbench_operands *operands, uint64_t seed,
                 const char *input)
{
    return -EIO;
}

static int reference_fails(const struct simdbench_operands *operands,
                           const char *semiring, const uint64_t *index, uint64_t n,
                           void *value, double *slack)
{
    return -EIO;
}

static int reference_nan(const struct simdbench_operands *operands, const char *semiring,
                         const uint64_t *index, uint64_t n, void *value, double *slack)
{
    twice_reference(operands, semiring, index, n, value, slack);
    slack[0] = NAN;
    return 0;
}

static void work_nan(const struct simdbench_shape *shape, uint32_t type, double *ops,
                     double *bytes)
{
    *ops = NAN;
    *bytes = -INFINITY;
}

static void work_nothing(const struct simdbench_shape *shape, uint32_t type, double *ops,
                         double *bytes)
{
}

static void format_nothing(const struct simdbench_shape *shape, char *text,
                           size_t text_size)
{
}

static void format_control(const struct simdbench_shape *shape, char *text,
                           size_t text_size)
{
    snprintf(text, text_size, "\033[31m\n7");
}

static void choose_oddly(const struct simdbench_operands *operands, const void *state,
                         struct simdbench_choice *choice)
{
    static char note[100 * LONG];
    memset(note, 'n', sizeof note - 1);
    choice->implementation = "\033[31m\n";
    choice->isa = "\xff";
    choice->note = note;
    choice->workspace_bytes = UINT64_MAX;
}

static void choose_texts(const struct simdbench_operands *operands, const void *state,
                         struct simdbench_choice *choice)
{
    choice->implementation = choice->isa = choice->note = choice->roof = TEXT;
}

static struct simdbench_op op;
static const struct simdbench_op *const ops[] = {&op, NULL};
static const struct simdbench_kernel good = {TWICE_ROW("good", twice_run)};
static struct simdbench_kernel bad = {TWICE_ROW("bad", hostile_run),
                                      .prepare = hostile_prepare,
                                      .release = hostile_release};
static const struct simdbench_kernel *kernels[MANY + 1] = {&good, &bad};
static struct simdbench_module module = {.size = sizeof module,
                                         .abi = SIMDBENCH_ABI,
                                         .name = "hostile",
                                         .ops = ops,
                                         .kernels = kernels,
                                         .open = hostile_open,
                                         .describe = hostile_describe,
                                         .close = hostile_close};

static void spoil_table(void)
{
    static char name[LONG + 1];
    memset(name, 'x', LONG);
#define FAULT(name_, statement) \
    if (spoiled(name_)) {       \
        statement;              \
    }
    FAULT("null-name", module.name = NULL)
    FAULT("empty-name", module.name = "")
    FAULT("control-name", module.name = "\033[31m\n")
    FAULT("long-name", module.name = name)
    FAULT("null-kernels", module.kernels = NULL)
    FAULT("no-kernels", kernels[0] = NULL)
    FAULT("many-kernels", for (int i = 0; i < MANY; i++) kernels[i] = &good)
    FAULT("same-kernels", kernels[1] = &good)
    FAULT("null-ops", module.ops = NULL)
    FAULT("module-size-0", module.size = 0)
    FAULT("module-size-huge", module.size = UINT32_MAX)
    FAULT("abi-0", module.abi = 0)
    FAULT("abi-99", module.abi = 99)
    FAULT("kernel-size-0", bad.size = 0)
    FAULT("null-run", bad.run = NULL)
    FAULT("null-variant", bad.variant = NULL)
    FAULT("long-variant", bad.variant = name)
    FAULT("control-variant", bad.variant = "\033[31m\n")
    FAULT("null-op", bad.op = NULL)
    FAULT("unknown-op", bad.op = "thrice")
    FAULT("null-isa", bad.isa = NULL)
    FAULT("unknown-isa", bad.isa = "mmx")
    FAULT("unknown-type", bad.type = 99)
    FAULT("unknown-roof", bad.roof = "\033[31m")
    FAULT("unknown-layout", bad.layout = "\033[31m")
    FAULT("unknown-semiring", bad.semiring = "\033[31m")
    FAULT("text-roof", bad.roof = bad.other_roof = TEXT)
    FAULT("text-layouts", op.layouts = TEXT)
    FAULT("text-inputs", op.inputs = op.accuracy_inputs = TEXT)
    FAULT("text-op", op.summary = op.shape_help = TEXT)
    FAULT("text-shapes", op.default_shapes = TEXT)
    FAULT("text-choice", bad.choice = choose_texts)
    FAULT("all-flags", bad.flags = UINT32_MAX)
    FAULT("nan-ulp", bad.max_ulp = bad.mean_ulp = NAN)
    FAULT("odd-choice", bad.choice = choose_oddly)
    FAULT("null-parse", op.parse = NULL)
    FAULT("null-format", op.format = NULL)
    FAULT("null-layout", op.layout = NULL)
    FAULT("null-reference", op.reference = NULL)
    FAULT("null-work", op.work = NULL)
    FAULT("null-shapes", op.default_shapes = op.shape_help = NULL)
    FAULT("op-size-0", op.size = 0)
    FAULT("known-op", op.name = "gemm")
    FAULT("long-op", op.name = name)
    FAULT("layout-too-many", op.layout = layout_too_many)
    FAULT("layout-too-large", op.layout = layout_too_large)
    FAULT("layout-wrong", op.layout = layout_wrong)
    FAULT("fill-fails", op.fill = fails)
    FAULT("reference-fails", op.reference = reference_fails)
    FAULT("reference-nan", op.reference = reference_nan)
    FAULT("work-nan", op.work = work_nan)
    FAULT("work-nothing", op.work = work_nothing)
    FAULT("format-nothing", op.format = format_nothing)
    FAULT("format-control", op.format = format_control)
}

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    op = twice_op;
    spoil_table();
    return spoiled("null") ? NULL : &module;
}
