/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by called_module.c, called_op.c (the functions of an op), called_answers.c,
 * called_tails.c, called_fill.c (inputs), called_call.c (a function at a shape),
 * called_tables.c (pointers to planes), called_guard.c (guard pages) and called_crash.c
 * (signals). */
#pragma once

#include "declared/declared.h"
#include "library_files.h"

/* Limits of a file; and of the three builds of it that `ab` loads into a process. */
enum { DECLARED_OPS_MAX = 64, DECLARED_SLOTS = 3 * DECLARED_OPS_MAX };
enum { NO_OPERAND = -1, ANSWERED_BY_REFERENCE = -1 };

struct declared_function {
    void *address;
    struct declared_slot *slot;
    struct simdbench_kernel kernel;
    char variant[DECLARED_NAME], isa[DECLARED_NAME];
    bool tails_checked;
};

/* The place where an operand comes from: an argument, of an INOUT array twice; or what
 * the function returns. */
struct operand_source {
    int argument; /* NO_OPERAND: the result */
    uint32_t type, role, source;
};

/* Facts about the answers that were computed last, in this process. */
struct last_answers {
    int by;                   /* function that gave them */
    bool computed;            /* there are any */
    bool varies;              /* they are others in each call */
    bool unseen;              /* nothing of them can be compared */
    char note[DECLARED_TEXT]; /* what a user should know of them */
};

/* An op. Its functions have no argument that could name it, so there are as many sets of
 * them as there are slots. */
struct declared_slot {
    struct declared *declared;
    const struct declared_op *from;
    struct simdbench_op op;
    uint32_t n_operands;
    struct operand_source operand[SIMDBENCH_MAX_OPERANDS];
    int pointer[DECLARED_MAX]; /* of an argument: the operand that is passed */
    uint32_t type;             /* of the op's cases */
    struct declared_function *function;
    size_t n_functions;
    void *handle; /* of the library */
    struct library library;
    void *reference;    /* NULL: functions have to agree */
    void *other_handle; /* of the library that the reference is in */
    struct library other;
    char *other_linked;
    struct kept_calls calls; /* of a program; n = 0: none */
    uint64_t set;            /* the set that is filled next */
    struct last_answers last;
    bool varied[SIMDBENCH_MAX_OPERANDS]; /* two calls wrote other values there, once */
    struct simdbench_shape varied_at;    /* at that shape */
    char trouble[DECLARED_TEXT];         /* reason why there were none */
    char *summary, *shape_help;
    struct simdbench_shape_list *list;
    const struct simdbench_shape_list **lists;
    char *tails;
    char *linked; /* temporary shared object; NULL: none */
};

struct declared {
    struct declared_file file;
    struct declared_slot *slot[DECLARED_OPS_MAX];
    size_t n_slots;
    const struct simdbench_op **ops;
    const struct simdbench_kernel **kernels;
    struct declared_function **function; /* by kernel */
    size_t n_functions;
    struct simdbench_module table;
    char name[DECLARED_NAME];
    char version[DECLARED_TEXT];
    char path[4096];
};

/* called_op.c */
/* Takes one of the sets of functions, or -E2BIG. */
int slot_take(struct declared_slot *slot, struct error *error);
void slot_give(const struct declared_slot *slot);
/* The slot of an op; NULL: it is no declared op. */
struct declared_slot *slot_of(const struct simdbench_op *op);
/* The declaration at that shape. */
int slot_measure(const struct declared_slot *slot, const struct simdbench_shape *shape,
                 struct declared_sizes *sizes, struct error *error);
/* The slot's operands, its result, and the element type of its cases. -E2BIG: too many.
 */
int called_operands(struct declared_slot *slot, struct error *error);

/* called_answers.c: what op->reference() and op->verify() do. */
int op_reference(struct declared_slot *slot, const struct simdbench_operands *operands,
                 const uint64_t *index, uint64_t n, void *value, double *slack);
int op_verify(struct declared_slot *slot, const struct simdbench_operands *operands,
              char *text, size_t size);

/* called_kept.c */
int slot_open_calls(struct declared_slot *slot, struct error *error);
/* Integers of the call of that set, in place of the prototype's. */
void slot_set_kept(const struct declared_slot *slot, const int64_t *dimension,
                   uint64_t set, struct declared_sizes *sizes);
/* Writes what an array had in the call that is due. False: no such bytes were kept. */
bool slot_fill_kept(const struct declared_slot *slot, const int64_t *dimension,
                    int argument, const struct simdbench_operand *operand);

/* called_values.c */
/* A number, or an expression of dimensions. */
struct input_value {
    bool whole;
    int64_t integer;
    double number; /* of a whole one too */
};
/* Without dimensions it is only looked whether it can be read. */
bool value_read(const struct declaration *declaration, const char *text, size_t length,
                const int64_t *dimension, struct input_value *value);
/* "w, 0.5, 2 * (h + 1)"; how many there are, or -EINVAL. */
int values_read(const struct declaration *declaration, const char *text,
                const int64_t *dimension, struct input_value value[VALUES_MAX]);
void value_set(const struct simdbench_operand *operand, uint64_t e,
               const struct input_value *value);
/* The array gets those values, and zeros. */
void values_fill(const struct declared_slot *slot, const int64_t *dimension,
                 const struct simdbench_operand *operand, const char *text);

/* called_fill.c */
#define DECLARED_INPUTS                                                               \
    "default, normal, uniform:LO..HI, sorted, indices:LO..HI, runs, constant:VALUE, " \
    "zero, edges, text, values:A,B.., file:PATH"
/* -EINVAL: `input` is none of them. */
int slot_fill(struct declared_slot *slot, const struct simdbench_operands *operands,
              uint64_t seed, const char *input);
/* True if elements of such an input go together. */
bool input_is_joint(const char *input);
/* True if other values in its place would have no sense: a text, a file. */
bool input_has_form(const char *input);
/* -EINVAL with a sentence. */
int input_check(const struct declaration *declaration, const char *input,
                struct error *error);

/* called_call.c */
struct made_call {
    struct declared_call call; /* comes first */
    const struct declared_slot *slot;
    const struct declared_function *function; /* NULL: the reference */
    struct thunk *thunk, *empty;              /* NULL of a further set */
    struct thunk *looks; /* also looks at what the call made; NULL: it makes nothing that
                            is compared */
    int64_t content[DECLARED_MAX], content_returned; /* what it saw there; 0: nothing */
    bool content_ends;                               /* memory ended before its length */
    struct made_call *sets;                          /* further ones, a list */
    struct declared_sizes sizes;
    struct call_frame frame;
    struct simdbench_operands operands;
    size_t step[DECLARED_MAX];  /* bytes from one plane to the next */
    void **table[DECLARED_MAX]; /* pointers to planes; NULL: none are passed */
    void *opaque[DECLARED_MAX];
    void *maker[DECLARED_MAX][STEPS_MAX];
    void (*freed_by[DECLARED_MAX])(void *);
    struct call_signature signature;
    uint64_t seed; /* for functions that fill arrays */
};
/* A function, or the reference (NULL), on operands. */
int made_call_begin(const struct declared_slot *slot,
                    const struct declared_function *function,
                    const struct simdbench_operands *operands, struct made_call **out,
                    struct error *error);
/* A pointer as an offset from the array that it points into; -1: NULL. */
int64_t pointer_offset(const struct made_call *made, uint64_t pointer);
/* Looks at what a call made, and frees it, as the timed code does. */
void made_call_free(struct made_call *made);
/* Calls `freer`, unless it or the pointer in `word` is NULL. */
void free_word(void (*freer)(void *), bool by_address, uint64_t word);
/* True of an array; others, results and lengths, declared_finish() writes as a whole. */
bool operand_is_array(const struct declared_slot *slot, uint32_t operand);
/* The operand that is this argument's array, or NULL. */
const struct simdbench_operand *made_call_array(const struct made_call *made, uint32_t i);
/* An array as it is passed. */
void *made_call_pointer(const struct made_call *made, uint32_t i);

/* called_module.c: the address of a function, by its place in a library. */
int called_find(void *handle, const struct library *library, const char *text,
                void **address, struct error *error);

/* called_content.c: made_call_look() hashes memory that the call made;
 * made_call_forget() clears these hashes. */
void made_call_look(struct made_call *made);
void made_call_forget(struct made_call *made);

/* called_objects.c */
/* Functions that make objects, and what `&name` is. */
int objects_find(struct made_call *made, struct error *error);
int find_freer(const struct made_call *made, const char *name, void (**freer)(void *),
               struct error *error);
/* Anew. */
int objects_make(struct made_call *made, struct error *error);
void objects_free(struct made_call *made);
bool slot_has_fillers(const struct declared_slot *slot);
/* Calls the functions that write values into arrays. */
int slot_run_fillers(const struct declared_slot *slot,
                     const struct simdbench_operands *operands, uint64_t seed,
                     struct error *error);

/* called_guard.c */
/* The error of a call that crashed, if it was beyond an array: which one. */
void made_call_name_array(const struct made_call *made, struct error *error);

/* called_tails.c */
/* Reads "1..70". -EINVAL */
int tails_read(const char *text, long *first, long *last);

/* called_crash.c */
struct crash {
    int signal;
    bool general; /* no address is known: an access that is not aligned, for one */
    bool write;
    uintptr_t address;
};
/* Calls run(context). 0, or -EFAULT after a signal that a crash sends. */
int crash_catch(void (*run)(void *context), void *context, struct crash *crash);
void crash_text(const struct crash *crash, char *text, size_t size);
/* The same with the text of a crash. Says on standard error if the function of that name
 * ends the process. */
int crash_catch_named(const char *name, void (*run)(void *context), void *context,
                      char *text, size_t size);
/* A call that may crash (-EFAULT) or leave what it must not (-EDOM). */
int made_call_run_caught(struct made_call *made, bool *modes, char *note, size_t size,
                         struct crash *crash, struct error *error);

/* called_tables.c: the pointers to planes that are passed, and room for outputs */
#define PAGE ((size_t)4096)
/* Addresses without memory and without access. */
unsigned char *reserve(size_t bytes);
/* Memory for an output. Who writes far behind it crashes, and overwrites nothing. */
unsigned char *output_buffer(const struct simdbench_operand *operand);
void output_free(const struct simdbench_operand *operand, unsigned char *data);
int tables_make(struct made_call *made, struct error *error);
void tables_free(const struct made_call *made);
void tables_fill(const struct made_call *made);
/* -EDOM: a call changed them. */
int tables_check(const struct made_call *made, struct error *error);
/* Names the pointers that a call went beyond. */
void made_call_crash_text(const struct made_call *made, const struct crash *crash,
                          char *text, size_t size);
