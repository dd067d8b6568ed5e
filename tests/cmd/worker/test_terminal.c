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

/* A terminal of our own, so that the test needs none. */
TEST(test_terminal)
{
    const int leader = posix_openpt(O_RDWR | O_NOCTTY);
    if (leader < 0 || grantpt(leader) != 0 || unlockpt(leader) != 0) {
        print_message("no pseudo terminal here\n");
        return;
    }
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
