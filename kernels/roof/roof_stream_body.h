/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row `stream` of roof_body.h: loops over up to three streams that are read and two that
 * are written, each load right before the stores of its vector. The macros write out one
 * loop for each number of streams. More streams take several loops.
 */
#pragma once

/* Body of a loop: vector k of all its streams. PUT is STORE or STREAM. */
#define LOADS_0(k)
#define LOADS_1(k) LOAD(AT(k, "r0"), 0)
#define LOADS_2(k) LOADS_1(k) LOAD(AT(k, "r1"), 1)
#define LOADS_3(k) LOADS_2(k) LOAD(AT(k, "r2"), 2)
#define STORES_0(k, PUT, second)
#define STORES_1(k, PUT, second) PUT(0, AT(k, "w0"))
#define STORES_2(k, PUT, second) STORES_1(k, PUT, second) PUT(second, AT(k, "w1"))
#define VECTOR_OF(k, r, w, PUT, second) LOADS_##r(k) STORES_##w(k, PUT, second)
/* clang-format off */
#define EIGHT_OF(r, w, PUT, second) \
    VECTOR_OF(0, r, w, PUT, second) VECTOR_OF(1, r, w, PUT, second) \
    VECTOR_OF(2, r, w, PUT, second) VECTOR_OF(3, r, w, PUT, second) \
    VECTOR_OF(4, r, w, PUT, second) VECTOR_OF(5, r, w, PUT, second) \
    VECTOR_OF(6, r, w, PUT, second) VECTOR_OF(7, r, w, PUT, second)
#define READERS_0(n)
#define READERS_1(n) FORWARD("r0", n)
#define READERS_2(n) READERS_1(n) FORWARD("r1", n)
#define READERS_3(n) READERS_2(n) FORWARD("r2", n)
#define WRITERS_0(n)
#define WRITERS_1(n) FORWARD("w0", n)
#define WRITERS_2(n) WRITERS_1(n) FORWARD("w1", n)
/* Pointers of the streams; what nobody reads is written from a pattern. */
#define FROM_0 [pattern] "+r"(pattern),
#define FROM_1 [r0] "+r"(from[0]),
#define FROM_2 FROM_1 [r1] "+r"(from[1]),
#define FROM_3 FROM_2 [r2] "+r"(from[2]),
#define TO_0
#define TO_1 [w0] "+r"(to[0]),
#define TO_2 TO_1 [w1] "+r"(to[1]),
/* clang-format on */
#define FIRST_0 LOAD(AT(0, "pattern"), 0)
#define FIRST_1
#define FIRST_2
#define FIRST_3

#define STREAMS_LOOP(r, w, PUT, second, end)                                  \
    {                                                                         \
        __asm__ volatile(FIRST_##r LOOP("n", EIGHT_OF(r, w, PUT, second),     \
                                        READERS_##r(8) WRITERS_##w(8)) end    \
                         : FROM_##r TO_##w[n] "+r"(blocks)                    \
                         :                                                    \
                         : CLOBBERS, "cc", "memory");                         \
        __asm__ volatile(FIRST_##r LOOP("n", VECTOR_OF(0, r, w, PUT, second), \
                                        READERS_##r(1) WRITERS_##w(1)) end    \
                         : FROM_##r TO_##w[n] "+r"(vectors)                   \
                         :                                                    \
                         : CLOBBERS, "cc", "memory");                         \
        break;                                                                \
    }
#define STREAMS_CASE(r, w, second) \
    case 6 * (r) + 2 * (w):        \
        STREAMS_LOOP(r, w, STORE, second, "")
#define STREAMS_PAST_CASE(r, w, second) \
    case 6 * (r) + 2 * (w) + 1:         \
        STREAMS_LOOP(r, w, STREAM, second, FENCE)

static inline void streams_loop(unsigned r, unsigned w, bool past, const char *from[3],
                                char *to[2], size_t n)
{
    static const float ones[64] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const float *pattern = ones;
    size_t blocks = n / 8, vectors = n % 8;
    switch (6 * r + 2 * w + (past && w)) {
        STREAMS_CASE(0, 1, 0)
        STREAMS_CASE(0, 2, 0)
        STREAMS_CASE(1, 0, 0)
        STREAMS_CASE(1, 1, 0)
        STREAMS_CASE(1, 2, 0)
        STREAMS_CASE(2, 0, 0)
        STREAMS_CASE(2, 1, 0)
        STREAMS_CASE(2, 2, 1)
        STREAMS_CASE(3, 0, 0)
        STREAMS_CASE(3, 1, 0)
        STREAMS_CASE(3, 2, 1)
        STREAMS_PAST_CASE(0, 1, 0)
        STREAMS_PAST_CASE(0, 2, 0)
        STREAMS_PAST_CASE(1, 1, 0)
        STREAMS_PAST_CASE(1, 2, 0)
        STREAMS_PAST_CASE(2, 1, 0)
        STREAMS_PAST_CASE(2, 2, 1)
        STREAMS_PAST_CASE(3, 1, 0)
        STREAMS_PAST_CASE(3, 2, 1)
    }
}

/* A stream, or one that is read and written where it was. */
struct flow {
    char *at;
    size_t vectors;
    bool read, write;
};

/* Those in place come first: the one that a loop reads as its number i is the one that it
 * writes as its number i, so that they get back what they had. */
static inline size_t flows_of(const struct simdbench_operands *operands,
                              struct flow flow[SIMDBENCH_MAX_OPERANDS])
{
    size_t n = 0;
    for (int others = 0; others < 2; others++) {
        for (uint32_t i = 0; i < operands->count; i++) {
            const struct simdbench_operand *const operand = operands->operand[i];
            if ((operand->role != SIMDBENCH_INOUT) == others)
                flow[n++] = (struct flow){.at = operand->data,
                                          .vectors = operand_bytes(operand) / VECTOR,
                                          .read = operand->role != SIMDBENCH_OUT,
                                          .write = is_output(operand)};
        }
    }
    return n;
}

/* Goes as far as the shortest of the streams that one loop takes. False: all are done. */
static inline bool flows_step(struct flow *flow, size_t n, bool past)
{
    struct flow *taken[5];
    const char *from[3];
    char *to[2];
    unsigned r = 0, w = 0, t = 0;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (!flow[i].vectors || r + flow[i].read > 3 || w + flow[i].write > 2)
            continue;
        if (flow[i].read)
            from[r++] = flow[i].at;
        if (flow[i].write)
            to[w++] = flow[i].at;
        past = past && !(flow[i].read && flow[i].write) &&
               (!flow[i].write || (uintptr_t)flow[i].at % 64 == 0);
        least = flow[i].vectors < least ? flow[i].vectors : least;
        taken[t++] = &flow[i];
    }
    if (!t)
        return false;
    streams_loop(r, w, past, from, to, least);
    for (unsigned i = 0; i < t; i++) {
        taken[i]->at += least * VECTOR;
        taken[i]->vectors -= least;
    }
    return true;
}

static inline void stream_all(const struct simdbench_operands *operands,
                              const struct roof_state *state)
{
    struct flow flow[SIMDBENCH_MAX_OPERANDS];
    const size_t n = flows_of(operands, flow);
    while (flows_step(flow, n, state->past))
        ;
}
