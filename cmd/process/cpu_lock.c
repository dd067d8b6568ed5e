/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One measurement at a time on each core. All runs of all users open one file, whose
 * bytes stand for CPUs and places in queues: a lock of its open file description belongs
 * to one run and goes when that ends, however it ends. The file holds the process numbers
 * of those who measure, for messages, and when each one that waits looked last.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perfctr.h"
#include "process/process.h"

/* Each CPU has a region of bytes to lock. The first one belongs to its holder, number N
 * to the run with ticket N that waits for it. The region behind those of the CPUs has the
 * tickets alone: they give all queues one order, so that no two runs wait for each other.
 */
#define REGION ((off_t)1 << 32)
#define TICKETS ((off_t)CPUS_MAX * REGION)
/* PID_BYTES: of the number that each CPU has in the file, and of the time that each
 * ticket has behind them; PLACES_MAX ends a queue that somebody made up. */
enum {
    PID_BYTES = 16,
    LOOKS = CPUS_MAX * PID_BYTES,
    PLACES_MAX = 10000,
    TRIES = 100,
    PAUSE_NS = 20000000,
    PAUSE_MOST_NS = 640000000
};
/* A run that waits and has not looked for so long is stopped. */
#define STOPPED_NS INT64_C(4000000000)

struct cpu_lock {
    int fd;
};

/* A run asks for `need` of these CPUs. */
struct wish {
    int fd;
    int *cpu;
    size_t n, need;
    off_t ticket; /* 0: none yet */
};

/* ---- the file ---- */

static bool is_shared(const char *folder)
{
    struct stat status;
    struct statvfs system;
    const mode_t all = S_IWOTH | S_ISVTX;
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
           (status.st_mode & all) == all && statvfs(folder, &system) == 0 &&
           !(system.f_flag & ST_RDONLY);
}

/* The first folder that every user may write to, whoever asks: so all find the same. */
static const char *lock_folder(void)
{
    static const char *const shared[] = {"/run/lock", "/var/lock", "/tmp"};
    const char *const given = getenv("SIMDBENCH_LOCKS");
    for (size_t i = 0; i < ARRAY_LEN(shared) && !given; i++)
        if (is_shared(shared[i]))
            return shared[i];
    return given;
}

/* With O_CREAT, a file that another user made is refused in such folders. A new one is
 * for all users from its first moment on. */
static int open_or_create(const char *path)
{
    const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int fd = open(path, flags);
    for (int i = 0; fd < 0 && errno == ENOENT && i < TRIES; i++) {
        const mode_t mask = umask(0);
        fd = open(path, flags | O_CREAT | O_EXCL, 0666);
        umask(mask);
        if (fd < 0 && errno == EEXIST)
            fd = open(path, flags);
    }
    return fd;
}

static int open_locks(const char *folder, struct error *error)
{
    char path[4096];
    struct stat status;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (snprintf(path, sizeof path, "%s/simdbench-cpus.lock", folder) >= (int)sizeof path)
        return error_set(error, -ENAMETOOLONG, "the name of its folder is too long");
    const int fd = open_or_create(path);
    if (fd < 0)
        return error_set(error, -errno, "%.200s: %s", path, strerror(errno));
    /* Somebody may have put another file there. */
    const bool own = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (own && status.st_nlink == 1 && fcntl(fd, F_OFD_GETLK, &lock) == 0)
        return fd;
    error_set(error, -ENOLCK, "%.200s: %s", path,
              own && status.st_nlink == 1 ? strerror(errno) : "not a file of its own");
    close(fd);
    return -ENOLCK;
}

/* ---- bytes ---- */

static bool set_lock(int fd, short type, off_t start)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Does anybody else lock some of [start, end)? The kernel reports any of these locks. */
static bool is_locked(int fd, off_t start, off_t end, struct flock *lock)
{
    *lock = (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = end - start};
    return start < end && fcntl(fd, F_OFD_GETLK, lock) == 0 && lock->l_type != F_UNLCK;
}

/* A lock of another program may be longer than the one byte of a run. */
static bool is_foreign(const struct flock *lock)
{
    return lock->l_len != 1;
}

/* Calls visit() for each byte in [start, end) that another run has locked, until it
 * returns false. */
static bool each_locked(int fd, off_t start, off_t end,
                        bool (*visit)(int fd, off_t at, void *context), void *context)
{
    struct flock lock;
    return !is_locked(fd, start, end, &lock) ||
           (each_locked(fd, start, lock.l_start, visit, context) &&
            (is_foreign(&lock) || visit(fd, lock.l_start, context)) &&
            (lock.l_len == 0 ||
             each_locked(fd, lock.l_start + lock.l_len, end, visit, context)));
}

/* ---- tickets ---- */

static void write_look(int fd, off_t ticket)
{
    char text[PID_BYTES + 1];
    snprintf(text, sizeof text, "%-*lld\n", PID_BYTES - 1,
             (long long)(clock_now() / 1000000));
    /* Without it, nobody knows that this run is not stopped. */
    if (pwrite(fd, text, PID_BYTES, LOOKS + ticket * PID_BYTES) < 0)
        return;
}

/* A ticket without a time is one of a run that writes none. */
static bool is_stopped(int fd, off_t ticket)
{
    char text[PID_BYTES + 1] = "";
    if (pread(fd, text, PID_BYTES, LOOKS + ticket * PID_BYTES) != PID_BYTES)
        return false;
    const long long look = strtoll(text, NULL, 10);
    return look > 0 && clock_now() / 1000000 - look > STOPPED_NS / 1000000;
}

struct waiters {
    size_t n, most;
};

static bool count_waiter(int fd, off_t at, void *context)
{
    struct waiters *const count = context;
    count->n += !is_stopped(fd, at % REGION);
    return count->n < count->most;
}

/* The number of runs that wait for a CPU with a ticket below `ticket`, up to `most`;
 * those that are stopped are passed over. */
static size_t count_waiters(int fd, int cpu, off_t ticket, size_t most)
{
    const off_t region = cpu * REGION;
    struct waiters count = {.most = most};
    each_locked(fd, region + 1, region + ticket, count_waiter, &count);
    return count.n;
}

static bool find_last(int fd, off_t at, void *context)
{
    *(off_t *)context = at;
    return true;
}

/* ---- cores ---- */

static void write_pid(int fd, int cpu)
{
    char text[PID_BYTES + 1];
    snprintf(text, sizeof text, "%-*d\n", PID_BYTES - 1, (int)getpid());
    /* Without it, messages name nobody. */
    if (pwrite(fd, text, PID_BYTES, (off_t)cpu * PID_BYTES) < 0)
        return;
}

/* The process that measures there, 0 if it is not known. */
static int read_pid(int fd, int cpu)
{
    char text[PID_BYTES + 1] = "";
    if (pread(fd, text, PID_BYTES, (off_t)cpu * PID_BYTES) != PID_BYTES)
        return 0;
    return (int)strtol(text, NULL, 10);
}

/* Sets or gives back the byte of that number for all CPUs of a core. */
static bool set_core(int fd, short type, int cpu, off_t byte)
{
    int sibling[CPUS_MAX];
    const size_t n = cpus_siblings(cpu, sibling, CPUS_MAX);
    bool all = true;
    for (size_t i = 0; i < n && (all || type == F_UNLCK); i++)
        all &= set_lock(fd, type, sibling[i] * REGION + byte);
    for (size_t i = 0; i < n && all && type == F_WRLCK && !byte; i++)
        write_pid(fd, sibling[i]);
    return all;
}

/* Nobody measures on this core, and nobody waits for it since before. */
static bool is_free(const struct wish *wish, int cpu)
{
    int sibling[CPUS_MAX];
    const size_t n = cpus_siblings(cpu, sibling, CPUS_MAX);
    for (size_t i = 0; i < n; i++) {
        const off_t begin = sibling[i] * REGION;
        struct flock lock;
        if (is_locked(wish->fd, begin, begin + 1, &lock) ||
            count_waiters(wish->fd, sibling[i],
                          wish->ticket ? wish->ticket : PLACES_MAX + 1, 1))
            return false;
    }
    return true;
}

/* Locks the first free cores and moves their CPUs to the front, or locks none. */
static bool take(const struct wish *wish)
{
    size_t taken = 0, free_ones = 0;
    for (size_t i = 0; i < wish->n && free_ones < wish->need; i++)
        free_ones += is_free(wish, wish->cpu[i]);
    for (size_t i = 0; i < wish->n && free_ones == wish->need && taken < wish->need;
         i++) {
        const int cpu = wish->cpu[i];
        if (!is_free(wish, cpu))
            continue;
        if (!set_core(wish->fd, F_WRLCK, cpu, 0)) {
            set_core(wish->fd, F_UNLCK, cpu, 0);
            continue;
        }
        memmove(wish->cpu + taken + 1, wish->cpu + taken, (i - taken) * sizeof cpu);
        wish->cpu[taken++] = cpu;
    }
    for (size_t i = 0; i < taken && taken < wish->need; i++)
        set_core(wish->fd, F_UNLCK, wish->cpu[i], 0);
    return taken == wish->need;
}

/* ---- the queue ---- */

/* Takes the next ticket; none while another program locks all of them. */
static void queue_enter(struct wish *wish)
{
    const off_t end = TICKETS + PLACES_MAX + 1;
    off_t last = TICKETS;
    each_locked(wish->fd, TICKETS + 1, end, find_last, &last);
    for (int i = 0; i < TRIES && ++last < end && !wish->ticket; i++)
        if (set_lock(wish->fd, F_WRLCK, last))
            wish->ticket = last - TICKETS;
    if (!wish->ticket)
        return;
    write_look(wish->fd, wish->ticket);
    for (size_t i = 0; i < wish->n; i++)
        set_core(wish->fd, F_WRLCK, wish->cpu[i], wish->ticket);
}

static void queue_leave(struct wish *wish)
{
    if (!wish->ticket)
        return;
    for (size_t i = 0; i < wish->n; i++)
        set_core(wish->fd, F_UNLCK, wish->cpu[i], wish->ticket);
    set_lock(wish->fd, F_UNLCK, TICKETS + wish->ticket);
}

/* A run that was stopped for long has its old place again. */
static void queue_stay(struct wish *wish)
{
    if (wish->ticket)
        write_look(wish->fd, wish->ticket);
    else
        queue_enter(wish);
}

/* Its place among those who wait for any of the same CPUs, from 1. */
static size_t queue_place(const struct wish *wish)
{
    size_t most = 0;
    for (size_t i = 0; i < wish->n; i++) {
        const size_t before =
            count_waiters(wish->fd, wish->cpu[i], wish->ticket, PLACES_MAX);
        most = before > most ? before : most;
    }
    return most + 1;
}

/* "CPU 1 is locked by a program (pid 77) that is no simdbench". A lock without a process
 * has the number -1. */
static void say_foreign(int cpu, int pid, char *text, size_t size)
{
    char who[40] = "";
    if (pid > 0)
        snprintf(who, sizeof who, " (pid %d)", pid);
    snprintf(text, size, "CPU %d is locked by a program%s that is no simdbench", cpu,
             who);
}

/* "CPU 1 is measured on by another simdbench (pid 77)". */
static void say_busy(const struct wish *wish, char *text, size_t size)
{
    size_t i = 0;
    char who[40] = "";
    while (i + 1 < wish->n && is_free(wish, wish->cpu[i]))
        i++;
    const int cpu = wish->cpu[i];
    struct flock lock;
    const bool held = is_locked(wish->fd, cpu * REGION, cpu * REGION + 1, &lock);
    if (held && is_foreign(&lock)) {
        say_foreign(cpu, lock.l_pid, text, size);
        return;
    }
    const int pid = read_pid(wish->fd, cpu);
    if (held && pid > 0)
        snprintf(who, sizeof who, " (pid %d)", pid);
    snprintf(text, size, "CPU %d is %s another simdbench%s%s", cpu,
             held ? "measured on by" : "next for", who,
             wish->n > wish->need ? ", no other is free" : "");
}

static int queue_wait(struct wish *wish, int64_t wait_ns, struct error *error)
{
    const int64_t begun = clock_now();
    struct timespec pause = {.tv_nsec = PAUSE_NS};
    size_t told = 0;
    queue_enter(wish);
    while (!take(wish)) {
        char busy[160];
        say_busy(wish, busy, sizeof busy);
        if (interrupted_by)
            return error_set(error, -EINTR, "interrupted");
        /* A run that waits says so, however short the wait is. */
        if (told && clock_now() - begun >= wait_ns)
            return error_set(error, -CPUS_BUSY, "%s: waited %.3g s (--wait)", busy,
                             (double)wait_ns * 1e-9);
        const size_t place = queue_place(wish);
        if (place != told)
            complain("%s: waiting, place %zu in the queue%s", busy, place,
                     told ? "" : "; --wait=no does not wait");
        told = place;
        nanosleep(&pause, NULL);
        queue_stay(wish);
        /* A run that waits for long does not disturb the one that measures. */
        if (pause.tv_nsec < PAUSE_MOST_NS)
            pause.tv_nsec *= 2;
    }
    queue_leave(wish);
    return 0;
}

/* ---- a lock ---- */

static int take_or_wait(struct wish *wish, int64_t wait_ns, struct error *error)
{
    char busy[160];
    if (take(wish))
        return 0;
    if (wait_ns > 0)
        return queue_wait(wish, wait_ns, error);
    say_busy(wish, busy, sizeof busy);
    return error_set(error, -CPUS_BUSY, "%s: --wait=no does not wait", busy);
}

int cpu_lock_take(int *cpu, size_t n, size_t need, int64_t wait_ns, bool quiet,
                  struct cpu_lock **lock, struct error *error)
{
    struct wish wish = {.cpu = cpu, .n = n, .need = need};
    struct error why = {.text = "no folder that all users may write to"};
    const char *const folder = lock_folder();
    *lock = NULL;
    if (folder && !*folder)
        return 0;
    wish.fd = folder ? open_locks(folder, &why) : -ENOENT;
    if (wish.fd < 0 && !quiet)
        complain("CPUs are not locked against other runs: %s", why.text);
    if (wish.fd < 0)
        return 0;
    const int status = take_or_wait(&wish, wait_ns, error);
    if (status < 0) {
        close(wish.fd);
        return status;
    }
    *lock = must_have(malloc(sizeof **lock));
    (*lock)->fd = wish.fd;
    return 0;
}

void cpu_lock_free(struct cpu_lock *lock)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    if (!lock)
        return;
    /* A process that a kernel forked may still have the file open. */
    fcntl(lock->fd, F_OFD_SETLK, &all);
    close(lock->fd);
    free(lock);
}

bool priority_may(void)
{
    int status = 1;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(!priority_raise());
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

size_t cpu_order(int *cpu)
{
    int allowed[CPUS_MAX];
    const size_t n = cpus_allowed(allowed, CPUS_MAX);
    for (size_t i = 0; i < n; i++)
        cpu[i] = allowed[n - 1 - i];
    size_t chosen = cpus_cores(cpu, n);
    for (size_t i = n; i-- > 0 && chosen < n;) {
        size_t at = 0;
        while (at < chosen && cpu[at] != allowed[i])
            at++;
        if (at == chosen)
            cpu[chosen++] = allowed[i];
    }
    return n;
}
