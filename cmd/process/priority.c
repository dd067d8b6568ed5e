/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>
#include <unistd.h>

#include "perfctr.h"
#include "process/process.h"

bool priority_may(void)
{
    int status = 1;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(!priority_raise());
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}
