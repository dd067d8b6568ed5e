/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of pmu_guest: a loop of known length, and its counts. */
#pragma once

#include <stdio.h>

#include "perfctr_private.h"

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            printf("failed %s: line %d: %s\n", __func__, __LINE__, #condition); \
            return 1;                                                           \
        }                                                                       \
    } while (0)

enum { LOOPS = 100000, BASIC = 3, FOURTEEN = 14, MANY = 16 };
extern const char *const basic[BASIC];       /* cycles, instructions, context-switches */
extern const char *const fourteen[FOURTEEN]; /* more than there are counters */

/* Two instructions a turn. */
void loop(uint64_t turns);
/* The same instructions for every number of turns, but for the turns. */
void region(struct counters *counters, uint64_t turns);
struct counters *open_names(const char *const *name, size_t n, enum counters_mode mode);
/* The count of event i, if it counted all the time, or 0. */
uint64_t value(const struct counters *counters, size_t i);
/* It has no value, and what says so has this word. */
bool absent(const struct counters *counters, size_t i, const char *word);
/* Event i counts two for each turn, beside what a region itself costs. */
bool exact_count(struct counters *counters, size_t i, uint64_t turns);
/* Event i was not counted all the time: its value against the true one. */
bool near_count(const struct counters *counters, size_t i, uint64_t turns);

/* pmu_guest_strangers.c */
int strangers(void);
int starved(void);
int scaled(void);
/* pmu_guest_threads.c */
int all_threads(void);
/* pmu_guest_proofs.c */
int proofs(void);
int proof_loops(void);
