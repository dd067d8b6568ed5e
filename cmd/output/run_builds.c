/* SPDX-License-Identifier: Apache-2.0 */
/* The builds that a run measures. By them two runs know that they compare equal code. */
#include "output/output.h"

#include <inttypes.h>

#include "hash.h"
#include "library_files.h"

/* Nobody reads its bytes here. */
static bool is_file(const char *input)
{
    return !strncmp(input, "file:", 5);
}

/* False if one is a file. */
static bool hash_texts(const struct named_text *text, size_t n, uint64_t *hash)
{
    bool known = true;
    for (size_t i = 0; i < n; i++) {
        *hash = hash_text(*hash, text[i].name);
        *hash = hash_text(*hash, text[i].text);
        known &= !is_file(text[i].text);
    }
    return known;
}

/* The work that a file declares: another prototype is other work, and so are other
 * functions or inputs. False if files hold a part of it. */
static bool hash_declared(const char *path, uint64_t *hash)
{
    struct error error;
    struct declared_file declared;
    if (declared_load(path, &declared, &error) < 0)
        return false;
    bool known = true;
    FOR_EACH (const struct declared_op, op, declared.op, declared.n) {
        known &= !op->calls && hash_texts(op->kernel, op->n_kernels, hash) &&
                 hash_texts(op->input, op->n_inputs, hash);
        *hash = hash_text(*hash, op->name);
        *hash = hash_text(*hash, op->prototype);
        *hash = hash_text(*hash, op->reset ? "reset" : "");
    }
    declared_free(&declared);
    return known;
}

/* "PATH BUILD-ID-HASH", the hash of what a process maps, as debug information is no code.
 * "PATH " alone if what executes is not known: there is no such file, or it may load
 * others later. What the system brings does so beside its own work. */
static void add_object(const char *path, const struct worker_info *options,
                       struct buffer *text)
{
    struct error error;
    struct elf_file file;
    buffer_format(text, "%s ", library_is_linked(path) ? "linked" : path);
    if (elf_read(path, true, &file, &error) < 0 || file.kind == ELF_OTHER ||
        (file.opens && !is_of_system(path)))
        return;
    uint64_t hash = file.loaded ?: file.hash;
    for (size_t i = 0; options && i < options->n_options; i++) {
        hash = hash_text(hash, options->options[i].name);
        hash = hash_text(hash, options->options[i].value);
    }
    buffer_format(text, "%s-%016" PRIx64, file.build_id, hash);
}

static bool has_object(const cJSON *reply, const char *path)
{
    const cJSON *object;
    cJSON_ArrayForEach (object, message_get(reply, "objects")) {
        if (text_same(message_text(object, "path"), path))
            return true;
    }
    return false;
}

/* Adds the objects of a reply that are not among others, but the plug-in itself. */
static void add_objects(const cJSON *reply, const cJSON *others, const char *plugin,
                        struct run *run)
{
    const cJSON *object;
    cJSON_ArrayForEach (object, message_get(reply, "objects")) {
        FREED_BY(buffer_free) struct buffer text = {.text = NULL};
        const char *const path = message_text(object, "path");
        if (!path || text_same(path, plugin) || has_object(others, path))
            continue;
        add_object(path, NULL, &text);
        strings_add(&run->libraries, &run->n_libraries, buffer_text(&text));
    }
}

/* Adds the libraries that a worker has loaded, and simdbench itself has not. False if it
 * cannot tell. A program of another language, which is its own worker, is not asked. */
static bool add_libraries(const struct options *options, struct worker *worker,
                          const cJSON *own, struct run *run)
{
    struct error error;
    FREED_BY(json_delete) cJSON *reply = NULL;
    if (module_is_foreign(worker->info.path))
        return true;
    const int status =
        worker_ask(worker, objects_call(), options->how.timeout_ns, &reply, &error);
    add_objects(reply, own, worker->info.path, run);
    return status == 0;
}

/* The declaration of a call is temporary: what was called stands in its place. */
static void add_plugin(const struct options *options, struct worker *worker,
                       const cJSON *own, struct run *run)
{
    const bool called = text_same(options->command, "call") && !options->call.save;
    const struct text_list *const inputs = &options->request.inputs;
    const char *const path = worker->info.path;
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    uint64_t hash = HASH_FIRST;
    bool known = add_libraries(options, worker, own, run);
    for (size_t i = 0; i < inputs->n; i++)
        known &= !is_file(inputs->item[i]);
    const bool declared = module_is_declared(path);
    known &= !declared || hash_declared(path, &hash);
    if (known && !declared)
        add_object(path, &worker->info, &text);
    else
        buffer_format(&text, "%s ", called ? options->files.item[0] : path);
    if (known && declared)
        buffer_format(&text, "declared-%016" PRIx64, hash);
    strings_add(&run->plugins, &run->n_plugins, buffer_text(&text));
}

void run_describe_builds(const struct options *options, const struct catalog *catalog,
                         struct run *run)
{
    struct error error;
    struct elf_file file;
    /* In one process all libraries are those of all. */
    FREED_BY(json_delete) cJSON *own = options->how.in_process ? NULL : objects_here();
    if (elf_read("/proc/self/exe", false, &file, &error) == 0 && file.build_id[0])
        string_set(&run->tool_build_id, file.build_id);
    for (size_t i = 1; catalog && i < catalog->n_workers; i++) {
        struct worker *const worker = catalog->workers[i];
        if (!worker->info.path || worker->info.is_baseline)
            continue;
        /* Plug-ins and functions may call libraries of simdbench itself, too. */
        if (!run->n_plugins)
            add_objects(own, NULL, NULL, run);
        add_plugin(options, worker, own, run);
    }
}
