/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as text: whole outputs, and what holds for all of them. */
#include "golden.h"
#include "sample_run.h"
#include "unit.h"

TEST(golden_outputs)
{
    static const struct {
        const char *name;
        bool hostile;
        enum format format;
        struct text_options options;
    } rows[] = {
        {"report_table.txt", false, FORMAT_TABLE, {.roofs = true}},
        {"report_wide.txt", false, FORMAT_TABLE, {.width = 180}},
        {"report_narrow.txt", false, FORMAT_TABLE, {.width = 80}},
        {"report_colour.txt", false, FORMAT_TABLE, {.colour = true, .roofs = true}},
        {"report.md", false, FORMAT_MARKDOWN, {.roofs = false}},
        {"report.csv", false, FORMAT_CSV, {.roofs = false}},
        {"hostile_table.txt", true, FORMAT_TABLE, {.roofs = true}},
        {"hostile.md", true, FORMAT_MARKDOWN, {.roofs = true}},
        {"hostile.csv", true, FORMAT_CSV, {.roofs = false}}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *run = rows[i].hostile ? sample_run_hostile() : sample_run();
        check_golden(rows[i].name, sample_text(run, rows[i].format, &rows[i].options));
        run_free(run);
    }
}

/* Printing each group when it ends gives the same text as printing all at once later. */
TEST(live_is_later)
{
    static const int widths[] = {0, 60, 80, 100, 132, 180, 250};
    for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
        struct text_options options = {.width = widths[i], .colour = i % 2};
        struct run *run = sample_run_plan();
        char *live = NULL, *later;
        size_t size;
        FILE *file = open_memstream(&live, &size);
        assert_non_null(file);
        table_begin(run, &options, file);
        for (size_t group = 0; group < SAMPLE_GROUPS; group++) {
            table_group(run, group, &options, file); /* pending: prints nothing */
            sample_run_measure(run, group);
            table_group(run, group, &options, file);
        }
        table_end(run, &options, file);
        assert_int_equal(fclose(file), 0);
        later = sample_text(run, FORMAT_TABLE, &options);
        assert_string_equal(live, later);
        free(live);
        free(later);
        run_free(run);
    }
}

static int columns(const char *line, size_t length)
{
    int n = 0;
    for (size_t i = 0; i < length; i++)
        n += ((unsigned char)line[i] & 0xc0) != 0x80;
    return n;
}

/* With five libraries, too, the table stays within the terminal. */
TEST(widths_are_kept)
{
    static const int widths[] = {94, 100, 110, 120, 150, 200};
    struct run *run = sample_run();
    for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
        struct text_options options = {.width = widths[i]};
        char *text = sample_text(run, FORMAT_TABLE, &options), *rest = text, *line;
        while ((line = strsep(&rest, "\n")))
            if (columns(line, strlen(line)) > widths[i])
                fail_msg("more than %d columns: '%s'", widths[i], line);
        free(text);
    }
    run_free(run);
}

TEST(interrupted_run)
{
    struct run *run = sample_run_plan();
    char *text;
    sample_run_measure(run, 0);
    run->interrupted = true;
    for (size_t i = 0; i < run->n_results; i++)
        if (run->results[i].status == STATUS_PENDING)
            result_set_status(&run->results[i], STATUS_SKIPPED, "interrupted");
    text = sample_text(run, FORMAT_TABLE, NULL);
    assert_non_null(strstr(text, "skipped: interrupted\n"));
    assert_non_null(strstr(text, "\ninterrupted: what was not measured"));
    assert_non_null(strstr(text, "cases: 4 of 23 ok, 19 skipped\n"));
    free(text);
    run_free(run);
}

/* Neither terminal control nor markup of any kind gets through. */
TEST(hostile_names)
{
    struct run *run = sample_run_hostile();
    for (enum format format = FORMAT_TABLE; format < FORMATS; format++) {
        if (format == FORMAT_HTML && html_check(NULL))
            continue;
        char *text = sample_text(run, format, NULL);
        assert_null(strchr(text, '\033'));
        assert_null(strchr(text, '\xff'));
        for (const char *c = text; *c && format == FORMAT_MARKDOWN; c++)
            assert_false(*c == '<' || *c == '>');
        if (format != FORMAT_JSON) {
            assert_null(strstr(text, "\xe2\x80\xae"));
            assert_null(strstr(text, "\xc2\x9b"));
            assert_true(format == FORMAT_BENCHSTAT || !strchr(text, '\t'));
        }
        free(text);
    }
    run_free(run);
}

/* Every line of a Markdown table has as many cells as its heading. */
TEST(markdown_cells)
{
    struct run *run = sample_run_hostile();
    char *text = sample_text(run, FORMAT_MARKDOWN, NULL), *rest = text, *line;
    int cells = 0, lines = 0;
    while ((line = strsep(&rest, "\n"))) {
        int bars = 0;
        if (line[0] != '|') {
            cells = 0;
            continue;
        }
        for (const char *c = line; *c; c++) {
            if (*c == '\\')
                c++;
            else
                bars += *c == '|';
        }
        assert_true(!cells || cells == bars);
        cells = bars;
        lines++;
    }
    assert_true(lines > 12);
    free(text);
    run_free(run);
}

/* No cell is a formula; numbers below 0 stay numbers. */
TEST(csv_formulas)
{
    static const char *const rows[][2] = {
        {"=1+1", "'=1+1"}, {"+1", "'+1"},
        {"-1", "'-1"},     {"@SUM(a,1)", "\"'@SUM(a,1)\""},
        {"a=b", "a=b"},    {"", ""},
        {"\t=1", "\\t=1"},
    };
    char *text = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&text, &size);

    assert_non_null(file);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        rewind(file);
        text_csv(file, rows[i][0]);
        fputc('\0', file);
        fflush(file);
        assert_string_equal(text, rows[i][1]);
    }
    rewind(file);
    struct csv csv = {.file = file};
    CSV_TEXTS(&csv, "", "a,b");
    CSV_NUMBERS(&csv, true, -0.5, NAN);
    CSV_NUMBERS(&csv, false, 1);
    csv_end(&csv);
    CSV_NUMBERS(&csv, true, 2);
    fputc('\0', file);
    fflush(file);
    assert_string_equal(text, ",\"a,b\",-0.5,,\r\n2");
    fclose(file);
    free(text);
}

/* Fields own their texts and lists; a sanitizer sees what is not freed. */
struct own_part {
    char *name;
};
struct own {
    char *text, **texts;
    struct own_part part, *list;
    size_t n_texts, n_list;
};

TEST(fields_own)
{
    const struct fields part = FIELDS(FIELD(NAME, own_part, name));
    const struct fields fields =
        FIELDS(FIELD(TEXT, own, text), FIELD_ARRAY("texts", TEXTS, own, texts, n_texts),
               FIELD_PART_OF(own, part, part),
               FIELD_LIST_AS("list", LIST, own, list, n_list, part));
    struct own own = {.text = NULL};

    fields_free(&fields, &own);
    string_set(&own.text, "a");
    string_set(&own.part.name, "b");
    strings_add(&own.texts, &own.n_texts, "c");
    for (size_t i = 0; i < 3; i++)
        assert_non_null(NAMED_ADD(&own, list, n_list, "d"));
    fields_free(&fields, &own);
}

/* Texts of a format are literal; the format is Markdown. */
TEST(markdown_told)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&text, &size);

    assert_non_null(file);
    text_markdown_tell(file, "**%s** of%s <b>%s", "a*b", "", "<c>\n");
    fclose(file);
    assert_string_equal(text, "**a\\*b** of <b>&lt;c&gt;\\\\n");
    free(text);
}

/* Sites make no links of names; ids stay whole. */
TEST(markdown_links)
{
    static const char *const rows[][2] = {
        {"see https://a.b/c", "see https:&#8203;//a.b/c"},
        {"www.a.b, xwww.a.b", "w&#8203;ww.a.b, xwww.a.b"},
        {"@me, me@a.b", "@&#8203;me, me@&#8203;a.b"},
        {"#12 a/b#3 #x", "\\#&#8203;12 a/b\\#&#8203;3 \\#x"},
        {"GH-1", "G&#8203;H-1"},
        {"relu/f32/sse2/max@100;threads=2", "relu/f32/sse2/max@100;threads=2"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *const file = open_memstream(&text, &size);
        assert_non_null(file);
        text_markdown(file, rows[i][0]);
        fclose(file);
        assert_string_equal(text, rows[i][1]);
        free(text);
    }
}

/* A line is one line, whatever is in it. */
TEST(lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const file = open_memstream(&text, &size);

    assert_non_null(file);
    text_line(file, "%s: %s", "a\033[2J", "\n::error::b");
    text_line(file, "%s", "");
    fclose(file);
    assert_string_equal(text, "a\\x1b[2J: \\n\\x3a:error::b\n\n");
    free(text);
}

TEST(csv_records)
{
    struct run *run = sample_run_hostile();
    char *text = sample_text(run, FORMAT_CSV, NULL);
    size_t fields = 1, titles = 0, records = 0;
    bool quoted = false;
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            quoted = !quoted;
        else if (*c == ',' && !quoted)
            fields++;
        if (quoted || *c != '\r')
            continue;
        assert_true(c[1] == '\n');
        titles = titles ? titles : fields;
        assert_int_equal(fields, titles);
        fields = 1;
        records++;
    }
    assert_false(quoted);
    assert_int_equal(records, run->n_results + 1);
    free(text);
    run_free(run);
}

TEST(plain_text)
{
    static const struct {
        const char *text, *plain;
    } rows[] = {
        {NULL, ""},
        {"abc %s <b>", "abc %s <b>"},
        {"\033[31m\a\x7f", "\\x1b[31m\\x07\\x7f"},
        {"a\nb\tc\r", "a\\nb\\tc\\r"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xff\xc3", "\\xff\\xc3"},
        {"\xc0\xaf", "\\xc0\\xaf"},          /* too long a form */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
        {"\xc2\x9b"
         "1m",
         "\\u009b1m"}, /* control of the second set */
        {"a\xe2\x80\xae"
         "b",
         "a\\u202eb"}, /* right to left */
        {"\xe2\x80\x8b\xef\xbb\xbf", "\\u200b\\ufeff"},
        /* commands to CI */
        {"::error ::x", "\\x3a:error \\x3a:x"},
        {"std::max :x: a::b", "std::max :x: a::b"},
        {"\n::error::", "\\n\\x3a:error::"},
        {"\xc2\xa0::error::", "\xc2\xa0\\x3a:error::"}, /* a blank to actions/runner */
        {":::error::", "\\x3a::error::"},
        {"a##[error]b", "a\\x23#[error]b"},
        {"###vso[a.b]", "#\\x23#vso[a.b]"},
        {"## [x] #[y] ##z", "## [x] #[y] ##z"}};
    char out[64], small[5];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        text_plain(rows[i].text, out, sizeof out);
        assert_string_equal(out, rows[i].plain);
    }
    text_plain("ab\033", small, sizeof small); /* an escape is never cut */
    assert_string_equal(small, "ab");
    text_plain("abc\xc3\xa9", small, sizeof small);
    assert_string_equal(small, "abc");
    text_plain("abcdef", small, 1);
    assert_string_equal(small, "");
}

/* Rounding as it shows in the table: four digits, and units that follow the rounding. */
TEST(times_in_table)
{
    static const struct {
        double ns;
        const char *text;
    } rows[] = {
        {0, " 0.000 ns "},      {0.12345, " 0.123 ns "}, {9.9994, " 9.999 ns "},
        {9.9996, " 10.00 ns "}, {99.996, " 100.0 ns "},  {999.94, " 999.9 ns "},
        {999.96, " 1.000 us "}, {12345, " 12.35 us "},   {999960, " 1.000 ms "},
        {1.5e9, " 1.500 s "},   {2e12, " 2000 s "},      {123.44e6, " 123.4 ms "}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *run = sample_run_small();
        char *text;
        run->results[0].summary.median_ns = rows[i].ns;
        text = sample_text(run, FORMAT_TABLE, NULL);
        if (!strstr(text, rows[i].text))
            fail_msg("no '%s' in\n%s", rows[i].text, text);
        free(text);
        run_free(run);
    }
}

TEST(formats)
{
    struct run *run = sample_run_small();
    FILE *full = fopen("/dev/full", "w");
    struct error error = {.text = ""};
    enum format format;
    assert_int_equal(format_find("markdown", &format), 0);
    assert_int_equal(format, FORMAT_MARKDOWN);
    for (enum format each = FORMAT_TABLE; each < FORMATS; each++) {
        assert_int_equal(format_find(format_name(each), &format), 0);
        assert_int_equal(format, each);
    }
    assert_int_equal(format_find("pdf", &format), -EINVAL);
    assert_non_null(full);
    for (format = FORMAT_TABLE; format < FORMATS; format++) {
        if (format == FORMAT_HTML && html_check(NULL))
            continue;
        assert_int_equal(run_write(run, format, NULL, full, &error), -ENOSPC);
        assert_non_null(strstr(error.text, "No space left"));
        clearerr(full);
    }
    fclose(full);
    run_free(run);
}

/* The last column wraps, and stands below where a word of it does not fit. */
TEST(narrow_grids)
{
    static const char *const notes[] = {"some words that are too many for one line",
                                        "a_word_of_more_columns_than_are there"};
    static const char *const expected[] = {
        "  name  number  note\n"
        "  a          1  some words that are too many\n"
        "                for one line\n",
        "  name  number\n          note\n"
        "  a          1\n          a_word_of_more_columns_than_are\n          there\n"};
    for (size_t i = 0; i < ARRAY_LEN(notes); i++) {
        char *text = NULL;
        size_t size;
        FILE *const file = open_memstream(&text, &size);
        struct grid grid = {.at = "lrl"};
        const struct text_page page = {.file = file, .width = 44};
        GRID_TEXTS(&grid, "name", "number", "note", "a", "1", notes[i]);
        grid_write(&grid, &page, 2);
        fclose(file);
        assert_string_equal(text, expected[i]);
        free(text);
    }
}

/* A command that somebody copies is not broken, nor is a number in Markdown. */
TEST(unbroken)
{
    char *text = NULL;
    size_t size;
    FILE *const file = open_memstream(&text, &size);
    text_wrapped(file, 40, "why it is slow: `simdbench explain 'gemm/a b'` says", 0);
    text_markdown_cell(file, "", "1.5 us");
    text_markdown_cell(file, "**", "a word");
    text_markdown_cell(file, "", "12 words of a sentence that may well be broken");
    fclose(file);
    assert_string_equal(text, "why it is slow:\n    `simdbench explain 'gemm/a b'` says\n"
                              " 1.5\u00a0us | **a word** |"
                              " 12 words of a sentence that may well be broken |");
    free(text);
}

/* Columns are as wide as their texts, but for those that end a row. */
TEST(grids)
{
    static const char table[] = "  name  number  note\n"
                                "  a          1  \\x1b!\n"
                                "  b longer text than others\n";
    static const char markdown[] = "| name | number | note |\n| :-- | --: | :-- |\n"
                                   "| a | 1 | \\\\x1b! |\n"
                                   "| b longer text than others |  |  |\n";
    const char *const expected[] = {table, markdown, ""};
    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        char *text = NULL;
        size_t size;
        FILE *const file = open_memstream(&text, &size);
        struct grid grid = {.at = "lrl"};
        const struct text_page page = {.file = file, .markdown = i == 1};
        GRID_TEXTS(&grid, "name", "number", "note");
        if (i < 2)
            GRID_TEXTS(&grid, "a", "1", "\x1b!", "b longer text than others", "", "");
        grid_write(&grid, &page, 2);
        fclose(file);
        assert_string_equal(text, expected[i]);
        free(text);
    }
}
