/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaf declare: functions of any library as kernels, from their prototypes alone.
 *
 * In order: declaration_parse() reads a C prototype in which arrays have extents;
 * declaration_measure() computes the extents at a shape; library_read() lists the
 * functions of a file and library_find() finds one by its name; place_resolve() tells its
 * address in a process that has loaded the library; thunk_make() writes machine code that
 * calls it; call_fill() fills the frame that the code loads its arguments from.
 * declared_load() reads a file of many declarations. docs/call.md has the language.
 *
 * Nothing here runs code of a library but place_resolve(), thunk_check(), and
 * what the caller does with thunk_code(). Everything else is safe in any process.
 */
#pragma once

#include <stddef.h>

#include "error.h"

/* ---- types of values (ctype.c) ---- */

enum ctype {
    CTYPE_VOID, /* no value; of a pointer: unknown */
    CTYPE_I8,
    CTYPE_U8,
    CTYPE_I16,
    CTYPE_U16,
    CTYPE_I32,
    CTYPE_U32,
    CTYPE_I64,
    CTYPE_U64,
    CTYPE_F16,
    CTYPE_BF16,
    CTYPE_F32,
    CTYPE_F64,
    CTYPE_BYTES,  /* opaque: extents count bytes */
    CTYPE_BOOL,   /* of single values alone */
    CTYPE_POINTER /* of returned values alone */
};
const char *ctype_name(enum ctype type); /* "u8", "f32", "bytes"; "void" */
size_t ctype_bytes(enum ctype type);     /* 1 for bytes, 8 for pointers, 0 for void */
bool ctype_is_float(enum ctype type);
bool ctype_is_integer(enum ctype type);
/* Smallest and largest value of an integer type, as far as an int64_t holds them. */
void ctype_range(enum ctype type, int64_t *lo, int64_t *hi);
/* The value as it stands in a word of a call: floats in their own type. */
uint64_t ctype_of_double(enum ctype type, double value);

/* ---- expressions of dimensions (extent.c) ---- */

enum { DECLARED_MAX = 24, DECLARED_NAME = 64, DECLARED_TEXT = 256, EXTENT_STEPS = 32 };
enum { DIMENSIONS_MAX = 16, RENEWED_MAX = 256 };

enum extent_op {
    EXTENT_NUMBER,    /* pushes `value` */
    EXTENT_DIMENSION, /* pushes dimension `value` */
    EXTENT_OR,
    EXTENT_XOR,
    EXTENT_AND,
    EXTENT_LEFT,
    EXTENT_RIGHT,
    EXTENT_ADD,
    EXTENT_SUBTRACT,
    EXTENT_MULTIPLY,
    EXTENT_DIVIDE, /* towards zero, as in C */
    EXTENT_REMAINDER,
    EXTENT_NEGATE,
    EXTENT_INVERT
};
/* Postfix. n = 0: there is none. */
struct extent {
    uint32_t n;
    struct extent_step {
        enum extent_op op;
        int64_t value;
    } step[EXTENT_STEPS];
};
/* -EOVERFLOW: a value on the way is beyond 64 bits; -EDOM: a division by zero. */
int extent_value(const struct extent *extent, const int64_t *dimension, int64_t *value,
                 struct error *error);
/* True of a number alone from 2^63 to 2^64 - 1: its value is 2^64 less. */
bool extent_is_beyond(const struct extent *extent);

/* ---- declarations (declaration.c, declare_lexer.c, declare_argument.c) ---- */

enum argument_kind {
    ARGUMENT_ARRAY,     /* pointer to elements: T x[n]; to pointers to them: T *x[k][n];
                           the elements of a vector: __m256 x */
    ARGUMENT_DIMENSION, /* integer that the shape gives: size_t n */
    ARGUMENT_INTEGER,   /* integer that follows from the dimensions: int lda = k */
    ARGUMENT_NUMBER,    /* constant float: float gain = 0.5 */
    ARGUMENT_LENGTH,    /* pointer to a value that the function writes: size_t *written,
                           int *error = 0 */
    ARGUMENT_NULL,      /* T *p = NULL; by_address: T **p = 0, where the function writes
                           a pointer */
    ARGUMENT_TEXT,      /* const char *s = "abc" */
    ARGUMENT_OPAQUE,    /* T *ctx = from ctx_new(3) free ctx_free */
    ARGUMENT_SYMBOL,    /* T *f = &name: address of a function or variable */
    ARGUMENT_WITHIN     /* T *end = x + n, T *p = x: a place in an array */
};

/* The use that a function makes of an array. */
enum argument_role { ARGUMENT_IN = 1, ARGUMENT_OUT, ARGUMENT_INOUT };

/* An argument of the function that makes an opaque pointer, or a member's value. */
struct made_argument {
    enum argument_kind kind; /* INTEGER, NUMBER, NULL, TEXT; ARRAY and OPAQUE: what
                                `argument` is; SYMBOL: a name of the library;
                                DIMENSION: the seed of the inputs */
    enum ctype type;         /* I64, F64, F32 (written 3.0f) or POINTER; of a member: its
                                own */
    uint32_t offset;         /* of a member */
    struct extent integer;   /* ARRAY: so many elements behind its begin */
    double number;
    char text[DECLARED_NAME];
    uint32_t argument; /* index */
    bool by_address;   /* OPAQUE: of where the object's address will be; SYMBOL: not the
                          eight bytes that are there */
};
enum { MADE_MAX = 24, STEPS_MAX = 6, STEP_ARGUMENTS_MAX = 16 };

/* Memory that the function makes, and whose address it returns or writes: `length` tells
 * how much of it is compared, as that of an array, or DECLARED_STRLEN. */
struct declared_content {
    bool is_compared;
    int length; /* DECLARED_WHOLE: `count` elements */
    struct extent count;
    uint32_t size; /* of an element */
};

/* A call that makes an object: the first one returns its address, or writes it to an
 * argument that is passed by address; what others return nobody reads. Without a name the
 * first one is a structure, whose members have these values. */
struct made_step {
    char name[DECLARED_NAME];
    uint32_t first, n; /* of `made` */
    uint32_t bytes;    /* of a structure */
};

struct declared_argument {
    char name[DECLARED_NAME]; /* "arg3" where the prototype has none */
    enum argument_kind kind;
    enum ctype type; /* of an element, or of the value itself */
    bool by_address; /* T &x: a single value whose address is passed, as Fortran and C++
                        do; true of LENGTH too */
    /* ARRAY: */
    enum argument_role role;
    struct extent count;  /* elements, of each plane if there are planes */
    struct extent planes; /* an array of so many pointers is passed; n = 0: none is */
    uint32_t vector; /* bytes of the register that the elements are passed in; 0: none */
    bool has_bool,
        has_pointer; /* structures with such members, which are not any bytes */
    int length;      /* valid elements after a call: index of a LENGTH argument,
                        DECLARED_RETURN, or DECLARED_WHOLE */
    /* DIMENSION: */
    int dimension; /* index */
    /* INTEGER; LENGTH: what it holds before a call; WITHIN: elements from where array
       `within` begins (n = 0: zero): */
    struct extent integer;
    uint32_t within, each; /* so many of its elements are a pair or a structure */
    /* NUMBER; LENGTH of a float type: */
    double number;
    /* TEXT: the bytes; SYMBOL: its name; ARRAY: VALUES_INPUT and a list, or nothing: */
    char text[DECLARED_TEXT];
    size_t text_bytes; /* without the final zero, as a text may have zeros inside */
    /* OPAQUE; ARRAY: calls that write to it when it has got its values: */
    char freed_by[DECLARED_NAME]; /* empty: by nobody; NULL by address: what the function
                                     wrote is freed after each call */
    bool freed_by_address;        /* free f(&x): it takes the address of the pointer */
    struct declared_content content; /* NULL by address */
    uint32_t renewed; /* OPAQUE: bytes of a structure that each call finds as it was made;
                         behind them lies a copy */
    uint32_t n_made, n_steps;
    struct made_step step[STEPS_MAX];
    struct made_argument made[MADE_MAX];
};
#define VALUES_INPUT "values:" /* an input: values or expressions, with commas */
enum { VALUES_MAX = 64 };
/* DECLARED_STRLEN: up to an element of zeros. */
enum { DECLARED_WHOLE = -1, DECLARED_RETURN = -2, DECLARED_STRLEN = -3 };

/* No pointers inside: it can be copied. */
struct declaration {
    char name[DECLARED_NAME]; /* empty: the prototype has none */
    enum ctype returned;
    char returned_as[DECLARED_NAME]; /* the word of its type: gcry_error_t */
    char freed_by[DECLARED_NAME];    /* what is returned is freed after each call */
    bool freed_by_address;
    struct declared_content content; /* of what is returned */
    uint32_t vector;      /* bytes of the register that is returned, with elements of that
                             type; 0: one value */
    uint32_t n, n_passed; /* all arguments; those before the ones behind `for` */
    struct declared_argument argument[DECLARED_MAX];
    uint32_t n_objects,
        object[DECLARED_MAX]; /* OPAQUE ones in the order of their making */
    uint32_t n_dimensions;    /* in the order in which the prototype names them */
    struct declared_dimension {
        char name[DECLARED_NAME];
        int argument; /* its argument; -1: the function is not told (`for n`) */
    } dimension[DIMENSIONS_MAX];
};

/* -EINVAL with three lines: a sentence; the part of the source that it is about; a caret
 * under the word. Who prints it prints line by line. */
int declaration_parse(const char *text, struct declaration *declaration,
                      struct error *error);
/* Makes a line that can be read from a prototype that cannot: it adds what the messages
 * ask for. Names tell it, and may be wrong. `library`: its functions make objects; NULL:
 * none. False: names do not tell what is missing. */
struct library;
bool declaration_complete(const char *text, const struct library *library, char *line,
                          size_t size);
/* As declaration_parse(), for an expression of its dimensions, such as "2 * n". */
int declaration_expression(const struct declaration *declaration, const char *text,
                           struct extent *extent, struct error *error);
/* False: what the function does, nobody can see. */
bool declaration_has_outputs(const struct declaration *declaration);
/* True of an array that the function is passed, or a place in it. */
bool declaration_passes(const struct declaration *declaration, uint32_t array);
/* True if a call makes memory, by what the declaration says of it. */
bool declaration_makes(const struct declaration *declaration);
/* The function that frees memory which a call makes; empty: none. */
const char *declaration_freer(const struct declaration *declaration);
/* Index of an argument, or -1. */
int declaration_find(const struct declaration *declaration, const char *name);

/* Everything that a shape decides. Entries of other kinds of arguments are 0. */
struct declared_sizes {
    uint64_t count[DECLARED_MAX];  /* ARRAY: elements, gaps between planes included */
    uint64_t bytes[DECLARED_MAX];  /* ARRAY: without gaps */
    uint64_t planes[DECLARED_MAX]; /* ARRAY: of pointers; else 1 */
    uint64_t plane[DECLARED_MAX];  /* ARRAY: elements of a plane */
    uint64_t stride[DECLARED_MAX]; /* ARRAY: elements from one plane to the next */
    int64_t integer[DECLARED_MAX]; /* DIMENSION, INTEGER, LENGTH, WITHIN */
    uint64_t in_bytes, out_bytes;  /* sums: IN and INOUT; OUT and INOUT */
};
#define DECLARED_BYTES_MAX ((uint64_t)1 << 44) /* of one array */
enum { PLANES_MAX = 4096, PLANE_ALIGN = 64 };  /* planes begin at such addresses */
/* -EINVAL: an extent is negative, or a value does not fit its type (the error names
 * both); -EOVERFLOW; -EDOM. */
int declaration_measure(const struct declaration *declaration, const int64_t *dimension,
                        struct declared_sizes *sizes, struct error *error);

/* The largest distance of a result from the reference. */
enum tolerance_kind {
    TOLERANCE_NONE, /* nothing was said */
    TOLERANCE_EXACT,
    TOLERANCE_ULP,
    TOLERANCE_ABS,
    TOLERANCE_REL
};
struct tolerance {
    enum tolerance_kind kind;
    double value; /* >= 0; ULP, ABS and REL */
};
/* "exact", "4ulp", "abs:1e-6", "rel:1e-5" */
int tolerance_parse(const char *text, struct tolerance *tolerance, struct error *error);

/* ---- calls by machine code (thunk.c, thunk_check.c; no_thunk.c) ---- */

enum call_class {
    CALL_INTEGER,   /* integers and pointers */
    CALL_VECTOR,    /* floats of any width */
    CALL_VECTOR_16, /* 16 bytes at the address in the word, in a register */
    CALL_VECTOR_32,
    CALL_VECTOR_64,
    CALL_ADDRESS /* the word's own address is passed; the word is copied to `slot` first,
                    and the function reads and writes it there */
};
/* A function as a call needs it. */
struct call_frame;
struct call_signature {
    uint32_t n;
    enum call_class argument[DECLARED_MAX];
    bool vector_result;    /* a float; else an integer, a pointer or nothing */
    uint32_t result_bytes; /* 16, 32, 64: a vector is returned */
    /* Called after each call with what is there then, unless it is NULL. */
    void (*free_slot[DECLARED_MAX])(void *), (*free_result)(void *);
    /* These functions take the address of a copy of it. */
    bool slot_by_address[DECLARED_MAX], result_by_address;
    /* So many bytes behind the address in the word begins a copy that is written there
     * before the call; a multiple of 8. */
    uint32_t renewed[DECLARED_MAX];
    void (*after)(struct call_frame *); /* called in the end, unless it is NULL */
};
void declaration_signature(const struct declaration *declaration,
                           struct call_signature *signature);
/* The place of an integer or pointer that is passed: the numbers 0 to 5 are registers,
 * those from 6 on words of the stack. */
unsigned call_place(const struct call_signature *signature, uint32_t argument);

/* Arguments and results of a call. Words hold integers extended to 64 bits, pointers, and
 * floats in their low bits. */
struct call_frame {
    uint64_t word[DECLARED_MAX];
    uint64_t slot[DECLARED_MAX]; /* CALL_ADDRESS arguments after the call */
    uint64_t result;             /* low bits; void: undefined */
    unsigned char vector[64];    /* a vector that is returned */
    void *owner;                 /* for call_signature.after */
};
/* Fills words from what a shape decided. `pointer` has the addresses of arguments of kind
 * ARRAY (of pointers: that of the pointers), OPAQUE and SYMBOL; the declaration, which
 * holds texts, must live as long as the frame. */
void call_fill(const struct declaration *declaration, const struct declared_sizes *sizes,
               void *const pointer[DECLARED_MAX], struct call_frame *frame);
/* The number of elements of an array that are valid after a call: all, or what the
 * function reported. */
uint64_t call_length(const struct declaration *declaration,
                     const struct declared_sizes *sizes, uint32_t argument,
                     const struct call_frame *frame);
/* The number that an argument or DECLARED_RETURN is after a call, for a length. */
uint64_t call_reported(const struct declaration *declaration, int length,
                       const struct call_frame *frame);

struct thunk;
typedef void call_code(struct call_frame *frame);

/* Machine code that loads the words of any frame by the ABI of the machine, calls
 * `function` and stores its result. It is made for x86-64; -ENOTSUP elsewhere, and if the
 * CPU does not have the vectors. A thunk of the same signature for call_nothing() tells
 * what an empty call costs. */
int thunk_make(const struct call_signature *signature, const void *function,
               struct thunk **out, struct error *error);
void thunk_free(struct thunk *thunk); /* NULL is allowed */
/* The code, to be called in a timed loop: code(frame). */
call_code *thunk_code(const struct thunk *thunk);
/* The same where nobody reads the result: arguments that fit into registers cost no frame
 * on the stack then, and the function returns to the caller. */
call_code *thunk_jump(const struct thunk *thunk);
/* A function that returns at once: NULL, so that a thunk frees nothing. */
void *call_nothing(void);

/* State that a function changed and must restore. */
enum call_fault {
    CALL_REGISTERS = 1u << 0, /* callee-saved general registers */
    CALL_STACK = 1u << 1,     /* stack pointer */
    CALL_DIRECTION = 1u << 2, /* direction flag is set */
    CALL_X87 = 1u << 3,       /* x87 registers in use (no emms), or control word */
    CALL_MXCSR = 1u << 4,     /* rounding, FTZ, DAZ or exception masks */
    CALL_UPPER = 1u << 5      /* upper halves of vector registers are in use: a cost, no
                                 fault */
};
struct call_faults {
    unsigned faults; /* enum call_fault */
    char text[160];  /* "rbx and r12 are not restored; the direction flag is set"; empty:
                        nothing; CALL_UPPER is not in it */
};
/* Calls once, like the code of thunk_code(), and looks what the function left. Registers,
 * stack, flags and control words are those of before when it returns. One thread at a
 * time for a thunk. */
void thunk_check(struct thunk *thunk, struct call_frame *frame,
                 struct call_faults *faults);

/* ---- operands of calls that a program made (kept_calls.c) ---- */

/* Bytes of what is kept of it, one behind the other, in the order of arguments. */
struct kept_call {
    int64_t dimension[DIMENSIONS_MAX];
    uint64_t bytes;
    const unsigned char *data;
};
struct kept_calls {
    struct kept_call *call;
    size_t n;
    void *map;
    size_t bytes;
};
/* True of an integer that each call may have another value of, such as the seed of a
 * checksum. One that follows from dimensions, or is the number of an extent, says how
 * arrays lie. */
bool kept_integer(const struct declaration *declaration, uint32_t argument);
/* Bytes that are kept of an argument: those of an array that is passed and read, unless
 * it is one of several pointers, or of such an integer as a word; else 0. */
uint64_t kept_bytes(const struct declaration *declaration,
                    const struct declared_sizes *sizes, uint32_t argument);
int kept_calls_write(FILE *file, const struct kept_call *call, size_t n,
                     struct error *error);
/* By shape. Data of the file are never trusted. -EINVAL: it is no such file; -ENOENT, ...
 */
int kept_calls_read(const char *path, struct kept_calls *calls, struct error *error);
void kept_calls_free(struct kept_calls *calls);
/* The most that have the same shape. */
uint32_t kept_calls_most(const struct kept_calls *calls, uint32_t rank);
/* The call of that number, counted round and round, among those of a shape; of all if it
 * has none. */
const struct kept_call *kept_call_find(const struct kept_calls *calls,
                                       const int64_t *dimension, uint32_t rank,
                                       size_t number);

/* ---- files of declarations (declared_file.c) ---- */

/* A declaration that was typed lies in a folder whose name begins so. */
#define DECLARED_FOLDER "/simdbench-call-"

struct named_text {
    char *name, *text;
};
struct declared_op {
    char *name;
    char *prototype;
    struct declaration declaration;
    struct named_text *kernel; /* name: ISA; text: place, "mix_avx2" */
    size_t n_kernels;
    char *library;   /* relative paths are made relative to the file's folder; a name
                        without a slash is one that the loader finds; NULL: not said */
    char *reference; /* place; NULL: none */
    char *reference_library; /* as `library`; NULL: the reference is in that one */
    struct tolerance tolerance;
    struct named_text *input; /* name: an argument; text: "normal" */
    size_t n_inputs;
    struct named_text *shape; /* name of a list; text: shapes, separated by spaces */
    size_t n_shapes;
    struct extent ops;   /* of one call; n = 0: not said */
    char *roof;          /* NULL: that of its bytes */
    char *sizes, *tails; /* as --sizes; NULL: not said */
    char *calls;         /* a file of kept calls, as `library`; NULL: none */
    uint32_t overread;   /* bytes that functions may read behind an array */
    bool reset;          /* each call finds inout arrays as the first one did */
};
struct declared_file {
    struct declared_op *op;
    size_t n;
};
enum { DECLARED_SIZE_MAX = 1 << 20, DECLARED_OVERREAD_MAX = 4096 };
/* Reads a file of schema functions-1.json. Errors name the file, the key and the value.
 * Names of instruction sets, inputs and roofs, and texts of sizes and shapes, are taken
 * as they are. */
int declared_load(const char *path, struct declared_file *file, struct error *error);
/* The same from memory; `path` is for errors and for the folder. */
int declared_read(const char *path, const char *bytes, size_t size,
                  struct declared_file *file, struct error *error);
void declared_free(struct declared_file *file);
