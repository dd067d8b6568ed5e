/* SPDX-License-Identifier: Apache-2.0 */
/* Memories of a program, and the breakpoints in them. They are written through
 * /proc/PID/mem, a byte each, while threads may run. */
#include "numbers.h"
#include "program_private.h"

#include <fcntl.h>
#include <unistd.h>

enum { INT3 = 0xcc };

struct program_space *space_new(struct program *program, pid_t pid)
{
    struct program_space *const space = calloc(1, sizeof *space);
    char path[40];
    if (!space)
        return NULL;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    space->memory_fd = open(path, O_RDWR | O_CLOEXEC);
    space->held = program->leaving;
    space->layout = ++program->layouts;
    space->next = program->spaces;
    program->spaces = space;
    return space;
}

static bool read_byte(const struct program_space *space, uint64_t address,
                      unsigned char *byte)
{
    return pread(space->memory_fd, byte, 1, (off_t)address) == 1;
}

struct program_space *space_copy(struct program *program,
                                 const struct program_space *from, pid_t pid)
{
    struct program_space *const space = space_new(program, pid);
    unsigned char byte;
    if (!space)
        return NULL;
    space->breakpoint = calloc(from->n + 1, sizeof *space->breakpoint);
    space->object = calloc(from->n_objects + 1, sizeof *space->object);
    space->r_debug = from->r_debug;
    space->layout = from->layout;
    if (space->breakpoint && from->n)
        memcpy(space->breakpoint, from->breakpoint, from->n * sizeof *space->breakpoint);
    if (space->object && from->n_objects)
        memcpy(space->object, from->object, from->n_objects * sizeof *space->object);
    space->n = space->breakpoint ? from->n : 0;
    space->n_objects = space->object ? from->n_objects : 0;
    /* The fork came before we heard of it, and other breakpoints were in then. */
    for (size_t i = 0; i < space->n; i++)
        space->breakpoint[i].in = space->breakpoint[i].replaced != INT3 &&
                                  read_byte(space, space->breakpoint[i].address, &byte) &&
                                  byte == INT3;
    return space;
}

unsigned program_layout(const struct program_space *space)
{
    return space->layout;
}

void space_leave(struct program *program, struct program_space *space)
{
    if (!space || --space->users)
        return;
    for (struct program_space **at = &program->spaces; *at; at = &(*at)->next)
        if (*at == space) {
            *at = space->next;
            break;
        }
    if (space->memory_fd >= 0)
        close(space->memory_fd);
    FREE_EACH(space->breakpoint, space->object, space);
}

/* The first breakpoint that does not lie below an address. */
static size_t place_of(const struct program_space *space, uint64_t address)
{
    return count_below(space->breakpoint, space->n, sizeof *space->breakpoint, address);
}

struct breakpoint *space_find(const struct program_space *space, uint64_t address)
{
    const size_t at = place_of(space, address);
    return at < space->n && space->breakpoint[at].address == address
               ? &space->breakpoint[at]
               : NULL;
}

static bool write_byte(const struct program_space *space, uint64_t address,
                       unsigned char byte)
{
    return pwrite(space->memory_fd, &byte, 1, (off_t)address) == 1;
}

/* Bytes of the code that is there now: what was read at first may be of another file. */
static void put_in(const struct program_space *space, struct breakpoint *breakpoint)
{
    breakpoint->in = read_byte(space, breakpoint->address, &breakpoint->replaced) &&
                     breakpoint->replaced != INT3 &&
                     write_byte(space, breakpoint->address, INT3);
}

/* If it is still there: its file may be mapped no more. */
void space_lift(struct program_space *space, struct breakpoint *breakpoint)
{
    unsigned char byte;
    if (breakpoint->in && read_byte(space, breakpoint->address, &byte) && byte == INT3)
        write_byte(space, breakpoint->address, breakpoint->replaced);
    breakpoint->in = false;
}

void space_lift_inner(struct program_space *space, bool out)
{
    for (size_t i = 0; i < space->n; i++)
        if (space->breakpoint[i].inner && out)
            space_lift(space, &space->breakpoint[i]);
        else if (space->breakpoint[i].inner)
            space_settle(space, &space->breakpoint[i]);
}

void space_settle(struct program_space *space, struct breakpoint *breakpoint)
{
    const bool in = breakpoint->wanted && !space->held;
    if (in && !breakpoint->in)
        put_in(space, breakpoint);
    else if (!in)
        space_lift(space, breakpoint);
}

void space_settle_all(struct program_space *space)
{
    for (size_t i = 0; i < space->n; i++)
        space_settle(space, &space->breakpoint[i]);
}

void space_renew(struct program_space *space, uint64_t from, uint64_t bytes)
{
    for (size_t i = place_of(space, from);
         i < space->n && space->breakpoint[i].address - from < bytes; i++) {
        struct breakpoint *const breakpoint = &space->breakpoint[i];
        unsigned char byte;
        if (breakpoint->in && read_byte(space, breakpoint->address, &byte) &&
            byte != INT3) {
            breakpoint->in = false;
            space_settle(space, breakpoint);
        }
    }
}

bool program_watch(struct program *program, struct program_space *space, uint64_t address,
                   void *watched)
{
    struct breakpoint *breakpoint = space_find(space, address);
    if (breakpoint)
        return true;
    struct breakpoint *const more =
        realloc(space->breakpoint, (space->n + 1) * sizeof *more);
    if (!more)
        return false;
    space->breakpoint = more;
    const size_t at = place_of(space, address);
    memmove(&more[at + 1], &more[at], (space->n - at) * sizeof *more);
    space->n++;
    more[at] = (struct breakpoint){
        .address = address, .watched = watched, .replaced = INT3, .wanted = true};
    breakpoint = &more[at];
    space_settle(space, breakpoint);
    if (breakpoint->in || space->held)
        return true;
    memmove(breakpoint, breakpoint + 1, (--space->n - at) * sizeof *more);
    return false;
}

void program_watch_loader(struct program *program, struct program_space *space,
                          uint64_t address, uint64_t r_debug)
{
    space->r_debug = r_debug;
    program_watch(program, space, address, NULL);
}

void program_watch_all(struct program *program, const void *watched, bool on)
{
    for (struct program_space *space = program->spaces; space; space = space->next)
        for (size_t i = 0; i < space->n; i++)
            if (space->breakpoint[i].watched == watched) {
                space->breakpoint[i].wanted = on;
                space_settle(space, &space->breakpoint[i]);
            }
}
