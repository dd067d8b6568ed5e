/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by called_answers.c, which computes right outputs, and called_why.c. */
#pragma once

#include "called_private.h"

/* Outputs of a run of their own, and which elements it did not write. */
struct computed {
    struct simdbench_operands view;
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS];
    unsigned char *other[SIMDBENCH_MAX_OPERANDS]; /* of the first run, from other bytes */
    unsigned char *again[SIMDBENCH_MAX_OPERANDS]; /* of a later one */
    uint64_t length[SIMDBENCH_MAX_OPERANDS];      /* elements that are valid */
    bool varies[SIMDBENCH_MAX_OPERANDS];          /* the second run wrote other values */
    bool differs;                                 /* it did so now, not at some time */
    int heap; /* what fresh memory of the heap holds: another byte in the second run */
};

/* Bytes that outputs hold before a call: one everywhere, or others at each place. */
enum { FIRST_BYTE = 0x5a, SECOND_BYTE = 0xa5, MIXED_BYTES = -1 };

const char *output_name(const struct declared_slot *slot, uint32_t i);
/* Calls on outputs that hold that byte everywhere, or MIXED_BYTES. */
int compute_once(struct made_call *made, struct computed *computed, int byte,
                 struct error *error);

/* called_why.c: notes about a number that may be an error, results that vary, and numbers
 * that are no sizes. */
/* "returns -1 and ", or nothing. */
void name_returned(const struct declared_slot *slot, const struct computed *computed,
                   char *text, size_t size);
void tell_refusal(struct declared_slot *slot, const struct computed *computed,
                  uint32_t i);
void tell_why(struct declared_slot *slot, struct made_call *made,
              struct computed *computed);
void tell_idle(struct declared_slot *slot, const struct simdbench_shape *shape);
