/* SPDX-License-Identifier: Apache-2.0 */
/* Commands for a file, or a case, that was typed where a command stands. */
#include <ctype.h>
#include <sys/stat.h>

#include "args.h"
#include "files.h"
#include "words.h"

static bool ends_with(const char *word, const char *end)
{
    const size_t n = strlen(word), length = strlen(end);
    return n > length && !strcmp(word + n - length, end);
}

/* Documents of simdbench, and the command that reads each of them. */
static const struct document {
    const char *what, *command, *mark, *other_mark;
} documents[] = {
    {"a saved run", "report", "\"schema_version\"", "\"simdbench\""},
    {"a study", "study", "\"study\"", "\"claims\""},
    {"a declaration of functions", "call", "\"functions\"", "\"prototype\""},
};

/* The first bytes tell it; what stands later may be large. NULL: another file. */
static const struct document *document_of(const char *path)
{
    enum { HEAD = 1 << 16 };
    const struct document *found = NULL;
    FREED_BY(free_memory) char *head = must_have(malloc(HEAD));
    file_read("", path, head, HEAD);
    for (size_t i = 0; !found && i < ARRAY_LEN(documents); i++)
        if (strstr(head, documents[i].mark) && strstr(head, documents[i].other_mark))
            found = &documents[i];
    return found;
}

/* Commands that take a file: what stands before its name, behind it, and behind that
 * once more. */
struct taker {
    const char *before, *behind, *again;
};

static bool is_source(const char *path)
{
    const char *const end = strrchr(path, '.') ?: ".";
    return words_have("c,cc,cpp,cxx,h,hpp,rs,go,zig,f90,s,S,asm", end + 1);
}

/* FILE or FILE:FUNCTION, whose file is there and is source text. */
static bool names_source(const char *word)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(word, ":"), word);
    return is_source(path) && access(path, F_OK) == 0;
}

static bool is_shared(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return ends_with(path, ".so") || strstr(slash ?: path, ".so.");
}

static bool is_library(const char *path)
{
    return is_shared(path) || ends_with(path, ".o") || ends_with(path, ".a");
}

/* Files of some file systems can all be executed. */
static const struct taker *taker_of(const char *path)
{
    static const struct taker shared = {
        "call ", " (its functions), or simdbench all --plugin=", " (a plug-in)"};
    static const struct taker objects = {"call ", " (its functions)", NULL};
    static const struct taker history = {"history --history=", "", NULL};
    static const struct taker program = {"prove --function=NAME -- ",
                                         " (which code it runs), or simdbench ab ",
                                         " OTHER (two builds of it)"};
    return is_shared(path)                               ? &shared
           : is_library(path)                            ? &objects
           : ends_with(path, ".sqlite")                  ? &history
           : !is_source(path) && access(path, X_OK) == 0 ? &program
                                                         : NULL;
}

/* A file that no command takes. */
static int refuse_file(const char *path, struct error *error)
{
    if (names_source(path))
        return invalid(
            error,
            "%s: this is source text; simdbench takes what a compiler makes of it, as in "
            "cc -O3 -shared -fPIC -o libmix.so mix.c && simdbench call ./libmix.so",
            path);
    return invalid(error,
                   "%s: no command takes this file; they take libraries (simdbench call "
                   "./libmix.so), saved runs (simdbench report run.json) and programs "
                   "(simdbench prove --function=NAME -- ./program)",
                   path);
}

/* A word that may name a function, and no op, size or file. */
static bool is_name(const char *word)
{
    const char *const colon = strchr(word, ':');
    return (isalpha((unsigned char)*word) || *word == '_') && !strpbrk(word, "/.@(") &&
           (!colon || colon[1] == ':') && isa_find(word) < 0;
}

/* LIB.so:FUNCTION, and no case, "mix.so:op/...@64". */
static bool names_function(const char *word)
{
    char path[PATH_MAX];
    const size_t n = strcspn(word, ":");
    snprintf(path, sizeof path, "%.*s", (int)n, word);
    return word[n] && is_library(path) && !strchr(word, '@');
}

int guess_place(const struct text_list *words, const struct command_row *command,
                struct error *error)
{
    const bool whole = ends_with_prototype(words);
    const char *const second = words->n > 1                 ? words->item[1]
                               : command->mask & COMMAND_AB ? "NEW.so"
                                                            : "";
    const unsigned takers =
        COMMAND_AB | COMMAND_EXPLAIN | COMMAND_AUDIT * (words->n == 1);
    if (!whole && words->n && words->n <= 2 && names_function(words->item[0]) &&
        command->mask & takers)
        return invalid(error,
                       "%.200s: its prototype is missing, as in simdbench %s %.200s "
                       "%.200s%s'void (float y[n], const float x[n], size_t n)'",
                       words->item[0], command->name, words->item[0], second,
                       *second ? " " : "");
    const char *const prototype = whole ? words->item[words->n - 1] : "PROTOTYPE";
    const char *libraries[2] = {"", ""}, *name = NULL;
    const size_t n = words->n - whole;
    size_t n_libraries = 0;
    for (size_t i = 0; i < n && n <= 3; i++)
        if (is_library(words->item[i]) && !strchr(words->item[i], ':') && n_libraries < 2)
            libraries[n_libraries++] = words->item[i];
        else if (is_name(words->item[i]))
            name = words->item[i];
    if (!name || n != n_libraries + 1)
        return 0;
    /* `audit PLUGIN.so OP` is right, and so is `ab OLD.so NEW.so OP`. */
    const unsigned one = COMMAND_CALL | (whole || !op_find(name) ? COMMAND_EXPLAIN : 0) |
                         (whole || name == words->item[0] ? COMMAND_AUDIT : 0);
    const unsigned two = whole ? COMMAND_AB | COMMAND_EXPLAIN : 0;
    if (!(command->mask & (n_libraries == 1 ? one : n_libraries == 2 ? two : 0)))
        return 0;
    const bool bare = !strchr(libraries[0], '/') && access(libraries[0], F_OK) == 0;
    const char *const hint = whole ? ""
                                   : ", where PROTOTYPE looks like void (float y[n], "
                                     "const float x[n], size_t n)";
    /* The message has room for so much. A command that is cut would be another one. */
    char line[360];
    const int length =
        snprintf(line, sizeof line, "%s%s:%s%s%s '%s'", bare ? "./" : "", libraries[0],
                 name, n_libraries > 1 ? " " : "", libraries[1], prototype);
    if (length < 0 || (size_t)length + strlen(hint) >= sizeof line)
        snprintf(line, sizeof line, "%s 'PROTOTYPE'",
                 n_libraries > 1 ? "OLD:NAME NEW" : "LIB:NAME");
    return invalid(error,
                   "%.80s: a function stands behind its library: simdbench %s %s%s", name,
                   command->name, line, hint);
}

/* The op that has a variant of that name, or NULL. */
static const char *op_of_variant(const char *word)
{
    for (const struct simdbench_kernel *const *kernel = kernel_list(); *kernel; kernel++)
        if (!strcmp((*kernel)->variant, word))
            return (*kernel)->op;
    return NULL;
}

const char *guess_option(const char *word)
{
    const bool sizes =
        *word >= '0' && *word <= '9' && !word[strspn(word, "0123456789x.,:*-kKMGi")];
    return sizes                    ? "sizes"
           : isa_find(word) >= 0    ? "isa"
           : ends_with(word, ".so") ? "plugin"
           : op_of_variant(word)    ? "variants"
                                    : NULL;
}

void guess_value(const char *word, char *value, size_t size)
{
    const char *const option = guess_option(word);
    const bool range = option && !strcmp(option, "sizes") && strchr(word, '-');
    const size_t n = range ? strcspn(word, "-") : 0;
    snprintf(value, size, "%.*s%s%.100s", (int)n, word, range ? ".." : "",
             word + n + range);
}

/* Words for what a command of another name does. */
static const struct meant {
    const char *words, *command;
} meant[] = {
    {"bench,benchmark,matmul,measure,run", "gemm"},
    {"bandwidth,memory,roofline", "roof --ladder"},
    {"build,gate", "ab ./old.so ./new.so"},
    {"config,settings", "list settings"},
    {"counters", "doctor counters"},
    {"cpu,isa,isas", "list isas"},
    {"diff", "compare before.json after.json"},
    {"fleet", "report --by=host RUN.json..."},
    {"harness", "ab ./old_bench ./new_bench"},
    {"events", "list events"},
    {"groups", "list groups"},
    {"html,plot", "report run.json --format=html:run.html"},
    {"init", "new-plugin ./mine"},
    {"instructions,latency,ports", "doctor instructions"},
    {"kernels,ops", "list kernels"},
    {"libraries,libs,modules", "list modules"},
    {"profile,why", "explain relu/f32/avx2/max@2048"},
    {"roofs", "list roofs"},
    {"shapes", "list shapes"},
    {"studies", "list studies"},
};

int guess_word(const char *word, struct error *error)
{
    for (size_t i = 0; i < ARRAY_LEN(meant); i++)
        if (words_have(meant[i].words, word))
            return error_set(error, -EINVAL, "%s: no such command; write simdbench %s",
                             word, meant[i].command);
    const char *const option = guess_option(word);
    const struct option_row *const row = option_find(word, strlen(word), COMMAND_ALL);
    char value[128];
    guess_value(word, value, sizeof value);
    if (option)
        return invalid(error, "%.60s: a command is missing: simdbench %s --%s=%.60s",
                       word, op_of_variant(word) ?: "gemm", option, value);
    if (row && !row->set)
        return invalid(error, "%s: write simdbench --%s", word, word);
    return 0;
}

static int guess_missing(const char *word, struct error *error)
{
    const int why = errno;
    const size_t n = strcspn(word, "/");
    const bool named = word[n] || ends_with(word, ".json");
    char op[32];
    snprintf(op, sizeof op, "%.*s", (int)n, word);
    if (word[n] && op_find(op))
        return invalid(error,
                       "%s: this is a part of a case, and a command is missing: "
                       "simdbench %s --filter='%s*'",
                       word, op, word);
    if (strstr(word, ".so") && (!named || strstr(word, ".so:")))
        return invalid(error, "%s: a command is missing: simdbench call %s%s", word, word,
                       strchr(word, ':') ? " 'PROTOTYPE'" : " (its functions)");
    return named || ends_with(word, ".sqlite")
               ? error_set(error, -why, "%s: %s", word, strerror(why))
               : 0;
}

int guess_file(const char *word, struct error *error)
{
    enum { SHOWN = 200 };
    char file[SHOWN + 3];
    struct stat stat_of;
    const bool missing = stat(word, &stat_of) != 0;
    if (strlen(word) > SHOWN)
        return 0;
    if (missing && strchr(word, '@') && case_name_is(word) && !strchr(word, '\''))
        return invalid(
            error, "%s: this is a case, and a command is missing: simdbench explain '%s'",
            word, word);
    /* Other words may be ops of plug-ins. */
    if (!strchr(word, '/') && !strchr(word, '.'))
        return 0;
    if (missing)
        return guess_missing(word, error);
    if (S_ISDIR(stat_of.st_mode))
        return error_set(error, -EISDIR,
                         "%s: this is a folder; commands take files: simdbench report "
                         "RUN.json, simdbench call ./LIB.so",
                         word);
    if (!S_ISREG(stat_of.st_mode) || !stat_of.st_size)
        return invalid(error, "%s: %s", word,
                       S_ISREG(stat_of.st_mode) ? "the file is empty"
                                                : "this is no regular file");
    snprintf(file, sizeof file, "%s%s", strchr(word, '/') ? "" : "./", word);
    const struct taker *const taker = taker_of(word);
    if (ends_with(word, ".json"))
        return invalid(error,
                       "%s: this is a file, and a command is missing: simdbench %s %s",
                       word, (document_of(word) ?: documents)->command, word);
    if (!taker)
        return refuse_file(word, error);
    return invalid(
        error, "%s: this is a file, and a command is missing: simdbench %s%s%s%s%s", word,
        taker->before, file, taker->behind, taker->again ? file : "", taker->again ?: "");
}

/* The document that a command takes; NULL: it takes none. */
static const char *takes(unsigned mask)
{
    const struct {
        unsigned mask;
        const char *command;
    } rows[] = {{COMMAND_REPORT | COMMAND_COMPARE, "report"},
                {COMMAND_STUDY, "study"},
                {COMMAND_CALL | COMMAND_AUDIT | COMMAND_JUDGE, "call"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].mask & mask)
            return rows[i].command;
    return NULL;
}

static int check_document(const char *word, unsigned mask, struct error *error)
{
    const char *const wanted = takes(mask);
    struct stat stat_of;
    /* Options of report are looked at before its files. */
    if (stat(word, &stat_of))
        return mask & (COMMAND_REPORT | COMMAND_COMPARE)
                   ? 0
                   : error_set(error, -errno, "%.200s: %s", word, strerror(errno));
    if (S_ISDIR(stat_of.st_mode))
        return error_set(error, -EISDIR, "%.200s: %s", word, strerror(EISDIR));
    if (S_ISREG(stat_of.st_mode) && !stat_of.st_size)
        return invalid(error, "%.200s: the file is empty", word);
    const struct document *const found =
        S_ISREG(stat_of.st_mode) ? document_of(word) : NULL;
    if (!found && mask == COMMAND_EXPLAIN)
        return invalid(error,
                       "%.200s: a file, and not a case; as in simdbench explain "
                       "relu/f32/avx2/max@2048",
                       word);
    if (!found || (wanted && !strcmp(found->command, wanted)))
        return 0;
    for (size_t i = 0; wanted && i < ARRAY_LEN(documents); i++)
        if (!strcmp(documents[i].command, wanted))
            return invalid(error,
                           "%.200s: this is %s, and not %s; simdbench %s %.200s reads it",
                           word, found->what, documents[i].what, found->command, word);
    if (mask == COMMAND_AB && !strcmp(found->command, "call"))
        return invalid(error,
                       "%.200s: this is a declaration of functions, and not a build; "
                       "simdbench ab OLD.so NEW.so --functions=%.200s reads it",
                       word, word);
    const bool two_runs = mask == COMMAND_AB && !strcmp(found->command, "report");
    return invalid(error, "%.200s: this is %s, and not %s; simdbench %s %.200s reads %s",
                   word, found->what, mask == COMMAND_AB ? "a build" : "a case",
                   two_runs ? "compare" : found->command,
                   two_runs ? "A.json B.json" : word, two_runs ? "two" : "it");
}

/* A plug-in with its options that is no shared object. */
static int check_plugin(const char *plugin, struct error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(plugin, ","), plugin);
    if (access(path, F_OK))
        return 0;
    if (ends_with(path, ".json"))
        return check_document(path, COMMAND_CALL, error);
    if (is_library(path) && !is_shared(path))
        return invalid(error,
                       "%.200s: a plug-in is a shared object, as cc -shared -o mine.so "
                       "%.200s makes it; simdbench call LIB:NAME 'PROTOTYPE' measures a "
                       "function of any file",
                       path, path);
    return is_source(path) ? refuse_file(path, error) : 0;
}

int args_check_files(const struct options *options, struct error *error)
{
    const unsigned all = COMMAND_REPORT | COMMAND_COMPARE | COMMAND_STUDY | COMMAND_CALL |
                         COMMAND_AUDIT | COMMAND_JUDGE | COMMAND_AB | COMMAND_EXPLAIN;
    const struct command_row *const command = command_find(options->command);
    const struct text_list *const words = &options->files;
    int status = 0;
    for (size_t i = 0; i < options->request.plugins.n && status == 0; i++)
        status = check_plugin(options->request.plugins.item[i], error);
    if (status)
        return status;
    if (options->is_op && !op_find(options->command) && !options->request.plugins.n &&
        !options->request.baselines.n)
        return guess_word(options->command, error);
    /* A fleet leaves files out that are no runs. */
    if (!command || !(command->mask & all) || options->by)
        return 0;
    for (size_t i = 0; i < words->n && status == 0; i++)
        if (ends_with(words->item[i], ".json"))
            status = check_document(words->item[i], command->mask, error);
        else if (names_source(words->item[i]))
            status = refuse_file(words->item[i], error);
        else if ((command->mask & (COMMAND_COMPARE | COMMAND_REPORT)) &&
                 is_library(words->item[i]))
            status =
                invalid(error, "%.200s: this is a library, and not a saved run; %s",
                        words->item[i],
                        command->mask & COMMAND_REPORT
                            ? "simdbench call LIB lists its functions"
                            : "simdbench ab OLD:NAME NEW 'PROTOTYPE' measures a function "
                              "of two, and ab OLD.so NEW.so two plug-ins");
    return status;
}
