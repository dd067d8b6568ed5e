/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "output/output.h"

static char folder[] = "/tmp/test_report_save.XXXXXX";

static int set_up(void **state)
{
    *state = run_new();
    return *state && mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    run_free(*state);
    return rmdir(folder); /* fails if a test left a file */
}

static size_t files(void)
{
    size_t n = 0;
    DIR *const open = opendir(folder);
    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open));)
        n += entry->d_name[0] != '.';
    closedir(open);
    return n;
}

static void in_folder(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
}

static void test_saves_and_replaces(void **state)
{
    const struct run *const run = *state;
    struct error error = {0};
    struct stat status;
    char path[100];
    in_folder("run.json", path, sizeof path);
    const mode_t mask = umask(027);
    assert_int_equal(report_save(run, FORMAT_JSON, path, &error), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);

    FILE *const old = fopen(path, "w");
    assert_non_null(old);
    fputs("old", old);
    fclose(old);
    assert_int_equal(chmod(path, 0606), 0);
    assert_int_equal(report_save(run, FORMAT_JSON, path, &error), 0);
    umask(mask);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0606);
    assert_true(status.st_size > 10);
    assert_int_equal(files(), 1);
    assert_int_equal(unlink(path), 0);
}

static void test_leaves_nothing(void **state)
{
    const struct run *const run = *state;
    struct error error = {0};
    char path[100];
    in_folder("no/run.md", path, sizeof path);
    assert_int_equal(report_save(run, FORMAT_JSON, path, &error), -ENOENT);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(report_save(run, FORMAT_JSON, folder, &error), -EISDIR);
    assert_int_equal(files(), 0);
}

static void test_writes_to_devices(void **state)
{
    const struct run *const run = *state;
    struct error error = {0};
    assert_int_equal(report_save(run, FORMAT_JSON, "/dev/null", &error), 0);
    assert_int_equal(report_save(run, FORMAT_JSON, "/dev/full", &error), -ENOSPC);
    assert_non_null(strstr(error.text, "/dev/full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saves_and_replaces),
        cmocka_unit_test(test_leaves_nothing),
        cmocka_unit_test(test_writes_to_devices),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
