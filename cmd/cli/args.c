/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <sys/random.h>

#include "args.h"
#include "team.h"
#include "words.h"

/* Options of other tools, and wishes that this tool meets by itself. */
static const char *other_word(const char *name, size_t length)
{
    static const char *const words[][2] = {
        {"csv", "--format=csv prints CSV, --format=csv:FILE writes it"},
        {"min-time,duration,time,reps",
         "--time-per-case=TIME is how long each case is measured"},
        {"html", "--format=html:FILE writes a page"},
        {"junit", "--format=junit:FILE writes it"},
        {"annotations", "--format=annotations prints them"},
        {"color,colour,no-color", "a terminal gets colours, NO_COLOR=1 none"},
        {"size", "--sizes=LIST, or --shape=TEXT as the op writes it"},
        {"quick", "--time-per-case=20ms measures each case for less time"},
        {"repetitions,repeat,iters", "--rounds=N is how often each case is measured"},
        {"core", "--cpu=N is the CPU"},
        {"save", "--json=FILE saves a run"},
        {"compare", "simdbench compare BEFORE.json AFTER.json compares saved runs"},
        {"iterations",
         "the calls of a batch are chosen; --rounds=N is the number of batches"},
        {"warmup", "a call before each batch is not timed"},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words_have_n(words[i][0], name, length))
            return words[i][1];
    return NULL;
}

/* A command that has the option: an op before others. */
static const char *option_owner(const struct option_row *row)
{
    const struct command_row *command = command_rows;
    while (command->name && !(command->mask & row->commands))
        command++;
    return row->commands & COMMAND_OP ? "gemm" : command->name;
}

static int unknown_option(const char *text, const struct argument *argument,
                          const char *command, unsigned mask, struct error *error)
{
    const int shown = (int)(argument->length < 60 ? argument->length : 60);
    const struct option_row *const other =
        option_find(argument->name, argument->length, COMMAND_ALL);
    if (other && mask == COMMAND_SUITE && (other->commands & COMMAND_OP))
        return invalid(error,
                       "--%s is no option of all, which measures what `simdbench list "
                       "shapes suite` shows; it is one of each op, as in simdbench gemm",
                       other->name);
    const char *const instead = other_word(argument->name, argument->length);
    if (instead && (!other || mask == COMMAND_OP))
        return invalid(error, "%.80s: no such option: %s", text, instead);
    if (other)
        return invalid(error,
                       "--%s is no option of %.60s, but of simdbench %s; see simdbench "
                       "%.60s --help",
                       other->name, command, option_owner(other), command);
    FREED_BY(text_list_free) struct text_list names = {0};
    char word[64], hint[140];
    for (const struct option_row *row = option_rows; row->name; row++) {
        snprintf(word, sizeof word, "--%s", row->name);
        if (row->commands & mask)
            text_list_add(&names, word);
    }
    snprintf(word, sizeof word, "--%.*s", shown, argument->name);
    text_list_hint(&names, word, hint, sizeof hint);
    if (hint[0])
        return invalid(error, "%.80s: no such option%s", text, hint);
    return invalid(error, "%.80s: no such option; see simdbench %.60s --help", text,
                   command);
}

/* --no-quiet takes --quiet back, and --no-project is --project=no. NULL: it takes nothing
 * back. */
static const struct option_row *taken_back(const struct argument *argument, unsigned mask)
{
    if (argument->length < 3 || memcmp(argument->name, "no-", 3) != 0 || argument->value)
        return NULL;
    const struct option_row *const row =
        option_find(argument->name + 3, argument->length - 3, mask);
    const bool is_project = row && !strcmp(row->name, "project");
    return row && row->set && (!row->value || is_project) ? row : NULL;
}

static int read_option(const struct argument *argument, unsigned mask, int argc,
                       char **argv, int *i, struct options *options,
                       struct text_list *names, struct error *error)
{
    const struct option_row *const back = taken_back(argument, mask);
    struct given given = {.row = option_find(argument->name, argument->length, mask),
                          .value = argument->value,
                          .options = options,
                          .error = error};
    const struct option_row *const row = given.row;
    if (row && row->commands == DECLARERS)
        options->declares = row->name;
    if (row || back)
        text_list_add(names, project_family(row ? row->name : back->name));
    if (!row && back && back->value) {
        given.row = back;
        given.value = "no";
        return back->set(&given);
    }
    if (!row && back) {
        *(bool *)((char *)options + back->field) = false;
        return 0;
    }
    if (!row)
        return unknown_option(argv[*i], argument, options->command, mask, error);
    if (!row->value && given.value)
        return invalid(error, "%.80s: --%s takes no value", argv[*i], row->name);
    if (argument_takes_next(row, argument, argc, argv, *i))
        given.value = argv[++*i];
    if (!row->set) {
        options->help = true;
        return 0;
    }
    if (row->value && (!given.value || !*given.value))
        return invalid(error, "--%s needs a value: --%s=%s", row->name, row->name,
                       row->value);
    return row->set(&given);
}

/* A text program makes one long dash of two short ones. */
static const char *behind_dashes(const char *word)
{
    static const char *const dashes[] = {"\u2013", "\u2014", "\u2212"};
    for (size_t i = 0; i < ARRAY_LEN(dashes); i++)
        while (!strncmp(word, dashes[i], strlen(dashes[i])))
            word += strlen(dashes[i]);
    return word;
}

static int unknown_word(const char *word, const struct options *options,
                        const struct command_row *command, struct error *error)
{
    /* An unknown first word is a mistake by itself, and no op with an extra argument. A
     * plug-in may have the op. */
    if (!command && !op_find(options->command) && !options->request.plugins.n) {
        FREED_BY(text_list_free) struct text_list names = {0};
        char why[400];
        names_ops_and_commands(&names);
        if (op_find(word) || command_find(word))
            return invalid(error, "%.60s: no such command or op; write simdbench %.60s",
                           options->command, word);
        if (guess_word(options->command, error))
            return -EINVAL;
        text_list_unknown(&names, options->command, "command or op", why, sizeof why);
        return invalid(error,
                       "%.60s: %s; --plugin=FILE.so may bring an op, and simdbench call "
                       "LIB.so measures functions of a library",
                       options->command, why);
    }
    if (!command && op_find(word))
        return invalid(error,
                       "%.60s: one op at a time: simdbench %.60s, or simdbench all", word,
                       word);
    const unsigned mask = command ? command->mask : COMMAND_OP;
    const char *const name = behind_dashes(word), *const option = guess_option(word);
    const size_t length = strcspn(name, "=");
    const struct option_row *const row = option_find(name, length, mask);
    char value[128];
    guess_value(word, value, sizeof value);
    if (row)
        return invalid(error, "%.80s: write --%.80s%s%s", word, name,
                       row->value && !name[length] ? "=" : "",
                       row->value && !name[length] ? row->value : "");
    if (option && option_find(option, strlen(option), mask))
        return invalid(error, "%.80s: write --%s=%.80s; a list has commas", word, option,
                       value);
    return invalid(
        error, "%.80s: %.60s takes %s; options begin with --, see simdbench %.60s --help",
        word, options->command,
        command && command->max_words ? "no more words" : "no further words",
        options->command);
}

static int check_doctor(const struct options *options, struct error *error)
{
    const struct text_list *const words = &options->files;
    const char *const topic = words->n ? words->item[0] : "";
    if (options->request.isas.n && strcmp(topic, "instructions") != 0)
        return invalid(error, "--isa chooses forms of instructions, as in simdbench "
                              "doctor instructions 'vpadd*' --isa=avx2");
    if (!words->n)
        return 0;
    if (strcmp(topic, "instructions") == 0)
        return words->n > 1 ? 0
                            : invalid(error, "doctor instructions needs forms: simdbench "
                                             "doctor instructions 'vpcompress*'");
    if (strcmp(topic, "counters") != 0)
        return invalid(
            error, "doctor %.80s: there are only doctor counters and doctor instructions",
            topic);
    return words->n == 1 ? 0
                         : invalid(error, "%.80s: doctor counters takes no more words",
                                   words->item[1]);
}

bool is_prototype(const char *word)
{
    return strchr(word, '(') && !module_is_declared(word);
}

static bool any_declared(const struct text_list *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (module_is_declared(names->item[i]))
            return true;
    return false;
}

bool ends_with_prototype(const struct text_list *words)
{
    return words->n > 1 && is_prototype(words->item[words->n - 1]);
}

/* Options of a function would be ignored without its prototype. */
static int check_declares(const struct options *options, struct error *error)
{
    const struct text_list *const words = &options->files;
    if (!options->declares || ends_with_prototype(words))
        return 0;
    const bool file = options->functions || any_declared(words) ||
                      any_declared(&options->request.plugins);
    return invalid(error, "--%s belongs to LIB:FUNCTION 'PROTOTYPE'; %s",
                   options->declares,
                   file ? "a file of functions has keys, such as \"reset\": true or "
                          "\"tolerance\": \"4ulp\""
                        : "the prototype is missing, as in 'void (float y[n], const "
                          "float x[n], size_t n)'; simdbench call LIB lists functions");
}

static int check_whole(const struct command_row *command, const struct options *options,
                       struct error *error)
{
    const struct text_list *const words = &options->files;
    /* explain A B has two cases; a size is none. */
    const bool valued = command && command->mask == COMMAND_EXPLAIN && words->n > 1 &&
                        guess_option(words->item[1]) && !strpbrk(words->item[1], "/.");
    const size_t most = !command ? 0 : valued ? 1 : command->max_words;
    if (command && guess_place(words, command, error) < 0)
        return -EINVAL;
    if (command && command->mask == COMMAND_THREADS && words->n &&
        isdigit((unsigned char)*words->item[0]) &&
        !words->item[0][strspn(words->item[0], "0123456789,-")])
        return invalid(error,
                       "%.20s: threads takes an op; numbers of threads are an option: "
                       "simdbench threads %.60s --threads=%.20s",
                       words->item[0], words->n > 1 ? words->item[1] : "gemm",
                       words->item[0]);
    if (words->n > most)
        return unknown_word(words->item[most], options, command, error);
    /* A prototype is a word more. */
    const bool declares = options->declares && ends_with_prototype(words);
    if (command && words->n < command->min_words + declares)
        return invalid(error, "%s needs %s: simdbench %s", command->name, command->needs,
                       command->examples[0]);
    return check_declares(options, error);
}

/* The defaults of a ladder. */
static void settle_ladder(struct options *options)
{
    static const char *const variants[] = {"load", "read",  "write",  "copy",
                                           "fma",  "*_max", "mul_add"};
    const uint32_t all = (uint32_t)cpus_allowed((int[CPUS_MAX]){0}, CPUS_MAX);
    if (!options->request.isas.n)
        text_list_add(&options->request.isas, "all");
    const size_t n = options->request.variants.n ? 0 : ARRAY_LEN(variants);
    for (size_t i = 0; i < n; i++)
        text_list_add(&options->request.variants, variants[i]);
    if (!options->threads_given && all > 1 && all <= TEAM_MAX)
        options->request.threads[options->request.n_threads++] = all;
}

static int expect_op(const struct options *options, bool given, const char *name,
                     const char *op, struct error *error)
{
    return !given || !strcmp(options->command, op)
               ? 0
               : invalid(error,
                         "--%s is for %s, as in simdbench %s --%s; %.60s has no %s", name,
                         op, op, name, options->command, name);
}

/* `gemm --argmax` is another op. */
static int settle_op(struct options *options, struct error *error)
{
    const int rc = expect_op(options, options->request.ladder, "ladder", "roof", error)
                       ?: expect_op(options, options->argmax, "argmax", "gemm", error);
    if (rc < 0)
        return rc;
    if (options->request.ladder)
        settle_ladder(options);
    options->request.op =
        must_have(strdup(options->argmax ? "gemm_argmax" : options->command));
    return 0;
}

static int one_dash(const char *text, unsigned mask, const char *command,
                    struct error *error)
{
    if (option_find(text + 1, strcspn(text + 1, "="), mask))
        return invalid(error, "%.80s: write -%.80s", text, text);
    return invalid(error,
                   "%.80s: no such option; with one dash there are -h, -n, -o FILE, -q "
                   "and -V; see simdbench %.60s --help",
                   text, command);
}

static int read_arguments(int argc, char **argv, int command_at, struct options *options,
                          struct error *error)
{
    const struct command_row *const command = command_find(argv[command_at]);
    const unsigned mask = command ? command->mask : COMMAND_OP;
    FREED_BY(text_list_free) struct text_list given = {0};
    bool words_only = false;
    int rc = 0;

    options->argc = argc;
    options->argv = argv;
    options->is_op = !command;
    options->request.suite = mask == COMMAND_SUITE;
    options->command = must_have(strdup(request_op_name(argv[command_at])));
    if (!command)
        args_commands(&options->request.commands);
    for (int i = 1; i < argc && rc == 0; i++) {
        const struct argument argument = argument_read(argv[i]);
        if (i == command_at)
            continue;
        if (!words_only && argument.name && argument.length == 0 && !argument.value)
            words_only = true;
        else if (!words_only && argument.name)
            rc = read_option(&argument, mask, argc, argv, &i, options, &given, error);
        else if (!words_only && argv[i][0] == '-' && argv[i][1])
            rc = one_dash(argv[i], mask, options->command, error);
        else
            text_list_add(&options->files, argv[i]);
    }
    /* A project's file may choose instruction sets for all commands. */
    if (rc == 0 && mask == COMMAND_DOCTOR)
        rc = check_doctor(options, error);
    if (rc == 0)
        rc = project_apply(options, mask, &given, error)
                 ?: check_whole(command, options, error);
    if (rc == 0 && options->is_op)
        rc = settle_op(options, error);
    options->how.unlocked = options->dry_run;
    options->how.quiet = options->quiet;
    if (rc == 0 && option_find("seed", strlen("seed"), mask) && !options->seed_given &&
        getrandom(&options->how.seed, sizeof options->how.seed, 0) !=
            sizeof options->how.seed)
        rc = error_set(error, -EIO,
                       "the system gives no random seed; choose one with --seed=N");
    return rc;
}

/* Prints it now, but for an op of a plug-in, which is told of by its module. */
static int give_help(int argc, char **argv, int command_at, struct options *options,
                     struct error *error)
{
    if (!command_at) {
        help_all(stdout);
        return 1;
    }
    const char *const name = request_op_name(argv[command_at]);
    if (!command_find(name) && !op_find(name)) {
        const int rc = read_arguments(argc, argv, command_at, options, error);
        if (rc == 0 && options->request.plugins.n)
            return 0;
        options_free(options);
        if (rc != 0)
            return rc;
    }
    help_command(stdout, name);
    return 1;
}

int args_parse(int argc, char **argv, struct options *options, struct error *error)
{
    options_init(options);
    const struct glance glance = glance_at(argc, argv);

    /* As other tools take it where nothing is measured that could be told more of. */
    if (glance.version || (argc == 2 && strcmp(argv[1], "-v") == 0)) {
        help_version(stdout);
        return 1;
    }
    if (glance.help)
        return give_help(argc, argv, glance.command, options, error);
    if (argc <= 1) {
        help_short(stderr);
        return invalid(error, "%s", "");
    }
    const struct argument argument = argument_read(argv[1]);
    const char *const name = argument.name;
    if (!glance.command && name && argument.length &&
        !option_find(name, argument.length, COMMAND_ALL) &&
        !taken_back(&argument, COMMAND_ALL) && !command_find(name))
        return unknown_option(argv[1], &argument, "COMMAND", COMMAND_ALL, error);
    if (!glance.command)
        return invalid(
            error,
            "%.80s: a command is missing, as in simdbench %s; see simdbench --help",
            argv[1], name && command_find(name) ? name : "gemm");
    const char *const word = argv[glance.command];
    const int rc = (command_find(word) ? 0 : guess_file(word, error))
                       ?: read_arguments(argc, argv, glance.command, options, error);
    if (rc != 0)
        options_free(options);
    return rc;
}
