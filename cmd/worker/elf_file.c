/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_ORDER ELFDATA2LSB
#else
#define HOST_ORDER ELFDATA2MSB
#endif

struct bytes {
    const unsigned char *at;
    uint64_t n;
};

/* The bytes from `offset` on; none if there are fewer. Copied out of them, nothing is
 * ever read where it is not aligned. */
static struct bytes part(struct bytes all, uint64_t offset, uint64_t n)
{
    if (offset > all.n || n > all.n - offset)
        return (struct bytes){NULL, 0};
    return (struct bytes){all.at + offset, n};
}

static bool take(struct bytes all, uint64_t offset, void *to, size_t n)
{
    struct bytes from = part(all, offset, n);
    if (from.at)
        memcpy(to, from.at, n);
    return from.at != NULL;
}

static bool header(struct bytes all, const ElfW(Ehdr) * elf, uint16_t i,
                   ElfW(Phdr) * segment)
{
    return i < elf->e_phnum && elf->e_phentsize == sizeof *segment &&
           elf->e_phoff < all.n &&
           take(all, elf->e_phoff + (uint64_t)i * sizeof *segment, segment,
                sizeof *segment);
}

/* The offset in the file of an address that is loaded from it. */
static uint64_t offset_of(struct bytes all, const ElfW(Ehdr) * elf, uint64_t address)
{
    ElfW(Phdr) segment;
    for (uint16_t i = 0; header(all, elf, i, &segment); i++)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return UINT64_MAX;
}

static void read_notes(struct bytes notes, struct elf_file *file)
{
    ElfW(Nhdr) note;
    for (uint64_t at = 0; take(notes, at, &note, sizeof note);) {
        uint64_t name = at + sizeof note;
        uint64_t data = name + ((uint64_t)note.n_namesz + 3) / 4 * 4;
        struct bytes id = part(notes, data, note.n_descsz);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && id.at &&
            id.n * 2 < sizeof file->build_id && !memcmp(notes.at + name, "GNU", 4)) {
            for (uint64_t i = 0; i < id.n; i++)
                snprintf(file->build_id + 2 * i, 3, "%02x", id.at[i]);
            return;
        }
        at = data + ((uint64_t)note.n_descsz + 3) / 4 * 4;
    }
}

static void read_text(struct bytes all, uint64_t offset, char *out, size_t size)
{
    if (offset >= all.n)
        return;
    const size_t n = strnlen((const char *)all.at + offset, all.n - offset);
    if (n < size && n < all.n - offset)
        memcpy(out, all.at + offset, n + 1);
}

static void read_dynamic(struct bytes all, const ElfW(Ehdr) * elf, struct bytes dynamic,
                         struct elf_file *file)
{
    ElfW(Dyn) entry;
    uint64_t texts = UINT64_MAX, soname = 0, runpath = 0;
    for (uint64_t at = 0; take(dynamic, at, &entry, sizeof entry); at += sizeof entry) {
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            texts = offset_of(all, elf, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_SONAME)
            soname = entry.d_un.d_val;
        else if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
            runpath = entry.d_un.d_val;
        else if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE))
            file->kind = ELF_PROGRAM;
    }
    if (texts >= all.n)
        return;
    struct bytes table = {all.at + texts, all.n - texts};
    /* Byte 0 of the table is the empty text. */
    read_text(table, soname, file->soname, sizeof file->soname);
    read_text(table, runpath, file->runpath, sizeof file->runpath);
}

static uint64_t hash_of(struct bytes all)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ all.n;
    for (uint64_t at = 0; at < all.n; at += sizeof hash) {
        const uint64_t rest = all.n - at;
        uint64_t word = 0;
        memcpy(&word, all.at + at, rest < sizeof word ? rest : sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void read_file(struct bytes all, struct elf_file *file)
{
    ElfW(Ehdr) elf;
    ElfW(Phdr) segment;
    if (!take(all, 0, &elf, sizeof elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        elf.e_ident[EI_DATA] != HOST_ORDER ||
        (elf.e_type != ET_EXEC && elf.e_type != ET_DYN))
        return;
    file->kind = elf.e_type == ET_EXEC ? ELF_PROGRAM : ELF_SHARED;
    file->hash = hash_of(all);
    for (uint16_t i = 0; header(all, &elf, i, &segment); i++) {
        struct bytes content = part(all, segment.p_offset, segment.p_filesz);
        if (segment.p_type == PT_INTERP)
            file->kind = ELF_PROGRAM;
        else if (segment.p_type == PT_NOTE && content.at && !file->build_id[0])
            read_notes(content, file);
        else if (segment.p_type == PT_DYNAMIC && content.at)
            read_dynamic(all, &elf, content, file);
    }
}

int elf_read(const char *path, struct elf_file *file, struct error *error)
{
    *file = (struct elf_file){.kind = ELF_OTHER};
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(error, -errno, "cannot read %s: %s", path, strerror(errno));
    int status = fstat(fd, &facts) < 0 ? -errno : 0;
    if (status == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
        void *all = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (all != MAP_FAILED) {
            read_file((struct bytes){all, (uint64_t)facts.st_size}, file);
            munmap(all, (size_t)facts.st_size);
        } else {
            status = -errno;
        }
    } else if (status == 0 && S_ISDIR(facts.st_mode)) {
        status = -EISDIR;
    }
    close(fd);
    return status < 0
               ? error_set(error, status, "cannot read %s: %s", path, strerror(-status))
               : 0;
}
