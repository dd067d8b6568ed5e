/* SPDX-License-Identifier: Apache-2.0 */
/* The words that a shell is offered for the last word of a command line. */
#include "cli/args.h"
#include "unit.h"

enum { WORDS_MAX = 8 };

/* The words alone, with a blank between them. */
static void complete(const char *line, char *out, size_t size)
{
    static char topic[] = "kernels", study[] = "burn-conv";
    char *topics[] = {topic}, *studies[] = {study};
    const struct text_list lists[] = {{topics, 1}, {studies, 1}};
    char text[200], *words[WORDS_MAX], *rest = text;
    struct text_list found = {0};
    size_t n = 0, used = 0;
    snprintf(text, sizeof text, "%s", line);
    while (rest && n < WORDS_MAX)
        words[n++] = strsep(&rest, " ");
    args_complete(words, n, &(struct complete_names){&lists[0], &lists[1]}, &found);
    out[0] = '\0';
    for (size_t i = 0; i < found.n && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", i ? " " : "",
                                 (int)strcspn(found.item[i], "\t"), found.item[i]);
    text_list_free(&found);
}

TEST(test_words)
{
    static const struct {
        const char *line, *found;
    } cases[] = {{"rel", "relu"},
                 {"thr", "threads"},
                 {"no-such", ""},
                 {"gemm --isa-", "--isa-fallback="},
                 {"gemm --dry", "--dry-run"},
                 {"tanh --acc", "--accuracy-at-most= --accuracy"},
                 {"ab a b tanh --accuracy-at-most=", ""},
                 {"report --isa", ""},
                 {"gemm --isa=avx5", "--isa=avx512"},
                 {"gemm --isa avx5", "avx512"},
                 {"gemm --isa=avx2,avx5", "--isa=avx2,avx512"},
                 {"--isa avx2 gemm --cache=", "--cache=hot --cache=cold"},
                 {"gemm --pages=4", "--pages=4k"},
                 {"gemm --semiring=maxt", "--semiring=maxtimes"},
                 {"gemm --type=i", "--type=i32 --type=i64"},
                 {"relu --type=i", ""},
                 {"conv --shapes=vgg", "--shapes=vgg16"},
                 {"conv --layout=nchw1", "--layout=nchw16c"},
                 {"list groups --uarch=ic", "--uarch=icx"},
                 {"gemm --counters=lic", "--counters=license"},
                 {"gemm --threads=a", "--threads=all"},
                 {"gemm --wait=n", "--wait=no"},
                 {"report --format=bench", "--format=benchstat"},
                 {"doctor --format=j", "--format=json"},
                 {"gemm --json=", ""},
                 {"gemm --filter=relu", ""},
                 {"relu --filter=relu/f64/scalar/m", "--filter=relu/f64/scalar/max@*"},
                 {"explain relu/f64/scalar/m", "relu/f64/scalar/max@"},
                 {"explain relu/f64/scalar/max@12", "relu/f64/scalar/max@128000"},
                 {"explain rel", "relu"},
                 {"ab x.so", ""},
                 {"ab x.so y.so --quiet ta", "tanh"},
                 {"threads ta", "tanh"},
                 {"man his", "history"},
                 {"help his", "history"},
                 {"study b", "burn-conv"},
                 {"list k", "kernels"},
                 {"list kernels k", ""},
                 {"doctor ", "counters"},
                 {"completion ", "bash zsh fish"},
                 {"--v", "--version"},
                 {"--cac", ""},
                 {"gemm --nonsense=", ""},
                 {"gemm --quiet=", ""},
                 {"gemm -", NULL}};
    char found[4000];
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        complete(cases[i].line, found, sizeof found);
        if (!cases[i].found)
            assert_non_null(strstr(found, "--quiet"));
        else if (strcmp(found, cases[i].found) != 0)
            fail_msg("%s: %s", cases[i].line, found);
    }
}

static bool has_word(const char *words, const char *word)
{
    for (const char *at = words; (at = strstr(at, word)); at++)
        if (strchr(" ", at[strlen(word)]) && (at == words || at[-1] == ' '))
            return true;
    return false;
}

/* Every option of every command is offered there, and every command. */
TEST(test_tables)
{
    static char found[20000];
    char line[100], want[100];
    complete("", found, sizeof found);
    for (const struct command_row *row = command_rows; row->name; row++)
        assert_non_null(strstr(found, row->name));
    for (const struct command_row *command = command_rows; command->name; command++)
        for (const struct option_row *row = option_rows; row->name; row++) {
            snprintf(line, sizeof line, "%s --%s", command->name, row->name);
            snprintf(want, sizeof want, "--%s%s", row->name, row->value ? "=" : "");
            complete(line, found, sizeof found);
            if (row->commands & command->mask)
                assert_true(has_word(found, want));
            else if (!option_find(row->name, strlen(row->name), command->mask))
                assert_false(has_word(found, want));
        }
}
