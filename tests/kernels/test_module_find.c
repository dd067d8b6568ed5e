/* SPDX-License-Identifier: Apache-2.0 */
/* Shared objects and foreign workers are found by name. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels.h"
#include "unit.h"

/* A folder of its own, and the environment's list of folders as it was. */
struct place {
    char folder[64];
    char *old;
};

static const struct {
    const char *name;
    mode_t mode;
} files[] = {{"baseline-one", 0755},    {"baseline-two", 0644}, {"three.so", 0644},
             {"baseline-three", 0755},  {"baseline-", 0755},    {"four", 0755},
             {"baseline-five.so", 0644}};

static const char *in(const struct place *place, const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    return path;
}

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    strcpy(place->folder, "/tmp/simdbench-find-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        int fd = open(in(place, files[i].name), O_CREAT | O_WRONLY, 0600);
        assert_true(fd >= 0);
        assert_int_equal(fchmod(fd, files[i].mode), 0);
        close(fd);
    }
    assert_int_equal(mkdir(in(place, "baseline-folder"), 0755), 0);
    const char *old = getenv("SIMDBENCH_MODULES");
    place->old = old ? strdup(old) : NULL;
    setenv("SIMDBENCH_MODULES", place->folder, 1);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        unlink(in(place, files[i].name));
    rmdir(in(place, "baseline-folder"));
    rmdir(place->folder);
    if (place->old)
        setenv("SIMDBENCH_MODULES", place->old, 1);
    else
        unsetenv("SIMDBENCH_MODULES");
    free(place->old);
    free(place);
    return 0;
}

TEST(test_by_name)
{
    const struct place *place = *state;
    char path[PATH_MAX];
    struct error error;
    assert_int_equal(module_find("one", path, sizeof path, &error), 0);
    assert_string_equal(path, in(place, "baseline-one"));
    assert_true(module_is_foreign(path));
    assert_int_equal(module_find("three", path, sizeof path, &error), 0);
    assert_string_equal(path, in(place, "three.so"));
    assert_false(module_is_foreign(path));
    /* Neither what cannot be executed, nor a folder, nor what has no such name. */
    assert_int_equal(module_find("two", path, sizeof path, &error), -ENOENT);
    assert_int_equal(module_find("folder", path, sizeof path, &error), -ENOENT);
    assert_int_equal(module_find("four", path, sizeof path, &error), -ENOENT);
    assert_int_equal(module_find("five", path, sizeof path, &error), -ENOENT);
    assert_int_equal(module_find("", path, sizeof path, &error), -ENOENT);
}

TEST(test_near)
{
    char path[PATH_MAX];
    struct error error;
    assert_int_equal(module_find("onne", path, sizeof path, &error), -ENOENT);
    assert_non_null(strstr(error.text, "did you mean one?"));
    assert_int_equal(module_find("ONNE", path, sizeof path, &error), -ENOENT);
    assert_non_null(strstr(error.text, "did you mean one?"));
}

TEST(test_by_path)
{
    const struct place *place = *state;
    char path[PATH_MAX];
    struct error error;
    assert_int_equal(module_find(in(place, "four"), path, sizeof path, &error), 0);
    assert_string_equal(path, in(place, "four"));
    assert_true(module_is_foreign(path));
    assert_int_equal(module_find(in(place, "baseline-two"), path, sizeof path, &error),
                     -EACCES);
    assert_non_null(strstr(error.text, "neither a module (.so) nor executable"));
    assert_int_equal(module_find(in(place, "baseline-folder"), path, sizeof path, &error),
                     -EACCES);
    assert_int_equal(module_find(in(place, "six"), path, sizeof path, &error), -ENOENT);
}

struct seen {
    const struct place *place;
    char names[1000];
};

static void see(const char *name, const char *path, void *context)
{
    struct seen *seen = context;
    const size_t used = strlen(seen->names);
    if (strncmp(path, seen->place->folder, strlen(seen->place->folder)) == 0)
        snprintf(seen->names + used, sizeof seen->names - used, "%s=%s ", name,
                 path + strlen(seen->place->folder) + 1);
}

TEST(test_each)
{
    struct seen seen = {.place = *state};
    module_each(see, &seen);
    assert_string_equal(seen.names, "baseline-five=baseline-five.so three=three.so "
                                    "one=baseline-one ");
}

TEST(test_names)
{
    assert_true(module_name_valid("a-Z_9"));
    assert_false(module_name_valid(NULL));
    assert_false(module_name_valid(""));
    assert_false(module_name_valid("a/b"));
    assert_false(module_name_valid("a@b"));
}

TESTS_BETWEEN(setup, teardown)
