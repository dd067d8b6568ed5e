/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of libraries, each in a process of its own: a process has one configuration of a
 * library, and its threads stay. */
#ifndef SIMDBENCH_LIBRARY_CHILD_H
#define SIMDBENCH_LIBRARY_CHILD_H

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { SKIP = 77 };

/* Runs `body` in a child, which exits with 0 if all is well or with SKIP. */
static inline void in_child(int (*body)(const char *name), const char *name)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(body(name));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
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

#endif
