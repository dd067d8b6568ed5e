/* SPDX-License-Identifier: Apache-2.0 */
#include "history_db.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <unistd.h>

#include "text/text.h"

enum insert { ADD_HOST, ADD_RUN, ADD_CASE, ADD_RESULT, ADD_COUNT, ADD_COMPARISON };

static const char *const inserts[] = {
    [ADD_HOST] = "INSERT OR IGNORE INTO hosts(fingerprint, cpu) VALUES(?, ?)",
    [ADD_RUN] = "INSERT INTO runs VALUES(NULL, (SELECT id FROM hosts WHERE fingerprint = "
                "?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_CASE] = "INSERT OR IGNORE INTO cases VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_RESULT] = "INSERT INTO results VALUES(NULL, ?, (SELECT id FROM cases WHERE name "
                   "= ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_COUNT] = "INSERT OR IGNORE INTO counts VALUES(?, ?, ?, ?, ?)",
    [ADD_COMPARISON] =
        "INSERT INTO comparisons VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

/* Binds the values of a row one after the other; `code` keeps the first failure. */
struct writer {
    struct database database;
    sqlite3_stmt *statement[ARRAY_LEN(inserts)];
    sqlite3_stmt *row; /* the row that is being filled */
    int column;
    int code;
    struct buffer scratch;
};

static void keep(struct writer *writer, int code)
{
    if (writer->code == SQLITE_OK)
        writer->code = code;
}

static void begin(struct writer *writer, enum insert insert)
{
    writer->row = writer->statement[insert];
    writer->column = 1;
}

static void bind_text(struct writer *writer, const char *text)
{
    keep(writer,
         sqlite3_bind_text(writer->row, writer->column++, text, -1, SQLITE_TRANSIENT));
}

/* Stores texts as they are printed, so that every client can read the database. */
static void put_texts(struct writer *writer, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buffer_clear(&writer->scratch);
        buffer_plain(&writer->scratch, texts[i]);
        bind_text(writer, texts[i] ? buffer_text(&writer->scratch) : NULL);
    }
}

static void put_numbers(struct writer *writer, bool known, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++, writer->column++)
        keep(writer, known && isfinite(values[i])
                         ? sqlite3_bind_double(writer->row, writer->column, values[i])
                         : sqlite3_bind_null(writer->row, writer->column));
}

/* A value for each argument; numbers are NULL unless they are known. */
#define PUT_TEXTS(writer, ...) put_texts(writer, LIST(const char *, __VA_ARGS__))
#define PUT_NUMBERS(writer, known, ...) \
    put_numbers(writer, known, LIST(double, __VA_ARGS__))

static void put_whole(struct writer *writer, sqlite3_int64 value)
{
    keep(writer, sqlite3_bind_int64(writer->row, writer->column++, value));
}

static void put_interval(struct writer *writer, bool known,
                         const struct interval *interval)
{
    PUT_NUMBERS(writer, known && interval->known, interval->lo, interval->hi,
                interval->level);
}

static void end(struct writer *writer)
{
    if (writer->code == SQLITE_OK) {
        const int code = sqlite3_step(writer->row);
        keep(writer, code == SQLITE_DONE ? SQLITE_OK : code);
    }
    sqlite3_reset(writer->row);
}

/* ---- rows ---- */

/* The arguments as a JSON array. */
static void put_arguments(struct writer *writer, const struct run *run)
{
    struct json json = {.root = NULL};
    FREED_BY(json_delete) cJSON *array = json_array(&json, NULL, NULL);

    for (size_t i = 0; i < run->argc; i++)
        json_plain(&json, array, NULL, run->argv[i]);
    buffer_free(&json.scratch);
    char *const text = must_have(cJSON_PrintUnformatted(array));
    bind_text(writer, text);
    cJSON_free(text);
}

static sqlite3_int64 add_run(struct writer *writer, const struct run *run)
{
    const char *const fingerprint = run->fingerprint ?: "";
    const struct gate *const gate = run->gate;

    begin(writer, ADD_HOST);
    PUT_TEXTS(writer, fingerprint, facts_find_text(&run->host, "cpu"));
    end(writer);
    begin(writer, ADD_RUN);
    PUT_TEXTS(writer, fingerprint, run->started_at ?: "",
              facts_find_text(&run->settings, "label"), run->tool_version,
              run->tool_commit, run->tool_compiler, run->tool_flags);
    put_arguments(writer, run);
    PUT_TEXTS(writer, run->seed);
    put_whole(writer, run->interrupted);
    PUT_TEXTS(writer, gate ? gate->kind : NULL);
    PUT_NUMBERS(writer, gate, gate ? gate->threshold : 0);
    PUT_TEXTS(writer, gate ? gate->refused : NULL);
    end(writer);
    return sqlite3_last_insert_rowid(writer->database.sqlite);
}

static void put_samples(struct writer *writer, const struct result *result)
{
    char number[NUMBER_SIZE];

    buffer_clear(&writer->scratch);
    buffer_add(&writer->scratch, "[");
    for (size_t i = 0; i < result->samples.n; i++) {
        text_exact(result->samples.ns[i], number);
        buffer_format(&writer->scratch, "%s%s", i ? "," : "", number);
    }
    buffer_add(&writer->scratch, "]");
    bind_text(writer, buffer_text(&writer->scratch));
}

static void put_summary(struct writer *writer, const struct result *result)
{
    const bool known = result_has_summary(result);

    PUT_NUMBERS(writer, known, result->summary.median_ns);
    put_interval(writer, known, &result->summary.ci_ns);
    PUT_NUMBERS(writer, known, result->summary.min_ns, result->summary.mad_ns,
                result->samples.overhead_ns);
    put_whole(writer, (sqlite3_int64)result->samples.iterations);
    put_samples(writer, result);
    PUT_NUMBERS(writer, known && result->summary.gops > 0, result->summary.gops);
    PUT_NUMBERS(writer, known && result->summary.gbps > 0, result->summary.gbps);
    PUT_TEXTS(writer, result->summary.limit.id);
    PUT_NUMBERS(writer, result->summary.limit.id, result->summary.limit.share);
    PUT_NUMBERS(writer, result->summary.ghz > 0, result->summary.ghz);
}

static void add_counts(struct writer *writer, sqlite3_int64 id,
                       const struct result *result)
{
    FOR_EACH (const struct counter, counter, result->samples.counters,
              result->samples.n_counters) {
        const bool known = !counter->absent && counter->n;
        begin(writer, ADD_COUNT);
        put_whole(writer, id);
        PUT_TEXTS(writer, counter->name);
        PUT_NUMBERS(writer, known, counter->value, counter->per_element);
        PUT_TEXTS(writer, counter->absent);
        end(writer);
    }
}

static void add_comparison(struct writer *writer, sqlite3_int64 id,
                           const struct comparison *comparison)
{
    const bool known = comparison_has_change(comparison);

    begin(writer, ADD_COMPARISON);
    put_whole(writer, id);
    PUT_TEXTS(writer, verdict_name(comparison->verdict), comparison->reason);
    put_whole(writer, comparison->processes);
    PUT_NUMBERS(writer, comparison->base_ns > 0, comparison->base_ns);
    PUT_NUMBERS(writer, comparison->head_ns > 0, comparison->head_ns);
    PUT_NUMBERS(writer, known, comparison->change);
    put_interval(writer, known, &comparison->change_ci);
    PUT_NUMBERS(writer, known, comparison->floor, comparison->delta, comparison->p);
    end(writer);
}

static void add_result(struct writer *writer, sqlite3_int64 run,
                       const struct result *result)
{
    begin(writer, ADD_CASE);
    PUT_TEXTS(writer, result->id, result->op, result->type, result->isa, result->variant,
              result->shape, result->layout, result->module.name);
    end(writer);
    begin(writer, ADD_RESULT);
    put_whole(writer, run);
    PUT_TEXTS(writer, result->id);
    put_whole(writer, (sqlite3_int64)result->group);
    PUT_TEXTS(writer, result_role(result), status_name(result->status), result->reason,
              result->module.version);
    PUT_NUMBERS(writer, true, result->work.ops, result->work.bytes);
    put_summary(writer, result);
    end(writer);
    const sqlite3_int64 id = sqlite3_last_insert_rowid(writer->database.sqlite);
    add_counts(writer, id, result);
    if (result->comparison)
        add_comparison(writer, id, result->comparison);
}

/* ---- the whole ---- */

static void execute(struct writer *writer, const char *sql)
{
    if (writer->code == SQLITE_OK)
        writer->code = sqlite3_exec(writer->database.sqlite, sql, NULL, NULL, NULL);
}

/* Leaves out results of merged runs: they are of another time, and maybe of another
 * machine. */
static void add_all(struct writer *writer, const struct run *run, bool empty)
{
    char pragmas[100];

    snprintf(pragmas, sizeof pragmas,
             "PRAGMA application_id = %d; PRAGMA user_version = %d", HISTORY_APPLICATION,
             HISTORY_VERSION);
    if (empty) {
        execute(writer, history_schema);
        execute(writer, pragmas);
    }
    for (size_t i = 0; i < ARRAY_LEN(inserts) && writer->code == SQLITE_OK; i++)
        writer->code = sqlite3_prepare_v2(writer->database.sqlite, inserts[i], -1,
                                          &writer->statement[i], NULL);
    if (writer->code == SQLITE_OK) {
        const sqlite3_int64 id = add_run(writer, run);
        for (size_t i = 0; i < run->n_results && writer->code == SQLITE_OK; i++)
            if (!run->results[i].source)
                add_result(writer, id, &run->results[i]);
    }
    execute(writer, "COMMIT");
}

int history_append(const char *path, const struct run *run, struct error *error)
{
    struct writer writer = {.code = SQLITE_OK};
    bool empty = false;
    int status = database_open(&writer.database, path,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);

    if (status < 0)
        return status;
    execute(&writer, "BEGIN IMMEDIATE");
    if (writer.code == SQLITE_OK)
        status = database_check(&writer.database, &empty, error);
    if (status == 0 && writer.code == SQLITE_OK)
        add_all(&writer, run, empty);
    if (status == 0 && writer.code != SQLITE_OK)
        status = database_error(&writer.database, "append to", writer.code, error);
    for (size_t i = 0; i < ARRAY_LEN(inserts); i++)
        sqlite3_finalize(writer.statement[i]);
    /* SQLite rolls back a transaction that was not committed. */
    database_close(&writer.database);
    buffer_free(&writer.scratch);
    return status;
}

int history_check(const char *path, struct error *error)
{
    struct database database;
    bool empty;

    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    int status = database_open(&database, path, SQLITE_OPEN_READWRITE, error);
    if (status == 0 && sqlite3_db_readonly(database.sqlite, "main") > 0)
        status = database_error(&database, "append to", SQLITE_READONLY, error);
    if (status == 0)
        status = database_check(&database, &empty, error);
    database_close(&database);
    return status;
}
