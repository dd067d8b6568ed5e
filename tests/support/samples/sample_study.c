/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_study.h"

#include <string.h>

const char sample_study_file[] =
    "{\"study\": 1, \"name\": \"burnt-conv\", \"title\": \"why it is slow\",\n"
    " \"source\": {\"title\": \"How a convolution was burnt\", \"file\": \"burnt.txt\",\n"
    "  \"sha256\": \"6141\", \"machine\": \"Zen 4\"},\n"
    " \"work\": {\"op\": \"conv\", \"type\": \"f32\", \"isa\": \"avx2\", \"threads\": "
    "1,\n"
    "  \"shapes\": [\"n1c16h512w512k16r3s3b8\"], \"quick\": "
    "[\"n1c16h66w66k16r3s3b8\"]},\n"
    " \"arms\": {\n"
    "  \"clean\": {\"variant\": \"block8\", \"is\": \"no fault\"},\n"
    "  \"spill\": {\"variant\": \"spill\", \"is\": \"20 sums | 16 registers\"},\n"
    "  \"column\": {\"variant\": \"column_test\"},\n"
    "  \"both\": {\"variant\": \"spill_column\"},\n"
    "  \"pad\": {\"variant\": \"padding_test\", \"shape\": \"+p1q1\", \"pages\": "
    "\"2m\",\n"
    "   \"align\": 64, \"cache\": \"cold\", \"input\": \"zero\", \"threads\": \"all\"},\n"
    "  \"fma\": {\"op\": \"roof\", \"variant\": \"fma\", \"shape\": \"4096\"}},\n"
    " \"claims\": [\n"
    "  {\"id\": \"5a\", \"quote\": \"mixture between spilling registers\", \"kind\": "
    "\"C\",\n"
    "   \"their\": \"part of 3.3x\", \"measure\": \"time_ratio\", " SAMPLE_STUDY_OF ",\n"
    "   \"confirms\": \"Yes: spills cost time.\", \"learned\": true,\n"
    "   \"refutes\": \"No: spills cost nothing.\",\n"
    "   \"expect\": [1, null], \"evidence\": [\n"
    "    {\"measure\": \"static\", \"fact\": \"stack_vector_stores\", " SAMPLE_STUDY_OF
    ",\n"
    "     \"as\": \"difference\", \"expect\": [1, null]},\n"
    "    {\"measure\": \"metric\", \"metric\": \"IPC\", \"of\": [\"spill\"],\n"
    "     \"expect\": [null, 2.5], \"why\": \"else it does not wait\"}],\n"
    "   \"confounders\": [\"20 columns leave another remainder\"]},\n"
    "  {\"id\": \"5b\", \"quote\": \"and too many branches\", \"measure\": "
    "\"time_ratio\",\n"
    "   \"of\": [\"column\", \"clean\"], \"expect\": [1.5, 2], \"evidence\": [\n"
    "    {\"measure\": \"limit_share\", \"of\": [\"column\"], \"expect\": [null, "
    "0.5]}]},\n"
    "  {\"id\": \"8\", \"quote\": \"if stops decoding\", \"measure\": \"time_ratio\",\n"
    "   \"of\": [\"column\", \"clean\"], \"expect\": [1, null],\n"
    "   \"at\": [\"n1c16h34w34k16r3s3b8\", \"n1c16h66w66k16r3s3b8\"]},\n"
    "  {\"id\": \"9\", \"quote\": \"much larger\", \"measure\": \"noise\", \"of\": "
    "[\"clean\"],\n"
    "   \"expect\": [null, 0.005]},\n"
    "  {\"id\": \"14\", \"quote\": \"This is slow. Very slow.\", \"measure\": "
    "\"explained\",\n"
    "   \"count\": \"page-faults\", \"of\": [\"both\", \"clean\"], \"expect\": [0.8, "
    "1.2]},\n"
    "  {\"id\": \"15\", \"quote\": \"the error is small\", \"measure\": \"accuracy\",\n"
    "   \"of\": [\"clean\"], \"expect\": [0, 4]},\n"
    "  {\"id\": \"16\", \"quote\": \"scales with n\", \"measure\": \"slope\",\n"
    "   \"of\": [\"clean\"], \"expect\": [0.9, 1.1], \"kind\": \"S\"},\n"
    "  {\"id\": \"17\", \"quote\": \"Typical TLB covers ~2MB\", \"measure\": \"host\",\n"
    "   \"name\": \"tlb_entries\", \"expect\": [512, 512]},\n"
    "  {\"id\": \"18\", \"quote\": \"Variance 69.420µs\", \"measure\": \"arithmetic\",\n"
    "   \"formula\": \"8.33 / 3.06\", \"expect\": [0.22, 1], \"kind\": \"T\",\n"
    "   \"why\": \"of the largest that a range of 6.11 ms allows\"},\n"
    "  {\"id\": \"19\", \"quote\": \"Mean 42.731ms\", \"measure\": \"thread_ratio\",\n"
    "   \"of\": [\"clean\"], \"threads\": \"all\", \"expect\": [4.8, 5.4],\n"
    "   \"needs\": [\"cpus:8\"], \"instead\": \"16\", \"note\": \"they had 16 "
    "threads\"},\n"
    "  {\"id\": \"A\", \"by\": \"us\", \"text\": \"wide SIMD is free here\",\n"
    "   \"measure\": \"host\", \"name\": \"license\", \"expect\": [0.99, null]}],\n"
    " \"account\": {\"total\": [\"both\", \"clean\"],\n"
    "  \"parts\": [[\"spill\", \"clean\"], [\"column\", \"clean\"]],\n"
    "  \"reverse\": [[\"both\", \"column\"], [\"both\", \"spill\"]]}}\n";

struct study *sample_study(void)
{
    struct study *const study = calloc(1, sizeof *study);
    struct error error;

    need(study);
    if (study_read_json(study, sample_study_file, strlen(sample_study_file), &error)) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    return study;
}

static struct interval around(double value, double half)
{
    return (struct interval){
        .known = true, .lo = value - half, .hi = value + half, .level = 0.996};
}

/* Gives a check a point at shape `i`, whose interval has that half width; 0: an exact
 * value. */
static void add(struct study_check *check, size_t i, double value, double half)
{
    struct study_point *const point =
        study_add_point(check, i < check->n_at ? check->at[i] : NULL);

    need(point);
    if (half <= 0) {
        study_point_exact(point, value);
        return;
    }
    point->value = value;
    point->ci = around(value, half);
    point->floor = 0.01;
    for (size_t k = 0; k < check->n_of; k++)
        string_set(&point->cases[k], check->of[k]);
}

static struct study_factor factor(double value)
{
    return (struct study_factor){value, around(value, 0.04)};
}

static void measure_claims(struct study *study)
{
    struct study_claim *const claims = study->claims;

    add(&claims[0].check, 0, 1.6, 0.05);
    add(&claims[0].evidence[0], 0, 909, 0);
    add(&claims[0].evidence[1], 0, 3.1, 0.1);
    add(&claims[1].check, 0, 1.7, 0.05);
    study_add_absent(&claims[1].evidence[0], NULL, "no roof limits it", NULL);
    add(&claims[2].check, 0, 1.2, 0.05);
    add(&claims[2].check, 1, 1, 0.01);
    add(&claims[3].check, 0, 0.02, 0.001);
    add(&claims[4].check, 0, 0.7, 0.15);
    add(&claims[5].check, 0, 7, 0);
    add(&claims[6].check, 0, 0.5, 0.1);
    add(&claims[7].check, 0, 3072, 0);
    string_set(&claims[9].check.reason, "2 CPUs here, it needs 8");
    string_set(&claims[9].check.type, "simdbench study burnt-conv");
}

static void measure_account(struct study_account *account)
{
    struct study_sum *sum = study_add_sum(account, account->at[0]);

    need(sum);
    sum->total = factor(3.1);
    sum->parts[0] = sum->reverse[1] = factor(1.6);
    sum->parts[1] = sum->reverse[0] = factor(1.7);
    sum->residual = factor(1.14);
    sum->reverse_residual = factor(1.01);
    sum = study_add_sum(account, "n1c16h34w34k16r3s3b8");
    need(sum);
    string_set(&sum->reason, "both: wrong");
    string_set(&sum->type, "simdbench --only=both");
}

struct run *sample_study_run(void)
{
    struct run *const run = sample_run_small();
    struct study *const study = LIST_ADD(run, studies, n_studies), *const read =
                                                                       sample_study();

    need(study);
    *study = *read;
    free(read);
    measure_claims(study);
    measure_account(&study->account);
    study->seconds = 13.5;
    study->is_quick = true;
    study_calculate(study);
    study_judge(study);
    return run;
}

struct run *sample_study_hostile(void)
{
    struct run *const run = sample_study_run();
    struct study *const study = &run->studies[0];
    struct study_claim *const claims = study->claims;

    HOSTILE(&study->title, &study->source.title, &study->source.machine,
            &study->source.file, &study->account.sums[1].reason,
            &study->account.sums[1].type, &study->account.sums[1].at,
            &claims[1].evidence[0].points[0].reason, &claims[2].check.points[0].at,
            &claims[2].check.points[1].at, &claims[9].check.reason,
            &claims[9].check.type);
    FOR_EACH (struct study_claim, claim, claims, study->n_claims) {
        if (claim->quote)
            HOSTILE(&claim->quote);
        HOSTILE(&claim->text, &claim->their, &claim->note, &claim->check.why);
    }
    HOSTILE(&claims[0].id, &claims[0].evidence[0].what, &claims[0].evidence[1].why);
    study_judge(study);
    return run;
}
