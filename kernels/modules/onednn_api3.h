/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside module `onednn3`: API 3 of oneDNN, as far as the module needs it, in the words
 * of its documentation, so that the module is built where no header of that version is.
 * An enumeration of the library is an int here.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ONEDNN_MODULE "onednn3"
#define ONEDNN_FILE "libdnnl.so.3"
#define ONEDNN_ADVICE                                                                 \
    "oneDNN 3 is what scripts/setup peers fetches, or library=FILE; oneDNN 2 is for " \
    "--baseline=onednn"

typedef int dnnl_status_t;
enum {
    dnnl_success,
    dnnl_out_of_memory,
    dnnl_invalid_arguments,
    dnnl_unimplemented,
};

typedef int dnnl_format_tag_t;
enum {
    dnnl_format_tag_any = 1,
    dnnl_a = 2,
    dnnl_ab = 3,
    dnnl_nchw = 5,
    dnnl_oihw = dnnl_nchw,
    dnnl_goihw = 6,
    dnnl_nChw16c = 78,
    dnnl_nChw8c = 102,
};

typedef int dnnl_alg_kind_t;
enum {
    dnnl_convolution_direct = 0x1,
    dnnl_eltwise_relu = 0x20,
    dnnl_eltwise_tanh = 0x21,
    dnnl_pooling_max = 0x1ff,
    dnnl_softmax_accurate = 0x30000,
    dnnl_softmax_log,
};

typedef int dnnl_query_t;
enum {
    dnnl_query_impl_info_str = 8,
    dnnl_query_src_md = 129,
    dnnl_query_weights_md = 131,
    dnnl_query_dst_md = 133,
    dnnl_query_scratchpad_md = 136,
};

/* Each bit is a set of instructions. */
typedef unsigned dnnl_cpu_isa_t;
enum {
    dnnl_cpu_isa_sse41 = 0x1,
    dnnl_cpu_isa_avx = 0x3,
    dnnl_cpu_isa_avx2 = 0x7,
    dnnl_cpu_isa_avx2_vnni = 0xf,
    dnnl_cpu_isa_avx512_core = 0x27,
    dnnl_cpu_isa_avx512_core_vnni = 0x67,
    dnnl_cpu_isa_avx512_core_bf16 = 0xe7,
    dnnl_cpu_isa_avx512_core_amx = 0xfef,
};

enum {
    dnnl_f32 = 3,
    dnnl_cpu = 1,
    dnnl_stream_default_flags = 1,
    dnnl_forward_inference = 96,
    dnnl_scratchpad_mode_user = 1,
};

enum {
    DNNL_ARG_SRC = 1,
    DNNL_ARG_FROM = DNNL_ARG_SRC,
    DNNL_ARG_DST = 17,
    DNNL_ARG_TO = DNNL_ARG_DST,
    DNNL_ARG_WEIGHTS = 33,
    DNNL_ARG_SCRATCHPAD = 80,
};

enum {
    DNNL_RUNTIME_NONE = 0,
    DNNL_RUNTIME_SEQ = 1,
    DNNL_RUNTIME_OMP = 2,
    DNNL_RUNTIME_TBB = 4,
    DNNL_RUNTIME_THREADPOOL = 8,
    DNNL_RUNTIME_OCL = 256,
};

#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

typedef int64_t dnnl_dims_t[12];
typedef struct dnnl_engine *dnnl_engine_t;
typedef struct dnnl_stream *dnnl_stream_t;
typedef struct dnnl_memory *dnnl_memory_t;
typedef struct dnnl_memory_desc *dnnl_memory_desc_t;
typedef const struct dnnl_memory_desc *const_dnnl_memory_desc_t;
typedef struct dnnl_primitive *dnnl_primitive_t;
typedef const struct dnnl_primitive *const_dnnl_primitive_t;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
typedef const struct dnnl_primitive_desc *const_dnnl_primitive_desc_t;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
typedef const struct dnnl_primitive_attr *const_dnnl_primitive_attr_t;

typedef struct {
    int arg;
    dnnl_memory_t memory;
} dnnl_exec_arg_t;

typedef struct {
    int major, minor, patch;
    const char *hash;
    unsigned cpu_runtime, gpu_runtime;
} dnnl_version_t;

/* Never called by these names: pointers have the types. */
const dnnl_version_t *dnnl_version(void);
dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa);
dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void);
dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, int kind, size_t index);
dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine);
dnnl_status_t dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
                                 unsigned flags);
dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream);
dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream);
dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *desc, int n,
                                               const dnnl_dims_t dims, int type,
                                               dnnl_format_tag_t tag);
dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t desc);
int dnnl_memory_desc_equal(const_dnnl_memory_desc_t a, const_dnnl_memory_desc_t b);
size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t desc);
dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t desc,
                                 dnnl_engine_t engine, void *data);
dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory);
dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr);
dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);
dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(dnnl_primitive_attr_t attr,
                                                      int mode);
dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t desc);
dnnl_status_t dnnl_primitive_desc_query(const_dnnl_primitive_desc_t desc,
                                        dnnl_query_t what, int index, void *result);
const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(const_dnnl_primitive_desc_t desc,
                                                      dnnl_query_t what, int index);
dnnl_status_t dnnl_primitive_create(dnnl_primitive_t *primitive,
                                    const_dnnl_primitive_desc_t desc);
dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive);
dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive,
                                     dnnl_stream_t stream, int n,
                                     const dnnl_exec_arg_t *arg);
dnnl_status_t dnnl_reorder_primitive_desc_create(
    dnnl_primitive_desc_t *desc, const_dnnl_memory_desc_t from, dnnl_engine_t of_from,
    const_dnnl_memory_desc_t to, dnnl_engine_t of_to, const_dnnl_primitive_attr_t attr);
dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(
    dnnl_primitive_desc_t *desc, dnnl_engine_t engine, int prop, dnnl_alg_kind_t kind,
    const_dnnl_memory_desc_t from, const_dnnl_memory_desc_t to, float alpha, float beta,
    const_dnnl_primitive_attr_t attr);
dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t *desc, dnnl_engine_t engine, int prop, dnnl_alg_kind_t kind,
    const_dnnl_memory_desc_t x, const_dnnl_memory_desc_t weights,
    const_dnnl_memory_desc_t bias, const_dnnl_memory_desc_t y, const dnnl_dims_t strides,
    const dnnl_dims_t dilates, const dnnl_dims_t before, const dnnl_dims_t after,
    const_dnnl_primitive_attr_t attr);
dnnl_status_t dnnl_softmax_forward_primitive_desc_create(
    dnnl_primitive_desc_t *desc, dnnl_engine_t engine, int prop, dnnl_alg_kind_t kind,
    const_dnnl_memory_desc_t from, const_dnnl_memory_desc_t to, int axis,
    const_dnnl_primitive_attr_t attr);
dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
    dnnl_primitive_desc_t *desc, dnnl_engine_t engine, int prop, dnnl_alg_kind_t kind,
    const_dnnl_memory_desc_t from, const_dnnl_memory_desc_t to, const dnnl_dims_t strides,
    const dnnl_dims_t window, const dnnl_dims_t dilates, const dnnl_dims_t before,
    const dnnl_dims_t after, const_dnnl_primitive_attr_t attr);
