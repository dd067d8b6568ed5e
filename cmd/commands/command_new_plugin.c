/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench new-plugin DIR`: a small project from the files of folder bindings, which
 * are modules as they stand: only their names become the user's. */
#include "commands/commands.h"
#include "commands/new_plugin.h"
#include "kernels.h"

#include <sys/stat.h>
#include <unistd.h>

/* The elements of an own operation, in the words of its template. */
static const struct project_type {
    const char *type, *element, *number, *slack, *inputs;
} project_types[] = {
    {"f32", "float element", "SIMDBENCH_F32", "2.5e-7", "uniform:-1..1"},
    {"f64", "double element", "SIMDBENCH_F64", "5e-16", "uniform:-1..1"},
    {"i8", "int8_t element", "SIMDBENCH_I8", "0.0", "uniform:-9..9"},
    {"u8", "uint8_t element", "SIMDBENCH_U8", "0.0", "uniform:0..15"},
    {"i16", "int16_t element", "SIMDBENCH_I16", "0.0", "uniform:-99..99"},
    {"u16", "uint16_t element", "SIMDBENCH_U16", "0.0", "uniform:0..255"},
    {"i32", "int32_t element", "SIMDBENCH_I32", "0.0", "uniform:-9999..9999"},
    {"u32", "uint32_t element", "SIMDBENCH_U32", "0.0", "uniform:0..9999"},
    {"i64", "int64_t element", "SIMDBENCH_I64", "0.0", "uniform:-9999..9999"},
    {"u64", "uint64_t element", "SIMDBENCH_U64", "0.0", "uniform:0..9999"},
    {"f16", "_Float16 element", "SIMDBENCH_F16", "2e-3", "uniform:-1..1"},
};

/* The module is called like the last part of its folder. */
struct project {
    const struct project_type *type; /* of an own operation */
    const char *folder;
    char name[64];
    const char *stem;        /* its name in the embedded files: "my_gemm" */
    struct plugin_from from; /* texts of --from; NULL: it was not said */
};

/* A file, as it is embedded and as it is written; "*" stands for the module's name. */
struct project_file {
    const char *lang, *from, *to;
};

static const struct project_file project_files[] = {
    {"c", "c.mk", "Makefile"},
    {"c", "*.c", "*.c"},
    {"c", "simdbench.h", "simdbench.h"},
    {"from", "c.mk", "Makefile"},
    {"from", "", "*.c"},
    {"from", "", "*.json"},
    {"cpp", "cpp.mk", "Makefile"},
    {"cpp", "*.c", "*.cpp"},
    {"cpp", "simdbench.h", "simdbench.h"},
    {"rust", "rust.mk", "Makefile"},
    {"rust", "*.rs", "*.rs"},
    {"rust", "simdbench_plugin.rs", "simdbench_plugin.rs"},
    {"zig", "zig.mk", "Makefile"},
    {"zig", "*.zig", "*.zig"},
    {"zig", "simdbench.zig", "simdbench.zig"},
};

static const char *embedded(const char *name)
{
    const struct project_text *row = project_texts;
    while (strcmp(row->name, name) != 0)
        row++;
    return row->text;
}

/* The facts of this machine and of this project. */
static void write_text(const struct project *project, const char *text, FILE *file)
{
    char item[24];
    snprintf(item, sizeof item, "Item = %s", project->type->type);
    const char *const pairs[][2] = {
        {"my_gemm", project->name},
        {"my_op", project->name},
        {"float element", project->type->element},
        {"Item = f32", item}, /* Rust has the same names */
        {"SIMDBENCH_F32", project->type->number},
        {"2.5e-7", project->type->slack},
        {"uniform:-1..1", project->type->inputs},
        {" simdbench.h", project->from.libs ? "" : " simdbench.h"},
        {"LDLIBS =", project->from.libs ?: "LDLIBS ="},
#ifdef __aarch64__
        {"\"avx2\"", "\"neon\""},
        {" -march=x86-64-v3", ""},
        {" -C target-cpu=x86-64-v3", ""},
        {" -mcpu=x86_64_v3", ""},
#endif
    };
    while (*text) {
        size_t i = 0;
        while (i < ARRAY_LEN(pairs) && strncmp(text, pairs[i][0], strlen(pairs[i][0])))
            i++;
        if (i == ARRAY_LEN(pairs)) {
            fputc(*text++, file);
            continue;
        }
        fputs(pairs[i][1], file);
        text += strlen(pairs[i][0]);
    }
}

/* "*.c" as "NAME.c". */
static void expand(const char *pattern, const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s%s", *pattern == '*' ? name : "", pattern + (*pattern == '*'));
}

static void path_of(const struct project *project, const struct project_file *row,
                    char *path, size_t size)
{
    char to[128];
    expand(row->to, project->name, to, sizeof to);
    snprintf(path, size, "%s/%s", project->folder, to);
}

static int check_free(const struct project *project, const struct project_file *row,
                      struct error *error)
{
    char path[4096];
    struct stat facts;
    path_of(project, row, path, sizeof path);
    if (lstat(path, &facts) == 0)
        return error_set(error, -EEXIST, "%.300s: %s", path, strerror(EEXIST));
    return errno == ENOENT ? 0 : error_set(error, -errno, "%.300s: %m", path);
}

static void take_back(const struct project *project, const struct project_file *row)
{
    char path[4096];
    path_of(project, row, path, sizeof path);
    unlink(path);
}

/* Never over a file that is there. Nothing is left of a file that failed. */
static int write_file(const struct project *project, const struct project_file *row,
                      struct error *error)
{
    char from[128], path[4096];
    expand(row->from, project->stem, from, sizeof from);
    path_of(project, row, path, sizeof path);
    FILE *const file = fopen(path, "wxe");
    if (!file)
        return error_set(error, -errno, "%.300s: %s", path, strerror(errno));
    if (!*row->from)
        fprintf(file, "%s\n",
                strcmp(row->to, "*.c") ? project->from.declaration
                                       : project->from.source);
    else if (*row->from == '*' || strcmp(row->from, row->to) != 0)
        write_text(project, embedded(from), file);
    else
        fputs(embedded(from), file);
    const bool failed = ferror(file);
    if (!fclose(file) && !failed)
        return 0;
    take_back(project, row);
    return error_set(error, -EIO, "%.300s could not be written", path);
}

/* `simdbench NAME` would be another command than the op. */
static bool is_command(const char *name)
{
    FREED_BY(text_list_free) struct text_list names = {.n = 0};
    args_commands(&names);
    text_list_add(&names, "worker");
    return text_list_has(&names, name);
}

/* The folder stands in a command line and in a makefile. */
static int name_project(struct project *project, bool own_op, struct error *error)
{
    static const char safe[] = "/.+_-0123456789abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *const folder = project->folder, *const name = basename(folder);
    const size_t length = strlen(name);
    if (folder[strspn(folder, safe)] || *folder == '-' || !length ||
        length >= sizeof project->name || strpbrk(name, ".+") || *name == '-' ||
        strlen(folder) > 3000)
        return invalid(
            error,
            "%.100s: the last part of DIR becomes the module's name (letters, digits, "
            "'-' and '_', at most %zu); before it there may be '/', '.' and '+'",
            folder, sizeof project->name - 1);
    if (!strcmp(name, "simdbench") || !strcmp(name, "simdbench_plugin") ||
        (own_op && op_find(request_op_name(name))))
        return invalid(error, "%s is a name of simdbench's own", name);
    if (own_op && is_command(name))
        return invalid(error,
                       "%s is a command of simdbench, so no operation can have its name",
                       name);
    if (!strcasecmp(name, "Makefile") || !strcasecmp(name, "GNUmakefile"))
        return invalid(
            error, "make would take %s for its own file: the module needs another name",
            name);
    snprintf(project->name, sizeof project->name, "%s", name);
    return 0;
}

/* All files or none. */
static int make_project(const struct project *project, const char *lang,
                        struct error *error)
{
    const struct project_file *row[ARRAY_LEN(project_files)];
    size_t n = 0, written = 0;
    int status = 0;
    for (size_t i = 0; i < ARRAY_LEN(project_files); i++)
        if (!strcmp(project_files[i].lang, lang))
            row[n++] = &project_files[i];
    for (size_t i = 0; i < n && status == 0; i++)
        status = check_free(project, row[i], error);
    if (status < 0)
        return status;
    const bool made = mkdir(project->folder, 0777) == 0;
    if (!made && errno != EEXIST)
        return error_set(error, -errno, "%.300s: %s", project->folder, strerror(errno));
    while (written < n && (status = write_file(project, row[written], error)) == 0)
        written++;
    while (status < 0 && written > 0)
        take_back(project, row[--written]);
    if (status < 0 && made)
        rmdir(project->folder);
    return status;
}

/* The type of an own operation; the template computes with its elements. */
static int choose_type(const struct text_list *types, const char *lang, bool own_op,
                       struct project *project, struct error *error)
{
    const char *const type = types->n ? types->item[types->n - 1] : "f32";
    project->type = &project_types[0];
    if (!types->n)
        return 0;
    const bool c = !strcmp(lang, "c"), zig = !strcmp(lang, "zig");
    for (size_t i = 0; i < ARRAY_LEN(project_types); i++)
        if (!strcmp(project_types[i].type, type) && own_op && !zig &&
            (strcmp(type, "f16") != 0 || c)) {
            project->type = &project_types[i];
            return 0;
        }
    return invalid(error,
                   "--type=%.40s: with --op=own in C, C++ and Rust there are f32, f64, "
                   "i8, u8, i16, u16, i32, u32, i64, u64, and f16 in C; simdbench.h has "
                   "bf16 and blocks of bytes, which no C compiler computes with",
                   type);
}

static int check_lang(const struct options *options, const char *lang,
                      struct error *error)
{
    bool known = false;
    if (!options->from != !options->link)
        return invalid(error,
                       "--from and --link belong together, as in --link=./libmix.so "
                       "--from='void mix_avx2(float y[n], const float x[n], size_t n)'");
    if (options->from &&
        (strcmp(lang, "c") || options->request.types.n || options->own_op))
        return invalid(error, "--from writes C with the types of its prototype: it takes "
                              "no --lang, --type and --op");
    for (size_t i = 0; i < ARRAY_LEN(project_files); i++)
        known |= !strcmp(project_files[i].lang, lang) && strcmp(lang, "from") != 0;
    if (!known)
        return invalid(error, "--lang=%.40s: there are c, cpp, rust and zig", lang);
    if (options->own_op && !strcmp(lang, "zig"))
        return invalid(error, "--op=own: an operation is written in C, C++ or Rust; zig "
                              "has kernels of simdbench's operations");
    return 0;
}

int command_new_plugin(struct options *options)
{
    struct error error = {.text = ""};
    const char *const lang = options->lang ?: "c";
    const char *const from = options->from;
    const bool own = options->own_op || from;
    struct project project = {.folder = options->files.item[0],
                              .stem = own ? "my_op" : "my_gemm"};
    int status = check_lang(options, lang, &error)
                     ?: choose_type(&options->request.types, lang, own, &project, &error)
                     ?: name_project(&project, own, &error);
    if (status == 0 && from)
        status = plugin_from(from, options->link, project.name, &project.from, &error);
    status = status ?: make_project(&project, from ? "from" : lang, &error);
    const char *const dot = strchr(project.folder, '/') ? "" : "./";
    if (status == 0 && from)
        text_line(stdout, "make -C %s && %s call %s%s/%s.json", project.folder,
                  options->argv[0], dot, project.folder, project.name);
    else if (status == 0)
        text_line(stdout, "make -C %s && %s %s --plugin=%s%s/%s.so%s", project.folder,
                  options->argv[0], own ? project.name : "gemm", dot, project.folder,
                  project.name, own ? "" : " --semiring=maxplus --sizes=64..256");
    FREE_EACH(project.from.source, project.from.declaration, project.from.libs);
    return exit_status_of(status, &error);
}
