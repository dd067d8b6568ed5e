/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of op tanh over two arrays. */
#ifndef SIMDBENCH_TANH_VECTORS_H
#define SIMDBENCH_TANH_VECTORS_H

#include <assert.h>
#include <string.h>

#include "kernels.h"

struct vectors {
    struct simdbench_shape shape;
    struct simdbench_operand operand[2];
    struct simdbench_operands view;
};

static inline void vectors_bind(struct vectors *v, uint32_t type, void *x, void *y,
                                uint64_t n)
{
    memset(v, 0, sizeof *v);
    v->shape =
        (struct simdbench_shape){.size = sizeof v->shape, .rank = 1, .dim = {(int64_t)n}};
    v->view.size = sizeof v->view;
    v->view.count = 2;
    v->view.threads = 1;
    v->view.shape = &v->shape;
    for (int i = 0; i < 2; i++) {
        v->operand[i].size = sizeof v->operand[i];
        v->view.operand[i] = &v->operand[i];
    }
    if (op_find("tanh")->layout(&v->shape, type, v->view.operand) != 2)
        assert(!"layout");
    v->operand[0].data = x;
    v->operand[1].data = y;
}

#endif
