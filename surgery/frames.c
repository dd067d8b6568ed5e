/* SPDX-License-Identifier: Apache-2.0 */
/* The table of .eh_frame_hdr, as GNU and LLVM linkers write it. */
#include "surgery_private.h"

#include <string.h>

enum {
    VERSION = 1,
    ENCODED_SDATA4 = 0x1b, /* relative to its own place, 4 bytes */
    ENCODED_UDATA4 = 0x03,
    ENCODED_TABLE = 0x3b, /* relative to the header, 4 bytes */
    ENCODED_NOT = 0xff
};

static int32_t read_s32(uint64_t address)
{
    int32_t value;
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return value;
}

static unsigned read_u8(uint64_t address)
{
    return *(const unsigned char *)(uintptr_t)address;
}

static uint64_t skip_leb(uint64_t address)
{
    while (read_u8(address) & 0x80)
        address++;
    return address + 1;
}

static uint64_t pointer_bytes(unsigned encoding)
{
    const unsigned form = encoding & 0x0f;
    return form == 0x02 || form == 0x0a ? 2 : form == 0x03 || form == 0x0b ? 4 : 8;
}

/* The encoding of addresses in the entries of a common entry (CIE) and the address of a
 * table of handlers. False: in a way that is not known here. */
static bool read_common(uint64_t cie, unsigned *code, unsigned *handlers)
{
    const unsigned version = read_u8(cie + 8);
    const char *const augmentation = (const char *)(uintptr_t)(cie + 9);
    uint64_t at = cie + 9 + strlen(augmentation) + 1;
    *code = 0;
    *handlers = ENCODED_NOT;
    if (augmentation[0] != 'z')
        return false;
    at = skip_leb(skip_leb(at));
    at = version == 1 ? at + 1 : skip_leb(at);
    at = skip_leb(at);
    for (const char *c = augmentation + 1; *c; c++) {
        const unsigned encoding = read_u8(at);
        if (*c == 'R')
            *code = encoding;
        else if (*c == 'L')
            *handlers = encoding;
        else if (*c == 'P')
            at += pointer_bytes(encoding);
        else
            continue;
        at++;
    }
    return *code == ENCODED_SDATA4;
}

static bool read_entry(uint64_t fde, struct frame *frame)
{
    const uint64_t cie = fde + 4 - (uint64_t)(uint32_t)read_s32(fde + 4);
    unsigned code, handlers;
    if (!read_common(cie, &code, &handlers))
        return false;
    frame->lo = fde + 8 + (uint64_t)(int64_t)read_s32(fde + 8);
    frame->hi = frame->lo + (uint32_t)read_s32(fde + 12);
    const uint64_t table = skip_leb(fde + 16);
    frame->handles =
        handlers != ENCODED_NOT && read_u8(fde + 16) >= 4 && read_s32(table) != 0;
    return true;
}

bool frame_at(uint64_t frames, uint64_t address, struct frame *frame)
{
    if (!frames || read_u8(frames) != VERSION || read_u8(frames + 2) != ENCODED_UDATA4 ||
        read_u8(frames + 3) != ENCODED_TABLE)
        return false;
    const uint64_t table = frames + 12;
    const int64_t wanted = (int64_t)(address - frames);
    uint32_t low = 0, high = (uint32_t)read_s32(frames + 8);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (read_s32(table + UINT64_C(8) * middle) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    const int64_t offset = read_s32(table + UINT64_C(8) * (low - 1) + 4);
    return read_entry(frames + (uint64_t)offset, frame) && address >= frame->lo &&
           address < frame->hi;
}
