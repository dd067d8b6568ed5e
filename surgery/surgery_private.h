/* SPDX-License-Identifier: Apache-2.0 */
/* Inside room surgery, where there are x86-64 and Zydis. */
#pragma once

#include "hash.h"
#include "insn.h"
#include "surgery.h"

/* ---- regions.c, objects.c: what is loaded here ---- */

/* A program or library, or a mapping with code that was made while the program ran. */
struct object {
    uint64_t lo, hi, bias;
    uint64_t frames; /* address of .eh_frame_hdr, or 0 */
    uint64_t tls;    /* address of its variables of this thread, or 0 */
    uint64_t tls_bytes;
    char *path;   /* NULL: made while the program ran */
    void *handle; /* keeps it loaded */
    const unsigned char *file;
    size_t file_bytes;       /* 0: the file is not the one that was loaded */
    struct symbols *symbols; /* in order, once one was asked for */
};
struct region {
    uint64_t lo, hi;
    bool readable, writable, executable, own; /* own: no file, and not the kernel's */
};
struct objects {
    struct object *object;
    size_t n;
    struct region *region;
    size_t n_regions;
};
int regions_read(struct objects *objects);
const struct region *region_at(const struct objects *objects, uint64_t address);
int objects_open(struct objects *objects);
void objects_close(struct objects *objects);
/* NULL: no code of a program, library or generator. */
const struct object *object_at(const struct objects *objects, uint64_t address);
/* Loads nothing, but keeps the object loaded up to objects_close(). */
void object_hold(struct objects *objects, const struct object *object);

struct symbol {
    uint64_t lo, hi;
    const char *name;
    bool code;
};
/* The innermost sized symbol that holds the address. */
bool symbol_at(const struct object *object, uint64_t address, struct symbol *symbol);
/* True if the dynamic linker filled those 8 bytes for good; and the symbol, or "". */
bool slot_at(const struct object *object, uint64_t address, const char **name);
/* A copy of what the file has for n bytes there, or up to the end of the section; 0 for
 * pointers. NULL: not known. */
unsigned char *initial_at(const struct object *object, uint64_t address, uint64_t *n);

/* A hash of all constants and variables of an object, without places: as they are now,
 * but those of the program itself as they are in its file. False: not known. */
bool data_hash(const struct objects *objects, const struct object *object,
               uint64_t *hash);
/* The section of the file there, as it was loaded. */
bool section_at(const struct object *object, uint64_t address, uint64_t *lo,
                uint64_t *hi);
/* A linker may put constants beside code, where all may be executed. */
bool leads_to_code(const struct objects *objects, uint64_t address);
/* A number for an address, wherever the file was loaded: of its section and place in it,
 * or the function and the place there; all code without a name is the same. `other`: the
 * file's name counts, too. False: it is in no section. */
bool named_place(const struct object *object, bool other, uint64_t address,
                 uint64_t *place);

/* ---- live_data.c ---- */

/* Reads at most 8 bytes, also beside bytes that a sanitizer guards. */
uint64_t read_memory(uint64_t address, size_t n);
/* Adds n bytes of an object as they are now, without places. False: a pointer among them
 * leads to memory of no file, or they are more than 64 MB. */
bool live_hash(const struct objects *objects, const struct object *of, uint64_t address,
               uint64_t n, uint64_t *hash);

/* ---- frames.c: functions by unwind information ---- */

struct frame {
    uint64_t lo, hi;
    uint64_t handlers; /* address of the table of handlers of exceptions, or 0 */
};
bool frame_at(uint64_t frames, uint64_t address, struct frame *frame);
/* The entry of a function, and the addresses of the parts that are copied from it. */
struct unwinding {
    struct frame frame;
    uint64_t personality; /* or 0 */
    uint64_t factors, common, own;
    size_t factor_bytes, common_bytes, own_bytes;
    uint64_t return_register;
    bool signal;
};
/* Finds the entry of the function there, or else of the next one. */
bool unwinding_from(uint64_t frames, uint64_t address, struct unwinding *unwinding);
typedef int handler_visit(void *context, uint64_t address);
/* All places where its handlers begin. -ENOTSUP: a table of another kind. */
int handlers_visit(const struct frame *frame, handler_visit *visit, void *context);

/* ---- functions.c: what is copied ---- */

enum { BLOCKS_MAX = 96 };
/* Flags of each byte of a block. */
enum mark {
    MARK_START = 1,
    MARK_COVERED = 2,
    MARK_TARGET = 4,
    MARK_EXECUTED = 8,
    MARK_SWEPT = 16 /* an instruction begins there, if there is no data before it */
};
/* A function, or several that only short jumps connect; or a whole mapping or section of
 * which some instructions were reached. */
struct block {
    uint64_t lo, hi;
    const struct object *object;
    unsigned char *image, *mark; /* the code before any change */
    size_t indirect;             /* jumps to places that are computed */
    size_t calls;                /* and calls */
    size_t moves;                /* addresses of functions that it holds as numbers */
    bool unknown;                /* it calls what a variable holds */
    uint64_t slots, anchor;      /* the linker's table of slots is found from a place of
                                    its own, and all else from there; or 0 */
    size_t part;                 /* its number */
    bool loose; /* the bounds are those of a mapping or section, not of a function */
};
/* A reference that depends on the place of its instruction. */
struct fix {
    uint64_t address, target;
    enum reference reference;
    uint8_t length, field;
    size_t extra; /* index of its table or slot, or NO_EXTRA */
};
#define NO_EXTRA SIZE_MAX
/* A jump table, or a slot, that a variant has a copy of. */
struct extra {
    uint64_t address;
    size_t n;     /* entries of a table; 0: a slot */
    size_t bytes; /* of an entry */
    const struct block *block;
    uint64_t offset; /* among those of its part */
};
struct jump {
    uint64_t at, entry;
    unsigned char before[5];
};
enum { JUMP_BYTES = 5, JUMPS_MAX = 256 };
enum { CHANGE_BYTES_MAX = 48 };
/* An instruction of a variant that is not as built. */
struct change {
    uint64_t address, target; /* address first, for by_u64() */
    uint8_t length;           /* as built */
    uint8_t before;           /* bytes that are put before it */
    uint8_t after;            /* its own bytes then, which follow; 0: it is dropped */
    bool keeps;               /* its operands lie in these bytes where they lay */
    int8_t head;   /* bytes by which they lie farther behind, if it keeps them */
    bool widened;  /* a short branch with a distance of 4 bytes, to `target` */
    int64_t shift; /* of what follows in its block */
    unsigned char bytes[CHANGE_BYTES_MAX];
};
struct changes {
    struct change *item; /* by address */
    size_t n;
};
/* The blocks of one object: their copies keep their distances. */
struct part_room {
    const struct block *block; /* one of them */
    uint64_t lo, hi;
    uint64_t extras; /* bytes of its tables and slots */
};
typedef void unwinder_function(void *list);
struct unwinder {
    unwinder_function *add, *remove;
    bool single; /* takes one entry */
};
struct surgery {
    struct surgery_subject subject;
    struct objects objects;
    struct block block[BLOCKS_MAX];
    size_t n_blocks;
    struct frame left[BLOCKS_MAX]; /* functions that stay */
    const struct object *still[4]; /* all whose functions stay; or NULL */
    size_t n_left;
    struct fix *fix;
    size_t n_fixes;
    struct extra *extra;
    size_t n_extras;
    struct part_room part[BLOCKS_MAX];
    size_t n_parts;
    struct jump jump[JUMPS_MAX];
    size_t n_jumps;
    uint64_t *executed;
    size_t n_executed;
    struct surgery_variant *first, *selected;
    struct unwinder unwinder[2];
    size_t n_unwinders;
    bool unfound; /* code leads to a place that is in no function */
    int memory_fd;
    struct changes edit[SURGERY_EDITS];
    uint64_t *counts; /* of all conditional branches of a call as built; NULL: not yet */
    size_t n_counts;
};
struct addresses {
    uint64_t *at;
    size_t n;
};

struct search {
    struct surgery *surgery;
    struct addresses todo;  /* instructions */
    struct addresses taken; /* the code takes these addresses: tables may begin there */
    bool again;             /* a block grew: everything is to be found anew */
    struct error *error;
};
/* True if both have the same distance to their copies: generated code has no object, and
 * each mapping is a part of its own. */
bool same_part(const struct block *a, const struct block *b);
/* Joins the two blocks that a short jump connects, and all between them, into one. */
int tie_blocks(struct search *search, struct block *block, uint64_t target);
/* normal.c: the slot that a stub of the linker jumps through, or 0: it is no stub. */
uint64_t stub_slot(const struct surgery *surgery, uint64_t address);
/* For code alone: the function there is to be found as well. */
int add_named(struct search *search, uint64_t address);
/* Forgets instructions, keeps blocks. */
void functions_forget(struct surgery *surgery);
/* reach.c: finds the instructions of all blocks; sets `again` if a block grew. */
int code_find(struct search *search);
/* False: no function is known there. */
bool function_at(const struct object *object, uint64_t address, struct frame *function);
int functions_find(struct surgery *surgery, struct error *error);
void functions_free(struct surgery *surgery);
struct block *block_at(const struct surgery *surgery, uint64_t address);
/* Code of an unwinder, which stays. */
bool unwinds(const struct surgery *surgery, uint64_t address);
/* An instruction that is copied begins there. */
bool is_copied(const struct surgery *surgery, uint64_t address);
uint64_t extra_target(const struct extra *table, size_t i);
/* The address for which a number of 64 bits stands, or 0. */
uint64_t number_address(const struct surgery *surgery, const struct block *block,
                        uint64_t number);

/* ---- layout.c: where instructions of a variant lie ---- */

int changes_add(struct changes *changes, const struct change *change,
                struct error *error);
void changes_sort(struct changes *changes);
/* NULL: the instruction there is as built. */
const struct change *change_at(const struct changes *changes, uint64_t address);
/* Widens short branches that do not reach any more, and gives all their places. */
int layout_make(struct surgery_variant *variant, struct error *error);
/* Returns how far an instruction of a block moves besides the distance of its part. */
int64_t layout_shift(const struct surgery_variant *variant, const struct block *block,
                     uint64_t address);
/* Writes the distances of short branches into the copy of a block. */
void layout_short_branches(const struct surgery_variant *variant,
                           const struct block *block);

/* ---- copy.c ---- */

/* Takes over the changes, also if it fails. `counts`: a variant for trials alone, which
 * counts its conditional branches. */
int variant_make(struct surgery *surgery, struct changes *changes, bool counts,
                 unsigned shift, struct surgery_variant **out, struct error *error);

struct part {
    unsigned char *arena;
    size_t bytes;
    int64_t delta;                 /* from an original to its copy */
    uint64_t extras;               /* address of the copied tables and slots */
    unsigned char *frames;         /* unwind information of its functions, or NULL */
    uint64_t counters, n_counters; /* behind them: 8 bytes each */
};
struct surgery_variant {
    struct surgery *surgery;
    struct surgery_variant *next;
    struct part part[BLOCKS_MAX];
    struct changes changes;
    uint64_t grown[BLOCKS_MAX];       /* parts are longer by so many bytes */
    uint64_t block_shift[BLOCKS_MAX]; /* of the beginnings of blocks */
    bool counts;
};
/* Returns the copy of an instruction; the instruction itself if there is none. */
uint64_t copy_of(const struct surgery_variant *variant, uint64_t address);

/* ---- unwind.c ---- */

void unwinders_find(struct surgery *surgery);
/* Unwind information for a variant; without any, exceptions do not pass through it. */
int unwinding_make(struct surgery_variant *variant, struct error *error);
/* To be added while the variant is selected. */
void unwinding_tell(const struct surgery_variant *variant, bool add);

/* ---- branch_counts.c: trials count how often each conditional branch executes ---- */

/* Puts a counter before each of them, and later its place. */
int counters_add(struct surgery_variant *variant, struct error *error);
int counters_put(struct surgery_variant *variant, struct error *error);
/* Sets the counters of a trial to zero. */
void counters_zero(const struct surgery_variant *variant);
/* Calls a trial with these changes, which it takes over, and counts how often each
 * conditional branch executes, in the order of parts and addresses. The caller frees
 * `counts`. */
int counters_try(struct surgery *surgery, struct changes *changes, uint64_t **counts,
                 size_t *n, struct error *error);

/* ---- edits.c, safety.c ---- */

/* Vector registers 0 to 31, then the masks. */
#define MASK_BIT 32
/* Memory where vectors are stored. */
#define MEMORY (UINT64_C(1) << 63)
/* `altered`: a bit for each register, and for memory, that the changed instructions write
 * or would have written. 0: no changed value reaches what matters; else -EPERM. */
int edit_is_safe(const struct surgery *surgery, const struct changes *changes,
                 const struct surgery_seen *seen, size_t n, uint64_t altered,
                 struct error *error);

/* ---- recode.c: the same instruction in other bytes; false: of another kind ---- */

/* SSE as VEX: the upper half of the result becomes zero. */
bool recode_vex(const unsigned char *bytes, size_t n, struct change *change);
/* A store past the caches as one through them. */
bool recode_cached(const unsigned char *bytes, size_t n, struct change *change);

/* ---- jumps.c ---- */

/* From an entry that pointers lead to: -EFAULT if there is no room for a jump. */
int jump_add(struct surgery *surgery, uint64_t entry, struct error *error);
