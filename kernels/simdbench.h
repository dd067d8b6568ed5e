/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between simdbench and kernels that others bring.
 *
 * A module is a shared object that exports one function, simdbench_module(). It returns a
 * table of kernels, and of ops if the kernels compute something that simdbench does not
 * know yet. simdbench loads it with --plugin=FILE.so (or --baseline=NAME for an installed
 * one) in a process of its own, checks every kernel against its op's reference on the
 * very operands that it will be timed on, and times it in turns with the kernels that it
 * is compared with. docs/plugin.md walks through a complete module of about 40 lines.
 *
 * The ABI grows at the end. Every struct begins with its size in bytes, as its maker
 * compiled it. New fields are added only at the end, so a reader looks at a field only if
 * the maker's size covers it; a field that is not there reads as zero. Arrays hold
 * pointers to structs, never structs. SIMDBENCH_ABI rises only when that is not enough. A
 * module of a later ABI is refused with an error that names both versions; one of ABI 1
 * is still loaded (see SIMDBENCH_ABI).
 *
 * Threads: all hooks are called from one thread, the one that is measured. A kernel that
 * shares its work starts threads of its own, operands->threads in all.
 * Errors: hooks that can fail return 0 or a negative errno and may write a sentence into
 * `error`.
 */
#ifndef SIMDBENCH_H
#define SIMDBENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ABI 2 has room for more operands, and so `most_ulp` behind them lies elsewhere. Modules
 * of ABI 1 are loaded, but for their rows with SIMDBENCH_ADAPTS, which read it. */
#define SIMDBENCH_ABI 2u
#define SIMDBENCH_MAX_DIMS 16
#define SIMDBENCH_MAX_OPERANDS 33 /* of a call: an INOUT one counts twice */

/* Element types. A simdbench that is older than a type refuses the rows that have it. */
enum simdbench_type {
    SIMDBENCH_F32 = 1,
    SIMDBENCH_F64 = 2,
    SIMDBENCH_I32 = 3,
    SIMDBENCH_I64 = 4,
    SIMDBENCH_U8 = 5,
    SIMDBENCH_I8 = 6,
    SIMDBENCH_U16 = 7,
    SIMDBENCH_I16 = 8,
    SIMDBENCH_U32 = 9,
    SIMDBENCH_U64 = 10,
    SIMDBENCH_F16 = 11,  /* IEEE 754 binary16: _Float16 */
    SIMDBENCH_BF16 = 12, /* the upper half of an f32 */
};
/* Opaque blocks of k bytes each, `bytes18` in ids, for quantised formats: compared byte
 * by byte. k is 1 to SIMDBENCH_BYTES_MAX. */
#define SIMDBENCH_BYTES_MAX 4096
#define SIMDBENCH_BYTES(k) (UINT32_C(0x10000) + (k))

/* Flags of an op. */
enum simdbench_op_flag {
    SIMDBENCH_JOINT = 1u << 0, /* inputs are valid only as one call of fill wrote them:
                                  indices in order, say */
};

/* The use that a kernel makes of an operand. */
enum simdbench_role {
    SIMDBENCH_IN = 1,  /* read by run; its values must not be read in prepare */
    SIMDBENCH_OUT = 2, /* overwritten by run, never read before it is written */
    SIMDBENCH_CONST =
        3, /* read-only and known beforehand (weights): prepare may reorder it */
    SIMDBENCH_INOUT = 4, /* read and overwritten by run. The check starts with a copy of
                            operand number `source`, which has the same type and count,
                            and compares like an output; a timed call finds what the one
                            before left, unless the kernel has SIMDBENCH_RESETS
                            or takes another time on that */
};

/* Flags of a kernel. */
enum simdbench_flag {
    SIMDBENCH_PATHOLOGY = 1u << 0, /* slow on purpose: left out unless asked for */
    SIMDBENCH_REGISTERS = 1u << 1, /* touches no operand: runs only at shapes of rank 0 */
    SIMDBENCH_PARTIAL = 1u << 2,   /* writes the first output alone: what the others cost
                                      is the ratio to it */
    SIMDBENCH_STUDY = 1u << 3,     /* a row of a study: left out unless named */
    SIMDBENCH_ADAPTS = 1u << 4, /* runs one of the other rows of its module for this op,
                                   semiring, type and ISA: of those without flags, one
                                   whose max_ulp is within operands->most_ulp */
    SIMDBENCH_RESETS = 1u << 5, /* each call finds its INOUT operands as the check does:
                                   they are written before it, outside of the clock */
};

/* A shape; what each dimension means is the op's business. Rank 0 means "no operands". */
struct simdbench_shape {
    uint32_t size;
    uint32_t rank;
    int64_t dim[SIMDBENCH_MAX_DIMS];
};

/* One operand: `count` elements at `data`; rows, where there are any, are `ld` elements
 * apart. */
struct simdbench_operand {
    uint32_t size;
    uint32_t type;   /* enum simdbench_type */
    uint32_t role;   /* enum simdbench_role */
    uint32_t source; /* of role INOUT: the operand with the values that it begins with */
    uint64_t count;  /* elements from the first to the last, gaps between rows included */
    int64_t ld;      /* elements from one row to the next */
    void *data;
    int64_t stride; /* elements from one matrix of a batch to the next; 0: no batch */
};

/* All that a kernel needs to know of a case. The order of operands is the op's business:
 * gemm has A (m x k), B (k x n) and C (m x n), and dim = {m, n, k}, or for a batch
 * {m, n, k, matrices}. */
struct simdbench_operands {
    uint32_t size;
    uint32_t count;   /* operands in use */
    uint32_t threads; /* most threads that run may use */
    uint32_t reserved;
    const struct simdbench_shape *shape;
    struct simdbench_operand *operand[SIMDBENCH_MAX_OPERANDS];
    double most_ulp; /* largest error that was asked for, --accuracy-at-most; 0: any */
};

/* The distance of results from the exact ones, in units in the last place: distance
 * divided by the gap between the two floats around the exact value (below the least
 * normal one: the gap of subnormals). */
struct simdbench_accuracy {
    uint32_t size;
    uint32_t reserved;
    double max_ulp, mean_ulp; /* 0 both: not known */
    double worst_input;       /* input of max_ulp */
};

/* Shapes that belong together, under a name: the layers of a network. */
struct simdbench_shape_list {
    uint32_t size;
    uint32_t reserved;
    const char *name;    /* "resnet50" */
    const char *summary; /* one line for people */
    const char *shapes;  /* separated by spaces */
};

/* The contract of an operation. All functions are pure but for what they are said to
 * write. */
struct simdbench_op {
    uint32_t size;
    uint32_t flags;         /* enum simdbench_op_flag */
    const char *name;       /* first part of a case id: letters, digits, '-' and '_' */
    const char *summary;    /* one line for people */
    const char *shape_help; /* form of a shape: "N or MxNxK" */
    const char *default_shapes; /* shapes of a run without --sizes: "64..512" */

    /* Reads one shape. Sets size, rank and dim. */
    int (*parse)(const char *text, struct simdbench_shape *shape, char *error,
                 size_t error_size);
    /* Writes the shape as it stands in case ids; parse() of it gives the same shape. */
    void (*format)(const struct simdbench_shape *shape, char *text, size_t text_size);
    /* Sets type, role, count, ld and source of each operand and returns how many there
     * are (at most SIMDBENCH_MAX_OPERANDS), or a negative errno: -EOVERFLOW if a count
     * does not fit. */
    int (*layout)(const struct simdbench_shape *shape, uint32_t type,
                  struct simdbench_operand *const operand[SIMDBENCH_MAX_OPERANDS]);
    /* Writes all inputs, the same bytes for the same seed. `input` names a distribution
     * that the op knows, or is NULL for its default. -EINVAL for a name that it does not
     * know. Before a check after the first one, some elements of role SIMDBENCH_IN are
     * exchanged for those that another seed gives them, or all with SIMDBENCH_JOINT.
     * NULL, but for SIMDBENCH_JOINT: the first of `inputs`, or simdbench chooses. Every
     * op that is not SIMDBENCH_JOINT also has "uniform:LO..HI", "file:PATH" and others,
     * which docs/plugin.md lists. */
    int (*fill)(const struct simdbench_operands *operands, uint64_t seed,
                const char *input);
    /* Computes the right answer for output elements `index[0..n)` (element offsets in the
     * first SIMDBENCH_OUT operand); index NULL means element i of [0, n). Writes n
     * elements of the output's type to `value`, and to `slack` the largest absolute error
     * allowed for each: 0 demands equal bits (any NaN equals any NaN). `semiring` is the
     * kernel's, or NULL. -EINVAL for a semiring that it does not know; -ENOTSUP if there
     * is nothing to compare (op `roof`, whose kernels only keep the machine busy). */
    int (*reference)(const struct simdbench_operands *operands, const char *semiring,
                     const uint64_t *index, uint64_t n, void *value, double *slack);
    /* Inner operations and least bytes moved by one call. */
    void (*work)(const struct simdbench_shape *shape, uint32_t type, double *ops,
                 double *bytes);

    /* All below may be NULL. */

    /* Layouts that operands of one shape can have, the default first, separated by
     * commas: "nchw,nchw8c,nchw16c". The layout is part of the shape (format() tells it),
     * so cases are only compared with cases of the same layout. */
    const char *layouts;
    /* Gives the shape that layout. -EINVAL for a name that is not in `layouts`, -ENOTSUP
     * if this shape cannot have it. */
    int (*relayout)(struct simdbench_shape *shape, const char *layout, char *error,
                    size_t error_size);
    /* The name in `layouts` that the shape has. */
    const char *(*layout_of)(const struct simdbench_shape *shape);
    const struct simdbench_shape_list *const *lists; /* ends with NULL */
    const char *inputs; /* names for people: "normal, uniform:LO..HI"; the first is the
                           default, and of an op without fill a full name */
    /* Errors of n elements of the first output; index as in reference. */
    int (*accuracy)(const struct simdbench_operands *operands, const uint64_t *index,
                    uint64_t n, struct simdbench_accuracy *accuracy);
    const char *accuracy_inputs; /* inputs, one for each interval that --accuracy shows,
                                    separated by spaces */
    const char *accuracy_shape;  /* and the shape that it takes */
    /* For ops with several outputs: are the others right? Asked when elements
     * `index[0..n)` of the first one (as in reference) have been found right. -EDOM and a
     * sentence about one that is wrong. */
    int (*verify)(const struct simdbench_operands *operands, const char *semiring,
                  const uint64_t *index, uint64_t n, char *error, size_t error_size);
    /* For ops whose kernels find out how long their output is (compression, compaction):
     * how many elements of the first output count, by what the call wrote to another one.
     * The rest is not compared. `verify`, which must be there, compares that number. */
    uint64_t (*length)(const struct simdbench_operands *operands);
};

/* The choice of a kernel for a case, once it is prepared. Strings live until release. */
struct simdbench_choice {
    uint32_t size;
    uint32_t reserved;
    const char
        *implementation; /* "jit:avx512_core", "1x1, tile 28x16"; NULL: no choice */
    const char *isa;  /* instruction set of that choice if it is not the kernel's or, for
                         isa "lib", the one that the module's describe told; else NULL */
    const char *note; /* warning to readers of the number ("the interpreter's call
                         cost is inside"), or NULL */
    uint64_t workspace_bytes; /* memory beyond the operands */
    const char *roof; /* name of its limit: the kernel's `roof` or `other_roof`; NULL: the
                         former */
};

/* One kernel: a function that fulfils an op for one element type on one instruction set.
 */
struct simdbench_kernel {
    uint32_t size;
    uint32_t flags; /* enum simdbench_flag */
    uint32_t type;  /* enum simdbench_type, or SIMDBENCH_BYTES(k) */
    uint32_t reserved;
    const char *op;       /* name of an op of simdbench, this module or another */
    const char *semiring; /* for ops that have one ("maxplus"), else NULL */
    const char *isa;      /* "scalar", "sse2", "avx2", "avx512": what the CPU must have,
                             and more of it after '+': "avx512+vnni+vbmi2"; "lib": a
                             library that chooses for itself, see describe */
    const char *variant;  /* last part of the case id */
    const char *layout;   /* the one of the op's layouts that it takes; NULL: any. It is
                             left out of groups of other layouts */
    const char *roof;     /* instruction mix or memory stream that limits it: "streams",
                             "dot", "fma_max" and others (`simdbench list roofs`);
                             "none": nothing; NULL: "streams" if the module brings the
                             op, else nothing */

    /* Before timing, once a case: allocate, make library handles. May be NULL. -ENOTSUP
     * (with a reason) means that this shape is not supported: the case is skipped. */
    int (*prepare)(const struct simdbench_operands *operands, void **state, char *error,
                   size_t error_size);
    /* The work. Called many times; cannot fail. */
    void (*run)(const struct simdbench_operands *operands, void *state);
    /* After timing. May be NULL. */
    void (*release)(void *state);
    /* Work of one call, where it is not the op's: a kernel of op `roof` also runs on the
     * operands of other ops. Reads types, roles and counts, never data. NULL: op->work.
     */
    void (*work)(const struct simdbench_operands *operands, double *ops, double *bytes);
    /* After prepare. May be NULL. */
    void (*choice)(const struct simdbench_operands *operands, const void *state,
                   struct simdbench_choice *choice);
    /* Largest and mean error over all inputs in ulp, as measured or, of a library, as it
     * promises; with SIMDBENCH_ADAPTS those of the worst row. 0: not stated. */
    double max_ulp, mean_ulp;
    const char *other_roof; /* limits it instead if choice says so; or NULL */
    /* Largest absolute error of its results beyond what the op allows, for a row with
     * SIMDBENCH_PATHOLOGY or SIMDBENCH_STUDY; 0: none. Where the op demands equal bits it
     * still does. */
    double max_error;
};

/* --plugin=FILE.so,name=value arrives as one option each. */
struct simdbench_option {
    uint32_t size;
    uint32_t reserved;
    const char *name;
    const char *value;
};

/* The description of a library, once it is open. Strings are copied by the caller. */
struct simdbench_description {
    uint32_t size;
    uint32_t reserved;
    const char *version; /* "OpenBLAS 0.3.21" */
    const char *core;    /* the library's choice for this CPU: "Haswell" */
    const char *isa;     /* the instruction set of that choice: "avx2", or a name that is
                            no bundle of simdbench's and so narrower ("avx"); NULL if
                            unknown */
    const char *detail;  /* build or configuration string, NULL if none */
    const char *advice;  /* option=value that would choose something wider, or NULL */
};

struct simdbench_module {
    uint32_t size;
    uint32_t abi; /* SIMDBENCH_ABI that the module was compiled with */
    const char *name;
    const struct simdbench_op *const *ops;         /* ends with NULL; may be NULL */
    const struct simdbench_kernel *const *kernels; /* ends with NULL */

    /* Once a process, before anything else. May be NULL (then options are refused). A
     * library that reads its environment when it is loaded is best loaded here, with
     * dlopen. */
    int (*open)(const struct simdbench_option *const *options, size_t n, char *error,
                size_t error_size);
    /* After open, any number of times. May be NULL. */
    int (*describe)(struct simdbench_description *description);
    /* Before prepare: how many threads run may use. May be NULL for one-threaded kernels.
     */
    int (*set_threads)(uint32_t threads);
    void (*close)(void); /* May be NULL. */
};

/* The one exported symbol. `abi` is the SIMDBENCH_ABI of the simdbench that asks. Always
 * return the table: simdbench compares the versions and reports a mismatch better than a
 * module can. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct simdbench_module *
simdbench_module(uint32_t abi);

#ifdef __cplusplus
}
#endif

#endif
