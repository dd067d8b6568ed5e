/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "license_private.h"

_Static_assert((int)LICENSE_CPUS_MAX >= (int)CPUS_MAX, "a scope has room for all CPUs");
_Static_assert((int)LICENSE_CLASSES_MAX > (int)PAYLOADS_MAX,
               "and for all payloads and a control");

/* A licence is granted some 20 us to 1 ms after the first instruction that needs it and
 * kept for as long after the last one: each visit works for a while before it counts. */
enum {
    WARM_NS = 2000000,
    WINDOW_TURNS = 2000,
    WINDOWS = 20,
    WINDOWS_MIN = 5,
    VISIT_NS = 5000000, /* enough windows where they are slow, as in an emulator */
    TRIES = 4,
};
#define SCOPE_NS 4000000000 /* no further rounds after that */
/* A thread that had less of its CPU was preempted. */
#define CPU_SHARE 0.97
/* Beyond this share the work, not the chain, may be what takes the time. */
#define WORK_SHARE_MAX 0.85

struct crew {
    payload_function *run;
    const struct payload_data *data;
    const struct license_counters *counters; /* of the calling thread, or NULL */
    size_t n;
    double cost_ns; /* of one reading of the clock */
    double cycles;  /* of a turn */
    atomic_size_t warm, done;
};

struct member {
    struct crew *crew;
    int cpu;
    pthread_t thread;
    double ghz;
    bool disturbed;
};

/* The median of short windows ignores an interrupt in a few of them. */
static void sample(struct member *member)
{
    const struct crew *const crew = member->crew;
    double window[WINDOWS];
    size_t n = 0;
    const int64_t cpu = clock_cpu(), begin = clock_now();
    int64_t last = begin;
    while (n < WINDOWS && (n < WINDOWS_MIN || last - begin < VISIT_NS)) {
        crew->run(WINDOW_TURNS, crew->data);
        const int64_t now = clock_now();
        window[n++] = (double)(now - last);
        last = now;
    }
    member->disturbed = (double)(clock_cpu() - cpu) < CPU_SHARE * (double)(last - begin);
    member->ghz = WINDOW_TURNS * crew->cycles / (stats_median(window, n) - crew->cost_ns);
}

/* Samples are taken while all members work: from when the last one is warm until the last
 * one is done. */
static void *member_run(void *context)
{
    struct member *const member = context;
    struct crew *const crew = member->crew;
    if (crew->n > 1)
        cpus_pin(&member->cpu, 1, NULL);
    const int64_t begin = clock_now();
    do {
        crew->run(WINDOW_TURNS, crew->data);
    } while (clock_now() - begin < WARM_NS);
    atomic_fetch_add(&crew->warm, 1);
    while (atomic_load(&crew->warm) < crew->n)
        crew->run(WINDOW_TURNS, crew->data);
    if (crew->counters)
        counters_begin(crew->counters->perf);
    sample(member);
    if (crew->counters)
        counters_end(crew->counters->perf);
    atomic_fetch_add(&crew->done, 1);
    while (atomic_load(&crew->done) < crew->n)
        crew->run(WINDOW_TURNS, crew->data);
    return NULL;
}

/* One thread for each CPU; the caller is one of them if there is just one. */
static int visit_once(const struct license_scope *scope, struct crew *crew,
                      struct member *member)
{
    size_t started = 0;
    int rc = 0;
    crew->n = scope->n_cpu;
    atomic_store(&crew->warm, 0);
    atomic_store(&crew->done, 0);
    for (size_t i = 0; i < crew->n; i++)
        member[i] = (struct member){.crew = crew, .cpu = scope->cpu[i]};
    if (crew->n == 1) {
        member_run(member);
        return 0;
    }
    for (; started < crew->n && rc == 0; started += rc == 0)
        rc = -pthread_create(&member[started].thread, NULL, member_run, &member[started]);
    if (rc != 0) { /* those that did start need not wait for the others */
        atomic_fetch_add(&crew->warm, crew->n);
        atomic_fetch_add(&crew->done, crew->n);
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(member[i].thread, NULL);
    return rc;
}

/* GHz, the mean of all cores, under `run`; NaN if the threads never had their CPUs. */
static int visit(const struct license_scope *scope, struct crew *crew,
                 payload_function *run, double *ghz)
{
    FREED_BY(free_memory) struct member *member =
        must_have(calloc(scope->n_cpu, sizeof *member));
    int rc = 0;
    *ghz = NAN;
    crew->run = run;
    for (int k = 0; k < TRIES && rc == 0 && isnan(*ghz); k++) {
        double sum = 0;
        rc = visit_once(scope, crew, member);
        for (size_t i = 0; i < scope->n_cpu && rc == 0; i++)
            sum += member[i].disturbed ? NAN : member[i].ghz;
        if (rc == 0)
            *ghz = sum / (double)scope->n_cpu;
    }
    return rc;
}

/* Chooses how much work stands around the chain: as much as leaves the chain the
 * slowest. The same work without it runs at the same clock, so their ratio tells. */
static int choose_density(const struct license_scope *scope, struct crew *crew,
                          const struct payload *payload, struct license_class *class)
{
    enum { PAIRS = 3 };
    for (size_t density = 2; density-- > 0;) {
        double share[PAIRS];
        size_t n = 0;
        for (int k = 0; k < PAIRS; k++) {
            double chained, bare;
            int rc = visit(scope, crew, payload->chained[density], &chained)
                         ?: visit(scope, crew, payload->bare[density], &bare);
            if (rc != 0)
                return rc;
            if (!isnan(chained / bare))
                share[n++] = chained / bare;
        }
        class->density = density;
        class->operations = density ? PAYLOAD_DENSE : PAYLOAD_SPARSE;
        class->work_share = stats_median(share, n);
        if (class->work_share <= WORK_SHARE_MAX)
            return 0;
    }
    class->untimed = true;
    if (isnan(class->work_share))
        snprintf(class->skip, sizeof class->skip,
                 "other programs took the CPU in every try");
    else
        snprintf(class->skip, sizeof class->skip,
                 "even half the work takes %.0f%% of the chain's time, so time does not "
                 "tell the clock",
                 100 * class->work_share);
    return 0;
}

static bool payload_runs(const struct payload *payload, char *reason, size_t size)
{
    const int isa = isa_find(payload->isa);
    if (isa < 0)
        snprintf(reason, size, "no instruction set %s", payload->isa);
    return isa >= 0 && isa_available((size_t)isa, reason, size);
}

static int prepare(struct license_scope *scope, struct crew *crew, size_t rounds)
{
    int rc = 0;
    scope->n_classes = payload_count() + 1;
    for (size_t i = 0; i < scope->n_classes && rc == 0; i++) {
        struct license_class *const class = &scope->class[i];
        class->control = i + 1 == scope->n_classes;
        const struct payload *const payload = payload_get(class->control ? 0 : i);
        class->name = payload->name;
        class->isa = payload->isa;
        class->bits = payload->bits;
        class->lacking = !payload_runs(payload, class->skip, sizeof class->skip);
        if (class->lacking)
            continue;
        class->ghz = must_have(calloc(rounds, sizeof *class->ghz));
        license_levels_make(crew->counters, rounds, class);
        rc = choose_density(scope, crew, payload, class);
    }
    return rc;
}

/* All classes once, in a random order; a round counts if every class could be sampled. */
static int run_round(struct license_scope *scope, struct crew *crew, uint64_t *random)
{
    size_t order[PAYLOADS_MAX + 1], n = 0;
    bool whole = true;
    int rc = 0;
    for (size_t i = 0; i < scope->n_classes; i++) {
        const struct license_class *const class = &scope->class[i];
        if (class->skip[0] && !(class->untimed && crew->counters))
            continue;
        const size_t at = (size_t)(random_next(random) % (n + 1));
        if (at < n)
            order[n] = order[at];
        order[at] = i;
        n++;
    }
    for (size_t i = 0; i < n && rc == 0 && whole; i++) {
        struct license_class *const class = &scope->class[order[i]];
        double *const ghz = &class->ghz[scope->rounds];
        const struct payload *const payload = payload_get(class->control ? 0 : order[i]);
        rc = visit(scope, crew, payload->chained[class->density], ghz);
        whole = !isnan(*ghz) || class->untimed;
        if (crew->counters)
            license_levels_read(crew->counters, class, scope->rounds);
    }
    scope->rounds += whole;
    scope->disturbed += !whole;
    return rc;
}

int license_probe(struct license_scope *scope, size_t rounds, uint64_t seed,
                  const struct license_counters *counters, struct error *error)
{
    struct payload_data data;
    struct crew crew = {.data = &data,
                        .counters = counters && counters->perf ? counters : NULL};
    double resolution;
    int allowed[CPUS_MAX];
    const size_t n_allowed = cpus_allowed(allowed, CPUS_MAX);
    int rc = cpus_pin(scope->cpu, scope->n_cpu, error);
    if (rc != 0)
        return rc;
    payload_fill(&data, seed);
    clock_cost(&resolution, &crew.cost_ns);
    crew.cycles = payload_cycles();
    rc = prepare(scope, &crew, rounds);
    const int64_t begin = clock_now();
    while (rc == 0 && scope->rounds < rounds && scope->disturbed < rounds &&
           !scope->class[0].skip[0] && clock_now() - begin < SCOPE_NS)
        rc = run_round(scope, &crew, &seed);
    cpus_pin(allowed, n_allowed, NULL);
    if (rc != 0)
        return error_set(error, rc, "cannot measure %s: %s", scope->name, strerror(-rc));
    return 0;
}

void license_scope_free(struct license_scope *scope)
{
    for (size_t i = 0; i < scope->n_classes; i++) {
        free(scope->class[i].ghz);
        for (size_t k = 0; k < LICENSE_LEVELS; k++)
            free(scope->class[i].level[k]);
        free(scope->class[i].top_of_cycles);
    }
}
