/* SPDX-License-Identifier: Apache-2.0 */
#include "client_private.h"
#include "process/process.h"
#include "reports.h"

#include <fcntl.h>
#include <unistd.h>

/* A pipe holds 64 KiB: as many are read at once, and passed on of a worker's life. */
enum { READ_BYTES = 4096, READS_AT_ONCE = 16, PASSED_MAX = 1 << 16 };

int relay_open(struct relay *relay, int *end)
{
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) < 0)
        return -errno;
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    *relay = (struct relay){.fd = pair[0]};
    *end = pair[1];
    return 0;
}

static void end_line(struct relay *relay)
{
    relay->line[relay->used] = '\0';
    text_line(stderr, "%s", relay->line);
    if (relay->used)
        text_plain(relay->line, relay->last, sizeof relay->last);
    relay->used = 0;
}

static void take(struct relay *relay, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n && relay->passed < PASSED_MAX; i++, relay->passed++) {
        if (bytes[i] != '\n')
            relay->line[relay->used++] = bytes[i] ? bytes[i] : ' ';
        if (bytes[i] == '\n' || relay->used == sizeof relay->line - 1)
            end_line(relay);
    }
}

void relay_pass(struct relay *relay, const char *name)
{
    char bytes[READ_BYTES];
    for (int i = 0; i < READS_AT_ONCE && relay->fd >= 0; i++) {
        const ssize_t got = read(relay->fd, bytes, sizeof bytes);
        if (got < 0)
            return;
        if (got == 0) {
            close(relay->fd);
            relay->fd = -1;
        }
        const bool was_full = relay->passed == PASSED_MAX;
        take(relay, bytes, (size_t)got);
        if (relay->passed == PASSED_MAX && !was_full)
            complain("%s: what else it prints is left out", name);
    }
}

void relay_close(struct relay *relay, const char *name)
{
    relay_pass(relay, name);
    if (relay->used)
        end_line(relay);
    if (relay->fd >= 0)
        close(relay->fd);
    relay->fd = -1;
}
