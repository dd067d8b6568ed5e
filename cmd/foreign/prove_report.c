/* SPDX-License-Identifier: Apache-2.0 */
/* A proof as people read it: a table, or Markdown. */
#include "foreign_private.h"
#include "output/output.h"

#include <inttypes.h>

enum { UNCALLED_SHOWN = 8 };

static void put_row(const struct foreign *foreign, const struct target *target,
                    struct grid *grid)
{
    const struct seen *const seen = target_seen(target);
    const char *const name = target->demangled ?: target->name;
    const bool chosen = target->chosen && strcmp(target->chosen, target->name) != 0;
    grid_cell(grid, "%s%s%s", name, chosen ? " -> " : "", chosen ? target->chosen : "");
    GRID_TEXTS(grid, target->file->name);
    grid_cell(grid, "%s%" PRIu64,
              target_is_counted(foreign, target) ? "" : ">=", target->calls);
    if (!seen) {
        GRID_TEXTS(grid, "not known", "", "", "", "", "");
        return;
    }
    GRID_TEXTS(grid, seen->isa);
    grid_cell(grid, "%u", seen->bits);
    grid_cell(grid, "%.0f%%", 100 * seen->vector);
    grid_cell(grid, "%.0f%%", 100 * seen->scalar);
    if (!seen->loop) {
        GRID_TEXTS(grid, "", "none");
        return;
    }
    grid_cell(grid, "%.3g", seen->spills);
    grid_cell(grid, "%.0f%% %s%s%s", 100 * seen->loop_share, seen->loop,
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
        buffer_plain(
            text,
            why ? why
            : target->is_main
                ? "it has all others in it, and is traced if it is named without a *"
                : "it was called within other traced calls, or too late");
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
    buffer_format(
        text, "; %zu of its calls were traced, the longest%s has %s%.0f instructions%s",
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

/* Files may have functions of one name, of which another one was called. */
static bool has_namesake(const struct foreign *foreign, const struct target *one)
{
    bool any = false;
    EACH_TARGET(foreign, target)
    any |= target->file != one->file && !strcmp(target->name, one->name);
    return any;
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
            if (has_namesake(foreign, target))
                buffer_format(text, "%s:", target->file->name);
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
    buffer_format(text,
                  "; %" PRIu64 " process%s; threads were held up for %.3g s by %zu "
                  "traced calls, and stopped %" PRIu64 " times in all",
                  cost.processes, cost.processes == 1 ? "" : "es", cost.seconds, n,
                  cost.stops);
    if (foreign->spent)
        buffer_add(text, "; tracing ended early, as it took too long (--time)");
}

static void line(const struct text_page *page, struct buffer *text)
{
    if (text->length)
        text_item(page, "%s", buffer_text(text));
    buffer_clear(text);
}

static void tell_rules(const struct foreign *foreign, const struct text_page *page,
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
            line(page, text);
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
        line(page, text);
    }
}

static void tell_rest(const struct foreign *foreign, const struct text_page *page)
{
    static void (*const tell[])(const struct foreign *, struct buffer *) = {
        prove_tell_uncalled, tell_unresolved, targets_tell_unread, prove_tell_cost};
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    EACH_SHOWN(foreign, target)
    {
        tell_call(target, &text);
        line(page, &text);
    }
    for (size_t i = 0; i < ARRAY_LEN(tell); i++) {
        tell[i](foreign, &text);
        line(page, &text);
    }
    tell_rules(foreign, page, &text);
}

int prove_write(const void *context, enum format format, FILE *file, struct error *error)
{
    const struct foreign *const foreign = context;
    const struct text_page page = page_of(file, format);
    struct grid grid = {.at = "llrlrrrrl"};
    if (format == FORMAT_JSON)
        return prove_write_json(foreign, file, error);
    if (format == FORMAT_JUNIT || format == FORMAT_ANNOTATIONS)
        return prove_write_run(foreign, format, file, error);
    fputs(page.markdown ? "## what executed\n\n" : "", file);
    GRID_TEXTS(&grid, "function", "object", "calls", "executed", "bits", "vector",
               "scalar", "spills", "hot loop");
    EACH_SHOWN(foreign, target)
    put_row(foreign, target, &grid);
    const bool any = grid.n > strlen(grid.at);
    grid_write(&grid, &page, 0);
    fputs(any ? "\n" : "", file);
    tell_rest(foreign, &page);
    return 0;
}
