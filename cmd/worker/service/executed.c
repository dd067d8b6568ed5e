/* SPDX-License-Identifier: Apache-2.0 */
#include "executed.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>

enum { PAGE_BYTES = 4096 };

/* The page of a thunk, in place of a path: each process has one, with the same code. */
static const char thunk_name[] = "[thunk]";

static uint64_t thunk_page(run_function *run)
{
    return (uint64_t)(uintptr_t)run / PAGE_BYTES * PAGE_BYTES;
}

bool executed_write(run_function *run, const struct executed_code *executed,
                    struct buffer *text)
{
    const void *const thunk = (void *)(uintptr_t)thunk_page(run);
    const void *base = NULL;
    for (size_t i = 0; i < executed->n; i++) {
        Dl_info object = {.dli_fname = NULL};
        if ((!dladdr((void *)(uintptr_t)executed->at[i], &object) || !object.dli_fname) &&
            executed->at[i] / PAGE_BYTES == thunk_page(run) / PAGE_BYTES)
            object = (Dl_info){.dli_fname = thunk_name, .dli_fbase = (void *)thunk};
        if (!object.dli_fname)
            return false;
        if (object.dli_fbase != base) {
            buffer_add(text, i ? "\n" : "");
            buffer_add(text, object.dli_fname);
            buffer_add(text, "\n");
        }
        base = object.dli_fbase;
        buffer_format(text, "%" PRIx64 " ", executed->at[i] - (uint64_t)(uintptr_t)base);
    }
    return true;
}

/* A file that is loaded already, by its beginning; the program has no path there. */
struct wanted {
    const char *path;
    size_t length;
    uint64_t lo, hi;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct wanted *const wanted = context;
    Dl_info object;
    wanted->lo = UINT64_MAX;
    wanted->hi = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];
        const uint64_t lo = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD)
            continue;
        wanted->lo = lo < wanted->lo ? lo : wanted->lo;
        wanted->hi =
            lo + segment->p_memsz > wanted->hi ? lo + segment->p_memsz : wanted->hi;
    }
    return wanted->hi && dladdr((void *)(uintptr_t)wanted->lo, &object) &&
           object.dli_fname && strlen(object.dli_fname) == wanted->length &&
           !memcmp(object.dli_fname, wanted->path, wanted->length);
}

/* The place where the file or the thunk that `wanted` names lies; false: nowhere. */
static bool find_wanted(run_function *run, struct wanted *wanted)
{
    if (wanted->length != strlen(thunk_name) ||
        memcmp(wanted->path, thunk_name, wanted->length))
        return dl_iterate_phdr(find_object, wanted) == 1;
    wanted->lo = thunk_page(run);
    wanted->hi = wanted->lo + PAGE_BYTES;
    return true;
}

int executed_read(run_function *run, const char *text, struct executed_code *executed,
                  struct error *error)
{
    struct wanted wanted = {.path = text};
    executed->at = malloc((strlen(text) + 1) * sizeof *executed->at);
    if (!executed->at)
        return no_memory(error);
    while (*text) {
        wanted = (struct wanted){.path = text, .length = strcspn(text, "\n")};
        text += wanted.length + (text[wanted.length] != '\0');
        if (!find_wanted(run, &wanted))
            return error_set(error, -ENOENT, "%.*s is not loaded", (int)wanted.length,
                             wanted.path);
        while (*text && *text != '\n') {
            char *end;
            const uint64_t offset = strtoull(text, &end, 16);
            if (end == text || offset >= wanted.hi - wanted.lo || *end != ' ')
                return invalid(error, "bad addresses: %.20s", text);
            executed->at[executed->n++] = wanted.lo / PAGE_BYTES * PAGE_BYTES + offset;
            text = end + 1;
        }
        text += *text == '\n';
    }
    return 0;
}
