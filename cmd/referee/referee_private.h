/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by referee.c (the command), referee_files.c (what the two processes load),
 * referee_cell.c (a process with memory of its own), referee_stage.c (calls on fresh
 * operands), referee_compare.c (their results), referee_right.c (checks),
 * referee_shapes.c (at which shapes), referee_time.c (rounds) and referee_rows.c (the
 * table).
 *
 * The candidate runs in one process, the known functions in another one. They share no
 * memory: this process writes the same operands to both, and compares what they computed.
 */
#pragma once

#include "declared/declared.h"
#include "library_files.h"
#include "plan/plan.h"
#include "referee/referee.h"

/* Other results of functions here than 0 and a negative errno: the verdict is known. */
enum { REJECTED = 1 };

/* A worker, and its memory. */
struct cell {
    struct worker *worker;
    int memory_fd; /* -1: none */
    unsigned char *memory;
    uint64_t bytes;
    uint64_t first; /* the number of its first kernel */
};

/* A function that is known to be right: one of the file, or the reference. */
struct known {
    const char *name, *isa; /* "mix_avx2", "avx2" */
    bool runs;              /* the CPU has its instructions, and it was right so far */
    uint64_t number;        /* of its case, at the shape of the stage */
};
enum { KNOWN_MAX = 64 };

struct referee {
    struct options *options;
    struct judgement *judgement; /* of this candidate */
    struct declared_file file;   /* file that the known worker loads */
    char folder[64], known_path[4096], candidate_path[128];
    size_t n_candidates;                     /* of which files were written */
    struct text_list accepted;               /* their files */
    bool printed;                            /* the table has begun */
    char known_library[4096], library[4096]; /* paths; the known library may be a name */
    const char *symbol;                      /* the candidate's */
    const char *operand_name[SIMDBENCH_MAX_OPERANDS];
    struct known known[KNOWN_MAX];
    size_t n_known, reference; /* the one that gives the answers */
    struct cell judges, candidate;
    uint64_t number; /* the candidate's case, at the shape of the stage */
    int cpu;
    uint64_t random;
    bool shown;   /* an answer of the reference was more than a pointer elsewhere */
    bool aligned; /* it needs arrays that begin at a multiple of 64 bytes */
};

static inline const struct declared_op *op_of(const struct referee *referee)
{
    return &referee->file.op[0];
}
/* A random number below n. */
uint64_t draw(struct referee *referee, uint64_t n);
/* The candidate is rejected for that reason: the first one counts. Returns REJECTED. */
__attribute__((format(printf, 3, 4))) int
reject(struct referee *referee, const char *reason, const char *format, ...);

/* referee_files.c: writes the two files into a new folder, `file` being the user's and
 * `op` NULL or one of it; forgets them. */
int files_write(struct referee *referee, const char *file, const char *op,
                struct error *error);
void files_remove(struct referee *referee);
/* Writes the file of a candidate, whose library and symbol are known. */
int files_write_candidate(struct referee *referee, struct error *error);

/* referee_cell.c */
void cell_end(struct cell *cell);
/* Makes the memory as large as that. */
int cell_grow(struct cell *cell, uint64_t bytes, struct error *error);
/* Nanoseconds of CPU time that the process had, as this one's kernel counts them. */
double cell_cpu_ns(const struct cell *cell);
/* A request to the candidate. REJECTED: it died, hung, or left what it must not. */
int ask_candidate(struct referee *referee, cJSON *request, cJSON **reply,
                  struct error *error);
/* Starts the candidate's process. */
int candidate_start(struct referee *referee, struct error *error);
int judges_start(struct referee *referee, struct error *error);
/* REJECTED if the system says that the candidate's process has several threads. */
int judge_watch(struct referee *referee);

/* referee_stage.c: a shape, and as many calls as fit into caches. */
struct stage {
    struct shape_info info;
    uint64_t turns, list, bytes;
    unsigned char *image; /* the operands as they are before the calls, and gaps */
    unsigned char *right; /* as they are after those of the reference */
    unsigned char *found; /* and after those of another function */
    uint64_t *place;      /* for each turn and operand its offset, then its length */
    bool joint;
    bool fresh;        /* no two calls of a pass have inputs that are alike */
    const char *input; /* NULL: those that were asked for */
};
static inline const struct operands_map *map_of(const struct stage *stage)
{
    return &stage->info.map;
}

static inline uint64_t bytes_of(const struct stage *stage, uint32_t o)
{
    return map_of(stage)->operand[o].count * type_bytes(map_of(stage)->operand[o].type);
}

static inline uint64_t place_of(const struct stage *stage, uint64_t turn, uint32_t o)
{
    return stage->place[2 * map_of(stage)->count * turn + o];
}

static inline uint64_t length_of(const struct stage *stage, uint64_t turn, uint32_t o)
{
    return stage->place[(2 * turn + 1) * map_of(stage)->count + o];
}
/* Both processes prepare all functions at that shape. Each call of a pass has operands of
 * its own. -EINVAL: the op has no such shape; -ECONNRESET: a known function crashed. */
int stage_begin(struct referee *referee, const char *shape, uint64_t bytes,
                struct stage *stage, struct error *error);
void stage_end(struct stage *stage);
/* Draws operands that nobody has seen, their places, and the order of calls, and lets the
 * reference compute what is right. */
int stage_draw(struct referee *referee, struct stage *stage, struct error *error);
/* True if two calls have the same inputs: those of a file, or constants. */
bool stage_repeats(const struct stage *stage);
/* Fills the operands that a check of one call is made on. */
int stage_fill_first(struct referee *referee, struct stage *stage, struct error *error);
/* Time and CPU time of the calls as the process tells them, and CPU time of the whole
 * request as the system tells it. */
struct repeated {
    double ns, cpu_ns, seen_ns;
};
/* Runs the drawn calls by known function `k`, or by the candidate (CANDIDATE), and
 * compares the results. -EDOM: they are wrong, and the error says where; REJECTED. */
enum { CANDIDATE = -1 };
int stage_run(struct referee *referee, struct stage *stage, int k, struct repeated *told,
              struct error *error);
/* Runs the same calls `repeat` times, and compares nothing. */
int stage_repeat(struct referee *referee, struct stage *stage, int k, uint64_t repeat,
                 struct repeated *repeated, struct error *error);
/* referee_compare.c: -EDOM names the call and the operand. */
int stage_compare(struct referee *referee, struct stage *stage, struct error *error);

/* referee_shapes.c */
enum { SMALL_SHAPES = 128, SHAPE_TEXT = 256 };
/* Each dimension has each size from 1 to SMALL_SHAPES once, in an order of its own. */
struct small_shapes {
    uint64_t size[SIMDBENCH_MAX_DIMS][SMALL_SHAPES];
};
void shapes_draw(struct small_shapes *shapes, uint64_t *random);
/* One of them as text. Dimensions are smaller where all together are too much work. */
void shape_small(const struct small_shapes *shapes, size_t number, uint32_t rank,
                 char text[SHAPE_TEXT]);
/* Each dimension a little smaller or larger. */
void shape_near(uint64_t *random, const char *asked, uint32_t rank,
                char text[SHAPE_TEXT]);
/* Each dimension between SMALL_SHAPES and what was asked for, if that is larger. False:
 * no dimension is. */
bool shape_between(uint64_t *random, const char *asked, uint32_t rank,
                   char text[SHAPE_TEXT]);
/* referee_right.c: at all shapes that were asked for, and at those that are drawn. */
int judge_right(struct referee *referee, const struct text_list *shapes,
                struct error *error);
/* Adds a remark if the candidate is wrong for rare inputs alone, such as NaN. */
int judge_edges(struct referee *referee, const struct text_list *shapes,
                struct error *error);
/* referee_time.c: known functions and the candidate in turns. */
int judge_time(struct referee *referee, const struct text_list *shapes,
               struct error *error);
/* referee_rows.c: takes the first finding, or NULL. A finding of placement does not count
 * if the candidate would stay behind the best known function. */
struct explanation;
void judgement_explain(struct judgement *judgement, const char *shape,
                       const struct explanation *found);
/* Makes a run with rows of all accepted candidates; rejects those that are wrong. */
struct run;
int rows_measure(struct referee *referee, const struct text_list *shapes,
                 struct run *verdicts, struct run **run, struct error *error);
