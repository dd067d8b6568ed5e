/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is attached to: what a tracer leaves on its way does not end it. */
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "program/program_private.h"
#include "traced_child.h"

__attribute__((noinline)) static void watched(void)
{
    __asm__ volatile("nop" : : : "memory");
}

__attribute__((noinline)) static void later(void)
{
    __asm__ volatile("nop" : : : "memory");
}

static void object(void *context, struct program *program, struct program_space *space,
                   const char *path, uint64_t bias, uint64_t end)
{
    program_watch(program, space, (uintptr_t)watched, context);
}

static void poke(pid_t thread, size_t number, uint64_t value)
{
    const size_t at = offsetof(struct user, u_debugreg) + number * sizeof(long);
    assert_int_equal(ptrace(PTRACE_POKEUSER, thread, at, value), 0);
}

/* A debug register traps when nobody awaits the thread. */
static enum program_want called(void *context, void *at, const struct program_call *call)
{
    ++*(int *)context;
    poke(call->thread, 0, (uintptr_t)later);
    poke(call->thread, 7, 1);
    return PROGRAM_PASS;
}

static bool never(void *context, struct program *program)
{
    return false;
}

static void call_both(void)
{
    watched();
    later();
}

static void nothing(void)
{
}

/* A child that is attached to between two deeds, and goes on to its end. */
static void follow(void (*before)(void), void (*after)(void),
                   const struct program_owner *owner)
{
    int go[2], done[2];
    char byte = 0;
    struct error error = {.text = ""};
    struct program *program = NULL;
    assert_int_equal(pipe(go) | pipe(done), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        before();
        if (write(done[1], "", 1) != 1 || read(go[0], &byte, 1) != 1)
            _exit(1);
        after();
        _exit(write(done[1], "", 1) != 1);
    }
    close(done[1]);
    assert_int_equal(read(done[0], &byte, 1), 1);
    assert_int_equal(program_attach(child, owner, &program, &error), 0);
    assert_int_equal(write(go[1], "", 1), 1);
    assert_int_equal(program_run(program, &error), 0);
    program_close(program);
    assert_int_equal(read(done[0], &byte, 1), 1);
    for (int i = 0; i < 2; i++)
        close(go[i]);
    close(done[0]);
}

TEST(test_trap_that_nobody_awaits)
{
    int calls = 0;
    follow(nothing, call_both,
           &(struct program_owner){
               .context = &calls, .object = object, .called = called, .stop = never});
    assert_int_equal(calls, 1);
}

/* The process maps other bytes than its file has, as if another file had that path. */
static void map_other(void)
{
    const int file = open("/bin/sh", O_RDONLY);
    unsigned char *const at =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED)
        _exit(1);
    at[EI_PAD] ^= 1;
}

static void count_others(void *context, struct program *program,
                         struct program_space *space, const char *path, uint64_t bias,
                         uint64_t end)
{
    *(int *)context += strstr(path, " (another file here)") != NULL;
}

TEST(test_another_file)
{
    int others = 0;
    follow(map_other, nothing,
           &(struct program_owner){
               .context = &others, .object = count_others, .stop = never});
    assert_int_equal(others, 1);
}

static volatile int *enough; /* shared with the child */

__attribute__((noinline)) static void turn(void)
{
    while (!*enough)
        continue;
}

static void turn_or_wait(void)
{
    usleep(20000);
    turn();
}

static void no_object(void *context, struct program *program, struct program_space *space,
                      const char *path, uint64_t bias, uint64_t end)
{
}

static void count_place(void *context, const struct program_space *space,
                        uint64_t address, int64_t cpu_ns)
{
    int64_t *const spent = context;
    if (!*enough)
        spent[address - (uintptr_t)turn < 256] += cpu_ns;
    *enough = spent[1] > 100000000;
}

/* A thread is seen at places where it spends CPU time, and not where it waits. */
TEST(test_where_a_thread_is)
{
    int64_t spent[2] = {0, 0};
    enough = mmap(NULL, sizeof *enough, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(enough != MAP_FAILED);
    follow(nothing, turn_or_wait,
           &(struct program_owner){.context = spent,
                                   .object = no_object,
                                   .sampled = count_place,
                                   .sample_ns = 1000000,
                                   .stop = never});
    assert_true(spent[0] < spent[1]);
    munmap((void *)enough, sizeof *enough);
}

/* A command ends before a process that it made, which has a pipe of ours. */
TEST(test_kill_all)
{
    char shell[] = "/bin/sh", option[] = "-c", script[] = "sleep 60 & exit 0";
    char *const argv[] = {shell, option, script, NULL};
    const struct program_owner owner = {.object = no_object, .stop = never};
    struct error error = {.text = ""};
    struct program *program = NULL;
    int ends[2], status = -1;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(program_start(argv, &owner, &program, &error), 0);
    assert_int_equal(program_run(program, &error), 0);
    assert_true(program_ended(program, &status));
    program_kill(program);
    program_close(program);
    close(ends[1]);
    struct pollfd waited = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(poll(&waited, 1, 10000), 1);
    assert_true(waited.revents & POLLHUP);
    close(ends[0]);
}

/* Its variables lie behind its file, and so does code of the system. */
TEST(test_loader_ends)
{
    struct object loader = {.base = 0x1000, .end = 0x3000};
    const struct program_space space = {
        .object = &loader, .n_objects = 1, .r_debug = 0x3100};
    assert_true(space_in_loader(&space, 0x2fff));
    assert_false(space_in_loader(&space, 0x3200));
}
