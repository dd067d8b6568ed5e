/* SPDX-License-Identifier: Apache-2.0 */
/* Files with code that a process has mapped, by its list of mappings. */
#include "program_private.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

enum { HEADERS_MAX = 64 };

size_t program_read(pid_t process, uint64_t address, void *to, size_t n)
{
    const struct child child = {.pid = process};
    return child_read(&child, address, to, n);
}

/* The number to add to addresses of a file whose first byte is mapped at `base`. */
static bool bias_of(pid_t pid, uint64_t base, uint64_t *bias)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment[HEADERS_MAX];
    if (program_read(pid, base, &header, sizeof header) != sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64 ||
        header.e_phentsize != sizeof *segment || header.e_phnum > HEADERS_MAX ||
        program_read(pid, base + header.e_phoff, segment,
                     header.e_phnum * sizeof *segment) !=
            header.e_phnum * sizeof *segment)
        return false;
    for (size_t i = 0; i < header.e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && segment[i].p_offset < 4096) {
            *bias = base - (segment[i].p_vaddr - segment[i].p_offset);
            return true;
        }
    return false;
}

/* A file of the same name may be another one: of another mount namespace. */
static bool holds(const struct program_space *space, uint64_t base, const char *path)
{
    unsigned char begins[1024], mapped[sizeof begins];
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    const ssize_t n = read(file, begins, sizeof begins);
    close(file);
    return n > 0 && pread(space->memory_fd, mapped, (size_t)n, (off_t)base) == n &&
           !memcmp(begins, mapped, (size_t)n);
}

struct mapped {
    uint64_t base, inode;
    char *path;
    uint64_t end;
    bool has_code;
};

enum { ROOTED_MAX = PATH_MAX + 32 };

/* The path by which it can be read here, or one that is none, as the system has it for
 * files that were deleted. */
static const char *path_here(const struct program_space *space, pid_t pid,
                             const struct mapped *mapped, char other[ROOTED_MAX])
{
    if (holds(space, mapped->base, mapped->path))
        return mapped->path;
    snprintf(other, ROOTED_MAX, "/proc/%d/root%s", (int)pid, mapped->path);
    if (holds(space, mapped->base, other))
        return other;
    snprintf(other, ROOTED_MAX, "%s (another file here)", mapped->path);
    return access(mapped->path, R_OK) < 0 ? mapped->path : other;
}

/* The place where the first byte of each file is mapped, where its last mapping ends, and
 * whether code is among them. */
static size_t read_mappings(pid_t pid, struct mapped **mapped)
{
    char path[40], *line = NULL;
    size_t room = 0, n = 0;
    *mapped = NULL;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *const file = fopen(path, "r");
    while (file && getline(&line, &room, file) > 0) {
        uint64_t from, to, offset, inode;
        char access[8];
        int name = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %n",
                   &from, &to, access, &offset, &inode, &name) < 5 ||
            !name || line[name] != '/')
            continue;
        if (offset == 0 && (!n || (*mapped)[n - 1].inode != inode)) {
            if (!array_room(mapped, n, sizeof **mapped))
                break;
            (*mapped)[n++] = (struct mapped){from, inode, strdup(line + name), to, false};
        }
        if (n && (*mapped)[n - 1].inode == inode) {
            (*mapped)[n - 1].has_code |= access[2] == 'x';
            (*mapped)[n - 1].end = to;
        }
    }
    free(line);
    if (file)
        fclose(file);
    return n;
}

/* A program may read its own file through a mapping beside that of the loader, which then
 * seems to begin there. */
static bool has(const struct mapped *mapped, const struct object *object)
{
    return mapped->inode == object->inode && mapped->base <= object->base &&
           object->base < mapped->end;
}

static bool is_known(const struct program_space *space, const struct mapped *mapped)
{
    for (size_t i = 0; i < space->n_objects; i++)
        if (has(mapped, &space->object[i]))
            return true;
    return false;
}

static bool is_mapped(const struct object *object, const struct mapped *mapped, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (has(&mapped[i], object))
            return true;
    return false;
}

/* The last object that begins before an address, which may lie behind its end. */
static const struct object *object_of(const struct program_space *space, uint64_t address)
{
    const struct object *best = NULL;
    for (size_t i = 0; i < space->n_objects; i++)
        if (space->object[i].base <= address &&
            (!best || space->object[i].base > best->base))
            best = &space->object[i];
    return best;
}

bool space_has(const struct program_space *space, uint64_t address)
{
    const struct object *const object = object_of(space, address);
    return object && address < object->end;
}

bool space_in_loader(const struct program_space *space, uint64_t address)
{
    /* Its variables may lie behind what is mapped of its file, its code does not. */
    const struct object *const loader =
        space->r_debug ? object_of(space, space->r_debug) : NULL;
    return loader && object_of(space, address) == loader && address < loader->end;
}

/* Breakpoints of what is mapped no more are forgotten, not written over: other code may
 * be there now. */
static void forget_gone(struct program_space *space, const struct mapped *mapped,
                        size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < space->n_objects; i++)
        kept += is_mapped(&space->object[i], mapped, n);
    if (kept == space->n_objects)
        return;
    kept = 0;
    for (size_t i = 0; i < space->n; i++) {
        const struct object *const object =
            object_of(space, space->breakpoint[i].address);
        if (object && is_mapped(object, mapped, n))
            space->breakpoint[kept++] = space->breakpoint[i];
    }
    space->n = kept;
    kept = 0;
    for (size_t i = 0; i < space->n_objects; i++)
        if (is_mapped(&space->object[i], mapped, n))
            space->object[kept++] = space->object[i];
    space->n_objects = kept;
}

void space_look(struct program *program, struct program_space *space, pid_t pid)
{
    FREED_BY(free_memory) struct mapped *mapped = NULL;
    const size_t n = read_mappings(pid, &mapped);
    if (n) /* else the list could not be read */
        forget_gone(space, mapped, n);
    for (size_t i = 0; i < n; i++) {
        const struct object object = {mapped[i].base, mapped[i].inode, mapped[i].end};
        char other[ROOTED_MAX];
        uint64_t bias;
        if (!mapped[i].has_code || !mapped[i].path || is_known(space, &mapped[i]) ||
            !bias_of(pid, object.base, &bias))
            continue;
        struct object *const more =
            realloc(space->object, (space->n_objects + 1) * sizeof *more);
        if (!more)
            break;
        space->object = more;
        more[space->n_objects++] = object;
        program->owner->object(program->owner->context, program, space,
                               path_here(space, pid, &mapped[i], other), bias,
                               mapped[i].end);
    }
    for (size_t i = 0; i < n; i++)
        free(mapped[i].path);
}
