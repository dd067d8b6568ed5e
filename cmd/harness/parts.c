/* SPDX-License-Identifier: Apache-2.0 */
/* Functions as texts without places, by which those of two programs are matched. */
#include <stdlib.h>

#include "hash.h"
#include "numbers.h"
#include "reports.h"
#include "same_code.h"

enum { LINE = 64, PAGE = 4096 };

/* Jumps within a function go to the instruction of a number. */
static uint64_t add_instruction(const struct program_file *file,
                                const struct listing *code, const struct insn *insn,
                                uint64_t hash)
{
    unsigned char bytes[INSN_BYTES_MAX] = {0};
    const uint8_t n = code_without_places(file, code, insn, bytes);
    if (insn->reference == REFERS_BRANCH && code_holds(code->symbol, insn->target)) {
        const size_t number = code_number(code, insn->target);
        hash = hash_bytes(hash, &number, sizeof number);
    }
    return hash_bytes(hash, bytes, n);
}

static struct part part_of(const struct program_file *file,
                           const struct file_symbol *symbol)
{
    struct listing code;
    struct part part = {.text = HASH_FIRST, .symbol = symbol};
    part.complete = code_read(file, symbol, &code);
    /* Paddings within it move what follows. */
    const uint64_t bytes = code.n ? code.insn[code.n - 1].address - symbol->lo : 0;
    part.place = symbol->lo % PAGE + PAGE * bytes;
    for (size_t i = 0; i < code.n; i++) {
        const struct insn *const insn = &code.insn[i];
        part.text = add_instruction(file, &code, insn, part.text);
        if (insn->reference > REFERS_BRANCH && !file_leads_to_code(file, insn->target)) {
            const uint64_t in_line = insn->target % LINE;
            part.place = hash_bytes(part.place, &in_line, sizeof in_line);
        }
    }
    free(code.insn);
    return part;
}

/* Rust ends names with a hash, "17h", 16 digits and "E", which differs from build to
 * build. */
static int name_bytes(const char *name)
{
    enum { HASH = 20 };
    const size_t n = strlen(name);
    const bool hashed =
        n > HASH && !memcmp(name + n - HASH, "17h", 3) && name[n - 1] == 'E';
    return (int)(hashed ? n - HASH : n);
}

static int by_name(const struct part *a, const struct part *b)
{
    const int n = name_bytes(a->symbol->name), m = name_bytes(b->symbol->name);
    return memcmp(a->symbol->name, b->symbol->name, (size_t)(n < m ? n : m)) ?: n - m;
}

/* Equal texts may use other data: their names tell them apart. */
static int by_text(const void *left, const void *right)
{
    const struct part *const a = left, *const b = right;
    return a->text != b->text
               ? (a->text > b->text) - (a->text < b->text)
               : by_name(a, b)
                     ?: (a->symbol->lo > b->symbol->lo) - (a->symbol->lo < b->symbol->lo);
}

/* The first one of several symbols at a place counts. */
int parts_open(const char *path, const char *folder, struct parts *parts,
               struct error *error)
{
    *parts = (struct parts){.n = 0};
    const int status = program_file_open(path, folder, &parts->file, error);
    const struct program_file *const file = &parts->file;
    if (status < 0)
        return status;
    for (size_t i = 0; i < file->n_symbols; i++)
        if (file->symbol[i].code && file_leads_to_code(file, file->symbol[i].lo) &&
            (!i || file->symbol[i - 1].lo != file->symbol[i].lo))
            *(struct part *)LIST_ADD(parts, entry, n) = part_of(file, &file->symbol[i]);
    if (parts->n)
        qsort(parts->entry, parts->n, sizeof *parts->entry, by_text);
    parts->of_symbol = must_have(calloc(file->n_symbols + 1, sizeof(size_t)));
    for (size_t i = 0; i < parts->n; i++) {
        const struct file_symbol *symbol = parts->entry[i].symbol;
        for (const uint64_t lo = symbol->lo;
             symbol < file->symbol + file->n_symbols && symbol->lo == lo; symbol++)
            parts->of_symbol[symbol - file->symbol] = i + 1;
    }
    return 0;
}

void parts_close(struct parts *parts)
{
    program_file_close(&parts->file);
    FREE_EACH(parts->entry, parts->of_symbol);
    *parts = (struct parts){.n = 0};
}

struct part *parts_at(const struct parts *parts, uint64_t at)
{
    const struct file_symbol *const symbol = file_symbol_at(&parts->file, at);
    const size_t number = symbol ? parts->of_symbol[symbol - parts->file.symbol] : 0;
    return number ? &parts->entry[number - 1] : NULL;
}

size_t parts_group(const struct parts *parts, const struct part *like, size_t *first)
{
    size_t n = 0;
    for (*first = count_below(parts->entry, parts->n, sizeof *like, like->text);
         *first < parts->n && parts->entry[*first].text == like->text &&
         by_name(&parts->entry[*first], like) < 0;)
        ++*first;
    while (*first + n < parts->n && parts->entry[*first + n].text == like->text &&
           by_name(&parts->entry[*first + n], like) == 0)
        n++;
    return n;
}
