/* SPDX-License-Identifier: Apache-2.0 */
/* Loads shared objects of others beside the libraries that this program has loaded. */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>

#include "kernels.h"

static const void *object_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Is malloc() another than libc's, as with a sanitizer, or a library's own? */
static bool has_allocator(void *handle)
{
    return object_of(dlsym(handle, "malloc")) !=
           object_of(dlsym(handle, "gnu_get_libc_version"));
}

/* libc allocates too, and what it allocates is freed by others: calls must find one
 * allocator. Functions that LD_PRELOAD brings are meant to come first. */
static void *load(const char *path)
{
    const int flags = RTLD_NOW | RTLD_LOCAL;
    if (has_allocator(RTLD_DEFAULT) || getenv("LD_PRELOAD"))
        return dlopen(path, flags);
    void *const handle = dlopen(path, flags | RTLD_DEEPBIND);
    if (!handle || !has_allocator(handle))
        return handle;
    dlclose(handle);
    return dlopen(path, flags);
}

void *module_symbol(void *handle, const char *name)
{
    void *const scopes[] = {handle, RTLD_DEFAULT};
    const bool whole = has_allocator(RTLD_DEFAULT) || has_allocator(handle);
    return dlsym(scopes[whole], name) ?: dlsym(scopes[!whole], name);
}

/* The folders in which the libraries of `handle` are looked for; the caller frees it. */
static Dl_serinfo *search_path(void *handle)
{
    Dl_serinfo size;
    if (dlinfo(handle, RTLD_DI_SERINFOSIZE, &size))
        return NULL;
    Dl_serinfo *const path = malloc(size.dls_size);
    if (path && (dlinfo(handle, RTLD_DI_SERINFOSIZE, path) ||
                 dlinfo(handle, RTLD_DI_SERINFO, path))) {
        free(path);
        return NULL;
    }
    return path;
}

/* Does the file lie in a folder of the path? */
static bool is_in(const Dl_serinfo *path, const char *file)
{
    const size_t n = (size_t)(strrchr(file, '/') - file);
    for (unsigned i = 0; i < path->dls_cnt; i++) {
        const char *const folder = path->dls_serpath[i].dls_name;
        if (strlen(folder) == n && !memcmp(folder, file, n))
            return true;
    }
    return false;
}

/* The loaded object whose file has that name, or NULL. */
static const char *loaded_file(const struct link_map *map, const char *name)
{
    while (map->l_prev)
        map = map->l_prev;
    for (; map; map = map->l_next) {
        const char *const slash = strrchr(map->l_name, '/');
        if (slash && !strcmp(slash + 1, name))
            return map->l_name;
    }
    return NULL;
}

/* Is the program's own library of that name another than the one that the path finds? */
static bool is_another(const struct link_map *map, const char *name,
                       const Dl_serinfo *wanted, const Dl_serinfo *own,
                       struct error *error)
{
    char path[PATH_MAX];
    struct stat found, got;
    const char *const loaded = loaded_file(map, name), *folder;
    unsigned i = 0;
    do {
        if (!loaded || i == wanted->dls_cnt)
            return false;
        folder = wanted->dls_serpath[i++].dls_name;
        snprintf(path, sizeof path, "%s/%s", folder, name);
    } while (stat(path, &found));
    if (!is_in(own, loaded) || is_in(own, path) || stat(loaded, &got) ||
        (found.st_ino == got.st_ino && found.st_dev == got.st_dev))
        return false;
    error_set(error, -ENOENT,
              "cannot load %s: it needs %s, and %s is loaded in place of it: link it "
              "statically, or begin with LD_LIBRARY_PATH=%s",
              map->l_name, path, loaded, folder);
    return true;
}

static bool needs_another(const struct link_map *map, const Dl_serinfo *wanted,
                          const Dl_serinfo *own, struct error *error)
{
    const char *texts = NULL;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            texts = (const char *)entry->d_un.d_ptr;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (texts && entry->d_tag == DT_NEEDED &&
            is_another(map, texts + entry->d_un.d_val, wanted, own, error))
            return true;
    return false;
}

void *module_open(const char *path, struct error *error)
{
    void *const handle = load(path);
    if (!handle) {
        /* glibc's own is libc.so.6; its libc.so is a text for linkers. */
        const char *const why = dlerror();
        const bool musl = !strncmp(why, "libc.so: ", 9) ||
                          strstr(why, "/libc.so: invalid") || strstr(why, "libc.musl-");
        const char *const missing =
            strstr(why, ": cannot open shared object file: No such file");
        /* The loader looks for a name without folders alone in that path. */
        const bool sought = missing && !memchr(why, '/', (size_t)(missing - why));
        const char *const hint =
            strstr(why, "position-independent executable")
                ? ": no process loads another program: name the object file (.o) or "
                  "archive (.a) that it is linked from"
            : sought ? ": begin with LD_LIBRARY_PATH=FOLDER, where that file is"
            : strstr(why, "undefined symbol")
                ? ": begin with LD_PRELOAD=LIB.so, which has it, or link the library "
                  "with that one"
                : "";
        error_set(error, -ENOENT, "cannot load %s%s%s%s", musl ? path : "",
                  musl ? ": it was built for musl, and simdbench runs on glibc: build it "
                         "with this system's compiler: "
                       : "",
                  why, hint);
        return NULL;
    }
    void *const program = dlopen(NULL, RTLD_NOW);
    struct link_map *map = NULL;
    FREED_BY(free_memory) Dl_serinfo *wanted = search_path(handle);
    FREED_BY(free_memory) Dl_serinfo *own = program ? search_path(program) : NULL;
    const bool refused = wanted && own && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 &&
                         needs_another(map, wanted, own, error);
    if (program)
        dlclose(program);
    if (refused)
        dlclose(handle);
    return refused ? NULL : handle;
}
