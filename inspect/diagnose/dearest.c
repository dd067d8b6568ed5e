/* SPDX-License-Identifier: Apache-2.0 */
/* The form of a loop that costs most: as many cycles as so many of it take if they wait
 * for nothing. Divisions and gathers have bounds of their own, CPUID and stores past the
 * caches cost what is outside the core. */
#include "inspect_private.h"

#include <math.h>

/* x87 works on its top of stack alone: many of a form were timed as a chain. All but
 * microcode costs less than so many cycles there. */
static const double x87_chain = 10;

/* A prefix that shortens a number (i16) stops decoders where many of a form were timed,
 * but not a loop that is decoded. */
static bool is_left_out(const char *form, double throughput)
{
    static const char *const words[] = {"div",   "sqrt",  "gather", "scatter",
                                        "movnt", "cpuid", " i16"};
    bool out = form[0] == 'f' && throughput < x87_chain;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        out |= strstr(form, words[i]) != NULL;
    return out;
}

/* Length of a name up to "max" or "min" with it; 0: it has another one. */
static size_t choice_length(const char *form)
{
    const size_t n = strspn(form, "vp");
    return !strncmp(form + n, "max", 3) || !strncmp(form + n, "min", 3) ? n + 3 : 0;
}

/* One unit compares, and takes the larger or the smaller: around these words forms agree.
 * Integers have a p before them. */
static bool is_same_choice(const char *a, const char *b)
{
    const size_t n = choice_length(a);
    return n && n == choice_length(b) && !strncmp(a, b, n - 3) && !strcmp(a + n, b + n);
}

static bool locks(const struct inspect_line *line)
{
    return !strncmp(line->form, "lock ", 5);
}

/* One with LOCK waits for the one before, whatever both do. */
static bool is_same(const struct inspect_line *a, const struct inspect_line *b)
{
    return strcmp(a->form, b->form) == 0 || is_same_choice(a->form, b->form) ||
           (locks(a) && locks(b));
}

/* A chain of them is what they take, even where nothing else does and they seem to take
 * longer. */
static double each(const struct inspect_line *line)
{
    return locks(line) ? fmin(line->throughput, line->latency) : line->throughput;
}

/* Zeros and copies of registers cost less than the rest of their form. */
static const double least_throughput = 0.4;

/* An instruction on vectors or floats whose name has that word. */
static double named_cycles(const struct inspect_line *line, const char *word)
{
    const bool named = line->form && line->throughput > 0 && strstr(line->form, "mm") &&
                       strstr(line->form, word);
    return named ? (double)line->executed * line->throughput : 0;
}

struct group {
    const struct inspect_line *of; /* all of its form, */
    unsigned unit;                 /* or all that this unit takes */
    bool needed;                   /* but for what is not */
};

/* Cycles of all instructions of a group, of an iteration. */
static double group_cycles(const struct inspect_loop *loop,
                           const struct inspect_line *lines, const struct group *group)
{
    double cycles = 0;
    for (size_t i = 0; i < loop->n_lines; i++)
        if (lines[i].form && lines[i].needed >= group->needed &&
            (lines[i].units & group->unit || is_same(group->of, &lines[i])))
            cycles += (double)lines[i].executed * each(&lines[i]) / loop->iterations;
    return cycles;
}

/* Cores have one unit for forms of about a cycle, and for those that were seen to share
 * one: whatever they mix them with, these wait for each other. Slower ones, and those
 * that the core splits into three steps or more, are slow in themselves. */
static const double most_shared = 1.9;

/* A comparison of up to 256 bits into a mask: other units compare into vectors, or tell
 * the sign of what is subtracted. */
static bool fills_mask(const struct inspect_line *line)
{
    const char *const result = line->form + strcspn(line->form, " ");
    return !strncmp(result, " k", 2) && !strstr(result, "zmm");
}

static void take_group(const struct inspect_line *lines, const struct inspect_line *line,
                       unsigned unit, struct inspect_loop *loop)
{
    const double least = 0.9;
    const bool one = line->throughput >= least && line->throughput < most_shared;
    const struct group all = {line, unit, false}, needed = {line, unit, true};
    double *const to = unit == INSPECT_PRODUCTS ? &loop->products : &loop->shuffle_form;
    if (one && line->needed && !(line->steps >= 3) && !fills_mask(line))
        loop->needed_form = fmax(loop->needed_form, group_cycles(loop, lines, &needed));
    if (unit || (one && line->shuffles && !line->needed))
        *to = fmax(*to, group_cycles(loop, lines, &all));
}

static bool take(const struct inspect_census *census, struct inspect_loop *loop)
{
    const struct inspect_line *const line = &census->line[loop->line];
    const struct inspect_line *dearest = NULL;
    for (size_t i = 0; i < loop->n_lines && loop->iterations > 0; i++) {
        /* Roots may cost more than divisions. */
        loop->divided +=
            (named_cycles(&line[i], "div") + named_cycles(&line[i], "sqrt")) /
            loop->iterations;
        loop->collected += named_cycles(&line[i], "gather") / loop->iterations;
        if (!line[i].form || line[i].throughput < least_throughput ||
            is_left_out(line[i].form, line[i].throughput))
            continue;
        if (line[i].needed && line[i].throughput < most_shared)
            loop->busy +=
                (double)line[i].executed * line[i].throughput / loop->iterations;
        const double cycles = group_cycles(loop, line, &(struct group){.of = &line[i]});
        take_group(line, &line[i], 0, loop);
        for (unsigned unit = 1; unit <= line[i].units; unit <<= 1)
            if (line[i].units & unit)
                take_group(line, &line[i], unit, loop);
        if (cycles <= loop->dearest)
            continue;
        loop->dearest = cycles;
        dearest = &line[i];
    }
    if (!dearest)
        return true;
    loop->dearest_each = each(dearest);
    loop->dearest_form = strdup(dearest->form);
    return loop->dearest_form != NULL;
}

bool dearest_take(struct inspect_census *census)
{
    bool done = true;
    for (size_t i = 0; i < census->n_loops && done; i++)
        done = take(census, &census->loop[i]);
    return done && (census->n_loops || take(census, &census->straight));
}
