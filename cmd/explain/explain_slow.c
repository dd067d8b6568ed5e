/* SPDX-License-Identifier: Apache-2.0 */
/* Finding slow-instruction names the form, what it costs here, and what else does its
 * work; call names the function that is called; divider the division that takes most;
 * those of ports name what shares a unit, or is split; mispredicts names the branch that
 * is hardest to predict; chains name the instructions that take most of them; front-end
 * tells how many there are; at-limit names wider vectors; and where instructions are too
 * many, a newer one that does what several do. */
#include "explain_private.h"

#include <inttypes.h>
#include <math.h>

/* The fact as evidence of it, or NULL. */
static const struct explained_evidence *
evidence_of(const struct explained_finding *finding, enum inspect_fact fact)
{
    for (size_t i = 0; i < finding->n_evidence; i++)
        if (!strcmp(finding->evidence[i].what, inspect_fact_name(fact)))
            return &finding->evidence[i];
    return NULL;
}

__attribute__((format(printf, 2, 3))) static void tell(char **to, const char *format, ...)
{
    char text[384];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    string_set(to, text);
}

/* The line of a loop that weighs most; NULL: none weighs anything. */
static const struct inspect_line *
heaviest(const struct inspect_census *census, const struct inspect_loop *loop,
         double (*weigh)(const struct inspect_line *, double turns))
{
    const struct inspect_line *most = NULL;
    for (size_t i = loop->line; i < loop->line + loop->n_lines; i++)
        if (weigh(&census->line[i], loop->iterations) >
            (most ? weigh(most, loop->iterations) : 0))
            most = &census->line[i];
    return most;
}

/* The first of the functions that most turns call: those that it calls come later. */
static double callee_weight(const struct inspect_line *line, double turns)
{
    return line->callee && (double)line->executed >= 0.5 * turns
               ? fmin((double)line->executed, turns) / (1 + 1e-6 * (double)line->first)
               : 0;
}

static double division_weight(const struct inspect_line *line, double turns)
{
    const bool divides = line->text && line->form &&
                         (strstr(line->form, "div") || strstr(line->form, "sqrt"));
    return divides ? (double)line->executed * line->throughput : 0;
}

static double branch_weight(const struct inspect_line *line, double turns)
{
    return line->text ? line->undecided : 0;
}

/* An edit drops calls of functions that do nothing, and nobody knows which. */
static void name_call(const struct subject *subject, const struct inspect_loop *loop,
                      struct explained_finding *finding)
{
    const struct inspect_census *const census = &subject->trace.census;
    const struct inspect_line *const line = heaviest(census, loop, callee_weight);
    const char *const name = census->name_out;
    if (evidence_of(finding, FACT_read_again)) {
        tell(&finding->text, "each call of %s reads the same data",
             name ?: "a function of another module");
        tell(&finding->remedy, "if its arguments stay the same, call it once, before the "
                               "loop, and keep what "
                               "it returns; else look the answer up in a table");
    } else if (name && !isfinite(finding->share) &&
               (evidence_of(finding, FACT_out_share) || census->share_out >= 0.6)) {
        const bool few = census->share_out < 0.5;
        tell(&finding->text, "it calls %s again and again, and %s instructions are there",
             name, few ? "many" : "most");
        tell(&finding->remedy,
             "do without %s: inline what it does, or call what works on many elements",
             name);
    } else if (line && !evidence_of(finding, FACT_edit_call)) {
        tell(&finding->text, "%s calls %s%s%s, and saves registers around it",
             loop == &census->straight ? "it" : "the hot loop", line->callee,
             line->source ? " at " : "", line->source ?: "");
    }
}

static void advise_form(const char *form, struct explained_finding *finding)
{
    tell(&finding->remedy, "another form: simdbench doctor instructions '%.*s'",
         (int)strcspn(form, " "), form);
    const char *const other = explain_advice(form);
    if (other)
        tell(&finding->remedy, "%s", other);
}

static void advise(const struct inspect_loop *loop, struct explained_finding *finding)
{
    const char *const form = loop->dearest_form;
    tell(&finding->text, "%s takes %.3g cycles on this CPU", form, loop->dearest_each);
    advise_form(form, finding);
}

/* Steps of all instructions of that form; 0 if the core does not split it. */
static double steps_of(const struct inspect_line *line, size_t n, const char *form)
{
    double steps = 0;
    for (size_t i = 0; i < n; i++)
        if (line[i].form && line[i].steps >= 2 && !strcmp(line[i].form, form))
            steps += (double)line[i].executed * line[i].steps;
    return steps;
}

/* The form with the most steps, if it has a third of all steps of the loop or more. */
static void name_steps(const struct inspect_census *census,
                       const struct inspect_loop *loop, struct explained_finding *finding)
{
    const struct inspect_line *const line = &census->line[loop->line], *most = NULL;
    double least = loop->steps * loop->iterations / 3;
    for (size_t i = 0; i < loop->n_lines && least > 0; i++) {
        const double steps =
            line[i].form ? steps_of(line, loop->n_lines, line[i].form) : 0;
        if (steps >= least && (!most || steps > least)) {
            least = steps;
            most = &line[i];
        }
    }
    if (!most)
        return;
    tell(&finding->text, "%s, above all %s, which takes the places of %.3g instructions",
         finding->text, most->form, most->steps);
    advise_form(most->form, finding);
}

/* Divisions of integers have no reciprocals by instructions; x87 has those of floats. */
static void name_division(const struct inspect_census *census,
                          const struct inspect_loop *loop,
                          struct explained_finding *finding)
{
    const struct inspect_line *const line = heaviest(census, loop, division_weight);
    if (!line)
        return;
    tell(&finding->text, "%s, above all %.*s%s%s", finding->text,
         (int)strcspn(line->text, " "), line->text, line->source ? " at " : "",
         line->source ?: "");
    if (line->form[0] != 'f' && !strstr(line->form, "mm"))
        tell(&finding->remedy,
             "fewer divisions: multiply by a reciprocal where the divisor "
             "stays; shifts and masks for powers of two; 32 bits, not 64");
}

/* Cycles that one unit takes for an iteration, and the instructions that it takes. */
static double unit_cycles(const struct inspect_census *census,
                          const struct inspect_loop *loop, unsigned unit, char *names,
                          size_t size)
{
    double cycles = 0;
    names[0] = '\0';
    for (size_t i = 0; i < loop->n_lines; i++) {
        const struct inspect_line *const line = &census->line[loop->line + i];
        if (!line->form || !(line->units & unit))
            continue;
        cycles += (double)line->executed * line->throughput / loop->iterations;
        char name[INSPECT_FORM];
        const size_t used = strlen(names);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line->form, " "), line->form);
        if (!strstr(names, name) && used + strlen(name) + 2 < size)
            snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
    }
    return cycles;
}

/* The unit of `units` that accounts for all of the bound, if there is one. */
static void name_unit(const struct inspect_census *census,
                      const struct inspect_loop *loop, unsigned units,
                      enum inspect_fact bound, struct explained_finding *finding)
{
    const struct explained_evidence *const evidence = evidence_of(finding, bound);
    char names[96];
    for (unsigned unit = 1; evidence && unit <= units; unit <<= 1)
        if (units & unit && loop->iterations > 0 &&
            unit_cycles(census, loop, unit, names, sizeof names) >=
                0.99 * evidence->value) {
            tell(&finding->text,
                 "one unit of this core takes all of %s, one after the other", names);
            return;
        }
}

enum { LOOP_BYTES = 1 << 16 };
/* "... above all jle at mix.c:12, which goes its rarer way in 37% of the cases": one of
 * the hot loop, or of the whole call, which few elements tell of. */
static void name_branch(const struct inspect_census *census,
                        const struct inspect_loop *loop,
                        struct explained_finding *finding)
{
    const struct inspect_loop all = {.n_lines = census->n_lines, .iterations = 1};
    const struct inspect_line *worst = evidence_of(finding, FACT_few_shape)
                                           ? NULL
                                           : heaviest(census, loop, branch_weight);
    worst = worst ?: heaviest(census, &all, branch_weight);
    char place[48];
    if (!worst)
        return;
    /* A function that the loop calls may lie before it. */
    const bool looped = worst->loop < census->n_loops &&
                        worst->address >= census->loop[worst->loop].address &&
                        worst->address - census->loop[worst->loop].address < LOOP_BYTES;
    if (looped)
        snprintf(place, sizeof place, "byte %" PRIu64 " of the loop",
                 worst->address - census->loop[worst->loop].address);
    const char *const at = worst->source ?: looped ? place : NULL;
    tell(&finding->text,
         "the core cannot predict branches that depend on data, above all %.*s%s%s, "
         "which goes its rarer way in %.2g%% of the cases",
         (int)strcspn(worst->text, " "), worst->text, at ? " at " : "", at ?: "",
         100 * worst->undecided / (double)worst->executed);
}

/* Elements that data choose can be loaded one by one in place of a gather: cores differ
 * in which is faster. */
static void tell_gathers(const struct inspect_facts *facts,
                         struct explained_finding *finding)
{
    const double once = inspect_fact_value(facts, FACT_rate_picked_256);
    const bool wide = inspect_fact_value(facts, FACT_widest_bits) >= 512;
    const double gathered =
        inspect_fact_value(facts, wide ? FACT_rate_gathered_512 : FACT_rate_gathered_256);
    if (!(once > 0) || !(gathered > 0) || !(inspect_fact_value(facts, FACT_gathered) > 0))
        return;
    tell(&finding->text, "%s: %.2g cycles an element here, %.2g if loaded one by one",
         finding->text, 1 / gathered, 1 / once);
    if (once > 1.1 * gathered)
        tell(&finding->remedy, "load elements one by one; or %s", finding->remedy);
}

/* Too many instructions, or code that is too long: these have other remedies. */
static void tell_entering(const struct subject *subject, const struct inspect_loop *loop,
                          struct explained_finding *finding)
{
    if (!evidence_of(finding, FACT_dispatch_cycles) ||
        evidence_of(finding, FACT_decode_cycles))
        return;
    tell(&finding->text,
         "it has many instructions, and this core takes them no faster: %.3g in %s",
         inspect_fact_value(&subject->facts, FACT_instructions),
         loop == &subject->trace.census.straight ? "a call"
                                                 : "an iteration of the hot loop");
    tell(&finding->remedy, "fewer instructions for an element: vectors, wider words, a "
                           "table, or what is the same for all outside of the loop");
}

enum { LINKS = 4 };
/* The first of the instructions that take so much of a chain; returns how many do. */
static size_t links_of(const struct inspect_line *line, size_t n, bool memory,
                       double least, const struct inspect_line **link)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (line[i].text && line[i].chained[memory] >= least && found++ < LINKS)
            link[found - 1] = &line[i];
    return found;
}

/* No sum can be parted if half of the chain or more says from where the next load is. */
static void advise_chain(const struct inspect_loop *loop,
                         struct explained_finding *finding)
{
    if (strcmp(finding->cause, "latency-chain") != 0)
        return;
    tell(&finding->remedy,
         loop->placed_chain < 0.5 * loop->chain &&
                 !evidence_of(finding, FACT_order_cycles)
             ? "larger steps, as a value says from where the next one is "
               "loaded: a table for several elements at once; several "
               "inputs side by side, step by step"
             : "more accumulators, a larger tile, several elements side "
               "by side, step by step");
}

/* "...: mulss, addss at mix.c:12 take 7.9 of the 9.1 cycles of the chain in a turn". The
 * chain is the one that the finding rests on: what was seen must be about as long. */
static void name_chain(const struct inspect_census *census,
                       const struct inspect_loop *loop, struct explained_finding *finding)
{
    const bool memory = evidence_of(finding, FACT_order_cycles) ||
                        !strcmp(finding->cause, "memory-chain") ||
                        loop->chain > 1.1 * loop->kept_chain;
    const double chain =
        fmax(memory ? loop->memory_chain : loop->register_chain, loop->chain);
    const struct inspect_line *const line = &census->line[loop->line], *link[LINKS];
    const char *vain = NULL;
    double all = 0, some = 0;
    FREED_BY(free_memory) char *text = NULL;
    size_t size;
    for (size_t i = 0; i < loop->n_lines; i++)
        all += line[i].chained[memory];
    /* Such chains are of calls one after the other, the others of one loop. */
    if (evidence_of(finding, FACT_calls_cycles) && loop != &census->straight)
        return;
    advise_chain(loop, finding);
    if (!(all > 0) || all < 0.7 * chain || (chain > 0 && all > 1.3 * chain))
        return;
    size_t n = links_of(line, loop->n_lines, memory, 0.1 * all, link);
    if (n > LINKS)
        n = links_of(line, loop->n_lines, memory, 0.2 * all, link) ?: n;
    n = n < LINKS ? n : LINKS;
    for (size_t i = 0; i < n; i++) {
        some += link[i]->chained[memory];
        vain = link[i]->waits_in_vain ? link[i]->text : vain;
    }
    if (!n)
        return;
    FILE *const to = must_have(open_memstream(&text, &size));
    fprintf(to, "%s:", finding->text);
    for (size_t i = 0, alike = 1; i < n; i++) {
        const char *const at = link[i]->source ?: "";
        const bool last = i + 1 == n || strcmp(at, link[i + 1]->source ?: "") != 0;
        const size_t word = strcspn(link[i]->text, " ");
        if (!last && !strncmp(link[i]->text, link[i + 1]->text, word + 1)) {
            alike++;
            continue;
        }
        fputs(i >= alike ? ", " : " ", to);
        if (alike > 1)
            fprintf(to, "%zu ", alike);
        fprintf(to, "%.*s%s%s", (int)word, link[i]->text, last && *at ? " at " : "",
                last ? at : "");
        alike = 1;
    }
    fprintf(to, " take%s %.3g of the %.3g cycles %s", n > 1 ? "" : "s", some, all,
            loop == &census->straight ? "of a call" : "of the chain in a turn");
    must(fclose(to));
    string_set(&finding->text, text);
    if (vain && !strcmp(finding->cause, "latency-chain"))
        tell(&finding->remedy,
             "%s; zero the register of %.*s before it, as it waits for the old value "
             "without need",
             finding->remedy, (int)strcspn(vain, " "), vain);
}

/* Cycles that the arithmetic of a turn takes in vectors of 128 << `wider` bits, if those
 * that it has are of 128 << `own`, by the terms of arithmetic_cycles but divisions and
 * forms; NaN: a rate is not known. */
static double arithmetic_in(const struct inspect_facts *facts, size_t own, size_t wider)
{
    static const struct {
        enum inspect_fact count, rate;
    } terms[] = {{FACT_multiplies, FACT_rate_fmas_128},
                 {FACT_float_arithmetic, FACT_rate_floats_128},
                 {FACT_needed, FACT_rate_computed_128}};
    double most = 0;
    for (size_t i = 0; i < ARRAY_LEN(terms) && !isnan(most); i++) {
        const double count = inspect_fact_value(facts, terms[i].count);
        const double cycles = count / inspect_fact_value(facts, terms[i].rate + wider);
        if (!(count <= 0) && !(cycles <= most))
            most = cycles;
    }
    return ldexp(most, (int)own - (int)wider);
}

/* The limit is one of arithmetic in vectors of so many bits, and the row names no width:
 * wider ones compute more where this core has as many units for them, or nearly. Nobody
 * knows that of divisions, nor of a form that one unit takes for nearly as long. */
static void name_width(const struct inspect_facts *facts,
                       struct explained_finding *finding)
{
    const double bits = inspect_fact_value(facts, FACT_free_bits), much = 1.2;
    const size_t own = bits >= 256, widest = 2;
    const double cycles = arithmetic_in(facts, own, own);
    double most = much;
    size_t best = 0;
    if (!(bits >= 128) || inspect_fact_value(facts, FACT_divides) > 0 ||
        !(cycles >= 0.99 * inspect_fact_value(facts, FACT_arithmetic_cycles)) ||
        cycles < much * inspect_fact_value(facts, FACT_needed_form))
        return;
    for (size_t i = own + 1; i <= widest && bits < 512; i++) {
        const double times = cycles / arithmetic_in(facts, own, i);
        if (times > most) {
            most = times;
            best = i;
        }
    }
    if (!best)
        return;
    tell(&finding->text,
         "its arithmetic takes nearly as long as this core needs in vectors of %g bits; "
         "in those of %u it computes %.2g times as much in a cycle",
         bits, 128u << best, most);
    /* For cores that lower their clock compilers prefer narrower ones. */
    tell(&finding->remedy,
         "wider vectors (-march=native%s, intrinsics); then less work: another "
         "algorithm, a narrower type",
         best == widest ? " -mprefer-vector-width=512" : "");
}

/* It is what the code executes that takes the time. */
static void name_newer(const struct inspect_census *census,
                       const struct inspect_loop *loop, struct explained_finding *finding)
{
    const char *const newer =
        loop->n_lines ? explain_newer(&census->line[loop->line], loop->n_lines) : NULL;
    if (newer && finding->remedy)
        tell(&finding->remedy, "%s; %s", newer, finding->remedy);
}

void explain_slow(const struct subject *subject, struct explanation *explanation)
{
    const struct inspect_census *const census = &subject->trace.census;
    const struct inspect_loop *const loop = subject->hot_loop < census->n_loops
                                                ? &census->loop[subject->hot_loop]
                                                : &census->straight;
    const unsigned products = INSPECT_PRODUCTS;
    for (size_t i = 0; i < explanation->n_findings && subject->trace.known; i++) {
        struct explained_finding *const finding = &explanation->findings[i];
        if (!strcmp(finding->cause, "call"))
            name_call(subject, loop, finding);
        else if (loop->dearest_form && !strcmp(finding->cause, "slow-instruction"))
            advise(loop, finding);
        else if (!strcmp(finding->cause, "mispredicts"))
            name_branch(census, loop, finding);
        else if (!strcmp(finding->cause, "divider") && finding->text)
            name_division(census, loop, finding);
        else if (!strcmp(finding->cause, "gathers") && finding->text)
            tell_gathers(&subject->facts, finding);
        else if (!strcmp(finding->cause, "front-end"))
            tell_entering(subject, loop, finding);
        else if (!strcmp(finding->cause, "at-limit")) {
            name_unit(census, loop, ~products & 0xff, FACT_limit_cycles, finding);
            name_width(&subject->facts, finding);
        } else if (strstr(finding->cause, "-chain") && finding->text)
            name_chain(census, loop, finding);
        else if (strstr(finding->cause, "-ports")) {
            if (evidence_of(finding, FACT_vector_cycles))
                name_steps(census, loop, finding);
            name_unit(census, loop, products, FACT_integer_cycles, finding);
            name_unit(census, loop, ~products & 0xff, FACT_shuffle_cycles, finding);
        }
        if (strstr("at-limit vector-ports front-end", finding->cause))
            name_newer(census, loop, finding);
    }
}
