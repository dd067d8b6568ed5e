/* SPDX-License-Identifier: Apache-2.0 */
#include "json_common.h"

const struct fields case_fields = FIELDS(
    FIELD(TEXT, result, id), FIELD(SIZE, result, group), FIELD(TEXT, result, op),
    FIELD(TEXT, result, type), FIELD(TEXT, result, isa), FIELD(TEXT, result, variant),
    FIELD(TEXT, result, shape), FIELD(NAME, result, layout), FIELD(INT, result, threads),
    FIELD(INT, result, threads_used), FIELD_AS("module", NAME, result, module.name),
    FIELD_AS("module_version", NAME, result, module.version),
    FIELD_AS("module_core", NAME, result, module.core),
    FIELD_AS("module_isa", NAME, result, module.isa),
    FIELD_AS("input_hash", NAME, result, work.input_hash),
    FIELD_AS("implementation", NAME, result, code.implementation),
    FIELD(NAME, result, unranked),
    FIELD_AS("unoptimised", NAME, result, code.unoptimised),
    FIELD_AS("code_print", NAME, result, code.print), FIELD(NAME, result, source));
static const struct fields amount_fields = FIELDS(
    FIELD_AS("ops", SPAN, result, work.ops), FIELD_AS("bytes", SPAN, result, work.bytes));
const struct fields work_fields =
    FIELDS(FIELD_ARRAY("notes", NOTES, result, notes, n_notes),
           FIELD_GROUP("work", amount_fields));
static const struct fields probe_fields =
    FIELDS(FIELD_AS("ghz", RATE, result, summary.ghz),
           FIELD_AS("ci", CI, result, summary.ghz_ci),
           FIELD_ARRAY("samples", NUMBERS, result, samples.clock_ghz, samples.n_clock));
const struct fields clock_fields = FIELDS(FIELD_GROUP("clock", probe_fields));
const struct fields rung_fields =
    FIELDS(FIELD_AS("level", TEXT, result, work.level),
           FIELD_AS("working_set", SPAN, result, work.working_set));
const struct fields measured_fields =
    FIELDS(FIELD_AS("prepare_ns", SPAN, result, samples.prepare_ns),
           FIELD_AS("iterations", U64, result, samples.iterations),
           FIELD_AS("overhead_ns", SPAN, result, samples.overhead_ns),
           FIELD_AS("voided", U32, result, samples.voided),
           FIELD_AS("shared", BOOL, result, samples.shared),
           FIELD_AS("stopped", NAME, result, samples.stopped),
           FIELD_AS("workspace_bytes", AMOUNT, result, samples.workspace_bytes));
const struct fields accuracy_fields =
    FIELDS(FIELD_AS("max_ulp", SPAN, result, accuracy.max_ulp),
           FIELD_AS("mean_ulp", SPAN, result, accuracy.mean_ulp),
           FIELD_AS("worst_input", NUMBER, result, accuracy.worst_input));
const struct fields summary_fields =
    FIELDS(FIELD_AS("median_ns", SPAN, result, summary.median_ns),
           FIELD_AS("min_ns", SPAN, result, summary.min_ns),
           FIELD_AS("mad_ns", SPAN, result, summary.mad_ns),
           FIELD_AS("ci_ns", CI, result, summary.ci_ns),
           FIELD_AS("ci_reason", NAME, result, summary.ci_reason));
const struct fields rate_fields = FIELDS(FIELD_AS("gops", RATE, result, summary.gops),
                                         FIELD_AS("gbps", RATE, result, summary.gbps));
const struct fields limit_fields =
    FIELDS(FIELD(RATE, limit, gops), FIELD(RATE, limit, gbps), FIELD(RATE, limit, share),
           FIELD(BOOL, limit, too_low), FIELD(BOOL, limit, guessed));
const struct fields ratios_fields = FIELDS(FIELD_LIST_AS(
    "ratios", LIST, result, summary.ratios, summary.n_ratios, ratio_fields));
const struct fields counter_fields =
    FIELDS(FIELD(BOOL, counter, asked), FIELD(NAME, counter, event),
           FIELD(NAME, counter, config), FIELD(NAME, counter, scope));
const struct fields count_fields =
    FIELDS(FIELD(SPAN, counter, value), FIELD(SPAN, counter, per_element),
           FIELD(AMOUNT, counter, overhead), FIELD(SPAN, counter, running_share),
           FIELD(AMOUNT, counter, threads), FIELD(BOOL, counter, user_read),
           FIELD_ARRAY("samples", NUMBERS, counter, samples, n));
const struct fields absence_fields =
    FIELDS(FIELD(NAME, counter, fix), FIELD_AS("errno", AMOUNT, counter, code),
           FIELD(NAME, counter, errno_name));
const struct fields proof_fields =
    FIELDS(FIELD(NAME, counter, verdict), FIELD(NAME, counter, doubt),
           FIELD(AMOUNT, counter, voided));
const struct fields metric_fields =
    FIELDS(FIELD(NUMBER, metric, value), FIELD(TEXT, metric, unit),
           FIELD(NAME, metric, formula), FIELD(BOOL, metric, asked));
