/* SPDX-License-Identifier: Apache-2.0 */
/* Files get runs, also while these grow; the exit status tells what a run means. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"
#include "output/output.h"
#include "process/process.h"
#include "scripted_catalog.h"

static char folder[] = "/tmp/test_output.XXXXXX";

static int set_up(void **state)
{
    *state = run_new();
    return *state && mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    run_free(*state);
    return rmdir(folder); /* fails if a test left a file */
}

static size_t files(void)
{
    size_t n = 0;
    DIR *const open = opendir(folder);
    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open));)
        n += entry->d_name[0] != '.';
    closedir(open);
    return n;
}

static void in_folder(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
}

TEST(test_saves_and_replaces)
{
    const struct run *const run = *state;
    struct error error = {0};
    struct stat status;
    char path[100];
    in_folder("run.json", path, sizeof path);
    const mode_t mask = umask(027);
    assert_int_equal(report_save(run, FORMAT_JSON, path, &error), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);

    FILE *const old = fopen(path, "w");
    assert_non_null(old);
    fputs("old", old);
    fclose(old);
    assert_int_equal(chmod(path, 0606), 0);
    assert_int_equal(report_save(run, FORMAT_JSON, path, &error), 0);
    umask(mask);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0606);
    assert_true(status.st_size > 10);
    assert_int_equal(files(), 1);
    assert_int_equal(unlink(path), 0);
}

TEST(test_leaves_nothing)
{
    const struct run *const run = *state;
    struct error error = {0};
    char path[100];
    in_folder("no/run.md", path, sizeof path);
    assert_int_equal(report_save(run, FORMAT_JSON, path, &error), -ENOENT);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(report_save(run, FORMAT_JSON, folder, &error), -EISDIR);
    assert_int_equal(files(), 0);
}

TEST(test_writes_to_devices)
{
    const struct run *const run = *state;
    struct error error = {0};
    assert_int_equal(report_save(run, FORMAT_JSON, "/dev/null", &error), 0);
    assert_int_equal(report_save(run, FORMAT_JSON, "/dev/full", &error), -ENOSPC);
    assert_non_null(strstr(error.text, "/dev/full"));
}

/* ---- while it grows ---- */

static bool is_saved(struct live *live, struct run *run, int64_t now, const char *path)
{
    script.now = now;
    live->watcher.group_done(live->watcher.context, run, 0);
    return unlink(path) == 0;
}

/* Once a second, but not what was interrupted: that is written once more at the end. */
TEST(test_live_saving)
{
    struct run *const run = *state;
    char path[100], words[150];
    struct live live;
    in_folder("live.json", path, sizeof path);
    snprintf(words, sizeof words, "gemm --json=%s", path);
    struct options options = parsed(words);
    live_begin(&live, &options, false);
    assert_false(is_saved(&live, run, 999999999, path));
    assert_true(is_saved(&live, run, 1000000000, path));
    assert_false(is_saved(&live, run, 1999999999, path));
    assert_true(is_saved(&live, run, 2000000000, path));
    run->interrupted = true;
    assert_false(is_saved(&live, run, 4000000000, path));
    run->interrupted = false;
    /* A disk that is full now may have room later. */
    char *const file = options.outputs[0].file;
    options.outputs[0].file = words; /* no such folder */
    assert_false(is_saved(&live, run, 5000000000, path));
    assert_true(live.save_failed);
    options.outputs[0].file = file;
    assert_true(is_saved(&live, run, 6000000000, path));
    options_free(&options);
}

/* ---- exit statuses ---- */

/* Words of results: r is a limit, b a baseline; ok, noisy, skipped, wrong, failed by
 * their first letters; u: its comparison is unusable. */
static void add_results(struct run *run, const char *words)
{
    static const char letters[] = {
        [STATUS_OK] = 'o',     [STATUS_SKIPPED] = 's', [STATUS_WRONG] = 'w',
        [STATUS_FAILED] = 'f', [STATUS_NOISY] = 'n',   [STATUS_PENDING] = 'p'};
    for (size_t length; *words; words += length + (words[length] == ' ')) {
        struct result *const result = run_add_result(run);
        assert_non_null(result);
        length = strcspn(words, " ");
        result->is_roof = *words == 'r';
        result->is_baseline = *words == 'b';
        const char letter = words[result->is_roof || result->is_baseline];
        while (letters[result->status] != letter)
            result->status++;
        result_comparison(result)->verdict =
            words[length - 1] == 'u' ? VERDICT_UNUSABLE : VERDICT_SAME;
    }
}

/* The gate's regressed, inconclusive, unusable, same, placed by first letters; ! strict,
 * P
 * --placement=fail.
 * And ^ interrupted. */
TEST(test_exit_status)
{
    static const struct {
        const char *results, *gate, *flags;
        enum exit_status status;
    } rows[] = {
        {"", NULL, "", EXIT_NOTHING},
        {"o", NULL, "", EXIT_OK},
        {"n s", NULL, "", EXIT_OK},
        {"s", NULL, "", EXIT_NOTHING},
        {"s ro bo", NULL, "", EXIT_NOTHING},
        {"o w", NULL, "", EXIT_WRONG},
        {"f", NULL, "", EXIT_WRONG},
        {"o bw", NULL, "", EXIT_WRONG},
        {"o rf", NULL, "", EXIT_OK},
        {"o w", NULL, "^", EXIT_INTERRUPTED},
        /* ab: both builds ran here. */
        {"o", "paired", "", EXIT_OK},
        {"s", "paired", "", EXIT_NOTHING},
        {"o", "paired", "r", EXIT_REGRESSED},
        {"o f", "paired", "r", EXIT_REGRESSED},
        {"o f", "paired", "", EXIT_WRONG},
        {"o", "paired", "p", EXIT_OK},
        {"o", "paired", "pP", EXIT_REGRESSED},
        {"o f", "paired", "pP", EXIT_WRONG},
        {"o", "paired", "iu", EXIT_OK},
        {"o", "paired", "i!", EXIT_UNDECIDED},
        {"o", "paired", "u!", EXIT_UNDECIDED},
        {"o", "paired", "s!", EXIT_OK},
        {"o", "paired", "riu!", EXIT_REGRESSED},
        {"o", "paired", "r!^", EXIT_INTERRUPTED},
        /* compare: the second run is judged, libraries are not. */
        {"o", "stored", "s", EXIT_OK},
        {"o", "stored", "", EXIT_NOTHING},
        {"w", "stored", "s", EXIT_WRONG},
        {"wu", "stored", "u", EXIT_WRONG},
        {"bwu", "stored", "i", EXIT_OK},
        {"o", "stored", "r", EXIT_REGRESSED},
        {"o", "stored", "u!", EXIT_UNDECIDED},
        {"o", "stored", "r^", EXIT_REGRESSED},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run = run_new();
        const char *const flags = rows[i].flags;
        add_results(run, rows[i].results);
        run->interrupted = strchr(flags, '^');
        if (rows[i].gate) {
            struct gate *const gate = run_gate(run);
            string_set(&gate->kind, rows[i].gate);
            gate->strict = strchr(flags, '!');
            gate->regressed = strchr(flags, 'r') != NULL;
            gate->inconclusive = strchr(flags, 'i') != NULL;
            gate->unusable = strchr(flags, 'u') != NULL;
            gate->placed = strchr(flags, 'p') != NULL;
            gate->placement = strchr(flags, 'P') != NULL;
            gate->same = strchr(flags, 's') != NULL;
        }
        if (run_exit_status(run) != (int)rows[i].status)
            fail_msg("row %zu: %d", i, run_exit_status(run));
        run_free(run);
    }
}

TEST(test_many_cpus)
{
    struct options options = parsed("gemm");
    options.argc = 0; /* parsed() has freed the words */
    struct plan *const plan = calloc(1, sizeof *plan);
    assert_non_null(plan);
    for (; plan->n_cpu < 512; plan->n_cpu++)
        plan->cpu[plan->n_cpu] = (int)plan->n_cpu;
    struct run *const run = run_describe(&options, NULL, plan);
    const char *const cpus = facts_find_text(&run->settings, "cpu_measured");
    assert_non_null(cpus);
    assert_string_equal(strrchr(cpus, ','), ",511");
    run_free(run);
    free(plan);
    options_free(&options);
}

static double forecast_at(struct forecast *forecast, size_t group, uint32_t done,
                          double now)
{
    const struct progress progress = {
        .group = group, .n_groups = 2, .step = "process", .done = done, .wanted = 16};
    return forecast_again(forecast, &progress, (int64_t)(now * 1e9));
}

/* The first process takes 4 s, as it traces, and others 1 s: two groups of 16 take 38 s.
 */
TEST(test_forecast)
{
    struct forecast short_one = {.seconds = 10}, right = {.seconds = 30}, quiet = {0};
    assert_near(forecast_at(&short_one, 0, 0, 0), 0, 0);
    assert_near(forecast_at(&short_one, 0, 1, 4), 0, 0);
    assert_near(forecast_at(&short_one, 0, 2, 5), 38, 1e-6);
    assert_near(forecast_at(&short_one, 0, 3, 6), 0, 0);
    assert_near(forecast_at(&short_one, 1, 0, 19), 0, 0);
    assert_near(forecast_at(&short_one, 1, 1, 23), 0, 0);
    assert_near(forecast_at(&short_one, 1, 2, 24), 0, 0); /* it was told */
    for (uint32_t done = 0; done < 3; done++) {
        assert_near(forecast_at(&right, 0, done, done ? 3 + done : 0), 0, 0);
        assert_near(forecast_at(&quiet, 0, done, done ? 3 + done : 0), 0, 0);
    }
}

TESTS_BETWEEN(set_up, tear_down)
