/* SPDX-License-Identifier: Apache-2.0 */
#include "maxpool/maxpool.h"
#include "onednn.h"

/* The primitive of a description, from x to y. */
static dnnl_status_t from_to(struct state *state, dnnl_primitive_desc_t desc,
                             const struct simdbench_operands *operands,
                             const const_dnnl_memory_desc_t data[2])
{
    dnnl_exec_arg_t arg[] = {{DNNL_ARG_SRC, NULL}, {DNNL_ARG_DST, NULL}};
    for (int i = 0; i < 2; i++) {
        const dnnl_status_t status =
            state_memory(state, data[i], operands->operand[i]->data, &arg[i].memory);
        if (status != dnnl_success) {
            dnnl.primitive_desc_destroy(desc);
            return status;
        }
    }
    state_name(state, desc);
    return state_call(state, desc, 2, arg);
}

static dnnl_status_t softmax_make(struct state *state, int which,
                                  const struct simdbench_operands *operands)
{
    const dnnl_dims_t dims = {operands->shape->dim[0], operands->shape->dim[1]};
    const_dnnl_memory_desc_t data[2];
    const dnnl_alg_kind_t kind = (dnnl_alg_kind_t)which;
    dnnl_primitive_desc_t desc;
    TRY(state_desc(state, 2, dims, dnnl_ab, &data[0]));
    data[1] = data[0];
#if ONEDNN_API == 3
    TRY(dnnl.softmax_forward_primitive_desc_create(&desc, dnnl.engine,
                                                   dnnl_forward_inference, kind, data[0],
                                                   data[1], 1, dnnl.attr));
#else
    dnnl_softmax_v2_desc_t op;
    TRY(dnnl.softmax_v2_forward_desc_init(&op, dnnl_forward_inference, kind, data[0],
                                          data[1], 1));
    TRY(dnnl.primitive_desc_create(&desc, &op, dnnl.attr, dnnl.engine, NULL));
#endif
    return from_to(state, desc, operands, data);
}

PREPARE(softmax_prepare, state_prepare, softmax_make, dnnl_softmax_accurate)
PREPARE(log_softmax_prepare, state_prepare, softmax_make, dnnl_softmax_log)

static dnnl_status_t maxpool_make(struct state *state, int which,
                                  const struct simdbench_operands *operands)
{
    const int64_t *const dim = operands->shape->dim;
    const struct pool pool = pool_of(operands->shape);
    const dnnl_dims_t from = {dim[0], dim[1], dim[2], dim[3]},
                      to = {dim[0], dim[1], pool.rows, pool.columns},
                      strides = {pool.stride, pool.stride},
                      window = {pool.window, pool.window}, none = {0, 0};
    const_dnnl_memory_desc_t data[2];
    const dnnl_alg_kind_t kind = (dnnl_alg_kind_t)which;
    dnnl_primitive_desc_t desc;
    TRY(state_desc(state, 4, from, dnnl_nchw, &data[0]));
    TRY(state_desc(state, 4, to, dnnl_nchw, &data[1]));
#if ONEDNN_API == 3
    TRY(dnnl.pooling_forward_primitive_desc_create(
        &desc, dnnl.engine, dnnl_forward_inference, kind, data[0], data[1], strides,
        window, none, none, none, dnnl.attr));
#else
    dnnl_pooling_v2_desc_t op;
    TRY(dnnl.pooling_v2_forward_desc_init(&op, dnnl_forward_inference, kind, data[0],
                                          data[1], strides, window, none, none, none));
    TRY(dnnl.primitive_desc_create(&desc, &op, dnnl.attr, dnnl.engine, NULL));
#endif
    return from_to(state, desc, operands, data);
}

PREPARE(maxpool_prepare, state_prepare, maxpool_make, dnnl_pooling_max)
