/* SPDX-License-Identifier: Apache-2.0 */
/* State that a checked call left changed, by the record of its code. */
#include "thunk_private.h"

static const char *const register_names[SAVED_REGISTERS] = {"rbx", "rbp", "r12",
                                                            "r13", "r14", "r15"};
enum { DIRECTION = 1 << 10, MXCSR_STATUS = 0x3f, X87_TAGS = 8 };
/* XINUSE: upper halves of ymm0 to ymm15; those of zmm0 to zmm15 */
enum { IN_USE_UPPER = 1 << 2 | 1 << 6 };

static void say(struct call_faults *faults, unsigned fault, const char *text)
{
    const size_t n = strlen(faults->text);
    snprintf(faults->text + n, sizeof faults->text - n, "%s%s", n ? "; " : "", text);
    faults->faults |= fault;
}

/* "rbx, r12 and r13 are not restored" */
static void check_registers(const struct thunk_state *state, struct call_faults *faults)
{
    char text[64] = "";
    unsigned left = 0, n = 0;
    for (size_t i = 0; i < SAVED_REGISTERS; i++)
        left += state->saved[i] != thunk_patterns[i];
    if (!left)
        return;
    for (size_t i = 0; i < SAVED_REGISTERS; i++) {
        if (state->saved[i] == thunk_patterns[i])
            continue;
        const char *const before = !n ? "" : n + 1 == left ? " and " : ", ";
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", before, register_names[i]);
        n++;
    }
    const size_t length = strlen(text);
    snprintf(text + length, sizeof text - length,
             left == 1 ? " is not restored" : " are not restored");
    say(faults, CALL_REGISTERS, text);
}

static uint16_t half(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

/* The CPU tells what is in use if it said "nothing" after vzeroupper; what is not zero
 * tells it on all others. */
static bool upper_in_use(const struct thunk *thunk, const struct thunk_state *state)
{
    static const unsigned char zero[16];
    if (thunk->has_in_use && !(state->in_use & IN_USE_UPPER) &&
        state->in_use_after & IN_USE_UPPER)
        return true;
    for (size_t i = 0; i < VECTORS && thunk->has_avx; i++)
        if (memcmp(state->vector[i] + 16, zero, sizeof zero) != 0)
            return true;
    return false;
}

void thunk_check(struct thunk *thunk, struct call_frame *frame,
                 struct call_faults *faults)
{
    struct thunk_state *const state = thunk_state(thunk);
    call_code *const code =
        (call_code *)(uintptr_t)(thunk->pages + THUNK_PAGE + thunk->checked);
    char text[64];
    *faults = (struct call_faults){.faults = 0};
    memset(state, 0, sizeof *state);
    code(frame);
    frame->result = thunk->vector_result ? state->vector_result : state->result;
    memcpy(frame->vector, state->wide_result, thunk->result_bytes);
    check_registers(state, faults);
    if (state->stack_after != state->stack) {
        snprintf(text, sizeof text, "the stack pointer is %+lld bytes off",
                 (long long)(state->stack_after - state->stack));
        say(faults, CALL_STACK, text);
    }
    if (state->flags_after & DIRECTION)
        say(faults, CALL_DIRECTION, "the direction flag is set");
    if (half(state->x87_after + X87_TAGS) != half(state->x87 + X87_TAGS))
        say(faults, CALL_X87, "x87 registers are in use (emms is missing)");
    if (half(state->x87_after) != half(state->x87))
        say(faults, CALL_X87, "the x87 control word is changed");
    if ((state->mxcsr ^ state->mxcsr_after) & ~(unsigned)MXCSR_STATUS)
        say(faults, CALL_MXCSR, "mxcsr is changed");
    if (!thunk->wide && upper_in_use(thunk, state))
        faults->faults |= CALL_UPPER;
}
