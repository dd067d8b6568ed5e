/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that nobody has seen before: each pass has other operands at other places, in
 * another order, and all that a pass computes is compared. */
#include "referee_private.h"

#include <inttypes.h>

enum {
    TURNS_MIN = 4, /* two pairs of operands that are nearly the same */
    TURNS_MAX = 2048,
    GAP_MIN = 64,
    GAP_MAX = 4096,
    ALIGNED = 64,
    CHANGED_PART = 32 /* one of so many elements, at most, tells a pair apart */
};

static uint64_t list_bytes(const struct stage *stage)
{
    return stage->turns * 2 * map_of(stage)->count * sizeof(uint64_t);
}

/* Room before an operand: of small ones little, so that few pages are needed. */
static uint64_t gap_most(const struct stage *stage, uint32_t o)
{
    const uint64_t bytes = bytes_of(stage, o);
    return bytes < GAP_MIN ? GAP_MIN : bytes < GAP_MAX ? bytes : GAP_MAX;
}

static void choose_turns(struct stage *stage, uint64_t bytes)
{
    uint64_t one = 0, room = 0;
    for (uint32_t o = 0; o < map_of(stage)->count; o++) {
        one += bytes_of(stage, o);
        room += bytes_of(stage, o) + gap_most(stage, o) + GAP_MIN + 2 * ALIGNED;
    }
    const uint64_t fit = one ? bytes / one : TURNS_MAX;
    stage->turns = fit < TURNS_MIN ? TURNS_MIN : fit > TURNS_MAX ? TURNS_MAX : fit;
    stage->list = (stage->turns * room + GAP_MAX) / 64 * 64;
    if (stage->list < map_of(stage)->bytes)
        stage->list = (map_of(stage)->bytes + 63) / 64 * 64;
    stage->bytes = stage->list + list_bytes(stage);
}

static int ask_shape(struct referee *referee, const char *text, struct stage *stage,
                     struct error *error)
{
    const cJSON *const kernel = cJSON_GetArrayItem(
        message_get(referee->judges.worker->description, "kernels"), 0);
    const struct shape_call call = {
        .op = op_of(referee)->name, .type = message_text(kernel, "type"), .text = text};
    FREED_BY(json_delete) cJSON *reply = NULL;
    const int status =
        worker_ask(referee->judges.worker, shape_call(&call), INT64_MAX, &reply, error);
    return status == 0 && shape_info_read(reply, &stage->info) < 0
               ? error_set(error, -EPROTO, "bad answer about shape '%.100s'", text)
               : status;
}

/* `number`: of the case that the kernel becomes. */
static cJSON *prepare_request(uint64_t kernel)
{
    return prepare_call(&(struct prepare_call){.kernel = kernel, .threads = 1});
}

static cJSON *map_request(const struct stage *stage)
{
    const struct map_call call = {.bytes = stage->bytes,
                                  .block = stage->info.map.bytes,
                                  .dims = stage->info.shape,
                                  .operands = stage->info.map,
                                  .threads = 1};
    return map_call(&call);
}

static int prepare_known(struct referee *referee, struct stage *stage,
                         struct error *error)
{
    int status =
        worker_tell(referee->judges.worker, map_request(stage), INT64_MAX, error);
    for (size_t i = 0; i < referee->n_known && status == 0; i++) {
        struct prepare_reply told;
        FREED_BY(json_delete) cJSON *reply = NULL;
        if (!referee->known[i].runs)
            continue;
        status = worker_ask(referee->judges.worker, prepare_request(i), INT64_MAX, &reply,
                            error)
                     ?: prepare_reply_read(reply, &told);
        if (status == 0)
            referee->known[i].number = told.number;
    }
    return status;
}

static int prepare_candidate(struct referee *referee, struct stage *stage,
                             struct error *error)
{
    struct prepare_reply told = {.number = 0};
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status = ask_candidate(referee, map_request(stage), NULL, error)
                     ?: ask_candidate(referee, prepare_request(referee->candidate.first),
                                      &reply, error)
                     ?: prepare_reply_read(reply, &told);
    referee->number = told.number;
    return status;
}

int stage_begin(struct referee *referee, const char *shape, uint64_t bytes,
                struct stage *stage, struct error *error)
{
    *stage = (struct stage){.turns = 0};
    int status = ask_shape(referee, shape, stage, error);
    if (status < 0)
        return status;
    status =
        operands_offsets(&stage->info.map, ALIGNED, draw(referee, UINT64_MAX), error);
    if (status < 0)
        return status;
    choose_turns(stage, bytes);
    status = cell_grow(&referee->judges, stage->bytes, error)
                 ?: cell_grow(&referee->candidate, stage->bytes, error)
                 ?: prepare_known(referee, stage, error)
                 ?: prepare_candidate(referee, stage, error);
    stage->image = must_have(malloc(stage->bytes));
    stage->right = must_have(malloc(stage->bytes));
    stage->found = must_have(malloc(stage->bytes));
    stage->place = must_have(calloc(1, list_bytes(stage) + 1));
    return status;
}

void stage_end(struct stage *stage)
{
    FREE_EACH(stage->image, stage->right, stage->found, stage->place);
    *stage = (struct stage){.turns = 0};
}

/* ---- operands ---- */

uint64_t draw(struct referee *referee, uint64_t n)
{
    return n ? random_next(&referee->random) % n : 0;
}

static void draw_bytes(struct referee *referee, unsigned char *to, uint64_t n)
{
    for (uint64_t i = 0; i + 8 <= n; i += 8) {
        const uint64_t word = random_next(&referee->random);
        memcpy(to + i, &word, 8);
    }
}

/* One turn after the other in memory, in an order that is not that of the calls. */
static void draw_places(struct referee *referee, struct stage *stage)
{
    const uint32_t count = map_of(stage)->count;
    FREED_BY(free_memory) uint64_t *order =
        must_have(calloc(stage->turns, sizeof *order));
    uint64_t at = 0;
    for (uint64_t i = 0; i < stage->turns; i++) {
        const uint64_t k = draw(referee, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint64_t i = 0; i < stage->turns; i++)
        for (uint32_t o = 0; o < count; o++) {
            const size_t element = type_bytes(map_of(stage)->operand[o].type);
            const uint64_t align =
                referee->aligned && element < ALIGNED ? ALIGNED : element;
            at += GAP_MIN + draw(referee, gap_most(stage, o));
            at = (at + align - 1) / align * align;
            stage->place[2 * count * order[i] + o] = at;
            at += bytes_of(stage, o);
        }
}

/* Each second turn has the inputs of the one before, but for a few elements, which are
 * new. In one of four pairs they are the old ones in another order. */
static void make_pairs(struct referee *referee, struct stage *stage)
{
    for (uint64_t turn = 1; turn < stage->turns; turn += 2)
        for (uint32_t o = 0; o < map_of(stage)->count; o++) {
            const struct simdbench_operand *const operand = &map_of(stage)->operand[o];
            const size_t element = type_bytes(operand->type);
            unsigned char *const to = stage->image + place_of(stage, turn, o);
            const unsigned char *const from = stage->image + place_of(stage, turn - 1, o);
            const uint64_t n = operand->count;
            if (operand_is_output(operand) || operand->role == SIMDBENCH_CONST || n < 2)
                continue;
            const bool turned = !draw(referee, 4);
            const uint64_t most = n / CHANGED_PART + 1, first = draw(referee, n - turned);
            const uint64_t many = 1 + turned + draw(referee, most);
            const uint64_t end = first + many < n ? first + many : n;
            memcpy(to, from, first * element);
            memcpy(to + end * element, from + end * element, (n - end) * element);
            if (!turned)
                continue;
            memcpy(to + first * element, from + (first + 1) * element,
                   (end - first - 1) * element);
            memcpy(to + (end - 1) * element, from + first * element, element);
        }
}

/* Inputs as the reference's process filled them, and outputs that hold anything. */
static void take_inputs(struct referee *referee, struct stage *stage)
{
    for (uint64_t turn = 0; turn < stage->turns; turn++)
        for (uint32_t o = 0; o < map_of(stage)->count; o++) {
            const uint64_t at = place_of(stage, turn, o);
            if (!operand_is_output(&map_of(stage)->operand[o]))
                memcpy(stage->image + at, referee->judges.memory + at,
                       bytes_of(stage, o));
        }
    if (!stage->joint && !stage->fresh)
        make_pairs(referee, stage);
    for (uint64_t turn = 0; turn < stage->turns; turn++)
        for (uint32_t o = 0; o < map_of(stage)->count; o++) {
            const struct simdbench_operand *const operand = &map_of(stage)->operand[o];
            if (operand->role == SIMDBENCH_INOUT)
                memcpy(stage->image + place_of(stage, turn, o),
                       stage->image + place_of(stage, turn, operand->source),
                       bytes_of(stage, o));
        }
}

bool stage_repeats(const struct stage *stage)
{
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < map_of(stage)->count && stage->turns > 1; o++) {
        if (operand_is_output(&map_of(stage)->operand[o]))
            continue;
        for (uint64_t turn = 1; turn < stage->turns; turn++)
            if (memcmp(stage->image + place_of(stage, 0, o),
                       stage->image + place_of(stage, turn, o), bytes_of(stage, o)) != 0)
                return false;
        bytes += bytes_of(stage, o);
    }
    return bytes > 0;
}

static int fill(struct referee *referee, struct stage *stage, struct error *error)
{
    const struct request *const request = &referee->options->request;
    const struct lists_call call = {.op = op_of(referee)->name,
                                    .input = stage->input        ? stage->input
                                             : request->inputs.n ? request->inputs.item[0]
                                                                 : NULL,
                                    .turns = stage->turns,
                                    .list = stage->list,
                                    .seed = random_next(&referee->random)};
    struct lists_reply told;
    FREED_BY(json_delete) cJSON *reply = NULL;
    memcpy(referee->judges.memory + stage->list, stage->place, list_bytes(stage));
    const int status =
        worker_ask(referee->judges.worker, inputs_call(&call), INT64_MAX, &reply, error);
    if (status == 0) {
        lists_reply_read(reply, &told);
        stage->joint = told.joint;
    }
    return status;
}

int stage_fill_first(struct referee *referee, struct stage *stage, struct error *error)
{
    const struct request *const request = &referee->options->request;
    const struct inputs_call call = {.op = op_of(referee)->name,
                                     .seed = random_next(&referee->random),
                                     .input = request->inputs.n ? request->inputs.item[0]
                                                                : NULL};
    const int status =
        worker_tell(referee->judges.worker, fill_call(&call), INT64_MAX, error);
    if (status == 0)
        memcpy(referee->candidate.memory, referee->judges.memory, map_of(stage)->bytes);
    return status;
}

/* ---- calls ---- */

/* Places alone: the lengths are those of the reference, and not for others to see. */
static void put_list(const struct stage *stage, void *to)
{
    const uint32_t count = map_of(stage)->count;
    uint64_t *const list = to;
    memset(list, 0, list_bytes(stage));
    for (uint64_t turn = 0; turn < stage->turns; turn++)
        for (uint32_t o = 0; o < count; o++)
            list[2 * count * turn + o] = place_of(stage, turn, o);
}

static int call_turns(struct referee *referee, struct stage *stage, int k,
                      uint64_t repeat, struct turns_reply *told, struct error *error)
{
    struct cell *const cell = k == CANDIDATE ? &referee->candidate : &referee->judges;
    const struct turns_call call = {.number = k == CANDIDATE ? referee->number
                                                             : referee->known[k].number,
                                    .turns = stage->turns,
                                    .list = stage->list,
                                    .repeat = repeat};
    FREED_BY(json_delete) cJSON *reply = NULL;
    memcpy(cell->memory, stage->image, stage->list);
    put_list(stage, cell->memory + stage->list);
    const int status = k == CANDIDATE
                           ? ask_candidate(referee, turns_call(&call), &reply, error)
                           : worker_ask(cell->worker, turns_call(&call),
                                        referee->options->how.timeout_ns, &reply, error);
    if (status == 0)
        turns_reply_read(reply, told);
    return status;
}

/* False if a pointer to memory of the function's own is all that a call leaves. */
static bool shows_any(const struct referee *referee, const struct stage *stage)
{
    bool any = op_of(referee)->declaration.returned != CTYPE_POINTER;
    for (uint64_t turn = 0; turn < stage->turns; turn++)
        for (uint32_t o = 0; o < map_of(stage)->count && !any; o++) {
            int64_t pointer = 0;
            if (!operand_is_output(&map_of(stage)->operand[o]))
                continue;
            if (bytes_of(stage, o) == sizeof pointer)
                memcpy(&pointer, stage->right + place_of(stage, turn, o), sizeof pointer);
            any |= pointer != POINTS_ELSEWHERE;
        }
    return any;
}

int stage_draw(struct referee *referee, struct stage *stage, struct error *error)
{
    struct turns_reply told;
    draw_places(referee, stage);
    draw_bytes(referee, stage->image, stage->list);
    int status = fill(referee, stage, error);
    if (status < 0)
        return status;
    take_inputs(referee, stage);
    status = call_turns(referee, stage, (int)referee->reference, 1, &told, error);
    if (status < 0)
        return status;
    memcpy(stage->right, referee->judges.memory, stage->list);
    memcpy(stage->place, referee->judges.memory + stage->list, list_bytes(stage));
    referee->shown |= shows_any(referee, stage);
    return 0;
}

int stage_repeat(struct referee *referee, struct stage *stage, int k, uint64_t repeat,
                 struct repeated *repeated, struct error *error)
{
    const struct cell *const cell =
        k == CANDIDATE ? &referee->candidate : &referee->judges;
    struct turns_reply told = {.ns = 0};
    const double before = cell_cpu_ns(cell);
    const int status = call_turns(referee, stage, k, repeat, &told, error);
    *repeated = (struct repeated){told.ns, told.cpu_ns, cell_cpu_ns(cell) - before};
    return status;
}

int stage_run(struct referee *referee, struct stage *stage, int k, struct repeated *told,
              struct error *error)
{
    const struct cell *const cell =
        k == CANDIDATE ? &referee->candidate : &referee->judges;
    int status = stage_repeat(referee, stage, k, 1, told, error);
    if (status != 0)
        return status;
    memcpy(stage->found, cell->memory, stage->list);
    status = stage_compare(referee, stage, error);
    if (status == 0 && k == CANDIDATE)
        referee->judgement->calls += stage->turns;
    return status;
}
