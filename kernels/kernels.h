/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that can be run: ops, kernels, instruction sets, operands in memory,
 * modules. Own kernels and ops use the very structs of simdbench.h, so a registry and a
 * module look alike.
 */
#pragma once

#include <stddef.h>

#include "error.h"
#include "numbers.h"
#include "simdbench.h"

/* ---- instruction sets (isa.c) ---- */

/* Bundles, narrowest first; "lib" is no instruction set and is not listed here. */
struct isa {
    const char *name;    /* "avx512" */
    const char *title;   /* as people write it: "AVX-512" */
    const char *summary; /* "x86-64-v4: AVX-512 F, BW, DQ, VL, CD" */
    uint32_t bits;       /* width of its vectors; 0 for scalar */
    bool built;          /* ops have kernels for it: Meson's option `isas` */
};

size_t isa_count(void);
const struct isa *isa_get(size_t index);
/* The name of an instruction set is a bundle, or a bundle and additions: what else the
 * CPU must have, as in "avx512+vnni+vbmi2". */
size_t isa_addition_count(void);
const char *isa_addition_name(size_t index);
const struct isa *isa_addition_to(size_t index); /* the narrowest that it adds to */
bool isa_addition_available(size_t index);
/* Index of a name's bundle, or -1 if the name or an addition is unknown. */
int isa_find(const char *name);
/* 0, or -EINVAL and a sentence with near matches. */
int isa_check(const char *name, struct error *error);
/* The CPUs that have this instruction set, if they are none that this program is built
 * for. */
const char *isa_elsewhere(const char *name);
/* Does --isa=ASKED take a row of that name? A bundle takes its rows with additions too.
 */
bool isa_covers(const char *asked, const char *isa);
/* True if CPU and operating system have all of the name; else a reason is written, if
 * asked. */
bool isa_runs(const char *isa, char *reason, size_t reason_size);
/* True if CPU and operating system (XCR0) both have it; else a reason is written, if
 * asked. */
bool isa_available(size_t index, char *reason, size_t reason_size);
/* The widest one that is available. */
size_t isa_best(void);

/* ---- registry (registry.c, kernels.def) ---- */

/* Lists of own ops and kernels, each ending with NULL. */
const struct simdbench_op *const *op_list(void);
const struct simdbench_kernel *const *kernel_list(void);
const struct simdbench_op *op_find(const char *name); /* NULL if unknown */

/* ---- element types (types.c) ---- */

enum type_kind { TYPE_OPAQUE, TYPE_FLOAT, TYPE_SIGNED, TYPE_UNSIGNED };

const char *type_name(uint32_t type); /* "f32", "bytes18"; NULL if unknown */
uint32_t type_find(const char *name); /* 0 if unknown */
size_t type_bytes(uint32_t type);     /* 0 if unknown */
enum type_kind type_kind(uint32_t type);
/* Bits of a float behind its leading one: 23 of f32; 0 of other types. */
int type_digits(uint32_t type);
/* Element `i` as bits, filled up by its sign; of a block the first eight bytes. */
uint64_t type_bits(uint32_t type, const void *array, uint64_t i);
/* Element `i` as a number: rounded if it is a large integer, 0 if it is a block. */
double type_get(uint32_t type, const void *array, uint64_t i);
/* Writes element `i`: a float to the nearest, ties to even, an integer cut off and within
 * its range. A block stays as it is. */
void type_set(uint32_t type, void *array, uint64_t i, double value);
/* The gap between the two floats around that number (struct simdbench_accuracy): a unit
 * in the last place. 1 for integers. */
double type_ulp(uint32_t type, double exact);
/* Fills an output before a kernel writes it; only a float tells that it still has it. */
void type_poison(uint32_t type, void *array, uint64_t n);
bool type_is_poison(uint32_t type, const void *array, uint64_t i);

/* X(isa) for each instruction set with vectors. */
#if defined(__x86_64__)
#define EACH_VECTOR_ISA(X) X(sse2) X(avx2) X(avx512)
#elif defined(__aarch64__)
#define EACH_VECTOR_ISA(X) X(neon)
#endif

/* For the field `lists` of an op: the one list `suite`. */
/* clang-format off */
#define SHAPE_SUITE(shapes_) \
    (const struct simdbench_shape_list *const[]){ \
        &(const struct simdbench_shape_list){ \
            .size = sizeof(struct simdbench_shape_list), .name = "suite", \
            .summary = "what simdbench all measures", .shapes = shapes_}, \
        NULL}
/* clang-format on */

/* ---- operands in memory (operands.c) ---- */

/* The places of the operands in a block of memory, relative to its start. Around every
 * operand is a red zone of OPERANDS_RED_ZONE bytes that no kernel may touch. */
enum { OPERANDS_RED_ZONE = 256, OPERANDS_PAGE = 4096 };

struct operands_map {
    uint32_t count;
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS]; /* data is unused */
    uint64_t offset[SIMDBENCH_MAX_OPERANDS];
    /* Set 0 lies at `offset`, with its red zones. Further ones lie behind it without any,
     * so that small ones fill a cache: set 1 at `more`, the next one `pitch` behind. */
    uint64_t sets; /* 0: one */
    uint64_t more[SIMDBENCH_MAX_OPERANDS], pitch[SIMDBENCH_MAX_OPERANDS];
    uint64_t bytes; /* of the whole block */
};

/* Asks the op for its operands and places them: each at a multiple of `align` bytes (a
 * power of two, 64 by default) starting in a page of its own, at a page offset drawn from
 * `seed`; no two of them at the same offset while there are enough. Below 64, operands
 * are at odd multiples of `align`, so that the difference shows. The block itself must
 * start at a multiple of `align` and of a page. -EINVAL, -EOVERFLOW, -ENOMEM. */
int operands_place(const struct simdbench_op *op, const struct simdbench_shape *shape,
                   uint32_t type, uint64_t align, uint64_t seed, struct operands_map *map,
                   struct error *error);
/* The same for operands that are already laid out (those of a module's op), and for as
 * many sets as the map says. */
int operands_offsets(struct operands_map *map, uint64_t align, uint64_t seed,
                     struct error *error);

/* Moves operands that begin at a page as far from each other within their pages as can
 * be. */
void operands_spread(struct operands_map *map);

/* Operands bound to memory: what kernels are given. */
struct operands {
    struct simdbench_operands view;
    struct simdbench_shape shape;
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS];
};
/* OUT or INOUT: what is compared with the reference. */
static inline bool operand_is_output(const struct simdbench_operand *operand)
{
    return operand->role == SIMDBENCH_OUT || operand->role == SIMDBENCH_INOUT;
}

static inline size_t operand_bytes(const struct simdbench_operand *operand)
{
    return operand->count * type_bytes(operand->type);
}

void operands_bind(struct operands *operands, const struct operands_map *map,
                   const struct simdbench_shape *shape, uint32_t threads, void *base);
/* The same for a set of operands, from 0 on. */
void operands_bind_set(struct operands *operands, const struct operands_map *map,
                       const struct simdbench_shape *shape, uint32_t threads, void *base,
                       uint64_t set);
/* Bytes that one set takes of a cache. */
uint64_t operands_set_bytes(const struct operands_map *map);

/* Writes the red zones; tells which operand's zone was damaged, or -1. */
void operands_guard(const struct operands *operands);
int operands_damaged(const struct operands *operands);
/* Hash of all bytes of all inputs: unequal before and after means a kernel wrote to an
 * input. */
uint64_t operands_hash(const struct operands *operands);
/* Operands that are input and output become copies of their sources. */
void operands_reset(const struct operands *operands);
/* The same, and every byte of an output is set to a pattern that no kernel would write by
 * chance (a NaN payload). */
void operands_poison(const struct operands *operands);
/* Makes outputs wrong for a check after the first one, so that a kernel cannot tell: the
 * right answers (as for operands_compare(); n = 0: none are known), of which a seeded
 * fourth is exchanged for answers to other elements; where no answer is known, elements
 * that change places. Operands that are input and output become copies of their sources.
 */
void operands_spoil(const struct operands *operands, const uint64_t *index, uint64_t n,
                    const void *value, const double *slack, uint64_t seed);
/* Takes a seeded part of the elements of role IN from `other`, which another seed filled:
 * about one of 32 and at least one of each operand, or with `whole` all of them. */
void operands_change(const struct operands *operands, const struct operands *other,
                     bool whole, uint64_t seed);
/* Gives the operands of role IN other values: "zero"; "constant", each has its first one
 * everywhere; "sorted", ascending, taken from the first 65536; "repeated", 64 of them
 * again and again, but at both ends, where it has so many; "keys", the same but for those
 * in order, of which there must be one, and none of more than 32 KiB. -EINVAL, -ENOMEM,
 * -ENOTSUP. */
enum { OPERANDS_REPEATED_LEAST = 1024 };
int operands_set_values(const struct operands *operands, const char *values);
/* The same for one operand: "sorted". */
int operand_sort(const struct simdbench_operand *operand);

/* ---- inputs (inputs.c) ---- */

/* Inputs that every op has but those whose operands go together (SIMDBENCH_JOINT):
 *   normal          floats: about N(0, 1); integers: a bell over all that the type has
 *   uniform:LO..HI  from LO to HI, both included
 *   zero
 *   sorted          ascending, as operands_set_values()
 *   runs            each value 1 to 32 times in a row
 *   indices:LO..HI  integers: from LO to HI - 1, LO 0 or more
 *   file:PATH       the bytes of a file, cut or repeated to the length, whatever the seed
 * and for floats the others of vector_input.h. NULL: normal floats, all bits at random
 * of integers and blocks. */
#define INPUTS_OF_ALL \
    "normal, uniform:LO..HI, zero, sorted, runs, indices:LO..HI, file:PATH"
/* -EINVAL: no such name, or not for that type. Of a file -ENODATA: it is empty or no
 * regular file, or what opening or reading it answered. */
int input_fill_operand(const struct simdbench_operand *operand, uint64_t seed,
                       const char *input);
/* True if parts of such an input, again and again, are none: "sorted", "runs", "file:".
 * The first one of a list counts. NULL: false. */
bool input_is_ordered(const char *input);
/* Flags of an op beside SIMDBENCH_JOINT: easy values may take the place of its own
 * (EASY); they must not, but repeated ones of its own may (FORMED); these must not
 * (ORDERED). */
#define OP_EASY (1u << 30)
#define OP_FORMED (1u << 31)
#define OP_ORDERED (1u << 29)
/* The op's own fill, or else the inputs of all: of an op without fill the first of its
 * `inputs`, unless another one is named. */
int op_fill(const struct simdbench_op *op, const struct simdbench_operands *operands,
            uint64_t seed, const char *input);

/* ---- eviction (operands.c) ---- */

/* Writes all operands back to memory and drops them from all caches. */
void operands_evict(const struct operands *operands);
/* Reads each of their lines, so that a cache has them, unless all together have more
 * than `most` bytes. */
void operands_touch(const struct operands *operands, uint64_t most);

/* Positions to check, as element offsets; gaps between rows are left out. All of them if
 * ops <= 2^24 or `full`; else the last row and column, every row and column at least once
 * and a seeded sample, so that the reference of them takes about 2^24 inner operations.
 * If that is too few for all rows and columns, or the output is one long row: the
 * corners, both ends and the sample. At most OPERANDS_SAMPLE_MAX if not all. `ops` =
 * inner operations of the whole output. Returns how many; writes them to `index`, which
 * may be NULL to ask for the number, and is not needed if that number is output->count.
 */
enum { OPERANDS_SAMPLE_MAX = 1 << 20 };
uint64_t operands_sample(const struct simdbench_operand *output, double ops, bool full,
                         uint64_t seed, uint64_t *index);
/* Compares outputs with the reference; -EDOM and a sentence about the first and worst
 * one. `index` NULL means element i of [0, n). A float that still holds the poison is
 * wrong even where a NaN is right. SLACK_UNSAID allows as little as 0, but the user may
 * allow more, which the sentence says if that helps. */
#define SLACK_UNSAID (-1.0)
int operands_compare(const struct simdbench_operand *output, const uint64_t *index,
                     uint64_t n, const void *value, const double *slack,
                     struct error *error);
/* The same, where elements may be `more` further off, but for those without slack. */
int operands_compare_loosely(const struct simdbench_operand *output,
                             const uint64_t *index, uint64_t n, const void *value,
                             const double *slack, double more, struct error *error);

/* Writes element `e`, as type_set(). */
void operand_set(const struct simdbench_operand *operand, uint64_t e, double value);

/* Deterministic random numbers, as random_next(): uniform in [-1, 1); of a bell around 0,
 * of variance 1. */
double random_uniform(uint64_t *state);
double normal_next(uint64_t *state);

/* ---- modules (module.c, module_open.c) ---- */

/* `table` is a copy in which every struct has its full size: fields that the module does
 * not know yet are zero, those that it knows beyond ours are left out. */
struct module {
    void *handle;
    const struct simdbench_module *table;
};

/* dlopen(). A library's calls to its own functions lead to these, and not to functions of
 * the same names in libraries that this program loaded; but calls find those of
 * LD_PRELOAD and of an allocator that is not libc's first. NULL: the reason is in
 * `error`; one is that the library needs another build of one that this program has
 * loaded. */
void *module_open(const char *path, struct error *error);
/* A function or a variable that calls of the module find by that name, or NULL. */
void *module_symbol(void *handle, const char *name);
/* Loads a shared object, checks its ABI and its rows, and passes the options to open().
 * -ENOENT, -EINVAL (its table is wrong, or it takes no such option), -EPROTO (another
 * ABI), or what its open() answered. */
int module_load(struct module *module, const char *path,
                const struct simdbench_option *const *options, size_t n,
                struct error *error);
void module_unload(struct module *module);
/* File of a module by name: NAME.so, or else an executable called baseline-NAME, in
 * DIR/simdbench/modules beside the executable's lib, the build tree's kernels/modules,
 * then each folder of SIMDBENCH_MODULES. A name with a '/' or ending in .so or .json is a
 * path. */
int module_find(const char *name, char *path, size_t path_size, struct error *error);
/* True for what module_find() found if it is no shared object to be loaded, but a program
 * that speaks the worker protocol: a foreign worker. */
bool module_is_foreign(const char *path);
/* True if it is a declaration of functions of a library: FILE.json. */
bool module_is_declared(const char *path);
/* True if text can stand in a case id as the name of something: letters, digits, '-' and
 * '_', at least one and at most MODULE_NAME_MAX. */
enum { MODULE_NAME_MAX = 256 };
bool module_name_valid(const char *text);
/* Calls `each` for every module file that can be found by name. */
void module_each(void (*each)(const char *name, const char *path, void *context),
                 void *context);
