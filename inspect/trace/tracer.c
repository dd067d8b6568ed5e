/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a call: steps what is new, records it as paths, and lets paths run. */
#include "trace.h"

#include <inttypes.h>

/* A shorter path is stepped. After so many instructions, only one turn of each run of a
 * loop is replayed: more of their addresses would tell nothing new. */
enum { PATH_LEAST = 3, REPLAY_MAX = 4000000, REPLAY_RUN_MAX = 65536 };
/* Turns that are stepped at a time for places that are not known else, and instructions
 * of these; and of all. */
enum { LOOK_TURNS = 8, LOOK_MAX = 600, LOOKED_MAX = 6000 };

int tracer_gone(const struct tracer *tracer, int status)
{
    return error_set(tracer->error, status,
                     status == -ETIMEDOUT ? "the traced call took too long"
                     : status == -EINTR   ? "interrupted"
                                          : "the traced process is gone");
}

/* ---- nodes and calls ---- */

static uint32_t node_at(struct tracer *tracer, uint64_t address)
{
    const uint32_t known = nodes_find(&tracer->nodes, tracer->context, address);
    unsigned char bytes[CODE_BYTES_MAX];
    struct code code;
    if (known != NO_NODE)
        return known;
    const size_t n = child_read(&tracer->child, address, bytes, sizeof bytes);
    /* The last instruction before a page that cannot be read. */
    const size_t rest =
        n ? n : child_read(&tracer->child, address, bytes, 4096 - address % 4096);
    if (code_decode(bytes, rest, address, &code) < 0) {
        error_set(tracer->error, -EILSEQ, "no known instruction at 0x%" PRIx64, address);
        return NO_NODE;
    }
    const uint32_t added = nodes_add(&tracer->nodes, &code, tracer->context);
    if (added != NO_NODE)
        tracer->nodes.node[added].depth = tracer->n_frames;
    return added;
}

/* Keeps the calls that led to where the process is. */
static void follow_call(struct tracer *tracer, const struct code *code, uint64_t pc)
{
    const uint64_t behind = code->address + code->length;
    if (code->is_call && tracer->n_frames < CALLS_MAX) {
        tracer->frame[tracer->n_frames++] =
            (struct frame){.return_address = behind, .context = tracer->context};
        tracer->context = (tracer->context ^ behind) * UINT64_C(0x9e3779b97f4a7c15);
        tracer->context ^= tracer->context >> 29;
    }
    for (uint32_t i = tracer->n_frames; code->flow == FLOW_RETURN && i-- > 0;)
        if (tracer->frame[i].return_address == pc) {
            tracer->context = tracer->frame[i].context;
            tracer->n_frames = i;
            return;
        }
}

/* ---- one instruction that executed ---- */

static void take_accesses(struct tracer *tracer, struct node *node,
                          const struct known *known)
{
    const struct code *code = &node->code;
    uint64_t address;
    for (unsigned i = 0; i < code->n_accesses; i++) {
        const struct access *access = &code->access[i];
        if (!access_is_counted(code, access) || access->string)
            continue;
        if (known_address(known, code, access, &address)) {
            order_address(&tracer->order, i, address);
            memory_access(&tracer->memory, &tracer->nodes, node, i, address);
        } else { /* one of those that the core mixes, at a place that nobody knows */
            tracer->memory.n_loads += access->read;
        }
    }
}

static uint64_t count_sse(const struct nodes *nodes)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < nodes->n; i++)
        n += nodes->node[i].code.encoding == ENCODING_SSE ? nodes->node[i].executed : 0;
    return n;
}

/* Notes whether upper halves of vector registers are in use, and who meets them so. */
static void take_upper_halves(struct tracer *tracer, const struct code *code)
{
    tracer->transitions += code->encoding == ENCODING_SSE && tracer->dirty;
    if (!tracer->decided && (code->cleans || code->dirties)) {
        tracer->as_before = count_sse(&tracer->nodes);
        tracer->decided = true;
    }
    tracer->dirty = (tracer->dirty && !code->cleans) || code->dirties;
}

static int account(struct tracer *tracer, uint32_t number, const struct known *known)
{
    struct node *node = &tracer->nodes.node[number];
    const struct code *code = &node->code;
    const uint32_t last = tracer->last;
    node->executed++;
    tracer->instructions++;
    tracer->memory.now++;
    if (known->mask >> GPR_RSP & 1)
        tracer->memory.rsp = known->value[GPR_RSP];
    take_upper_halves(tracer, code);
    order_add(&tracer->order, number);
    take_accesses(tracer, node, known);
    tracer->last = number;
    if (last != NO_NODE)
        rows_take(&tracer->nodes.node[last].rows, number, 1);
    return last == NO_NODE ? 0 : node_edge(&tracer->nodes, last, number, 1);
}

/* ---- recording ---- */

static void forget_recording(struct tracer *tracer)
{
    tracer->n_recorded = tracer->recorded_calls = 0;
    tracer->mark++;
}

/* Registers that are known at its beginning do not tell all its places. */
static bool is_blind(const struct nodes *nodes, const struct path *path)
{
    struct known known = {.mask = (1u << GPR_COUNT) - 1};
    for (uint32_t i = 0; i < 2 * path->n; i++) {
        const struct code *code = &nodes->node[path->node[i % path->n]].code;
        uint64_t address;
        for (unsigned k = 0; k < code->n_accesses; k++)
            if (!code->access[k].gather &&
                !known_address(&known, code, &code->access[k], &address))
                return true;
        known_compute(&known, code);
    }
    return false;
}

/* Makes a path of a part of the recording. */
static void keep(struct tracer *tracer, uint32_t from, uint32_t n, uint64_t end,
                 bool loop)
{
    struct nodes *nodes = &tracer->nodes;
    const uint32_t *list = tracer->recording + from;
    const size_t most = child_breakpoints(&tracer->child);
    if (n == 0 || most < 2)
        return;
    struct path *path = path_make(nodes, list, n, end, loop, most - 1);
    /* Turns that nothing counts: from the second instruction to the first, one by one. */
    if (path && path->loop && !path->counted) {
        path_free(path);
        list++;
        path = n > 1 ? path_make(nodes, list, n - 1, end, false, most - 1) : NULL;
    }
    if (path && !path->loop && path->n < PATH_LEAST) {
        path_free(path);
        path = NULL;
    }
    if (path) {
        path->blind = is_blind(nodes, path);
        path_free(nodes->node[list[0]].path);
        nodes->node[list[0]].path = path;
    }
}

static void close_recording(struct tracer *tracer, uint64_t end)
{
    keep(tracer, 0, tracer->n_recorded, end, false);
    forget_recording(tracer);
}

/* Before the process executes a node: a path may end here. */
static void arrive(struct tracer *tracer, uint32_t number)
{
    const struct node *node = &tracer->nodes.node[number];
    const struct code *code = &node->code;
    const uint64_t address = code->address;
    const bool unknown_target =
        code->flow == FLOW_INDIRECT || code->flow == FLOW_SYSTEM || code->repeats ||
        (code->flow == FLOW_RETURN && tracer->recorded_calls == 0);
    if (tracer->n_recorded && node->mark == tracer->mark) {
        keep(tracer, 0, node->position, address, false);
        keep(tracer, node->position, tracer->n_recorded - node->position, address, true);
        forget_recording(tracer);
    } else if (node->path || unknown_target || tracer->n_recorded == RECORDING_MAX) {
        close_recording(tracer, address);
    }
}

static void record(struct tracer *tracer, uint32_t number)
{
    struct node *node = &tracer->nodes.node[number];
    const struct code *code = &node->code;
    if (code->flow == FLOW_INDIRECT || code->flow == FLOW_SYSTEM || code->repeats ||
        (code->flow == FLOW_RETURN && tracer->recorded_calls == 0))
        return;
    tracer->recorded_calls += code->flow == FLOW_CALL;
    tracer->recorded_calls -= code->flow == FLOW_RETURN;
    node->mark = tracer->mark;
    node->position = tracer->n_recorded;
    tracer->recording[tracer->n_recorded++] = number;
}

/* ---- steps ---- */

/* One with REP is one instruction, and a stop for each of its elements. */
static int step_repeated(struct tracer *tracer, const struct code *code)
{
    struct child *child = &tracer->child;
    const uint64_t behind = code->address + code->length;
    int status = 0;
    if (child_arm(child, &behind, 1)) {
        status = child_continue(child);
        child_disarm(child);
        return status;
    }
    do
        status = child_advance(child);
    while (status == 0 && child->registers.rip == code->address);
    return status;
}

static int step(struct tracer *tracer, uint32_t number)
{
    struct child *child = &tracer->child;
    const struct code code = tracer->nodes.node[number].code;
    const uint64_t elements = child->registers.rcx;
    struct known known;
    known_take(&known, &child->registers);
    int status = code.repeats ? step_repeated(tracer, &code) : child_advance(child);
    if (status < 0)
        return tracer_gone(tracer, status);
    status = account(tracer, number, &known);
    if (code.repeats)
        tracer->nodes.node[number].repeated += elements - child->registers.rcx;
    if (code.flow == FLOW_SYSTEM) {
        tracer->system_calls++;
        child->debug_registers = child->wait || child_threads(child) > 1;
    }
    follow_call(tracer, &code, child->registers.rip);
    if (!tracer->step_all && !tracer->look)
        record(tracer, number);
    return status;
}

/* ---- paths ---- */

/* Accounts for nodes [0, n) of a path. */
static int replay(struct tracer *tracer, const struct path *path, uint32_t n,
                  uint64_t next, struct known *known)
{
    int status = 0;
    for (uint32_t i = 0; i < n && status == 0; i++) {
        const struct code code = tracer->nodes.node[path->node[i]].code;
        status = account(tracer, path->node[i], known);
        known_compute(known, &code);
        follow_call(tracer, &code,
                    i + 1 < n ? tracer->nodes.node[path->node[i + 1]].code.address
                              : next);
    }
    tracer->replayed += n;
    return status;
}

/* Turns that are like the last one, of which there were `transitions`. */
static int add_turns(struct tracer *tracer, const struct path *path, uint64_t turns,
                     uint64_t transitions)
{
    int status = 0;
    for (uint32_t i = 0; i < path->n && status == 0; i++) {
        const uint32_t before = path->node[i ? i - 1 : path->n - 1];
        tracer->nodes.node[path->node[i]].executed += turns;
        tracer->nodes.node[path->node[i]].counts.alike += path->blind ? 0 : turns;
        rows_take(&tracer->nodes.node[before].rows, path->node[i], turns);
        status = node_edge(&tracer->nodes, before, path->node[i], turns);
    }
    tracer->instructions += turns * path->n;
    tracer->transitions += turns * transitions;
    return status;
}

/* `turns` of a loop, of which the first ones are replayed. */
static int replay_turns(struct tracer *tracer, const struct path *path, uint64_t turns,
                        struct known *known)
{
    const uint64_t room = tracer->replayed < REPLAY_MAX ? REPLAY_RUN_MAX : 0;
    const uint64_t most = room / path->n + 1;
    uint64_t transitions = 0;
    int status = 0;
    for (uint64_t i = 0; i < turns && i < most && status == 0; i++) {
        transitions = tracer->transitions;
        status = replay(tracer, path, path->n, path->end, known);
        transitions = tracer->transitions - transitions;
    }
    if (status == 0 && turns > most)
        status = add_turns(tracer, path, turns - most, transitions);
    return status;
}

static int64_t turns_of(struct tracer *tracer, const struct path *path, uint32_t position,
                        const struct user_regs_struct *before)
{
    return path->loop ? path_turns(&tracer->nodes, path, position, before,
                                   &tracer->child.registers)
                      : 0;
}

static int run_path(struct tracer *tracer, const struct path *path)
{
    struct child *child = &tracer->child;
    const struct user_regs_struct before = child->registers;
    uint64_t address[BREAKPOINTS_MAX];
    size_t n = 0;
    for (uint32_t i = 0; i < path->n; i++)
        if (path->exit[i])
            address[n++] = path->exit[i];
    if (!path->loop)
        address[n++] = path->end;
    if (!child_arm(child, address, n))
        return -EAGAIN;
    const int status = child_continue(child);
    child_disarm(child);
    if (status < 0)
        return tracer_gone(tracer, status);
    const uint64_t pc = child->registers.rip;
    const int64_t position = path_position(&tracer->nodes, path, pc);
    const int64_t turns =
        position < 0 ? -1 : turns_of(tracer, path, (uint32_t)position, &before);
    if (turns < 0)
        return error_set(tracer->error, -EIO,
                         "the traced code left its path for 0x%" PRIx64, pc);
    struct known known;
    known_take(&known, &before);
    const int replayed = replay_turns(tracer, path, (uint64_t)turns, &known);
    return replayed < 0 ? replayed : replay(tracer, path, (uint32_t)position, pc, &known);
}

/* The next places may be far from the last known ones, which tells nothing. */
static void forget_places(struct node *node)
{
    memset(node->last_page, 0, sizeof node->last_page);
    memset(node->trail, 0, sizeof node->trail);
}

/* A path that goes where the numbers say that it loads is stepped for a while, ever more
 * seldom, for its places. */
static bool look_at(struct tracer *tracer, const struct path *path)
{
    if (!path->blind || tracer->looked >= LOOKED_MAX)
        return false;
    const uint64_t before = tracer->nodes.node[path->node[0]].reached++;
    if (before & (before - 1))
        return false;
    tracer->look = LOOK_TURNS * path->n < LOOK_MAX ? LOOK_TURNS * path->n : LOOK_MAX;
    tracer->looked += tracer->look;
    for (uint32_t i = 0; i < path->n; i++)
        forget_places(&tracer->nodes.node[path->node[i]]);
    return true;
}

/* ---- a call ---- */

static int go(struct tracer *tracer)
{
    const uint32_t number = node_at(tracer, tracer->child.registers.rip);
    if (number == NO_NODE)
        return -EILSEQ;
    if (tracer->look > 0) {
        tracer->look--;
    } else if (!tracer->step_all) {
        arrive(tracer, number);
        const struct path *path = tracer->nodes.node[number].path;
        const bool runs = path && child_breakpoints(&tracer->child) > path->n_exits &&
                          !look_at(tracer, path);
        const int status = runs ? run_path(tracer, path) : -EAGAIN;
        if (status != -EAGAIN)
            return status;
    }
    return step(tracer, number);
}

void tracer_forget(struct tracer *tracer)
{
    memory_forget(&tracer->memory);
    for (uint32_t i = 0; i < tracer->nodes.n; i++)
        forget_places(&tracer->nodes.node[i]);
    tracer->last = NO_NODE;
    tracer->n_frames = 0;
    tracer->context = 0;
    tracer->dirty = tracer->decided = false;
    tracer->as_before = 0;
}

bool tracer_is_done(const struct tracer *tracer)
{
    const struct user_regs_struct *const r = &tracer->child.registers;
    return r->rip == tracer->end && (!tracer->entry_rsp || r->rsp > tracer->entry_rsp);
}

int tracer_run(struct tracer *tracer)
{
    const uint64_t first = tracer->child.stops;
    int status = 0;
    while (status == 0 && !tracer_is_done(tracer)) {
        if (tracer->child.stops - first >= tracer->max_steps)
            return error_set(tracer->error, -E2BIG,
                             "the call needs more than %" PRIu64 " steps",
                             tracer->max_steps);
        status = go(tracer);
    }
    return status;
}

int tracer_window(struct tracer *tracer, uint64_t instructions)
{
    const uint64_t most = tracer->instructions + instructions;
    int status = 0;
    while (status == 0 && tracer->instructions < most && !tracer_is_done(tracer))
        status = go(tracer);
    return status;
}
