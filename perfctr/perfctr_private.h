/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of this folder and by their tests. */
#pragma once

#include "files.h"
#include "perfctr.h"

/* 1 if sysfs lists a core PMU, 0 if not, -1 if it cannot be read. */
int pmu_listed(const char *root);
/* Writes why perf_event_open failed with errno `code`, and what to type. */
void perf_reason(char *text, size_t size, int code, const struct event *event);
/* The same into `count`. `root` as in struct perf_system. */
void perf_refused(const char *root, int code, const struct event *event,
                  struct count *count);
/* A line for the user if both threads of a core count this event here; or NULL. */
const char *perf_shared(const char *root, const struct event *event);
/* There is no value because others hold the PMU; `how` it shows. */
void perf_starved(const char *root, const char *how, struct count *count);

/* Software events that happen in the kernel: counting user space alone sees none. */
bool event_in_kernel(const struct event *event);

int64_t pages_huge_at(const char *root, uint64_t begin, uint64_t size);
uint64_t memory_available_at(const char *root);
int64_t cpus_steal_at(const char *root, int cpu);
size_t cpus_siblings_at(const char *root, int cpu, int *sibling, size_t max);
size_t cpus_cores_at(const char *root, int *cpu, size_t n);

/* Reads /proc/cpuinfo. */
void host_read_model(struct host *host, const char *root);
void host_read_cpu(struct host *host, const char *root);
void host_read_virtualisation(struct host *host, const char *root);
/* A leaf of CPUID: EAX to EDX. False if the CPU has none of that number. */
typedef bool cpuid_reader(uint32_t leaf, uint32_t k, uint32_t r[4]);
cpuid_reader host_cpuid;
/* Entries for pages of 4 KiB in the second-level TLB for data; 0: not known. */
int host_tlb_entries(cpuid_reader *read);
void host_read_pmu(struct host *host, const char *root, const struct perf_system *system);

typedef void event_each_fn(const char *name, const char *description, void *context);
/* Distance of a name from what was typed: 0 equal, larger is farther. */
unsigned event_distance(const char *typed, const char *name);

/* Upper case is lower case, and '.' is ':'. */
bool event_same(const char *a, const char *b);

#ifdef HAVE_PFM
/* 0; -ENOENT for an unknown event; -EINVAL for a bad umask or modifier, with the text. */
int libpfm_encode(const char *name, struct event *event, struct error *error);
/* Every event with umask of the core PMUs of this machine and of the generic PMU; a PMU
 * named in `pmu` (not NULL) is listed alone, even if it is not this machine's. */
void libpfm_each(const char *pmu, event_each_fn *each, void *context);
/* libpfm4's name of another CPU's core PMU that has the event, and what CPU that is.
 * False if there is none. */
bool libpfm_foreign(const char *event, char *pmu, char *cpu, size_t size);
/* libpfm4's name of this machine's core PMU, or "". */
void libpfm_pmu(char *name, size_t size);
#endif
