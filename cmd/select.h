/* SPDX-License-Identifier: Apache-2.0 */
/* What the options select, names resolved (select.c); plan.c makes cases of it. */
#ifndef SIMDBENCH_SELECT_H
#define SIMDBENCH_SELECT_H

#include "worker.h"

struct selection {
    const struct options *options;
    const struct catalog *catalog;
    const char *op;
    struct text_list isas, semirings;
    bool isa_auto;
    struct text_list shapes;
    uint32_t types[8];
    size_t n_types;
};

/* -EINVAL names the flag, the word and near matches. */
int selection_make(const struct options *options, const struct catalog *catalog,
                   struct selection *selection, struct error *error);
void selection_free(struct selection *selection);
bool selection_has(const struct text_list *list, const char *text);

#endif
