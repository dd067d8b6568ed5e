/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes: one for the candidate, one for the functions that are known. */
#include "referee_private.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "files.h"
#include "process/process.h"

int reject(struct referee *referee, const char *reason, const char *format, ...)
{
    struct judgement *const judgement = referee->judgement;
    va_list arguments;
    if (judgement->reason)
        return REJECTED;
    va_start(arguments, format);
    must(vasprintf(&judgement->detail, format, arguments));
    va_end(arguments);
    judgement->reason = must_have(strdup(reason));
    return REJECTED;
}

/* A copy of this program, whose path tells nobody who it is. -1: the system has none. */
static int copy_program(void)
{
    enum { FIRST_FD = 10 }; /* a worker has the numbers below */
    const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const int made = memfd_create("program", MFD_CLOEXEC);
    const int to = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, FIRST_FD);
    ssize_t n = from < 0 || to < 0 ? -1 : 1;
    while (n > 0)
        n = sendfile(to, from, NULL, 1 << 30);
    if (from >= 0)
        close(from);
    if (made >= 0)
        close(made);
    if (n == 0 || to < 0)
        return to;
    close(to);
    return -1;
}

static struct worker *make_worker(const struct cell *cell, const char *name,
                                  const char *path, int program)
{
    char text[48];
    snprintf(text, sizeof text, "/proc/self/fd/%d", program);
    /* A system may forbid to run what is in memory alone. */
    return path || access(text, X_OK) < 0
               ? worker_new(name, path, NULL, 0, cell->memory_fd)
               : worker_new_program(name, text, cell->memory_fd);
}

/* The state of a process that has not loaded anything yet. */
static int begin(struct cell *cell, const char *name, const char *path,
                 struct error *error)
{
    *cell = (struct cell){.memory_fd = memfd_create("operands", MFD_CLOEXEC)};
    if (cell->memory_fd < 0)
        return error_set(error, -errno, "memfd_create: %s", strerror(errno));
    const int program = path ? -1 : copy_program();
    cell->worker = make_worker(cell, name, path, program);
    const int status = worker_start(cell->worker, false, error);
    if (program >= 0)
        close(program);
    return status;
}

static int cell_start(struct cell *cell, const char *name, const char *path, int cpu,
                      struct error *error)
{
    const struct setup_call setup = {.cpu = {cpu}, .n_cpu = cpu >= 0};
    const int status = begin(cell, name, path, error);
    return status ?: worker_tell(cell->worker, setup_call(&setup), INT64_MAX, error);
}

void cell_end(struct cell *cell)
{
    if (cell->worker)
        worker_free(cell->worker);
    if (cell->memory)
        munmap(cell->memory, cell->bytes);
    if (cell->worker && cell->memory_fd >= 0)
        close(cell->memory_fd);
    *cell = (struct cell){.memory_fd = -1};
}

int cell_grow(struct cell *cell, uint64_t bytes, struct error *error)
{
    if (bytes <= cell->bytes)
        return 0;
    if (cell->memory)
        munmap(cell->memory, cell->bytes);
    cell->memory = NULL;
    cell->bytes = 0;
    if (ftruncate(cell->memory_fd, (off_t)bytes) < 0)
        return error_set(error, -errno, "%zu bytes of operands: %s", (size_t)bytes,
                         strerror(errno));
    void *const memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cell->memory_fd, 0);
    if (memory == MAP_FAILED)
        return error_set(error, -errno, "%zu bytes of operands: %s", (size_t)bytes,
                         strerror(errno));
    cell->memory = memory;
    cell->bytes = bytes;
    return 0;
}

double cell_cpu_ns(const struct cell *cell)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(cell->worker->info.pid, &clock) != 0 ||
        clock_gettime(clock, &time) < 0)
        return 0;
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* The verdict that follows from the end of its process. */
static int judge_end(struct referee *referee, int status, const char *text)
{
    if (status == -ETIMEDOUT)
        return reject(referee, "hangs", "%s", text);
    if (strstr(text, strsignal(SIGSYS)))
        return reject(referee, "helpers",
                      "made a system call that a function has no need of: it starts a "
                      "thread, a process or a timer, reaches another process, or "
                      "changes its CPUs, its priority or a clock");
    return reject(referee, "dies", "%s", text);
}

int ask_candidate(struct referee *referee, cJSON *request, cJSON **reply,
                  struct error *error)
{
    struct error why = {.text = ""};
    cJSON *got = NULL;
    const int status = worker_ask(referee->candidate.worker, request,
                                  referee->options->how.timeout_ns, &got, &why);
    const bool ended = !worker_alive(referee->candidate.worker);
    const bool wrong = message_true(got, "wrong");
    if (reply && status == 0)
        *reply = got;
    else
        cJSON_Delete(got);
    if (status == -EINTR)
        return status;
    if (status < 0 && ended)
        return judge_end(referee, status, why.text);
    if (status == -EFAULT)
        return reject(referee, "dies", "%s", why.text);
    if (status < 0 && wrong)
        return reject(referee, "unsafe", "%s", why.text);
    return status < 0 ? error_set(error, status, "%s", why.text) : 0;
}

/* True if a process has loaded that file, by the system's word. */
static bool process_has(pid_t pid, const char *path)
{
    char name[64];
    struct stat wanted;
    FREED_BY(free_memory) char *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
    FILE *const file = stat(path, &wanted) == 0 ? fopen(name, "re") : NULL;
    while (file && !found && getline(&line, &room, file) > 0) {
        unsigned major_number, minor_number;
        uint64_t inode;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        found = sscanf(line, "%*s %*s %*s %x:%x %" SCNu64 " %n", &major_number,
                       &minor_number, &inode, &at) == 3 &&
                inode == wanted.st_ino &&
                (makedev(major_number, minor_number) == wanted.st_dev ||
                 !strcmp(line + at, path)); /* btrfs has other devices there */
    }
    if (file)
        fclose(file);
    return found;
}

struct memory_look {
    struct text_list *ways;
    char header[PATH_MAX];
};

/* Memory that others may see: what has no rights now may have them later. */
static bool add_shared(char *line, void *context)
{
    struct memory_look *const look = context;
    if (strncmp(line, "VmFlags:", 8) != 0) {
        if (line[0] < 'A' || line[0] > 'Z')
            snprintf(look->header, sizeof look->header, "%s", line);
    } else if (strstr(line, " sh") && strstr(line, " mw")) {
        text_list_add(look->ways, look->header);
    }
    return true;
}

static void add_descriptor(pid_t pid, const char *number, struct text_list *ways)
{
    char path[PATH_MAX], link[PATH_MAX], text[2 * PATH_MAX];
    struct stat file = {0};
    snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)pid, number);
    const ssize_t n = readlink(path, link, sizeof link - 1);
    link[n > 0 ? n : 0] = '\0';
    if (stat(path, &file) < 0)
        file.st_ino = 0;
    snprintf(text, sizeof text, "%s %ju %ju %s", number, (uintmax_t)file.st_dev,
             (uintmax_t)file.st_ino, link);
    text_list_add(ways, text);
}

/* Descriptors that can be written to, and memory that others may see. 0 or -errno. */
static int list_ways(pid_t pid, struct text_list *ways)
{
    char name[64];
    struct memory_look look = {.ways = ways};
    snprintf(name, sizeof name, "/proc/%d/smaps", (int)pid);
    const int status = file_lines("", name, add_shared, &look);
    if (status < 0 && status != -ENOENT) /* not all systems have it */
        return status;
    snprintf(name, sizeof name, "/proc/%d/fdinfo/", (int)pid);
    DIR *const folder = opendir(name);
    if (!folder)
        return -errno;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const int octal = file_told(name, entry->d_name, "flags"); /* read as decimal */
        if (octal > 0 && (octal % 10 & O_ACCMODE) != O_RDONLY)
            add_descriptor(pid, entry->d_name, ways);
    }
    closedir(folder);
    return 0;
}

static int judge_ways(struct referee *referee, const struct text_list *before)
{
    FREED_BY(text_list_free) struct text_list ways = {0};
    if (list_ways(referee->candidate.worker->info.pid, &ways) < 0)
        return reject(referee, "helpers",
                      "when it is loaded it hides its files from simdbench");
    for (size_t i = 0; i < ways.n; i++)
        if (!text_list_has(before, ways.item[i]))
            return reject(referee, "helpers",
                          "when it is loaded it opens a file to write to, or memory "
                          "that another process may share");
    return 0;
}

/* Threads are counted here if the system has no filters of calls. */
int judge_watch(struct referee *referee)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/task",
             (int)referee->candidate.worker->info.pid);
    const size_t threads = folder_count(name);
    return threads > 1
               ? reject(referee, "helpers", "its process has %zu threads", threads)
               : 0;
}

/* Its process begins without it: what is there before is no doing of its own. */
int candidate_start(struct referee *referee, struct error *error)
{
    struct cell *const cell = &referee->candidate;
    const struct load_call load = {.path = referee->candidate_path, .enclosed = true};
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status = cell_start(cell, "candidate", NULL, referee->cpu, error);
    if (status < 0)
        return status;
    const pid_t pid = cell->worker->info.pid;
    const bool usual = process_has(pid, referee->known_library);
    FREED_BY(text_list_free) struct text_list ways = {0};
    status = list_ways(pid, &ways);
    if (status < 0)
        return error_set(error, status, "/proc/%d/smaps and fdinfo: %s", (int)pid,
                         strerror(-status));
    /* A file that it opens while it is loaded serves it later, as /proc/PID/mem. */
    const int dumpable = prctl(PR_GET_DUMPABLE);
    prctl(PR_SET_DUMPABLE, 0);
    status = ask_candidate(referee, load_call(&load), &reply, error);
    if (dumpable == 1)
        prctl(PR_SET_DUMPABLE, 1);
    if (status == 0)
        cell->first = message_u64(reply, "first", 0);
    if (status == 0)
        status = judge_ways(referee, &ways);
    if (status == 0 && message_true(reply, "modes"))
        status = reject(referee, "unsafe",
                        "loading it changes rounding or flush-to-zero modes, as what was "
                        "linked with -ffast-math does");
    if (status == 0 && !usual && strcmp(referee->library, referee->known_library) != 0 &&
        process_has(pid, referee->known_library))
        status = reject(referee, "reference",
                        "loads %.300s, which has the functions that it is held against",
                        referee->known_library);
    return status ?: judge_watch(referee);
}

int judges_start(struct referee *referee, struct error *error)
{
    struct cell *const cell = &referee->judges;
    const int status =
        cell_start(cell, "known", referee->known_path, referee->cpu, error);
    return status
               ?: worker_ask(cell->worker, describe_call(), INT64_MAX,
                             &cell->worker->description, error);
}
