/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row `direct` takes operands in the layout of the shape. Row `reorder` takes plain ones,
 * lets oneDNN have what it likes best, and reorders activations in run. Weights are
 * reordered in prepare by both.
 */
#include "onednn.h"

#include "conv/conv.h"

struct tensors {
    const_dnnl_memory_desc_t x, weights, y;
};

/* Each pixel of y looks at this window of x, by rows and columns. Dilates of 0 leave
 * nothing out. */
struct window {
    dnnl_dims_t strides, dilates, before, after;
};

static dnnl_status_t conv_desc(const struct tensors *tensors, const struct window *window,
                               dnnl_primitive_desc_t *desc)
{
#if ONEDNN_API == 3
    return dnnl.convolution_forward_primitive_desc_create(
        desc, dnnl.engine, dnnl_forward_inference, dnnl_convolution_direct, tensors->x,
        tensors->weights, NULL, tensors->y, window->strides, window->dilates,
        window->before, window->after, dnnl.attr);
#else
    dnnl_convolution_desc_t op;
    TRY(dnnl.dilated_convolution_forward_desc_init(
        &op, dnnl_forward_inference, dnnl_convolution_direct, tensors->x,
        tensors->weights, NULL, tensors->y, window->strides, window->dilates,
        window->before, window->after));
    return dnnl.primitive_desc_create(desc, &op, dnnl.attr, dnnl.engine, NULL);
#endif
}

/* The operands as oneDNN calls them, in these layouts. */
static dnnl_status_t conv_tensors(struct state *state, const struct conv_shape *s,
                                  const dnnl_format_tag_t tag[3], struct tensors *tensors)
{
    const dnnl_dims_t x = {s->n, s->c, s->h, s->w}, y = {s->n, s->k, s->oh, s->ow};
    const dnnl_dims_t dense = {s->k, s->c, s->r, s->s},
                      grouped = {s->g, s->kg, s->cg, s->r, s->s};
    TRY(state_desc(state, 4, x, tag[0], &tensors->x));
    TRY(state_desc(state, s->g > 1 ? 5 : 4, s->g > 1 ? grouped : dense, tag[1],
                   &tensors->weights));
    return state_desc(state, 4, y, tag[2], &tensors->y);
}

/* Behind the last row and column that a kernel reaches there is no padding: that may make
 * it negative, where the stride leaves rows over. */
static int64_t padding_after(int64_t in, int64_t out, int64_t kernel, int64_t stride,
                             int64_t dilation, int64_t before)
{
    return (out - 1) * stride + dilation * (kernel - 1) + 1 - in - before;
}

/* As the op has the operands, and as the primitive shall. */
static dnnl_status_t conv_make_desc(struct state *state, const struct conv_shape *s,
                                    bool reorder, struct tensors *plain,
                                    dnnl_primitive_desc_t *desc)
{
    const dnnl_format_tag_t any = dnnl_format_tag_any, blocked = s->b == 16 ? dnnl_nChw16c
                                                                 : s->b == 8 ? dnnl_nChw8c
                                                                             : dnnl_nchw;
    const dnnl_format_tag_t here[] = {s->x_plain ? dnnl_nchw : blocked,
                                      s->g > 1 ? dnnl_goihw : dnnl_oihw, blocked},
                            there[] = {reorder ? any : here[0], any,
                                       reorder ? any : here[2]};
    const struct window window = {
        .strides = {s->u, s->v},
        .dilates = {s->d - 1, s->d - 1},
        .before = {s->p, s->q},
        .after = {padding_after(s->h, s->oh, s->r, s->u, s->d, s->p),
                  padding_after(s->w, s->ow, s->s, s->v, s->d, s->q)},
    };
    struct tensors wanted;
    TRY(conv_tensors(state, s, here, plain));
    TRY(conv_tensors(state, s, there, &wanted));
    return conv_desc(&wanted, &window, desc);
}

/* The memory of an operand: in place if its layout is the wanted one, else a copy. */
struct place {
    const_dnnl_memory_desc_t plain, wanted;
    dnnl_memory_t in_place, memory;
    bool elsewhere;
};

static dnnl_status_t conv_place(struct state *state, const_dnnl_memory_desc_t plain,
                                const_dnnl_memory_desc_t wanted, void *data,
                                struct place *place)
{
    *place = (struct place){.plain = plain, .wanted = wanted};
    TRY(state_memory(state, plain, data, &place->in_place));
    place->memory = place->in_place;
    place->elsewhere = !dnnl.memory_desc_equal(plain, wanted);
    return place->elsewhere ? state_memory(state, wanted, NULL, &place->memory)
                            : dnnl_success;
}

/* A call to bring an operand to where it is wanted. */
static dnnl_status_t add_fetch(struct state *state, const struct place *place)
{
    return place->elsewhere ? state_reorder(state, place->plain, place->in_place,
                                            place->wanted, place->memory)
                            : dnnl_success;
}

/* The weights are known beforehand, so their call is made here and now. */
static dnnl_status_t fetch_now(struct state *state, const struct place *weights)
{
    if (!weights->elsewhere)
        return dnnl_success;
    TRY(add_fetch(state, weights));
    return state_call_now(state);
}

/* Takes the description. */
static dnnl_status_t conv_make(struct state *state, const struct tensors *plain,
                               dnnl_primitive_desc_t desc, void *const data[3])
{
    const const_dnnl_memory_desc_t tensor[] = {plain->x, plain->weights, plain->y};
    const dnnl_query_t wanted[] = {dnnl_query_src_md, dnnl_query_weights_md,
                                   dnnl_query_dst_md};
    struct place place[3];
    dnnl_status_t status = dnnl_success;
    state_name(state, desc);
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
    status = state_call(state, desc, 3, arg);
    if (status == dnnl_success && place[2].elsewhere)
        status = state_reorder(state, place[2].wanted, place[2].memory, place[2].plain,
                               place[2].in_place);
    return status;
}

static dnnl_status_t conv_prepare(struct state *state, int reorder,
                                  const struct simdbench_operands *operands)
{
    const struct conv_shape shape = conv_shape_of(operands->shape);
    void *const data[] = {operands->operand[0]->data, operands->operand[1]->data,
                          operands->operand[2]->data};
    struct tensors plain;
    dnnl_primitive_desc_t desc;
    TRY(conv_make_desc(state, &shape, reorder, &plain, &desc));
    return conv_make(state, &plain, desc, data);
}

PREPARE(direct_prepare, state_prepare, conv_prepare, false)
PREPARE(reorder_prepare, state_prepare, conv_prepare, true)
