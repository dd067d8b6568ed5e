/* SPDX-License-Identifier: Apache-2.0 */
/* The builds that are compared: found, copied, probed in a fresh process. */
#include "ab_private.h"
#include "library_files.h"
#include "private_copy.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *const flags[] = {"BASE", "HEAD"};

/* A path, a file in this folder, or the name of a module of simdbench. With functions, an
 * archive or object file is linked. */
static int find_file(struct ab_arm *arm, const char *flag, bool functions,
                     struct error *error)
{
    FREED_BY(free_memory) char *command = NULL;
    const char *name = arm->spec.name;
    struct error why = {.text = ""};
    int status = 0;
    if (strchr(name, '/') || access(name, F_OK) == 0) {
        const char *here = strchr(name, '/') ? "" : "./";
        if (strlen(name) + 3 > sizeof arm->path)
            return error_set(error, -ENAMETOOLONG, "%s=%.80s...: the path is too long",
                             flag, name);
        snprintf(arm->path, sizeof arm->path, "%s%s", here, name);
    } else {
        status = module_find(name, arm->path, sizeof arm->path, &why);
        if (status == -ENOENT)
            return error_set(error, status,
                             "%s=%.200s: %.600s; --harness=command measures any program, "
                             "--harness=NAME --build=COMMAND two commits",
                             flag, name, why.text);
    }
    if (status == 0 && functions && library_must_link(arm->path))
        status = library_link(arm->path, &arm->linked, &command, &why);
    snprintf(arm->load, sizeof arm->load, "%s", arm->linked ?: arm->path);
    if (status == 0)
        status = elf_read(arm->load, true, &arm->file, &why);
    return status < 0
               ? error_set(error, status, "%s=%.200s: %.700s", flag, name, why.text)
               : 0;
}

/* True of a file that has the option in it with which simdbench starts itself. */
static bool is_simdbench(const char *path)
{
    static const char mark[] = PARENT_FORMAT;
    FREED_BY(free_memory) char *bytes = NULL;
    size_t size = 0;
    return file_load(path, (size_t)1 << 30, &bytes, &size) == 0 &&
           memmem(bytes, size, mark, strlen(mark));
}

static int find(struct ab *ab, int which, const char *text, struct error *error)
{
    struct ab_arm *arm = &ab->arm[which];
    const char *flag = flags[which];
    arm->words = must_have(strdup(text));
    int status = module_spec_parse(arm->words, flag, &arm->spec, error)
                     ?: find_file(arm, flag, ab->request.functions, error);
    if (status < 0)
        return status;
    const char *wrong = NULL;
    if (library_must_link(arm->path) && !ab->request.functions)
        wrong = "no module: name a function of it, as in BASE:NAME HEAD 'PROTOTYPE', or "
                "declare them in a file for --functions";
    else if (arm->file.kind == ELF_OTHER)
        wrong = "neither a module nor a simdbench executable: it is no ELF file for this "
                "machine; --harness=command measures any program";
    else if (arm->file.kind == ELF_PROGRAM && access(arm->path, X_OK) < 0)
        wrong = "a program that may not be executed";
    else if (arm->file.kind == ELF_PROGRAM && arm->spec.n_options)
        wrong = "options are for modules, and this is a program";
    else if (ab->request.functions && arm->spec.n_options)
        wrong = "options are for modules, and this is a library of declared functions";
    else if (ab->request.functions && arm->file.kind == ELF_PROGRAM)
        wrong = "a program; --functions is for libraries";
    else if (arm->file.kind == ELF_PROGRAM && !is_simdbench(arm->path))
        wrong = strchr(text, '/')
                    ? "no simdbench executable, and no benchmark program that is "
                      "recognised; --harness=NAME names its harness, and "
                      "--harness=command measures any program"
                    : "no simdbench executable; other programs of this folder are "
                      "written with ./, as in a shell";
    else if (arm->spec.alias)
        wrong = "as=NAME is for --plugin and --baseline, ab has names of its own";
    if (wrong)
        return error_set(error, -EINVAL, "%s=%.300s: %s", flag, text, wrong);
    return 0;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

bool arms_same_options(const struct module_spec *a, const struct module_spec *b)
{
    bool same = a->n_options == b->n_options;
    for (size_t i = 0; same && i < a->n_options; i++)
        same = !strcmp(a->option[i].name, b->option[i].name) &&
               !strcmp(a->option[i].value, b->option[i].value);
    return same;
}

/* The dynamic loader takes two objects of one name for the same. */
static const char *name_of(const struct loaded_object *object)
{
    return object->soname && *object->soname ? object->soname : basename(object->path);
}

/* Builds may have equal ids, so all bytes of the files are compared. */
static bool clash(const cJSON *first, const cJSON *second)
{
    struct loaded_object a, b;
    struct elf_file x, y;
    struct error error;
    loaded_object_read(first, &a);
    loaded_object_read(second, &b);
    if (!a.path || !b.path || !strcmp(a.path, b.path) ||
        strcmp(name_of(&a), name_of(&b)) != 0)
        return false;
    return elf_read(a.path, true, &x, &error) < 0 ||
           elf_read(b.path, true, &y, &error) < 0 || x.hash != y.hash;
}

/* In one process, one build would use variables or libraries of the other. */
static bool any_clash(const struct ab *ab)
{
    const struct elf_file *const base = &ab->arm[ARM_BASE].file;
    const struct elf_file *const head = &ab->arm[ARM_HEAD].file;
    const cJSON *a, *b;
    if (base->opens || head->opens ||
        (base->unique && head->unique && base->hash != head->hash))
        return true;
    cJSON_ArrayForEach (a, ab->arm[ARM_BASE].objects) {
        cJSON_ArrayForEach (b, ab->arm[ARM_HEAD].objects) {
            if (clash(a, b))
                return true;
        }
    }
    return false;
}

/* A function that one build lacks is a new or a gone case; one that both lack is a
 * mistake. */
int arm_load(const struct ab *ab, struct ab_arm *arm, struct worker *worker,
             cJSON **description, struct error *error)
{
    cJSON *reply = NULL;
    if (ab->programs)
        return 0;
    const bool is_head = arm == &ab->arm[ARM_HEAD];
    const struct simdbench_option declared[] = {
        {.size = sizeof declared[0], .name = "library", .value = arm->load},
        {.size = sizeof declared[0],
         .name = "partly",
         .value = ab->arm[is_head ? ARM_BASE : ARM_HEAD].load}};
    struct load_call call = ab->request.functions
                                ? (struct load_call){.path = ab->request.functions,
                                                     .option = declared,
                                                     .n = 2}
                                : (struct load_call){.path = arm->load,
                                                     .option = arm->spec.option,
                                                     .n = arm->spec.n_options};
    call.right = arm == &ab->arm[ARM_BASE];
    int status = worker_ask(worker, load_call(&call), ab->how.timeout_ns, &reply, error);
    arm->first = message_u64(reply, "first", 0);
    if (status == 0 && description)
        *description = reply;
    else
        cJSON_Delete(reply);
    return status;
}

/* NULL from a program that is too old to tell. */
static int ask_objects(const struct ab *ab, struct worker *worker, cJSON **reply,
                       struct error *error)
{
    int status = worker_ask(worker, objects_call(), ab->how.timeout_ns, reply, error);
    if (status != -ENOSYS)
        return status;
    cJSON_Delete(*reply);
    *reply = NULL;
    return 0;
}

/* Objects that were loaded in addition, but for the arm itself. */
static cJSON *new_objects(const struct ab_arm *arm, const cJSON *before, cJSON *after)
{
    cJSON *more = cJSON_CreateArray();
    cJSON *list = cJSON_GetObjectItemCaseSensitive(after, "objects");
    for (cJSON *item = list ? list->child : NULL, *next; item; item = next) {
        const char *path = message_text(item, "path");
        bool known = !path || !strcmp(path, arm->load);
        const cJSON *old;
        next = item->next;
        cJSON_ArrayForEach (old, cJSON_GetObjectItemCaseSensitive(before, "objects")) {
            const char *other = message_text(old, "path");
            known |= other && path && !strcmp(path, other);
        }
        if (!known)
            cJSON_AddItemToArray(more, cJSON_DetachItemViaPointer(list, item));
    }
    return more;
}

static int ask_build(struct ab *ab, struct ab_arm *arm, struct worker *worker,
                     struct error *error)
{
    FREED_BY(json_delete) cJSON *before = NULL, *after = NULL;
    int status = ab->programs ? 0 : ask_objects(ab, worker, &before, error);
    if (status == 0 && ab->programs)
        status = worker_ask(worker, describe_call(), ab->how.timeout_ns,
                            &worker->description, error);
    else if (status == 0)
        status = arm_load(ab, arm, worker, &worker->description, error);
    if (status == 0)
        status = ask_objects(ab, worker, &after, error);
    if (status == 0) {
        const cJSON *from = ab->programs ? after : worker->description;
        arm->objects = after ? new_objects(arm, before, after) : NULL;
        string_set(&arm->version,
                   arm->linked ? basename(arm->path) : message_text(from, "version"));
        string_set(&arm->commit, message_text(from, "commit"));
    }
    return status;
}

static struct worker *make_worker(const struct ab *ab, const struct ab_arm *arm)
{
    const int memory = ab->catalog.memory_fd;
    return ab->programs ? worker_new_program(arm->name, arm->load, memory)
                        : worker_new(arm->name, NULL, NULL, 0, memory);
}

/* The worker stays: it is asked about ops that simdbench itself does not have, and runs
 * no kernel. */
static int probe(struct ab *ab, int which, struct error *error)
{
    struct ab_arm *arm = &ab->arm[which];
    struct catalog *catalog = &ab->catalog;
    struct worker *worker = make_worker(ab, arm);
    struct error why = {.text = ""};
    catalog_add_worker(catalog, worker);
    int status = worker_start(worker, false, &why) ?: ask_build(ab, arm, worker, &why);
    return status < 0 ? error_set(error, status, "%s=%.200s: %.600s", flags[which],
                                  arm->spec.name, why.text)
                      : 0;
}

/* Control is a file of its own, and so is head if it is the same file as base: loaded
 * twice, one file would be one object. */
static int copy_arms(struct ab *ab, struct error *error)
{
    const struct ab_arm *base = &ab->arm[ARM_BASE];
    struct ab_arm *control = &ab->arm[ARM_CONTROL];
    control->spec = base->spec;
    control->file = base->file;
    snprintf(control->path, sizeof control->path, "%s", base->path);
    snprintf(control->load, sizeof control->load, "%s", base->load);
    int status = private_folder(ab->folder, sizeof ab->folder, &ab->folder_lock, error);
    for (struct ab_arm *arm = &ab->arm[ARM_HEAD]; arm <= control && status == 0; arm++)
        if (same_file(base->load, arm->load))
            status = private_copy(
                ab->folder, arm->name, arm == control ? base->load : arm->path,
                arm->file.opens || strstr(arm->file.runpath, "ORIGIN") != NULL, arm->load,
                sizeof arm->load, error);
    return status;
}

int arms_open(struct ab *ab, struct error *error)
{
    static const char *const names[] = {"base", "head", "control"};
    const char *const texts[] = {ab->request.base, ab->request.head};
    struct ab_arm *arm = ab->arm;
    int status = 0;
    for (int i = 0; i < ARMS; i++)
        arm[i].name = names[i];
    for (int i = 0; i < 2 && status == 0; i++)
        status = find(ab, i, texts[i], error);
    if (status < 0)
        return status;
    ab->programs = arm[ARM_BASE].file.kind == ELF_PROGRAM;
    if (ab->programs != (arm[ARM_HEAD].file.kind == ELF_PROGRAM))
        return error_set(error, -EINVAL,
                         "BASE=%.200s and HEAD=%.200s: one is a module and one a "
                         "program; give two modules or two simdbench executables",
                         arm[ARM_BASE].spec.name, arm[ARM_HEAD].spec.name);
    status = copy_arms(ab, error);
    for (int i = 0; i < 2 && status == 0; i++)
        status = probe(ab, i, error);
    if (status < 0)
        return status;
    ab->own_processes = ab->programs || any_clash(ab) ||
                        !arms_same_options(&arm[ARM_BASE].spec, &arm[ARM_HEAD].spec);
    for (int i = 0; i < ARMS; i++) {
        if (ab->own_processes || i == 0)
            ab->workers[i] = make_worker(ab, &arm[i]);
        arm[i].worker = ab->workers[ab->own_processes ? i : 0];
    }
    return 0;
}

void arms_close(struct ab *ab)
{
    for (int i = 0; i < ARMS; i++) {
        struct ab_arm *arm = &ab->arm[i];
        worker_free(ab->workers[i]);
        cJSON_Delete(arm->objects);
        if (arm->linked)
            unlink(arm->linked);
        FREE_EACH(arm->linked, arm->words, arm->version, arm->commit);
    }
    private_remove(ab->folder, ab->folder_lock);
}

void arms_tell(const struct ab *ab, struct gate *gate)
{
    for (int i = 0; i < ARMS; i++) {
        const struct ab_arm *from = &ab->arm[i];
        struct arm *arm = gate_add_arm(gate, from->name, from->path);
        const struct ab_arm *told = i == ARM_CONTROL ? &ab->arm[ARM_BASE] : from;
        string_set(&arm->build_id, from->file.build_id[0] ? from->file.build_id : NULL);
        string_set(&arm->version, told->version);
        string_set(&arm->commit, told->commit);
        const cJSON *object;
        cJSON_ArrayForEach (object, told->objects) {
            char text[PATH_MAX + 80];
            struct loaded_object loaded;
            loaded_object_read(object, &loaded);
            const char *const id = loaded.build_id ?: "";
            snprintf(text, sizeof text, "%s%s%s", loaded.path ?: "", *id ? " " : "", id);
            strings_add(&arm->objects, &arm->n_objects, text);
        }
    }
}
