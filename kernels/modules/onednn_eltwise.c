/* SPDX-License-Identifier: Apache-2.0 */
#include "onednn.h"

static dnnl_status_t eltwise_desc(dnnl_alg_kind_t kind, const_dnnl_memory_desc_t data,
                                  dnnl_primitive_desc_t *desc)
{
#if ONEDNN_API == 3
    return dnnl.eltwise_forward_primitive_desc_create(
        desc, dnnl.engine, dnnl_forward_inference, kind, data, data, 0, 0, dnnl.attr);
#else
    dnnl_eltwise_desc_t op;
    TRY(dnnl.eltwise_forward_desc_init(&op, dnnl_forward_inference, kind, data, 0, 0));
    return dnnl.primitive_desc_create(desc, &op, dnnl.attr, dnnl.engine, NULL);
#endif
}

static dnnl_status_t eltwise_make(struct state *state, int which,
                                  const struct simdbench_operands *operands)
{
    const struct simdbench_operand *from = operands->operand[0],
                                   *to = operands->operand[1];
    const dnnl_dims_t dims = {(int64_t)to->count};
    const_dnnl_memory_desc_t data;
    dnnl_primitive_desc_t desc;
    dnnl_exec_arg_t arg[] = {{DNNL_ARG_SRC, NULL}, {DNNL_ARG_DST, NULL}};
    TRY(state_desc(state, 1, dims, dnnl_a, &data));
    TRY(state_memory(state, data, to->data, &arg[1].memory));
    arg[0].memory = arg[1].memory;
    if (to->role != SIMDBENCH_INOUT && from->data != to->data)
        TRY(state_memory(state, data, from->data, &arg[0].memory));
    TRY(eltwise_desc((dnnl_alg_kind_t)which, data, &desc));
    state_name(state, desc);
    return state_call(state, desc, 2, arg);
}

PREPARE(relu_prepare, state_prepare, eltwise_make, dnnl_eltwise_relu)
PREPARE(tanh_prepare, state_prepare, eltwise_make, dnnl_eltwise_tanh)
