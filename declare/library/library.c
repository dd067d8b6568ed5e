/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a file, from its tables of symbols. */
#include <elf.h>

#include "library_private.h"
#include "numbers.h"
#include "words.h"

/* A table with more symbols is no library's. */
enum { SYMBOLS_MAX = 8 << 20 };

struct table {
    const struct image *image;
    ElfW(Shdr) symbols, names, versions; /* versions.sh_size = 0: none */
    bool is_dynamic;
};

/* The name at an offset, up to the '@' of a version; NULL: it does not end. */
static char *name_at(const struct table *table, uint64_t offset)
{
    const struct image *const image = table->image;
    const ElfW(Shdr) *const names = &table->names;
    if (names->sh_offset > image->n || names->sh_size > image->n - names->sh_offset ||
        offset >= names->sh_size)
        return NULL;
    const char *const name = (const char *)image->at + names->sh_offset + offset;
    const char *const end = memchr(name, '\0', names->sh_size - offset);
    return end && end > name ? strndup(name, strcspn(name, "@")) : NULL;
}

/* An older version of a function that has the same name: the loader gives another one. */
static bool is_old(const struct table *table, uint64_t i)
{
    uint16_t version;
    return (i + 1) * sizeof version <= table->versions.sh_size &&
           table->versions.sh_offset <= table->image->n &&
           image_take(table->image, table->versions.sh_offset + i * sizeof version,
                      &version, sizeof version) &&
           version & 0x8000;
}

static bool is_code(const struct image *image, uint16_t section)
{
    ElfW(Shdr) header;
    return image_section(image, section, &header) && header.sh_flags & SHF_EXECINSTR;
}

/* Functions, variables that could be tables of them, and the labels of assembly that are
 * global but were given no type. */
static bool is_wanted(const struct image *image, const ElfW(Sym) * symbol)
{
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF)
        return type == STT_FUNC && symbol->st_value;
    if (symbol->st_shndx == SHN_ABS)
        return false;
    if (type == STT_NOTYPE)
        return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
               is_code(image, symbol->st_shndx);
    return type == STT_FUNC || type == STT_GNU_IFUNC ||
           (type == STT_OBJECT && symbol->st_size >= sizeof(void *));
}

static enum function_binding binding_of(const ElfW(Sym) * symbol)
{
    const unsigned visibility = ELF64_ST_VISIBILITY(symbol->st_other);
    if (symbol->st_shndx == SHN_UNDEF)
        return FUNCTION_ELSEWHERE;
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL)
        return FUNCTION_LOCAL;
    return visibility == STV_DEFAULT || visibility == STV_PROTECTED ? FUNCTION_EXPORTED
                                                                    : FUNCTION_HIDDEN;
}

static int add(struct library *library, const struct table *table,
               const ElfW(Sym) * symbol)
{
    char *const name = name_at(table, symbol->st_name);
    if (!name)
        return 0;
    if (!array_room(&library->function, library->n, sizeof *library->function)) {
        free(name);
        return -ENOMEM;
    }
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    library->function[library->n++] =
        (struct library_function){.name = name,
                                  .address = symbol->st_value,
                                  .bytes = symbol->st_size,
                                  .binding = binding_of(symbol),
                                  .is_data = type == STT_OBJECT,
                                  .is_chosen = type == STT_GNU_IFUNC};
    return 0;
}

static int add_table(struct library *library, const struct table *table)
{
    ElfW(Sym) symbol;
    const uint64_t n = table->symbols.sh_size / sizeof symbol;
    int status = table->symbols.sh_offset > table->image->n ? -ENOEXEC : 0;
    for (uint64_t i = 0; i < n && i < SYMBOLS_MAX && status == 0; i++) {
        if (!image_take(table->image, table->symbols.sh_offset + i * sizeof symbol,
                        &symbol, sizeof symbol))
            break;
        if (is_wanted(table->image, &symbol) && !(table->is_dynamic && is_old(table, i)))
            status = add(library, table, &symbol);
    }
    return status;
}

static int by_name(const void *a, const void *b)
{
    const struct library_function *const x = a, *const y = b;
    const int order = strcmp(x->name, y->name);
    if (order || x->binding != y->binding)
        return order ? order : (int)x->binding - (int)y->binding;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Symbols that every linker adds. */
static bool is_startup(const char *name)
{
    return words_have("_init,_fini,_start,deregister_tm_clones,register_tm_clones,"
                      "frame_dummy,call_weak_fn,__do_global_dtors_aux",
                      name);
}

/* .symtab has what .dynsym has too. Equal names stand in the order of binding and
 * address, so that what is there twice is like the first of its name or like the one
 * before. */
static void sort_out(struct library *library)
{
    size_t n = 0, first = 0;
    if (library->n)
        qsort(library->function, library->n, sizeof *library->function, by_name);
    for (size_t i = 0; i < library->n; i++) {
        struct library_function *const function = &library->function[i],
                                       *const kept = library->function;
        const bool same = n && !strcmp(kept[n - 1].name, function->name);
        const bool again = same && (kept[first].address == function->address ||
                                    kept[n - 1].address == function->address);
        if (again || is_startup(function->name)) {
            free(function->name);
            continue;
        }
        first = same ? first : n;
        kept[n++] = *function;
    }
    library->n = n;
    for (size_t i = 0; i < n; i++)
        library->function[i].demangled = name_demangle(library->function[i].name);
}

/* Functions of assembly seldom say how long they are: up to the next one. */
static int fill_sizes(struct library *library)
{
    enum { LONGEST = 1 << 16 };
    uint64_t *const address = calloc(library->n + 1, sizeof *address);
    if (!address)
        return -ENOMEM;
    for (size_t i = 0; i < library->n; i++)
        address[i] = library->function[i].address;
    qsort(address, library->n, sizeof *address, by_u64);
    for (size_t i = 0; i < library->n; i++) {
        struct library_function *const function = &library->function[i];
        const size_t next =
            count_below(address, library->n, sizeof *address, function->address + 1);
        if (!function->bytes && function->binding != FUNCTION_ELSEWHERE &&
            next < library->n && address[next] - function->address <= LONGEST)
            function->bytes = address[next] - function->address;
    }
    free(address);
    return 0;
}

/* Without .dynsym nothing is exported yet; a global function is what it is when linked.
 */
static int read_tables(struct library *library, const struct image *image)
{
    struct table dynamic = {.image = image, .is_dynamic = true}, other = {.image = image};
    ElfW(Shdr) section;
    for (uint64_t i = 0; image_section(image, i, &section); i++) {
        struct table *const table = section.sh_type == SHT_DYNSYM   ? &dynamic
                                    : section.sh_type == SHT_SYMTAB ? &other
                                                                    : NULL;
        if (section.sh_type == SHT_GNU_versym)
            dynamic.versions = section;
        if (!table || !image_section(image, section.sh_link, &table->names))
            continue;
        table->symbols = section;
    }
    library->is_stripped = !other.symbols.sh_size;
    int status = add_table(library, &dynamic);
    const size_t exported = library->n;
    status = status < 0 ? status : add_table(library, &other);
    for (size_t i = exported; i < library->n && !library->is_object; i++)
        if (library->function[i].binding == FUNCTION_EXPORTED)
            library->function[i].binding = FUNCTION_HIDDEN;
    return status;
}

int library_read(const char *path, struct library *library, struct error *error)
{
    struct image image;
    *library = (struct library){.path = NULL};
    int status = image_open(path, &image, error);
    if (status < 0)
        return status;
    const ElfW(Ehdr) *const header = &image.header;
    if (header->e_shoff > image.n ||
        header->e_shnum * (uint64_t)header->e_shentsize > image.n - header->e_shoff) {
        image_close(&image);
        return error_set(error, -ENOEXEC,
                         "%s: its end is missing: copy or build it again", path);
    }
    library->path = strdup(path);
    library->is_object = header->e_type == ET_REL;
    status = library->path ? read_tables(library, &image) : -ENOMEM;
    image_close(&image);
    if (status == 0) {
        sort_out(library);
        status = library->is_object ? 0 : fill_sizes(library);
    }
    if (status == 0)
        return 0;
    library_close(library);
    return error_set(error, status, "cannot read the symbols of %s: %s", path,
                     strerror(-status));
}

void library_close(struct library *library)
{
    for (size_t i = 0; i < library->n; i++) {
        FREE_EACH(library->function[i].name, library->function[i].demangled);
    }
    FREE_EACH(library->function, library->path);
    *library = (struct library){.path = NULL};
}
