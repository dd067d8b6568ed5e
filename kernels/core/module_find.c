/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "near_names.h"

enum { FOLDERS_MAX = 32 };

#define FOREIGN "baseline-"

/* Modules of the source tree's folder peers/, which meson does not build. */
static const char *const peers[] = {"aprender-compute", "burn",          "matrixmultiply",
                                    "ndarray",          "tropical-gemm", "trueno"};

/* The folders to search for modules, in order. */
struct folders {
    char path[FOLDERS_MAX][PATH_MAX];
    size_t n;
};

/* A module that is found by name. */
struct found {
    char name[NAME_MAX + 1];
    char path[PATH_MAX];
};

static void folders_add(struct folders *folders, const char *base, const char *relative)
{
    if (folders->n == FOLDERS_MAX)
        return;
    int n = relative[0] == '/'
                ? snprintf(folders->path[folders->n], PATH_MAX, "%s", relative)
                : snprintf(folders->path[folders->n], PATH_MAX, "%s/%s", base, relative);
    if (n > 0 && n < PATH_MAX)
        folders->n++;
}

static void folders_list(struct folders *folders)
{
    char own[PATH_MAX];
    folders->n = 0;
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length > 0) {
        own[length] = 0;
        char *slash = strrchr(own, '/');
        if (slash)
            *slash = 0;
        folders_add(folders, own, MODULES_FROM_BIN);
        folders_add(folders, own, "kernels/modules");
        folders_add(folders, own, "../kernels/modules");
        folders_add(folders, own, "../peers");
    }
    const char *list = getenv("SIMDBENCH_MODULES");
    while (list && *list) {
        char path[PATH_MAX];
        size_t n = strcspn(list, ":");
        if (n > 0 && n < sizeof path) {
            memcpy(path, list, n);
            path[n] = 0;
            folders_add(folders, ".", path);
        }
        list += n + (list[n] == ':');
    }
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

bool module_is_foreign(const char *path)
{
    return !ends_with(path, ".so") && !module_is_declared(path);
}

bool module_is_declared(const char *path)
{
    return ends_with(path, ".json");
}

static bool is_executable(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

static int is_module(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".so") ||
           strncmp(entry->d_name, FOREIGN, strlen(FOREIGN)) == 0;
}

/* Shared objects first: they win over executables of the same name. */
static int by_kind(const struct dirent **a, const struct dirent **b)
{
    int kind = module_is_foreign((*a)->d_name) - module_is_foreign((*b)->d_name);
    return kind ? kind : strcmp((*a)->d_name, (*b)->d_name);
}

static bool found_make(struct found *found, const char *folder, const char *file)
{
    *found = (struct found){.name = ""};
    int used = snprintf(found->path, sizeof found->path, "%s/%s", folder, file);
    if (used < 0 || used >= PATH_MAX)
        return false;
    if (ends_with(file, ".so"))
        memcpy(found->name, file, strlen(file) - 3);
    else
        memcpy(found->name, file + strlen(FOREIGN), strlen(file) - strlen(FOREIGN));
    return found->name[0] && (ends_with(file, ".so") || is_executable(found->path));
}

void module_each(void (*each)(const char *name, const char *path, void *context),
                 void *context)
{
    FREED_BY(free_memory) struct folders *folders = malloc(sizeof *folders);
    FREED_BY(free_memory) struct found *found = NULL;
    size_t n = 0;
    if (!folders)
        return;
    folders_list(folders);
    for (size_t i = 0; i < folders->n; i++) {
        struct dirent **entries;
        int count = scandir(folders->path[i], &entries, is_module, by_kind);
        for (int e = 0; e < count; e++) {
            struct found next;
            bool wanted = found_make(&next, folders->path[i], entries[e]->d_name);
            for (size_t k = 0; k < n; k++)
                wanted = wanted && strcmp(found[k].name, next.name) != 0;
            if (wanted && array_room(&found, n, sizeof *found))
                found[n++] = next;
            free(entries[e]);
        }
        if (count >= 0)
            free(entries);
    }
    for (size_t i = 0; i < n; i++)
        each(found[i].name, found[i].path, context);
}

static void near_each(const char *name, const char *path, void *context)
{
    near_try(context, name);
}

static int find_path(const char *name, char *path, size_t path_size, struct error *error)
{
    /* Without a '/', dlopen would look in the system's folders. */
    int n = snprintf(path, path_size, "%s%s", strchr(name, '/') ? "" : "./", name);
    if (n < 0 || (size_t)n >= path_size)
        return error_set(error, -ENAMETOOLONG, "the path '%.100s...' is too long", name);
    if (access(path, R_OK) < 0)
        return error_set(error, -errno, "cannot read module '%s': %s", name,
                         strerror(errno));
    if (module_is_foreign(path) && !is_executable(path))
        return error_set(error, -EACCES, "'%s' is neither a module (.so) nor executable",
                         name);
    return 0;
}

static bool find_in(const char *folder, const char *name, char *path, size_t path_size)
{
    int n = snprintf(path, path_size, "%s/%s.so", folder, name);
    if (n >= 0 && (size_t)n < path_size && access(path, R_OK) == 0)
        return true;
    n = snprintf(path, path_size, "%s/" FOREIGN "%s", folder, name);
    return *name && n >= 0 && (size_t)n < path_size && is_executable(path);
}

int module_find(const char *name, char *path, size_t path_size, struct error *error)
{
    if (strchr(name, '/') || !module_is_foreign(name))
        return find_path(name, path, path_size, error);
    FREED_BY(free_memory) struct folders *folders = malloc(sizeof *folders);
    if (!folders)
        return no_memory(error);
    char looked[300] = "";
    size_t used = 0;
    folders_list(folders);
    for (size_t i = 0; i < folders->n; i++) {
        if (find_in(folders->path[i], name, path, path_size))
            return 0;
        if (used < sizeof looked)
            used += (size_t)snprintf(looked + used, sizeof looked - used, "%s%s",
                                     i ? ", " : "", folders->path[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(peers); i++)
        if (strcmp(peers[i], name) == 0)
            return error_set(error, -ENOENT,
                             "module '%s' is not built: scripts/setup peers does it",
                             name);
    struct near near = {.word = name};
    module_each(near_each, &near);
    return error_set(error, -ENOENT, "there is no module '%.60s'%s (looked in %s)", name,
                     near.text, looked);
}
