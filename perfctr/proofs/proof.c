/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <math.h>

#include "proofs.h"

enum { REPEATS = 5, REPEATS_NEEDED = 3, COPIES_MAX = 16 };
enum trust { EXACT, LOOSE, FAINT };

static const struct {
    double turns;
    const char *what;
} loops[] = {
#define LOOP(loop, turns, what) {turns, what},
#include "proofs.def"
};

static const struct row {
    enum trust trust;
    enum proof_loop loop;
    double per_turn, tolerance;
    enum proof_loop other;
    double per_other;
} rows[] = {
    [KIND_none] = {FAINT, LOOP_nothing, 0, 0, LOOP_nothing, 0},
#define PROOF(kind, trust, loop, per_turn, tolerance, other, per_other) \
    {trust, LOOP_##loop, per_turn, tolerance, LOOP_##other, per_other},
#include "proofs.def"
};

static const char *const verdict_names[] = {
    [PROOF_UNPROVEN] = "unproven", [PROOF_PROVEN] = "proven",   [PROOF_DEAD] = "dead",
    [PROOF_WRONG] = "wrong",       [PROOF_REFUSED] = "refused",
};

const char *proof_verdict_name(enum proof_verdict verdict)
{
    return verdict_names[verdict];
}

int proof_verdict_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(verdict_names); i++)
        if (name && strcmp(name, verdict_names[i]) == 0)
            return (int)i;
    return -1;
}

/* The counts of one event for a loop of its usual length, in ascending order. A count
 * that cannot be is left out. */
struct counted {
    size_t n;
    double value[REPEATS];
    bool refused;
    char absent[256];
};

static void counted_add(struct counted *counted, double value)
{
    size_t at = counted->n++;
    for (; at > 0 && counted->value[at - 1] > value; at--)
        counted->value[at] = counted->value[at - 1];
    counted->value[at] = value;
}

static double median(const struct counted *counted)
{
    return counted->n >= REPEATS_NEEDED ? counted->value[counted->n / 2] : NAN;
}

/* Counts pass 0 over some runs of the loop, after one that warms up. */
static void count_loop(const struct proof_machine *machine, struct counters *counters,
                       enum proof_loop loop, struct counted *counted, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counted[i] = (struct counted){.n = 0};
    for (int k = 0; k <= REPEATS; k++) {
        counters_begin(counters);
        const uint64_t ran =
            machine->run(loop, (uint64_t)loops[loop].turns, machine->context);
        counters_end(counters);
        if (ran == 0)
            return;
        for (size_t i = 0; i < n && k > 0; i++) {
            struct count count;
            if (!counters_get(counters, i, &count))
                continue;
            if (!count.absent[0]) {
                counted_add(&counted[i],
                            (double)count.value * loops[loop].turns / (double)ran);
                continue;
            }
            counted[i].refused = !count.impossible;
            snprintf(counted[i].absent, sizeof counted[i].absent, "%s", count.absent);
        }
    }
}

static bool is_near(double count, double expected, double slack)
{
    return fabs(count - expected) <= slack;
}

/* ---- slots ---- */

struct slots slots_find(const struct proof_machine *machine)
{
    struct event copies[COPIES_MAX];
    struct counted counted[COPIES_MAX];
    struct slots slots = {.announced = 0};
    const double expected = rows[KIND_instructions].per_turn * loops[LOOP_count].turns;
    for (size_t i = 0; i < COPIES_MAX; i++)
        copies[i] = (struct event){.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS};
    for (size_t n = COPIES_MAX; n > 0;) {
        struct counters *counters;
        if (counters_open(&counters, copies, n, COUNTERS_PINNED, machine->system, NULL))
            return slots;
        count_loop(machine, counters, LOOP_count, counted, n);
        counters_close(counters);
        unsigned held = 0, right = 0;
        for (size_t i = 0; i < n; i++) {
            held += counted[i].n > 0;
            right += is_near(median(&counted[i]), expected, 0.02 * expected);
        }
        if (slots.announced == 0)
            slots.announced = held;
        if (held == right) {
            slots.live = right;
            return slots;
        }
        n = held - 1;
    }
    return slots;
}

/* ---- one event ---- */

static double expected_of(enum proof_loop loop, double per_turn)
{
    return loops[loop].turns * per_turn;
}

/* The counts of a loop that is known to this CPU; false says why there are none. */
static bool count_alone(const struct proof_machine *machine, struct counters *counters,
                        enum proof_loop loop, struct counted *counted,
                        struct proof *proof)
{
    count_loop(machine, counters, loop, counted, 1);
    if (counted->n >= REPEATS_NEEDED)
        return true;
    if (counted->refused) {
        proof->verdict = PROOF_REFUSED;
        snprintf(proof->reason, sizeof proof->reason, "%s", counted->absent);
    } else if (counted->absent[0]) {
        proof->verdict = PROOF_WRONG;
        snprintf(proof->reason, sizeof proof->reason, "%s", counted->absent);
    } else {
        snprintf(proof->reason, sizeof proof->reason, "this CPU cannot run %s",
                 loops[loop].what);
    }
    return false;
}

static bool is_stable(const struct counted *counted)
{
    const size_t last = counted->n - 1;
    return counted->value[last - 1] - counted->value[1] <= 0.05 * median(counted);
}

static void says_dead(const char *root, const char *what, struct proof *proof)
{
    struct host host = {.virtualisation = ""};
    host_read_virtualisation(&host, root);
    const bool metal = strcmp(host.virtualisation, "none") == 0;
    proof->verdict = PROOF_DEAD;
    snprintf(proof->reason, sizeof proof->reason,
             "opens but reads 0 for %s: this %s does not count it", what,
             metal ? "PMU" : "hypervisor");
}

/* Writes the verdict on counts `moved` of the loop and `still` of the other one. */
static void judge(const struct row *row, const struct counted *moved,
                  const struct counted *still, const char *root, struct proof *proof)
{
    const double expected = proof->expected, counted = proof->counted;
    const double other = expected_of(row->other, row->per_other);
    const bool moves = is_near(counted, expected, row->tolerance * expected);
    const bool rests =
        is_near(median(still), other, row->tolerance * other + 0.05 * expected);
    char what[96];
    snprintf(what, sizeof what, "%.0f %s", loops[row->loop].turns, loops[row->loop].what);

    if (moves && rests) {
        proof->verdict = PROOF_PROVEN;
    } else if (counted == 0 && row->trust != FAINT) {
        says_dead(root, what, proof);
    } else if (!is_stable(moved)) {
        snprintf(proof->reason, sizeof proof->reason,
                 "differs from run to run: %.0f to %.0f for %s", moved->value[0],
                 moved->value[moved->n - 1], what);
    } else {
        proof->verdict = row->trust == EXACT ? PROOF_WRONG : PROOF_UNPROVEN;
        if (!moves)
            snprintf(proof->reason, sizeof proof->reason,
                     "counts %.2f times what it should: %.0f for %s, not %.0f",
                     counted / expected, counted, what, expected);
        else
            snprintf(proof->reason, sizeof proof->reason,
                     "counts what it should not: %.0f for %.0f %s, not %.0f",
                     median(still), loops[row->other].turns, loops[row->other].what,
                     other);
    }
}

void event_prove_on(const struct proof_machine *machine, const struct event *event,
                    struct proof *proof)
{
    struct event alone = *event;
    struct counters *counters;
    struct counted moved, still;
    const struct row *const row = &rows[event->kind];
    alone.withheld[0] = '\0';
    *proof = (struct proof){.expected = NAN, .counted = NAN};
    if (event->foreign) {
        proof->verdict = PROOF_REFUSED;
        snprintf(proof->reason, sizeof proof->reason, "%s", event->withheld);
        return;
    }
    if (event->kind != KIND_none) {
        proof->expected = expected_of(row->loop, row->per_turn);
        snprintf(proof->loop, sizeof proof->loop, "%s", loops[row->loop].what);
    }
    if (counters_open(&counters, &alone, 1, COUNTERS_PINNED, machine->system, NULL)) {
        snprintf(proof->reason, sizeof proof->reason, "out of memory");
        return;
    }
    const bool both = count_alone(machine, counters, row->loop, &moved, proof) &&
                      count_alone(machine, counters, row->other, &still, proof);
    counters_close(counters);
    if (!both || event->kind == KIND_none) {
        if (both)
            snprintf(proof->reason, sizeof proof->reason, "no loop is known for it");
        return;
    }
    proof->counted = median(&moved);
    judge(row, &moved, &still, machine->system->root ? machine->system->root : "", proof);
}

void event_judge(struct event *event, const struct proof *proof)
{
    if (event->foreign)
        return;
    const bool withheld = proof->verdict == PROOF_DEAD || proof->verdict == PROOF_WRONG;
    snprintf(event->withheld, sizeof event->withheld, "%s",
             withheld ? proof->reason : "");
}

/* ---- here ---- */

struct slots counters_slots(void)
{
    struct proof_memory memory = {.lines = NULL};
    const struct proof_machine machine = {&perf_system_linux, proof_loop_run, &memory};
    return slots_find(&machine);
}

void events_prove(const struct event *events, size_t n, struct proof *proofs)
{
    FREED_BY(proof_memory_free) struct proof_memory memory = {.lines = NULL};
    const struct proof_machine machine = {&perf_system_linux, proof_loop_run, &memory};
    for (size_t i = 0; i < n; i++)
        event_prove_on(&machine, &events[i], &proofs[i]);
}
