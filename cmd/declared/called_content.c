/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a function makes: a number that follows from its bytes stands for them in
 * results, so that they are compared before they are freed. */
#include "called_private.h"
#include "hash.h"

#include <sys/uio.h>
#include <unistd.h>

/* False: not all of these bytes, of one page, are there. */
static bool read_bytes(uint64_t from, unsigned char *to, size_t n)
{
    void *const address = (void *)(uintptr_t)from;
    const struct iovec here = {to, n}, there = {address, n};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (got < 0 && errno != EFAULT) /* there is no such call, or it is forbidden */
        memcpy(to, address, n);
    return got == (ssize_t)n || (got < 0 && errno != EFAULT);
}

/* Bytes up to an element of zeros, or all. */
static size_t text_length(const unsigned char *bytes, size_t n, uint32_t size)
{
    static const unsigned char zero[8];
    size_t at = 0;
    while (at + size <= n && memcmp(bytes + at, zero, size) != 0)
        at += size;
    return at + size <= n ? at : n;
}

/* The bytes that are compared; UINT64_MAX: up to zeros. */
static uint64_t bytes_of(const struct made_call *made,
                         const struct declared_content *content)
{
    int64_t count = 0;
    struct error lost;
    if (content->length == DECLARED_STRLEN)
        return UINT64_MAX;
    if (content->length != DECLARED_WHOLE)
        count = (int64_t)call_reported(&made->slot->from->declaration, content->length,
                                       &made->frame);
    else if (extent_value(&content->count, made->operands.shape->dim, &count, &lost) < 0)
        count = -1;
    return count < 0 || (uint64_t)count > DECLARED_BYTES_MAX
               ? DECLARED_BYTES_MAX
               : (uint64_t)count * content->size;
}

/* -1: memory ends before. */
static int64_t hash_memory(const struct made_call *made,
                           const struct declared_content *content, uint64_t pointer)
{
    const uint64_t bytes = bytes_of(made, content);
    uint64_t hash = HASH_FIRST, done = 0;
    for (bool more = true; more && done < bytes;) {
        unsigned char page[PAGE];
        size_t n = PAGE - (pointer + done) % PAGE;
        n = n < bytes - done ? n : (size_t)(bytes - done);
        if (!read_bytes(pointer + done, page, n))
            return -1;
        const size_t valid =
            bytes == UINT64_MAX ? text_length(page, n, content->size) : n;
        more = valid == n;
        hash = hash_bytes(hash, page, valid);
        done += valid;
    }
    return (int64_t)(hash_bytes(hash, &done, sizeof done) & INT64_MAX);
}

static void look(struct made_call *made, const struct declared_content *content,
                 uint64_t pointer, int64_t *hash)
{
    if (!content->is_compared || !pointer)
        return;
    *hash = hash_memory(made, content, pointer);
    made->content_ends |= *hash < 0;
}

void made_call_look(struct made_call *made)
{
    const struct declaration *const declaration = &made->slot->from->declaration;
    look(made, &declaration->content, made->frame.result, &made->content_returned);
    for (uint32_t i = 0; i < declaration->n_passed; i++)
        look(made, &declaration->argument[i].content, made->frame.slot[i],
             &made->content[i]);
}

void made_call_forget(struct made_call *made)
{
    made->content_returned = 0;
    made->content_ends = false;
    memset(made->content, 0, sizeof made->content);
}
