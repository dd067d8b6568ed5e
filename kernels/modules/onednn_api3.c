/* SPDX-License-Identifier: Apache-2.0 */
/* API 3: descriptions of memory are handles, those of primitives are made at once. */
#include "onednn.h"

dnnl_status_t desc_make(int n, const dnnl_dims_t dims, dnnl_format_tag_t tag,
                        dnnl_memory_desc_t *desc)
{
    return dnnl.memory_desc_create_with_tag(desc, n, dims, dnnl_f32, tag);
}

const_dnnl_memory_desc_t desc_of(const dnnl_memory_desc_t *desc)
{
    return *desc;
}

void desc_free(dnnl_memory_desc_t *desc)
{
    dnnl.memory_desc_destroy(*desc);
}

dnnl_status_t eltwise_desc(dnnl_alg_kind_t kind, const_dnnl_memory_desc_t data,
                           dnnl_primitive_desc_t *desc)
{
    return dnnl.eltwise_forward_primitive_desc_create(
        desc, dnnl.engine, dnnl_forward_inference, kind, data, data, 0, 0, dnnl.attr);
}

dnnl_status_t conv_desc(const struct tensors *tensors, const struct window *window,
                        dnnl_primitive_desc_t *desc)
{
    return dnnl.convolution_forward_primitive_desc_create(
        desc, dnnl.engine, dnnl_forward_inference, dnnl_convolution_direct, tensors->x,
        tensors->weights, NULL, tensors->y, window->strides, window->dilates,
        window->before, window->after, dnnl.attr);
}
