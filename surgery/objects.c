/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and libraries of this process, their symbols and relocations. */
#include "sections.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* ---- objects ---- */

static void unmap_file(struct object *object)
{
    if (object->file)
        munmap((void *)(uintptr_t)object->file, object->file_bytes);
    object->file = NULL;
    object->file_bytes = 0;
}

/* Its symbols are of use if it is the file that was loaded: the first page has a linker's
 * number of the build. `first`: how many bytes of its beginning are loaded. */
static void map_file(struct object *object, uint64_t first)
{
    struct stat facts;
    const size_t known = first < PAGE ? (size_t)first : PAGE;
    const int fd = open(object->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &facts) == 0 && facts.st_size >= (off_t)sizeof(ElfW(Ehdr)) &&
        (size_t)facts.st_size >= known) {
        void *file = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        object->file = file == MAP_FAILED ? NULL : file;
        object->file_bytes = object->file ? (size_t)facts.st_size : 0;
    }
    close(fd);
    if (object->file && memcmp((const void *)(uintptr_t)object->lo, object->file, known))
        unmap_file(object);
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct objects *objects = context;
    struct object object = {.lo = UINT64_MAX, .bias = info->dlpi_addr};
    uint64_t first = 0;
    if (!array_room(&objects->object, objects->n, sizeof *objects->object))
        return -ENOMEM;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];
        const uint64_t lo = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_EH_FRAME)
            object.frames = lo;
        if (segment->p_type == PT_TLS && info->dlpi_tls_data && info->dlpi_name[0]) {
            object.tls = (uint64_t)(uintptr_t)info->dlpi_tls_data;
            object.tls_bytes = segment->p_memsz;
        }
        if (segment->p_type != PT_LOAD)
            continue;
        first = lo < object.lo ? segment->p_filesz : first;
        object.lo = lo < object.lo ? lo : object.lo;
        object.hi = lo + segment->p_memsz > object.hi ? lo + segment->p_memsz : object.hi;
    }
    /* The kernel's own, whose data lie where no copy reaches them, stays. */
    if (!strncmp(info->dlpi_name, "linux-vdso", 10) || object.lo == UINT64_MAX)
        return 0;
    object.path = strdup(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
    if (!object.path)
        return -ENOMEM;
    map_file(&object, first);
    objects->object[objects->n++] = object;
    return 0;
}

int objects_open(struct objects *objects)
{
    return regions_read(objects) ?: dl_iterate_phdr(add_object, objects);
}

void objects_close(struct objects *objects)
{
    FOR_EACH (struct object, object, objects->object, objects->n) {
        if (object->handle)
            dlclose(object->handle);
        unmap_file(object);
        symbols_free(object->symbols);
        free(object->path);
    }
    FREE_EACH(objects->object, objects->region);
    *objects = (struct objects){.n = 0};
}

const struct object *object_at(const struct objects *objects, uint64_t address)
{
    for (size_t i = 0; i < objects->n; i++)
        if (address >= objects->object[i].lo && address < objects->object[i].hi)
            return &objects->object[i];
    return NULL;
}

void object_hold(struct objects *objects, const struct object *object)
{
    struct object *own = &objects->object[object - objects->object];
    if (own->path && !own->handle)
        own->handle = dlopen(strcmp(own->path, "/proc/self/exe") ? own->path : NULL,
                             RTLD_LAZY | RTLD_NOLOAD);
}

/* ---- sections of its file ---- */

static const void *part_of(const struct object *object, uint64_t offset, uint64_t bytes)
{
    return offset <= object->file_bytes && bytes <= object->file_bytes - offset
               ? object->file + offset
               : NULL;
}

const ElfW(Shdr) * section(const struct object *object, size_t i)
{
    const ElfW(Ehdr) *const elf = part_of(object, 0, sizeof *elf);
    return elf && i < elf->e_shnum
               ? part_of(object, elf->e_shoff + i * sizeof(ElfW(Shdr)),
                         sizeof(ElfW(Shdr)))
               : NULL;
}

const void *entries(const struct object *object, const ElfW(Shdr) * of, size_t size,
                    size_t *n)
{
    const void *const all = part_of(object, of->sh_offset, of->sh_size);
    *n = all ? of->sh_size / size : 0;
    return all;
}

const ElfW(Sym) *
    symbols_in(const struct object *object, const ElfW(Shdr) * of, size_t *n)
{
    *n = 0;
    return of->sh_type == SHT_SYMTAB || of->sh_type == SHT_DYNSYM
               ? entries(object, of, sizeof(ElfW(Sym)), n)
               : NULL;
}

const char *text_of(const struct object *object, size_t table, size_t at)
{
    const ElfW(Shdr) *const texts = section(object, table);
    const char *const all =
        texts ? part_of(object, texts->sh_offset, texts->sh_size) : NULL;
    return all && at < texts->sh_size && memchr(all + at, '\0', texts->sh_size - at)
               ? all + at
               : "";
}

/* Numbers of the loader, of variables of a thread. */
static bool is_of_thread(unsigned type)
{
    return type == R_X86_64_DTPMOD64 || type == R_X86_64_DTPOFF64 ||
           type == R_X86_64_TPOFF64 || type == R_X86_64_TLSDESC;
}

/* NULL: it is of no symbol. */
static const ElfW(Sym) * symbol_of(const struct object *object, const ElfW(Shdr) * table,
                                   const ElfW(Rela) * rela, const char **name)
{
    const size_t number = ELF64_R_SYM(rela->r_info);
    const ElfW(Shdr) *const symbols = section(object, table->sh_link);
    size_t n = 0;
    const ElfW(Sym) *const symbol = symbols ? symbols_in(object, symbols, &n) : NULL;
    if (!symbol || !number || number >= n)
        return NULL;
    *name = text_of(object, symbols->sh_link, symbol[number].st_name);
    return &symbol[number];
}

/* Goes through relocations of all tables of a file. */
struct relocations {
    size_t section, n;
    const ElfW(Shdr) * table;
};

/* The next one of a place in [at, at + n), or NULL. */
static const ElfW(Rela) * next_relocation(const struct object *object, uint64_t at,
                                          uint64_t n, struct relocations *all)
{
    for (; (all->table = section(object, all->section)); all->section++, all->n = 0) {
        size_t n_rela;
        const ElfW(Rela) *const rela = entries(object, all->table, sizeof *rela, &n_rela);
        while (all->table->sh_type == SHT_RELA && all->n < n_rela)
            if (rela[all->n++].r_offset - at < n)
                return &rela[all->n - 1];
    }
    return NULL;
}

bool slot_at(const struct object *object, uint64_t address, const char **name)
{
    const uint64_t at = address - object->bias;
    struct relocations all = {.n = 0};
    *name = NULL;
    for (const ElfW(Rela) * rela;
         !*name && (rela = next_relocation(object, at, 1, &all));) {
        const unsigned type = ELF64_R_TYPE(rela->r_info);
        const bool of_thread = is_of_thread(type);
        if ((of_thread || type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
             type == R_X86_64_IRELATIVE) &&
            !symbol_of(object, all.table, rela, name))
            *name = of_thread ? "of a thread" : "";
    }
    return *name != NULL;
}

/* ---- values of variables in its file ---- */

static const ElfW(Shdr) * section_of(const struct object *object, uint64_t at)
{
    const ElfW(Shdr) * of;
    for (size_t i = 0; (of = section(object, i)); i++)
        if (of->sh_flags & SHF_ALLOC && !(of->sh_flags & SHF_TLS) && at >= of->sh_addr &&
            at - of->sh_addr < of->sh_size)
            return of;
    return NULL;
}

bool section_at(const struct object *object, uint64_t address, uint64_t *lo, uint64_t *hi)
{
    const ElfW(Shdr) *const of = section_of(object, address - object->bias);
    if (!of)
        return false;
    *lo = of->sh_addr + object->bias;
    *hi = *lo + of->sh_size;
    return true;
}

bool leads_to_code(const struct objects *objects, uint64_t address)
{
    const struct region *const region = region_at(objects, address);
    const struct object *const object = object_at(objects, address);
    const ElfW(Shdr) *const of =
        object ? section_of(object, address - object->bias) : NULL;
    return region && region->executable && (!of || of->sh_flags & SHF_EXECINSTR);
}

static const char *name_of(const struct object *object, const ElfW(Shdr) * of)
{
    const ElfW(Ehdr) *const elf = part_of(object, 0, sizeof *elf);
    return text_of(object, elf->e_shstrndx, of->sh_name);
}

bool named_place(const struct object *object, bool other, uint64_t address,
                 uint64_t *place)
{
    const uint64_t at = address - object->bias;
    const ElfW(Shdr) *const of = section_of(object, at);
    const char *const slash = strrchr(object->path, '/');
    struct symbol symbol;
    if (!of)
        return false;
    uint64_t hash =
        other ? hash_text(HASH_FIRST, slash ? slash : object->path) : HASH_FIRST;
    if (!(of->sh_flags & SHF_EXECINSTR))
        hash = hash_text(hash ^ (at - of->sh_addr), name_of(object, of));
    else if (symbol_at(object, address, &symbol))
        hash = hash_text(hash ^ (address - symbol.lo), symbol.name);
    *place = hash;
    return true;
}

/* The symbol, or the place in a section of data, to which a pointer leads; 0: code, of
 * which a program has too many pointers to look all their names up. */
static uint64_t pointer_value(const struct object *object, const ElfW(Shdr) * table,
                              const ElfW(Rela) * rela)
{
    const uint64_t to = (uint64_t)rela->r_addend;
    const ElfW(Shdr) *const of = section_of(object, to);
    const char *name;
    uint64_t place;
    if (symbol_of(object, table, rela, &name))
        return hash_text(HASH_FIRST ^ to, name);
    if (ELF64_R_TYPE(rela->r_info) != R_X86_64_RELATIVE)
        return to;
    return of && !(of->sh_flags & SHF_EXECINSTR) &&
                   named_place(object, false, object->bias + to, &place)
               ? place
               : 0;
}

/* Pointers, which the loader writes, without their places. */
static void clear_pointers(const struct object *object, uint64_t at, uint64_t n,
                           unsigned char *bytes)
{
    struct relocations all = {.n = 0};
    for (const ElfW(Rela) * rela; (rela = next_relocation(object, at, n, &all));) {
        const uint64_t from = rela->r_offset - at, rest = n - from;
        const uint64_t value = pointer_value(object, all.table, rela);
        memcpy(bytes + from, &value, rest < sizeof value ? rest : sizeof value);
    }
}

unsigned char *initial_at(const struct object *object, uint64_t address, uint64_t *n)
{
    const uint64_t at = address - object->bias;
    const ElfW(Shdr) *const of = section_of(object, at);
    if (!of)
        return NULL;
    const uint64_t from = at - of->sh_addr, rest = of->sh_size - from;
    const bool zeros = of->sh_type == SHT_NOBITS;
    *n = rest < *n ? rest : *n;
    const void *const bytes = zeros ? NULL : part_of(object, of->sh_offset + from, *n);
    unsigned char *const copy = zeros || bytes ? calloc(1, *n + 1) : NULL;
    if (copy && bytes) {
        memcpy(copy, bytes, *n);
        clear_pointers(object, at, *n, copy);
    }
    return copy;
}

/* The program's own kernels keep nothing in variables, which lie among those of its
 * workers. */
static bool is_live(const struct object *object, const ElfW(Shdr) * of)
{
    return of->sh_flags & SHF_WRITE && !(of->sh_flags & SHF_TLS) &&
           strcmp(object->path, "/proc/self/exe");
}

/* Sections that hold places of code, or what only the linker reads, are no data. */
static bool is_data(const struct object *object, const ElfW(Shdr) * of)
{
    static const char *const others[] = {".eh_frame", ".gcc_except", ".got",
                                         ".interp",   ".note",       ".relro_padding"};
    const char *const name = name_of(object, of);
    bool other = (of->sh_type != SHT_PROGBITS && of->sh_type != SHT_NOBITS) ||
                 !(of->sh_flags & SHF_ALLOC) || of->sh_flags & SHF_EXECINSTR ||
                 (of->sh_type == SHT_NOBITS && !is_live(object, of));
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        other |= !strncmp(name, others[i], strlen(others[i]));
    return !other;
}

static bool has_names(const struct object *object)
{
    const ElfW(Shdr) * of;
    for (size_t i = 0; (of = section(object, i)); i++)
        if (of->sh_type == SHT_SYMTAB)
            return true;
    return false;
}

/* The bytes of a jump table that begins there: distances from its beginning to code.
 * Numbers of a variable may look like these, but compilers give tables no names; nothing
 * tells both apart in a stripped file. */
static uint64_t distances_at(const struct object *object, const ElfW(Shdr) * of,
                             const unsigned char *bytes, uint64_t from, size_t size)
{
    enum { ENTRIES_LEAST = 3 };
    struct symbol symbol;
    uint64_t at = from;
    for (; at + size <= of->sh_size; at += size) {
        const ElfW(Shdr) *const code =
            section_of(object, entry_target(of->sh_addr + from, bytes + at, size));
        if (!code || !(code->sh_flags & SHF_EXECINSTR))
            break;
    }
    return at - from < ENTRIES_LEAST * size ||
                   symbol_at(object, object->bias + of->sh_addr + from, &symbol)
               ? 0
               : at - from;
}

static void clear_distances(const struct object *object, const ElfW(Shdr) * of,
                            unsigned char *bytes)
{
    const bool may_have = !(of->sh_flags & SHF_WRITE) && has_names(object);
    for (uint64_t i = 0, n; may_have && i < of->sh_size; i += n ?: 4) {
        n = distances_at(object, of, bytes, i, 8)
                ?: distances_at(object, of, bytes, i, 4);
        memset(bytes + i, 0, n);
    }
}

static bool file_hash(const struct object *object, const ElfW(Shdr) * of, uint64_t *hash)
{
    const void *const bytes = part_of(object, of->sh_offset, of->sh_size);
    FREED_BY(free_memory) unsigned char *copy = bytes ? malloc(of->sh_size + 1) : NULL;
    if (!copy)
        return false;
    memcpy(copy, bytes, of->sh_size);
    if (!(of->sh_flags & SHF_TLS))
        clear_pointers(object, of->sh_addr, of->sh_size, copy);
    clear_distances(object, of, copy);
    *hash = hash_bytes(*hash ^ of->sh_size, copy, of->sh_size);
    return true;
}

/* Constructors may write anything. A compiler's own file has the first entry; the one
 * that asks the CPU what it has writes the same in each build. */
static bool has_constructors(const struct object *object, const ElfW(Shdr) * of)
{
    struct relocations all = {.n = 0};
    struct symbol symbol;
    uint64_t known = sizeof(uint64_t);
    for (const ElfW(Rela) * rela;
         (rela = next_relocation(object, of->sh_addr, of->sh_size, &all));)
        if (symbol_at(object, object->bias + (uint64_t)rela->r_addend, &symbol) &&
            !strcmp(symbol.name, "__cpu_indicator_init"))
            known += sizeof(uint64_t);
    return of->sh_size > known;
}

bool data_hash(const struct objects *objects, const struct object *object, uint64_t *hash)
{
    const ElfW(Shdr) * of;
    *hash = HASH_FIRST;
    for (size_t i = 0; (of = section(object, i)); i++) {
        if (of->sh_type == SHT_INIT_ARRAY && has_constructors(object, of))
            return false;
        if (is_data(object, of) &&
            !(is_live(object, of) ? live_hash(objects, object, object->bias + of->sh_addr,
                                              of->sh_size, hash)
                                  : file_hash(object, of, hash)))
            return false;
    }
    return object->file_bytes > 0 &&
           live_hash(objects, object, object->tls, object->tls_bytes, hash);
}
