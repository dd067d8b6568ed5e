/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "args.h"
#include "declare.h"
#include "team.h"

enum { ALIGN_MAX = 2 << 20, NS_PER_MS = 1000000 };

int option_set_flag(const struct given *given)
{
    *OPTION_FIELD(bool, given) = true;
    return 0;
}

int option_set_text(const struct given *given)
{
    char **const field = OPTION_FIELD(char *, given);
    free(*field);
    *field = must_have(strdup(given->value));
    return 0;
}

int option_set_tolerance(const struct given *given)
{
    struct tolerance tolerance;
    struct error why;
    return tolerance_parse(given->value, &tolerance, &why) < 0
               ? given_error(given, "%s", why.text)
               : option_set_text(given);
}

int option_set_name(const struct given *given)
{
    const size_t length = strlen(given->value);
    return length > MODEL_NAME_MAX
               ? given_error(given, "%zu bytes; a name has at most %d", length,
                             MODEL_NAME_MAX)
               : option_set_text(given);
}

/* One item that holds the value as it is. */
int option_add_item(const struct given *given)
{
    text_list_add(OPTION_FIELD(struct text_list, given), given->value);
    return 0;
}

/* One item for each piece between commas. */
int option_add_items(const struct given *given)
{
    struct text_list *const list = OPTION_FIELD(struct text_list, given);
    for (const char *at = given->value;; at++) {
        const size_t length = strcspn(at, ",");
        if (length == 0)
            return given_error(given, "an item is empty: look for a comma too many");
        text_list_add_n(list, at, length);
        at += length;
        if (!*at)
            return 0;
    }
}

/* "2%", "0.5%": a share of one. */
int option_set_percent(const struct given *given)
{
    char *end;
    const double percent = strtod(given->value, &end);
    if (strcmp(given->value + strspn(given->value, "0123456789."), "%") != 0 ||
        *end != '%')
        return given_error(given, "expected a percentage, as in 2%%");
    if (!(percent >= 0.01 && percent <= 100))
        return given_error(given, "expected 0.01%% to 100%%");
    *OPTION_FIELD(double, given) = percent / 100;
    return 0;
}

/* "1", "0.6ulp" */
int option_set_ulp(const struct given *given)
{
    const size_t digits = strspn(given->value, "0123456789.");
    char *end;
    const double ulp = strtod(given->value, &end);
    if (!digits || end != given->value + digits || (*end && strcmp(end, "ulp") != 0))
        return given_error(given, "expected an error in ulp, as in 1ulp or 0.6");
    if (!(ulp >= 0.01 && ulp <= 1e9))
        return given_error(given, "expected 0.01 to 1e9 ulp");
    *OPTION_FIELD(double, given) = ulp;
    return 0;
}

int option_add_sizes(const struct given *given)
{
    struct error why;
    const int rc = sizes_expand(given->value, &given->options->request.sizes, &why);
    if (rc != 0)
        given_error(given, "%s", why.text);
    return rc;
}

/* NAME[,option=value...] */
int option_add_module(const struct given *given)
{
    const char *at = given->value + strcspn(given->value, ",");
    if (at == given->value)
        return given_error(given, "the name is missing");
    while (*at) {
        const char *const option = at + 1;
        const size_t name = strcspn(option, "=,"), length = strcspn(option, ",");
        if (name == 0 || option[name] != '=')
            return given_error(
                given,
                "'%.*s' is not option=value; to name several, give --%s once for each",
                (int)(length < 60 ? length : 60), option, given->row->name);
        at = option + length;
    }
    return option_add_item(given);
}

int option_set_cpu(const struct given *given)
{
    struct error why;
    size_t n = 0;
    int *const cpu = must_have(calloc(CPUS_MAX, sizeof *cpu));
    const int rc = cpus_parse(given->value, cpu, CPUS_MAX, &n, &why);
    if (rc != 0) {
        free(cpu);
        given_error(given, "%s", why.text);
        return rc;
    }
    free(given->options->how.cpu);
    given->options->how.cpu = cpu;
    given->options->how.n_cpu = n;
    return 0;
}

static int read_whole(const struct given *given, int64_t *number)
{
    const char *reason = "";
    return number_parse(given->value, strlen(given->value), number, &reason)
               ? given_error(given, "%s", reason)
               : 0;
}

/* A number of threads, or `all`: one for each CPU that this process may use. */
static int add_threads(const struct given *given)
{
    struct options *const options = given->options;
    int allowed[CPUS_MAX];
    int64_t n = (int64_t)cpus_allowed(allowed, CPUS_MAX);
    const int rc = strcmp(given->value, "all") ? read_whole(given, &n) : 0;
    if (rc != 0)
        return rc;
    if (n < 1 || n > TEAM_MAX)
        return given_error(given, "must be from 1 to %d threads", TEAM_MAX);
    for (size_t i = 0; i < options->request.n_threads; i++)
        if (options->request.threads[i] == (uint32_t)n)
            return 0;
    if (options->request.n_threads == THREADS_MAX)
        return given_error(given, "more than %d numbers of threads", THREADS_MAX);
    options->request.threads[options->request.n_threads++] = (uint32_t)n;
    return 0;
}

int option_set_threads(const struct given *given)
{
    FREED_BY(text_list_free) struct text_list items = {.n = 0};
    struct given one = *given;
    struct error why = {.text = ""};
    int rc = sizes_expand(given->value, &items, &why);
    if (rc != 0)
        given_error(given, "%s", why.text);
    given->options->request.n_threads = 0;
    given->options->threads_given = true;
    for (size_t i = 0; i < items.n && rc == 0; i++) {
        one.value = items.item[i];
        rc = add_threads(&one);
    }
    return rc;
}

int option_set_align(const struct given *given)
{
    int64_t n;
    const int rc = read_whole(given, &n);
    if (rc != 0)
        return rc;
    if (n < 1 || n > ALIGN_MAX || (n & (n - 1)) != 0)
        return given_error(given, "must be a power of two from 1 to 2Mi");
    given->options->request.settings.align = (uint64_t)n;
    return 0;
}

int option_set_sets(const struct given *given)
{
    int64_t n = SETS_AUTO;
    const int rc = strcmp(given->value, "auto") == 0 ? 0 : read_whole(given, &n);
    if (rc != 0)
        return rc;
    if (n != SETS_AUTO && (n < 1 || n > SETS_MAX))
        return given_error(given, "must be from 1 to %d, or auto", SETS_MAX);
    given->options->request.settings.sets = (uint32_t)n;
    return 0;
}

/* A count within bounds, both included. With fewer processes nothing can be told apart
 * from chance. */
int option_set_count(const struct given *given)
{
    static const struct {
        size_t field;
        int lowest, highest;
    } counts[] = {{offsetof(struct options, how.rounds), 1, 100000},
                  {offsetof(struct options, processes), 8, 1000},
                  {offsetof(struct options, call.overread), 0, 4096},
                  {offsetof(struct options, gates), 1, 10000},
                  {offsetof(struct options, prove.calls), 1, 1000},
                  {offsetof(struct options, prove.replay), 1, REPLAY_MAX},
                  {offsetof(struct options, prove.pid), 1, INT32_MAX}};
    int64_t n;
    size_t i = 0;
    const int rc = read_whole(given, &n);
    if (rc != 0)
        return rc;
    while (counts[i].field != given->row->field)
        i++;
    if (n < counts[i].lowest || n > counts[i].highest)
        return given_error(given, "must be from %d to %d", counts[i].lowest,
                           counts[i].highest);
    *OPTION_FIELD(uint32_t, given) = (uint32_t)n;
    return 0;
}

/* "0,1.5,4": percents, with or without their sign. */
int option_set_effects(const struct given *given)
{
    struct options *const options = given->options;
    options->n_effects = 0;
    for (const char *at = given->value;; at++) {
        char *end;
        const double percent = strtod(at, &end);
        if (end != at + strspn(at, "0123456789.") || end == at)
            return given_error(given, "expected percentages, as in 0,1.5,4");
        if (percent > 100)
            return given_error(given, "expected 0%% to 100%%");
        for (size_t i = 0; i < options->n_effects; i++)
            if (!(fabs(options->effect[i] - percent / 100) > 0))
                return given_error(given, "%g is there twice", percent);
        if (options->n_effects == EFFECTS_MAX)
            return given_error(given, "more than %d effects", EFFECTS_MAX);
        options->effect[options->n_effects++] = percent / 100;
        at = end + (*end == '%');
        if (!*at)
            return 0;
        if (*at != ',')
            return given_error(given, "expected percentages, as in 0,1.5,4");
    }
}

int option_set_seed(const struct given *given)
{
    const bool hex =
        given->value[0] == '0' && (given->value[1] == 'x' || given->value[1] == 'X');
    const char *const digits = hex ? given->value + 2 : given->value;
    const size_t length = strlen(digits);
    const char *const known = hex ? "0123456789abcdefABCDEF" : "0123456789";

    if (length == 0 || strspn(digits, known) != length)
        return given_error(given, "is not a whole number, decimal or 0x and hexadecimal");
    errno = 0;
    const uint64_t seed = strtoull(digits, NULL, hex ? 16 : 10);
    if (errno == ERANGE)
        return given_error(given, "is larger than 2^64-1");
    given->options->how.seed = seed;
    given->options->seed_given = true;
    return 0;
}

int option_set_duration(const struct given *given)
{
    const char *reason = "";
    int64_t ns;
    if (duration_parse(given->value, &ns, &reason) != 0)
        return given_error(given, "%s", reason);
    if (ns < NS_PER_MS || ns > (int64_t)86400000 * NS_PER_MS)
        return given_error(given, "must be from 1ms to 1440min");
    *OPTION_FIELD(int64_t, given) = ns;
    return 0;
}

/* A file of functions: no other one can be told from a module. */
int option_set_declared(const struct given *given)
{
    if (module_is_declared(given->value))
        return option_set_text(given);
    return given_error(given,
                       "no file of functions, whose name ends in .json: simdbench call "
                       "LIB:FUNCTION 'PROTOTYPE' --save=FILE.json writes one");
}

/* "no", a number of seconds, or a time with its unit. */
int option_set_wait(const struct given *given)
{
    const char *reason = "";
    char text[32];
    const size_t length = strlen(given->value);
    const bool bare = length && strspn(given->value, "0123456789.") == length;
    snprintf(text, sizeof text, "%.20s%s", given->value, bare ? "s" : "");
    if (!strcmp(given->value, "no"))
        given->options->how.wait_ns = 0;
    else if (duration_parse(text, &given->options->how.wait_ns, &reason) != 0)
        return given_error(given, "%s; or no", reason);
    return 0;
}
