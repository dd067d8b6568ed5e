/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `onednn`: oneDNN 2 (Debian: libdnnl2), f32, as baseline of ops relu, tanh, conv.
 * Option isa=NAME keeps it from using wider instructions than that.
 *
 * Primitives, their memory objects and reordered weights are made in prepare; run
 * executes. Row `direct` of conv takes operands in the layout of the shape. Row `reorder`
 * takes plain ones, lets oneDNN have what it likes best, and reorders activations in run.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <oneapi/dnnl/dnnl.h>

#include "conv/conv.h"
#include "library.h"

/* clang-format off */
#define FUNCTIONS(F) \
    F(engine_create) F(stream_create) F(stream_wait) F(version) F(set_max_cpu_isa) \
    F(get_effective_cpu_isa) F(memory_desc_init_by_tag) F(memory_desc_equal) \
    F(memory_desc_get_size) F(memory_create) F(memory_destroy) \
    F(primitive_attr_create) F(primitive_attr_set_scratchpad_mode) \
    F(primitive_desc_create) F(primitive_desc_destroy) F(primitive_desc_query) \
    F(primitive_desc_query_md) F(primitive_create) F(primitive_destroy) \
    F(primitive_execute) F(reorder_primitive_desc_create) \
    F(eltwise_forward_desc_init) F(dilated_convolution_forward_desc_init)
/* clang-format on */

static struct {
    void *handle;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr;
    void (*omp_set_num_threads)(int n); /* NULL: not built with OpenMP */
    char name[32], detail[96];
#define POINTER(name) __typeof__(dnnl_##name) *name;
    FUNCTIONS(POINTER)
#undef POINTER
} dnnl;

/* ---- states ---- */

/* A primitive with its arguments. */
struct call {
    dnnl_primitive_t primitive;
    int n;
    dnnl_exec_arg_t arg[4];
};

/* What run executes, in this order, and the memory objects that it names. */
struct state {
    struct call call[3];
    int calls;
    dnnl_memory_t memory[10];
    int memories;
    char implementation[64];
    uint64_t bytes; /* of memory that is not in operands */
};

static void state_release(void *opaque)
{
    struct state *state = opaque;
    for (int i = 0; i < state->calls; i++)
        dnnl.primitive_destroy(state->call[i].primitive);
    for (int i = 0; i < state->memories; i++)
        dnnl.memory_destroy(state->memory[i]);
    free(state);
}

static void state_run(const struct simdbench_operands *operands, void *opaque)
{
    struct state *state = opaque;
    (void)operands;
    for (int i = 0; i < state->calls; i++)
        dnnl.primitive_execute(state->call[i].primitive, dnnl.stream, state->call[i].n,
                               state->call[i].arg);
    dnnl.stream_wait(dnnl.stream);
}

/* Memory at `data`, or of its own if NULL. Creating it writes zeros behind the last
 * channel, where the op has zeros anyway. */
static dnnl_status_t add_memory(struct state *state, const dnnl_memory_desc_t *desc,
                                void *data, dnnl_memory_t *memory)
{
    dnnl_status_t status =
        dnnl.memory_create(memory, desc, dnnl.engine, data ? data : DNNL_MEMORY_ALLOCATE);
    if (status != dnnl_success)
        return status;
    state->memory[state->memories++] = *memory;
    state->bytes += data ? 0 : dnnl.memory_desc_get_size(desc);
    return dnnl_success;
}

/* Appends a call; takes the description. The scratchpad becomes the last argument. */
static dnnl_status_t add_call(struct state *state, dnnl_primitive_desc_t desc, int n,
                              const dnnl_exec_arg_t *arg)
{
    struct call *call = &state->call[state->calls];
    const dnnl_memory_desc_t *scratchpad =
        dnnl.primitive_desc_query_md(desc, dnnl_query_scratchpad_md, 0);
    dnnl_status_t status = dnnl_success;
    memcpy(call->arg, arg, (size_t)n * sizeof *arg);
    call->n = n;
    if (dnnl.memory_desc_get_size(scratchpad) > 0) {
        call->arg[n].arg = DNNL_ARG_SCRATCHPAD;
        status = add_memory(state, scratchpad, NULL, &call->arg[call->n++].memory);
    }
    if (status == dnnl_success)
        status = dnnl.primitive_create(&call->primitive, desc);
    if (status == dnnl_success)
        state->calls++;
    dnnl.primitive_desc_destroy(desc);
    return status;
}

static dnnl_status_t add_reorder(struct state *state, const dnnl_memory_desc_t *from,
                                 dnnl_memory_t from_memory, const dnnl_memory_desc_t *to,
                                 dnnl_memory_t to_memory)
{
    dnnl_primitive_desc_t desc;
    const dnnl_exec_arg_t arg[] = {{DNNL_ARG_FROM, from_memory},
                                   {DNNL_ARG_TO, to_memory}};
    dnnl_status_t status = dnnl.reorder_primitive_desc_create(&desc, from, dnnl.engine,
                                                              to, dnnl.engine, dnnl.attr);
    return status == dnnl_success ? add_call(state, desc, 2, arg) : status;
}

static void keep_name(struct state *state, dnnl_primitive_desc_t desc)
{
    const char *name = "";
    dnnl.primitive_desc_query(desc, dnnl_query_impl_info_str, 0, (void *)&name);
    snprintf(state->implementation, sizeof state->implementation, "%s", name);
}

/* 0, or what prepare returns: -ENOTSUP if oneDNN has nothing for such a shape. */
static int finish(struct state *state, dnnl_status_t status, void **out, char *error,
                  size_t error_size)
{
    if (status == dnnl_success) {
        *out = state;
        return 0;
    }
    state_release(state);
    snprintf(error, error_size, "%s: %s (status %d)", dnnl.name,
             status == dnnl_unimplemented ? "there is no implementation of this shape"
             : status == dnnl_invalid_arguments ? "it refuses this shape"
             : status == dnnl_out_of_memory     ? "out of memory"
                                                : "it failed",
             (int)status);
    return status == dnnl_unimplemented || status == dnnl_invalid_arguments ? -ENOTSUP
           : status == dnnl_out_of_memory                                   ? -ENOMEM
                                                                            : -EIO;
}

static struct state *state_new(char *error, size_t error_size)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        snprintf(error, error_size, "out of memory");
    return state;
}

/* The instruction set in a name like "jit_1x1:avx512_core"; NULL if there is none. No
 * bundle of simdbench's lies between sse2 and avx2 but "avx", see simdbench.h. */
static const char *name_isa(const char *name)
{
    static const struct {
        const char *part, *isa;
    } parts[] = {
        {"avx512", "avx512"}, {"avx2", "avx2"}, {"avx", "avx"},
        {"sse", "sse2"},      {"ref", "sse2"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(name, parts[i].part))
            return parts[i].isa;
    }
    return NULL;
}

static void state_choice(const struct simdbench_operands *operands, const void *opaque,
                         struct simdbench_choice *choice)
{
    const struct state *state = opaque;
    (void)operands;
    choice->implementation = state->implementation;
    choice->isa = name_isa(state->implementation);
    choice->workspace_bytes = state->bytes;
}

/* ---- relu, tanh ---- */

static dnnl_status_t eltwise_make(struct state *state, dnnl_alg_kind_t kind, int64_t n,
                                  void *from, void *to)
{
    const dnnl_dims_t dims = {n};
    dnnl_memory_desc_t data;
    dnnl_eltwise_desc_t op;
    dnnl_primitive_desc_t desc;
    dnnl_exec_arg_t arg[] = {{DNNL_ARG_SRC, NULL}, {DNNL_ARG_DST, NULL}};
    dnnl_status_t status = dnnl.memory_desc_init_by_tag(&data, 1, dims, dnnl_f32, dnnl_a);
    if (status == dnnl_success)
        status = add_memory(state, &data, to, &arg[1].memory);
    arg[0].memory = arg[1].memory;
    if (status == dnnl_success && from != to)
        status = add_memory(state, &data, from, &arg[0].memory);
    if (status == dnnl_success)
        status = dnnl.eltwise_forward_desc_init(&op, dnnl_forward_inference, kind, &data,
                                                0, 0);
    if (status == dnnl_success)
        status = dnnl.primitive_desc_create(&desc, &op, dnnl.attr, dnnl.engine, NULL);
    if (status != dnnl_success)
        return status;
    keep_name(state, desc);
    return add_call(state, desc, 2, arg);
}

static int eltwise_prepare(const struct simdbench_operands *operands,
                           dnnl_alg_kind_t kind, void **out, char *error,
                           size_t error_size)
{
    const struct simdbench_operand *from = operands->operand[0],
                                   *to = operands->operand[1];
    struct state *state = state_new(error, error_size);
    if (!state)
        return -ENOMEM;
    bool in_place = to->role == SIMDBENCH_INOUT;
    dnnl_status_t status = eltwise_make(state, kind, (int64_t)to->count,
                                        in_place ? to->data : from->data, to->data);
    return finish(state, status, out, error, error_size);
}

static int relu_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    return eltwise_prepare(operands, dnnl_eltwise_relu, state, error, error_size);
}

static int tanh_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    return eltwise_prepare(operands, dnnl_eltwise_tanh, state, error, error_size);
}

/* ---- conv ---- */

/* What oneDNN calls the operands as the op has them. */
struct tensors {
    dnnl_memory_desc_t x, weights, y;
};

static dnnl_status_t conv_tensors(const struct conv_shape *s, struct tensors *plain)
{
    dnnl_format_tag_t blocked = s->b == 16  ? dnnl_nChw16c
                                : s->b == 8 ? dnnl_nChw8c
                                            : dnnl_nchw;
    const dnnl_dims_t x = {s->n, s->c, s->h, s->w}, y = {s->n, s->k, s->oh, s->ow};
    const dnnl_dims_t dense = {s->k, s->c, s->r, s->s},
                      grouped = {s->g, s->kg, s->cg, s->r, s->s};
    dnnl_status_t status = dnnl.memory_desc_init_by_tag(&plain->x, 4, x, dnnl_f32,
                                                        s->x_plain ? dnnl_nchw : blocked);
    if (status == dnnl_success)
        status = dnnl.memory_desc_init_by_tag(&plain->y, 4, y, dnnl_f32, blocked);
    if (status == dnnl_success)
        status = s->g > 1 ? dnnl.memory_desc_init_by_tag(&plain->weights, 5, grouped,
                                                         dnnl_f32, dnnl_goihw)
                          : dnnl.memory_desc_init_by_tag(&plain->weights, 4, dense,
                                                         dnnl_f32, dnnl_oihw);
    return status;
}

/* Behind the last row and column that a kernel reaches there is no padding: that may make
 * it negative, where the stride leaves rows over. */
static int64_t padding_after(int64_t in, int64_t out, int64_t kernel, int64_t stride,
                             int64_t dilation, int64_t before)
{
    return (out - 1) * stride + dilation * (kernel - 1) + 1 - in - before;
}

static dnnl_status_t any_layout(const dnnl_memory_desc_t *plain, dnnl_memory_desc_t *any)
{
    return dnnl.memory_desc_init_by_tag(any, plain->ndims, plain->dims, dnnl_f32,
                                        dnnl_format_tag_any);
}

static dnnl_status_t conv_desc(const struct conv_shape *s, const struct tensors *plain,
                               bool reorder, dnnl_primitive_desc_t *desc)
{
    const dnnl_dims_t strides = {s->u, s->v}, dilates = {s->d - 1, s->d - 1},
                      before = {s->p, s->q},
                      after = {padding_after(s->h, s->oh, s->r, s->u, s->d, s->p),
                               padding_after(s->w, s->ow, s->s, s->v, s->d, s->q)};
    struct tensors wanted = *plain;
    dnnl_convolution_desc_t op;
    dnnl_status_t status = any_layout(&plain->weights, &wanted.weights);
    if (status == dnnl_success && reorder)
        status = any_layout(&plain->x, &wanted.x);
    if (status == dnnl_success && reorder)
        status = any_layout(&plain->y, &wanted.y);
    if (status == dnnl_success)
        status = dnnl.dilated_convolution_forward_desc_init(
            &op, dnnl_forward_inference, dnnl_convolution_direct, &wanted.x,
            &wanted.weights, NULL, &wanted.y, strides, dilates, before, after);
    if (status == dnnl_success)
        status = dnnl.primitive_desc_create(desc, &op, dnnl.attr, dnnl.engine, NULL);
    return status;
}

/* Where the primitive finds an operand: in place if it lies as is wanted, else elsewhere.
 */
struct place {
    const dnnl_memory_desc_t *plain, *wanted;
    dnnl_memory_t in_place, memory;
    bool elsewhere;
};

static dnnl_status_t conv_place(struct state *state, const dnnl_memory_desc_t *plain,
                                const dnnl_memory_desc_t *wanted, void *data,
                                struct place *place)
{
    *place = (struct place){.plain = plain, .wanted = wanted};
    dnnl_status_t status = add_memory(state, plain, data, &place->in_place);
    place->memory = place->in_place;
    place->elsewhere = !dnnl.memory_desc_equal(plain, wanted);
    if (status == dnnl_success && place->elsewhere)
        status = add_memory(state, wanted, NULL, &place->memory);
    return status;
}

/* A call to bring an operand to where it is wanted. */
static dnnl_status_t add_fetch(struct state *state, const struct place *place)
{
    return place->elsewhere ? add_reorder(state, place->plain, place->in_place,
                                          place->wanted, place->memory)
                            : dnnl_success;
}

/* The weights are known beforehand, so their call is made here and now. */
static dnnl_status_t fetch_now(struct state *state, const struct place *weights)
{
    const int calls = state->calls;
    dnnl_status_t status = add_fetch(state, weights);
    if (status != dnnl_success || state->calls == calls)
        return status;
    const struct call *call = &state->call[--state->calls];
    status = dnnl.primitive_execute(call->primitive, dnnl.stream, call->n, call->arg);
    dnnl.stream_wait(dnnl.stream);
    dnnl.primitive_destroy(call->primitive);
    return status;
}

/* Takes the description. */
static dnnl_status_t conv_make(struct state *state, const struct tensors *plain,
                               dnnl_primitive_desc_t desc, void *const data[3])
{
    const dnnl_memory_desc_t *const tensor[] = {&plain->x, &plain->weights, &plain->y};
    const dnnl_query_t wanted[] = {dnnl_query_src_md, dnnl_query_weights_md,
                                   dnnl_query_dst_md};
    struct place place[3];
    dnnl_status_t status = dnnl_success;
    keep_name(state, desc);
    for (int i = 0; i < 3 && status == dnnl_success; i++)
        status =
            conv_place(state, tensor[i], dnnl.primitive_desc_query_md(desc, wanted[i], 0),
                       data[i], &place[i]);
    if (status == dnnl_success)
        status = fetch_now(state, &place[1]);
    if (status == dnnl_success)
        status = add_fetch(state, &place[0]);
    if (status != dnnl_success) {
        dnnl.primitive_desc_destroy(desc);
        return status;
    }
    const dnnl_exec_arg_t arg[] = {{DNNL_ARG_SRC, place[0].memory},
                                   {DNNL_ARG_WEIGHTS, place[1].memory},
                                   {DNNL_ARG_DST, place[2].memory}};
    const dnnl_memory_desc_t y = *place[2].wanted; /* which the description owns */
    status = add_call(state, desc, 3, arg);
    if (status == dnnl_success && place[2].elsewhere)
        status =
            add_reorder(state, &y, place[2].memory, place[2].plain, place[2].in_place);
    return status;
}

static int conv_prepare(const struct simdbench_operands *operands, bool reorder,
                        void **out, char *error, size_t error_size)
{
    const struct conv_shape shape = conv_shape_of(operands->shape);
    void *const data[] = {operands->operand[0]->data, operands->operand[1]->data,
                          operands->operand[2]->data};
    struct tensors plain;
    dnnl_primitive_desc_t desc;
    struct state *state = state_new(error, error_size);
    if (!state)
        return -ENOMEM;
    dnnl_status_t status = conv_tensors(&shape, &plain);
    if (status == dnnl_success)
        status = conv_desc(&shape, &plain, reorder, &desc);
    if (status == dnnl_success)
        status = conv_make(state, &plain, desc, data);
    return finish(state, status, out, error, error_size);
}

static int direct_prepare(const struct simdbench_operands *operands, void **state,
                          char *error, size_t error_size)
{
    return conv_prepare(operands, false, state, error, error_size);
}

static int reorder_prepare(const struct simdbench_operands *operands, void **state,
                           char *error, size_t error_size)
{
    return conv_prepare(operands, true, state, error, error_size);
}

static void reorder_choice(const struct simdbench_operands *operands, const void *opaque,
                           struct simdbench_choice *choice)
{
    const struct state *state = opaque;
    state_choice(operands, opaque, choice);
    if (state->calls > 1)
        choice->note = "reorders of activations are inside";
}

/* ---- rows ---- */

#define ROW(row_op, row_variant, row_roof, ...)                     \
    static const struct simdbench_kernel row_op##_##row_variant = { \
        .size = sizeof row_op##_##row_variant,                      \
        .type = SIMDBENCH_F32,                                      \
        .op = #row_op,                                              \
        .isa = "lib",                                               \
        .variant = #row_variant,                                    \
        .roof = row_roof,                                           \
        .run = state_run,                                           \
        .release = state_release,                                   \
        __VA_ARGS__}

/* clang-format off */
ROW(relu, eltwise, "copy", .prepare = relu_prepare, .choice = state_choice);
ROW(tanh, eltwise, "fma", .prepare = tanh_prepare, .choice = state_choice);
ROW(conv, direct, "fma", .prepare = direct_prepare, .choice = state_choice);
ROW(conv, reorder, "fma", .prepare = reorder_prepare, .choice = reorder_choice,
    .layout = "nchw");
/* clang-format on */

static const struct simdbench_kernel *const kernels[] = {
    &relu_eltwise, &tanh_eltwise, &conv_direct, &conv_reorder, NULL};

/* ---- module ---- */

/* Names for option isa and what they are to oneDNN; and what it says that it uses. */
static const struct {
    const char *option, *isa, *core;
    dnnl_cpu_isa_t value;
} levels[] = {
    {"sse41", "sse2", "SSE4.1", dnnl_cpu_isa_sse41},
    {"avx", "avx", "AVX", dnnl_cpu_isa_avx},
    {"avx2", "avx2", "AVX2", dnnl_cpu_isa_avx2},
    {NULL, "avx2", "AVX2 with VNNI", dnnl_cpu_isa_avx2_vnni},
    {"avx512", "avx512", "AVX-512", dnnl_cpu_isa_avx512_core},
    {NULL, "avx512", "AVX-512 with VNNI", dnnl_cpu_isa_avx512_core_vnni},
    {NULL, "avx512", "AVX-512 with VNNI and BF16", dnnl_cpu_isa_avx512_core_bf16},
    {NULL, "avx512", "AVX-512 with AMX", dnnl_cpu_isa_avx512_core_amx},
};

enum { LEVELS = sizeof levels / sizeof *levels };

static const char *runtime_name(unsigned runtime)
{
    switch (runtime) {
    case DNNL_RUNTIME_NONE:
        return "none";
    case DNNL_RUNTIME_SEQ:
        return "sequential";
    case DNNL_RUNTIME_OMP:
        return "OpenMP";
    case DNNL_RUNTIME_TBB:
        return "TBB";
    case DNNL_RUNTIME_THREADPOOL:
        return "thread pool";
    case DNNL_RUNTIME_OCL:
        return "OpenCL";
    default:
        return "SYCL";
    }
}

static int load(char *error, size_t error_size)
{
    static const struct library library = {"libdnnl.so.2",
                                           "install oneDNN 2, e.g. package libdnnl2"};
#define SYMBOL(name) {"dnnl_" #name, &dnnl.name},
    static const struct symbol symbols[] = {FUNCTIONS(SYMBOL)};
#undef SYMBOL
    int status = library_load(&library, &dnnl.handle, symbols,
                              sizeof symbols / sizeof *symbols, error, error_size);
    if (status < 0)
        return status;
    const dnnl_version_t *version = dnnl.version();
    snprintf(dnnl.name, sizeof dnnl.name, "oneDNN %d.%d.%d", version->major,
             version->minor, version->patch);
    snprintf(dnnl.detail, sizeof dnnl.detail, "cpu: %s, gpu: %s, commit %.40s",
             runtime_name(version->cpu_runtime), runtime_name(version->gpu_runtime),
             version->hash ? version->hash : "unknown");
    if (version->cpu_runtime == DNNL_RUNTIME_OMP) {
        /* Of the OpenMP that oneDNN is linked with. */
        void *found = dlsym(dnnl.handle, "omp_set_num_threads");
        memcpy(&dnnl.omp_set_num_threads, &found, sizeof found);
    }
    return 0;
}

static int onednn_set_threads(uint32_t threads)
{
    if (threads == 0 || threads > INT_MAX)
        return -EINVAL;
    if (!dnnl.omp_set_num_threads)
        return threads == 1 ? 0 : -ENOTSUP;
    dnnl.omp_set_num_threads((int)threads);
    return 0;
}

/* It also takes what the CPU lacks, and then uses what it has. */
static int limit_isa(const char *name, char *error, size_t error_size)
{
    int found = 0;
    while (found < LEVELS &&
           (!levels[found].option || strcmp(levels[found].option, name)))
        found++;
    if (found == LEVELS) {
        snprintf(error, error_size, "isa=%s is not one of sse41, avx, avx2, avx512",
                 name);
        return -EINVAL;
    }
    if (dnnl.set_max_cpu_isa(levels[found].value) != dnnl_success) {
        snprintf(error, error_size, "%s cannot be limited to isa=%s", dnnl.name, name);
        return -EINVAL;
    }
    if (dnnl.get_effective_cpu_isa() != levels[found].value) {
        snprintf(error, error_size, "isa=%s is more than this CPU has", name);
        return -EINVAL;
    }
    return 0;
}

static int onednn_open(const struct simdbench_option *const *options, size_t n,
                       char *error, size_t error_size)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(options[i]->name, "isa") != 0) {
            snprintf(error, error_size, "there is no option '%s', only isa=NAME",
                     options[i]->name);
            return -EINVAL;
        }
    }
    int status = load(error, error_size);
    if (status == 0 && n > 0)
        status = limit_isa(options[n - 1]->value, error, error_size);
    if (status < 0)
        return status;
    onednn_set_threads(1);
    if (dnnl.engine_create(&dnnl.engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl.stream_create(&dnnl.stream, dnnl.engine, dnnl_stream_default_flags) !=
            dnnl_success ||
        dnnl.primitive_attr_create(&dnnl.attr) != dnnl_success ||
        dnnl.primitive_attr_set_scratchpad_mode(dnnl.attr, dnnl_scratchpad_mode_user) !=
            dnnl_success) {
        snprintf(error, error_size, "%s finds no CPU to run on", dnnl.name);
        return -EIO;
    }
    return 0;
}

static int onednn_describe(struct simdbench_description *description)
{
    const dnnl_cpu_isa_t isa = dnnl.get_effective_cpu_isa();
    description->version = dnnl.name;
    description->detail = dnnl.detail;
    for (size_t i = 0; i < LEVELS; i++) {
        if (levels[i].value == isa) {
            description->core = levels[i].core;
            description->isa = levels[i].isa;
        }
    }
    return 0;
}

static const struct simdbench_module module = {
    .size = sizeof module,
    .abi = SIMDBENCH_ABI,
    .name = "onednn",
    .kernels = kernels,
    .open = onednn_open,
    .describe = onednn_describe,
    .set_threads = onednn_set_threads,
};

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    (void)abi;
    return &module;
}
