/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <unistd.h>

#include "process/process.h"
#include "unit.h"

TEST(test_colour)
{
    FILE *const file = tmpfile();
    assert_non_null(file);
    assert_false(terminal_colour(file));
    assert_int_equal(terminal_width(file), 0);
    fclose(file);
}

/* A terminal of our own, so that the tests need none: its other end, or -1. */
static int open_terminal(void)
{
    const int leader = posix_openpt(O_RDWR | O_NOCTTY);
    if (leader >= 0 && grantpt(leader) == 0 && unlockpt(leader) == 0)
        return leader;
    print_message("no pseudo terminal here\n");
    return -1;
}

/* Progress, and a complaint behind it, with standard error at `to`. */
static void show_progress(int to)
{
    const int before = dup(STDERR_FILENO);
    assert_true(dup2(to, STDERR_FILENO) >= 0);
    progress_show("1 of 2");
    progress_end();
    progress_show("2 of 2");
    complain("failed");
    progress_end();
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
}

TEST(test_progress)
{
    char text[100] = "";
    FILE *const file = tmpfile();
    const int leader = open_terminal();
    assert_non_null(file);
    show_progress(fileno(file));
    assert_true(pread(fileno(file), text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, "simdbench: failed\n");
    fclose(file);
    if (leader < 0)
        return;
    const int to = open(ptsname(leader), O_RDWR | O_NOCTTY);
    static const char shown[] = "\r\033[K1 of 2\r\033[K\r\033[K2 of 2\r\033[K"
                                "simdbench: failed\r\n";
    show_progress(to);
    memset(text, 0, sizeof text);
    /* A terminal gives what was written piece by piece. */
    for (size_t n = 0; n < sizeof shown - 1;) {
        const ssize_t more = read(leader, text + n, sizeof text - 1 - n);
        assert_true(more > 0);
        n += (size_t)more;
    }
    assert_string_equal(text, shown);
    close(to);
    close(leader);
}

TEST(test_terminal)
{
    const int leader = open_terminal();
    if (leader < 0)
        return;
    FILE *const file = fdopen(open(ptsname(leader), O_RDWR | O_NOCTTY), "r+");
    assert_non_null(file);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    assert_true(terminal_colour(file));
    setenv("NO_COLOR", "", 1);
    assert_true(terminal_colour(file));
    setenv("NO_COLOR", "1", 1);
    assert_false(terminal_colour(file));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    assert_false(terminal_colour(file));
    unsetenv("TERM");
    assert_false(terminal_colour(file));
    fclose(file);
    close(leader);
}
