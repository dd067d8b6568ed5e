/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of libraries, each in a process of its own: a process has one configuration of a
 * library, and its threads stay. */
#pragma once

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { SKIP = 77 };

/* The work of a child: it returns 0 if all is well, or SKIP. */
struct child {
    int (*body)(const char *name);
    const char *name;
};
#define CHILD(body, name)                                        \
    {                                                            \
        #body " of " name, in_child, NULL, NULL, &(struct child) \
        {                                                        \
            body, name                                           \
        }                                                        \
    }

/* Runs such tests, and returns what main() returns. */
#define RUN_CHILDREN(...)                                                            \
    cmocka_run_group_tests_name("tests", ((const struct CMUnitTest[]){__VA_ARGS__}), \
                                NULL, NULL)

static inline void in_child(void **state)
{
    const struct child *const child = *state;
    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(child->body(child->name));
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIP)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static inline int threads_alive(void)
{
    DIR *directory = opendir("/proc/self/task");
    int n = 0;
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        n += entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return n;
}
