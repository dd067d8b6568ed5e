/* SPDX-License-Identifier: Apache-2.0 */
/* Files and threads of the candidate's process, by the system's words, not its
 * own. */
#include "referee_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "files.h"

bool process_has(pid_t pid, const char *path)
{
    char name[64];
    struct stat wanted;
    FREED_BY(free_memory) char *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
    FILE *const file = stat(path, &wanted) == 0 ? fopen(name, "re") : NULL;
    while (file && !found && getline(&line, &room, file) > 0) {
        unsigned major_number, minor_number;
        uint64_t inode;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        found = sscanf(line, "%*s %*s %*s %x:%x %" SCNu64 " %n", &major_number,
                       &minor_number, &inode, &at) == 3 &&
                inode == wanted.st_ino &&
                (makedev(major_number, minor_number) == wanted.st_dev ||
                 !strcmp(line + at, path)); /* btrfs has other devices there */
    }
    if (file)
        fclose(file);
    return found;
}

static size_t count_threads(pid_t pid)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
    return folder_count(name);
}

/* Threads are counted here if the system has no filters of calls. */
int judge_watch(struct referee *referee)
{
    const size_t threads = count_threads(referee->candidate.worker->info.pid);
    return threads > 1
               ? reject(referee, "helpers", "its process has %zu threads", threads)
               : 0;
}
