/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <linux/perf_event.h>
#include <strings.h>

#include "proofs.h"
#include "uarch.h"

/* The kernel's own names mean the same with every libpfm4, also one that is forced to
 * another CPU (where libpfm4 itself no longer knows "cycles") and none at all. */
/* clang-format off */
#define HARDWARE(event) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define SOFTWARE(event) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event
static const struct generic {
    const char *name;
    uint32_t type;
    uint64_t config;
    const char *description;
    unsigned kind;
} generics[] = {
    {"cycles", HARDWARE(CPU_CYCLES), "core cycles", KIND_cycles},
    {"instructions", HARDWARE(INSTRUCTIONS), "retired instructions", KIND_instructions},
    {"ref-cycles", HARDWARE(REF_CPU_CYCLES), "cycles of the constant reference clock", KIND_ref_cycles},
    {"branches", HARDWARE(BRANCH_INSTRUCTIONS), "retired branches", KIND_branches},
    {"branch-misses", HARDWARE(BRANCH_MISSES), "mispredicted branches", KIND_mispredictions},
    {"cache-references", HARDWARE(CACHE_REFERENCES),
     "cache accesses; which cache depends on the CPU", KIND_none},
    {"cache-misses", HARDWARE(CACHE_MISSES),
     "cache misses; last level on Intel, L2 on AMD, L1D on ARM: not comparable", KIND_none},
    {"stalled-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND),
     "cycles without new instructions", KIND_none},
    {"stalled-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND),
     "cycles waiting for operands or units", KIND_none},
    {"task-clock", SOFTWARE(TASK_CLOCK), "CPU time of the thread in nanoseconds", KIND_task_clock},
    {"page-faults", SOFTWARE(PAGE_FAULTS), "page faults", KIND_page_faults},
    {"minor-faults", SOFTWARE(PAGE_FAULTS_MIN), "page faults without input or output", KIND_page_faults},
    {"major-faults", SOFTWARE(PAGE_FAULTS_MAJ), "page faults that read from a disk", KIND_none},
    {"context-switches", SOFTWARE(CONTEXT_SWITCHES),
     "times that the thread left its CPU (counted in the kernel)", KIND_switches},
    {"cpu-migrations", SOFTWARE(CPU_MIGRATIONS),
     "times that the thread moved to another CPU (counted in the kernel)", KIND_none},
};
/* clang-format on */

bool event_is_hardware(const struct event *event)
{
    return event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE ||
           event->type == PERF_TYPE_RAW;
}

static bool raw_encode(const char *name, struct event *event)
{
    const size_t digits = strlen(name) - 1;
    if ((name[0] | 0x20) != 'r' || digits < 1 || digits > 16 ||
        strspn(name + 1, "0123456789abcdefABCDEF") != digits)
        return false;
    event->type = PERF_TYPE_RAW;
    event->config = strtoull(name + 1, NULL, 16);
    snprintf(event->string, sizeof event->string, "raw::r%llx:u",
             (unsigned long long)event->config);
    return true;
}

static bool generic_encode(const char *name, struct event *event)
{
    for (size_t k = 0; k < ARRAY_LEN(generics); k++) {
        if (strcasecmp(name, generics[k].name))
            continue;
        event->type = generics[k].type;
        event->config = generics[k].config;
        snprintf(event->string, sizeof event->string, "perf::%s%s", generics[k].name,
                 event_in_kernel(event) ? "" : ":u");
        return true;
    }
    return false;
}

/* The same event has several names. */
static unsigned kind_of(const struct event *event)
{
    for (size_t k = 0; k < ARRAY_LEN(generics); k++)
        if (event->type == generics[k].type && event->config == generics[k].config)
            return generics[k].kind;
    return event->type == PERF_TYPE_RAW && !event->config1
               ? uarch_kind(uarch_host(), event->config)
               : KIND_none;
}

static int fold(char c)
{
    return c == '.' ? ':' : tolower((unsigned char)c);
}

bool event_same(const char *a, const char *b)
{
    while (*a && fold(*a) == fold(*b)) {
        a++;
        b++;
    }
    return fold(*a) == fold(*b);
}

unsigned event_distance(const char *typed, const char *name)
{
    const size_t n = strnlen(name, EVENT_NAME_SIZE), m = strnlen(typed, EVENT_NAME_SIZE);
    unsigned row[EVENT_NAME_SIZE + 1];
    for (size_t j = 0; j <= n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            const unsigned replace = diagonal + (fold(typed[i - 1]) != fold(name[j - 1]));
            const unsigned other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replace < other ? replace : other;
        }
    }
    return row[n];
}

enum { NEAR_MAX = 4, NEAR_LIMIT = 1000 };

struct near {
    const char *typed;
    bool with_pmu;
    struct {
        char name[EVENT_NAME_SIZE];
        unsigned distance;
    } best[NEAR_MAX];
};

static void near_offer(const char *qualified, const char *description, void *context)
{
    struct near *const near = context;
    const char *const colons = strstr(qualified, "::");
    const char *const name = near->with_pmu || !colons ? qualified : colons + 2;
    char event[EVENT_NAME_SIZE];
    snprintf(event, sizeof event, "%s", name);
    char *const umask = strrchr(event, ':');
    unsigned distance = event_distance(near->typed, name);
    /* A part of the name is what people remember; without its umask an event is not
     * complete, but found. */
    if (umask && umask[-1] != ':') {
        *umask = '\0';
        const unsigned whole = event_distance(near->typed, event) + 1;
        if (whole < distance)
            distance = whole;
    }
    if (distance > 2 && strcasestr(name, near->typed))
        distance = 2;
    if (distance > 2 + strlen(near->typed) / 4)
        return;

    for (size_t k = 0; k < NEAR_MAX; k++)
        if (!strcasecmp(name, near->best[k].name))
            return;

    size_t k = NEAR_MAX;
    while (k > 0 && distance < near->best[k - 1].distance)
        k--;
    if (k == NEAR_MAX)
        return;
    memmove(&near->best[k + 1], &near->best[k],
            (NEAR_MAX - 1 - k) * sizeof near->best[0]);
    snprintf(near->best[k].name, sizeof near->best[k].name, "%s", name);
    near->best[k].distance = distance;
}

static void generic_each(event_each_fn *each, void *context)
{
    for (size_t k = 0; k < ARRAY_LEN(generics); k++)
        each(generics[k].name, generics[k].description, context);
}

/* All events; where "PMU::" begins the text, those of that PMU, for which the context is
 * `of_pmu`. */
static void all_each(const char *text, event_each_fn *each, void *context, void *of_pmu)
{
    const char *const colons = text ? strstr(text, "::") : NULL;
    if (!colons)
        generic_each(each, context);
#ifdef HAVE_PFM
    char pmu[EVENT_NAME_SIZE] = "";
    if (colons)
        snprintf(pmu, sizeof pmu, "%.*s", (int)(colons - text), text);
    libpfm_each(colons ? pmu : NULL, each, of_pmu);
#else
#endif
    uarch_each(uarch_host(), each, context);
}

static int event_unknown(const char *name, const char *why, struct error *error)
{
    struct near near = {.typed = name};
    char list[NEAR_MAX * (EVENT_NAME_SIZE + 2)] = "";
    size_t n = 0;
    near.with_pmu = strstr(name, "::") != NULL;
    for (size_t k = 0; k < NEAR_MAX; k++)
        near.best[k].distance = NEAR_LIMIT;
    all_each(name, near_offer, &near, &near);
    for (size_t k = 0; k < NEAR_MAX && near.best[k].distance < NEAR_LIMIT; k++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", k ? ", " : "",
                              near.best[k].name);
    return invalid(error, "event %s: %s; %s%s%s", name, why,
                   n ? "near matches: " : "all that are known: simdbench list events",
                   list, n ? "" : ", or a raw code like r1828");
}

/* A name of this CPU's table, with or without the CPU before it. */
static bool table_encode(const char *name, struct event *event)
{
    const struct uarch *const uarch = uarch_host();
    const char *const colons = strstr(name, "::");
    char prefix[EVENT_NAME_SIZE];
    snprintf(prefix, sizeof prefix, "%.*s", colons ? (int)(colons - name) : 0, name);
    if ((colons && uarch_find(prefix) != uarch) ||
        uarch_encode(uarch, colons ? colons + 2 : name, event) < 0)
        return false;
    snprintf(event->name, sizeof event->name, "%s", name);
    return true;
}

int event_encode(const char *name, struct event *event, struct error *error)
{
    *event = (struct event){0};
    const size_t length = strlen(name);
    if (length == 0)
        return invalid(error, "an event name is empty");
    if (length >= EVENT_NAME_SIZE)
        return invalid(error, "event %.40s...: the name is too long", name);
    memcpy(event->name, name, length + 1);
    bool known = raw_encode(name, event) || generic_encode(name, event);
#ifdef HAVE_PFM
    struct error why = {.text = ""};
    known = known || libpfm_encode(name, event, &why) == 0;
#else
    const struct error why = {.text = "built without libpfm4, few names are known"};
#endif
    if (!known && !table_encode(name, event))
        return event_unknown(name, why.text, error);
    event->kind = kind_of(event);
    event->takes =
        event->type == PERF_TYPE_RAW ? uarch_takes(uarch_host(), event->config) : 1;
    return 0;
}

int event_encode_any(const char *name, struct event *event, struct error *error)
{
    const int status = event_encode(name, event, error);
#ifdef HAVE_PFM
    char pmu[64], cpu[64];
    if (status < 0 && libpfm_foreign(name, pmu, cpu, sizeof pmu)) {
        *event = (struct event){.foreign = true};
        snprintf(event->name, sizeof event->name, "%s", name);
        snprintf(event->string, sizeof event->string, "%s", name);
        snprintf(event->withheld, sizeof event->withheld,
                 "this CPU has no such event; %s (%s::) does", cpu, pmu);
        return 0;
    }
#endif
    return status;
}

struct filter {
    const char *pattern;
    event_each_fn *each;
    void *context;
};

static void filter_each(const char *name, const char *description, void *context)
{
    const struct filter *const filter = context;
    if (!filter->pattern || strcasestr(name, filter->pattern) ||
        strcasestr(description, filter->pattern))
        filter->each(name, description, filter->context);
}

int event_each(const char *pattern, event_each_fn *each, void *context,
               struct error *error)
{
    const char *const colons = pattern ? strstr(pattern, "::") : NULL;
    struct filter filter = {.pattern = pattern, .each = each, .context = context};
    struct filter of_pmu = filter;
    if (colons)
        of_pmu.pattern = colons + 2;
    all_each(pattern, filter_each, &filter, &of_pmu);
    return 0;
}
