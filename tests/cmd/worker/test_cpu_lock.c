/* SPDX-License-Identifier: Apache-2.0 */
/* Locks on CPUs that this machine need not have. Each lock that is taken has an open file
 * of its own, so that those of one process are in each other's way like those of two. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_tree.h"
#include "perfctr.h"
#include "process/process.h"

enum { CPU = 1000 };
static char folder[64], file[128];

static int begin(void **state)
{
    strcpy(folder, "/tmp/simdbench-locks-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/simdbench-cpus.lock", folder);
    return setenv("SIMDBENCH_LOCKS", folder, 1);
}

static int end(void **state)
{
    interrupted_by = 0;
    return tree_remove(folder);
}
#define FOLDER_TEST(name) TEST_BETWEEN(name, begin, end)

/* One CPU, all that are asked for. */
static int take_one(int cpu, int64_t wait_ns, struct cpu_lock **lock, struct error *error)
{
    return cpu_lock_take(&cpu, 1, 1, wait_ns, true, lock, error);
}

static bool is_free(int cpu)
{
    struct cpu_lock *lock;
    const int status = take_one(cpu, 0, &lock, NULL);
    cpu_lock_free(lock);
    assert_true(status == 0 || status == -CPUS_BUSY);
    return status == 0;
}

FOLDER_TEST(test_one_at_a_time)
{
    struct cpu_lock *one, *other;
    struct error error;
    char who[64];
    assert_int_equal(take_one(CPU, 0, &one, &error), 0);
    assert_non_null(one);
    assert_int_equal(take_one(CPU, 0, &other, &error), -CPUS_BUSY);
    assert_null(other);
    snprintf(who, sizeof who, "CPU 1000 is measured on by another simdbench (pid %d)",
             (int)getpid());
    assert_memory_equal(error.text, who, strlen(who));
    assert_non_null(strstr(error.text, "--wait=no"));
    assert_int_equal(take_one(CPU, 30000000, &other, &error), -CPUS_BUSY);
    assert_non_null(strstr(error.text, "waited 0.03 s (--wait)"));
    assert_true(is_free(CPU + 1));
    cpu_lock_free(one);
    assert_true(is_free(CPU));
}

FOLDER_TEST(test_another_is_taken)
{
    struct cpu_lock *one, *two, *three;
    struct error error;
    int cpu[] = {CPU, CPU + 1, CPU + 2}, other[] = {CPU, CPU + 1, CPU + 2};
    assert_int_equal(take_one(CPU + 1, 0, &one, &error), 0);
    assert_int_equal(cpu_lock_take(cpu, 3, 2, 0, true, &two, &error), 0);
    assert_int_equal(cpu[0], CPU);
    assert_int_equal(cpu[1], CPU + 2);
    assert_int_equal(cpu_lock_take(other, 3, 1, 0, true, &three, &error), -CPUS_BUSY);
    assert_non_null(strstr(error.text, "no other is free"));
    cpu_lock_free(one);
    /* One of two that are needed is not enough, and is not kept. */
    assert_int_equal(cpu_lock_take(other, 3, 2, 0, true, &three, &error), -CPUS_BUSY);
    assert_int_equal(cpu_lock_take(other, 3, 1, 0, true, &three, &error), 0);
    assert_int_equal(other[0], CPU + 1);
    cpu_lock_free(two);
    cpu_lock_free(three);
}

/* A process that holds a CPU until it is killed. */
static pid_t start_holder(int cpu)
{
    const pid_t pid = fork();
    if (pid == 0) {
        struct cpu_lock *lock;
        /* The parent's look takes it for a moment, too. */
        while (take_one(cpu, 0, &lock, NULL) != 0)
            usleep(1000);
        pause();
        _exit(1);
    }
    while (is_free(cpu))
        usleep(1000);
    return pid;
}

static void kill_holder(pid_t pid)
{
    int status;
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

FOLDER_TEST(test_death)
{
    kill_holder(start_holder(CPU));
    assert_true(is_free(CPU));
}

/* A process that waits for a CPU; its messages go to a pipe, and its exit status is 0 if
 * it got the CPU. */
struct waiter {
    pid_t pid;
    int text;
};

static struct waiter start_waiter(const int *cpus, size_t n, size_t need)
{
    int pair[2], cpu[8];
    memcpy(cpu, cpus, n * sizeof *cpu);
    assert_int_equal(pipe(pair), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        struct cpu_lock *lock;
        dup2(pair[1], STDERR_FILENO);
        signals_catch();
        const int status = cpu_lock_take(cpu, n, need, WAIT_FOREVER, true, &lock, NULL);
        _exit(-status);
    }
    close(pair[1]);
    return (struct waiter){pid, pair[0]};
}

static void read_line(const struct waiter *waiter, char *text, size_t size)
{
    size_t n = 0;
    while (n + 1 < size && read(waiter->text, text + n, 1) == 1 && text[n] != '\n')
        n++;
    text[n] = '\0';
}

static int status_of(const struct waiter *waiter)
{
    int status;
    assert_int_equal(waitpid(waiter->pid, &status, 0), waiter->pid);
    close(waiter->text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

FOLDER_TEST(test_queue)
{
    char text[256], pid[32];
    struct cpu_lock *one;
    const int cpu[] = {CPU, CPU + 1};
    assert_int_equal(take_one(CPU, 0, &one, NULL), 0);
    snprintf(pid, sizeof pid, "(pid %d)", (int)getpid());
    const struct waiter first = start_waiter(cpu, 2, 2);
    read_line(&first, text, sizeof text);
    assert_non_null(strstr(text, pid));
    assert_non_null(strstr(text, "waiting, place 1 in the queue; --wait=no"));
    const struct waiter second = start_waiter(cpu, 1, 1);
    read_line(&second, text, sizeof text);
    assert_non_null(strstr(text, "waiting, place 2 in the queue; --wait=no"));
    /* A free CPU belongs to who waits for it. */
    assert_false(is_free(CPU + 1));
    assert_int_equal(kill(first.pid, SIGTERM), 0);
    assert_int_equal(status_of(&first), EINTR);
    read_line(&second, text, sizeof text);
    assert_non_null(strstr(text, "waiting, place 1 in the queue"));
    assert_null(strstr(text, "--wait"));
    assert_true(is_free(CPU + 1));
    cpu_lock_free(one);
    assert_int_equal(status_of(&second), 0);
    assert_true(is_free(CPU));
}

/* Two that need both CPUs, and one that takes any. */
FOLDER_TEST(test_queue_of_many)
{
    const int cpu[] = {CPU, CPU + 1}, back[] = {CPU + 1, CPU};
    const pid_t holder = start_holder(CPU + 1);
    struct waiter waiter[] = {start_waiter(cpu, 2, 2), start_waiter(back, 2, 2),
                              start_waiter(cpu, 2, 1)};
    char text[256];
    for (size_t i = 0; i < ARRAY_LEN(waiter); i++)
        if (i < 2)
            read_line(&waiter[i], text, sizeof text);
    kill_holder(holder);
    for (size_t i = 0; i < ARRAY_LEN(waiter); i++)
        assert_int_equal(status_of(&waiter[i]), 0);
}

/* A stopped process at the head of the queue keeps nobody else from a free CPU. */
FOLDER_TEST(test_stopped)
{
    const int cpu[] = {CPU, CPU + 1};
    const pid_t holder = start_holder(CPU + 1);
    const struct waiter first = start_waiter(cpu, 2, 2);
    char text[256];
    int status;
    read_line(&first, text, sizeof text);
    assert_false(is_free(CPU));
    assert_int_equal(kill(first.pid, SIGSTOP), 0);
    assert_int_equal(waitpid(first.pid, &status, WUNTRACED), first.pid);
    assert_true(WIFSTOPPED(status));
    const struct waiter second = start_waiter(cpu, 1, 1);
    assert_int_equal(status_of(&second), 0);
    assert_int_equal(kill(first.pid, SIGCONT), 0);
    kill_holder(holder);
    assert_int_equal(status_of(&first), 0);
}

static pid_t start_foreign(void)
{
    int pair[2];
    char byte;
    assert_int_equal(pipe(pair), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        const int fd = open(file, O_RDWR | O_CLOEXEC);
        if (fcntl(fd, F_SETLK, &all) == 0 && write(pair[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(pair[1]);
    assert_int_equal(read(pair[0], &byte, 1), 1);
    close(pair[0]);
    return pid;
}

/* Another program locks all of the file: it is nobody in the queue. */
FOLDER_TEST(test_foreign)
{
    struct cpu_lock *lock;
    struct error error;
    char text[256], who[64];
    const int cpu[] = {CPU};
    assert_true(is_free(CPU));
    const pid_t foreign = start_foreign();
    snprintf(who, sizeof who,
             "CPU 1000 is locked by a program (pid %d) that is no simdbench",
             (int)foreign);
    assert_int_equal(take_one(CPU, 0, &lock, &error), -CPUS_BUSY);
    assert_memory_equal(error.text, who, strlen(who));
    const struct waiter first = start_waiter(cpu, 1, 1);
    read_line(&first, text, sizeof text);
    assert_non_null(strstr(text, who));
    assert_non_null(strstr(text, "waiting, place 1 in the queue"));
    const struct waiter second = start_waiter(cpu, 1, 1);
    read_line(&second, text, sizeof text);
    assert_non_null(strstr(text, "waiting, place 1 in the queue"));
    kill_holder(foreign);
    assert_int_equal(status_of(&first), 0);
    assert_int_equal(status_of(&second), 0);
}

FOLDER_TEST(test_interrupted)
{
    struct cpu_lock *one, *other;
    assert_int_equal(take_one(CPU, 0, &one, NULL), 0);
    interrupted_by = SIGINT;
    assert_int_equal(take_one(CPU, WAIT_FOREVER, &other, NULL), -EINTR);
    cpu_lock_free(one);
}

FOLDER_TEST(test_file)
{
    struct cpu_lock *lock;
    struct stat status;
    const mode_t mask = umask(077);
    assert_int_equal(take_one(CPU, 0, &lock, NULL), 0);
    assert_int_equal(umask(mask), 077);
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0666);
    cpu_lock_free(lock);
    assert_int_equal(stat(file, &status), 0);
}

/* Another kind of file is left alone, and measuring goes on without a lock. */
FOLDER_TEST(test_no_locks)
{
    char other[128];
    struct cpu_lock *lock;
    struct stat status;
    snprintf(other, sizeof other, "%s/other", folder);
    tree_put(folder, "/other", "text");
    assert_int_equal(symlink("other", file), 0);
    assert_int_equal(take_one(CPU, 0, &lock, NULL), 0);
    assert_null(lock);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(link(other, file), 0);
    assert_int_equal(take_one(CPU, 0, &lock, NULL), 0);
    assert_null(lock);
    assert_int_equal(stat(other, &status), 0);
    assert_int_equal(status.st_size, 4);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0666), 0);
    assert_int_equal(take_one(CPU, 0, &lock, NULL), 0);
    assert_null(lock);
    setenv("SIMDBENCH_LOCKS", "/proc/none", 1);
    assert_int_equal(take_one(CPU, 0, &lock, NULL), 0);
    assert_null(lock);
    setenv("SIMDBENCH_LOCKS", "", 1);
    assert_int_equal(take_one(CPU, 0, &lock, NULL), 0);
    assert_null(lock);
}

/* A number that somebody wrote is not believed to be more than a number. */
FOLDER_TEST(test_hostile_pid)
{
    struct cpu_lock *one, *other;
    struct error error;
    int fd;
    assert_int_equal(take_one(3, 0, &one, NULL), 0);
    fd = open(file, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "\033[31m not a pid\n", 16, 3 * 16), 16);
    close(fd);
    assert_int_equal(take_one(3, 0, &other, &error), -CPUS_BUSY);
    assert_non_null(strstr(error.text, "another simdbench: --wait"));
    cpu_lock_free(one);
}

TEST(test_order)
{
    int order[CPUS_MAX], allowed[CPUS_MAX];
    const size_t n = cpus_allowed(allowed, CPUS_MAX);
    int seen = 0;
    assert_int_equal(cpu_order(order), n);
    assert_int_equal(order[0], allowed[n - 1]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            seen += order[i] == allowed[k];
    assert_int_equal(seen, n);
}
