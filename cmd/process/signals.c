/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, and standard streams that are closed, full or gone. */
#include "process/process.h"
#include "reports.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <unistd.h>

volatile sig_atomic_t interrupted_by;

static void on_signal(int number)
{
    interrupted_by = number;
}

void signals_catch(void)
{
    static const int asks_to_stop[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    const struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < ARRAY_LEN(asks_to_stop); i++) {
        struct sigaction old;
        /* nohup and a shell's `&` have them ignored, and mean it. */
        if (sigaction(asks_to_stop[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(asks_to_stop[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
}

void standard_begin(void)
{
    /* The next file that is opened would become the closed one. What is written to one
     * that can only be read is an error, as it should be. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* if it is ignored, nobody learns how a child ended */
    /* A module may ask for the locale of its user; this thread keeps writing 0.5. */
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain)
        uselocale(plain);
}

int standard_failed(int code, struct error *error)
{
    static int first; /* the stream forgets why it failed */
    if (!first)
        first = code;
    if (first == EPIPE) {
        interrupted_by = SIGPIPE;
        return error_set(error, -EINTR, "interrupted");
    }
    return first ? error_set(error, -first, "standard output: %s", strerror(first)) : 0;
}

/* A write that failed while text was gathered left no reason: does nobody read? */
static int lost_reason(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) ? EPIPE : EIO;
}

int standard_flush(struct error *error)
{
    errno = 0;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    return standard_failed(!failed ? 0 : errno ? errno : lost_reason(), error);
}

/* The place where the source begins of a message that ends with it and with a line of
 * carets, as those about prototypes do; NULL: it is a message of one line. */
static const char *find_source(const char *text)
{
    static const char blank[] = "\n    ";
    const char *const carets = strrchr(text, '\n');
    const char *const source =
        carets ? memrchr(text, '\n', (size_t)(carets - text)) : NULL;
    const bool good = source && !strncmp(source, blank, strlen(blank)) &&
                      !strncmp(carets, blank, strlen(blank)) && strchr(carets, '^') &&
                      !carets[1 + strspn(carets + 1, " ^~")];
    return good ? source : NULL;
}

static void complain_with_source(const char *text, const char *source)
{
    const char *const carets = strrchr(text, '\n');
    complain("%.*s", (int)(source - text), text);
    text_line(stderr, "%.*s", (int)(carets - source - 1), source + 1);
    text_line(stderr, "%s", carets + 1);
}

int exit_status_of(int status, const struct error *error)
{
    if (status >= 0)
        return status;
    if (status == -EINTR)
        return EXIT_INTERRUPTED;
    const char *const source = find_source(error->text);
    if (source)
        complain_with_source(error->text, source);
    else if (*error->text) /* else it was told */
        complain("%s", error->text);
    return status == -CPUS_BUSY ? EXIT_BUSY : EXIT_USAGE;
}
