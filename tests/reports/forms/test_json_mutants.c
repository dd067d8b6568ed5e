/* SPDX-License-Identifier: Apache-2.0 */
/* Saved runs with something wrong, a thousand of them: read, or refused with a sentence,
 * and then written, printed and merged. The seeds are the files of
 * tests/fuzz/corpus/json. */
#include <dirent.h>

#include "effort.h"
#include "fuzz_json.h"
#include "mutate_json.h"
#include "sample_study.h"
#include "unit.h"

enum { MUTANTS = 1000, SEEDS_MAX = 100, ROOM = 64 };

struct seeds {
    char *text[SEEDS_MAX];
    size_t n;
};

/* Written by this version, so that they stay readable when the format grows. */
static void add_seed(struct seeds *seeds, struct run *run)
{
    assert_true(seeds->n < SEEDS_MAX);
    seeds->text[seeds->n++] = sample_text(run, FORMAT_JSON, NULL);
    run_free(run);
}

static int is_json(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".json");
}

static int set_up(void **state)
{
    static struct seeds seeds;
    struct dirent **entries;
    char folder[2048], path[4096];
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/json",
             getenv("SOURCE_ROOT") ?: ".");
    int n = scandir(folder, &entries, is_json, alphasort);
    for (int i = 0; i < n; i++) {
        struct error error = {.text = ""};
        struct run *run;
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (run_load(&run, path, &error))
            fail_msg("%s", error.text);
        add_seed(&seeds, run);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    add_seed(&seeds, sample_run());
    add_seed(&seeds, sample_study_run());
    *state = &seeds;
    return n > 10 ? 0 : -1;
}

static int tear_down(void **state)
{
    struct seeds *seeds = *state;
    while (seeds->n)
        free(seeds->text[--seeds->n]);
    return 0;
}

/* True if it can be read. */
static bool survives(const char *bytes, size_t size)
{
    struct error error = {.text = ""};
    struct run *run;
    uint8_t *exact = malloc(size);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    const int code = run_read_json(&run, (const char *)exact, size, &error);
    if (!code)
        run_free(run);
    free(exact);
    return !code;
}

/* Documents in which members are gone, twice, moved, or of another kind. */
TEST(changed_members)
{
    const struct seeds *seeds = *state;
    uint64_t seed = 1;
    const size_t n = effort_of(MUTANTS / 2);
    size_t read = 0;
    for (size_t i = 0; i < n; i++) {
        const char *from = seeds->text[i % seeds->n];
        char *text = mutate_json(from, strlen(from), &seed);
        assert_non_null(text);
        read += survives(text, strlen(text));
        free(text);
    }
    /* Neither all nor none: what changed matters, but not to the grammar. */
    assert_in_range(read, n / 10, n - n / 10);
}

/* The same of a study file: LLVMFuzzerTestOneInput() reads it as one. */
TEST(changed_studies)
{
    uint64_t seed = 3;
    const size_t n = effort_of(MUTANTS);
    size_t read = 0;
    for (size_t i = 0; i < n; i++) {
        char *const text =
            mutate_json(sample_study_file, strlen(sample_study_file), &seed);
        struct study study = {.name = NULL};
        assert_non_null(text);
        assert_false(survives(text, strlen(text)));
        read += !study_read_json(&study, text, strlen(text), NULL);
        study_clear(&study);
        free(text);
    }
    assert_in_range(read, n / 20, n - n / 10);
}

/* Files that were cut, or with bytes that changed. */
TEST(changed_bytes)
{
    const struct seeds *seeds = *state;
    uint64_t seed = 2;
    const size_t n = effort_of(MUTANTS / 2);
    size_t read = 0;
    for (size_t i = 0; i < n; i++) {
        const char *from = seeds->text[i % seeds->n];
        size_t size = strlen(from), room = size + ROOM;
        char *bytes = malloc(room);
        assert_non_null(bytes);
        memcpy(bytes, from, size);
        for (uint64_t turns = 1 + mutate_random(&seed) % 3; turns; turns--)
            size = mutate_bytes(bytes, size, room, &seed);
        read += survives(bytes, size);
        free(bytes);
    }
    assert_in_range(read, n / 100, n / 2);
}

/* No beginning of a document is one, unless only white space is missing. */
TEST(every_truncation)
{
    const struct seeds *seeds = *state;
    const char *text = seeds->text[0];
    size_t size = strlen(text);
    while (size && strchr(" \n", text[size - 1]))
        size--;
    for (size_t i = 0; i < size; i += 1 + size / 1000) {
        struct error error = {.text = ""};
        struct run *run;
        char *exact = malloc(i + !i);
        assert_non_null(exact);
        memcpy(exact, text, i);
        assert_true(run_read_json(&run, exact, i, &error) < 0);
        assert_true(strlen(error.text) > 10);
        free(exact);
    }
}

TESTS_BETWEEN(set_up, tear_down)
