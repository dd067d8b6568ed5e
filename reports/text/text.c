/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <ctype.h>
#include <math.h>

#include "text.h"

size_t text_utf8(const unsigned char *text, size_t left, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length;

    if (!left)
        return 0;
    *code = text[0];
    if (text[0] < 0x80)
        return 1;
    length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4 || left < length)
        return 0;
    *code &= 0xffu >> (length + 1);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    if (*code < smallest[length] || *code > 0x10ffff ||
        (*code >= 0xd800 && *code <= 0xdfff))
        return 0;
    return length;
}

bool text_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || code >= 0xe0000;
}

bool text_commands(const char *text, size_t left, char before)
{
    size_t n = 2;

    if (left < 2 || text[0] != text[1] || (*text != ':' && *text != '#'))
        return false;
    if (*text == ':')
        return !isgraph((unsigned char)before);
    while (n < left && isalpha((unsigned char)text[n]))
        n++;
    return n < left && text[n] == '[';
}

/* Writes the next piece of `text` (one code point or one escape) behind the byte
 * `before`; returns how many bytes of `text` it stands for. */
static size_t plain_piece(const char *text, size_t left, char before, char piece[16])
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t code = 0;
    size_t length = text_utf8(bytes, left, &code);

    if (text_commands(text, left, before)) {
        snprintf(piece, 16, "\\x%02x", bytes[0]);
        return 1;
    }
    if (!length) {
        snprintf(piece, 16, "\\x%02x", bytes[0]);
        return 1;
    }
    if (!text_unsafe(code)) {
        memcpy(piece, text, length);
        piece[length] = '\0';
        return length;
    }
    if (code == '\n' || code == '\r' || code == '\t')
        snprintf(piece, 16, "\\%c", code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
    else if (code < 0x80)
        snprintf(piece, 16, "\\x%02x", (unsigned)code);
    else
        snprintf(piece, 16, code > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)code);
    return length;
}

void text_plain(const char *text, char *out, size_t size)
{
    size_t left = text ? strlen(text) : 0, used = 0;
    char piece[16], before = ' ';

    if (!size)
        return;
    while (left) {
        size_t taken = plain_piece(text, left, before, piece), length = strlen(piece);
        if (used + length >= size)
            break;
        before = text[taken - 1];
        memcpy(out + used, piece, length);
        used += length;
        text += taken;
        left -= taken;
    }
    out[used] = '\0';
}

bool text_same(const char *a, const char *b)
{
    return !a || !b ? a == b : !strcmp(a, b);
}

int text_find(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return (int)i;
    return -EINVAL;
}

int text_width_n(const char *text, size_t length)
{
    int width = 0;

    for (size_t i = 0; i < length; i++)
        if (text[i] == '\033') /* a colour takes no column */
            while (i < length && text[i] != 'm')
                i++;
        else
            width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

int text_width(const char *text)
{
    return text_width_n(text, strlen(text));
}

void text_exact(double value, char out[NUMBER_SIZE])
{
    if (value == floor(value) && fabs(value) < 0x1p53) {
        snprintf(out, NUMBER_SIZE, "%.0f", value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

void text_digits(double value, char out[NUMBER_SIZE])
{
    int digits = 3;

    if (!isfinite(value)) {
        snprintf(out, NUMBER_SIZE, "n/a");
        return;
    }
    /* Just below a power of ten, rounding adds the digit: 9.9996 is 10.00. */
    for (double edge = 9.9995; digits > 0 && fabs(value) >= edge; digits--)
        edge = edge < 10 ? 99.995 : 999.95;
    snprintf(out, NUMBER_SIZE, fabs(value) < 1e15 ? "%.*f" : "%.*e", digits, value);
}

/* Divides by 1000, at most `max` times, until four digits are below 1000. */
static size_t thousands(double *value, size_t max)
{
    size_t steps = 0;

    for (; steps < max && fabs(*value) >= 999.95; steps++)
        *value /= 1000;
    return steps;
}

void text_time(double ns, char out[NUMBER_SIZE])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    char digits[NUMBER_SIZE];
    size_t steps = thousands(&ns, ARRAY_LEN(units) - 1);

    text_digits(ns, digits);
    snprintf(out, NUMBER_SIZE, "%.30s %s", digits, units[steps]);
}

void text_scaled(double value, const char *unit, char out[NUMBER_SIZE])
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    char digits[NUMBER_SIZE];
    size_t steps = fabs(value) < 9999.5 ? 0 : thousands(&value, ARRAY_LEN(prefix) - 1);

    if (!steps && value == floor(value) && fabs(value) < 1e4)
        snprintf(digits, sizeof digits, "%.0f", value);
    else
        text_digits(value, digits);
    snprintf(out, NUMBER_SIZE, "%.24s%s%s%.8s", digits, steps || *unit ? " " : "",
             prefix[steps], unit);
}

void texts_free(char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
}

static void buffer_reserve(struct buffer *buffer, size_t more)
{
    size_t room = buffer->room ? buffer->room : 128;

    while (room - buffer->length <= more)
        room *= 2;
    if (room != buffer->room)
        buffer->text = must_have(realloc(buffer->text, room));
    buffer->room = room;
}

void buffer_add(struct buffer *buffer, const char *text)
{
    size_t length = strlen(text);

    buffer_reserve(buffer, length);
    memcpy(buffer->text + buffer->length, text, length + 1);
    buffer->length += length;
}

__attribute__((format(printf, 2, 0))) static void
buffer_vformat(struct buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    int length;

    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    must(length);
    buffer_reserve(buffer, (size_t)length);
    vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, arguments);
    buffer->length += (size_t)length;
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    buffer_vformat(buffer, format, arguments);
    va_end(arguments);
}

void text_line(FILE *file, const char *format, ...)
{
    FREED_BY(buffer_free) struct buffer raw = {.text = NULL}, plain = {.text = NULL};
    va_list arguments;

    va_start(arguments, format);
    buffer_vformat(&raw, format, arguments);
    va_end(arguments);
    buffer_plain(&plain, buffer_text(&raw));
    fprintf(file, "%s\n", buffer_text(&plain));
}

void buffer_plain_n(struct buffer *buffer, const char *text, size_t n)
{
    char piece[16], before = ' ';

    while (n) {
        size_t taken = plain_piece(text, n, before, piece);
        buffer_add(buffer, piece);
        before = text[taken - 1];
        text += taken;
        n -= taken;
    }
}

void buffer_plain(struct buffer *buffer, const char *text)
{
    buffer_plain_n(buffer, text, text ? strlen(text) : 0);
}

void buffer_tell_list(struct buffer *buffer, const char *format, va_list texts)
{
    const char *next;

    for (; (next = strchr(format, '%')); format = next + 2) {
        assert(next[1] == 's');
        buffer_format(buffer, "%.*s", (int)(next - format), format);
        buffer_plain(buffer, va_arg(texts, const char *));
    }
    buffer_add(buffer, format);
}

void buffer_tell(struct buffer *buffer, const char *format, ...)
{
    va_list texts;

    va_start(texts, format);
    buffer_tell_list(buffer, format, texts);
    va_end(texts);
}

void buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    if (buffer->text)
        buffer->text[0] = '\0';
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct buffer){.text = NULL};
}

const char *buffer_text(const struct buffer *buffer)
{
    return buffer->text ?: "";
}
