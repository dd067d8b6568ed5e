/* SPDX-License-Identifier: Apache-2.0 */
/* Histories that are large, shared, broken, or on a full disk. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "effort.h"
#include "history/history_db.h"
#include "history_file.h"

/* ---- large, at once ---- */

FRESH_TEST(test_ten_thousand)
{
    enum { SAMPLES = 20 };
    const size_t cases = effort_of(10000);
    struct run *const run = sample_run_small();
    for (size_t i = 0; i < cases; i++) {
        struct result *const result = run_add_result(run);
        char id[60];
        assert_non_null(result);
        snprintf(id, sizeof id, "gemm/maxplus-f32/avx2/fma@%zux1x1", i);
        result->group = 1 + i;
        string_set(&result->id, id);
        result_set_status(result, STATUS_OK, NULL);
        result->samples.iterations = 10;
        for (uint32_t k = 0; k < SAMPLES; k++)
            assert_int_equal(result_add_sample(result, k, 1000.0 + k), 0);
    }
    run_summarise(run, GROUP_ALL);
    append(run);
    append(run);
    struct history history = read_all("*x1x1");
    assert_int_equal(history.n, 2 * cases);
    for (size_t i = 1; i < history.n; i += 2)
        assert_true(history.entries[i].change == 0);
    history_free(&history);
    run_free(run);
}

FRESH_TEST(test_writers_at_once)
{
    enum { WRITERS = 8, RUNS = 4 };
    struct run *const run = sample_run_small();
    pid_t child[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            /* A writer that waited in vain on a busy machine asks again. */
            int code = 0;
            for (int k = 0; k < RUNS && code == 0; k++)
                while ((code = history_append(path, run, NULL)) == -EBUSY)
                    continue;
            _exit(code != 0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count("SELECT count(*) FROM runs"), WRITERS * RUNS);
    assert_int_equal(count("SELECT count(*) FROM results"),
                     WRITERS * RUNS * (long)run->n_results);
    assert_int_equal(count("SELECT count(*) FROM hosts"), 1);
    assert_query("PRAGMA integrity_check", "ok");
    run_free(run);
}

/* ---- what goes wrong ---- */

/* Both refuse it, and the message says `word`. */
static void assert_refused(const struct run *run, int code, const char *word)
{
    struct error error = {.text = ""}, checked = {.text = ""};
    assert_int_equal(history_append(path, run, &error), code);
    assert_non_null(strstr(error.text, word));
    assert_int_equal(history_check(path, &checked), code);
    assert_non_null(strstr(checked.text, word));
}

FRESH_TEST(test_bad_files)
{
    static const char longer[] =
        "This is a longer text, which has more bytes than the header of a database, a "
        "hundred of them.";
    static const char *const texts[] = {"precious", "SQLite format 3", longer};
    struct run *const run = sample_run_small();
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        char bytes[200] = "";
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(texts[i], file);
        fclose(file);
        assert_refused(run, -EINVAL, "not a database");
        file = fopen(path, "r");
        assert_non_null(file);
        assert_int_equal(fread(bytes, 1, sizeof bytes, file), strlen(texts[i]));
        fclose(file);
        assert_string_equal(bytes, texts[i]);
    }
    assert_int_equal(unlink(path), 0);
    execute("CREATE TABLE addresses(name TEXT)");
    assert_refused(run, -EINVAL, "another program");
    assert_int_equal(count("SELECT count(*) FROM sqlite_master"), 1);
    assert_int_equal(unlink(path), 0);
    append(run);
    execute("PRAGMA user_version = 2");
    assert_refused(run, -EINVAL, "version 2");
    assert_int_equal(count("SELECT count(*) FROM runs"), 1);
    struct history history;
    struct error error = {.text = ""};
    assert_int_equal(history_read(path, "*", &history, &error), -EINVAL);
    assert_non_null(strstr(error.text, "version 2"));
    run_free(run);
}

/* Each alone makes a history one that is refused before anything is measured. */
FRESH_TEST(test_strange_tables)
{
    static const struct {
        const char *sql, *word;
    } rows[] = {
        {"DROP TABLE counts", "'counts'"},
        {"DROP INDEX results_of_run", "'results_of_run'"},
        {"ALTER TABLE runs ADD COLUMN mood TEXT", "'runs'"},
        {"ALTER TABLE results DROP COLUMN ghz", "'results'"},
        {"ALTER TABLE results RENAME COLUMN ghz TO clock", "'results'"},
        {"DROP TABLE comparisons; CREATE VIEW comparisons AS WITH RECURSIVE n(i) AS"
         " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n",
         "'comparisons'"},
        {"CREATE UNIQUE INDEX once ON results(median_ns)", "'once'"},
        {"CREATE INDEX cases_also ON cases(op)", "'cases_also'"},
    };
    struct run *const run = sample_run_small();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct error error = {.text = ""};
        struct history history;
        append(run);
        execute(rows[i].sql);
        assert_refused(run, -EINVAL, rows[i].word);
        assert_int_equal(history_read(path, "*", &history, &error), -EINVAL);
        assert_non_null(strstr(error.text, rows[i].word));
        assert_int_equal(unlink(path), 0);
    }
    run_free(run);
}

/* Things that a user adds stay, and do not run. */
FRESH_TEST(test_triggers_and_views)
{
    struct run *const run = sample_run_small();
    append(run);
    execute("CREATE TRIGGER gone AFTER INSERT ON runs BEGIN DELETE FROM results; END");
    execute("CREATE VIEW mine AS SELECT * FROM cases");
    execute("CREATE TABLE notes(text)");
    append(run);
    assert_int_equal(count("SELECT count(*) FROM results"), 2 * (long)run->n_results);
    assert_int_equal(count("SELECT count(*) FROM sqlite_master WHERE name IN "
                           "('gone', 'mine', 'notes')"),
                     3);
    struct history history = read_all("*");
    assert_true(history.n > 0);
    history_free(&history);
    run_free(run);
}

FRESH_TEST(test_endless_query)
{
    struct database database;
    struct error error = {.text = ""};
    struct run *const run = sample_run_small();
    append(run);
    assert_int_equal(database_open(&database, path, SQLITE_OPEN_READONLY, &error), 0);
    database.patience = 2;
    const int code =
        sqlite3_exec(database.sqlite,
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
                     " FROM n) SELECT count(*) FROM n",
                     NULL, NULL, NULL);
    assert_int_equal(code, SQLITE_INTERRUPT);
    assert_true(database_error(&database, "read", code, &error) < 0);
    assert_non_null(strstr(error.text, "does not end"));
    database_close(&database);
    run_free(run);
}

/* Cells that the tables forbid, and times that are none. */
FRESH_TEST(test_tampered_cells)
{
    struct run *const run = sample_run_small();
    append(run);
    execute("PRAGMA writable_schema = 1; UPDATE sqlite_master SET"
            " sql = replace(sql, ' NOT NULL', '         ') WHERE type = 'table'");
    execute("UPDATE cases SET name = NULL; UPDATE hosts SET fingerprint = NULL;"
            " UPDATE runs SET started_at = NULL;"
            " UPDATE results SET status = NULL, median_ns = -5, ci_lo_ns = 'x'");
    execute("PRAGMA writable_schema = 1; UPDATE sqlite_master SET"
            " sql = replace(sql, '         ', ' NOT NULL') WHERE type = 'table'");
    char **ids = NULL;
    size_t n = 0;
    assert_int_equal(history_cases(path, &ids, &n, NULL), 0);
    assert_true(n > 0);
    assert_string_equal(ids[0], "");
    texts_free(ids, n);
    free(ids);
    execute("UPDATE cases SET name = 'a' || id");
    struct history history = read_all("*");
    assert_true(history.n > 0);
    assert_string_equal(history.entries[0].fingerprint, "");
    assert_string_equal(history.entries[0].status, "");
    assert_true(isnan(history.entries[0].median_ns));
    assert_false(history.entries[0].ci_ns.known);
    history_free(&history);
    run_free(run);
}

FRESH_TEST(test_no_regular_files)
{
    struct run *const run = sample_run_small();
    struct error error = {.text = ""};
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(run, -EINVAL, "no regular file");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(run, -EINVAL, "no regular file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(history_append("/dev/full", run, &error), -EINVAL);
    snprintf(path, sizeof path, "%s/no/h.sqlite", folder);
    assert_int_equal(history_append(path, run, &error), -ENOENT);
    assert_non_null(strstr(error.text, path));
    struct history history;
    new_path(NULL);
    assert_int_equal(history_read(path, "*", &history, &error), -ENOENT);
    assert_int_equal(history_check(path, &error), 0);
    assert_int_equal(access(path, F_OK), -1);
    run_free(run);
}

FRESH_TEST(test_empty_file)
{
    struct run *const run = sample_run_small();
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(history_check(path, NULL), 0);
    struct history history = read_all("*");
    assert_int_equal(history.n, 0);
    append(run);
    assert_int_equal(count("SELECT count(*) FROM runs"), 1);
    run_free(run);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A disk that is full at some point of a transaction, wherever that is. */
FRESH_TEST(test_full_disk)
{
    struct run *const run = sample_run_alone();
    struct error error = {.text = ""};
    limit_files(4096);
    assert_true(history_append(path, run, &error) < 0);
    limit_files(RLIM_INFINITY);
    assert_non_null(strstr(error.text, path));
    append(run);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    int failures = 0;
    for (rlim_t room = 0; room <= 65536; room += 4096, failures++) {
        limit_files((rlim_t)status.st_size + room);
        const int code = history_append(path, run, &error);
        limit_files(RLIM_INFINITY);
        if (code == 0)
            break;
        assert_int_equal(count("SELECT count(*) FROM runs"), 1);
        assert_int_equal(count("SELECT count(*) FROM results"), run->n_results);
        assert_query("PRAGMA integrity_check", "ok");
    }
    assert_in_range(failures, 1, 15);
    append(run);
    assert_int_equal(count("SELECT count(*) FROM runs"), 3);
    run_free(run);
}
