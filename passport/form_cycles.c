/* SPDX-License-Identifier: Apache-2.0 */
/* The cycles of one form, by the clock of a session. */
#include "passport_private.h"

#include <math.h>

enum {
    COPIES = 48,
    LINK_COPIES = 8,
    CLOCK_COPIES = 32,
    BYTES_MAX = 1800, /* of a sequence */
    SLOW_TIME = 4000
};

/* Writes a sequence of so many copies. */
typedef bool write_sequence(struct block *block, const void *of, unsigned copies);

static bool write_whole(struct session *session, struct block *block,
                        write_sequence *write, const void *of, unsigned copies)
{
    block_begin(block, session->data);
    block_loop(block);
    if (!write(block, of, copies) || block->failed)
        return false;
    block_end(block);
    return !block->failed;
}

static bool write_both(struct session *session, struct block *block,
                       write_sequence *write, const void *of, unsigned copies)
{
    return write_whole(session, &block[0], write, of, copies) &&
           write_whole(session, &block[1], write, of, 2 * copies);
}

/* A multiple of `unit`; few of what is slow, and of what is long. */
static unsigned copies_for(struct session *session, const struct block *some,
                           unsigned some_copies, unsigned unit)
{
    const size_t bytes = block_body(some) / some_copies;
    unsigned copies = (COPIES + unit - 1) / unit * unit;
    const double once = timer_least(&session->timer, some->code, 1, TIMER_CALLS);
    while (copies > unit && (copies * bytes * 2 > BYTES_MAX || once > SLOW_TIME))
        copies -= unit;
    return copies;
}

/* Cycles of one copy, of a multiple of `unit`; NaN: it cannot be encoded. `few`: a
 * sequence begins when the one before it has ended, so that few instructions wait. */
static double cycles_of(struct session *session, write_sequence *write, const void *of,
                        unsigned unit, bool few)
{
    struct block *const block = session->block;
    if (!write_whole(session, &block[0], write, of, unit))
        return NAN;
    const unsigned copies = few ? unit : copies_for(session, &block[0], unit, unit);
    if (!write_both(session, block, write, of, copies))
        return NAN;
    const struct lengths a = {block[0].code, block[1].code},
                         b = {session->clock[0].code, session->clock[1].code};
    struct times times, clock;
    timer_both(&session->timer, &a, &b, &times, &clock);
    const double cycle =
        (clock.more - clock.less) / (double)clock.turns / session->clock_cycles;
    return few ? (times.more - times.less) / (double)times.turns / copies / cycle
               : timer_copy(&session->timer, &a, &times, copies, cycle) / cycle;
}

struct helping {
    enum helper helper;
    bool few;
};

static bool write_helper(struct block *block, const void *of, unsigned copies)
{
    const struct helping *const helping = of;
    if (helping->few)
        chain_fence(block);
    chain_helper(block, helping->helper, copies);
    return true;
}

static double helper_cycles(struct session *session, enum helper helper, bool few)
{
    return cycles_of(session, write_helper, &(struct helping){helper, few}, LINK_COPIES,
                     few);
}

/* A multiplication takes a whole number of additions, which take a cycle each. */
static void prepare_clock(struct session *session)
{
    write_both(session, session->clock, write_helper, &(struct helping){HELPER_CLOCK, 0},
               CLOCK_COPIES);
    session->clock_cycles = CLOCK_COPIES;
    const double additions = helper_cycles(session, HELPER_ADD, false);
    session->clock_cycles = CLOCK_COPIES * fmax(1, round(1 / additions));
}

static void prepare_helpers(struct session *session, bool few, struct helpers *helpers)
{
    helpers->clear = helper_cycles(session, HELPER_CLEAR, few);
    helpers->set = helper_cycles(session, HELPER_SET, few);
    helpers->load =
        helper_cycles(session, HELPER_LOAD, few) - helpers->clear - helpers->set;
    helpers->vector = helper_cycles(session, HELPER_VECTOR, few) / 2;
    helpers->mask = helper_cycles(session, HELPER_MASK, few) / 2;
    helpers->flags = helper_cycles(session, HELPER_FLAGS, few) / 2;
    /* Renamed, it takes no time beside others. */
    helpers->move = helper_cycles(session, HELPER_MOVE, few) / 2;
    helpers->move = helpers->move < 0.5 ? 0 : helpers->move;
}

static bool write_unit(struct block *block, const void *of, unsigned copies)
{
    for (unsigned i = 0; i < copies; i++)
        chain_beside(block, *(const unsigned *)of);
    return true;
}

/* Moves from a general register, a permute after each if `of` says so. */
static bool write_moves(struct block *block, const void *of, unsigned copies)
{
    for (unsigned i = 0; i < copies; i++) {
        emit(block, VMOVD, operand_register(register_of(KIND_VECTOR, 11, 128)),
             operand_register(register_of(KIND_GENERAL, 13, 32)));
        if (*(const bool *)of)
            chain_beside(block, PASSPORT_PERMUTES);
    }
    return true;
}

static bool has_unit(unsigned unit)
{
    __builtin_cpu_init();
    return unit == PASSPORT_PRODUCTS || (unit == PASSPORT_PERMUTES || unit == BITWISE_256
                                             ? __builtin_cpu_supports("avx2")
                                             : __builtin_cpu_supports("avx512bw"));
}

static double moves(struct session *session, bool permutes)
{
    return cycles_of(session, write_moves, &permutes, LINK_COPIES, false);
}

/* Both take about as long as one after the other. */
static bool follows(double both, double alone, double other)
{
    return both >= alone + 0.8 * other;
}

static void prepare_units(struct session *session)
{
    for (unsigned i = 0; i < SESSION_UNITS; i++)
        session->unit[i] =
            has_unit(1U << i)
                ? cycles_of(session, write_unit, &(unsigned){1U << i}, LINK_COPIES, false)
                : 0;
    const double permute = session->unit[1];
    const double move = permute > 0 ? moves(session, false) : 0;
    session->sse_permute =
        move > 0 && follows(moves(session, true), move, permute) ? move : 0;
}

void session_prepare(struct session *session, bool helpers_too)
{
    session->block[0].legacy = session->block[1].legacy = false;
    prepare_clock(session);
    if (!helpers_too)
        return;
    prepare_helpers(session, true, &session->few);
    prepare_helpers(session, false, &session->full);
    prepare_units(session);
}

struct none {
    const struct decoded *decoded;
    struct apart apart;
};

static bool write_none(struct block *block, const void *of, unsigned copies)
{
    const struct none *const none = of;
    chain_none(block, none->decoded, copies, &none->apart);
    return true;
}

struct linked {
    const struct decoded *decoded;
    const struct passport_link *link;
    const struct helpers *helpers;
    double *help;
    bool few;
};

static bool write_linked(struct block *block, const void *of, unsigned copies)
{
    const struct linked *const linked = of;
    if (linked->few)
        chain_fence(block);
    return chain_link(block, linked->decoded, linked->link, copies, linked->helpers,
                      linked->help);
}

static bool reads_flags(const struct decoded *decoded)
{
    for (unsigned i = 0; i < decoded->n; i++)
        if (operand_kind(&decoded->operand[i]) == KIND_FLAGS &&
            operand_reads(&decoded->operand[i]))
            return true;
    return false;
}

/* The least of several ways: another number of registers may suit the ports better,
 * places side by side the stores, and flags may be made anew. */
static double throughput(struct session *session, const struct decoded *decoded,
                         unsigned beside, unsigned many)
{
    double least = NAN;
    const unsigned most = chain_registers(decoded);
    for (unsigned registers = most; registers + 2 > most && registers; registers--)
        for (int flags = 0; flags <= reads_flags(decoded); flags++)
            least =
                fmin(least, cycles_of(session, write_none,
                                      &(struct none){decoded,
                                                     {.registers = registers,
                                                      .flags = flags,
                                                      .near = registers < most,
                                                      .beside = beside,
                                                      .many = many}},
                                      registers < 4 ? 4 * registers : registers, false));
    return fmax(0, least);
}

/* Forms of one unit follow each other; forms of two units run side by side. Faster forms
 * have several units, and of slower ones a cycle more or less shows nothing. Flags that
 * are read and places that a vector holds would change. */
static bool shares_unit(struct session *session, const struct decoded *decoded,
                        unsigned number, double alone)
{
    const double least = 0.9, most = 1.9, slow = 6;
    const unsigned unit = 1U << number;
    const double other = unit == PASSPORT_PERMUTES && session->block[0].legacy
                             ? session->sse_permute
                             : session->unit[number];
    if (!(other >= least && other < most && alone >= least && alone < slow) ||
        decoded_gathers(decoded) || (unit == PASSPORT_PRODUCTS && reads_flags(decoded)))
        return false;
    return follows(throughput(session, decoded, unit, 1), alone, other);
}

/* An instruction that runs beside no other lets the core wait: it shares no unit. Of slow
 * SSE without VEX nobody knows that where it is timed beside no permutes. */
static unsigned units_of(struct session *session, const struct decoded *decoded,
                         double alone)
{
    const double slow = 1.9;
    unsigned all = 0, shared = 0;
    if (session->block[0].legacy && alone >= slow && !(session->sse_permute > 0))
        return 0;
    for (unsigned i = 0; i < PASSPORT_UNITS; i++) {
        all |= session->unit[i] > 0 ? 1U << i : 0;
        shared |= shares_unit(session, decoded, i, alone) ? 1U << i : 0;
    }
    return shared == all && all & (all - 1) ? 0 : shared;
}

/* A core splits some forms into several steps. Beside more bitwise operations than its
 * other units could do meanwhile, each step takes the place of one. Less than three
 * quarters of a step is none, as places may be filled badly. */
static double steps_of(struct session *session, const struct decoded *decoded,
                       unsigned level, double alone)
{
    const double several = 1.5, slow = 6, badly = 0.25;
    const bool wide = level == 512;
    const double other = session->unit[PASSPORT_UNITS + wide];
    if (level < 256 || !(other > 0) || !(alone >= several * other && alone < slow) ||
        decoded_gathers(decoded))
        return 1;
    const unsigned many = (unsigned)ceil(alone / other) + 2;
    const double both =
        throughput(session, decoded, wide ? BITWISE_512 : BITWISE_256, many);
    const double steps = fmin(both / other - many, alone / other);
    return fmax(1, floor(steps + badly));
}

static double link_cycles(struct session *session, const struct decoded *decoded,
                          const struct passport_link *link, bool few)
{
    double help = 0;
    const struct linked linked = {decoded, link, few ? &session->few : &session->full,
                                  &help, few};
    return fmax(0, cycles_of(session, write_linked, &linked, LINK_COPIES, few) - help);
}

/* Little more is noise. */
static const double alike = 1.05, alike_cycles = 0.1;

static void measure_links(struct session *session, const struct decoded *decoded,
                          struct passport *passport)
{
    struct passport_link links[PASSPORT_LINKS];
    const size_t n = chain_links(decoded, links);
    for (size_t i = 0; i < n; i++) {
        const double few = link_cycles(session, decoded, &links[i], true);
        const double full = link_cycles(session, decoded, &links[i], false);
        const bool same = full <= alike * few + alike_cycles;
        if (!isfinite(few) || !isfinite(full))
            continue;
        /* Long sequences are exact. */
        links[i].cycles = (float)(same ? full : few);
        links[i].full = (float)full;
        passport->link[passport->n_links++] = links[i];
    }
}

/* Some cores wait for the old value of a result that an instruction only writes, such as
 * Golden Cove of sqrtss and cvtsi2sd, and Zen 5 of a compress. If a core does not, they
 * take no longer than others that have results of their own. */
static void measure_kept(struct session *session, const struct decoded *decoded,
                         struct passport *passport)
{
    const double longer = 1.5, least = 0.9;
    struct passport_link link;
    if (!chain_may_keep(decoded, &link) || passport->n_links == PASSPORT_LINKS)
        return;
    const double cycles = link_cycles(session, decoded, &link, false);
    link.cycles = link.full = (float)cycles;
    if (cycles > least && cycles > longer * passport->throughput + alike_cycles)
        passport->link[passport->n_links++] = link;
}

void passport_refuse(struct passport *passport, const char *why, const char *name)
{
    snprintf(passport->reason, sizeof passport->reason, "%s%s%s", why, name ? " " : "",
             name ? name : "");
}

static bool can_encode(const struct decoded *decoded, const char *name)
{
    struct choice choice = {.place = DATA_PLACES};
    ZydisEncoderRequest request;
    for (unsigned i = 0; i < decoded->n; i++)
        choice.number[i] = 3 + (int)i;
    return choice_request(decoded, &choice, &request) == 0 && request_is(&request, name);
}

/* False, and the passport says why, of a form that cannot be measured. */
static bool begin(const struct passport_form *form, struct decoded *decoded,
                  struct passport *passport)
{
    *passport = (struct passport){.throughput = NAN};
    const char *const why = decoded_read(form->code, form->length, decoded) < 0
                                ? "it is no instruction"
                                : decoded_refusal(decoded);
    if (why)
        passport_refuse(passport, why, NULL);
    return !why;
}

void session_measure(struct session *session, const struct passport_form *form,
                     bool links, struct passport *passport)
{
    struct decoded decoded;
    if (!begin(form, &decoded, passport))
        return;
    if (!can_encode(&decoded, form->name))
        return passport_refuse(passport, "the encoder does not know it", NULL);
    session->block[0].legacy = session->block[1].legacy = form->level == 128;
    data_fill(session->data, &decoded);
    passport->throughput = throughput(session, &decoded, 0, 0);
    if (!isfinite(passport->throughput))
        return passport_refuse(passport, "no sequence of it can be made", NULL);
    passport->units = units_of(session, &decoded, passport->throughput);
    passport->steps = steps_of(session, &decoded, form->level, passport->throughput);
    if (links) {
        measure_links(session, &decoded, passport);
        measure_kept(session, &decoded, passport);
    }
    passport->known = true;
}

void passport_make_up(const struct passport_form *form, double cycles,
                      struct passport *passport)
{
    struct decoded decoded;
    if (!begin(form, &decoded, passport))
        return;
    passport->known = true;
    passport->throughput = cycles;
    passport->steps = 1;
    passport->n_links = chain_links(&decoded, passport->link);
    for (size_t i = 0; i < passport->n_links; i++)
        passport->link[i].cycles = passport->link[i].full = (float)cycles;
}
