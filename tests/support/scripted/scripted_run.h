/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of command lines on scripted workers. */
#pragma once

#include "file_tree.h"
#include "measure/measure.h"
#include "scripted_catalog.h"
#include "unit.h"

/* A test that begins with fresh workers. */
#define FRESH_TEST(name) TEST_BETWEEN(name, run_setup, NULL)

static struct catalog catalog;
static struct options options;
static struct plan plan;
static struct run *run;
static struct error error;

/* Fresh workers that go through no trouble. */
static inline void run_begin(void)
{
    catalog_free(&catalog);
    script_begin();
    script.isas = 2;
    script_catalog(&catalog);
}

/* Plans only. */
static inline int plan_words(const char *words)
{
    plan_free(&plan);
    options_free(&options);
    return script_plan(words, &catalog, &options, &plan, &error);
}

static inline void expect_error(const char *words, int code, const char *text)
{
    const int status = plan_words(words);
    if (status != code || !strstr(error.text, text))
        fail_msg("%s: %d, %s", words, status, error.text);
}

/* Plans and measures; what run_plan() returns. */
static inline int run_words(const char *words)
{
    run_free(run);
    run = run_new();
    script.n_log = 0;
    if (plan_words(words) < 0)
        fail_msg("%s: %s", words, error.text);
    return run_plan(&options.how, &catalog, &plan, NULL, run, &error);
}

/* The first result whose id has this part. */
static inline const struct result *run_find(const char *part)
{
    for (size_t i = 0; i < run->n_results; i++) {
        if (strstr(run->results[i].id, part))
            return &run->results[i];
    }
    fail_msg("no result has %s", part);
    return NULL;
}

static inline int run_setup(void **state)
{
    run_begin();
    return 0;
}

static inline int run_open(void **state)
{
    catalog.memory_fd = -1;
    return 0;
}

static inline int run_close(void **state)
{
    run_free(run);
    plan_free(&plan);
    options_free(&options);
    catalog_free(&catalog);
    return 0;
}

/* With a home folder, where nothing is known of this machine yet. */
static char home[] = "/tmp/simdbench-home-XXXXXX";

static inline int home_open(void **state)
{
    run_open(state);
    run_begin();
    return mkdtemp(home) ? setenv("XDG_CONFIG_HOME", home, 1) : -1;
}

static inline int home_close(void **state)
{
    run_close(state);
    return tree_remove(home);
}
