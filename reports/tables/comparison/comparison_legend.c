/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "comparison_sheet.h"
#include "tables/legend/legend.h"
#include "tables/legend/tally.h"

/* The differences between the code of two builds. */
static void code_lines(struct legend *legend)
{
    const struct run *const run = legend->run;
    struct tally reasons = {.n = 0};
    size_t cases = 0, judged = 0;
    double least = INFINITY, most = -INFINITY;

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const struct code_change *const code =
            result->comparison ? result->comparison->code : NULL;
        if (!code)
            continue;
        cases++;
        judged += code->verdict != CODE_NOT_JUDGED;
        if (code->reason)
            tally_add(&reasons, code->reason, strlen(code->reason), result->id ?: "");
        if (code->base_instructions > 0) {
            const double change = code->head_instructions / code->base_instructions - 1;
            least = fmin(least, change);
            most = fmax(most, change);
        }
    }
    if (!cases)
        return;
    buffer_format(
        &legend->buffer,
        "code: %zu of %zu case%s judged by all instructions of a call, %zu worse", judged,
        cases, cases == 1 ? "" : "s", run_code_worse(run));
    if (least <= most)
        buffer_format(&legend->buffer,
                      "; instructions for an operation change by %+.2f%%", 100 * least);
    if (least < most)
        buffer_format(&legend->buffer, " to %+.2f%%", 100 * most);
    legend_flush(legend);
    tally_lines(&reasons, "code not judged", legend);
}

static bool is_stored(const struct gate *gate)
{
    return text_same(gate->kind, "stored");
}

static bool is_control(const struct arm *arm)
{
    return !strcmp(arm->name, "control");
}

/* True if all builds load an object with the same "PATH BUILD-ID". A file of functions
 * has no id: it is no code, and that of `call` does not stay. */
static bool everywhere(const struct gate *gate, const char *object)
{
    const char *const id = strrchr(object, ' ');
    if (id && !id[1])
        return true;
    FOR_EACH (const struct arm, arm, gate->arms, gate->n_arms) {
        size_t k = 0;
        if (is_control(arm))
            continue;
        while (k < arm->n_objects && strcmp(arm->objects[k], object))
            k++;
        if (k == arm->n_objects)
            return false;
    }
    return true;
}

static void arm_lines(struct legend *legend)
{
    const struct gate *const gate = legend->run->gate;

    FOR_EACH (const struct arm, arm, gate->arms, gate->n_arms) {
        buffer_tell(&legend->buffer, "%s: %s", arm->name, arm->path);
        legend_part(legend, ", ", "version ", arm->version);
        legend_part(legend, ", ", "commit ", arm->commit);
        legend_part(legend, ", ", "label ", arm->label);
        legend_part(legend, ", ", "build ", arm->build_id ?: "without an id");
        legend_part(legend, ", ", "measured ", arm->started_at);
        legend_flush(legend);
        for (size_t k = 0; k < arm->n_objects && !is_control(arm); k++) {
            if (everywhere(gate, arm->objects[k]))
                continue;
            buffer_plain(&legend->buffer, arm->name);
            legend_put(legend, " alone loads: ", arm->objects[k]);
        }
    }
    if (gate->own_processes)
        legend_put(legend, "each build ran in a process of its own", "");
    if (!gate->harness)
        return;
    legend_put(legend, "harness: ", gate->harness);
    legend_put(
        legend, "placement: ",
        gate->equal
            ? "both are the same program, by the bytes that they load, with the same "
              "arguments: a change is of the files that they read, or of chance"
        : change_has_built(legend->run)
            ? "each build was linked with its code at several places (--relink) and is "
              "judged at the best of them; as built: where it lies without"
            : "code of a harness cannot be tried at other places without --relink, so a "
              "change may be of the code or only of its place in memory");
}

static void stored_lines(struct legend *legend)
{
    static void (*const texts[])(const struct run *, struct buffer *) = {libraries_text,
                                                                         between_text};

    for (size_t i = 0; i < ARRAY_LEN(texts) && is_stored(legend->run->gate); i++) {
        texts[i](legend->run, &legend->buffer);
        if (legend->buffer.length)
            legend_flush(legend);
    }
}

/* The number of cases whose code is the same, and what the others differ by, stand below
 * them. */
static void equality_line(struct legend *legend)
{
    size_t same = 0, known = 0, moved = 0, all = 0;

    FOR_EACH (const struct result, result, legend->run->results, legend->run->n_results) {
        const struct comparison *const c = result->comparison;
        if (!c || !c->placement)
            continue;
        all++;
        moved += comparison_is_moved(c);
        known += c->placement->equality != EQUALITY_UNKNOWN;
        same += c->placement->equality == EQUALITY_SAME;
    }
    if (known)
        buffer_format(&legend->buffer, "same code: %zu of %zu case%s, by what executes",
                      same, known, known == 1 ? "" : "s");
    if (known)
        legend_flush(legend);
    if (is_stored(legend->run->gate) || legend->run->gate->harness)
        return;
    if (all && moved < all)
        buffer_format(&legend->buffer, "judged as built: %zu of %zu cases", all - moved,
                      all);
    if (all && moved < all)
        legend_flush(legend);
}

static void left_out_lines(struct legend *legend)
{
    const struct gate *const gate = legend->run->gate;

    if (gate->left_out)
        legend_put(legend, "left out: ", gate->left_out);
    if (gate->lacking)
        legend_put(legend, "this CPU lacks: ", gate->lacking);
}

/* Tells the range of the noise floor over all cases. */
static void floor_line(struct legend *legend)
{
    double lo = INFINITY, hi = -INFINITY;

    for (size_t i = 0; i < legend->run->n_results; i++) {
        const struct comparison *const c = legend->run->results[i].comparison;
        if (!c || !comparison_has_change(c) || !isfinite(c->floor))
            continue;
        lo = fmin(lo, c->floor);
        hi = fmax(hi, c->floor);
    }
    if (lo > hi)
        return;
    buffer_format(&legend->buffer, "noise floor: %.2f%%", 100 * lo);
    if (hi > lo)
        buffer_format(&legend->buffer, " to %.2f%%", 100 * hi);
    legend_put(
        legend, ", what ",
        is_stored(legend->run->gate)
            ? "the roofs changed by, whose code is the same, or a case within a run"
            : "a copy of base seems to change by");
}

static void counts_line(struct legend *legend)
{
    size_t rounds = 0, voided = 0;
    uint32_t least = UINT32_MAX, most = 0;

    for (size_t i = 0; i < legend->run->n_results; i++) {
        const struct comparison *const c = legend->run->results[i].comparison;
        if (!c || !c->n_trials)
            continue;
        rounds += c->n_trials;
        voided += c->voided;
        least = c->processes < least ? c->processes : least;
        most = c->processes > most ? c->processes : most;
    }
    if (!rounds)
        return;
    buffer_format(&legend->buffer, "measured: %u", (unsigned)least);
    if (most > least)
        buffer_format(&legend->buffer, " to %u", (unsigned)most);
    buffer_format(&legend->buffer,
                  " processes a case, %zu rounds; %zu more voided on evidence", rounds,
                  voided);
    if (legend->run->gate->seconds > 0)
        buffer_format(&legend->buffer, "; %.1f s", legend->run->gate->seconds);
    legend_flush(legend);
}

static void words_lines(struct legend *legend)
{
    const struct gate *const gate = legend->run->gate;
    const bool moved = change_has_built(legend->run);

    legend_put(legend, "change: time of ",
               is_stored(gate)
                   ? "run 2 over that of run 1, each the first quartile of its "
                     "batches; the interval holds in about 97.8% of runs for "
                     "noise within a run, not for what differs between runs"
               : moved ? "head over base, median over processes, each at the best of its "
                         "places; the interval holds in at least 97.8% of runs"
                       : "head over base, median over processes; the interval holds in "
                         "at least 97.8% of runs");
    if (change_has_built(legend->run))
        legend_put(legend, "as built: ",
                   "the same where the linker put the code; PLACED: the code is no "
                   "slower, but as built it is");
    buffer_format(
        &legend->buffer,
        "verdict: SAME if the interval lies within %.4g%%, IMPROVED or REGRESSED if it "
        "lies beyond and holds for all cases at once; else INCONCLUSIVE",
        100 * gate->threshold);
    legend_flush(legend);
    legend_put(legend,
               "detectable: ", "the smallest change that this run could have called");
    if (is_stored(gate))
        legend_put(legend, "advisory: ",
                   "two runs at different times differ by more than code; simdbench ab "
                   "measures both at once");
    bool libraries = false;
    for (size_t i = 0; i < legend->run->n_results; i++)
        libraries |=
            legend->run->results[i].comparison && legend->run->results[i].is_baseline;
    if (libraries)
        legend_put(legend, "libraries are compared too, but decide nothing", "");
}

void comparison_lines(const struct run *run, bool brief, legend_line *line, void *context)
{
    struct legend legend = {.run = run, .line = line, .context = context};

    if (!brief)
        arm_lines(&legend);
    if (run->gate->refused)
        legend_put(&legend, "times were not judged: ", run->gate->refused);
    left_out_lines(&legend);
    counts_line(&legend);
    stored_lines(&legend);
    equality_line(&legend);
    floor_line(&legend);
    if (run->gate->remark)
        legend_put(&legend, "", run->gate->remark);
    if (run->gate->settings)
        legend_put(&legend, "settings of this comparison: ", run->gate->settings);
    if (run->gate->selftest)
        legend_put(&legend, "selftest: ", run->gate->selftest);
    proof_lines(&legend);
    code_lines(&legend);
    if (!brief)
        words_lines(&legend);
    buffer_free(&legend.buffer);
}

enum tone comparison_tone(const struct run *run)
{
    const struct gate *const gate = run->gate;
    const size_t verdicts = gate->regressed + gate->improved + gate->same + gate->placed +
                            gate->inconclusive + gate->unusable;

    if (gate->regressed || run_code_worse(run) || (gate->placement && gate->placed))
        return TONE_BAD;
    return gate->inconclusive || gate->unusable || !verdicts ? TONE_PLAIN : TONE_GOOD;
}
