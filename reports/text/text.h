/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text: made safe to print, numbers made short, lines wrapped, and files that are
 * replaced as a whole. Short numbers are for people; files for programs get text_exact().
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

#include "error.h"

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

/* Makes text safe to print: control characters, invalid UTF-8 and commands to CI become
 * escapes. `out` is always terminated. */
void text_plain(const char *text, char *out, size_t size);
/* True if programs of CI that read a log would find a command at `text` of `left` bytes
 * behind the byte `before`: "::error" where a line may begin (actions/runner trims
 * blanks), "##[error]" and "##vso[" anywhere (actions/runner, azure-pipelines-agent). */
bool text_commands(const char *text, size_t left, char before);
/* Columns that UTF-8 text takes, a code point each, and a colour none. */
int text_width(const char *text);
int text_width_n(const char *text,
                 size_t length); /* the same for its first `length` bytes */
/* Length of the UTF-8 sequence at `text` (up to `left` bytes), 0 if it is invalid; the
 * code point goes to `code`. */
size_t text_utf8(const unsigned char *text, size_t left, uint32_t *code);
/* True for control characters, which move cursors and set colours, and for marks that are
 * invisible or turn the writing direction, which make a name look like another. */
bool text_unsafe(uint32_t code);
/* NULL is the same as NULL alone. */
bool text_same(const char *a, const char *b);
/* The index of a name, or -EINVAL. */
int text_find(const char *const *names, size_t n, const char *name);
/* Define the functions NAME_name() and NAME_find() of an enumeration. */
#define NAMES(name, type, names)             \
    const char *name##_name(enum type value) \
    {                                        \
        return (names)[value];               \
    }
#define NAMES_BOTH_WAYS(name, type, names) \
    NAMES(name, type, names)               \
    NAMES_FIND(name, type, names)
#define NAMES_FIND(name, type, names)                               \
    int name##_find(const char *text, enum type *value)             \
    {                                                               \
        const int found = text_find(names, ARRAY_LEN(names), text); \
        if (found >= 0)                                             \
            *value = (enum type)found;                              \
        return found < 0 ? found : 0;                               \
    }

void texts_free(char *const *texts, size_t n);
/* Two arguments of a call: an array of all that follow, and its length. */
#define LIST(type, ...) \
    (type const[]){__VA_ARGS__}, ARRAY_LEN(((type const[]){__VA_ARGS__}))

/* Text that grows. */
struct buffer {
    char *text;
    size_t length, room;
};
void buffer_add(struct buffer *buffer, const char *text);
__attribute__((format(printf, 2, 3))) void buffer_format(struct buffer *buffer,
                                                         const char *format, ...);
/* Adds text_plain of `text`. */
void buffer_plain(struct buffer *buffer, const char *text);
/* The same of its first `n` bytes. */
void buffer_plain_n(struct buffer *buffer, const char *text, size_t n);
/* Adds the format, in which each %s is text_plain of a text, NULL being none; it has no
 * other conversions. */
__attribute__((format(printf, 2, 3))) void buffer_tell(struct buffer *buffer,
                                                       const char *format, ...);
__attribute__((format(printf, 2, 0))) void
buffer_tell_list(struct buffer *buffer, const char *format, va_list texts);
void buffer_clear(struct buffer *buffer);
void buffer_free(struct buffer *buffer);
/* The text so far; "" if there is none. */
const char *buffer_text(const struct buffer *buffer);

/* ---- arrays that grow (text_arrays.c) ---- */

/* Makes room for one more entry in the array at `where`, which has `n`, as array_room()
 * does, and zeroes it. */
void *array_grow(void *where, size_t n, size_t size);
/* Appends an entry that is all zeros, and returns it. */
void *array_add(void *where, size_t *n, size_t size);
/* The same with an entry whose first member is its name. */
void *named_add(void *where, size_t *n, size_t size, const char *name);
/* Both in the struct that has the array and its length. */
#define LIST_ADD(owner, list, n) \
    array_add(&(owner)->list, &(owner)->n, sizeof *(owner)->list)
#define NAMED_ADD(owner, list, n, name) \
    named_add(&(owner)->list, &(owner)->n, sizeof *(owner)->list, name)
void string_set(char **where, const char *text); /* frees the old one; NULL clears */
void strings_add(char ***list, size_t *n, const char *text);
void strings_free(char **list, size_t n);

/* ---- formulas (formula.c) ---- */

/* The value of a name in a formula; NaN: it has none. */
typedef double formula_named(const void *context, const char *name, size_t length);
/* Numbers and names (none if `named` is NULL), joined by + - * / and parentheses. A -
 * stands behind a space, as names contain it. NaN if the text is no formula, or its value
 * is not finite. */
double formula_value(const char *formula, formula_named *named, const void *context);

/* ---- writing (markup.c) ---- */

enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD, TONE_DIM, TONE_BOLD };
void text_tone(FILE *file, bool colour, enum tone tone);
/* Writes plain text in a tone. */
void text_toned(FILE *file, bool colour, enum tone tone, const char *text);
/* Writes plain text from column `at` on; words that do not fit into `width` (0:
 * unlimited) go to indented lines. A command between ` is one word. */
void text_wrapped(FILE *file, int width, const char *text, int at);
enum { WRAP_INDENT = 4 };
/* The same with lines that begin in another column; all blanks between words stay. */
void text_wrapped_to(FILE *file, int width, const char *text, int at, int indent);
/* Writes a line, its whole text made plain. What may quote a file, a module, a worker or
 * a command line goes to a stream through here, or through a writer below. */
__attribute__((format(printf, 2, 3))) void text_line(FILE *file, const char *format, ...);
/* Any text as literal text in Markdown, safe to print; NULL is "". */
void text_markdown(FILE *file, const char *text);
/* Write the format, in which each %s is a text that is made plain, or literal text in
 * Markdown; NULL is "". It has no other conversions. */
__attribute__((format(printf, 2, 3))) void text_tell(FILE *file, const char *format, ...);
__attribute__((format(printf, 2, 3))) void text_markdown_tell(FILE *file,
                                                              const char *format, ...);
/* " text |": a cell of a table in Markdown between two marks, "" or "**". A number stays
 * in one line with its unit and its interval. */
void text_markdown_cell(FILE *file, const char *mark, const char *text);

/* A file to which lines go, as Markdown or as plain text for a terminal. */
struct text_page {
    FILE *file;
    bool markdown;
    int width; /* columns of the terminal; 0: unlimited */
};
/* Writes such a line as text_tell() does, wrapped, or an item of a list in Markdown. */
__attribute__((format(printf, 2, 3))) void text_item(const struct text_page *page,
                                                     const char *format, ...);

/* ---- tables of texts (grid.c) ---- */

/* A table for a terminal or as Markdown. It is filled cell by cell with texts that are
 * made plain, row by row; the first row has the titles. */
struct grid {
    const char
        *at; /* 'l' or 'r' for each column: the side of its texts; the last one repeats */
    size_t columns; /* 0: as many as letters */
    char **cell;
    size_t n;
};
void grid_texts(struct grid *grid, const char *const *texts, size_t n);
#define GRID_TEXTS(grid, ...) grid_texts(grid, LIST(const char *, __VA_ARGS__))
__attribute__((format(printf, 2, 3))) void grid_cell(struct grid *grid,
                                                     const char *format, ...);
/* Writes the table, on a terminal behind `indent` blanks, and frees it. Words of the last
 * column that do not fit go to lines of their own. Nothing is written if there is no row
 * below the titles. */
void grid_write(struct grid *grid, const struct text_page *page, int indent);

/* An answer in words: lines that are safe to print, and the one that is being made. */
struct answer {
    char **line;
    size_t n;
    struct buffer text;
};
/* Ends the line, if there is any text in it. */
void answer_next(struct answer *answer);
void answer_free(struct answer *answer);
/* Writes the answer below an empty line, in Markdown as paragraphs, and frees it. */
void text_answer(const struct text_page *page, struct answer answer);

/* "&amp;" and the like, or NULL if the byte stands for itself in XML and Markdown. */
const char *text_entity(char c);
/* A field of CSV: any text, safe to print, in quotes if it needs them, and with a '
 * before it if it would be a formula (= + - @). */
void text_csv(FILE *file, const char *text);
/* The same in a row that grows, with commas between its fields; a number is empty if it
 * is not known or not finite. */
struct csv {
    FILE *file;
    bool begun; /* this row has a field already */
};
void csv_text(struct csv *csv, const char *text);
void csv_texts(struct csv *csv, const char *const *texts, size_t n);
void csv_numbers(struct csv *csv, bool known, const double *values, size_t n);
void csv_end(struct csv *csv);
#define CSV_TEXTS(csv, ...) csv_texts(csv, LIST(const char *, __VA_ARGS__))
#define CSV_NUMBERS(csv, known, ...) csv_numbers(csv, known, LIST(double, __VA_ARGS__))

/* ---- JSON documents (json_make.c) ---- */

/* A document grows as a tree. The first value is the root; its parent is NULL. Within an
 * object each call gives the name, within an array NULL. Begin with {.root = NULL}. */
struct cJSON;
struct json {
    struct cJSON *root;
    struct buffer scratch;
};
struct cJSON *json_object(struct json *json, struct cJSON *parent, const char *name);
struct cJSON *json_array(struct json *json, struct cJSON *parent, const char *name);
void json_null(struct json *json, struct cJSON *parent, const char *name);
void json_bool(struct json *json, struct cJSON *parent, const char *name, bool value);
/* null for NULL. Bytes that are no UTF-8 become escapes. */
void json_text(struct json *json, struct cJSON *parent, const char *name,
               const char *text);
/* The same, and null for an empty text. */
void json_filled(struct json *json, struct cJSON *parent, const char *name,
                 const char *text);
/* The text as text_plain() makes it. */
void json_plain(struct json *json, struct cJSON *parent, const char *name,
                const char *text);
/* null for a number that is not finite. */
void json_number(struct json *json, struct cJSON *parent, const char *name, double value);
/* An array of `values`, or of `whole` if that is not NULL. */
void json_numbers(struct json *json, struct cJSON *parent, const char *name,
                  const double *values, const uint32_t *whole, size_t n);
void json_texts(struct json *json, struct cJSON *parent, const char *name,
                char *const *texts, size_t n);
/* Adds the lines of an answer, if there are any, and frees it. */
void json_answer(struct json *json, struct cJSON *parent, struct answer answer);
/* Writes the document and frees it: 0, or what writing failed with. */
int json_end(struct json *json, FILE *file, struct error *error);
/* The document as text, for the caller to free; frees the tree. */
char *json_take(struct json *json, char indent);
/* Writes such a text, safe to print. */
void json_print(const char *text, FILE *file);
void json_free(struct json *json);
void json_delete(struct cJSON **tree); /* for FREED_BY() */

/* ---- files (file_save.c, file_load.c, file_place.c) ---- */

/* Replaces a file when the new one is complete and on the disk: the old one stays if
 * anything fails, a link stays a link, and owner and permissions stay what they were. A
 * path that is no regular file, or is standard output or error, is written to directly.
 */
typedef int file_writer(const void *context, FILE *file, struct error *error);
int file_save(const char *path, file_writer *write, const void *context,
              struct error *error);
/* Writes what the stream still holds: 0, or a negative errno if any of its text was lost,
 * also before; the caller has set errno to 0 then. */
int file_flush(FILE *file);
/* 0 if file_save() could begin now, or why not; leaves the file as it is. */
int file_try(const char *path, struct error *why);
/* All bytes of a file, and a '\0' after them, to be freed: 0, or a negative errno, -EFBIG
 * for more than `most` of them. */
int file_load(const char *path, size_t most, char **bytes, size_t *size);
/* The same of a file that is open, and stays so. */
int file_load_from(int fd, size_t most, char **bytes, size_t *size);
/* True if file_save() replaces the file, so that saving again takes nothing back. */
bool file_is_replaced(const char *path);

/* A file, or a name in a folder where none is yet: two paths lead to one file if their
 * places are the same, whatever links they take. */
struct file_place {
    dev_t device;
    ino_t inode;
    char name[256]; /* in the folder `inode`; "" if the file is there */
};
/* False if the path leads to no regular file, or can lead to none. */
bool file_place(const char *path, struct file_place *place);
bool file_same(const struct file_place *a, const struct file_place *b);
/* The path that links lead to, to be freed, or NULL and errno. */
char *file_target(const char *path);
