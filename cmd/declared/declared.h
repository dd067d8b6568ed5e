/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room declared: a file of declared functions as a module, whose ops and kernels look
 * like those of any other module. Its functions are called by machine code that
 * declared_prepare() writes: what a worker times is that code with its frame, not
 * kernel->run.
 */
#pragma once

#include "declare.h"
#include "kernels.h"

struct declared;
/* Reads FILE.json, opens its libraries and finds its functions; this may run code of the
 * libraries. Option `library` stands in place of the library of every op. With option
 * `partly` functions that only this other file has are left out, but not all. */
int declared_open(const char *path, const struct simdbench_option *const *options,
                  size_t n, struct declared **out, struct error *error);
void declared_close(struct declared *declared);
const struct simdbench_module *declared_table(const struct declared *declared);

/* A function at a shape. code(frame) calls it, and keeps what it returns and a hash of
 * memory that it made; plain(frame) does so without the hash; timed(frame) only calls it;
 * nothing(frame) calls a function that returns at once, as timed() does. */
struct declared_call {
    call_code *code, *plain, *timed, *nothing;
    const void *function; /* of the library, which these call */
    struct call_frame *frame;
};
/* `kernel`: index in the table. -ENOTSUP and others, with a sentence. */
int declared_prepare(const struct declared *declared, size_t kernel,
                     const struct simdbench_operands *operands,
                     struct declared_call **out, char *error, size_t error_size);
void declared_release(struct declared_call *call);
/* The same for another set of operands, which has a frame of its own; it is released with
 * the call. */
int declared_add_set(struct declared_call *call,
                     const struct simdbench_operands *operands, struct call_frame **frame,
                     char *error, size_t error_size);
/* Makes the objects of opaque arguments anew, and writes inout arrays again, so that the
 * next call begins as the first one did. */
int declared_renew(struct declared_call *call, struct error *error);

/* Other operands of the same shape: writes them to the frame, and makes objects anew. A
 * copy of the frame is good until the next operands come, or if declared_frames_last()
 * for as long as the call. */
int declared_point(struct declared_call *call, const struct simdbench_operands *operands,
                   struct error *error);
bool declared_frames_last(const struct declared_call *call);
/* After a call of code(frame): how many elements of an operand are valid. */
uint64_t declared_length(const struct declared_call *call, uint32_t operand);

/* Calls it once for a check, and writes what it returned to its operands. -EDOM: it left
 * registers or flags that it must restore; -EFAULT: it crashed. `modes` becomes true if
 * it left rounding or flush-to-zero modes changed; `note` (of `size` bytes): what else it
 * left, or empty. */
int declared_run_checked(struct declared_call *call, bool *modes, char *note, size_t size,
                         struct error *error);
/* After calls of code(frame): writes what was returned, and lengths, to the operands. */
void declared_finish(const struct declared_call *call);
/* The same on copies of the operands that have pages without access on both sides. -EDOM:
 * it read or wrote beyond an array; -EFAULT. Then compares its first output with the
 * answers, as operands_compare() does; n = 0: there are none. */
struct declared_answers {
    const uint64_t *index;
    uint64_t n;
    const void *value;
    const double *slack;
};
int declared_run_guarded(const struct declared_call *call,
                         const struct declared_answers *want, char *note, size_t size,
                         struct error *error);
/* The same at each size of the declaration's tails, once for a function. */
int declared_run_tails(const struct declared_call *call, struct error *error);
/* The name that a place has in ids: "choose(1)" is choose_1. */
void declared_variant(const char *text, char *name, size_t size);
/* The largest distance from a right value of that type, or SLACK_UNSAID. */
double declared_slack(const struct tolerance *tolerance, uint32_t type, double value);
/* The reason why the last call of op->reference failed; NULL: it is no declared op. */
const char *declared_trouble(const struct simdbench_op *op);
/* Number of kept calls of a program, of one shape, that its inputs can be; 0: none. */
uint32_t declared_calls(const struct simdbench_op *op);
/* The next op->fill is for this set of operands: each set has the inputs of another call.
 */
void declared_set(const struct simdbench_op *op, uint64_t number);
/* True if functions of the library make what a call works on. */
bool declared_makes(const struct declared_call *call);
/* The result, if a pointer is returned that points into no array. */
enum { POINTS_ELSEWHERE = -2 };
/* Facts about the last answers. */
struct declared_facts {
    bool answered;    /* they are what this function computed */
    bool unseen;      /* nobody compares what the function leaves */
    bool varies;      /* they were others in each call */
    const char *note; /* a remark for the user, or NULL */
};
struct declared_facts declared_facts(const struct declared_call *call);
