/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared inside reports: text made safe, numbers made short. Only writers use it, and
 * only for people; files for programs get text_exact().
 */
#ifndef SIMDBENCH_TEXT_H
#define SIMDBENCH_TEXT_H

#include "reports.h"

enum { NUMBER_SIZE = 40 };

/* Shortest decimal that reads back as the same double; finite numbers only. */
void text_exact(double value, char out[NUMBER_SIZE]);
/* "1.234 us": four digits, unit by size. */
void text_time(double ns, char out[NUMBER_SIZE]);
/* "1234", "33.55 M": four digits and a decimal prefix from 10 000 on; `unit` follows. */
void text_scaled(double value, const char *unit, char out[NUMBER_SIZE]);
/* Four significant digits, but never fewer than all before the point: "0.1234", "12345".
 */
void text_digits(double value, char out[NUMBER_SIZE]);

/* Columns that UTF-8 text takes, a code point each. */
int text_width(const char *text);
/* Length of the UTF-8 sequence at `text` (up to `left` bytes), 0 if it is invalid; the
 * code point goes to `code`. */
size_t text_utf8(const unsigned char *text, size_t left, uint32_t *code);

/* Text that grows. After a failed allocation `failed` stays set and nothing is added. */
struct buffer {
    char *text;
    size_t length, room;
    bool failed;
};
void buffer_add(struct buffer *buffer, const char *text);
__attribute__((format(printf, 2, 3))) void buffer_format(struct buffer *buffer,
                                                         const char *format, ...);
/* Adds text_plain of `text`. */
void buffer_plain(struct buffer *buffer, const char *text);
/* The same of its first `n` bytes. */
void buffer_plain_n(struct buffer *buffer, const char *text, size_t n);
void buffer_clear(struct buffer *buffer);
void buffer_free(struct buffer *buffer);
/* The text so far; "" if there is none. */
const char *buffer_text(const struct buffer *buffer);

#endif
