/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine code that calls a function by the System V ABI for x86-64: the first six
 * integers in rdi, rsi, rdx, rcx, r8, r9, the first eight floats and vectors in xmm0 to
 * xmm7 (ymm, zmm), all others on the stack in their order, a word each.
 */
#include "thunk_private.h"

#include <cpuid.h>
#include <sys/mman.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
static const uint8_t integer_registers[INTEGERS] = {RDI, RSI, RDX, RCX, R8, R9};
static const uint8_t saved_registers[SAVED_REGISTERS] = {RBX, RBP, R12, R13, R14, R15};

const uint64_t thunk_patterns[SAVED_REGISTERS] = {0x5bd1e9955bd1e995, 0x9e3779b97f4a7c15,
                                                  0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
                                                  0xd6e8feb86659fd93, 0xa0761d6478bd642f};

/* ---- writing code ---- */

struct emitter {
    unsigned char *at;
    unsigned char *state; /* source of the state */
    bool frees;           /* its code goes on behind the call, to free what it made */
};

static void emit(struct emitter *e, const void *bytes, size_t n)
{
    memcpy(e->at, bytes, n);
    e->at += n;
}
#define EMIT(e, ...)                              \
    emit(e, (const unsigned char[]){__VA_ARGS__}, \
         sizeof((const unsigned char[]){__VA_ARGS__}))

static void emit_u32(struct emitter *e, uint32_t value)
{
    emit(e, &value, sizeof value);
}

/* An instruction of a register and of memory at a distance from a base register, neither
 * rsp nor r12. */
static void emit_memory(struct emitter *e, uint8_t opcode, unsigned reg, unsigned base,
                        size_t distance)
{
    EMIT(e, (unsigned char)(0x48 | (reg >> 3) << 2 | base >> 3), opcode,
         (unsigned char)(0x80 | (reg & 7) << 3 | (base & 7)));
    emit_u32(e, (uint32_t)distance);
}
enum { LOAD = 0x8b, STORE = 0x89, LEA = 0x8d };

/* Memory of the state, relative to the next instruction: `prefix` and opcodes, then a
 * modrm byte with `reg`. */
static void emit_state(struct emitter *e, const void *opcode, size_t n, unsigned reg,
                       size_t offset)
{
    emit(e, opcode, n);
    EMIT(e, (unsigned char)(0x05 | (reg & 7) << 3));
    emit_u32(e, (uint32_t)(e->state + offset - (e->at + 4)));
}
#define STATE(e, reg, member, ...)                                \
    emit_state(e, (const unsigned char[]){__VA_ARGS__},           \
               sizeof((const unsigned char[]){__VA_ARGS__}), reg, \
               offsetof(struct thunk_state, member))
#define WIDE(reg) (unsigned char)(0x48 | ((reg) >> 3) << 2)

static void emit_constant(struct emitter *e, unsigned reg, uint64_t value)
{
    EMIT(e, (unsigned char)(0x48 | reg >> 3), (unsigned char)(0xb8 | (reg & 7)));
    emit(e, &value, sizeof value);
}

/* ---- arguments ---- */

static size_t word_at(uint32_t i)
{
    return offsetof(struct call_frame, word) + 8 * i;
}

static size_t slot_at(uint32_t i)
{
    return offsetof(struct call_frame, slot) + 8 * i;
}

/* ---- vectors ---- */

static uint32_t vector_bytes(enum call_class class)
{
    return class == CALL_VECTOR_64   ? 64
           : class == CALL_VECTOR_32 ? 32
           : class == CALL_VECTOR_16 ? 16
                                     : 0;
}

/* movups, vmovups of ymm, of zmm: the bytes before modrm; 0x10 loads, 0x11 stores. */
static size_t vector_opcode(uint32_t bytes, unsigned char direction,
                            unsigned char code[6])
{
    static const unsigned char codes[3][6] = {
        {0x0f}, {0xc5, 0xfc}, {0x62, 0xf1, 0x7c, 0x48}};
    static const size_t lengths[3] = {1, 2, 4};
    const int i = bytes == 64 ? 2 : bytes == 32;
    memcpy(code, codes[i], sizeof codes[i]);
    code[lengths[i]] = direction;
    return lengths[i] + 1;
}

static void load_vector(struct emitter *e, uint32_t i, unsigned reg, uint32_t bytes,
                        unsigned base)
{
    unsigned char code[6];
    emit_memory(e, LOAD, RAX, base, word_at(i));
    emit(e, code, vector_opcode(bytes, 0x10, code));
    EMIT(e, (unsigned char)(reg << 3)); /* [rax] */
}

/* The value of an argument that is no float, in a register. */
static void load_integer(struct emitter *e, const struct call_signature *signature,
                         uint32_t i, unsigned reg, unsigned base)
{
    if (signature->argument[i] == CALL_ADDRESS)
        emit_memory(e, LEA, reg, base, slot_at(i));
    else
        emit_memory(e, LOAD, reg, base, word_at(i));
}

/* Writes structures anew, as each call finds them. */
static void fill_slots(struct emitter *e, const struct call_signature *signature,
                       unsigned base)
{
    for (uint32_t i = 0; i < DECLARED_MAX; i++) {
        const bool slot = i < signature->n && signature->argument[i] == CALL_ADDRESS;
        if (slot || signature->renewed[i])
            emit_memory(e, LOAD, RAX, base, word_at(i));
        if (slot)
            emit_memory(e, STORE, RAX, base, slot_at(i));
        for (uint32_t at = 0; at < signature->renewed[i]; at += 8) {
            emit_memory(e, LOAD, RCX, RAX, signature->renewed[i] + at);
            emit_memory(e, STORE, RCX, RAX, at);
        }
    }
}

/* All arguments, from a frame that `base` points to, and the call, or the jump to where
 * the caller's call was meant to go. `room`: bytes that the stack pointer goes down by,
 * so that it is a multiple of 16 at the call. */
static void emit_way(struct emitter *e, const struct call_signature *signature,
                     const void *function, unsigned base, unsigned room, bool jump)
{
    struct route route[DECLARED_MAX];
    unsigned floats;
    routes_find(signature, route, &floats);
    if (room) {
        EMIT(e, 0x48, 0x81, 0xec); /* sub rsp, room */
        emit_u32(e, room);
    }
    fill_slots(e, signature, base);
    for (uint32_t i = 0; i < signature->n; i++) {
        if (route[i].in_register && signature->argument[i] == CALL_VECTOR) {
            /* movsd xmm, [base + word] */
            EMIT(e, 0xf2, (unsigned char)(0x40 | base >> 3), 0x0f, 0x10,
                 (unsigned char)(0x80 | route[i].number << 3 | (base & 7)));
            emit_u32(e, (uint32_t)word_at(i));
        } else if (vector_bytes(signature->argument[i])) {
            load_vector(e, i, route[i].number, vector_bytes(signature->argument[i]),
                        base);
        } else if (route[i].in_register) {
            load_integer(e, signature, i, integer_registers[route[i].number], base);
        } else {
            load_integer(e, signature, i, RAX, base);
            EMIT(e, 0x48, 0x89, 0x84, 0x24); /* mov [rsp + 8 * number], rax */
            emit_u32(e, 8 * route[i].number);
        }
    }
    EMIT(e, 0xb8); /* mov eax, floats: for functions with "..." */
    emit_u32(e, floats);
    emit_constant(e, R11, (uintptr_t)function);
    EMIT(e, 0x41, 0xff, jump ? 0xe3 : 0xd3); /* jmp r11, call r11 */
}

static void emit_call(struct emitter *e, const struct call_signature *signature,
                      const void *function, unsigned base, unsigned room)
{
    emit_way(e, signature, function, base, room, false);
}

static unsigned stack_words(const struct call_signature *signature)
{
    struct route route[DECLARED_MAX];
    unsigned floats;
    return routes_find(signature, route, &floats);
}

/* test rdi, rdi; jz behind the call */
static void emit_free(struct emitter *e, void (*function)(void *), bool by_address,
                      size_t at)
{
    if (!function)
        return;
    emit_memory(e, LOAD, RDI, RBX, at);
    EMIT(e, 0x48, 0x85, 0xff, 0x74, by_address ? 22 : 13);
    if (by_address)
        EMIT(e, 0x57, 0x57, 0x48, 0x89, 0xe7); /* push rdi, twice; mov rdi, rsp */
    emit_constant(e, R11, (uintptr_t)function);
    EMIT(e, 0x41, 0xff, 0xd3);
    if (by_address)
        EMIT(e, 0x48, 0x83, 0xc4, 16); /* add rsp, 16 */
    e->frees = true;
}

/* ---- the two forms ---- */

static void emit_plain(struct emitter *e, const struct thunk *thunk,
                       const struct call_signature *signature, const void *function)
{
    const unsigned room = (8 * stack_words(signature) + 15) & ~15u;
    EMIT(e, 0xf3, 0x0f, 0x1e, 0xfa); /* endbr64 */
    EMIT(e, 0x53);                   /* push rbx: the stack is aligned from here on */
    EMIT(e, 0x48, 0x89, 0xfb);       /* mov rbx, rdi */
    emit_call(e, signature, function, RBX, room);
    if (signature->result_bytes) {
        unsigned char code[6];
        emit(e, code, vector_opcode(signature->result_bytes, 0x11, code));
        EMIT(e, 0x83); /* [rbx + vector] */
        emit_u32(e, offsetof(struct call_frame, vector));
    } else if (signature->vector_result) {
        EMIT(e, 0xf2, 0x0f, 0x11, 0x83); /* movsd [rbx + result], xmm0 */
        emit_u32(e, offsetof(struct call_frame, result));
    } else {
        emit_memory(e, STORE, RAX, RBX, offsetof(struct call_frame, result));
    }
    if (thunk->wide)
        EMIT(e, 0xc5, 0xf8, 0x77); /* vzeroupper */
    emit_free(e, signature->free_result, signature->result_by_address,
              offsetof(struct call_frame, result));
    for (uint32_t i = 0; i < signature->n; i++)
        emit_free(e, signature->free_slot[i], signature->slot_by_address[i], slot_at(i));
    if (signature->after) {
        EMIT(e, 0x48, 0x89, 0xdf); /* mov rdi, rbx */
        emit_constant(e, R11, (uintptr_t)signature->after);
        EMIT(e, 0x41, 0xff, 0xd3);
        e->frees = true;
    }
    if (room) {
        EMIT(e, 0x48, 0x81, 0xc4); /* add rsp, room */
        emit_u32(e, room);
    }
    EMIT(e, 0x5b, 0xc3); /* pop rbx; ret */
}

/* Leaves the stack to the function, which returns to the caller by itself. */
static void emit_jump(struct emitter *e, const struct call_signature *signature,
                      const void *function)
{
    EMIT(e, 0xf3, 0x0f, 0x1e, 0xfa); /* endbr64 */
    EMIT(e, 0x49, 0x89, 0xfa);       /* mov r10, rdi */
    emit_way(e, signature, function, R10, 0, true);
}

/* mov ecx, 1; xgetbv: which states are in use, into edx:eax */
static void emit_in_use(struct emitter *e, bool after)
{
    EMIT(e, 0xb9, 1, 0, 0, 0, 0x0f, 0x01, 0xd0);
    if (after)
        STATE(e, RAX, in_use_after, 0x89);
    else
        STATE(e, RAX, in_use, 0x89);
}

static void emit_push_all(struct emitter *e)
{
    for (size_t i = 0; i < SAVED_REGISTERS; i++)
        EMIT(e, (unsigned char)(0x40 | saved_registers[i] >> 3),
             (unsigned char)(0x50 | (saved_registers[i] & 7)));
}

static void emit_pop_all(struct emitter *e)
{
    for (size_t i = SAVED_REGISTERS; i-- > 0;)
        EMIT(e, (unsigned char)(0x40 | saved_registers[i] >> 3),
             (unsigned char)(0x58 | (saved_registers[i] & 7)));
}

static void emit_before(struct emitter *e, const struct thunk *thunk)
{
    STATE(e, RDI, frame, 0x48, 0x89);
    STATE(e, 3, mxcsr, 0x0f, 0xae); /* stmxcsr */
    /* emms: an unchecked call before may have left MMX state. */
    EMIT(e, 0x0f, 0x77);
    STATE(e, 6, x87, 0xd9); /* fnstenv */
    if (thunk->has_avx)
        EMIT(e, 0xc5, 0xf8, 0x77); /* vzeroupper */
    if (thunk->has_in_use)
        emit_in_use(e, false);
    STATE(e, R10, frame, WIDE(R10), 0x8b);
    for (size_t i = 0; i < SAVED_REGISTERS; i++)
        emit_constant(e, saved_registers[i], thunk_patterns[i]);
}

/* No register is known to be what it was, and the stack pointer is not either. */
static void emit_after(struct emitter *e, const struct thunk *thunk)
{
    STATE(e, RSP, stack_after, 0x48, 0x89);
    STATE(e, RSP, stack, 0x48, 0x8b);
    STATE(e, RAX, result, 0x48, 0x89);
    if (thunk->result_bytes) {
        unsigned char code[6];
        emit_state(e, code, vector_opcode(thunk->result_bytes, 0x11, code), 0,
                   offsetof(struct thunk_state, wide_result));
    }
    STATE(e, 0, vector_result, 0xf2, 0x0f, 0x11); /* movsd */
    for (unsigned i = 0; i < SAVED_REGISTERS; i++)
        emit_state(e, (unsigned char[]){WIDE(saved_registers[i]), 0x89}, 2,
                   saved_registers[i], offsetof(struct thunk_state, saved) + 8 * i);
    EMIT(e, 0x9c, 0x58, 0xfc); /* pushfq; pop rax; cld */
    STATE(e, RAX, flags_after, 0x48, 0x89);
    STATE(e, 3, mxcsr_after, 0x0f, 0xae);
    STATE(e, 2, mxcsr, 0x0f, 0xae); /* ldmxcsr */
    STATE(e, 6, x87_after, 0xd9);   /* fnstenv */
    STATE(e, 4, x87, 0xd9);         /* fldenv: control and tags of before */
    if (thunk->has_in_use)
        emit_in_use(e, true);
    for (unsigned i = 0; i < VECTORS && thunk->has_avx; i++)
        /* vmovups [vector + 32 i], ymm */
        emit_state(e, (unsigned char[]){0xc5, i < 8 ? 0xfc : 0x7c, 0x11}, 3, i,
                   offsetof(struct thunk_state, vector) + 32 * i);
    if (thunk->has_avx)
        EMIT(e, 0xc5, 0xf8, 0x77);
}

static void emit_checked(struct emitter *e, const struct thunk *thunk,
                         const struct call_signature *signature, const void *function)
{
    /* Six pushes leave the stack 8 bytes off a multiple of 16. */
    const unsigned room = ((8 * stack_words(signature) + 15) & ~15u) + 8;
    EMIT(e, 0xf3, 0x0f, 0x1e, 0xfa);
    emit_push_all(e);
    EMIT(e, 0x48, 0x81, 0xec);
    emit_u32(e, room);
    STATE(e, RSP, stack, 0x48, 0x89);
    emit_before(e, thunk);
    emit_call(e, signature, function, R10, 0);
    emit_after(e, thunk);
    EMIT(e, 0x48, 0x81, 0xc4);
    emit_u32(e, room);
    emit_pop_all(e);
    EMIT(e, 0xc3);
}

/* ---- making one ---- */

/* Asked once: CPUID leaves a virtual machine, which takes longer than most calls. */
static bool has_in_use(void)
{
    static _Atomic int has = -1;
    unsigned a, b, c, d;
    if (has < 0)
        has = __builtin_cpu_supports("avx") &&
              __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a & 1u << 2;
    return has;
}

/* The vectors of a signature, and whether this CPU has them. */
static int look_at_vectors(const struct call_signature *signature, struct thunk *thunk,
                           struct error *error)
{
    uint32_t most = signature->result_bytes;
    for (uint32_t i = 0; i < signature->n; i++) {
        const uint32_t bytes = vector_bytes(signature->argument[i]);
        most = bytes > most ? bytes : most;
    }
    thunk->result_bytes = signature->result_bytes;
    thunk->wide = most > 16;
    if (most == 32 && !thunk->has_avx)
        return error_set(error, -ENOTSUP, "this CPU has no vectors of 32 bytes (AVX)");
    if (most == 64 && !(thunk->has_avx && __builtin_cpu_supports("avx512f")))
        return error_set(error, -ENOTSUP,
                         "this CPU has no vectors of 64 bytes (AVX-512)");
    return 0;
}

int thunk_make(const struct call_signature *signature, const void *function,
               struct thunk **out, struct error *error)
{
    struct thunk *thunk = calloc(1, sizeof *thunk);
    *out = NULL;
    if (!thunk)
        return no_memory(error);
    thunk->bytes = THUNK_PAGE + 2 * THUNK_CODE;
    thunk->pages = mmap(NULL, thunk->bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (thunk->pages == MAP_FAILED) {
        const int status = -errno;
        free(thunk);
        return error_set(error, status, "no memory for the code of a call: %s",
                         strerror(-status));
    }
    thunk->vector_result = signature->vector_result;
    thunk->has_avx = __builtin_cpu_supports("avx");
    thunk->has_in_use = has_in_use();
    const int fit = look_at_vectors(signature, thunk, error);
    if (fit < 0) {
        thunk_free(thunk);
        return fit;
    }
    struct emitter e = {.at = thunk->pages + THUNK_PAGE, .state = thunk->pages};
    emit_plain(&e, thunk, signature, function);
    e.at = thunk->pages + THUNK_PAGE + THUNK_CODE / 2;
    const bool whole = stack_words(signature) || thunk->wide || e.frees;
    thunk->jump = whole ? 0 : THUNK_CODE / 2;
    if (thunk->jump)
        emit_jump(&e, signature, function);
    thunk->checked = THUNK_CODE;
    e.at = thunk->pages + THUNK_PAGE + thunk->checked;
    emit_checked(&e, thunk, signature, function);
    if (mprotect(thunk->pages + THUNK_PAGE, 2 * THUNK_CODE, PROT_READ | PROT_EXEC) < 0) {
        const int status = -errno;
        thunk_free(thunk);
        return error_set(error, status, "this process may not make code that can run: %s",
                         strerror(-status));
    }
    *out = thunk;
    return 0;
}

void thunk_free(struct thunk *thunk)
{
    if (thunk)
        munmap(thunk->pages, thunk->bytes);
    free(thunk);
}

call_code *thunk_code(const struct thunk *thunk)
{
    return (call_code *)(uintptr_t)(thunk->pages + THUNK_PAGE);
}

call_code *thunk_jump(const struct thunk *thunk)
{
    return (call_code *)(uintptr_t)(thunk->pages + THUNK_PAGE + thunk->jump);
}
