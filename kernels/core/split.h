/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel whose work a team shares: each thread runs the kernel itself on its part of
 * the operands. Results are the same bits as those of one thread.
 *
 *   relu, tanh, roof   ranges of elements that begin at multiples of 64 bytes of the
 *                      output; register mixes run whole in every thread
 *   gemm, gemm_argmax  matrices of a batch, rows and columns of C, whichever leaves the
 *                      largest part smallest; each thread packs what it reads
 *   gemm_backward      rows of dA and columns of dB, each with all that is added to them;
 *                      columns are added up in memory of the part's own
 *   conv               images or rows of y, reordered weights are shared; in rows that
 *                      reorder none, or are slow on purpose, images alone
 *
 * Other work runs in one thread: split_parts() tells.
 */
#pragma once

#include "kernels.h"

struct split;

/* prepare, for up to operands->threads threads of the team: what team_start() made. */
int split_make(struct split **split, const struct simdbench_kernel *kernel,
               const struct simdbench_operands *operands, char *error, size_t error_size);
/* run; `state` is the split. */
void split_run(const struct simdbench_operands *operands, void *state);
/* release */
void split_free(struct split *split);
/* The number of threads that have a part. */
uint32_t split_parts(const struct split *split);
/* The state that the kernel's own prepare made, for choice; memory of all parts. */
void split_choice(const struct split *split, const struct simdbench_operands *operands,
                  struct simdbench_choice *choice);
