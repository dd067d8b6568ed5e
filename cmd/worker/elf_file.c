/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_file.h"
#include "hash.h"

#include <elf.h>

#include "elf_image.h"
#include "numbers.h"

/* The bytes from `offset` on; none if there are fewer. */
static struct image part(const struct image *all, uint64_t offset, uint64_t n)
{
    if (offset > all->n || n > all->n - offset)
        return (struct image){.at = NULL};
    return (struct image){.at = all->at + offset, .n = n};
}

/* Returns the bytes of the id; none if there is none. */
static struct image read_notes(const struct image *notes, struct elf_file *file)
{
    ElfW(Nhdr) note;
    for (uint64_t at = 0; image_take(notes, at, &note, sizeof note);) {
        uint64_t name = at + sizeof note;
        uint64_t data = name + ((uint64_t)note.n_namesz + 3) / 4 * 4;
        const struct image id = part(notes, data, note.n_descsz);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && id.at &&
            id.n * 2 < sizeof file->build_id && !memcmp(notes->at + name, "GNU", 4)) {
            for (uint64_t i = 0; i < id.n; i++)
                snprintf(file->build_id + 2 * i, 3, "%02x", id.at[i]);
            return id;
        }
        at = data + ((uint64_t)note.n_descsz + 3) / 4 * 4;
    }
    return (struct image){.at = NULL};
}

static void read_text(const struct image *table, uint64_t offset, char *out, size_t size)
{
    if (offset >= table->n)
        return;
    const size_t n = strnlen((const char *)table->at + offset, table->n - offset);
    if (n < size && n < table->n - offset)
        memcpy(out, table->at + offset, n + 1);
}

static void read_dynamic(const struct image *image, const struct image *dynamic,
                         struct elf_file *file)
{
    ElfW(Dyn) entry;
    uint64_t soname = 0, runpath = 0;
    struct image table = {.at = NULL};
    for (uint64_t at = 0; image_take(dynamic, at, &entry, sizeof entry);
         at += sizeof entry) {
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            table.at = image_loaded(image, entry.d_un.d_ptr, 1);
        else if (entry.d_tag == DT_SONAME)
            soname = entry.d_un.d_val;
        else if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
            runpath = entry.d_un.d_val;
        else if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE))
            file->kind = ELF_PROGRAM;
    }
    table.n = table.at ? (uint64_t)(image->at + image->n - table.at) : 0;
    /* Byte 0 of the table is the empty text. */
    read_text(&table, soname, file->soname, sizeof file->soname);
    read_text(&table, runpath, file->runpath, sizeof file->runpath);
}

/* gcc makes variables of inline functions and templates of C++ unique, unless it is told
 * not to (-fno-gnu-unique). */
static void read_symbols(const struct image *image, struct elf_file *file)
{
    ElfW(Shdr) table, names;
    ElfW(Sym) symbol;
    uint64_t i = 0;
    while (image_section(image, i, &table) && table.sh_type != SHT_DYNSYM)
        i++;
    if (!image_section(image, i, &table) || !image_section(image, table.sh_link, &names))
        return;
    const struct image symbols = part(image, table.sh_offset, table.sh_size);
    const struct image texts = part(image, names.sh_offset, names.sh_size);
    for (uint64_t at = 0; image_take(&symbols, at, &symbol, sizeof symbol);
         at += sizeof symbol) {
        char name[16] = "";
        read_text(&texts, symbol.st_name, name, sizeof name);
        file->unique |= symbol.st_shndx != SHN_UNDEF &&
                        ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE;
        file->opens |= symbol.st_shndx == SHN_UNDEF &&
                       (!strcmp(name, "dlopen") || !strcmp(name, "dlmopen"));
    }
}

/* Each bit of a word reaches all others: a product alone leaves the highest one alone. */
static uint64_t hash_word(uint64_t hash, uint64_t word)
{
    hash ^= word;
    return random_next(&hash);
}

static uint64_t hash_on(uint64_t hash, const struct image *all)
{
    hash = hash_word(hash, all->n);
    for (uint64_t at = 0; all->at && at < all->n; at += sizeof hash) {
        const uint64_t rest = all->n - at;
        uint64_t word = 0;
        memcpy(&word, all->at + at, rest < sizeof word ? rest : sizeof word);
        hash = hash_word(hash, word);
    }
    return hash;
}

/* The first bytes of the file say where its sections are, which nobody loads. */
static uint64_t hash_loaded(const struct image *image, const struct image *id)
{
    ElfW(Phdr) segment;
    uint64_t hash = HASH_FIRST;
    for (uint16_t i = 0; image_segment(image, i, &segment); i++) {
        const uint64_t from = segment.p_offset, n = segment.p_filesz;
        const struct image content = part(image, from, n);
        if (segment.p_type != PT_LOAD)
            continue;
        if (n && !content.at)
            return 0;
        const uint64_t head = from ? 0 : n < sizeof(ElfW(Ehdr)) ? n : sizeof(ElfW(Ehdr));
        const uint64_t at = id->at ? (uint64_t)(id->at - image->at) : 0;
        const bool inside = id->at && at >= from + head && at - from + id->n <= n;
        const struct image before = part(&content, head, (inside ? at - from : n) - head);
        const struct image behind =
            inside ? part(&content, at - from + id->n, n - (at - from) - id->n)
                   : (struct image){.n = 0};
        hash = hash_on(hash_on(hash_word(hash, segment.p_vaddr), &before), &behind);
        hash = hash_word(hash_word(hash, segment.p_memsz), segment.p_flags);
    }
    return hash;
}

static void read_image(const struct image *image, bool hashed, struct elf_file *file)
{
    ElfW(Phdr) segment;
    struct image id = {.at = NULL};
    if (image->header.e_type == ET_REL)
        return;
    file->kind = image->header.e_type == ET_EXEC ? ELF_PROGRAM : ELF_SHARED;
    for (uint16_t i = 0; image_segment(image, i, &segment); i++) {
        const struct image content = part(image, segment.p_offset, segment.p_filesz);
        if (segment.p_type == PT_INTERP)
            file->kind = ELF_PROGRAM;
        else if (segment.p_type == PT_NOTE && content.at && !file->build_id[0])
            id = read_notes(&content, file);
        else if (segment.p_type == PT_DYNAMIC && content.at)
            read_dynamic(image, &content, file);
    }
    if (!hashed)
        return;
    read_symbols(image, file);
    file->hash = hash_on(HASH_FIRST, image);
    file->loaded = hash_loaded(image, &id);
}

int elf_read(const char *path, bool hashed, struct elf_file *file, struct error *error)
{
    struct image image;
    *file = (struct elf_file){.kind = ELF_OTHER};
    const int status = image_open(path, &image, error);
    if (status < 0)
        return status == -ENOEXEC ? 0 : status;
    read_image(&image, hashed, file);
    image_close(&image);
    return 0;
}
