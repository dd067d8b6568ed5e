/* SPDX-License-Identifier: Apache-2.0 */
/* Process 1 of the guest that scripts/qemu-pmu boots: runs each line of /commands on the
 * console, says how it ended, and switches the machine off. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 32 };

static void folder(const char *path, const char *type)
{
    mkdir(path, 0755);
    if (mount(type, path, type, 0, NULL) != 0)
        perror(path);
}

static void run(char *line)
{
    char *word[WORDS + 1] = {NULL};
    int status = -1;
    size_t n = 0;
    for (char *w = strtok(line, " \n"); w && n < WORDS; w = strtok(NULL, " \n"))
        word[n++] = w;
    if (n == 0)
        return;
    printf("guest: begin %s\n", word[0]);
    const pid_t child = fork();
    if (child == 0) {
        execv(word[0], word);
        perror(word[0]);
        _exit(127);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    printf("\nguest: end %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

int main(void)
{
    if (getpid() != 1) {
        fprintf(stderr, "qemu_init mounts and powers off: only process 1 may run it\n");
        return 1;
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    folder("/proc", "proc");
    folder("/sys", "sysfs");
    folder("/dev", "devtmpfs");
    folder("/tmp", "tmpfs");
    FILE *const commands = fopen("/commands", "r");
    char line[512];
    while (commands && fgets(line, sizeof line, commands))
        run(line);
    puts("guest: done");
    return reboot(RB_POWER_OFF);
}
