/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How it is measured: events, counters, the sampler, the clock probe, the host.
 * Nothing here knows what a kernel is.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "error.h"

/* ---- events (events.c): names to perf_event encodings, by libpfm4 ---- */

enum { EVENT_NAME_SIZE = 192, EVENTS_MAX = 64 };

/* One event as perf_event_open takes it. */
struct event {
    char name[EVENT_NAME_SIZE];   /* as the user wrote it */
    char string[EVENT_NAME_SIZE]; /* fully qualified,
                                     "skx::CORE_POWER:LVL1_TURBO_LICENSE:u" */
    uint32_t type;                /* perf_event_attr.type */
    uint64_t config, config1, config2;
    unsigned kind;      /* kind of its proof (proofs.def); 0: no loop is known */
    unsigned takes;     /* counters of the PMU; 0: one */
    bool foreign;       /* of another CPU: never counted, `withheld` says whose it is */
    char withheld[256]; /* reason why it must not be counted although it could be; empty:
                         * it may
                         */
};

/* Encodes a libpfm4 name ("cycles", "core_power.lvl2_turbo_license",
 * "skx::L1D:REPLACEMENT"), or a raw config ("r1828"). Counts user space only, but for
 * context switches and migrations, which happen in the kernel. Raw configs, the kernel's
 * generic names and those of this CPU's built-in table work without libpfm4 too. -EINVAL
 * names the event and near matches. */
int event_encode(const char *name, struct event *event, struct error *error);
/* The same, but an event that another CPU has is withheld with this reason, not an error.
 */
int event_encode_any(const char *name, struct event *event, struct error *error);
/* The core's PMU counts it. */
bool event_is_hardware(const struct event *event);
/* Calls `each` for every event (with umask) of the PMUs of this machine whose qualified
 * name or description contains `pattern` (case-insensitive; NULL: all); "pmu::pattern"
 * looks among those of that PMU alone, also if it is another machine's. */
int event_each(const char *pattern,
               void (*each)(const char *name, const char *description, void *context),
               void *context, struct error *error);

/* ---- the kernel's interface as a table, so that tests can script it (system.c) ---- */

struct perf_event_attr;
struct perf_system {
    int (*open)(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                unsigned long flags);
    ssize_t (*read)(int fd, void *buffer, size_t size);
    int (*ioctl)(int fd, unsigned long request, unsigned long argument);
    int (*close)(int fd);
    /* Maps the first page of an event, from which it can be read without system calls;
     * NULL if that fails. Without `map` nobody asks for `unmap` and `rdpmc`. */
    void *(*map)(int fd);
    void (*unmap)(void *page);
    uint64_t (*rdpmc)(uint32_t counter); /* only on a CPU whose page allows it */
    const char *root;                    /* of proc/ and sys/; NULL: of this machine */
    unsigned slots; /* of the PMU that one group may take; 0: what the kernel gives */
};
extern const struct perf_system perf_system_linux;

/* ---- counters (counters.c): perf_event groups of threads ---- */

struct counters;

enum counters_mode {
    COUNTERS_PINNED,   /* a pass for each group, which is on the PMU all the time */
    COUNTERS_MULTIPLEX /* one pass, in which the kernel lets groups take turns */
};

/* The count of one counter between two reads. `running_share` is 1 when it counted all
 * the time, else the value is scaled by it. If `absent` is not empty there is no value,
 * and it says why and what to do: `fix` is that alone, a command where there is one. */
struct count {
    uint64_t value;
    double running_share;
    unsigned threads; /* whose sum it is; the share is the smallest of theirs */
    bool in_kernel;   /* counted there too, not in user space alone */
    bool user_read;   /* without system calls */
    bool impossible;  /* absent: it jumped, or was more than a CPU can do in that time */
    char absent[256];
    char fix[160];
    int code; /* errno of what failed, 0 if nothing did */
};

/* Opens the events for the calling thread (user space only) in as few groups as the PMU
 * needs. An event that cannot be opened is absent with its reason and does not disturb
 * the others; only running out of memory is an error. n = 0 is allowed. */
int counters_open(struct counters **counters, const struct event *events, size_t n,
                  enum counters_mode mode, const struct perf_system *system,
                  struct error *error);
void counters_close(struct counters *counters);
/* Counts the other threads that this process has now, too, until they end: in the same
 * groups, read by system calls around the reading of the caller. Without other threads
 * nothing changes. Between regions; threads that begin within a region are not counted in
 * it. -ENOMEM. */
int counters_follow_threads(struct counters *counters);
/* Counts the calling thread alone again. */
void counters_leave_threads(struct counters *counters);
/* Number of passes (at least 1). Software events are counted in pass 0. */
size_t counters_passes(const struct counters *counters);
/* Enables the groups of one pass and disables the others; not for use inside a batch.
 * counters_open has selected pass 0. */
void counters_select(struct counters *counters, size_t pass);
/* Reads the groups of the selected pass at the begin and end of a region. */
void counters_begin(struct counters *counters);
void counters_end(struct counters *counters);
/* The counts of the last region, one for each event given to counters_open: true if event
 * `i` belongs to the selected pass (or can never be counted), false if another pass
 * counts it. With COUNTERS_MULTIPLEX, regions should last COUNTERS_SCALABLE_NS: of
 * shorter ones, what was not on the PMU all the time is absent. */
enum { COUNTERS_SCALABLE_NS = 20000000 };
bool counters_get(const struct counters *counters, size_t i, struct count *count);
/* A line for the user about how these counters are read, or NULL. */
const char *counters_note(const struct counters *counters);

/* ---- proofs (proof.c, proofs.def): does an event count what its name says? ---- */

enum proof_verdict {
    PROOF_UNPROVEN, /* nobody knows: no loop is known, or its count tells nothing here */
    PROOF_PROVEN,   /* it counts what is known beforehand */
    PROOF_DEAD,     /* it opens and stays at 0 */
    PROOF_WRONG,    /* it counts something else */
    PROOF_REFUSED   /* it does not open, or has no value */
};

struct proof {
    enum proof_verdict verdict;
    char loop[64];            /* "loads"; empty: none is known */
    double expected, counted; /* of that loop; NaN: unknown */
    char reason[256];         /* reason why it is not proven */
};

/* Counters of the PMU that a group can have, and how many of them count. */
struct slots {
    unsigned announced, live;
};

/* Both take milliseconds, in the calling thread and on the CPU where it runs. The events
 * are counted one at a time. */
struct slots counters_slots(void);
void events_prove(const struct event *events, size_t n, struct proof *proofs);
/* "unproven", ...; the reverse: -1 if there is no such name. */
const char *proof_verdict_name(enum proof_verdict verdict);
int proof_verdict_find(const char *name);
/* Dead and wrong ones: the event is withheld. */
void event_judge(struct event *event, const struct proof *proof);

/* Two counts of one region that cannot both be right (contradictions.c). */
struct contradiction {
    size_t a, b; /* numbers of events; b may be CONTRADICTS_CLOCK */
    char text[160];
};
enum { CONTRADICTIONS_MAX = 8 };
#define CONTRADICTS_CLOCK SIZE_MAX
/* Counts that are not known are NaN, and so are the cycles that the clock probe makes of
 * the time. Returns how many were found. */
size_t counts_contradict(const struct event *events, const double *count, size_t n,
                         double clock_cycles,
                         struct contradiction found[CONTRADICTIONS_MAX]);

/* ---- sampler (sampler.c): all that is read around one batch ---- */

/* Counter 0 of each sample is nanoseconds. */
struct sample {
    int64_t ns;         /* wall time, CLOCK_MONOTONIC */
    int64_t cpu_ns;     /* CPU time of this thread (its window encloses that of ns) */
    int64_t process_ns; /* CPU time of all threads of the process */
    int64_t minor_faults, major_faults; /* these four: of all threads */
    int64_t voluntary_switches, involuntary_switches;
    int32_t cpu_begin, cpu_end; /* its CPUs: unequal means that it migrated */
};

struct sampler {
    struct counters *counters; /* NULL: none */
    struct sample begin;
    int64_t paused; /* time of the pause */
};

/* begin: perf groups, then resource usage, then the clock. end: the reverse. Nothing is
 * allocated; no system call lies between the clock and the work. */
void sampler_begin(struct sampler *sampler);
void sampler_end(struct sampler *sampler, struct sample *sample);
/* The time between these is no part of the sample; what counters count is. A thread that
 * loses its CPU meanwhile seems to have lost it during the work. */
void sampler_pause(struct sampler *sampler);
void sampler_resume(struct sampler *sampler);
/* Adds one sample to a sum that begins as all zeros (for cases whose calls are timed one
 * by one). A sum over different CPUs has unequal cpu_begin and cpu_end. */
void sample_add(struct sample *sum, const struct sample *more);

/* ---- threads of this process (thread_times.c) ---- */

enum { THREAD_TIMES_MAX = 256 };
struct thread_time {
    int tid;
    int64_t ran_ns;    /* CPU time */
    int64_t waited_ns; /* ready, but others had its CPU; 0 where nobody tells */
};
struct thread_times {
    size_t n;
    struct thread_time thread[THREAD_TIMES_MAX];
};
void thread_times_read(struct thread_times *times);
/* Between two readings: the longest that any thread waited for a CPU, and how many ran
 * at least that long. */
int64_t thread_times_waited(const struct thread_times *begin,
                            const struct thread_times *end);
unsigned thread_times_busy(const struct thread_times *begin,
                           const struct thread_times *end, int64_t least_ns);

/* The arithmetic environment that the calling thread should have: round to nearest, no
 * flush-to-zero, exceptions masked, upper halves clean. reset returns nothing; changed
 * tells whether rounding or denormal modes differ from that. */
void float_state_reset(void);
bool float_state_changed(void);
/* 1: arithmetic met subnormal numbers since the last reset, or results so small that they
 * were rounded; 0: none; -1: this CPU does not tell. x87 has flags of its own. */
int float_state_subnormal(void);
/* Subnormal numbers count as zero, as inputs and as results, until the next reset. */
void float_state_flush(void);

/* ---- clock (clock.c) ---- */

/* GHz of this core over about `ns` nanoseconds, by a chain of dependent register adds (1
 * cycle each on every x86-64 core; add reg,reg because some cores execute add reg,imm for
 * nothing). 20 000 ns gives about 0.1%; what finds the length of the chain takes
 * a quarter more. */
double clock_ghz(int64_t ns);
/* The same by a chain of dependent multiplies (3 cycles each; on arm64, where that
 * differs between cores, exclusive ors): an independent witness. */
double clock_ghz_imul(int64_t ns);
/* Independent adds per cycle, at most 4: what this thread gets of its core. A thread on
 * the same core takes a part of it, though neither clock nor CPU time tell, and a virtual
 * machine hides even that there may be one. Takes about 3 us; 0: not known. */
double clock_core_share(void);
/* The share of a thread that has the core alone: the best share that was seen, or more
 * where the CPU is known. Cores of AMD with AVX2 and Intel's since Skylake-X start 4 adds
 * in each cycle, others with AVX2 at least 3.4 of four chains. */
double clock_core_whole(double best);
/* Tells if another thread runs on this core, whatever it does: the core then gives each
 * of them half of its store queue. 1; 0; -1: not known of this CPU. Takes about 2 us. */
int clock_core_split(void);
/* A share below this part of the whole core is evidence of another thread there. */
#define CLOCK_CORE_SHARED 0.85
/* By the two above, and the best share that was seen. */
bool clock_core_alone(int split, double share, double best);
int64_t clock_now(void); /* CLOCK_MONOTONIC in nanoseconds */
int64_t clock_cpu(void); /* CPU time of this thread */
/* For tests: SIMDBENCH_TEST_CLOCK=NS[,VARIANT=NS]... makes up what batches take, NS for
 * each operation, or for each byte if these are more. The probes above then tell 3 GHz
 * and a core that is not shared, and no CPU time is stolen. Returns its text; NULL: time
 * is real. */
const char *clock_script(void);
/* It stays as it is now, also when the variable is gone. */
void clock_script_keep(void);
/* The clock that tells how much of a budget is spent: clock_now(), or 0 where times are
 * made up, so that no test ends earlier on a busy machine. A limit that a tracer has is a
 * hundred times as long there. */
int64_t clock_budget(void);
int64_t clock_patience(int64_t limit_ns);
/* NS of a variant, and of a copy of its code: VARIANT@NUMBER=NS, or as of the variant. */
double clock_script_rate(const char *variant);
double clock_script_copy_rate(const char *variant, uint64_t copy);
/* A batch that took about `ns`, undisturbed; page faults stay. `turn` numbers batches. */
void sample_script(struct sample *sample, double ns, uint64_t turn);
/* Resolution and cost of one reading of the timer, in nanoseconds. */
void clock_cost(double *resolution_ns, double *cost_ns);

/* ---- payloads (payload.c): work of one kind around a chain of known length ---- */

enum {
    PAYLOAD_SPARSE = 48, /* operations a turn beside the chain */
    PAYLOAD_DENSE = 96,
    PAYLOADS_MAX = 6,
    PAYLOAD_RING = 25
};

/* The vector registers hold these random numbers of [0.5, 1); loads go around the ring.
 */
struct payload_data {
    _Alignas(64) float value[256];
    const void *ring[PAYLOAD_RING];
};

/* Cycles of a turn's chain on this core: dependent loads take 3 to 6 cycles each, which
 * is measured against the clock. */
double payload_cycles(void);

/* Runs `turns` (at least 1) of payload_cycles() each: as long as the chain of dependent
 * operations takes longest, time tells the clock under that work. */
typedef void payload_function(uint64_t turns, const struct payload_data *data);

struct payload {
    const char *name; /* "512 heavy" */
    const char *isa;  /* instruction set that it needs; the caller must look */
    int bits;         /* of its vectors; 0: scalar */
    bool heavy;       /* FMA; else integer additions and logic */
    /* [0] sparse, [1] dense. `bare` has no chain: what takes nearly
     * as long without it is limited by the work, and its time tells no clock. */
    payload_function *chained[2], *bare[2];
};

/* Scalar first, then from narrow and light to wide and heavy. */
size_t payload_count(void);
const struct payload *payload_get(size_t index);
void payload_fill(struct payload_data *data, uint64_t seed);

/* ---- rates (rates.c): what this core does in a cycle ---- */

/* "rate_loads_256": loads of 256 bits in a cycle; "cost_fault": cycles of a fault. */
size_t core_rate_count(void);
const char *core_rate_name(size_t index);
/* Measures all of them in the calling thread, where it runs, in 30 ms, or up to 300 ms
 * beside another thread on the core. `value` has core_rate_count() entries, NaN or 0 at
 * first: what was better before stays, and so does what needs the core alone if it never
 * was. A rate that this CPU has not becomes NaN. `alone`: of each, was the core ours? */
void core_rates_measure(double *value, bool *alone);

/* ---- CPUs and noise (cpus.c) ---- */

enum { CPUS_MAX = 1024 };
/* Reads "0,2-5"; -EINVAL for bad syntax, -ENODEV for a CPU that this process may not use.
 */
int cpus_parse(const char *text, int *cpu, size_t max, size_t *n, struct error *error);
/* CPUs that this process may use, ascending. */
size_t cpus_allowed(int *cpu, size_t max);
int cpus_pin(const int *cpu, size_t n, struct error *error);
/* The calling thread runs before all programs of ordinary priority (SCHED_FIFO), so that
 * they take no slice of a measured call; its children do not. False if this may not be,
 * if the process was made nice, or if the parent, which ends what hangs, has one CPU. */
bool priority_raise(void);
void priority_drop(void);
/* Writes the CPUs of a CPU's core, at most `max` (at least 1), and returns how many: it
 * alone where the system does not tell. */
size_t cpus_siblings(int cpu, int *sibling, size_t max);
/* Keeps the first CPU of each core, if cores are known; returns how many. */
size_t cpus_cores(int *cpu, size_t n);
/* Steal time of one CPU since boot in clock ticks, or -1 if the system does not tell. */
int64_t cpus_steal(int cpu);

/* ---- memory (pages.c) ---- */

/* Bytes at [data, data + size) that smaps says lie on pages of 2 MiB; -1 if unreadable.
 * smaps counts whole mappings: in a mapping that is larger, it is at most this much. */
int64_t pages_huge(const void *data, uint64_t size);
/* Memory that can be had without swapping (MemAvailable, and what the limits of the
 * control groups leave), in bytes; 0 if unknown. */
uint64_t memory_available(void);

/* ---- host (host.c): what this machine is ---- */

struct cache {
    int level;
    char type; /* 'd' data, 'i' instruction, 'u' unified */
    uint64_t bytes;
    uint32_t line, ways, sharing; /* bytes, associativity, CPUs that share it */
};

enum pmu_state { PMU_OK, PMU_NO_HARDWARE, PMU_FORBIDDEN, PMU_UNKNOWN };

/* Strings are empty and numbers -1 where the system does not tell. */
struct host {
    char cpu[128];   /* model name */
    char vendor[32]; /* "AuthenticAMD" */
    int family, model, stepping;
    char microcode[32];
    int cpus, cores, sockets, numa_nodes;
    int smt; /* 1 active, 0 not, -1 unknown */
    struct cache cache[8];
    size_t caches;
    int l2_dtlb_entries;          /* for pages of 4 KiB; 0: not known */
    uint64_t memory;              /* bytes */
    char kernel[128];             /* uname release */
    char os[128];                 /* PRETTY_NAME of os-release */
    char virtualisation[32];      /* "kvm", "none", ... ; container is apart */
    char container[32];           /* "docker", "podman", "lxc", "" */
    char governor[32], turbo[16]; /* "performance"; "on", "off", "" */
    char thp[16], thp_shmem[16];  /* "always", "madvise", "never" */
    int aslr, perf_paranoid, nmi_watchdog;
    double tsc_ghz; /* measured over a few milliseconds; 0 if no TSC */
    char clocksource[32];
    double load[3];
    enum pmu_state pmu;
    char pmu_reason[256]; /* reason why there is no PMU and what to type */
    char pmu_name[64];    /* libpfm4's name of the core PMU, if it knows it */
    char fingerprint[17]; /* hash of the fields that make times comparable */
};

/* Reads everything under `root` ("" for the real machine, else a directory with proc/ and
 * sys/ for tests). */
void host_read(struct host *host, const char *root);

/* ---- microarchitectures (uarch.c; events: raw_events.def) ---- */

struct uarch {
    const char *name;  /* "icx" */
    const char *title; /* "Intel Ice Lake-SP" */
    const char *pfm;   /* libpfm4's name of its core PMU, also where 4.13 lacks it; NULL:
                          none */
    uint32_t bit;      /* in the sets of the tables */
};

/* The first one is "generic": a CPU that no other one describes. */
size_t uarch_count(void);
const struct uarch *uarch_get(size_t i);
/* By its own or libpfm4's name; NULL if there is none. */
const struct uarch *uarch_find(const char *name);
const struct uarch *uarch_of(const struct host *host);
const struct uarch *uarch_host(void); /* of this machine */
/* Encodes an event by the built-in table alone; -ENOENT if it has no such row. */
int uarch_encode(const struct uarch *uarch, const char *name, struct event *event);

/* ---- named groups of events, and formulas (groups.c, groups.def) ---- */

struct counter_group {
    const char *name, *summary;
};

enum { COUNTER_GROUP_EVENTS = 8 };

size_t counter_group_count(void);
const struct counter_group *counter_group_get(size_t g);
/* Writes the names of the group's events and returns their number; 0 if the CPU has none.
 */
size_t counter_group_events(size_t g, const struct uarch *uarch,
                            const char *events[COUNTER_GROUP_EVENTS]);
/* A line about this group on this CPU, above all why it lacks events; or
 * NULL. */
const char *counter_group_note(size_t g, const struct uarch *uarch);

/* A number derived from counts: names of events, of counters that every run has
 * (page-faults, context-switches), and of what else is known of a case: `elements` of a
 * call, its `ns`, `probe-ghz`, `tsc-ghz`; joined by + * / and parentheses. */
struct formula {
    const char *name, *unit, *text;
};

/* Calls `each` for every formula that holds for the CPU and needs no other events than
 * these, each name once; with n = 0 for those that need none. */
void formulas_each(const struct uarch *uarch, const char *const *events, size_t n,
                   void (*each)(const struct formula *formula, void *context),
                   void *context);
