/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_image.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_ORDER ELFDATA2LSB
#else
#define HOST_ORDER ELFDATA2MSB
#endif
#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#endif

bool image_take(const struct image *image, uint64_t offset, void *to, size_t n)
{
    if (offset > image->n || n > image->n - offset)
        return false;
    memcpy(to, image->at + offset, n);
    return true;
}

bool image_section(const struct image *image, uint64_t i, ElfW(Shdr) * section)
{
    ElfW(Shdr) first;
    const ElfW(Ehdr) *const header = &image->header;
    uint64_t n = header->e_shnum;
    if (header->e_shentsize != sizeof first || header->e_shoff > image->n ||
        !image_take(image, header->e_shoff, &first, sizeof first))
        return false;
    if (!n) /* more than 65279: their number stands in the first one */
        n = first.sh_size;
    return i < n && i < image->n / sizeof first &&
           image_take(image, header->e_shoff + i * sizeof first, section, sizeof first);
}

bool image_segment(const struct image *image, uint16_t i, ElfW(Phdr) * segment)
{
    const ElfW(Ehdr) *const header = &image->header;
    return i < header->e_phnum && header->e_phentsize == sizeof *segment &&
           header->e_phoff <= image->n &&
           image_take(image, header->e_phoff + i * sizeof *segment, segment,
                      sizeof *segment);
}

const unsigned char *image_loaded(const struct image *image, uint64_t address, uint64_t n)
{
    ElfW(Phdr) segment;
    for (uint16_t i = 0; image_segment(image, i, &segment); i++) {
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
            address - segment.p_vaddr > segment.p_filesz ||
            n > segment.p_filesz - (address - segment.p_vaddr))
            continue;
        const uint64_t offset = segment.p_offset + (address - segment.p_vaddr);
        return offset <= image->n && n <= image->n - offset ? image->at + offset : NULL;
    }
    return NULL;
}

static int map_file(const char *path, struct image *image)
{
    struct stat facts;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    int status = fstat(fd, &facts) < 0     ? -errno
                 : S_ISDIR(facts.st_mode)  ? -EISDIR
                 : !S_ISREG(facts.st_mode) ? -ENOEXEC
                                           : 0;
    if (status == 0 && facts.st_size > 0) {
        void *const all =
            mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        status = all == MAP_FAILED ? -errno : 0;
        image->at = status < 0 ? NULL : all;
        image->n = status < 0 ? 0 : (uint64_t)facts.st_size;
    }
    close(fd);
    return status;
}

static bool is_here(const ElfW(Ehdr) * header)
{
    return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
           header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
           header->e_ident[EI_DATA] == HOST_ORDER && header->e_machine == HOST_MACHINE &&
           (header->e_type == ET_REL || header->e_type == ET_DYN ||
            header->e_type == ET_EXEC);
}

/* Why a file is none of those that can be read; "" if it is one. */
static const char *refused(const struct image *image, bool regular, bool taken)
{
    const ElfW(Ehdr) *const header = &image->header;
    if (!image->n)
        return regular ? "the file is empty" : "this is no regular file";
    if (!taken || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return "it is no library, program or object file for this machine";
    return is_here(header) ? ""
                           : "it is for another kind of machine; build it for this one";
}

int image_open(const char *path, struct image *image, struct error *error)
{
    *image = (struct image){.at = NULL};
    const int status = map_file(path, image);
    if (status < 0 && status != -ENOEXEC)
        return error_set(error, status, "cannot read %s: %s", path, strerror(-status));
    const bool taken =
        status == 0 && image_take(image, 0, &image->header, sizeof image->header);
    const char *const why = refused(image, status == 0, taken);
    if (*why)
        image_close(image);
    return *why ? error_set(error, -ENOEXEC, "%s: %s", path, why) : 0;
}

void image_close(struct image *image)
{
    if (image->at)
        munmap((void *)(uintptr_t)image->at, image->n);
    *image = (struct image){.at = NULL};
}
