/* SPDX-License-Identifier: Apache-2.0 */
/* From a command line to groups of cases: selection, shapes, layouts, inputs, limits. */
#include "golden.h"
#include "scripted_run.h"

/* ---- plans as a golden file ---- */

/* The second instruction set has another name on another machine. */
static char *replaced(const char *text, const char *from, const char *to)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&out, &size);
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from))
        fprintf(file, "%.*s%s", (int)(at - text), text, to);
    fputs(text, file);
    fclose(file);
    return out;
}

static void print_plan(FILE *file)
{
    for (size_t g = 0; g < plan.n_groups; g++) {
        FOR_EACH (const struct plan_case, entry, plan.groups[g].cases,
                  plan.groups[g].n_cases) {
            fprintf(file, "%zu %s%s%s%s%s", g + 1, entry->id,
                    entry->limit_id ? " < " : "", entry->limit_id ?: "",
                    entry->skip ? " ! " : "", entry->skip ?: "");
            for (size_t i = 0; i < entry->notes.n; i++)
                fprintf(file, " # %s", entry->notes.item[i]);
            fputc('\n', file);
        }
    }
    for (size_t i = 0; i < plan.left_out.n; i++)
        fprintf(file, "left out: %s\n", plan.left_out.item[i]);
}

static void print_command(const char *line, FILE *file)
{
    char *const words = replaced(line, "wide", isa_get(1)->name);
    const int status = plan_words(words);
    if (status < 0)
        fprintf(file, "%s: %s\n", strerrorname_np(-status), error.text);
    print_plan(file);
    free(words);
}

/* Runs the command lines of a golden file, and writes it anew with what they gave. */
TEST(test_plans)
{
    char path[4096], *text = NULL, *rest, *line;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/plans.txt", golden_folder());
    char *const golden = rest = golden_read(path);
    FILE *const file = open_memstream(&text, &size);
    while ((line = strsep(&rest, "\n"))) {
        const bool lacking = line[0] == '1';
        if (strchr("#$", line[lacking]) && rest)
            fprintf(file, "%s\n", line);
        script.isas = lacking ? 1 : 2;
        if (line[lacking] == '$')
            print_command(line + lacking + 2, file);
    }
    fclose(file);
    char *const plain = replaced(text, isa_get(1)->title, "WIDE");
    check_golden("plans.txt", replaced(plain, isa_get(1)->name, "wide"));
    free(golden);
    free(plain);
    free(text);
}

/* ---- what no line of that file can say ---- */

static void offer_again(const char *isa)
{
    const struct row again = {"mul", "max", "f32", isa, "add", NULL, NULL, 0};
    script_offer(&catalog, script_worker(&catalog, "again", NULL, "[]", &again, 1));
}

static void withdraw(size_t n)
{
    catalog.n_offers -= n;
    worker_free(catalog.workers[--catalog.n_workers]);
}

/* The widest set that is available has no such kernel. */
TEST(test_fallback_passes_over_a_set)
{
    char words[64], why[200];
    if (isa_count() < 3)
        skip();
    offer_again(isa_get(2)->name);
    snprintf(words, sizeof words, "mul --sizes=8 --variants=add --isa=%s,%s",
             isa_get(1)->name, isa_get(2)->name);
    assert_int_equal(plan_words(words), 0);
    assert_string_equal(plan.isas_instead.item[0], "scalar");
    snprintf(why, sizeof why,
             "this CPU has no %s: measured scalar, its widest with such "
             "kernels, instead",
             isa_get(2)->title);
    assert_string_equal(plan.why_instead.item[0], why);
    assert_string_equal(plan.groups[0].cases[0].id, "mul/max-f32/scalar/add@8");
    assert_int_equal(plan.groups[0].cases[0].notes.n, 1);
    assert_non_null(plan.groups[0].cases[1].skip);
    script.isas = 1;
    assert_int_equal(plan_words(words), 0);
    snprintf(why, sizeof why,
             "this CPU has no %s or %s: measured scalar, its widest, instead",
             isa_get(1)->title, isa_get(2)->title);
    assert_string_equal(plan.why_instead.item[0], why);
    script.isas = 2;
    withdraw(1);
}

/* Kernels that choose a set for themselves lack none. */
TEST(test_fallback_wants_a_set)
{
    char words[64];
    script.isas = 1;
    offer_again("lib");
    snprintf(words, sizeof words, "mul --sizes=8 --variants=add --isa=%s",
             isa_get(1)->name);
    assert_int_equal(plan_words(words), 0);
    assert_int_equal(plan.groups[0].n_cases, 1);
    offer_again(isa_get(1)->name);
    assert_int_equal(plan_words(words), 0);
    assert_string_equal(plan.isas_instead.item[0], "scalar");
    assert_string_equal(plan.groups[0].cases[0].id, "mul/max-f32/scalar/add@8");
    withdraw(1);
    withdraw(1);
    script.isas = 2;
}

/* A part of the same work by the same worker limits a kernel, not what differs from it.
 */
TEST(test_limited_by_a_part)
{
    const char *const wide = isa_get(1)->name;
    const struct row part = {"mul",  "max", "f32", "scalar",
                             "part", NULL,  NULL,  SIMDBENCH_PARTIAL};
    const struct row rows[] = {
        {"mul", "min", "f32", "scalar", "part", NULL, NULL, SIMDBENCH_PARTIAL},
        {"mul", "max", "f32", wide, "part", NULL, NULL, SIMDBENCH_PARTIAL},
        {"mul", "max", "f32", "scalar", "other", NULL, NULL, SIMDBENCH_PARTIAL},
        part,
        {"mul", "max", "f32", "scalar", "whole", NULL, "part", 0},
        {"mul", "max", "f32", "scalar", "second", NULL, "whole", 0}};
    script_offer(&catalog, script_worker(&catalog, "b", "b.so", "[]", rows, 6));
    assert_int_equal(plan_words("mul --sizes=8 --isa=scalar --variants=part,whole"), 0);
    assert_string_equal(plan.groups[0].cases[1].limit_id, "b:mul/max-f32/scalar/part@8");
    withdraw(6);
    script_offer(&catalog, script_worker(&catalog, "a", "a.so", "[]", &part, 1));
    script_offer(&catalog, script_worker(&catalog, "b", "b.so", "[]", rows, 6));
    assert_int_equal(plan_words("mul --sizes=8 --isa=all --semiring=all "
                                "--variants=part,other,whole,second"),
                     0);
    const struct plan_case *const cases = plan.groups[0].cases;
    assert_int_equal(plan.groups[0].n_cases, 7);
    assert_string_equal(cases[5].limit_id, "b:mul/max-f32/scalar/part@8");
    for (size_t c = 0; c < 7; c++)
        assert_true(c == 5 || !cases[c].limit_id);
    withdraw(6);
    withdraw(1);
}

/* A library's rows for another set are there if it has none for that of ours; an op is
 * measured in the first type that it has, if that is not f32. */
TEST(test_rows_for_want_of_others)
{
    const struct row few = {"mul", "max", "f32", "scalar", "few", NULL, NULL, 0};
    const struct row late = {"late", NULL, "f64", "scalar", "late", NULL, NULL, 0};
    struct worker *const library =
        script_worker(&catalog, "few", "few.so", "[]", &few, 1);
    library->info.is_baseline = true;
    script_offer(&catalog, library);
    assert_int_equal(plan_words("mul --sizes=8 --baseline=few"), 0);
    assert_string_equal(plan.groups[0].cases[4].id, "few:mul/max-f32/scalar/few@8");
    withdraw(1);
    script_offer(&catalog, script_worker(&catalog, "late", NULL, "[{\"name\": \"late\"}]",
                                         &late, 1));
    assert_int_equal(plan_words("late --sizes=8"), 0);
    assert_string_equal(plan.groups[0].cases[0].id, "late/f64/scalar/late@8");
    withdraw(1);
}

/* ---- rows that are exact enough ---- */

/* Adds rows of op near with the errors that they state. */
static void offer_near(const char *name, bool library, const struct row *rows,
                       const double *ulp, size_t n)
{
    const bool own = !strcmp(name, "own");
    struct worker *const worker =
        script_worker(&catalog, name, own ? NULL : name,
                      own ? "[{\"name\": \"near\"}]" : "[]", rows, n);
    worker->info.is_baseline = library;
    script_offer(&catalog, worker);
    for (size_t i = 0; i < n; i++)
        catalog.offers[catalog.n_offers - n + i].max_ulp = ulp[i];
}

/* Three rows, one that runs one of them, a study row; a library; a plug-in with a row
 * that runs another one, of which none is exact. */
static void offer_errors(void)
{
    static const struct row own[] = {
        {"near", NULL, "f32", "scalar", "one", NULL, "copy", 0},
        {"near", NULL, "f32", "scalar", "two", NULL, NULL, 0},
        {"near", NULL, "f32", "scalar", "mute", NULL, NULL, 0},
        {"near", NULL, "f32", "scalar", "auto", NULL, NULL, SIMDBENCH_ADAPTS},
        {"near", NULL, "f32", "scalar", "show", NULL, NULL, SIMDBENCH_STUDY},
        {"near", NULL, "f64", "scalar", "auto", NULL, NULL, SIMDBENCH_ADAPTS}};
    static const struct row library[] = {
        {"near", NULL, "f32", "lib", "exact", NULL, NULL, 0},
        {"near", NULL, "f32", "lib", "mute", NULL, NULL, 0}};
    static const struct row plugin[] = {
        {"near", NULL, "f32", "scalar", "auto", NULL, NULL, SIMDBENCH_ADAPTS},
        {"near", NULL, "f32", "scalar", "more", NULL, NULL, 0}};
    offer_near("own", false, own, (const double[]){1, 2.25, 0, 2.25, 0.5, 3}, 6);
    offer_near("l", true, library, (const double[]){0.75, 0}, 2);
    offer_near("p", false, plugin, (const double[]){4, 4}, 2);
}

static void expect_plan(const char *words, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&text, &size);
    assert_int_equal(plan_words(words), 0);
    print_plan(file);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

TEST(test_exact_enough)
{
    offer_errors();
    expect_plan(
        "near --sizes=8,9 --baseline=l --accuracy-at-most=1ulp",
        "1 near/f32/scalar/one@8;accuracy-at-most=1 < "
        "roof/f32/scalar/copy@64x16384;accuracy-at-most=1\n"
        "1 near/f32/scalar/auto@8;accuracy-at-most=1\n"
        "1 l:near/f32/lib/exact@8;accuracy-at-most=1\n"
        "1 roof/f32/scalar/copy@64x16384;accuracy-at-most=1\n"
        "2 near/f32/scalar/one@9;accuracy-at-most=1 < "
        "roof/f32/scalar/copy@72x16384;accuracy-at-most=1\n"
        "2 near/f32/scalar/auto@9;accuracy-at-most=1\n"
        "2 l:near/f32/lib/exact@9;accuracy-at-most=1\n"
        "2 roof/f32/scalar/copy@72x16384;accuracy-at-most=1\n"
        "left out: not within --accuracy-at-most=1: near/f32/scalar/two (2.25 ulp), "
        "near/f32/scalar/mute (states no error), p:near/f32/scalar/auto (4 ulp), "
        "p:near/f32/scalar/more (4 ulp), l:near/f32/lib/mute (states no error)\n");
    /* Nobody is told of rows that nobody asked for. */
    expect_plan("near --sizes=8 --filter=*/one@*,*/two@* --filter=*/two@* "
                "--accuracy-at-most=2.25",
                "1 near/f32/scalar/two@8;accuracy-at-most=2.25\n");
    expect_plan("near --sizes=8 --variants=show,mute --accuracy-at-most=0.5 --input=hard",
                "1 near/f32/scalar/show@8;accuracy-at-most=0.5;input=hard\n"
                "left out: not within --accuracy-at-most=0.5: near/f32/scalar/mute "
                "(states no error)\n");
    /* No row that it could run is exact enough: the study row is none of them. */
    expect_plan(
        "near --sizes=8 --variants=auto,show --accuracy-at-most=0.99 --threads=2",
        "1 near/f32/scalar/show@8;threads=2;accuracy-at-most=0.99\n"
        "left out: not within --accuracy-at-most=0.99: near/f32/scalar/auto (2.25 "
        "ulp), p:near/f32/scalar/auto (4 ulp)\n");
    expect_error(
        "near --sizes=8 --accuracy-at-most=0.9 --baseline=l", -ENOENT,
        "nothing matches: not within --accuracy-at-most=0.9: near/f32/scalar/one "
        "(1 ulp), near/f32/scalar/two (2.25 ulp), near/f32/scalar/mute (states "
        "no error), near/f32/scalar/auto (2.25 ulp), p:");
    expect_error("near --sizes=8 --accuracy-at-most=2 --type=f64", -ENOENT,
                 "nothing matches: not within --accuracy-at-most=2: near/f64/scalar/auto "
                 "(3 ulp)");
    expect_error("near --sizes=8 --accuracy-at-most=2 --filter=zzz", -ENOENT,
                 "nothing matches: no kernel of op near has these");
    expect_error("mul --sizes=8 --accuracy-at-most=2", -EINVAL,
                 "--accuracy-at-most=2: op mul has no errors to bound, as no row of it "
                 "states one; ops with such rows: near");
    withdraw(2);
    withdraw(2);
    withdraw(6);
    expect_error("mul --sizes=8 --accuracy-at-most=2", -EINVAL, "such rows: none");
}

TEST(test_refused_by_catalog_and_memory)
{
    expect_error(
        "mul --sizes=8,100000000000000", -ENOMEM,
        "--sizes: '100000000000000' of op mul needs about 1.6e+06 GB of memory, ");
    assert_in_range(strtod(strstr(error.text, "memory, ") + 8, NULL), 0, 100000);
    expect_error("mul --sizes=100000000000000 --pages=2m", -ENOMEM, " 2.4e+06 GB ");
    expect_error("mul --sizes=100000000000000 --filter=zzz", -ENOENT, "");
    script_worker(&catalog, "idle", NULL, "[{\"name\": \"idle\"}]", NULL, 0);
    expect_error("mull", -EINVAL, "mull: no such command or op; did you mean mul? ");
    expect_error("idle --sizes=8", -EINVAL, "op idle: nobody offers a kernel");
    withdraw(0);
    offer_again("lib");
    offer_again("lib");
    expect_error("mul --isa=scalar --sizes=8", -EEXIST,
                 "two cases are called mul/max-f32/lib/add@8");
    withdraw(1);
    withdraw(1);
}

TEST(test_shape_files)
{
    static const struct {
        const char *text;
        size_t size;
        const char *says;
    } files[] = {
        {"# the first\n  11  # odd\n\n12\r\n\t\n13", 33, NULL},
        {"5\n\nfive\n", 8, "/shapes:3: 'five' for op mul"},
        {"5 6\n", 4, "/shapes:1: '5 6' is more than one shape"},
        {"5\n\0\n", 4, "/shapes:2: a zero byte"},
        {"# nothing\n", 10, "no shapes in it"},
        {"", 0, "no shapes in it"},
    };
    char words[128];
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        tree_put_bytes(home, "/shapes", files[i].text, files[i].size);
        snprintf(words, sizeof words, "mul --variants=mine --shapes=%s/shapes,large",
                 home);
        if (files[i].says) {
            expect_error(words, -EINVAL, files[i].says);
            continue;
        }
        assert_int_equal(plan_words(words), 0);
        assert_int_equal(plan.n_groups, 4);
        assert_string_equal(plan.groups[0].shape.text, "11");
        assert_string_equal(plan.groups[2].shape.text, "13");
        assert_string_equal(plan.groups[3].shape.text, "512");
    }
    snprintf(words, sizeof words, "mul --shapes=%s", home);
    expect_error(words, -EIO, "--shapes=");
}

/* The shapes below one, with a space behind each. */
static void expect_smaller(const char *shape, bool alike, const char *expected)
{
    char words[64], text[256] = "";
    snprintf(words, sizeof words, "mul --variants=mine --sizes=%s", shape);
    assert_int_equal(plan_words(words), 0);
    struct shape_info info = plan.groups[0].shape;
    while (alike ? shape_smaller_alike(&catalog, &plan.groups[0], -1, &info)
                 : shape_smaller(&catalog, &plan.groups[0], &info)) {
        const size_t used = strlen(text), room = sizeof text - used;
        assert_in_range(snprintf(text + used, room, "%s ", info.text), 0, room - 1);
    }
    assert_string_equal(text, expected);
}

/* Kernels without tails take multiples of a power of two, and at least a vector. */
TEST(test_smaller_shapes)
{
    expect_smaller("352", true, "160 64 ");
    expect_smaller("352", false, "176 80 32 16 8 ");
    expect_smaller("1920", true, "960 448 192 64 ");
    expect_smaller("48", true, "16 ");
    expect_smaller("1001", true, "505 249 121 57 25 ");
    expect_smaller("24", true, "");
    expect_smaller("64", true, "");
}

/* ---- what is told of a plan ---- */

static void expect_printed(const char *words, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&text, &size);
    assert_int_equal(plan_words(words), 0);
    plan_print(&plan, file);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

TEST(test_printed)
{
    char deep[200];
    expect_printed("mul --isa=scalar --type=f64,f32 --sizes=4",
                   "group 1: mul f64 4, 8 operations, 32 bytes\n"
                   "  mul/max-f64/scalar/add@4\n"
                   "group 2: mul f32 4, 8 operations, 32 bytes\n"
                   "  mul/max-f32/scalar/add@4\n  mine:mul/max-f32/scalar/mine@4\n"
                   "  roof/f32/scalar/add_max@registers\n4 cases in 2 groups\n");
    script.isas = 1;
    snprintf(
        deep, sizeof deep,
        "group 1: fold f32 deep-8, layout deep, input odd, 2 threads, 16 operations, "
        "64 bytes\n  fold/f32/%s/blocked@deep-8;threads=2;input=odd  skipped: the "
        "CPU lacks %s\n1 case in 1 group\n",
        isa_get(1)->name, isa_get(1)->name);
    expect_printed(
        "fold --isa=all --variants=blocked --shape=deep-8 --threads=2 --input=odd", deep);
    script.isas = 2;
}

/* Calls of 840 us of a large size, less than a batch of the small ones. */
TEST(test_seconds)
{
    static const struct {
        const char *words;
        double ms; /* each of three cases */
    } rows[] = {{"mul --sizes=1000000 --rounds=7", 7 * 1.68 + 12},
                {"mul --sizes=1000000 --time-per-case=33.6ms", 20 * 1.68 + 12},
                {"mul --sizes=1000000 --time-per-case=1ms", ROUNDS_MIN * 1.68 + 12},
                {"mul --sizes=1000000 --time-per-case=1s", 1000 + 12},
                {"mul --sizes=1000000", 4 * ROUNDS_MIN * 1.68 + 12},
                {"mul --sizes=8 --rounds=10", 10 * 0.55000672 + 8.000032},
                {"mul --sizes=8,8000000 --rounds=1", 0.55000672 + 8.000032 + 13.44 + 40}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(plan_words(rows[i].words), 0);
        assert_string_equal(error.text, "");
        assert_near(plan_seconds(&options.how, &plan), 3e-3 * rows[i].ms, 1e-9);
    }
}

TESTS_BETWEEN(home_open, home_close)
