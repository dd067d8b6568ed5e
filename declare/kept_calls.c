/* SPDX-License-Identifier: Apache-2.0 */
/* Files with the operands of calls that a program made: a line that tells what it is;
 * then of each call its dimensions, how many bytes its operands have, and these. In files
 * of version 1 integers were not among them. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "declare.h"

static const char magic[] = "simdbench calls 2\n";
enum { MAGIC = sizeof magic - 1, CALLS_MAX = 65536 };

struct header {
    int64_t dimension[DIMENSIONS_MAX];
    uint64_t bytes;
};

static bool has_number(const struct extent *extent, int64_t value)
{
    uint32_t i = 0;
    while (i < extent->n &&
           (extent->step[i].op != EXTENT_NUMBER || extent->step[i].value != value))
        i++;
    return i < extent->n;
}

bool kept_integer(const struct declaration *declaration, uint32_t argument)
{
    const struct declared_argument *one = &declaration->argument[argument];
    const struct extent *const number = &one->integer; /* perhaps with a sign behind it */
    bool kept = argument < declaration->n_passed && one->kind == ARGUMENT_INTEGER &&
                !one->by_address && number->n <= 2 && number->step[0].op == EXTENT_NUMBER;
    for (one = declaration->argument; one < declaration->argument + declaration->n;
         one++) {
        kept = kept && !has_number(&one->count, number->step[0].value) &&
               !has_number(&one->planes, number->step[0].value) &&
               !(one->kind == ARGUMENT_WITHIN &&
                 has_number(&one->integer, number->step[0].value));
        for (uint32_t k = 0; k < one->n_made && kept; k++)
            kept = !has_number(&one->made[k].integer, number->step[0].value);
    }
    return kept;
}

uint64_t kept_bytes(const struct declaration *declaration,
                    const struct declared_sizes *sizes, uint32_t argument)
{
    const struct declared_argument *const one = &declaration->argument[argument];
    const bool array = one->kind == ARGUMENT_ARRAY && one->role != ARGUMENT_OUT &&
                       declaration_passes(declaration, argument) && !one->vector &&
                       !one->planes.n;
    return array                                 ? sizes->bytes[argument]
           : kept_integer(declaration, argument) ? sizeof(uint64_t)
                                                 : 0;
}

int kept_calls_write(FILE *file, const struct kept_call *call, size_t n,
                     struct error *error)
{
    bool written = fwrite(magic, MAGIC, 1, file) == 1;
    for (size_t i = 0; i < n && written; i++) {
        struct header header = {.bytes = call[i].bytes};
        memcpy(header.dimension, call[i].dimension, sizeof header.dimension);
        written = fwrite(&header, sizeof header, 1, file) == 1 &&
                  (!call[i].bytes || fwrite(call[i].data, call[i].bytes, 1, file) == 1);
    }
    return written ? 0 : error_set(error, -EIO, "%s", strerror(errno));
}

/* False: the file is cut short, or is none of ours. */
static bool take_calls(struct kept_calls *calls)
{
    const unsigned char *const from = calls->map;
    size_t at = MAGIC;
    struct header header;
    if (calls->bytes < MAGIC || memcmp(from, magic, MAGIC) != 0)
        return false;
    for (; calls->bytes - at >= sizeof header && calls->n < CALLS_MAX; calls->n++) {
        memcpy(&header, from + at, sizeof header);
        at += sizeof header;
        if (header.bytes > calls->bytes - at)
            return false;
        if (!array_room(&calls->call, calls->n, sizeof *calls->call))
            return false;
        struct kept_call *const call = &calls->call[calls->n];
        *call = (struct kept_call){.bytes = header.bytes, .data = from + at};
        memcpy(call->dimension, header.dimension, sizeof header.dimension);
        at += header.bytes;
    }
    return at == calls->bytes && calls->n;
}

/* By shape; those of one shape stay in the order of the file. */
static int by_shape(const void *a, const void *b)
{
    const struct kept_call *const x = a, *const y = b;
    const int order = memcmp(x->dimension, y->dimension, sizeof x->dimension);
    return order ? order : (x->data > y->data) - (x->data < y->data);
}

int kept_calls_read(const char *path, struct kept_calls *calls, struct error *error)
{
    struct stat facts;
    *calls = (struct kept_calls){.n = 0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(error, -errno, "%.300s: %s", path, strerror(errno));
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
        calls->bytes = (size_t)facts.st_size;
        calls->map = mmap(NULL, calls->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (calls->map == MAP_FAILED)
        calls->map = NULL;
    if (calls->map && take_calls(calls)) {
        qsort(calls->call, calls->n, sizeof *calls->call, by_shape);
        return 0;
    }
    kept_calls_free(calls);
    return invalid(
        error,
        "%.300s: no whole file of calls, as capture --replay of this version writes it",
        path);
}

void kept_calls_free(struct kept_calls *calls)
{
    if (calls->map)
        munmap(calls->map, calls->bytes);
    free(calls->call);
    *calls = (struct kept_calls){.n = 0};
}

static bool has_shape(const struct kept_call *call, const int64_t *dimension,
                      uint32_t rank)
{
    return memcmp(call->dimension, dimension, rank * sizeof *dimension) == 0;
}

uint32_t kept_calls_most(const struct kept_calls *calls, uint32_t rank)
{
    uint32_t most = 0, n = 0;
    for (size_t i = 0; i < calls->n; i++) {
        const bool same =
            i && has_shape(&calls->call[i], calls->call[i - 1].dimension, rank);
        n = same ? n + 1 : 1;
        most = n > most ? n : most;
    }
    return most;
}

const struct kept_call *kept_call_find(const struct kept_calls *calls,
                                       const int64_t *dimension, uint32_t rank,
                                       size_t number)
{
    size_t n = 0;
    for (size_t i = 0; i < calls->n; i++)
        n += has_shape(&calls->call[i], dimension, rank);
    if (!n)
        return &calls->call[number % calls->n];
    number %= n;
    for (size_t i = 0;; i++)
        if (has_shape(&calls->call[i], dimension, rank) && !number--)
            return &calls->call[i];
}
