/* SPDX-License-Identifier: Apache-2.0 */
#include "same_code.h"

#include <elf.h>
#include <stdlib.h>

#include "hash.h"
#include "numbers.h"
#include "reports.h"

/* Distances of places that are packed in bits: not read. */
enum { PACKED_POINTERS = 19 };

static const char *text_at(const struct image *image, uint64_t table, uint64_t at)
{
    ElfW(Shdr) texts;
    if (!image_section(image, table, &texts) || texts.sh_offset > image->n ||
        texts.sh_size > image->n - texts.sh_offset || at >= texts.sh_size)
        return "";
    const char *const text = (const char *)image->at + texts.sh_offset + at;
    return memchr(text, 0, texts.sh_size - at) ? text : "";
}

/* The i-th entry of a section; false: there are fewer. */
static bool take_entry(const struct program_file *file, const ElfW(Shdr) * table,
                       uint64_t i, void *to, size_t n)
{
    return (i + 1) * n <= table->sh_size &&
           image_take(&file->image, table->sh_offset + i * n, to, n);
}

static void add_bound(struct program_file *file, uint64_t at)
{
    *(uint64_t *)LIST_ADD(file, bound, n_bounds) = at;
}

/* Data that the program changes. */
static bool is_written(const ElfW(Shdr) * header, const char *name)
{
    static const char *const constants[] = {".got",        ".data.rel.ro",
                                            ".dynamic",    ".init_array",
                                            ".fini_array", ".preinit_array"};
    bool written = header->sh_flags & SHF_WRITE;
    for (size_t i = 0; i < ARRAY_LEN(constants); i++)
        written &= strncmp(name, constants[i], strlen(constants[i])) != 0;
    return written;
}

static void read_sections(struct program_file *file)
{
    ElfW(Shdr) header;
    file->lo = UINT64_MAX;
    for (uint64_t i = 0; image_section(&file->image, i, &header); i++) {
        if (header.sh_type == PACKED_POINTERS)
            file->unknown = "its pointers are packed";
        if (!(header.sh_flags & SHF_ALLOC) || !header.sh_size ||
            (header.sh_flags & SHF_TLS && header.sh_type == SHT_NOBITS))
            continue;
        struct file_section *const section = LIST_ADD(file, section, n_sections);
        *section = (struct file_section){
            .lo = header.sh_addr,
            .hi = header.sh_addr + header.sh_size,
            .name = text_at(&file->image, file->image.header.e_shstrndx, header.sh_name),
            .code = header.sh_flags & SHF_EXECINSTR,
            .zeros = header.sh_type == SHT_NOBITS};
        section->written = is_written(&header, section->name);
        add_bound(file, section->lo);
        add_bound(file, section->hi);
        file->lo = section->lo < file->lo ? section->lo : file->lo;
        file->hi = section->hi > file->hi ? section->hi : file->hi;
    }
}

/* ---- symbols ---- */

static void read_symbol(struct program_file *file, const ElfW(Shdr) * table,
                        const ElfW(Sym) * symbol)
{
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    const bool code = type == STT_FUNC || type == STT_GNU_IFUNC;
    const struct file_symbol entry = {
        .lo = symbol->st_value,
        .hi = symbol->st_value + symbol->st_size,
        .name = text_at(&file->image, table->sh_link, symbol->st_name),
        .code = code};
    if ((!code && type != STT_OBJECT) || symbol->st_shndx == SHN_UNDEF)
        return;
    if (table->sh_type == SHT_SYMTAB) {
        *(struct file_symbol *)LIST_ADD(file, symbol, n_symbols) = entry;
        add_bound(file, entry.lo);
        add_bound(file, entry.hi);
    } else {
        *(struct file_symbol *)LIST_ADD(file, exported, n_exported) = entry;
    }
}

/* A file without symbols tells unwinders where functions begin: a table of distances from
 * itself, behind its length. */
static void read_unwound(struct program_file *file)
{
    enum { DISTANCES = 0x3b, DISTANCE = 0x1b, LENGTH = 0x03, ENTRY = 8, HEAD = 12 };
    const struct file_section *const section = file_section_named(file, ".eh_frame_hdr");
    const uint64_t n = section ? section->hi - section->lo : 0;
    const unsigned char *const at = n ? image_loaded(&file->image, section->lo, n) : NULL;
    file->unknown = "it has no symbols";
    if (!at || n < HEAD || at[1] != DISTANCE || at[2] != LENGTH || at[3] != DISTANCES)
        return;
    for (uint64_t i = HEAD; i + ENTRY <= n; i += ENTRY) {
        int32_t distance;
        memcpy(&distance, at + i, sizeof distance);
        const uint64_t lo = section->lo + (uint64_t)(int64_t)distance;
        *(struct file_symbol *)LIST_ADD(file, symbol, n_symbols) =
            (struct file_symbol){.lo = lo, .hi = lo, .name = "", .code = true};
    }
}

static void read_symbols(struct program_file *file)
{
    ElfW(Shdr) table;
    ElfW(Sym) symbol;
    for (uint64_t i = 0; image_section(&file->image, i, &table); i++) {
        if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM)
            continue;
        for (uint64_t k = 0; take_entry(file, &table, k, &symbol, sizeof symbol); k++)
            read_symbol(file, &table, &symbol);
    }
    if (!file->n_symbols)
        read_unwound(file);
    if (file->n_symbols)
        qsort(file->symbol, file->n_symbols, sizeof *file->symbol, by_u64);
}

/* An assembler may write no size: such code ends where something else begins. */
static void end_symbols(struct program_file *file)
{
    for (size_t i = 0; i < file->n_symbols; i++) {
        struct file_symbol *const symbol = &file->symbol[i];
        const struct file_section *const section = file_section_at(file, symbol->lo);
        size_t next = i + 1;
        symbol->loose = symbol->hi == symbol->lo && symbol->code && section;
        if (!symbol->loose)
            continue;
        while (next < file->n_symbols &&
               (file->symbol[next].lo == symbol->lo || !file->symbol[next].code))
            next++;
        symbol->hi = next < file->n_symbols && file->symbol[next].lo < section->hi
                         ? file->symbol[next].lo
                         : section->hi;
    }
}

static void find_cold(struct program_file *file)
{
    static const char cold[] = ".cold";
    const size_t n = sizeof cold - 1;
    for (size_t i = 0; i < file->n_symbols; i++) {
        const struct file_symbol *const symbol = &file->symbol[i];
        const size_t all = strlen(symbol->name);
        if (symbol->code && all > n && !strcmp(symbol->name + all - n, cold))
            *(size_t *)LIST_ADD(file, cold, n_cold) = i;
    }
}

/* ---- pointers ---- */

static void read_pointer(struct program_file *file, const ElfW(Shdr) * table,
                         const ElfW(Rela) * entry)
{
    ElfW(Shdr) symbols;
    ElfW(Sym) symbol = {.st_name = 0};
    struct file_pointer *const pointer = LIST_ADD(file, pointer, n_pointers);
    const uint64_t number = ELF64_R_SYM(entry->r_info);
    *pointer = (struct file_pointer){.at = entry->r_offset,
                                     .value = (uint64_t)entry->r_addend,
                                     .kind = (uint32_t)ELF64_R_TYPE(entry->r_info),
                                     .name = ""};
    pointer->own =
        pointer->kind == R_X86_64_RELATIVE || pointer->kind == R_X86_64_IRELATIVE;
    if (pointer->own)
        add_bound(file, pointer->value);
    if (number && image_section(&file->image, table->sh_link, &symbols) &&
        image_take(&file->image, symbols.sh_offset + number * sizeof symbol, &symbol,
                   sizeof symbol))
        pointer->name = text_at(&file->image, symbols.sh_link, symbol.st_name);
}

static void read_pointers(struct program_file *file)
{
    ElfW(Shdr) table;
    ElfW(Rela) entry;
    for (uint64_t i = 0; image_section(&file->image, i, &table); i++) {
        if (table.sh_type != SHT_RELA || !(table.sh_flags & SHF_ALLOC))
            continue;
        for (uint64_t k = 0; take_entry(file, &table, k, &entry, sizeof entry); k++)
            read_pointer(file, &table, &entry);
    }
    if (file->n_pointers)
        qsort(file->pointer, file->n_pointers, sizeof *file->pointer, by_u64);
}

static void read_libraries(struct program_file *file)
{
    ElfW(Shdr) table;
    ElfW(Dyn) entry;
    file->libraries = HASH_FIRST;
    for (uint64_t i = 0; image_section(&file->image, i, &table); i++)
        for (uint64_t k = 0; table.sh_type == SHT_DYNAMIC &&
                             take_entry(file, &table, k, &entry, sizeof entry);
             k++) {
            if (entry.d_tag != DT_NEEDED)
                continue;
            const char *const name =
                text_at(&file->image, table.sh_link, entry.d_un.d_val);
            file->libraries = hash_text(file->libraries, name);
            if (*name != '/' && strchr(name, '/'))
                file->unknown = "its libraries are in its folder";
        }
}

/* Adds the places that code refers to: something begins there. */
static void read_code(struct program_file *file)
{
    FOR_EACH (const struct file_symbol, symbol, file->symbol, file->n_symbols) {
        const uint64_t n = symbol->hi - symbol->lo;
        const unsigned char *const bytes =
            symbol->code ? image_loaded(&file->image, symbol->lo, n) : NULL;
        struct insn insn;
        for (uint64_t at = 0;
             bytes && at < n && insn_decode(bytes + at, n - at, symbol->lo + at, &insn);
             at += insn.length)
            if (insn.reference != REFERS_NOT && insn.reference != REFERS_BRANCH)
                add_bound(file, insn.target);
    }
}

int program_file_open(const char *path, const char *folder, struct program_file *file,
                      struct error *error)
{
    *file = (struct program_file){.n_symbols = 0};
    snprintf(file->folder, sizeof file->folder, "%s", folder);
    int status = image_open(path, &file->image, error);
    if (status < 0)
        return status;
    if (file->image.header.e_machine != EM_X86_64) {
        program_file_close(file);
        return error_set(error, -ENOTSUP, "it is of another kind of machine");
    }
    if (file->image.header.e_type != ET_DYN)
        file->unknown = "its code lies at one place alone";
    read_sections(file);
    read_symbols(file);
    end_symbols(file);
    find_cold(file);
    read_pointers(file);
    read_libraries(file);
    read_code(file);
    if (file->n_bounds)
        qsort(file->bound, file->n_bounds, sizeof *file->bound, by_u64);
    return 0;
}

void program_file_close(struct program_file *file)
{
    image_close(&file->image);
    FREE_EACH(file->section, file->symbol, file->exported, file->cold, file->pointer,
              file->bound);
    *file = (struct program_file){.n_symbols = 0};
}

/* ---- places ---- */

const struct file_section *file_section_at(const struct program_file *file, uint64_t at)
{
    for (size_t i = 0; i < file->n_sections; i++)
        if (at >= file->section[i].lo && at < file->section[i].hi)
            return &file->section[i];
    return NULL;
}

const struct file_symbol *file_symbol_at(const struct program_file *file, uint64_t at)
{
    enum { NEAR = 64 }; /* symbols within others are few */
    size_t i = count_below(file->symbol, file->n_symbols, sizeof *file->symbol, at + 1);
    for (int n = 0; i-- > 0 && n < NEAR; n++)
        if (file->symbol[i].hi > at)
            return &file->symbol[i];
    return NULL;
}

const struct file_pointer *file_pointer_from(const struct program_file *file, uint64_t at)
{
    const size_t i =
        count_below(file->pointer, file->n_pointers, sizeof *file->pointer, at);
    return i < file->n_pointers ? &file->pointer[i] : NULL;
}
