/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by form.c (names), forms.c (all of them), encode.c (instructions with chosen
 * registers), block.c (loops of them), links.c (what waits for what), timing.c (times of
 * loops), form_cycles.c (a form's cycles) and measure.c (the child process). */
#pragma once

#include "decode.h"

#include "passport.h"

/* ---- form.c ---- */

enum kind { KIND_NONE, KIND_GENERAL, KIND_VECTOR, KIND_MASK, KIND_FLAGS, KIND_MEMORY };

/* An instruction without the mask k0. */
struct decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedOperand all[ZYDIS_MAX_OPERAND_COUNT]; /* with k0 */
    unsigned n, n_visible;
};
int decoded_read(const unsigned char *code, size_t n, struct decoded *decoded);
/* The form of the instruction at `code`, which was read. */
void decoded_form(const struct decoded *decoded, const unsigned char *code,
                  struct passport_form *form);
enum kind operand_kind(const ZydisDecodedOperand *operand);
/* Its register without regard to width: 0 is rax, xmm0 and zmm0, or k0. */
int register_number(ZydisRegister name);
/* Merging with the old value reads it. */
bool operand_reads(const ZydisDecodedOperand *operand);
bool operand_writes(const ZydisDecodedOperand *operand);
/* True if any register may stand in its place. */
bool operand_is_free(const ZydisDecodedOperand *operand);
/* The reason why it must not run, or NULL. */
const char *decoded_refusal(const struct decoded *decoded);
/* Integer divisions, whose operands must fit. */
bool decoded_divides(const struct decoded *decoded);

/* ---- block.c: a loop in executable memory ---- */

enum {
    REG_BASE = 14,   /* holds the address of the data */
    REG_TURNS = 15,  /* counts turns */
    REG_HELPER = 12, /* of the helpers between instructions */
    BLOCK_BYTES = 32768,
    /* Offsets in the data. */
    DATA_GENERAL = 0,   /* 16 initial values of general registers */
    DATA_MASKS = 256,   /* 8 */
    DATA_VECTORS = 512, /* 32 */
    DATA_ZEROS = 4096,
    DATA_PLACES = 8192, /* of memory operands, at multiples of */
    DATA_STEP = 64,
    DATA_BYTES = 65536
};
struct block {
    unsigned char *code; /* BLOCK_BYTES */
    size_t n, loop;      /* bytes so far; where turns begin */
    bool failed;         /* an instruction could not be encoded, or there is no room */
    bool legacy;         /* SSE without VEX all through */
};
ZydisRegister register_of(enum kind kind, int number, unsigned bits);
/* Operands of emit(). */
ZydisEncoderOperand operand_register(ZydisRegister name);
ZydisEncoderOperand operand_at(int base, int64_t offset, unsigned bytes);
ZydisEncoderOperand operand_number(int64_t value);
/* Appends an instruction: (block, mnemonic, operands...). */
void emit_operands(struct block *block, ZydisMnemonic mnemonic, size_t n,
                   const ZydisEncoderOperand *operands);
#define emit(block, name, ...)                                       \
    emit_operands(block, ZYDIS_MNEMONIC_##name,                      \
                  ARRAY_LEN(((ZydisEncoderOperand[]){__VA_ARGS__})), \
                  (ZydisEncoderOperand[]){__VA_ARGS__})
/* A whole vector register of 128, 256 or 512 bits. */
void emit_load(struct block *block, ZydisEncoderOperand to, ZydisEncoderOperand from,
               unsigned bits);
void emit_request(struct block *block, const ZydisEncoderRequest *request);
/* A function of the number of turns begins; its address is `code`. */
void block_begin(struct block *block, const unsigned char *data);
void block_loop(struct block *block); /* instructions that follow run in each turn */
size_t block_body(const struct block *block); /* bytes of a turn so far */
void block_end(struct block *block);

/* ---- encode.c ---- */

/* The values in place of the free operands. */
struct choice {
    int number[ZYDIS_MAX_OPERAND_COUNT]; /* register; of memory: its base, of a gather its
                                            index */
    int64_t place; /* of the memory operand, from the beginning of the data */
};
/* 0, or -EINVAL: the encoder has no such form. */
int choice_request(const struct decoded *decoded, const struct choice *choice,
                   ZydisEncoderRequest *request);
/* True if an encoded request is of a form. */
bool request_is(const ZydisEncoderRequest *request, const char *name);
/* Initial values: floats are 1, divisors and counts small, masks ones. */
void data_fill(unsigned char *data, const struct decoded *decoded);

/* ---- registers.c ---- */

enum { ROOM = 12 };
struct pool {
    int number[ROOM];
    int n;
};
/* Registers for results. */
struct pool choice_pool(const struct decoded *decoded, enum kind kind);
bool operand_is_vsib(const ZydisDecodedOperand *operand);
bool decoded_gathers(const struct decoded *decoded);
/* Chooses sources; results stand in the pool of `registers` from `first` on. */
void choice_make(const struct decoded *decoded, unsigned first, unsigned registers,
                 struct choice *choice);
/* The register of operand i. */
int choice_number(const struct decoded *decoded, const struct choice *choice, unsigned i);
unsigned block_vector_bits(const struct block *block);
/* Loads again the registers that the form destroys, except operand `kept`, and, if
 * `turns`, except free operands, which take turns. */
void choice_load_destroyed(struct block *block, const struct decoded *decoded,
                           const struct choice *choice, int kept, bool turns, bool flags);
void choice_emit(struct block *block, const struct decoded *decoded,
                 const struct choice *choice);
/* Number of registers that take results in turns. */
unsigned chain_registers(const struct decoded *decoded);
/* Instructions that do not wait for each other. */
struct apart {
    unsigned registers; /* for their results */
    bool flags;         /* those that they read are made anew before each */
    bool near;          /* places in memory lie side by side, not in a line each */
    unsigned beside;    /* after each come some of that unit; 0: none */
    unsigned many;      /* so many */
};
/* Units beside those of a passport: bitwise operations of 256 and of 512 bits. */
enum { BITWISE_256 = 1 << PASSPORT_UNITS, BITWISE_512 = BITWISE_256 << 1 };
enum { SESSION_UNITS = PASSPORT_UNITS + 2 };
/* Writes an instruction of that unit which waits for nothing. SSE without VEX has no
 * permutes across lanes: a move from a general register takes their place. */
void chain_beside(struct block *block, unsigned unit);
void chain_none(struct block *block, const struct decoded *decoded, unsigned copies,
                const struct apart *apart);

/* ---- links.c ---- */

/* Cycles of the helpers between instructions. */
struct helpers {
    double move, clear, set, load; /* of general registers */
    double vector, mask, flags;    /* half of the way there and back */
};
/* Waits for all before it. */
void chain_fence(struct block *block);
/* Writes a chain of `copies`: each waits by one link for the copy before it. `help`: the
 * cycles of the helper instructions between two copies. False: there is no such chain. */
bool chain_link(struct block *block, const struct decoded *decoded,
                const struct passport_link *link, unsigned copies,
                const struct helpers *helpers, double *help);
/* Links that can be measured, without their cycles. */
size_t chain_links(const struct decoded *decoded, struct passport_link *links);
/* Sets the link from the old value of its result; false: it has no register for its
 * result, or needs the old value. */
bool chain_may_keep(const struct decoded *decoded, struct passport_link *link);
/* Writes helpers alone. */
enum helper {
    HELPER_ADD,   /* additions of a cycle each */
    HELPER_CLOCK, /* multiplications */
    HELPER_MOVE,
    HELPER_CLEAR,
    HELPER_SET,
    HELPER_LOAD, /* with a clear */
    HELPER_VECTOR,
    HELPER_MASK,
    HELPER_FLAGS,
    HELPERS
};
void chain_helper(struct block *block, enum helper helper, unsigned copies);

/* ---- timing.c ---- */

/* Time of one call of a block, in any unit. */
struct timer {
    double (*time)(void *context, unsigned char *code, uint64_t turns);
    void *context;
};
/* Two blocks that differ by how many instructions a turn has. */
struct lengths {
    unsigned char *less, *more;
};
/* Times of calls of both blocks, each the least of many samples. */
struct times {
    uint64_t turns; /* of a call */
    double less, more;
};

enum { TIMER_CALLS = 3 };
/* The least time of so many calls. */
double timer_least(const struct timer *timer, unsigned char *code, uint64_t turns,
                   unsigned calls);
/* Times of `a` and `b`, whose samples take turns. */
void timer_both(const struct timer *timer, const struct lengths *a,
                const struct lengths *b, struct times *of_a, struct times *of_b);
/* The time of one of so many copies; `cycle` is that of the clock. */
double timer_copy(const struct timer *timer, const struct lengths *a,
                  const struct times *times, unsigned copies, double cycle);

/* ---- form_cycles.c ---- */

/* The tools of one process that measures. The clock is a chain of multiplications, as
 * long ones lose less than additions where another thread shares the core. */
struct session {
    struct timer timer;
    unsigned char *data;
    struct block block[2]; /* of a form: less, more */
    struct block clock[2];
    double clock_cycles;        /* that the longer one takes more than the shorter one */
    struct helpers few, full;   /* while few instructions wait, while many do */
    double unit[SESSION_UNITS]; /* cycles of an instruction of each; 0: none here */
    double sse_permute;         /* of that move; 0: permutes run beside it */
};
enum { SESSION_BLOCKS = 4 };
/* The clock, and what helpers take unless this is known. The data are zero. */
void session_prepare(struct session *session, bool helpers_too);
/* `links`: latencies, too. */
void session_measure(struct session *session, const struct passport_form *form,
                     bool links, struct passport *passport);
/* The reason why a form is not known: "WHY NAME", or "WHY" if `name` is NULL. */
void passport_refuse(struct passport *passport, const char *why, const char *name);
