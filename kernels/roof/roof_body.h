/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the files roof_<isa>.c. Before it, they define for their vectors:
 *   VECTOR             bytes
 *   CLOBBERS           registers 0 to 14 and any helper
 *   ZERO(i)  ONES(i)   register i = 0, or all bits of it 1
 *   XOR_MEMORY(at, i)  register i ^= memory
 *   XOR(i, j)          register i ^= register j
 *   LOAD(at, i)  STORE(i, at)
 *   STREAM(i, at)      a non-temporal store
 *   LEAVE              what must follow before other code runs
 * Memory is written AT(k, "register"): k vectors from an address.
 */
#pragma once

#include "kernels.h"
#include "prototypes.h"
#include "roof.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define EIGHT(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)

/* Instructions that the architectures spell differently. FENCE ends non-temporal stores:
 * those of ARM need none. */
#if defined(__x86_64__)
#define AT(k, address) #k "*" TEXT(VECTOR) "(%[" address "])"
#define SKIP_IF_ZERO(count) "test %[" count "], %[" count "]\n\tjz 2f\n\t"
#define COUNT_DOWN(count) "dec %[" count "]\n\tjnz 1b\n\t"
#define FORWARD_BYTES(address, bytes) "add $" bytes ", %[" address "]\n\t"
#define LOAD_WORD "mov (%[from]), %%eax\n\t"
#define UPDATE_WORD "mov (%[to]), %%eax\n\tmov %%eax, (%[to])\n\t"
#define WORD_CLOBBER "eax"
#define FENCE "sfence\n\t"
#elif defined(__aarch64__)
#define AT(k, address) "[%[" address "], #" #k "*" TEXT(VECTOR) "]"
#define SKIP_IF_ZERO(count) "cbz %[" count "], 2f\n\t"
#define COUNT_DOWN(count) "subs %[" count "], %[" count "], #1\n\tb.ne 1b\n\t"
#define FORWARD_BYTES(address, bytes) "add %[" address "], %[" address "], #" bytes "\n\t"
#define LOAD_WORD "ldr w2, [%[from]]\n\t"
#define UPDATE_WORD "ldr w2, [%[to]]\n\tstr w2, [%[to]]\n\t"
#define WORD_CLOBBER "x2"
#define FENCE ""
#endif

/* A loop that a branch enters only if it runs at all. */
#define LOOP(count, body, step) \
    SKIP_IF_ZERO(count)         \
    ".p2align 6\n"              \
    "1:\n\t" body step          \
    COUNT_DOWN(count) "2:\n\t"

/* ---- registers ---- */

/* Values that stay normal numbers: 0.5 to 1. Register i starts at element i. */
#define DATA                                                                 \
    {0.71, 0.93, 0.55, 0.82, 0.64, 0.99, 0.51, 0.77, 0.86, 0.58, 0.91, 0.67, \
     0.74, 0.53, 0.96, 0.61, 0.88, 0.79, 0.57, 0.94, 0.69, 0.84, 0.52, 0.73, \
     0.98, 0.63, 0.81, 0.56, 0.92, 0.66, 0.76, 0.54, 0.89, 0.72, 0.97, 0.59, \
     0.83, 0.65, 0.95, 0.62, 0.78, 0.87, 0.68, 0.75, 0.85, 0.60, 0.90, 0.70}
#define SPLAT(x) {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}
#define f32_C float
#define f64_C double
#define f32_BYTES 4
#define f64_BYTES 8
/* Integers are the bits of these numbers: some maxima of integers are those of floats. */
#define i32_C float
#define i64_C double
#define i32_BYTES 4
#define i64_BYTES 8

/* A kernel that fills its registers (LOAD_ALL of data, LOAD_Y of y), then runs `body`
 * until ROOF_PAIRS are done. */
#define REGISTERS(type, isa, variant, y_value, load_all, pairs, body)               \
    void roof_##type##_##isa##_##variant(const struct simdbench_operands *operands, \
                                         void *state)                               \
    {                                                                               \
        static const type##_C data[48] = DATA;                                      \
        static const type##_C y[16] = SPLAT(y_value);                               \
        _Static_assert(ROOF_PAIRS % ((pairs) * LANES(type##_BYTES)) == 0,           \
                       "the loop does not divide the pairs");                       \
        size_t n = ROOF_PAIRS / (pairs) / LANES(type##_BYTES);                      \
        __asm__ volatile(load_all(type##_BYTES) ".p2align 6\n"                      \
                                                "1:\n\t" body COUNT_DOWN("n") LEAVE \
                         : [n] "+r"(n)                                              \
                         : [data] "r"(data), [y] "r"(y), "m"(data), "m"(y)          \
                         : CLOBBERS, "cc");                                         \
    }

/* Mix `fma` with jumps that nobody takes, and as one chain. MANY(FMA, s) are `n` of them
 * in registers of their own; nothing in the loop changes the carry flag. */
#define LOAD_NO_CARRY(size) LOAD_ALL(size) "clc\n\t"
#define JUMP "jc 3f\n\t"
#define FMA_BRANCH1(s, t) JUMP FMA(s, t) "3:\n\t"
#define FMA_BRANCH2(s, t) JUMP JUMP FMA(s, t) "3:\n\t"
#define FMA_CHAIN(s, t) FMA(s, 0)
#define FMA_STUDIES(type, isa, n, MANY, s)                                         \
    REGISTERS(type, isa, fma_branch1, 0.5, LOAD_NO_CARRY, n, MANY(FMA_BRANCH1, s)) \
    REGISTERS(type, isa, fma_branch2, 0.5, LOAD_NO_CARRY, n, MANY(FMA_BRANCH2, s)) \
    REGISTERS(type, isa, fma_chain, 0.5, LOAD_ALL, n, MANY(FMA_CHAIN, s))

/* ---- memory ---- */

#define LOAD_BODY(k) LOAD(AT(k, "from"), k)
#define READ_BODY(k) XOR_MEMORY(AT(k, "from"), k)
#define WRITE_BODY(k) STORE(0, AT(k, "to"))
/* Each load right before its store: several of a kind in a row are up to 7% slower. */
#define COPY(k) LOAD(AT(k, "from"), k) STORE(k, AT(k, "to"))
#define COPY_STREAM(k) LOAD(AT(k, "from"), k) STREAM(k, AT(k, "to"))
#define WRITE_STREAM(k) STREAM(0, AT(k, "to"))
#define UPDATE(k) LOAD(AT(k, "to"), k) STORE(k, AT(k, "to"))
#define FORWARD(address, vectors) FORWARD_BYTES(address, #vectors "*" TEXT(VECTOR))

static inline uint64_t read_bytes(const char *from, size_t bytes)
{
    uint64_t words[VECTOR / 8], sum = 0, word = 0;
    size_t blocks = bytes / (8 * VECTOR), vectors = bytes / VECTOR % 8;
    size_t tail = bytes % VECTOR;
    __asm__ volatile(EIGHT(ZERO)                                          //
                     LOOP("blocks", EIGHT(READ_BODY), FORWARD("from", 8)) //
                     XOR(0, 1) XOR(2, 3) XOR(4, 5) XOR(6, 7) XOR(0, 2) XOR(4, 6) XOR(0, 4)
                         LOOP("vectors", READ_BODY(0), FORWARD("from", 1)) //
                     STORE(0, AT(0, "words"))
                     : [from] "+r"(from), [blocks] "+r"(blocks), [vectors] "+r"(vectors)
                     : [words] "r"(words)
                     : CLOBBERS, "cc", "memory");
    for (size_t i = 0; i < VECTOR / 8; i++)
        sum ^= words[i];
    for (; tail >= 8; tail -= 8, from += 8) {
        memcpy(&word, from, 8);
        sum ^= word;
    }
    word = 0;
    memcpy(&word, from, tail);
    return sum ^ word;
}

/* Loads the bytes and does nothing with them. */
static inline void load_bytes(const char *from, size_t bytes)
{
    size_t blocks = bytes / (8 * VECTOR), vectors = bytes / VECTOR % 8;
    size_t words = bytes % VECTOR / 4;
    __asm__ volatile(LOOP("blocks", EIGHT(LOAD_BODY), FORWARD("from", 8))
                         LOOP("vectors", LOAD_BODY(0), FORWARD("from", 1))
                             LOOP("words", LOAD_WORD, FORWARD_BYTES("from", "4"))
                     : [from] "+r"(from), [blocks] "+r"(blocks), [vectors] "+r"(vectors),
                       [words] "+r"(words)
                     :
                     : CLOBBERS, WORD_CLOBBER, "cc", "memory");
}

static inline void copy_vector(char *to, const char *from)
{
    __asm__ volatile(LOAD(AT(0, "from"), 0) STORE(0, AT(0, "to"))
                     :
                     : [to] "r"(to), [from] "r"(from)
                     : CLOBBERS, "memory");
}

static inline void write_bytes(char *to, size_t bytes, const char pattern[64])
{
    size_t blocks = bytes / (8 * VECTOR), vectors = bytes / VECTOR % 8;
    size_t tail = bytes % VECTOR;
    char *end = to + bytes;
    __asm__ volatile(LOAD(AT(0, "pattern"), 0)                           //
                     LOOP("blocks", EIGHT(WRITE_BODY), FORWARD("to", 8)) //
                     LOOP("vectors", WRITE_BODY(0), FORWARD("to", 1))
                     : [to] "+r"(to), [blocks] "+r"(blocks), [vectors] "+r"(vectors)
                     : [pattern] "r"(pattern)
                     : CLOBBERS, "cc", "memory");
    if (tail > 0 && bytes >= VECTOR)
        copy_vector(end - VECTOR, pattern);
    else
        memcpy(to, pattern, tail);
}

static inline void copy_bytes(char *to, const char *from, size_t bytes)
{
    size_t blocks = bytes / (8 * VECTOR), vectors = bytes / VECTOR % 8;
    size_t tail = bytes % VECTOR;
    char *to_end = to + bytes;
    const char *from_end = from + bytes;
    __asm__ volatile(
        LOOP("blocks", EIGHT(COPY), FORWARD("from", 8) FORWARD("to", 8))
            LOOP("vectors", COPY(0), FORWARD("from", 1) FORWARD("to", 1))
        : [to] "+r"(to), [from] "+r"(from), [blocks] "+r"(blocks), [vectors] "+r"(vectors)
        :
        : CLOBBERS, "cc", "memory");
    if (tail > 0 && bytes >= VECTOR)
        copy_vector(to_end - VECTOR, from_end - VECTOR);
    else
        memcpy(to, from, tail);
}

/* Loads and stores the same bytes. */
static inline void update_bytes(char *to, size_t bytes)
{
    size_t blocks = bytes / (8 * VECTOR), vectors = bytes / VECTOR % 8;
    size_t words = bytes % VECTOR / 4;
    __asm__ volatile(LOOP("blocks", EIGHT(UPDATE), FORWARD("to", 8))
                         LOOP("vectors", UPDATE(0), FORWARD("to", 1))
                             LOOP("words", UPDATE_WORD, FORWARD_BYTES("to", "4"))
                     : [to] "+r"(to), [blocks] "+r"(blocks), [vectors] "+r"(vectors),
                       [words] "+r"(words)
                     :
                     : CLOBBERS, WORD_CLOBBER, "cc", "memory");
}

/* ---- memory, past the caches ---- */

/* Only whole lines go past the caches, and only aligned memory can. */
static inline size_t bytes_to_line(const char *to, size_t bytes)
{
    size_t head = -(uintptr_t)to % 64;
    return head < bytes ? head : bytes;
}

static inline void write_stream_bytes(char *to, size_t bytes, const char pattern[64])
{
    size_t head = bytes_to_line(to, bytes);
    size_t lines = (bytes - head) / 64, tail = (bytes - head) % 64;
    size_t blocks = lines * 64 / (8 * VECTOR), vectors = lines * 64 / VECTOR % 8;
    memcpy(to, pattern, head);
    to += head;
    __asm__ volatile(LOAD(AT(0, "pattern"), 0)                             //
                     LOOP("blocks", EIGHT(WRITE_STREAM), FORWARD("to", 8)) //
                     LOOP("vectors", WRITE_STREAM(0), FORWARD("to", 1)) FENCE
                     : [to] "+r"(to), [blocks] "+r"(blocks), [vectors] "+r"(vectors)
                     : [pattern] "r"(pattern)
                     : CLOBBERS, "cc", "memory");
    memcpy(to, pattern, tail);
}

static inline void copy_stream_bytes(char *to, const char *from, size_t bytes)
{
    size_t head = bytes_to_line(to, bytes);
    size_t lines = (bytes - head) / 64, tail = (bytes - head) % 64;
    size_t blocks = lines * 64 / (8 * VECTOR), vectors = lines * 64 / VECTOR % 8;
    memcpy(to, from, head);
    to += head;
    from += head;
    __asm__ volatile(
        LOOP("blocks", EIGHT(COPY_STREAM), FORWARD("from", 8) FORWARD("to", 8))
            LOOP("vectors", COPY_STREAM(0), FORWARD("from", 1) FORWARD("to", 1)) FENCE
        : [to] "+r"(to), [from] "+r"(from), [blocks] "+r"(blocks), [vectors] "+r"(vectors)
        :
        : CLOBBERS, "cc", "memory");
    memcpy(to, from, tail);
}

/* ---- memory, operand by operand ---- */

typedef void write_function(char *to, size_t bytes, const char pattern[64]);
typedef void copy_function(char *to, const char *from, size_t bytes);

static inline void read_all(const struct simdbench_operands *operands, uint64_t *sum)
{
    *sum = 0;
    for (uint32_t i = 0; i < operands->count; i++) {
        const struct simdbench_operand *operand = operands->operand[i];
        if (operand->role != SIMDBENCH_OUT)
            *sum ^= read_bytes(operand->data, operand_bytes(operand));
    }
}

static inline void write_all(const struct simdbench_operands *operands,
                             write_function *write, const void *pattern)
{
    for (uint32_t i = 0; i < operands->count; i++) {
        const struct simdbench_operand *operand = operands->operand[i];
        if (operand_is_output(operand))
            write(operand->data, operand_bytes(operand), pattern);
    }
}

#include "roof_side.h"

static inline void copy_first(const struct simdbench_operands *operands,
                              copy_function *copy)
{
    const struct simdbench_operand *in = NULL, *out = NULL;
    for (uint32_t i = operands->count; i-- > 0;) {
        if (operand_is_output(operands->operand[i]))
            out = operands->operand[i];
        else
            in = operands->operand[i];
    }
    if (!in || !out)
        return;
    size_t from = operand_bytes(in), to = operand_bytes(out);
    copy(out->data, in->data, from < to ? from : to);
}

/* A kernel that does `statement`. */
#define STREAM_KERNEL(type, isa, variant, statement)                                \
    void roof_##type##_##isa##_##variant(const struct simdbench_operands *operands, \
                                         void *state)                               \
    {                                                                               \
        static const type##_C ones[16] = SPLAT(1);                                  \
        struct roof_streams *const streams = state;                                 \
        operands = streams->longer ? &streams->longer->view : operands;             \
        (void)ones;                                                                 \
        statement;                                                                  \
        __asm__ volatile(LEAVE : : : CLOBBERS);                                     \
    }
#define PASSES for (int64_t pass = streams->passes; pass > 0; pass--)

#define MEMORY(type, isa)                                                          \
    STREAM_KERNEL(type, isa, load, side_all(operands, streams->passes, true))      \
    STREAM_KERNEL(type, isa, read, PASSES read_all(operands, &streams->sum))       \
    STREAM_KERNEL(type, isa, write, PASSES write_all(operands, write_bytes, ones)) \
    STREAM_KERNEL(type, isa, write_stream,                                         \
                  PASSES write_all(operands, write_stream_bytes, ones))            \
    STREAM_KERNEL(type, isa, copy, PASSES copy_first(operands, copy_bytes))        \
    STREAM_KERNEL(type, isa, copy_stream,                                          \
                  PASSES copy_first(operands, copy_stream_bytes))                  \
    STREAM_KERNEL(type, isa, streams, side_all(operands, streams->passes, false))
