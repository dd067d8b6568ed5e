/* SPDX-License-Identifier: Apache-2.0 */
/* A program that calls watched_library.c in ways in which a tracer could do harm. */
#include <stddef.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef OPENER /* is not linked with the library */
#define sum(x, n) ((float)(n) * (x)[0])
static float sum_sse2(const float *x, size_t n)
{
    return sum(x, n);
}
#else
float sum(const float *x, size_t n);
float sum_sse2(const float *x, size_t n);
float stepped(const float *x, size_t n, unsigned step);
float nth(const float *x, size_t n, unsigned at);
float sum_ends(const float *x, const float *end);
float sum_inside(const float *middle, unsigned n);
#endif
enum { N = 1024 };
static float data[N];

static int calls(int n)
{
    float total = 0;
    for (int i = 0; i < n; i++)
        total += sum(data, N);
    return printf("%d %g\n", n, (double)total) < 0;
}

/* One SIGALRM: a timer that goes off again and again lets a program that is slow, as it
 * is traced on a busy machine, do nothing but handle it. */
static void alarm_soon(void)
{
    const struct itimerval once = {.it_value = {0, 500}};
    setitimer(ITIMER_REAL, &once, NULL);
}

static int reap(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void *thread(void *total)
{
    for (int i = 0; i < 300; i++)
        *(float *)total += sum(data, N);
    return NULL;
}

static volatile sig_atomic_t resumed;
static void on_resumed(int number)
{
    resumed = number;
}

/* One waits in a call that ends with EINTR if anybody stops it. Whoever suspends the
 * whole process does so, too, and resumes it by a signal, which this thread alone takes:
 * it waits again. */
static void *waiting(void *interrupted)
{
    const int epoll = epoll_create1(0);
    struct epoll_event event;
    sigset_t resumes;
    sigemptyset(&resumes);
    sigaddset(&resumes, SIGCONT);
    pthread_sigmask(SIG_UNBLOCK, &resumes, NULL);
    do {
        resumed = 0;
        *(int *)interrupted = epoll_wait(epoll, &event, 1, 1500) < 0 && errno == EINTR;
    } while (resumed);
    return NULL;
}

static int threads(void)
{
    pthread_t id[8], sleeper;
    float total[8] = {0};
    int interrupted = 0;
    const struct sigaction action = {.sa_handler = on_resumed};
    sigset_t resumes;
    sigemptyset(&resumes);
    sigaddset(&resumes, SIGCONT);
    sigaction(SIGCONT, &action, NULL);
    pthread_sigmask(SIG_BLOCK, &resumes, NULL);
    pthread_create(&sleeper, NULL, waiting, &interrupted);
    for (int i = 0; i < 8; i++)
        pthread_create(&id[i], NULL, thread, &total[i]);
    for (int i = 0; i < 8; i++) {
        pthread_join(id[i], NULL);
        printf("%g\n", (double)total[i]);
    }
    pthread_join(sleeper, NULL);
    return puts(interrupted ? "interrupted" : "not interrupted") < 0;
}

static volatile sig_atomic_t seen;
static void on_signal(int number)
{
    seen += number;
}

static int signals(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 300; i++) {
        seen = 0;
        alarm_soon();
        calls(1);
        while (!seen)
            ;
    }
    seen = 0;
    __asm__ volatile("int3");
    raise(SIGUSR1);
    return printf("%d\n", (int)seen) < 0;
}

/* Calls within calls, of itself and in a handler. */
float outer(size_t depth);
__attribute__((noinline)) float outer(size_t depth)
{
    return depth ? sum(data, N) + outer(depth - 1) : 0;
}

static void on_alarm(int number)
{
    seen = (int)sum(data, N) + (int)outer(1) + number;
}

static int nested(void)
{
    const struct sigaction action = {.sa_handler = on_alarm};
    float total = 0;
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < 50; i++) {
        seen = 0;
        alarm_soon();
        total += outer(3);
        while (!seen)
            ;
    }
    return printf("%g %d\n", (double)total, (int)seen) < 0;
}

/* Its first call has the loader look up what it calls. */
long looks_up(const char *text);
__attribute__((noinline)) long looks_up(const char *text)
{
    return strtol(text, NULL, 10) + 1;
}

static int lazy(void)
{
    long total = 0;
    for (int i = 0; i < 4; i++)
        total += looks_up("7");
    return printf("%ld\n", total) < 0;
}

/* Calls that do not return: their thread ends, or another program takes its place. */
int leaving(const char *program, bool ends);
__attribute__((noinline)) int leaving(const char *program, bool ends)
{
    if (ends)
        pthread_exit(NULL);
    return program ? execl(program, program, "calls", "5", (char *)NULL) : 1;
}

static volatile pid_t ended;

static void *ending(void *nothing)
{
    ended = (pid_t)syscall(SYS_gettid);
    leaving(NULL, true);
    return nothing;
}

static int leave(const char *program)
{
    pthread_t id;
    int returned = 0;
    pthread_create(&id, NULL, ending, NULL);
    pthread_join(id, NULL);
    /* Until whoever traces it has seen its end. */
    while (syscall(SYS_tgkill, getpid(), ended, 0) == 0)
        sched_yield();
    for (int i = 0; i < 3; i++)
        returned += leaving(NULL, false);
    const pid_t child = vfork();
    if (child == 0) {
        leaving(program, false);
        _exit(1);
    }
    const int status = reap(child);
    returned += leaving(NULL, false);
    printf("%d %d\n", returned, status);
    fflush(stdout);
    return leaving(program, false);
}

/* Its first call goes elsewhere in a handler of a signal, as goroutines do. */
static sigjmp_buf elsewhere;
static void on_leaving(int number)
{
    siglongjmp(elsewhere, number);
}

float beginning(bool goes_on);
__attribute__((noinline)) float beginning(bool goes_on)
{
    const int first = getppid();
    if (!goes_on)
        raise(SIGUSR1);
    return sum(data, N) + (float)(first != getppid());
}

/* It waits far longer than it runs. */
int pauses(void);
__attribute__((noinline)) int pauses(void)
{
    return usleep(500000);
}

static bool is_traced(void)
{
    static const char title[] = "TracerPid:";
    char text[4096] = "";
    const int file = open("/proc/self/status", O_RDONLY);
    const bool has_read = read(file, text, sizeof text - 1) > 0;
    const char *const found = has_read ? strstr(text, title) : NULL;
    close(file);
    return found && atoi(found + sizeof title - 1) != 0;
}

static int begin(int again)
{
    const struct sigaction action = {.sa_handler = on_leaving};
    const volatile unsigned char *const code = (const unsigned char *)beginning;
    sigaction(SIGUSR1, &action, NULL);
    if (!sigsetjmp(elsewhere, 1))
        return beginning(false) < 0;
    /* Until whoever traces it has given up, and its breakpoint is in again. */
    while (is_traced() && *code != 0xcc)
        sched_yield();
    for (int i = 0; i < again; i++)
        printf("%g\n", (double)beginning(true));
    return puts("began") < 0;
}

int trapping(void);
__attribute__((noinline)) int trapping(void)
{
    seen = 0;
    __asm__ volatile("int3");
    raise(SIGTRAP);
    return (int)seen;
}

static int traps(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 5; i++)
        printf("%d\n", trapping());
    return 0;
}

int restoring(int number);
__attribute__((noinline)) int restoring(int number)
{
    __asm__ volatile("sub $128, %%rsp\n pushfq\n popfq\n add $128, %%rsp\n inc %0"
                     : "+r"(number)::"cc", "memory");
    return number;
}

static int flags(void)
{
    int number = 0;
    while (number < 9)
        number = restoring(number);
    printf("%d\n", number);
    return 0;
}

/* The bytes of the code must be those of before. */
static unsigned hash(void)
{
    unsigned hash = 0;
    for (int i = 0; i < 64; i++)
        hash = 31 * hash + ((const volatile unsigned char *)sum_sse2)[i];
    return hash;
}

/* Goes on by itself when somebody opens a pipe, or continues what is suspended, and
 * writes a file when it has. */
static int daemonise(const char *path, const char *go)
{
    int ready[2], status;
    char byte;
    if (pipe(ready) < 0)
        return 1;
    const pid_t child = fork();
    if (child > 0 && !go)
        return waitpid(child, &status, WUNTRACED) != child || printf("%d\n", child) < 0;
    if (child > 0)
        return read(ready[0], &byte, 1) != 1;
    setsid();
    calls(3);
    if (write(ready[1], "", 1) != 1)
        return 1;
    /* Readers of its output need not wait for it. */
    if (fclose(stdout) || fclose(stderr) ||
        (go ? open(go, O_RDONLY) : raise(SIGSTOP)) < 0)
        return 1;
    float total = 0;
    for (int i = 0; i < 100; i++)
        total += sum(data, N);
    FILE *file = fopen(path, "w");
    fprintf(file, "%g\n", (double)total);
    return fclose(file);
}

/* Until there is a file. */
static int loop(const char *path)
{
    const unsigned before = hash();
    float last = 0;
    printf("ready %d\n", getpid());
    fflush(stdout);
    while (access(path, F_OK) < 0)
        last = sum(data, N);
    return printf("%g %s\n", (double)last, hash() == before ? "clean" : "dirty") < 0;
}

static int open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    float (*function)(const float *, size_t) =
        library ? (float (*)(const float *, size_t))dlsym(library, "sum") : NULL;
    printf("%g\n", function ? (double)function(data, N) : -1);
    return library ? dlclose(library) : 1;
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "calls";
    for (int i = 0; i < N; i++)
        data[i] = (float)(i % 7);
    if (!strcmp(what, "calls"))
        return calls(argc > 2 ? atoi(argv[2]) : 10);
    if (!strcmp(what, "shapes")) {
        for (size_t n = 0; n < 130; n++)
            data[0] = sum(data, 4 * (n % 65));
        return 0;
    }
#ifndef OPENER
    if (!strcmp(what, "steps")) {
        for (unsigned step = 100; step < 110; step++)
            data[0] =
                stepped(data, N, step) + nth(data, 16, step < 109 ? step - 100 : 900);
        return 0;
    }
    if (!strcmp(what, "ranges")) {
        for (int i = 0; i < 10; i++)
            printf("%g\n",
                   (double)(sum_ends(data, data + N) + sum_inside(data + N / 2, N)));
        return 0;
    }
#endif
    if (!strcmp(what, "status"))
        return calls(2) ? 1 : 7;
    if (!strcmp(what, "threads"))
        return threads();
    if (!strcmp(what, "signals"))
        return signals();
    if (!strcmp(what, "nested"))
        return nested();
    if (!strcmp(what, "within"))
        return printf("%g\n", (double)outer(3)) < 0;
    if (!strcmp(what, "pauses"))
        return pauses();
    if (!strcmp(what, "lazy"))
        return lazy();
    if (!strcmp(what, "begin"))
        return begin(argc > 2 ? atoi(argv[2]) : 0);
    if (!strcmp(what, "traps"))
        return traps();
    if (!strcmp(what, "flags"))
        return flags();
    if (!strcmp(what, "leave"))
        return leave(argv[0]);
    if (!strcmp(what, "daemon"))
        return daemonise(argv[2], argv[3]); /* or NULL */
    if (!strcmp(what, "loop"))
        return loop(argv[2]);
    if (!strcmp(what, "open"))
        return open_library(argv[2]);
    if (!strcmp(what, "crash")) {
        calls(2);
        fflush(stdout);
        return (int)sum((const float *)8, N);
    }
    if (!strcmp(what, "fork")) {
        const pid_t child = fork();
        return child ? calls(3) + reap(child) : calls(4);
    }
    if (!strcmp(what, "exec")) {
        const pid_t child = vfork();
        if (child == 0) {
            execl(argv[0], argv[0], "calls", "5", (char *)NULL);
            _exit(1);
        }
        return reap(child);
    }
    return calls(0);
}
