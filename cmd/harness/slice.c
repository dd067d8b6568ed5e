/* SPDX-License-Identifier: Apache-2.0 */
/* One process of a harness, from its start to its end, with what the system tells of it.
 */
#include "harness_private.h"

#include <poll.h>
#include <sched.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "files.h"

/* More than any harness prints for a case, or for all. */
enum { OUTPUT_MOST = 16 << 20, COMPLAINT_MOST = 4096 };
/* The pause between two looks at signals and the deadline. */
enum { LOOK_MS = 100, LOOK_OFTEN_MS = 2 };
/* Evidence of each kind, in preemptions. */
enum { STEAL_WEIGHT = 100, FAULT_WEIGHT = 1, COMPANY_WEIGHT = 4 };

/* A process that outlives its parent may end by itself for so long. */
#define GRACE_NS 200000000LL
enum { CHILDREN_MOST = 256 };
/* The system holds up what runs first for 95% of a second: pauses leave 1/17 of the time
 * to others, if no process takes long. A longer one runs first if one that ran in turn
 * lost its CPU more often than each CROWD_NS: less is lost then. */
#define FIRST_MOST_NS 100000000LL
#define FIRST_CROWDED_NS 3000000000LL
#define CROWD_NS 25000000LL
enum { FIRST_PAUSE = 16 };
/* A program that looks for another one, and waits for its answer. */
#define ASKING_NS 2000000LL

enum { OUT, ERR, NEWS, STREAMS };

/* A child tells its memory before it becomes the program, and that it runs first; if it
 * cannot become that, it also tells why. The system takes the peak of both for that of
 * the program. */
struct news {
    int failed, peak_kb, is_first;
};

struct child {
    struct news news;
    pid_t pid;
    pid_t other[CHILDREN_MOST]; /* children that this process had before */
    size_t n_other;
    bool is_measured; /* and what it leaves behind can be told from others */
    int64_t ended;
    int64_t left_ns; /* CPU time of processes that outlived their parents */
    size_t n_left;   /* those of them that still ran when it ended */
    int pidfd, read_end[STREAMS];
    struct buffer out;
    char err[COMPLAINT_MOST + 1]; /* the last bytes */
    size_t n_err;
    bool too_much, late;
};

/* ---- in the child ---- */

static void pad_environment(size_t padding)
{
    char *text = NULL;
    if (asprintf(&text, "SIMDBENCH_PADDING=%*s", (int)padding, "") >= 0)
        putenv(text);
}

static bool tell(const int write_end[STREAMS], const struct news news)
{
    return write(write_end[NEWS], &news, sizeof news) == sizeof news;
}

/* A shell runs a file that the system cannot, if its first bytes are a text. */
static bool is_foreign(const char *path)
{
    char magic[4] = "";
    const int fd = errno == ENOEXEC ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    return fd >= 0 && read(fd, magic, 4) == 4 && !memcmp(magic, "\177ELF", 4);
}

static int become(const struct slice_request *request, const int write_end[STREAMS])
{
    sigset_t none;
    cpu_set_t set;
    struct rusage own;
    const int nothing = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    CPU_ZERO(&set);
    for (size_t i = 0; i < request->n_cpu; i++)
        CPU_SET((size_t)request->cpu[i], &set);
    if (nothing < 0 || (request->n_cpu && sched_setaffinity(0, sizeof set, &set) < 0) ||
        (request->cwd && chdir(request->cwd) < 0) || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(request->silent     ? nothing
             : request->is_build ? write_end[ERR]
                                 : write_end[OUT],
             STDOUT_FILENO) < 0 ||
        dup2(write_end[ERR], STDERR_FILENO) < 0)
        return errno;
    if (request->home)
        setenv(request->home, request->folder, 1);
    for (size_t i = 0; request->variables && i < request->variables->n; i++)
        putenv(request->variables->item[i]);
    pad_environment(request->padding);
    getrusage(RUSAGE_SELF, &own);
    if (tell(write_end,
             (struct news){.peak_kb = (int)own.ru_maxrss,
                           .is_first = request->is_first && priority_raise()})) {
        if (strchr(request->words[0], '/') &&
            execv(request->words[0], request->words) < 0 && is_foreign(request->words[0]))
            return ENOEXEC;
        execvp(request->words[0], request->words);
    }
    return errno;
}

/* ---- in the parent ---- */

static void close_all(int *fd, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

static int start(const struct slice_request *request, struct child *child,
                 struct error *error)
{
    int write_end[STREAMS] = {-1, -1, -1};
    for (int i = 0; i < STREAMS; i++) {
        int both[2];
        if (pipe2(both, O_CLOEXEC) < 0) {
            const int failed = errno;
            close_all(write_end, STREAMS);
            return error_set(error, -failed, "pipe: %s", strerror(failed));
        }
        child->read_end[i] = both[0];
        write_end[i] = both[1];
    }
    fflush(NULL);
    child->pid = fork();
    if (child->pid == 0)
        _exit(tell(write_end, (struct news){.failed = become(request, write_end)}) ? 127
                                                                                   : 126);
    const int failed = errno;
    close_all(write_end, STREAMS);
    if (child->pid < 0)
        return error_set(error, -failed, "fork: %s", strerror(failed));
    child->pidfd = pidfd_open(child->pid, 0);
    while (read(child->read_end[NEWS], &child->news, sizeof child->news) > 0)
        if (child->news.failed)
            return error_set(error, -child->news.failed, "cannot start %s: %s",
                             request->words[0],
                             child->news.failed == ENOEXEC
                                 ? "it is a program for another kind of machine"
                                 : strerror(child->news.failed));
    return 0;
}

static void keep_last(struct child *child, const char *bytes, size_t n)
{
    const size_t over =
        child->n_err + n > COMPLAINT_MOST ? child->n_err + n - COMPLAINT_MOST : 0;
    const size_t drop = over < child->n_err ? over : child->n_err;
    memmove(child->err, child->err + drop, child->n_err - drop);
    child->n_err -= drop;
    if (n > COMPLAINT_MOST) {
        bytes += n - COMPLAINT_MOST;
        n = COMPLAINT_MOST;
    }
    memcpy(child->err + child->n_err, bytes, n);
    child->n_err += n;
}

/* Reads what is there: 1; 0: nothing yet; -1: the stream has ended. */
static int take(struct child *child, int which)
{
    char bytes[65536];
    const ssize_t n = read(child->read_end[which], bytes, sizeof bytes - 1);
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
    if (which == ERR) {
        keep_last(child, bytes, (size_t)n);
        return 1;
    }
    bytes[n] = '\0'; /* a text ends at its first zero */
    if (child->out.length + (size_t)n > OUTPUT_MOST)
        child->too_much = true;
    else
        buffer_add(&child->out, bytes);
    return 1;
}

/* Reads the rest of the output of a process that has ended. Its children may hold the
 * streams open. */
static void drain(struct child *child)
{
    for (int i = OUT; i <= ERR; i++)
        while (!child->too_much && take(child, i) > 0)
            continue;
}

static int64_t time_ns(struct timeval time)
{
    return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

/* -errno if the system does not tell them. */
static int list_children(pid_t pid[static CHILDREN_MOST])
{
    int n = 0;
    FILE *const file = fopen("/proc/thread-self/children", "re");
    if (!file)
        return -errno;
    while (n < CHILDREN_MOST && fscanf(file, "%d", &pid[n]) == 1)
        n++;
    fclose(file);
    return n;
}

static bool is_left(const struct child *child, pid_t pid)
{
    bool left = pid != child->pid;
    for (size_t i = 0; i < child->n_other; i++)
        left &= pid != child->other[i];
    return left;
}

/* Processes whose parent has ended are children of this one: sends them a signal, if it
 * is not 0, and waits for those that have ended. Counts those that still run. True if
 * there were any: one that has ended may have left others. */
static bool reap(struct child *child, int number, size_t *running)
{
    pid_t pid[CHILDREN_MOST];
    bool any = false;
    const int n = child->is_measured ? list_children(pid) : 0;
    *running = 0;
    for (int i = 0; i < n; i++) {
        struct rusage usage;
        if (!is_left(child, pid[i]))
            continue;
        any = true;
        if (number)
            kill(pid[i], number);
        if (wait4(pid[i], NULL, WNOHANG, &usage) == pid[i])
            child->left_ns += time_ns(usage.ru_utime) + time_ns(usage.ru_stime);
        else
            ++*running;
    }
    return any;
}

/* Ends the process and all that it left behind, which may end by itself if its time
 * counts. */
static void end_all(struct child *child, bool wait)
{
    siginfo_t info;
    size_t running;
    int64_t begun = clock_now();
    while (reap(child, 0, &child->n_left) && wait && !interrupted_by &&
           clock_now() - begun < GRACE_NS)
        usleep(1000);
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
    /* Its children are children of this process when it has ended, and not before. */
    while (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR)
        continue;
    begun = clock_now();
    while (reap(child, SIGKILL, &running) && clock_now() - begun < 2 * GRACE_NS)
        usleep(1000);
}

/* A system without descriptors of processes is asked again and again. */
static bool has_ended(const struct child *child, const struct pollfd *told)
{
    siginfo_t info = {.si_pid = 0};
    if (child->pidfd >= 0)
        return told->revents & POLLIN;
    return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == child->pid;
}

/* Until the process ended. */
static void follow(const struct slice_request *request, struct child *child)
{
    const int64_t deadline = clock_now() + request->timeout_ns;
    struct pollfd fds[] = {{.fd = child->read_end[OUT], .events = POLLIN},
                           {.fd = child->read_end[ERR], .events = POLLIN},
                           {.fd = child->pidfd, .events = POLLIN}};
    for (int i = OUT; i <= ERR; i++)
        fcntl(child->read_end[i], F_SETFL, O_NONBLOCK);
    while (!has_ended(child, &fds[2])) {
        if (poll(fds, 3, child->pidfd < 0 ? LOOK_OFTEN_MS : LOOK_MS) < 0 &&
            errno != EINTR)
            break;
        for (int i = OUT; i <= ERR; i++)
            if (fds[i].fd >= 0 && fds[i].revents && take(child, i) < 0)
                fds[i].fd = -1;
        child->late = request->timeout_ns && clock_now() > deadline;
        if (child->late || child->too_much || interrupted_by)
            break;
    }
    child->ended = clock_now();
    end_all(child, request->cpu_counts && has_ended(child, &fds[2]));
}

/* ---- evidence ---- */

/* True if another thread shares the core, by a probe that runs there. */
static bool has_company(const struct slice_request *request)
{
    cpu_set_t own;
    struct error ignored;
    if (!request->n_cpu || sched_getaffinity(0, sizeof own, &own) < 0)
        return false;
    const bool company =
        cpus_pin(request->cpu, 1, &ignored) == 0 && clock_core_split() == 1;
    sched_setaffinity(0, sizeof own, &own);
    return company;
}

static int64_t stolen(const struct slice_request *request)
{
    int64_t ticks = 0;
    for (size_t i = 0; i < request->n_cpu; i++) {
        const int64_t more = cpus_steal(request->cpu[i]);
        ticks += more > 0 ? more : 0;
    }
    return ticks;
}

/* ---- the end ---- */

static const char *last_line(struct child *child)
{
    child->err[child->n_err] = '\0';
    while (child->n_err && strchr("\n\r ", child->err[child->n_err - 1]))
        child->err[--child->n_err] = '\0';
    const char *const end = strrchr(child->err, '\n');
    return end ? end + 1 : child->err;
}

static void complain_of(struct child *child, const struct slice_request *request,
                        int status, struct slice *slice)
{
    char text[512];
    const char *const said = last_line(child);
    if (child->too_much)
        snprintf(text, sizeof text, "printed more than %d MiB", OUTPUT_MOST >> 20);
    else if (child->late)
        snprintf(text, sizeof text, "took longer than %.3g s (--timeout)",
                 (double)request->timeout_ns * 1e-9);
    else if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        snprintf(text, sizeof text, "ended with exit status %d", WEXITSTATUS(status));
    else if (child->n_left && request->cpu_counts)
        snprintf(text, sizeof text,
                 "ended before %zu of its children: their time is not known; 'wait' lets "
                 "a shell wait for them",
                 child->n_left);
    else
        *text = '\0';
    if (*said)
        string_set(&slice->said, said);
    if (!*text)
        return;
    if (request->is_build)
        string_set(&slice->log, child->err);
    const size_t n = strlen(text);
    if (*said)
        snprintf(text + n, sizeof text - n, ": %.200s", said);
    string_set(&slice->complaint, text);
}

static int end(struct child *child, const struct slice_request *request, int64_t begun,
               int64_t steal, struct slice *slice)
{
    struct rusage usage;
    char path[48];
    int status = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", child->pid);
    const int64_t own_ns = file_number("", path); /* of its first thread */
    while (wait4(child->pid, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    slice->wall_ns = child->ended - begun;
    drain(child);
    slice->cpu_ns = time_ns(usage.ru_utime) + time_ns(usage.ru_stime) + child->left_ns;
    slice->crowded =
        child->news.is_first ? request->crowded : CROWD_NS * usage.ru_nivcsw > own_ns;
    slice->may_be_first = child->is_measured &&
                          own_ns <= (slice->crowded ? FIRST_CROWDED_NS : FIRST_MOST_NS) &&
                          slice->cpu_ns - own_ns <= (request->asks ? ASKING_NS : 0);
    if (child->news.is_first)
        usleep((useconds_t)(slice->cpu_ns / FIRST_PAUSE / 1000));
    slice->peak_bytes = 1024.0 * (double)usage.ru_maxrss;
    slice->own_bytes = 1024.0 * (double)child->news.peak_kb;
    slice->faults = (double)(usage.ru_minflt + usage.ru_majflt);
    if (interrupted_by)
        return -EINTR;
    slice->late = child->late;
    complain_of(child, request, status, slice);
    slice->text = must_have(strdup(buffer_text(&child->out)));
    /* Times that are made up are disturbed by nothing. */
    if (clock_script())
        return 0;
    slice->evidence =
        (uint32_t)usage.ru_nivcsw + FAULT_WEIGHT * (uint32_t)usage.ru_majflt;
    if (stolen(request) != steal)
        slice->evidence += STEAL_WEIGHT;
    if (has_company(request))
        slice->evidence += COMPANY_WEIGHT;
    return 0;
}

int slice_run(const struct slice_request *request, struct slice *slice,
              struct error *error)
{
    struct child child = {.pid = -1, .pidfd = -1, .read_end = {-1, -1, -1}};
    const int64_t steal = stolen(request), begun = clock_now();
    *slice = (struct slice){.text = NULL};
    const int n_other = list_children(child.other);
    child.is_measured = request->is_measured && n_other >= 0 && n_other < CHILDREN_MOST;
    child.n_other = child.is_measured ? (size_t)n_other : 0;
    prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)child.is_measured);
    int status = start(request, &child, error);
    if (status == 0)
        follow(request, &child);
    if (status == 0)
        status = end(&child, request, begun, steal, slice);
    else if (child.pid > 0)
        waitpid(child.pid, NULL, 0);
    close_all(child.read_end, STREAMS);
    close_all(&child.pidfd, 1);
    buffer_free(&child.out);
    return status == -EINTR ? error_set(error, status, "interrupted") : status;
}

void slice_free(struct slice *slice)
{
    FREE_EACH(slice->text, slice->complaint, slice->said, slice->log);
    *slice = (struct slice){.text = NULL};
}
