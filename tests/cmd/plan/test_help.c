/* SPDX-License-Identifier: Apache-2.0 */
/* Help, its examples, --version: what a command line prints instead of a run. */
#include <unistd.h>

#include "cli/args.h"
#include "command_line.h"
#include "unit.h"

/* The text that a call writes to a stream; free() it. */
static char *captured(FILE *stream, int (*call)(void *context), void *context, int *rc)
{
    FILE *const file = tmpfile();
    const int saved = dup(fileno(stream));
    assert_non_null(file);
    fflush(stream);
    dup2(fileno(file), fileno(stream));
    *rc = call(context);
    fflush(stream);
    dup2(saved, fileno(stream));
    close(saved);
    rewind(file);
    char *const text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 16) - 1, file), 0, (1 << 16) - 2);
    fclose(file);
    return text;
}

static int parse_line(void *context)
{
    struct options options;
    struct error error;
    return parse(context, &options, &error);
}

static char *printed(const char *line)
{
    int rc;
    char *const copy = strdup(line);
    char *const text = captured(stdout, parse_line, copy, &rc);
    free(copy);
    if (rc != 1)
        fail_msg("%s: %d", line, rc);
    return text;
}

TEST(test_help)
{
    char *all = printed("--help"), *same = printed("help");
    assert_string_equal(all, same);
    free(same);
    for (const struct command_row *row = command_rows; row->name; row++) {
        char line[64], want[64];
        snprintf(want, sizeof want, "\n  %s ", row->name);
        assert_non_null(strstr(all, want));
        snprintf(line, sizeof line, "%s --help", row->name);
        char *const one = printed(line);
        snprintf(line, sizeof line, "help %s", row->name);
        char *const two = printed(line);
        assert_string_equal(one, two);
        assert_non_null(strstr(one, row->summary));
        assert_non_null(strstr(one, row->examples[0]));
        free(one);
        free(two);
    }
    /* It fits on a screen. */
    size_t lines = 0;
    for (const char *line = all; *line; line += strcspn(line, "\n") + 1, lines++)
        assert_in_range(strcspn(line, "\n"), 0, 80);
    assert_in_range(lines, 20, 50);
    free(all);

    /* Every op has every option of ops and no other; no line is wider than 80. */
    char *const gemm = printed("gemm --quiet --help --isa=nonsense");
    for (const struct option_row *row = option_rows; row->name; row++) {
        const char letter = option_letter(row->name);
        char want[80], dash[] = {'-', letter, ',', ' ', '\0'};
        snprintf(want, sizeof want, "\n  %s--%s%s%s", letter ? dash : "", row->name,
                 row->value ? "=" : "", row->value ? row->value : "");
        if (row->commands & COMMAND_OP)
            assert_non_null(strstr(gemm, want));
    }
    for (const char *line = gemm; *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, 80);
    assert_null(strstr(gemm, "--format=table|json\n"));
    /* The help knows every format. */
    char *const formats = strstr(gemm, "--format=NAME[:FILE]");
    assert_non_null(formats);
    for (enum format format = 0; format < FORMATS; format++)
        assert_non_null(strstr(formats, format_name(format)));
    free(gemm);
    char *const other = printed("softplus -h");
    assert_non_null(strstr(other, "simdbench softplus: no op of simdbench itself"));
    free(other);
}

TEST(test_examples_parse)
{
    char *const gemm = printed("gemm --help");
    size_t n = 0;
    for (char *line = strstr(gemm, "\nExamples:\n") + 11; *line && *line != '\n';) {
        char *const end = line + strcspn(line, "\n");
        *end = '\0';
        assert_ptr_equal(strstr(line, "  simdbench "), line);
        struct options o = parsed(line + strlen("  simdbench "));
        assert_true(o.is_op);
        options_free(&o);
        line = end + 1;
        n++;
    }
    assert_in_range(n, 4, 10);
    free(gemm);
    for (const struct command_row *row = command_rows; row->name; row++)
        for (size_t i = 0; i < ARRAY_LEN(row->examples) && row->examples[i]; i++) {
            struct options o = parsed(row->examples[i]);
            assert_string_equal(o.command, row->name);
            options_free(&o);
        }
}

TEST(test_version)
{
    char *const text = printed("gemm --version");
    char first[200];
    /* As the GNU standards ask: the number is the end of the first line. */
    snprintf(first, sizeof first, "simdbench %s\n", simdbench_version.number);
    assert_ptr_equal(strstr(text, first), text);
    snprintf(first, sizeof first, "commit: %s\ncompiler: ", simdbench_version.commit);
    assert_non_null(strstr(text, first));
    assert_non_null(strstr(text, "plug-in ABI: 2\n"));
    free(text);
}

static int parse_nothing(void *context)
{
    static char program[] = "simdbench";
    char *argv[] = {program, NULL};
    struct options options;
    struct error error = {.text = "stale"};
    const int rc = args_parse(1, argv, &options, &error);
    *(bool *)context = error.text[0] == '\0';
    return rc;
}

TEST(test_no_arguments)
{
    bool silent = false;
    int rc;
    char *const text = captured(stderr, parse_nothing, &silent, &rc);
    assert_int_equal(rc, -EINVAL);
    assert_true(silent);
    assert_ptr_equal(strstr(text, "Usage: simdbench COMMAND"), text);
    free(text);
}
