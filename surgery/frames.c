/* SPDX-License-Identifier: Apache-2.0 */
/* Unwind information, by the table of .eh_frame_hdr, as GNU and LLVM linkers write it. */
#include "surgery_private.h"

enum {
    VERSION = 1,
    ENCODED_LEB = 0x01,
    ENCODED_U2 = 0x02,
    ENCODED_U4 = 0x03,
    ENCODED_S2 = 0x0a,
    ENCODED_S4 = 0x0b,
    ENCODED_HERE = 0x10, /* relative to its own place */
    ENCODED_CODE = ENCODED_HERE | ENCODED_S4,
    ENCODED_TABLE = 0x3b,   /* relative to the header, 4 bytes */
    ENCODED_THROUGH = 0x80, /* the address of the value */
    ENCODED_NOT = 0xff
};

static int32_t read_s32(uint64_t address)
{
    int32_t value;
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return value;
}

static uint64_t read_u64(uint64_t address)
{
    uint64_t value;
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return value;
}

static unsigned read_u8(uint64_t address)
{
    return *(const unsigned char *)(uintptr_t)address;
}

static uint64_t read_leb(uint64_t *at)
{
    uint64_t value = 0;
    unsigned shift = 0, byte;
    do {
        byte = read_u8((*at)++);
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

/* A value of 0 is no address, however it is encoded. */
static uint64_t read_encoded(unsigned encoding, uint64_t *at)
{
    const uint64_t place = *at;
    int16_t half;
    uint64_t value;
    switch (encoding & 0x0f) {
    case ENCODED_LEB:
        value = read_leb(at);
        break;
    case ENCODED_U2:
    case ENCODED_S2:
        memcpy(&half, (const void *)(uintptr_t)place, sizeof half);
        value = encoding & 0x08 ? (uint64_t)(int64_t)half : (uint16_t)half;
        *at += 2;
        break;
    case ENCODED_U4:
    case ENCODED_S4:
        value = encoding & 0x08 ? (uint64_t)(int64_t)read_s32(place)
                                : (uint32_t)read_s32(place);
        *at += 4;
        break;
    default:
        value = read_u64(place);
        *at += 8;
    }
    if (value && (encoding & 0x70) == ENCODED_HERE)
        value += place;
    return value && encoding & ENCODED_THROUGH ? read_u64(value) : value;
}

/* The common entry (CIE) of a function's own one. False: it is of a kind that is not
 * known here. */
static bool read_common(uint64_t cie, struct unwinding *unwinding, unsigned *handlers)
{
    const unsigned version = read_u8(cie + 8);
    const char *const augmentation = (const char *)(uintptr_t)(cie + 9);
    unsigned code = 0;
    uint64_t at = cie + 9 + strlen(augmentation) + 1;
    *handlers = ENCODED_NOT;
    if (augmentation[0] != 'z')
        return false;
    unwinding->factors = at;
    read_leb(&at);
    read_leb(&at);
    unwinding->factor_bytes = at - unwinding->factors;
    unwinding->return_register = version == 1 ? read_u8(at++) : read_leb(&at);
    const uint64_t bytes = read_leb(&at);
    unwinding->common = at + bytes;
    unwinding->common_bytes = cie + 4 + (uint32_t)read_s32(cie) - unwinding->common;
    for (const char *c = augmentation + 1; *c; c++) {
        if (*c == 'R')
            code = read_u8(at++);
        else if (*c == 'L')
            *handlers = read_u8(at++);
        else if (*c == 'P') {
            const unsigned encoding = read_u8(at++);
            unwinding->personality = read_encoded(encoding, &at);
        } else if (*c == 'S')
            unwinding->signal = true;
        else if (*c != 'B')
            return false;
    }
    return code == ENCODED_CODE;
}

static bool read_entry(uint64_t fde, struct unwinding *unwinding)
{
    const uint64_t cie = fde + 4 - (uint64_t)(uint32_t)read_s32(fde + 4);
    unsigned handlers;
    *unwinding = (struct unwinding){.signal = false};
    if (!read_common(cie, unwinding, &handlers))
        return false;
    struct frame *const frame = &unwinding->frame;
    frame->lo = fde + 8 + (uint64_t)(int64_t)read_s32(fde + 8);
    frame->hi = frame->lo + (uint32_t)read_s32(fde + 12);
    uint64_t at = fde + 16;
    const uint64_t bytes = read_leb(&at);
    unwinding->own = at + bytes;
    unwinding->own_bytes = fde + 4 + (uint32_t)read_s32(fde) - unwinding->own;
    frame->handlers = handlers != ENCODED_NOT && bytes ? read_encoded(handlers, &at) : 0;
    return true;
}

bool unwinding_from(uint64_t frames, uint64_t address, struct unwinding *unwinding)
{
    if (!frames || read_u8(frames) != VERSION || read_u8(frames + 2) != ENCODED_U4 ||
        read_u8(frames + 3) != ENCODED_TABLE)
        return false;
    const uint64_t table = frames + 12;
    const int64_t wanted = (int64_t)(address - frames);
    const uint32_t n = (uint32_t)read_s32(frames + 8);
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (read_s32(table + UINT64_C(8) * middle) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low ? low - 1 : 0; i < n && i <= low; i++) {
        const int64_t offset = read_s32(table + UINT64_C(8) * i + 4);
        if (!read_entry(frames + (uint64_t)offset, unwinding))
            return false;
        if (address < unwinding->frame.hi)
            return true;
    }
    return false;
}

bool frame_at(uint64_t frames, uint64_t address, struct frame *frame)
{
    struct unwinding unwinding = {.signal = false};
    const bool found = unwinding_from(frames, address, &unwinding);
    *frame = unwinding.frame;
    return found && address >= frame->lo;
}

/* The beginnings of handlers count from that of the function, unless the table says
 * otherwise, which no usual compiler does. */
int handlers_visit(const struct frame *frame, handler_visit *visit, void *context)
{
    uint64_t at = frame->handlers;
    int status = 0;
    if (!at)
        return 0;
    if (read_u8(at++) != ENCODED_NOT)
        return -ENOTSUP;
    if (read_u8(at++) != ENCODED_NOT)
        read_leb(&at);
    const unsigned encoding = read_u8(at++);
    const uint64_t bytes = read_leb(&at);
    for (const uint64_t end = at + bytes; at < end && status == 0;) {
        read_encoded(encoding, &at);
        read_encoded(encoding, &at);
        const uint64_t handler = read_encoded(encoding, &at);
        read_leb(&at);
        if (handler)
            status = visit(context, frame->lo + handler);
    }
    return status;
}
