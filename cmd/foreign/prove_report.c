/* SPDX-License-Identifier: Apache-2.0 */
/* A proof as people read it: a table, or Markdown. */
#include "foreign_private.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { COLUMNS = 9, CELL = 200, UNCALLED_SHOWN = 8 };
static const char *const titles[COLUMNS] = {"function", "object", "calls",
                                            "executed", "bits",   "vector",
                                            "scalar",   "spills", "hot loop"};

struct cells {
    char cell[COLUMNS][CELL];
};

static void put(char *cell, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put(char *cell, const char *format, ...)
{
    char text[CELL];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_plain(text, cell, CELL);
}

static void fill(const struct foreign *foreign, const struct target *target,
                 struct cells *cells)
{
    const struct seen *const seen = target_seen(target);
    const char *const name = target->demangled ?: target->name;
    char(*const cell)[CELL] = cells->cell;
    *cells = (struct cells){.cell = {""}};
    if (target->chosen && strcmp(target->chosen, target->name))
        put(cell[0], "%s -> %s", name, target->chosen);
    else
        put(cell[0], "%s", name);
    put(cell[1], "%s", target->file->name);
    put(cell[2], "%s%" PRIu64,
        target_is_counted(foreign, target) ? "" : ">=", target->calls);
    if (!seen) {
        put(cell[3], "not known");
        return;
    }
    put(cell[3], "%s", seen->isa);
    put(cell[4], "%u", seen->bits);
    put(cell[5], "%.0f%%", 100 * seen->vector);
    put(cell[6], "%.0f%%", 100 * seen->scalar);
    if (!seen->loop) {
        put(cell[8], "none");
        return;
    }
    put(cell[7], "%.3g", seen->spills);
    put(cell[8], "%.0f%% %s%s%s", 100 * seen->loop_share, seen->loop,
        seen->source ? ", " : "", seen->source ?: "");
}

/* ---- below the table ---- */

static bool skips_binding(const struct target *target)
{
    bool any = false;
    for (size_t i = 0; i < target->n_seen; i++)
        any |= target->seen[i].binding > 0;
    return any && !target_seen(target)->binding;
}

/* The arguments of the call that is judged, as far as it read them. */
static void tell_call(const struct target *target, struct buffer *text)
{
    const struct seen *const seen = target_seen(target);
    const char *separator = ": arguments ";
    buffer_plain(text, target->demangled ?: target->name);
    if (!seen) {
        const char *const why = target->n_seen ? target->seen[0].error : NULL;
        buffer_add(text, ": none of its calls was traced: ");
        buffer_plain(text, why ? why
                           : target->is_main
                               ? "it has all others in it, and is traced if "
                                 "it is named without a *"
                               : "it was called within other traced calls, "
                                 "or too late");
        return;
    }
    for (unsigned i = 0; i < PROGRAM_ARGUMENTS; i++) {
        const uint64_t value = seen->call.argument[i];
        if (!(seen->arguments >> i & 1))
            continue;
        buffer_add(text, separator);
        if (value < UINT64_C(1) << 32 || value > UINT64_MAX - (UINT64_C(1) << 32))
            buffer_format(text, "%" PRId64, (int64_t)value);
        else
            buffer_format(text, "0x%" PRIx64, value);
        separator = ", ";
    }
    buffer_format(text,
                  "; %zu of its calls were traced, the longest%s has %s%.0f "
                  "instructions%s",
                  target->n_seen, skips_binding(target) ? " after its first" : "",
                  seen->whole ? "" : "over ", seen->instructions,
                  seen->cut ? ": only its beginning was seen" : "");
    if (seen->binding)
        buffer_format(text,
                      ", %.0f of them of the loader, which looks up functions at their "
                      "first call (LD_BIND_NOW=1: at the start)",
                      seen->binding);
}

/* "ended with status 3", "was killed by signal 11 (SIGSEGV)" */
static void prove_tell_end(const struct foreign *foreign, struct buffer *text)
{
    const int status = foreign->status;
    if (status == -1)
        buffer_add(text, foreign->ended ? "ended" : "runs on");
    else if (WIFSIGNALED(status))
        buffer_format(text, "was killed by signal %d (%s)", WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    else
        buffer_format(text, "ended with status %d", WEXITSTATUS(status));
}

static void tell_names(const struct foreign *foreign, bool resolvers, const char *before,
                       struct buffer *text)
{
    size_t n = 0;
    EACH_TARGET(foreign, target)
    {
        if (target->calls || target->resolver != resolvers)
            continue;
        if (n < UNCALLED_SHOWN) {
            buffer_add(text, n ? ", " : before);
            buffer_plain(text, target->demangled ?: target->name);
        }
        n++;
    }
    if (n > UNCALLED_SHOWN)
        buffer_format(text, " and %zu more", n - UNCALLED_SHOWN);
}

void prove_tell_uncalled(const struct foreign *foreign, struct buffer *text)
{
    const bool missed = foreign->missed || foreign->spent;
    tell_names(foreign, false,
               missed ? "not seen to be called: " : "never called: ", text);
    if (missed && text->length)
        buffer_add(text, foreign->spent
                             ? "; breakpoints were out for a while"
                             : "; of calls that were traced for a part only, or while "
                               "other threads ran, not all that they call is seen");
}

/* One that ran within a traced call was not seen. */
static void tell_unresolved(const struct foreign *foreign, struct buffer *text)
{
    tell_names(foreign, true, "no resolver was seen of: ", text);
    if (text->length)
        buffer_add(text, "; never called, or chosen before or within a traced call: name "
                         "the code itself, or this function alone");
}

void prove_tell_cost(const struct foreign *foreign, struct buffer *text)
{
    const struct program_cost cost = program_cost(foreign->program);
    size_t n = 0;
    EACH_TARGET(foreign, target)
    n += target->n_seen;
    buffer_format(text, "the program ");
    prove_tell_end(foreign, text);
    buffer_format(
        text,
        "; %" PRIu64 " process%s; threads were held up for %.3g s by %zu traced "
        "calls, and stopped %" PRIu64 " times in all",
        cost.processes, cost.processes == 1 ? "" : "es", cost.seconds, n, cost.stops);
    if (foreign->spent)
        buffer_add(text, "; tracing ended early, as it took too long (--time)");
}

typedef void put_line(FILE *file, const char *text);

static void line(put_line *put_it, FILE *file, struct buffer *text)
{
    if (text->length)
        put_it(file, buffer_text(text));
    buffer_clear(text);
}

static void tell_rules(const struct foreign *foreign, put_line *put_it, FILE *file,
                       struct buffer *text)
{
    FREED_BY(buffer_free) struct buffer why = {.text = NULL};
    FOR_EACH (const struct rule, rule, foreign->rules, foreign->n_rules) {
        EACH_TARGET(foreign, target)
        {
            buffer_clear(&why);
            if (!rule_breaks(foreign, rule, target, &why))
                continue;
            buffer_add(text, "FAILED: ");
            buffer_plain(text, target->demangled ?: target->name);
            buffer_add(text, " (");
            buffer_plain(text, target->file->name);
            buffer_format(text, "): %s", buffer_text(&why));
            line(put_it, file, text);
        }
        if (rule->broken)
            continue;
        buffer_add(text, rule->kept ? "kept: " : "NOT SEEN: ");
        buffer_plain(text, rule->text);
        if (rule->kept)
            buffer_format(text, " (%zu function%s)", rule->kept,
                          rule->kept == 1 ? "" : "s");
        else
            buffer_add(text,
                       " is about no function that was seen to be called and traced");
        line(put_it, file, text);
    }
}

static void tell_rest(const struct foreign *foreign, put_line *put_it, FILE *file)
{
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    EACH_SHOWN(foreign, target)
    {
        tell_call(target, &text);
        line(put_it, file, &text);
    }
    prove_tell_uncalled(foreign, &text);
    line(put_it, file, &text);
    tell_unresolved(foreign, &text);
    line(put_it, file, &text);
    prove_tell_cost(foreign, &text);
    line(put_it, file, &text);
    tell_rules(foreign, put_it, file, &text);
}

/* ---- table ---- */

static void plain_line(FILE *file, const char *text)
{
    text_line(file, "%s", text);
}

/* Words stand at the left, numbers at the right. */
static bool is_word(size_t column)
{
    return column < 2 || column == 3 || column == COLUMNS - 1;
}

static void print_row(const char *const cell[COLUMNS], const int *width, FILE *file)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const int pad = width[i] - text_width(cell[i]);
        const bool word = is_word(i), last = i == COLUMNS - 1;
        fprintf(file, "%*s%s%*s%s", word ? 0 : pad, "", cell[i], word && !last ? pad : 0,
                "", last ? "\n" : "  ");
    }
}

static void print_table(const struct foreign *foreign, FILE *file)
{
    int width[COLUMNS];
    struct cells cells;
    const char *row[COLUMNS];
    size_t n = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        width[i] = text_width(titles[i]);
    EACH_SHOWN(foreign, target)
    {
        fill(foreign, target, &cells);
        n++;
        for (size_t i = 0; i < COLUMNS; i++)
            if (text_width(cells.cell[i]) > width[i])
                width[i] = text_width(cells.cell[i]);
    }
    if (n)
        print_row(titles, width, file);
    EACH_SHOWN(foreign, target)
    {
        fill(foreign, target, &cells);
        for (size_t i = 0; i < COLUMNS; i++)
            row[i] = cells.cell[i];
        print_row(row, width, file);
    }
    if (n)
        fputc('\n', file);
    tell_rest(foreign, plain_line, file);
}

/* ---- Markdown ---- */

static void markdown_item(FILE *file, const char *text)
{
    fputs("- ", file);
    text_markdown(file, text);
    fputc('\n', file);
}

static void print_markdown(const struct foreign *foreign, FILE *file)
{
    struct cells cells;
    fputs("## what executed\n\n|", file);
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(file, " %s |", titles[i]);
    fputs("\n|", file);
    for (size_t i = 0; i < COLUMNS; i++)
        fputs(is_word(i) ? " :-- |" : " --: |", file);
    fputc('\n', file);
    EACH_SHOWN(foreign, target)
    {
        fill(foreign, target, &cells);
        fputc('|', file);
        for (size_t i = 0; i < COLUMNS; i++)
            text_markdown_cell(file, cells.cell[i]);
        fputc('\n', file);
    }
    fputc('\n', file);
    tell_rest(foreign, markdown_item, file);
}

int prove_write(const struct foreign *foreign, enum format format, FILE *file,
                struct error *error)
{
    if (format == FORMAT_JSON)
        return prove_write_json(foreign, file, error);
    if (format == FORMAT_JUNIT || format == FORMAT_ANNOTATIONS)
        return prove_write_run(foreign, format, file, error);
    if (format == FORMAT_MARKDOWN)
        print_markdown(foreign, file);
    else
        print_table(foreign, file);
    return 0;
}
