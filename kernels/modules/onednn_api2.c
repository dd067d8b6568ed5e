/* SPDX-License-Identifier: Apache-2.0 */
/* API 2: descriptions of memory are structs, those of primitives are made from one of the
 * operation. */
#include "onednn.h"

dnnl_status_t desc_make(int n, const dnnl_dims_t dims, dnnl_format_tag_t tag,
                        dnnl_memory_desc_t *desc)
{
    return dnnl.memory_desc_init_by_tag(desc, n, dims, dnnl_f32, tag);
}

const_dnnl_memory_desc_t desc_of(const dnnl_memory_desc_t *desc)
{
    return desc;
}

void desc_free(dnnl_memory_desc_t *desc)
{
    (void)desc; /* nothing of it is elsewhere */
}

dnnl_status_t eltwise_desc(dnnl_alg_kind_t kind, const_dnnl_memory_desc_t data,
                           dnnl_primitive_desc_t *desc)
{
    dnnl_eltwise_desc_t op;
    TRY(dnnl.eltwise_forward_desc_init(&op, dnnl_forward_inference, kind, data, 0, 0));
    return dnnl.primitive_desc_create(desc, &op, dnnl.attr, dnnl.engine, NULL);
}

dnnl_status_t conv_desc(const struct tensors *tensors, const struct window *window,
                        dnnl_primitive_desc_t *desc)
{
    dnnl_convolution_desc_t op;
    TRY(dnnl.dilated_convolution_forward_desc_init(
        &op, dnnl_forward_inference, dnnl_convolution_direct, tensors->x,
        tensors->weights, NULL, tensors->y, window->strides, window->dilates,
        window->before, window->after));
    return dnnl.primitive_desc_create(desc, &op, dnnl.attr, dnnl.engine, NULL);
}
