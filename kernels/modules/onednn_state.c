/* SPDX-License-Identifier: Apache-2.0 */
#include "onednn.h"

#include <stdlib.h>

/* A description of memory is a struct in API 2 and a handle in API 3. */
static dnnl_status_t desc_make(int n, const dnnl_dims_t dims, dnnl_format_tag_t tag,
                               dnnl_memory_desc_t *desc, const_dnnl_memory_desc_t *made)
{
#if ONEDNN_API == 3
    TRY(dnnl.memory_desc_create_with_tag(desc, n, dims, dnnl_f32, tag));
    *made = *desc;
#else
    TRY(dnnl.memory_desc_init_by_tag(desc, n, dims, dnnl_f32, tag));
    *made = desc;
#endif
    return dnnl_success;
}

static void call_free(const struct call *call)
{
    dnnl.primitive_destroy(call->primitive);
    dnnl.primitive_desc_destroy(call->desc);
}

void state_release(void *opaque)
{
    struct state *state = opaque;
    for (int i = 0; i < state->calls; i++)
        call_free(&state->call[i]);
    for (int i = 0; i < state->memories; i++)
        dnnl.memory_destroy(state->memory[i]);
#if ONEDNN_API == 3
    for (int i = 0; i < state->descs; i++)
        dnnl.memory_desc_destroy(state->desc[i]);
#endif
    free(state);
}

void state_run(const struct simdbench_operands *operands, void *opaque)
{
    struct state *state = opaque;
    for (int i = 0; i < state->calls; i++)
        dnnl.primitive_execute(state->call[i].primitive, dnnl.stream, state->call[i].n,
                               state->call[i].arg);
    dnnl.stream_wait(dnnl.stream);
}

dnnl_status_t state_call_now(struct state *state)
{
    const struct call *call = &state->call[--state->calls];
    dnnl_status_t status =
        dnnl.primitive_execute(call->primitive, dnnl.stream, call->n, call->arg);
    dnnl.stream_wait(dnnl.stream);
    call_free(call);
    return status;
}

dnnl_status_t state_desc(struct state *state, int n, const dnnl_dims_t dims,
                         dnnl_format_tag_t tag, const_dnnl_memory_desc_t *desc)
{
    TRY(desc_make(n, dims, tag, &state->desc[state->descs], desc));
    state->descs++;
    return dnnl_success;
}

/* Creating memory writes zeros behind the last channel, where the op has zeros anyway. */
dnnl_status_t state_memory(struct state *state, const_dnnl_memory_desc_t desc, void *data,
                           dnnl_memory_t *memory)
{
    TRY(dnnl.memory_create(memory, desc, dnnl.engine,
                           data ? data : DNNL_MEMORY_ALLOCATE));
    state->memory[state->memories++] = *memory;
    state->bytes += data ? 0 : dnnl.memory_desc_get_size(desc);
    return dnnl_success;
}

dnnl_status_t state_call(struct state *state, dnnl_primitive_desc_t desc, int n,
                         const dnnl_exec_arg_t *arg)
{
    struct call *call = &state->call[state->calls];
    const const_dnnl_memory_desc_t scratchpad =
        dnnl.primitive_desc_query_md(desc, dnnl_query_scratchpad_md, 0);
    dnnl_status_t status = dnnl_success;
    memcpy(call->arg, arg, (size_t)n * sizeof *arg);
    call->n = n;
    call->desc = desc;
    if (dnnl.memory_desc_get_size(scratchpad) > 0) {
        call->arg[n].arg = DNNL_ARG_SCRATCHPAD;
        status = state_memory(state, scratchpad, NULL, &call->arg[call->n++].memory);
    }
    if (status == dnnl_success)
        status = dnnl.primitive_create(&call->primitive, desc);
    if (status == dnnl_success)
        state->calls++;
    else
        dnnl.primitive_desc_destroy(desc);
    return status;
}

dnnl_status_t state_reorder(struct state *state, const_dnnl_memory_desc_t from,
                            dnnl_memory_t from_memory, const_dnnl_memory_desc_t to,
                            dnnl_memory_t to_memory)
{
    dnnl_primitive_desc_t desc;
    const dnnl_exec_arg_t arg[] = {{DNNL_ARG_FROM, from_memory},
                                   {DNNL_ARG_TO, to_memory}};
    TRY(dnnl.reorder_primitive_desc_create(&desc, from, dnnl.engine, to, dnnl.engine,
                                           dnnl.attr));
    return state_call(state, desc, 2, arg);
}

void state_name(struct state *state, const_dnnl_primitive_desc_t desc)
{
    const char *name = "";
    dnnl.primitive_desc_query(desc, dnnl_query_impl_info_str, 0, (void *)&name);
    snprintf(state->implementation, sizeof state->implementation, "%s", name);
}

int state_prepare(const struct simdbench_operands *operands, state_maker *make, int which,
                  void **out, char *error, size_t error_size)
{
    struct state *const state = calloc(1, sizeof *state);
    const dnnl_status_t status =
        state ? make(state, which, operands) : dnnl_out_of_memory;
    if (status == dnnl_success) {
        *out = state;
        return 0;
    }
    if (state)
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

/* The instruction set in a name like "jit_1x1:avx512_core"; NULL if there is none. */
static const char *name_isa(const char *name)
{
    /* Code that is not generated is compiled for the oldest x86-64, nearly SSE4.1 too. */
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

void state_choice(const struct simdbench_operands *operands, const void *opaque,
                  struct simdbench_choice *choice)
{
    const struct state *state = opaque;
    choice->implementation = state->implementation;
    choice->isa = name_isa(state->implementation);
    choice->workspace_bytes = state->bytes;
    /* The other calls bring activations to where the primitive wants them, and back. */
    choice->note = state->calls > 1 ? "reorders of activations are inside" : NULL;
}
