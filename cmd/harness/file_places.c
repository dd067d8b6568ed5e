/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what lies at a place of a program, and where a thing of some name lies. */
#include "same_code.h"

#include "numbers.h"
#include "reports.h"

/* ---- what lies at a place of a file ---- */

const struct file_pointer *file_pointer_at(const struct program_file *file, uint64_t at)
{
    const struct file_pointer *const pointer = file_pointer_from(file, at);
    return pointer && pointer->at == at ? pointer : NULL;
}

unsigned char file_byte(const struct program_file *file, uint64_t at)
{
    const unsigned char *const byte = image_loaded(&file->image, at, 1);
    return byte ? *byte : 0;
}

uint64_t file_before_pointer(const struct program_file *file, uint64_t at, uint64_t n)
{
    const struct file_pointer *const pointer = file_pointer_from(file, at);
    return pointer && pointer->at - at < n ? pointer->at - at : n;
}

uint64_t file_end_of(const struct program_file *file, uint64_t at)
{
    const size_t i = count_below(file->bound, file->n_bounds, sizeof at, at + 1);
    return i < file->n_bounds ? file->bound[i] : at;
}

bool file_is_zero(const struct program_file *file, uint64_t from, uint64_t to)
{
    const struct file_pointer *const pointer = file_pointer_from(file, from);
    const struct file_section *const section = file_section_at(file, from);
    bool zero = !pointer || pointer->at >= to;
    if (section && section->zeros && to <= section->hi)
        return zero;
    for (uint64_t at = from; at < to && zero; at++)
        zero = !file_byte(file, at);
    return zero;
}

bool file_leads_to_code(const struct program_file *file, uint64_t at)
{
    const struct file_section *const section = file_section_at(file, at);
    return section && section->code;
}

static bool is_source(const char *name)
{
    static const char *const ends[] = {"c",  "cc",  "cpp", "cxx", "h",
                                       "hh", "hpp", "inc", "rs",  "S"};
    const char *const end = strrchr(name, '.');
    bool is = false;
    for (size_t i = 0; i < ARRAY_LEN(ends) && end; i++)
        is |= !strcmp(end + 1, ends[i]);
    return is;
}

const char *file_source_at(const struct program_file *file, uint64_t at)
{
    const size_t n = strlen(file->folder);
    const uint64_t all = file_end_of(file, at) - at;
    const char *const text = (const char *)image_loaded(&file->image, at, all);
    return n && text && all > n && memchr(text, 0, all) &&
                   !memcmp(text, file->folder, n) && text[n] == '/' && is_source(text)
               ? text + n
               : NULL;
}

bool section_is_opaque(const char *name)
{
    static const char *const begins[] = {".eh_frame", ".gcc_except", ".dyn",   ".gnu",
                                         ".note",     ".rela",       ".interp"};
    bool opaque = false;
    for (size_t i = 0; i < ARRAY_LEN(begins); i++)
        opaque |= !strncmp(name, begins[i], strlen(begins[i]));
    return opaque;
}

uint64_t file_stub_slot(const struct program_file *file, uint64_t at)
{
    struct insn insn = {.length = 0};
    for (int i = 0; i < 2; i++, at += insn.length) {
        const unsigned char *const bytes = image_loaded(&file->image, at, INSN_BYTES_MAX);
        if (!bytes || !insn_decode(bytes, INSN_BYTES_MAX, at, &insn))
            return 0;
        if (!insn.endbr)
            break;
    }
    return insn.reference == REFERS_SLOT && insn.indirect_jump ? insn.target : 0;
}

bool file_is_end_of_clones(const struct program_file *file, uint64_t at)
{
    size_t i = count_below(file->symbol, file->n_symbols, sizeof *file->symbol, at);
    bool is = false;
    for (; i < file->n_symbols && file->symbol[i].lo == at; i++)
        is |= !strcmp(file->symbol[i].name, "__TMC_END__");
    return is;
}

bool file_leads_away(const struct program_file *file, uint64_t table, uint64_t n,
                     uint64_t to, uint64_t *within)
{
    const struct file_section *const section = file_section_at(file, to);
    const struct file_symbol *const symbol = file_symbol_at(file, to);
    *within = symbol && !symbol->code ? to - symbol->lo : 0;
    return section && !section->written && !section_is_opaque(section->name) &&
           (to < table || to >= table + n) && (!section->code || symbol);
}

bool file_ends_at(const struct program_file *file, uint64_t at)
{
    uint64_t end = 0;
    for (size_t i = 0; i < file->n_sections; i++)
        if (file->section[i].hi > end)
            end = file->section[i].hi;
    return at == end;
}

/* ---- what has a name ---- */

size_t file_cold_parts(const struct program_file *file, const struct file_symbol *of,
                       const struct file_symbol **part)
{
    const size_t n = strlen(of->name);
    size_t found = 0;
    for (size_t i = 0; i < file->n_cold; i++) {
        const struct file_symbol *const cold = &file->symbol[file->cold[i]];
        if (strncmp(cold->name, of->name, n) != 0 || strcmp(cold->name + n, ".cold") != 0)
            continue;
        *part = cold;
        found++;
    }
    return found;
}

const struct file_section *file_section_named(const struct program_file *file,
                                              const char *name)
{
    for (size_t i = 0; i < file->n_sections; i++)
        if (!strcmp(file->section[i].name, name))
            return &file->section[i];
    return NULL;
}

const struct file_symbol *file_exported_as(const struct program_file *file,
                                           const char *name)
{
    for (size_t i = 0; i < file->n_exported; i++)
        if (!strcmp(file->exported[i].name, name))
            return &file->exported[i];
    return NULL;
}

const struct file_symbol *file_symbol_behind(const struct program_file *file,
                                             const struct file_symbol *symbol,
                                             uint64_t near)
{
    const size_t i =
        count_below(file->symbol, file->n_symbols, sizeof *file->symbol, symbol->hi);
    return i < file->n_symbols && file->symbol[i].lo - symbol->hi <= near
               ? &file->symbol[i]
               : NULL;
}
