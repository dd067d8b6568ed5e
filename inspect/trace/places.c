/* SPDX-License-Identifier: Apache-2.0 */
/* Names of addresses: the module by the list of mappings, symbol and line by libdw. */
#include "inspect_private.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "files.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#endif

struct mapping {
    uint64_t from, to, base; /* base: where its module begins */
    char *module;
};
struct places {
    struct mapping *mapping;
    size_t n;
#ifdef HAVE_DW
    Dwfl *dwfl;
    /* The last unit that was looked for among all of a module. */
    Dwfl_Module *module;
    Dwarf_Die *unit;
    Dwarf_Addr bias;
#endif
};

/* A name of a file, or what has none: code that was made while the program ran. */
static const char *module_name(const char *path)
{
    const char *const base = strrchr(path, '/');
    if (!strncmp(path, "[vdso]", 6))
        return "vdso";
    if (*path != '/' || !strncmp(path, "/memfd:", 7) || !strncmp(path, "/dev/", 5) ||
        !strncmp(path, "/SYSV", 5))
        return "jit";
    return base + 1;
}

static bool add_mapping(char *line, void *context)
{
    struct places *const places = context;
    uint64_t from, to;
    int name = 0;
    if (!array_room(&places->mapping, places->n, sizeof *places->mapping))
        return false;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &from, &to, &name) < 2)
        return true;
    const char *const module = module_name(line + name);
    struct mapping *const all = places->mapping, *const mapping = &all[places->n];
    *mapping =
        (struct mapping){.from = from, .to = to, .base = from, .module = strdup(module)};
    if (!mapping->module)
        return false;
    for (size_t i = 0; i < places->n && strcmp(module, "jit"); i++)
        if (!strcmp(all[i].module, module) && all[i].base < mapping->base)
            mapping->base = all[i].base;
    places->n++;
    return true;
}

static const struct mapping *mapping_of(const struct places *places, uint64_t address)
{
    for (size_t i = 0; i < places->n; i++)
        if (address >= places->mapping[i].from && address < places->mapping[i].to)
            return &places->mapping[i];
    return NULL;
}

const char *places_module(const struct places *places, uint64_t address)
{
    const struct mapping *mapping = mapping_of(places, address);
    return mapping ? mapping->module : "jit";
}

#ifdef HAVE_DW
/* Debug information is that of the file itself, not of others on disk or in a network. */
static int no_debuginfo(Dwfl_Module *module, void **data, const char *name,
                        Dwarf_Addr base, const char *file, const char *link,
                        GElf_Word crc, char **found)
{
    return -1;
}

/* Names of files mean others in another mount namespace. */
static bool has_other_files(pid_t pid)
{
    char path[40];
    struct stat own, other;
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)pid);
    return stat("/proc/self/ns/mnt", &own) == 0 && stat(path, &other) == 0 &&
           own.st_ino != other.st_ino;
}

static Dwfl *open_dwfl(pid_t pid)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = no_debuginfo};
    Dwfl *dwfl = has_other_files(pid) ? NULL : dwfl_begin(&callbacks);
    if (dwfl)
        dwfl_linux_proc_report(dwfl, pid);
    if (dwfl)
        dwfl_report_end(dwfl, NULL, NULL);
    return dwfl;
}

/* A function may have several names. The shortest exported one: lrint, not lrintf32x. */
static const char *shortest_name(Dwfl_Module *module, const char *name, GElf_Addr begin)
{
    const int n = dwfl_module_getsymtab(module);
    for (int i = 1; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *const other =
            dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (other && address == begin && *other != '_' && strlen(other) < strlen(name) &&
            GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
            GELF_ST_BIND(symbol.st_info) != STB_LOCAL)
            name = other;
    }
    return name;
}

static const char *symbol_of(const struct places *places, uint64_t address,
                             uint64_t *offset)
{
    Dwfl_Module *module = places->dwfl ? dwfl_addrmodule(places->dwfl, address) : NULL;
    GElf_Sym symbol;
    GElf_Off from = 0;
    const char *name =
        module ? dwfl_module_addrinfo(module, address, &from, &symbol, NULL, NULL, NULL)
               : NULL;
    *offset = from;
    return name && *name && from == 0 ? shortest_name(module, name, address) : name;
}

/* Without the table of units' addresses, which clang does not write, each is asked. */
static Dwarf_Die *unit_of(struct places *places, uint64_t address, Dwarf_Addr *bias)
{
    Dwfl_Module *module = places->dwfl ? dwfl_addrmodule(places->dwfl, address) : NULL;
    Dwarf_Die *unit = module ? dwfl_module_addrdie(module, address, bias) : NULL;
    if (!module || unit)
        return unit;
    if (module != places->module ||
        dwarf_haspc(places->unit, address - places->bias) != 1)
        do
            unit = dwfl_module_nextcu(module, unit, &places->bias);
        while (unit && dwarf_haspc(unit, address - places->bias) != 1);
    else
        unit = places->unit;
    places->module = module;
    places->unit = unit;
    *bias = places->bias;
    return unit;
}

/* A header of a compiler or the system, or the library of Rust, not of who measures. */
static bool is_of_others(const char *path)
{
    return !strncmp(path, "/usr/lib", 8) || !strncmp(path, "/usr/include", 12) ||
           !strncmp(path, "/rustc/", 7) || strstr(path, "/lib/gcc/") ||
           strstr(path, "/lib/clang/");
}

static int number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    dwarf_formudata(dwarf_attr(die, name, &attribute), &number);
    return (int)number;
}

/* The innermost call of what was inlined there that is in a file of one's own; else
 * `path` and `line` stay. */
static const char *caller_of(Dwarf_Die *unit, Dwarf_Addr address, const char *path,
                             int *line)
{
    Dwarf_Die *scope = NULL, *around = NULL;
    Dwarf_Files *files = NULL;
    const int n = dwarf_getscopes(unit, address, &scope) > 0 &&
                          dwarf_getsrcfiles(unit, &files, NULL) == 0
                      ? dwarf_getscopes_die(scope, &around)
                      : 0;
    for (int i = 0; i < n && is_of_others(path); i++) {
        const size_t number = (size_t)number_of(&around[i], DW_AT_call_file);
        const char *const file = dwarf_hasattr(&around[i], DW_AT_call_file)
                                     ? dwarf_filesrc(files, number, NULL, NULL)
                                     : NULL;
        if (!file || is_of_others(file))
            continue;
        path = file;
        *line = number_of(&around[i], DW_AT_call_line);
    }
    FREE_EACH(scope, around);
    return path;
}

static const char *text_of(Dwarf_Die *unit, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr(unit, name, &attribute));
}

char *places_path(struct places *places, uint64_t address)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *const unit = unit_of(places, address, &bias);
    Dwarf_Line *const found = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *path = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
    int line = 0;
    char *text = NULL;
    if (!path || dwarf_lineno(found, &line) || !line)
        return NULL;
    if (is_of_others(path))
        path = caller_of(unit, address - bias, path, &line);
    const char *const folder = *path != '/' ? text_of(unit, DW_AT_comp_dir) : NULL;
    return asprintf(&text, "%s%s%s:%d", folder ?: "", folder ? "/" : "", path, line) < 0
               ? NULL
               : text;
}

char *places_producer(struct places *places, uint64_t address)
{
    Dwarf_Addr bias;
    Dwarf_Die *const unit = unit_of(places, address, &bias);
    const char *const text = unit ? text_of(unit, DW_AT_producer) : NULL;
    return text ? strdup(text) : NULL;
}
#else
static const char *symbol_of(const struct places *places, uint64_t address,
                             uint64_t *offset)
{
    *offset = 0;
    return NULL;
}

char *places_path(struct places *places, uint64_t address)
{
    return NULL;
}

char *places_producer(struct places *places, uint64_t address)
{
    return NULL;
}
#endif

char *places_source(struct places *places, uint64_t address)
{
    FREED_BY(free_memory) char *path = places_path(places, address);
    return path ? strdup(basename(path)) : NULL;
}

char *places_where(const struct places *places, uint64_t address)
{
    const struct mapping *mapping = mapping_of(places, address);
    uint64_t offset = 0;
    char *text = NULL;
    if (!mapping || !strcmp(mapping->module, "jit"))
        return strdup("jit");
    const char *symbol = symbol_of(places, address, &offset);
    const int n =
        symbol
            ? asprintf(&text, "%s %s+0x%" PRIx64, mapping->module, symbol, offset)
            : asprintf(&text, "%s+0x%" PRIx64, mapping->module, address - mapping->base);
    return n < 0 ? NULL : text;
}

char *places_function(const struct places *places, uint64_t address)
{
    FREED_BY(free_memory) char *where = places_where(places, address);
    const char *begin = where ? strchr(where, ' ') : NULL;
    const char *const end = begin ? strstr(begin, "+0x0") : NULL;
    if (!end || end[4])
        return NULL;
    begin += !strncmp(begin, " _IO_", 5) ? 5 : !strncmp(begin, " __", 3) ? 3 : 1;
    return strndup(begin, (size_t)(end - begin));
}

struct places *places_open(pid_t pid)
{
    struct places *places = calloc(1, sizeof *places);
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    if (!places || file_lines("", path, add_mapping, places) > 0) {
        places_close(places);
        return NULL;
    }
#ifdef HAVE_DW
    places->dwfl = open_dwfl(pid);
#endif
    return places;
}

void places_close(struct places *places)
{
    if (!places)
        return;
#ifdef HAVE_DW
    if (places->dwfl)
        dwfl_end(places->dwfl);
#endif
    for (size_t i = 0; i < places->n; i++)
        free(places->mapping[i].module);
    FREE_EACH(places->mapping, places);
}
