/* SPDX-License-Identifier: Apache-2.0 */
/* Is it right? At the shapes that were asked for, and at others around them that nobody
 * could know. */
#include "referee_private.h"

enum {
    NEAR_SHAPES = 3,     /* around each that was asked for */
    BETWEEN_SHAPES = 12, /* from the small ones to those */
    AGAIN_SHAPES = 16,   /* met by a call that is compared, behind one of another size */
    CHECK_BYTES = 64 << 10 /* of operands in a pass */
};

/* A function of the file that is wrong where the file says that it runs is no witness. */
static int judge_known(struct referee *referee, struct stage *stage, bool asked,
                       bool *all_right, struct error *error)
{
    *all_right = true;
    for (size_t i = 0; i < referee->n_known; i++) {
        struct repeated told;
        if (!referee->known[i].runs)
            continue;
        const int status = stage_run(referee, stage, (int)i, &told, error);
        if (status < 0 && status != -EDOM)
            return status;
        if (status == -EDOM && asked && i != referee->reference) {
            complain("%s is wrong itself, and left out: %s", referee->known[i].name,
                     error->text);
            referee->known[i].runs = false;
        } else if (status == -EDOM) {
            *all_right = false;
        }
    }
    return 0;
}

/* Registers, flags, and what it reads or writes beyond its arrays. */
static int judge_call(struct referee *referee, struct stage *stage, struct error *error)
{
    const struct check_call call = {.number = referee->number,
                                    .places = {.index = UINT64_MAX}};
    struct check_reply told;
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status = stage_fill_first(referee, stage, error)
                     ?: ask_candidate(referee, check_call(&call), &reply, error);
    if (status == 0) {
        check_reply_read(reply, &told);
        referee->aligned |= told.note && strstr(told.note, "needs arrays");
        if (told.note && strstr(told.note, "changed")) /* modes, the signal mask */
            status = reject(referee, "unsafe", "%s", told.note);
        else if (told.note && !referee->judgement->note)
            referee->judgement->note = must_have(strdup(told.note));
    }
    return status;
}

enum why { ASKED, DRAWN, AGAIN };

static int judge_shape(struct referee *referee, struct stage *stage, enum why why,
                       struct error *error)
{
    struct repeated told;
    const bool aligned = referee->aligned;
    int status = why == AGAIN ? 0 : judge_call(referee, stage, error);
    for (int pass = 0; pass < (why == AGAIN ? 1 : 2) && status == 0; pass++) {
        /* The first places were drawn before it was known what it needs. */
        status =
            pass || referee->aligned != aligned ? stage_draw(referee, stage, error) : 0;
        if (status == 0)
            status = stage_run(referee, stage, CANDIDATE, &told, error);
    }
    if (status == -EDOM)
        status = reject(referee, "wrong", "%s", error->text);
    referee->judgement->shapes += why != AGAIN;
    return status ?: judge_watch(referee);
}

/* A shape at which a known function is wrong, or crashes, is none. */
static int try_shape(struct referee *referee, const char *text, enum why why,
                     struct error *error)
{
    const bool asked = why == ASKED;
    struct stage stage;
    struct error fault = {.text = ""};
    bool good = false;
    if (!referee->options->quiet)
        progress_show("is it right? shape %s", text);
    int status = stage_begin(referee, text, CHECK_BYTES, &stage, &fault)
                     ?: stage_draw(referee, &stage, &fault)
                     ?: judge_known(referee, &stage, asked, &good, &fault);
    if (status == 0 && good)
        status = judge_shape(referee, &stage, why, &fault);
    stage_end(&stage);
    if (status > 0 || (status == 0 && (good || !asked)))
        return status;
    if (status == -EINTR || asked)
        return error_set(error, status < 0 ? status : -EDOM, "%.60s: %s%.400s", text,
                         status == -ECONNRESET
                             ? "a known function ends its process; does the prototype "
                               "fit it? "
                             : "",
                         status < 0 ? fault.text : "the reference is wrong by itself");
    if (worker_alive(referee->judges.worker))
        return 0;
    cell_end(&referee->judges);
    return judges_start(referee, error);
}

int judge_right(struct referee *referee, const struct text_list *shapes,
                struct error *error)
{
    const uint32_t n = op_of(referee)->declaration.n_dimensions, rank = n ? n : 1;
    struct small_shapes small;
    char text[SHAPE_TEXT];
    int status = 0;
    for (size_t i = 0; i < shapes->n && status == 0; i++)
        status = try_shape(referee, shapes->item[i], ASKED, error);
    shapes_draw(&small, &referee->random);
    for (size_t i = 0; i < SMALL_SHAPES && status == 0; i++) {
        shape_small(&small, i, rank, text);
        status = try_shape(referee, text, DRAWN, error);
    }
    for (size_t i = 0; i < NEAR_SHAPES * shapes->n && status == 0; i++) {
        shape_near(&referee->random, shapes->item[i % shapes->n], rank, text);
        status = try_shape(referee, text, DRAWN, error);
    }
    for (size_t i = 0; i < BETWEEN_SHAPES && shapes->n && status == 0; i++)
        if (shape_between(&referee->random, shapes->item[i % shapes->n], rank, text))
            status = try_shape(referee, text, DRAWN, error);
    /* A larger one and a small one in turns. */
    for (size_t i = 0; i < AGAIN_SHAPES && shapes->n && status == 0; i++) {
        if (i % 2)
            shape_small(&small, i, rank, text);
        else
            shape_between(&referee->random, shapes->item[i / 2 % shapes->n], rank, text);
        status = try_shape(referee, text, AGAIN, error);
    }
    progress_end();
    if (status == 0 && !referee->shown)
        return invalid(error, "the reference returns a pointer to memory of its own, and "
                              "writes no array: nobody could tell whether it is right");
    return status;
}

/* ---- rare numbers ---- */

/* True if nobody said what the inputs are, and some of them are floats. */
static bool has_free_floats(const struct referee *referee)
{
    const struct declared_op *const op = op_of(referee);
    bool any = false;
    FOR_EACH (const struct declared_argument, argument, op->declaration.argument,
              op->declaration.n)
        any |= argument->kind == ARGUMENT_ARRAY && argument->role != ARGUMENT_OUT &&
               ctype_is_float(argument->type);
    return any && !op->n_inputs && !op->calls && !referee->options->request.inputs.n;
}

/* The declaration does not say that a function has to be right on them, so this rejects
 * nobody, and a reference that fails on them tells nothing. */
int judge_edges(struct referee *referee, const struct text_list *shapes,
                struct error *error)
{
    struct judgement *const judgement = referee->judgement;
    struct stage stage;
    struct repeated told;
    if (!has_free_floats(referee))
        return 0;
    int status = stage_begin(referee, shapes->item[0], CHECK_BYTES, &stage, error);
    stage.input = "edges";
    status = status ?: stage_draw(referee, &stage, error);
    const bool ran = status == 0;
    status = status ?: stage_run(referee, &stage, CANDIDATE, &told, error);
    stage_end(&stage);
    if (ran && (status == -EDOM || status == REJECTED)) {
        FREED_BY(free_memory) char *first = judgement->note;
        must(asprintf(
            &judgement->note,
            "%s%sis not as %s on inputs that are NaN, infinite, zero or subnormal, "
            "which --input=edges judges: %s",
            first ?: "", first ? "; it " : "", referee->known[referee->reference].name,
            status == REJECTED ? judgement->detail : error->text));
    }
    if (status == REJECTED) {
        FREE_EACH(judgement->reason, judgement->detail);
        judgement->reason = judgement->detail = NULL;
    }
    return status == -EINTR ? status : 0;
}
