/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "process/process.h"
#include "reports.h"

bool terminal_colour(FILE *file)
{
    const char *const no_colour = getenv("NO_COLOR");
    const char *const term = getenv("TERM");
    if (no_colour && no_colour[0])
        return false;
    return term && term[0] && strcmp(term, "dumb") != 0 && isatty(fileno(file));
}

int terminal_width(FILE *file)
{
    struct winsize size;
    if (!isatty(fileno(file)) || ioctl(fileno(file), TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

/* A line of progress stands on the terminal. */
static bool in_progress;

void complain(const char *format, ...)
{
    char raw[2048];
    progress_end();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    text_line(stderr, "simdbench: %s", raw);
}

void complain_each(const char *before, const struct text_list *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        complain("%s%s", before, texts->item[i]);
}

void print_line(int indent, const char *format, ...)
{
    FREED_BY(free_memory) char *raw = NULL;
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};
    va_list arguments;
    va_start(arguments, format);
    must(vasprintf(&raw, format, arguments));
    va_end(arguments);
    buffer_plain(&plain, raw);
    text_wrapped_to(stdout, terminal_width(stdout), buffer_text(&plain), 0, indent);
}

void progress_show(const char *format, ...)
{
    char raw[512], plain[2 * sizeof raw];
    va_list arguments;
    if (!isatty(STDERR_FILENO))
        return;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    /* A line that goes on in the next row is not overwritten. */
    const size_t width = (size_t)terminal_width(stderr);
    text_plain(raw, plain, width && width < sizeof plain ? width : sizeof plain);
    fprintf(stderr, "\r\033[K%s", plain);
    fflush(stderr);
    in_progress = *plain != '\0';
}

void progress_end(void)
{
    if (in_progress)
        progress_show("%s", "");
}

void date_text(char text[24])
{
    const time_t now = time(NULL);
    struct tm utc;
    strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}
