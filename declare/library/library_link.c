/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries as the loader would find them, and shared objects from archives. */
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library_files.h"

extern char **environ;

/* ---- where ---- */

#if defined(__x86_64__)
#define TRIPLE "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define TRIPLE "aarch64-linux-gnu"
#endif

static bool is_there(const char *folder, size_t length, const char *name, char *path,
                     size_t size)
{
    struct stat facts;
    const int n = snprintf(path, size, "%.*s/%s", (int)length, folder, name);
    return n > 0 && (size_t)n < size && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

static const char *const folders[] = {"/usr/local/lib/" TRIPLE,
                                      "/usr/local/lib",
                                      "/lib/" TRIPLE,
                                      "/usr/lib/" TRIPLE,
                                      "/lib64",
                                      "/usr/lib64",
                                      "/lib",
                                      "/usr/lib"};

/* A library is often known by less than its name, libz for libz.so.1, by the number of
 * another version, or with other capitals; or it is an archive. */
static void hint_similar(const char *name, char *hint, size_t size)
{
    const char *const end = strstr(name, ".so");
    const size_t n = end ? (size_t)(end - name) : strlen(name);
    char best[DECLARED_TEXT] = "";
    for (size_t i = 0; i < ARRAY_LEN(folders) && !*best; i++) {
        DIR *const folder = opendir(folders[i]);
        for (const struct dirent *entry; folder && (entry = readdir(folder));) {
            const char *const file = entry->d_name;
            if (!strncasecmp(file, name, n) &&
                (!strncmp(file + n, ".so", 3) || !strcmp(file + n, ".a")) &&
                (!*best || strcmp(file + n, best + n) > 0))
                snprintf(best, sizeof best, "%s", file);
        }
        if (folder)
            closedir(folder);
    }
    snprintf(hint, size, "%s%.100s%s", *best ? "; did you mean " : "", best,
             *best ? "?" : "");
}

int library_where(const char *name, char *path, size_t size, struct error *error)
{
    const char *asked = getenv("LD_LIBRARY_PATH");
    if (strchr(name, '/') || *name == '.') {
        const int n = snprintf(path, size, "%s", name);
        return n >= 0 && (size_t)n < size
                   ? 0
                   : error_set(error, -ENAMETOOLONG, "the path %.60s... is too long",
                               name);
    }
    for (size_t n; asked && *asked; asked += n + (asked[n] == ':')) {
        n = strcspn(asked, ":");
        if (n && is_there(asked, n, name, path, size))
            return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        if (is_there(folders[i], strlen(folders[i]), name, path, size))
            return 0;
    char hint[140];
    hint_similar(name, hint, sizeof hint);
    return error_set(error, -ENOENT,
                     "there is no library %.100s in the usual folders%s; for a file in "
                     "this folder write ./%.100s",
                     name, hint, name);
}

bool library_must_link(const char *path)
{
    const char *const dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".a") || !strcmp(dot, ".o"));
}

/* ---- linking ---- */

/* The compiler's words, of which the first that say "error" are shown. */
struct heard {
    char text[4096];
    size_t n;
};

static void hear(int fd, struct heard *heard)
{
    char more[512];
    ssize_t n;
    while ((n = read(fd, more, sizeof more)) > 0 || (n < 0 && errno == EINTR)) {
        const size_t room = sizeof heard->text - 1 - heard->n;
        const size_t taken = n < 0 ? 0 : (size_t)n < room ? (size_t)n : room;
        memcpy(heard->text + heard->n, more, taken);
        heard->n += taken;
    }
    heard->text[heard->n] = '\0';
}

/* Code that is not made for a shared object takes stderr to be its own. In a file of
 * glibc it can be: a pointer to the same stream. */
#define STREAM(name) \
    ".globl std" name "\n.hidden std" name "\nstd" name ": .quad _IO_2_1_std" name "_\n"
static const char streams[] =
    ".data\n.balign 8\n" STREAM("in") STREAM("out") STREAM("err");

/* The command may read `streams`. */
static int run(const char *const *argv, struct heard *heard)
{
    posix_spawn_file_actions_t actions;
    int ends[2], input[2], ended = -1;
    pid_t child;
    if (pipe2(input, O_CLOEXEC) < 0)
        return -errno;
    const bool ready =
        write(input[1], streams, sizeof streams - 1) > 0 && pipe2(ends, O_CLOEXEC) == 0;
    int status = -errno;
    close(input[1]);
    if (!ready) {
        close(input[0]);
        return status;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    status = -posix_spawnp(&child, argv[0], &actions, NULL,
                           (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    close(input[0]);
    if (status == 0) {
        hear(ends[0], heard);
        while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
            ;
        status = WIFEXITED(ended) && WEXITSTATUS(ended) == 0 ? 0 : -ENOEXEC;
    }
    close(ends[0]);
    return status;
}

/* A line that tells what is wrong, without what the linker says around it. */
static const char *complaint(struct heard *heard)
{
    char *rest = heard->text, *line, *first = NULL;
    while ((line = strsep(&rest, "\n"))) {
        first = first ? first : line;
        if (!strstr(line, "warning") && !strstr(line, "collect2") &&
            (strstr(line, "incompatible") || strstr(line, "relocation") ||
             strstr(line, "error") || strstr(line, "undefined") ||
             strstr(line, "not recognized") || strstr(line, "cannot find")))
            return line;
    }
    return first && *first ? first : "it says nothing";
}

static char *join(const char *const *argv)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && argv[i]; i++)
        fprintf(out, i ? " %s" : "%s", argv[i]);
    if (out && fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

#define LINKED "/simdbench-linked-"
bool library_is_linked(const char *path)
{
    return strstr(path, LINKED);
}

/* An empty file that only this user can read, and that has the suffix of a library. */
static int make_file(char **path)
{
    const char *const folder = getenv("TMPDIR");
    if (asprintf(path, "%s" LINKED "XXXXXX.so", folder && *folder ? folder : "/tmp") <
        0) {
        *path = NULL;
        return -ENOMEM;
    }
    const int fd = mkostemps(*path, 3, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

/* Words of the compiler: what stands before the file, and behind it. */
struct way {
    const char *before, *behind;
};

static bool has_any(const char *text, const char *const *words, size_t n)
{
    while (n-- > 0)
        if (strstr(text, words[n]))
            return true;
    return false;
}

#define QUOTED(name) "`std" name, "'std" name

/* An obstacle that the compiler complains of is taken out of the way: a file that is not
 * made for a shared object gets streams of its own, and a machine without libstdc++ does
 * without it. False: it complains of something else. */
static bool find_way(struct way *way, const char *complaints)
{
    static const char *const library[] = {"-lstdc++", ": stdc++"}; /* mold has no -l */
    static const char *const stream[] = {QUOTED("in"), QUOTED("out"), QUOTED("err")};
    if (*way->behind && has_any(complaints, library, ARRAY_LEN(library)))
        way->behind = "";
    else if (!*way->before && has_any(complaints, stream, ARRAY_LEN(stream)))
        way->before = "-x assembler - -x none";
    else
        return false;
    return true;
}

/* $CC may have words of its own, too: "ccache gcc". */
static int link_in_a_way(const char *path, const char *compiler, const char *output,
                         const struct way *way, char **command, struct heard *heard)
{
    enum { WORDS = 40 };
    const char *argv[WORDS] = {NULL};
    size_t n = 0;
    FREED_BY(free_memory) char *text = NULL;
    char *rest = NULL, *word;
    *command = NULL;
    /* Words have no spaces, but paths may. */
    if (asprintf(&text,
                 "%s -shared -o OUTPUT -Wl,-Bsymbolic %s -Wl,--whole-archive INPUT "
                 "-Wl,--no-whole-archive %s -lm %s",
                 compiler, way->before, getenv("LDLIBS") ?: "", way->behind) < 0)
        return -ENOMEM;
    for (word = strtok_r(text, " ", &rest); word && n < WORDS - 1;
         word = strtok_r(NULL, " ", &rest))
        argv[n++] = !strcmp(word, "OUTPUT")  ? output
                    : !strcmp(word, "INPUT") ? path
                                             : word;
    *heard = (struct heard){.n = 0};
    *command = word ? NULL : join(argv);
    return word || !n ? -E2BIG : *command ? run(argv, heard) : -ENOMEM;
}

static int link_file(const char *path, const char *compiler, const char *output,
                     char **command, struct error *error)
{
    FREED_BY(free_memory) struct heard *heard = malloc(sizeof *heard);
    struct way way = {.before = "", .behind = "-Wl,--as-needed -lstdc++"};
    int status = -ENOMEM;
    do {
        free(*command);
        *command = NULL;
        if (heard)
            status = link_in_a_way(path, compiler, output, &way, command, heard);
    } while (status == -ENOEXEC && find_way(&way, heard->text));
    if (status < 0) {
        error_set(error, status, "cannot link %.120s: %.80s: %.240s", path, compiler,
                  status == -ENOEXEC ? complaint(heard) : strerror(-status));
        FREE_EACH(*command);
        *command = NULL;
    }
    return status;
}

int library_link(const char *path, char **linked, char **command, struct error *error)
{
    const char *const asked = getenv("CC");
    const char *const compiler = asked && asked[strspn(asked, " ")] ? asked : "cc";
    *linked = *command = NULL;
    int status = make_file(linked);
    if (status < 0)
        error_set(error, status, "cannot make a temporary file: %s", strerror(-status));
    else
        status = link_file(path, compiler, *linked, command, error);
    if (status < 0) {
        if (*linked)
            unlink(*linked);
        free(*linked);
        *linked = NULL;
    }
    return status;
}

/* ---- what is not in the file ---- */

/* Files that were read: libraries have several names, and folders too. */
struct searched {
    struct {
        dev_t device;
        ino_t inode;
    } file[4096];
    size_t n;
};

static bool is_new(struct searched *searched, const struct stat *facts)
{
    for (size_t i = 0; i < searched->n; i++)
        if (searched->file[i].device == facts->st_dev &&
            searched->file[i].inode == facts->st_ino)
            return false;
    if (searched->n < ARRAY_LEN(searched->file)) {
        searched->file[searched->n].device = facts->st_dev;
        searched->file[searched->n++].inode = facts->st_ino;
    }
    return true;
}

/* Names are looked for before the file is read as a library, which takes much longer. */
static bool exports(const char *path, const char *name, struct searched *searched)
{
    const off_t most = 64 << 20;
    const size_t length = strlen(name) + 1;
    FREED_BY(library_close) struct library library = {.n = 0};
    struct error why;
    struct stat facts;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = fd >= 0 && fstat(fd, &facts) == 0 && facts.st_size > 0 &&
                 facts.st_size <= most && is_new(searched, &facts);
    void *const map =
        found ? mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
              : MAP_FAILED;
    found = map != MAP_FAILED && memmem(map, (size_t)facts.st_size, name, length);
    if (map != MAP_FAILED)
        munmap(map, (size_t)facts.st_size);
    if (fd >= 0)
        close(fd);
    if (!found || library_read(path, &library, &why) < 0)
        return false;
    found = false;
    for (size_t i = 0; i < library.n && !found; i++)
        found = library.function[i].binding == FUNCTION_EXPORTED &&
                !strcmp(library.function[i].name, name);
    return found;
}

/* The linker's word for a library of the usual folders that has the symbol. */
static bool find_option(const char *name, char *option, size_t size)
{
    FREED_BY(free_memory) struct searched *searched = calloc(1, sizeof *searched);
    char pattern[PATH_MAX];
    glob_t all;
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(folders) && searched && !found; i++) {
        snprintf(pattern, sizeof pattern, "%s/lib*.so*", folders[i]);
        if (glob(pattern, 0, NULL, &all))
            continue;
        for (size_t k = 0; k < all.gl_pathc && !found; k++) {
            const char *const file = basename(all.gl_pathv[k]);
            const char *const end = strstr(file, ".so");
            found = exports(all.gl_pathv[k], name, searched);
            if (found && end[3])
                snprintf(option, size, "-l:%s", file);
            else if (found)
                snprintf(option, size, "-l%.*s", (int)(end - file - 3), file + 3);
        }
        globfree(&all);
    }
    return found;
}

void library_explain_load(struct error *error)
{
    static const char mark[] = "undefined symbol: ";
    const char *const at = strstr(error->text, mark);
    char name[DECLARED_TEXT], option[DECLARED_TEXT];
    if (!at)
        return;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at + sizeof mark - 1, " ,:"),
             at + sizeof mark - 1);
    const bool found = find_option(name, option, sizeof option);
    if (found)
        error_set(
            error, -ENOENT,
            "it needs %.100s, which is in another library: type LDLIBS=%.100s before "
            "the command, or name another library that has it",
            name, option);
    else
        error_set(
            error, -ENOENT,
            "it needs %.100s of another library: type LDLIBS=-lNAME before the command",
            name);
}
