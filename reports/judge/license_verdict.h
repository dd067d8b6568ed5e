/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of `simdbench license`, and its verdict: does wide SIMD cost clock on this
 * machine? The verdict holds for any numbers that are put into the structs.
 */
#pragma once

#include "model/model.h"

/* The clock under one payload, relative to that under scalar work of the same rounds. */
struct license_effect {
    double ratio; /* 1: the same */
    struct interval ci;
};

enum license_cost { LICENSE_UNKNOWN, LICENSE_NONE, LICENSE_LIGHT, LICENSE_HEAVY };

struct license_verdict {
    enum license_cost cost;
    bool by_counters; /* the clock did not tell, the licence counters did */
    char reason[400];
};

/* A loss of up to LICENSE_FREE is none, over LICENSE_MUCH it is heavy. */
#define LICENSE_FREE 0.01
#define LICENSE_MUCH 0.10

enum {
    LICENSE_SCOPES = 2,
    LICENSE_NETS = 4,
    LICENSE_LEVELS = 4, /* at most: 0 to 3 */
    LICENSE_CLASSES_MAX = 16,
    LICENSE_CPUS_MAX = 1024
};

/* One class of work in one scope. */
struct license_class {
    const char *name, *isa; /* "512 heavy", "avx512" */
    int bits;               /* of its vectors; 0: scalar */
    bool control;      /* scalar work again: what a ratio of equals looks like here */
    char skip[256];    /* reason why it was not measured; empty: it was */
    bool lacking;      /* the CPU cannot run it: that is no doubt about the others */
    bool untimed;      /* it runs, but its time tells no clock */
    size_t density;    /* 1: as much work as there is, 0: half of it */
    int operations;    /* of that work in a turn of the chain */
    double work_share; /* time of the work without the chain over that with it */
    double *ghz;       /* of each round */
    double *level[LICENSE_LEVELS]; /* share of each licence in each round, NULL: not
                                      counted, or there is none */
    double *top_of_cycles; /* cycles of the highest licence over those of the thread */
    double median_ghz;
    struct interval ghz_ci;
    struct license_effect effect;
};

/* All classes on one core, or on several at once. The last class is the control. */
struct license_scope {
    const char *name; /* "one core" */
    int cpu[LICENSE_CPUS_MAX];
    size_t n_cpu;
    char skip[256];
    struct license_class class[LICENSE_CLASSES_MAX];
    size_t n_classes;
    size_t rounds, disturbed; /* rounds that count; rounds that were thrown away */
};

/* One shape of one op: the fastest avx512 row against the fastest narrower one. */
struct license_point {
    const char *shape, *wide, *narrow; /* case ids */
    double speedup;                    /* over 1: avx512 is faster */
    struct interval ci;
};

struct license_net {
    const char *op;
    struct run *run; /* has the texts of the points */
    struct license_point point[8];
    size_t n_points;
    char skip[256];
};

/* All of it, and the machine that it was measured on. */
struct license {
    const char *tool_version;
    char cpu[128], virtualisation[64], fingerprint[64];
    struct license_scope scope[LICENSE_SCOPES];
    double ghz_add, ghz_imul; /* two chains that should agree */
    char top[64];             /* the event of the highest licence */
    char counters[320]; /* reason why there are no licence counters; empty: there are */
    struct license_net net[LICENSE_NETS];
    size_t n_nets;
    char net_skip[256];
    struct license_verdict verdict;
};

/* Derives medians, intervals and ratios of the rounds. */
void license_summarise(struct license_scope *scope);
/* The number of licences that a class has shares of, from licence 0 on. */
size_t license_levels(const struct license_class *class);
/* The licence (0 to 3, or a higher one) that over half of the cycles have, by a sign test
 * over the rounds; -1: not counted, or none has. */
int license_level(const struct license_class *class, size_t rounds);
/* The worst of all scopes. A loss counts if the whole interval shows it and it is larger
 * than what the control deviates; nothing is free if the control deviates by more than
 * LICENSE_FREE. Where the clock tells neither, a licence that scalar work does not have
 * does; where both tell and contradict each other, the clock is believed and the reason
 * says so. */
void license_judge(const struct license_scope *scopes, size_t n,
                   struct license_verdict *verdict);
const char *license_cost_name(enum license_cost cost);
/* The first shape from which on avx512 is certainly not slower by more than LICENSE_FREE,
 * up to the last one; n_points if there is none. */
size_t license_wins_from(const struct license_net *net);
/* Fills a net with the shapes of its run: in each group the fastest case of the one
 * instruction set against the fastest of the other, paired by round. */
void license_take_net(const char *wide, const char *narrow, struct license_net *net);
