/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of pointers to planes. A NULL stands behind the last pointer, as in lists of
 * texts, and behind that is memory that nobody may touch. */
#include "called_private.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>

#define GUARD ((size_t)1 << 20)

static size_t table_room(const struct made_call *made, uint32_t i)
{
    return ((made->sizes.planes[i] + 1) * sizeof(void *) + PAGE - 1) / PAGE * PAGE;
}

static void **table_end(const struct made_call *made, uint32_t i)
{
    return made->table[i] + made->sizes.planes[i] + 1;
}

int tables_make(struct made_call *made, struct error *error)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    for (uint32_t i = 0; i < declaration->n; i++) {
        const size_t room = table_room(made, i);
        made->step[i] =
            made->sizes.stride[i] * ctype_bytes(declaration->argument[i].type);
        if (!declaration->argument[i].planes.n)
            continue;
        void **const map =
            mmap(NULL, room + GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED)
            return no_memory(error);
        made->table[i] = map + room / sizeof *map - (made->sizes.planes[i] + 1);
        if (mprotect((void *)map, room, PROT_READ | PROT_WRITE) < 0)
            return no_memory(error);
    }
    return 0;
}

void tables_free(const struct made_call *made)
{
    for (uint32_t i = 0; i < DECLARED_MAX; i++) {
        const size_t room = table_room(made, i);
        if (made->table[i])
            munmap((char *)table_end(made, i) - room, room + GUARD);
    }
}

void tables_fill(const struct made_call *made)
{
    for (uint32_t i = 0; i < DECLARED_MAX; i++)
        for (uint64_t p = 0; made->table[i] && p < made->sizes.planes[i]; p++)
            made->table[i][p] =
                (char *)made_call_array(made, i)->data + p * made->step[i];
}

int tables_check(const struct made_call *made, struct error *error)
{
    for (uint32_t i = 0; i < DECLARED_MAX; i++)
        for (uint64_t p = 0; made->table[i] && p < made->sizes.planes[i]; p++)
            if (made->table[i][p] !=
                (char *)made_call_array(made, i)->data + p * made->step[i])
                return error_set(error, -EDOM, "changes the pointers that %s holds",
                                 made->slot->from->declaration.argument[i].name);
    return 0;
}

void made_call_crash_text(const struct made_call *made, const struct crash *crash,
                          char *text, size_t size)
{
    crash_text(crash, text, size);
    for (uint32_t i = 0; i < DECLARED_MAX && crash->signal == SIGSEGV; i++) {
        const size_t n = strlen(text);
        if (!made->table[i] || crash->general)
            continue;
        const char *const name = made->slot->from->declaration.argument[i].name;
        const uint64_t planes = made->sizes.planes[i];
        if (crash->address - (uintptr_t)table_end(made, i) < GUARD)
            snprintf(text, size, "crashes: %s beyond the %" PRIu64 " pointers of %s",
                     crash->write ? "writes" : "reads", planes, name);
        else if (crash->address < PAGE)
            snprintf(text + n, size - n,
                     "; NULL is behind the %" PRIu64 " pointers of %s", planes, name);
    }
}

/* ---- room for outputs ---- */

unsigned char *reserve(size_t bytes)
{
    return mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
}

/* A page of room for what is read behind an output. */
static size_t output_room(const struct simdbench_operand *operand)
{
    return (operand_bytes(operand) + 2 * PAGE - 1) / PAGE * PAGE;
}

unsigned char *output_buffer(const struct simdbench_operand *operand)
{
    const size_t room = output_room(operand);
    void *const map = reserve(room + GUARD);
    if (map == MAP_FAILED)
        return NULL;
    if (mprotect(map, room, PROT_READ | PROT_WRITE) == 0)
        return map;
    munmap(map, room + GUARD);
    return NULL;
}

void output_free(const struct simdbench_operand *operand, unsigned char *data)
{
    if (data)
        munmap(data, output_room(operand) + GUARD);
}
