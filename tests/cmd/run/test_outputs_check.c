/* SPDX-License-Identifier: Apache-2.0 */
/* An output destroys no file that is read or written besides: this is found out before
 * anything is measured. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"
#include "forbid_call.h"
#include "output/output.h"
#include "unit.h"

static char folder[] = "/tmp/test_outputs.XXXXXX";

/* A folder with what links can be; the tests work in it. */
static int set_up(void **state)
{
    if (!mkdtemp(folder) || chdir(folder) || mkdir("sub", 0700))
        return -1;
    const int fd = open("old.json", O_CREAT | O_WRONLY, 0700);
    return close(fd) || link("old.json", "hard.json") || symlink("old.json", "soft") ||
           symlink("new.json", "nowhere") || symlink("../nowhere", "sub/two") ||
           symlink("../new.json", "sub/far") || symlink("loop", "loop") ||
           symlink("no/such/folder", "lost");
}

static int tear_down(void **state)
{
    static const char *const names[] = {"old.json", "hard.json", "soft", "nowhere",
                                        "sub/two",  "sub/far",   "loop", "lost"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        unlink(names[i]);
    /* Fails if a test left a file. */
    return rmdir("sub") || chdir("/") || rmdir(folder);
}

static int check(const char *line, struct error *error)
{
    struct options options = parsed(line);
    *error = (struct error){.text = ""};
    const int status = outputs_check(&options, error);
    options_free(&options);
    return status;
}

TEST(test_one_file)
{
    static const char *const lines[] = {
        "gemm --json=new.json --markdown=./new.json",
        "gemm --json=new.json --markdown=sub/../new.json",
        "gemm --json=new.json --markdown=nowhere",
        "gemm --json=new.json --markdown=sub/two",
        "gemm --json=nowhere --format=csv:sub/far",
        "gemm --json=old.json --markdown=hard.json",
        "gemm --json=old.json --markdown=soft",
        "gemm --json=h --history=./h",
        "gemm --json=new.json --history=nowhere",
        "gemm --json=h-journal --history=h",
        "gemm --json=h-wal --history=h",
        "gemm --json=new.json-shm --history=nowhere",
        "gemm --history=old.json --json=soft",
        "all --json=h --history=h",
        "threads gemm --json=old.json --json=hard.json",
        "gemm --shapes=old.json --json=soft",
        "gemm --plugin=./old.json,a=1 --json=soft",
        "gemm --baseline=./old.json --json=soft",
        "report old.json --json=a --format=csv:./a",
        "report old.json --markdown=soft",
        "report old.json --history=soft",
        "report sub old.json --json=soft",
        "report old.json --json=soft --markdown=hard.json",
        "compare old.json sub --json=hard.json",
        "compare sub old.json --json=soft",
        "ab old.json sub --json=soft",
        "ab sub old.json --history=soft",
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct error error;
        if (check(lines[i], &error) != -EINVAL || !strstr(error.text, "are one file"))
            fail_msg("%s: %s", lines[i], error.text);
    }
    struct error error;
    check("gemm --json=new.json --format=csv:nowhere", &error);
    assert_string_equal(error.text, "--json=new.json and --format=csv:nowhere are one "
                                    "file, and what is written to it would destroy the "
                                    "other");
}

TEST(test_files_apart)
{
    static const char *const lines[] = {
        "gemm --json=new.json --markdown=new.md --history=h",
        "gemm --json=new.json --markdown=sub/new.json",
        "gemm --json=/dev/null --markdown=/dev/../dev/null",
        "gemm --json=/dev/stdout --markdown=/proc/self/fd/1",
        "gemm --shapes=old.json --plugin=./hard.json",
        "report old.json",
        "report old.json --json=soft", /* it keeps what it said */
        "report old.json sub --json=hard.json --markdown=nowhere",
        "compare old.json hard.json --json=nowhere",
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct error error;
        if (check(lines[i], &error) != 0)
            fail_msg("%s: %s", lines[i], error.text);
    }
}

/* Found out at once, not after the run. */
TEST(test_no_place)
{
    static const struct {
        const char *path, *why;
    } rows[] = {
        {"loop", "Too many levels of symbolic links"},
        {"lost", "cannot write to folder no/such: No such file or directory"},
        {"no/new.json", "cannot write to folder no: No such file or directory"},
        {"old.json/new.json", "Not a directory"},
        {"sub", "Is a directory"},
        {"new/", "cannot write to folder new: No such file or directory"},
        {"/proc/new.json", "cannot write to folder /proc: "},
        {"/proc/self/comm", "cannot write to folder /proc/"},
        {"/proc/self/fd/77", "cannot write to folder /proc/self/fd: "},
    };
    static const char *const flags[] = {"--json", "--history"};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t k = 0; k < ARRAY_LEN(flags); k++) {
            char line[100], text[200];
            struct error error;
            snprintf(line, sizeof line, "gemm %s=%s", flags[k], rows[i].path);
            snprintf(text, sizeof text, "%s=%s: %s", flags[k], rows[i].path, rows[i].why);
            if (check(line, &error) == 0 || !strstr(error.text, text))
                fail_msg("%s: '%s'", line, error.text);
        }
    }
}

/* A file that was opened and removed: the name in /proc leads to none. */
TEST(test_removed_file)
{
    const int fd = open("gone", O_CREAT | O_RDWR, 0600);
    char line[60];
    struct error error;
    assert_true(fd >= 0);
    assert_int_equal(unlink("gone"), 0);
    snprintf(line, sizeof line, "gemm --json=/proc/self/fd/%d", fd);
    assert_int_equal(check(line, &error), -ENOENT);
    close(fd);
}

/* Standard output is the history: what is printed would destroy it. */
TEST(test_streams)
{
    struct error error;
    const int keep = dup(STDOUT_FILENO), fd = open("old.json", O_WRONLY | O_APPEND);
    int status[4];
    assert_true(keep >= 0 && fd >= 0);
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    status[0] = check("gemm --history=soft", &error);
    status[1] = check("report hard.json", &error);
    status[2] = check("gemm --json=soft", &error); /* goes there in order */
    dup2(fd, STDERR_FILENO);
    status[3] = check("gemm --json=new.json", &error);
    dup2(keep, STDOUT_FILENO);
    dup2(keep, STDERR_FILENO);
    close(keep);
    close(fd);
    assert_int_equal(status[0], -EINVAL);
    assert_int_equal(status[1], -EINVAL);
    assert_int_equal(status[2], 0);
    assert_int_equal(status[3], 0);
}

/* The first output that a command does not write is named. */
TEST(test_formats)
{
    struct options options =
        parsed("gemm --format=csv --markdown=new.md --json=new.json");
    const unsigned two = 1 << FORMAT_CSV | 1 << FORMAT_MARKDOWN;
    struct error error = {.text = ""};
    assert_int_equal(outputs_formats(&options, two, "it writes two", &error), -EINVAL);
    assert_string_equal(error.text, "it writes two, not json");
    assert_int_equal(outputs_formats(&options, two | 1 << FORMAT_JSON, "", &error), 0);
    options_free(&options);
}

/* ---- saving ---- */

static int write_text(const void *context, FILE *file, struct error *error)
{
    return fputs(context, file) < 0 ? -EIO : 0;
}

static void assert_text(const char *path, const char *expected)
{
    char *bytes;
    size_t size;
    assert_int_equal(file_load(path, 100, &bytes, &size), 0);
    assert_string_equal(bytes, expected);
    free(bytes);
}

TEST(test_link_to_nowhere)
{
    struct error error = {.text = ""};
    assert_int_equal(file_save("sub/two", write_text, "one", &error), 0);
    assert_text("new.json", "one");
    assert_int_equal(unlink("new.json"), 0);
    assert_int_equal(file_save("loop", write_text, "one", &error), -ELOOP);
}

static int save_without_linkat(void)
{
    return forbid_call(SYS_linkat) < 0
               ? NO_SANDBOX
               : file_save("new.json", write_text, "two", NULL) != 0;
}

TEST(test_without_linkat)
{
    const int status = in_child(save_without_linkat);
    if (status == NO_SANDBOX)
        skip();
    assert_int_equal(status, 0);
    assert_text("new.json", "two");
    assert_int_equal(unlink("new.json"), 0);
}

/* The disk is full for a moment, and has room again when the rest is written. */
static int write_while_full(const void *context, FILE *file, struct error *error)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit))
        return -EPERM;
    const struct rlimit full = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    const int status = setrlimit(RLIMIT_FSIZE, &full);
    fprintf(file, "%70000s", "");
    return setrlimit(RLIMIT_FSIZE, &limit) ?: status;
}

static int save_while_full(void)
{
    signal(SIGXFSZ, SIG_IGN);
    return file_save("new.json", write_while_full, NULL, NULL) == -EFBIG ? 0 : 1;
}

TEST(test_full_for_a_moment)
{
    assert_int_equal(in_child(save_while_full), 0);
    assert_int_equal(access("new.json", F_OK), -1);
}

/* The stream forgets why a write failed that printf() began by itself. */
static int write_to_nobody(void)
{
    int ends[2];
    struct error error = {.text = ""};
    if (pipe(ends) || close(ends[0]) || dup2(ends[1], STDOUT_FILENO) < 0)
        return 1;
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOFBF, 16);
    printf("This is longer than the buffer of the stream.");
    fflush(stdout);
    errno = 0;
    return standard_flush(&error) == -EINTR ? 0 : 2;
}

TEST(test_reader_that_left)
{
    fflush(stdout);
    assert_int_equal(in_child(write_to_nobody), 0);
}

TESTS_BETWEEN(set_up, tear_down)
