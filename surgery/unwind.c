/* SPDX-License-Identifier: Apache-2.0 */
/* Unwind information of copies, so that exceptions pass through them. Handlers lie at the
 * same distance from the beginning of the copy, so the tables of handlers serve both. */
#include "surgery_private.h"

#include <dlfcn.h>

enum { ABSOLUTE = 0, LENGTH_BYTES = 4, POINTER_BYTES = 8 };

/* ---- who unwinds ---- */

/* GCC's function takes a list of entries, LLVM's takes one entry. */
void unwinders_find(struct surgery *surgery)
{
    static const struct {
        const char *soname;
        bool single;
    } all[] = {{"libgcc_s.so.1", false}, {"libunwind.so.1", true}};
    surgery->n_unwinders = 0;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        void *const handle = dlopen(all[i].soname, RTLD_NOW | RTLD_NOLOAD);
        struct unwinder *const unwinder = &surgery->unwinder[surgery->n_unwinders];
        if (!handle)
            continue;
        unwinder->add = (unwinder_function *)(uintptr_t)dlsym(handle, "__register_frame");
        unwinder->remove =
            (unwinder_function *)(uintptr_t)dlsym(handle, "__deregister_frame");
        unwinder->single = all[i].single;
        surgery->n_unwinders += unwinder->add && unwinder->remove;
        dlclose(handle);
    }
}

static void tell(const struct unwinder *unwinder, unsigned char *list, bool add)
{
    unwinder_function *const function = add ? unwinder->add : unwinder->remove;
    uint32_t length, common;
    if (!unwinder->single) {
        function(list);
        return;
    }
    for (unsigned char *at = list;; at += LENGTH_BYTES + length) {
        memcpy(&length, at, sizeof length);
        if (!length)
            return;
        memcpy(&common, at + LENGTH_BYTES, sizeof common);
        if (common)
            function(at);
    }
}

void unwinding_tell(const struct surgery_variant *variant, bool add)
{
    const struct surgery *const surgery = variant->surgery;
    for (size_t p = 0; p < surgery->n_parts; p++)
        for (size_t i = 0; i < surgery->n_unwinders; i++)
            if (variant->part[p].frames)
                tell(&surgery->unwinder[i], variant->part[p].frames, add);
}

/* ---- entries of a part ---- */

struct list {
    unsigned char *bytes;
    size_t n, room;
    bool failed;
};

static void put(struct list *list, const void *bytes, size_t n)
{
    if (list->n + n > list->room && !list->failed) {
        const size_t room = 2 * (list->n + n);
        unsigned char *const more = realloc(list->bytes, room);
        list->failed = !more;
        list->bytes = more ? more : list->bytes;
        list->room = more ? room : list->room;
    }
    if (!list->failed)
        memcpy(list->bytes + list->n, bytes, n);
    list->n += list->failed ? 0 : n;
}

static void put_u8(struct list *list, unsigned value)
{
    put(list, &(unsigned char){(unsigned char)value}, 1);
}

static void put_u32(struct list *list, uint64_t value)
{
    put(list, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
}

static void put_u64(struct list *list, uint64_t value)
{
    put(list, &value, sizeof value);
}

/* The entry begins at its length. Instructions that do nothing (0) fill it up. */
static void end_entry(struct list *list, size_t from)
{
    while (!list->failed && (list->n - from) % POINTER_BYTES != LENGTH_BYTES)
        put_u8(list, 0);
    const uint32_t length = (uint32_t)(list->n - from - LENGTH_BYTES);
    if (!list->failed)
        memcpy(list->bytes + from, &length, sizeof length);
}

static void put_entry(struct list *list, const struct unwinding *unwinding, int64_t delta)
{
    const char *const augmentation = unwinding->signal ? "zPLRS" : "zPLR";
    const size_t common = list->n;
    put_u32(list, 0);
    put_u32(list, 0); /* a common entry */
    put_u8(list, 1);
    put(list, augmentation, strlen(augmentation) + 1);
    put(list, (const void *)(uintptr_t)unwinding->factors, unwinding->factor_bytes);
    put_u8(list, (unsigned)unwinding->return_register);
    put_u8(list, 1 + POINTER_BYTES + 1 + 1);
    put_u8(list, ABSOLUTE);
    put_u64(list, unwinding->personality);
    put_u8(list, ABSOLUTE);
    put_u8(list, ABSOLUTE);
    put(list, (const void *)(uintptr_t)unwinding->common, unwinding->common_bytes);
    end_entry(list, common);
    const size_t own = list->n;
    put_u32(list, 0);
    put_u32(list, own + LENGTH_BYTES - common);
    put_u64(list, unwinding->frame.lo + (uint64_t)delta);
    put_u64(list, unwinding->frame.hi - unwinding->frame.lo);
    put_u8(list, POINTER_BYTES);
    put_u64(list, unwinding->frame.handlers);
    put(list, (const void *)(uintptr_t)unwinding->own, unwinding->own_bytes);
    end_entry(list, own);
}

static void put_block(struct list *list, const struct block *block, int64_t delta)
{
    struct unwinding unwinding;
    const uint64_t frames = block->object ? block->object->frames : 0;
    for (uint64_t at = block->lo;
         at < block->hi && unwinding_from(frames, at, &unwinding) &&
         unwinding.frame.lo < block->hi && unwinding.return_register < 0x80;
         at = unwinding.frame.hi)
        put_entry(list, &unwinding, delta);
}

/* Code that was laid out anew has other distances. */
int unwinding_make(struct surgery_variant *variant, struct error *error)
{
    const struct surgery *const surgery = variant->surgery;
    const bool verbatim = !variant->changes.n && !variant->counts;
    for (size_t p = 0; p < surgery->n_parts && verbatim && surgery->n_unwinders; p++) {
        struct list list = {.n = 0};
        for (size_t i = 0; i < surgery->n_blocks; i++)
            if (surgery->block[i].part == p)
                put_block(&list, &surgery->block[i], variant->part[p].delta);
        if (list.n)
            put_u32(&list, 0);
        if (list.failed) {
            free(list.bytes);
            return no_memory(error);
        }
        variant->part[p].frames = list.bytes;
    }
    return 0;
}
