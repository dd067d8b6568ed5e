/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that are asked for text, that are stopped, and that nobody can take. */
#include "traced_child.h"
#include "traced_code.h"

TEST(test_text)
{
    const struct inspect_options options = {.text = true};
    struct inspect_census census = census_by(chain, TURNS, &options);
    assert_int_equal(census.n_lines, 5);
    assert_int_equal(census.loop[0].line, 0);
    assert_int_equal(census.loop[0].n_lines, 4);
    assert_string_equal(census.line[1].text, "mulss xmm2, xmm1");
    assert_int_equal(census.line[1].executed, TURNS);
    assert_string_equal(census.line[4].text, "ret");
    assert_true(census.line[4].loop == INSPECT_NO_LOOP);
    inspect_census_free(&census);
}

/* Instructions with REP clear memory that no loop does. */
TEST(test_filled)
{
    struct inspect_census census = census_of(repeated, TURNS, false);
    assert_near(census.bytes_filled, 4096.0 * TURNS, 0);
    inspect_census_free(&census);
}

TEST(test_crash)
{
    const struct inspect_options options = {.step_all = false};
    struct inspect_census census;
    struct error error = {.text = ""};
    assert_int_equal(trace(crashing, 1, &options, &census, &error), -ECHILD);
    assert_int_equal(census.n_loops, 0);
}

static bool stop_at_once(void *context)
{
    *(int *)context += 1;
    return true;
}

TEST(test_stops)
{
    int asked = 0;
    const struct inspect_options stop = {.stop = stop_at_once, .stop_context = &asked};
    const struct inspect_options late = {.timeout_ns = 30000000};
    struct inspect_census census;
    struct error error = {.text = ""};
    struct traced_child child = start(loop, 1);
    assert_int_equal(inspect_attach(child.pid, &error), 0);
    assert_int_equal(inspect_follow(child.pid, &stop, &census, &error), -EINTR);
    assert_int_equal(asked, 1);
    assert_int_equal(inspect_follow(child.pid, &late, &census, &error), -ETIMEDOUT);
    kill(child.pid, SIGKILL);
    end(&child);
}

TEST(test_nobody_traces)
{
    assert_int_equal(
        inspect_call(
            &(struct inspect_calls){.function = loop, .a = buffer, .b = (void *)1}, 1),
        -EPERM);
    struct error error = {.text = ""};
    /* No process has a larger number than 2^22. */
    assert_int_equal(inspect_attach((1 << 22) + 1, &error), -ESRCH);
    assert_true(strstr(error.text, "ptrace") != NULL);
}

/* ---- signals ---- */

/* Another process sends it a signal that it ignores, fewer times than a trace may stop.
 */
static pid_t disturb(pid_t child)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    for (int i = 0; i < 300000; i++)
        kill(child, SIGURG);
    _exit(0);
}

/* A stop for a signal is no step, and no turn of a loop. */
TEST(test_signals)
{
    static const struct {
        traced *function;
        uint64_t instructions;
        size_t loops;
    } cases[] = {{nested, 24 * TURNS + 2, 2},
                 {repeated, 6 * TURNS + 2, 1},
                 {calling, 5 * TURNS + 2, 1}};
    const struct inspect_options options = {
        .max_steps = 1000000, .whole_only = true, .timeout_ns = PATIENCE_NS};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct traced_child child = start(cases[i].function, TURNS);
        struct inspect_census census;
        struct error error = {.text = ""};
        assert_int_equal(inspect_attach(child.pid, &error), 0);
        const pid_t other = disturb(child.pid);
        assert_int_equal(write(child.go, "", 1), 1);
        const int status = inspect_follow(child.pid, &options, &census, &error);
        kill(other, SIGKILL);
        assert_int_equal(waitpid(other, NULL, 0), other);
        assert_int_equal(status, 0);
        assert_true(end(&child));
        assert_int_equal(census.instructions, cases[i].instructions);
        assert_int_equal(census.n_loops, cases[i].loops);
        inspect_census_free(&census);
    }
}
