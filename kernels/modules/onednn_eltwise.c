/* SPDX-License-Identifier: Apache-2.0 */
#include "onednn.h"

#include <errno.h>

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
        status = state_memory(state, &data, to, &arg[1].memory);
    arg[0].memory = arg[1].memory;
    if (status == dnnl_success && from != to)
        status = state_memory(state, &data, from, &arg[0].memory);
    if (status == dnnl_success)
        status = dnnl.eltwise_forward_desc_init(&op, dnnl_forward_inference, kind, &data,
                                                0, 0);
    if (status == dnnl_success)
        status = dnnl.primitive_desc_create(&desc, &op, dnnl.attr, dnnl.engine, NULL);
    if (status != dnnl_success)
        return status;
    state_name(state, desc);
    return state_call(state, desc, 2, arg);
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
    return state_finish(state, status, out, error, error_size);
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

const struct simdbench_kernel relu_eltwise = {
    .size = sizeof relu_eltwise,
    .type = SIMDBENCH_F32,
    .op = "relu",
    .isa = "lib",
    .variant = "eltwise",
    .layout = "separate",
    .roof = "copy",
    .prepare = relu_prepare,
    .run = state_run,
    .release = state_release,
    .choice = state_choice,
};

const struct simdbench_kernel relu_inplace = {
    .size = sizeof relu_inplace,
    .type = SIMDBENCH_F32,
    .op = "relu",
    .isa = "lib",
    .variant = "inplace",
    .layout = "inplace",
    .roof = "update",
    .prepare = relu_prepare,
    .run = state_run,
    .release = state_release,
    .choice = state_choice,
};

const struct simdbench_kernel tanh_eltwise = {
    .size = sizeof tanh_eltwise,
    .type = SIMDBENCH_F32,
    .op = "tanh",
    .isa = "lib",
    .variant = "eltwise",
    .prepare = tanh_prepare,
    .run = state_run,
    .release = state_release,
    .choice = state_choice,
};
