/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside modules `onednn` and `onednn3`, which are built of the same files for the two
 * versions of the library's interface (ONEDNN_API): its functions, and what run executes.
 * Every function of oneDNN is called through `dnnl`, by its name without "dnnl_".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "library.h"
#if ONEDNN_API == 3
#include "onednn_api3.h"
#else
#include "onednn_api2.h"
#endif
#include "simdbench.h"

/* clang-format off */
#define DNNL_FUNCTIONS(F) \
    F(engine_create) F(engine_destroy) F(stream_create) F(stream_destroy) \
    F(stream_wait) F(version) F(set_max_cpu_isa) F(get_effective_cpu_isa) \
    F(memory_desc_equal) F(memory_desc_get_size) F(memory_create) F(memory_destroy) \
    F(primitive_attr_create) F(primitive_attr_destroy) \
    F(primitive_attr_set_scratchpad_mode) F(primitive_desc_destroy) \
    F(primitive_desc_query) F(primitive_desc_query_md) F(primitive_create) \
    F(primitive_destroy) F(primitive_execute) F(reorder_primitive_desc_create)
/* clang-format on */

struct dnnl_library {
    void *handle;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr;
    void (*omp_set_num_threads)(int n); /* NULL: not built with OpenMP */
    char name[32], detail[96];
#define DNNL_POINTER(function) __typeof__(dnnl_##function) *function;
    DNNL_FUNCTIONS(DNNL_POINTER)
#define MAKER(function) DNNL_POINTER(function)
#include "onednn.def"
#undef DNNL_POINTER
};

extern struct dnnl_library dnnl;

/* Returns from the function around it unless the call succeeds. */
#define TRY(call)                         \
    do {                                  \
        const dnnl_status_t tried = call; \
        if (tried != dnnl_success)        \
            return tried;                 \
    } while (0)

/* A primitive with its arguments. */
struct call {
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    int n;
    dnnl_exec_arg_t arg[4];
};

/* The primitives that run executes, in this order, and their memory objects. */
struct state {
    struct call call[3];
    int calls;
    dnnl_memory_t memory[10];
    int memories;
    dnnl_memory_desc_t desc[6];
    int descs;
    char implementation[64];
    uint64_t bytes; /* of memory that is not in operands */
};

/* A description that lives as long as the state. */
dnnl_status_t state_desc(struct state *state, int n, const dnnl_dims_t dims,
                         dnnl_format_tag_t tag, const_dnnl_memory_desc_t *desc);
/* Memory at `data`, or of its own if NULL. */
dnnl_status_t state_memory(struct state *state, const_dnnl_memory_desc_t desc, void *data,
                           dnnl_memory_t *memory);
/* Appends a call; takes the description, and frees it if it fails. The scratchpad becomes
 * the last argument. */
dnnl_status_t state_call(struct state *state, dnnl_primitive_desc_t desc, int n,
                         const dnnl_exec_arg_t *arg);
dnnl_status_t state_reorder(struct state *state, const_dnnl_memory_desc_t from,
                            dnnl_memory_t from_memory, const_dnnl_memory_desc_t to,
                            dnnl_memory_t to_memory);
/* Executes the last call, and takes it away. */
dnnl_status_t state_call_now(struct state *state);
/* The primitive whose name is the row's choice. */
void state_name(struct state *state, const_dnnl_primitive_desc_t desc);
/* Makes the primitives of a row; `which` is the row's word. */
typedef dnnl_status_t state_maker(struct state *state, int which,
                                  const struct simdbench_operands *operands);
/* Prepares a row by it: the state, or else an error with the message of oneDNN; -ENOTSUP
 * if it has nothing for such a shape. */
int state_prepare(const struct simdbench_operands *operands, state_maker *make, int which,
                  void **out, char *error, size_t error_size);

/* Hooks of all rows. */
void state_run(const struct simdbench_operands *operands, void *state);
void state_release(void *state);
void state_choice(const struct simdbench_operands *operands, const void *state,
                  struct simdbench_choice *choice);

#define ROW(op, variant, prepare, ...)                                                \
    int prepare(const struct simdbench_operands *operands, void **state, char *error, \
                size_t error_size);
#include "onednn.def"
