/* SPDX-License-Identifier: Apache-2.0 */
/* A program that prints what a harness prints, with times that are drawn and not
 * measured:
 *
 *     drawn_times FORMAT EXTRA STATE [ARGUMENT OF THE HARNESS...]
 *
 * Two cases take EXTRA percent more than nothing changed. Logarithms of times are a sum
 * of what a process draws once (addresses), what each repetition draws, a drift that
 * processes hand on in the file STATE (the machine), and for some a delay (a neighbour).
 * MODEL_NOISE has these in percent: process, repetition, drift, share of the delayed,
 * their delay. Compiled by scripts/bench harness. */
#include <math.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const struct {
    const char *name;
    double ns;
} cases[] = {{"BenchmarkShort", 80}, {"BenchmarkLong", 21000}};

enum { N_CASES = 2, N_NOISE = 5 };
enum { PROCESS, REPETITION, DRIFT, DELAYED, DELAY };

static double uniform(void)
{
    uint32_t bits;
    if (getrandom(&bits, sizeof bits, 0) != sizeof bits)
        exit(1);
    return (bits + 0.5) / 4294967296.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static void read_noise(double noise[N_NOISE])
{
    const char *at = getenv("MODEL_NOISE");
    for (int i = 0; i < N_NOISE; i++) {
        char *end = NULL;
        noise[i] = at ? strtod(at, &end) / 100 : 0;
        at = at && *end == ',' ? end + 1 : NULL;
    }
}

/* The state of the machine, which changes slowly. */
static double drift(const char *path, double step)
{
    double x = 0;
    FILE *const before = fopen(path, "r");
    if (before && fscanf(before, "%lf", &x) != 1)
        x = 0;
    if (before)
        fclose(before);
    x = 0.98 * x + step * normal();
    FILE *const after = fopen(path, "w");
    if (after)
        fprintf(after, "%.9g\n", x);
    if (after)
        fclose(after);
    return x;
}

/* The argument behind `flag`, or NULL. */
static const char *value(int argc, char **argv, const char *flag)
{
    for (int i = 4; i < argc; i++)
        if (!strncmp(argv[i], flag, strlen(flag)))
            return argv[i] + strlen(flag);
    return NULL;
}

static bool matches(const char *expression, const char *name)
{
    regex_t regex;
    if (!expression || regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB))
        return true;
    const bool found = regexec(&regex, name, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static void print_case(const char *format, const char *name, double ns, bool first)
{
    if (!strcmp(format, "google-benchmark"))
        printf("%s{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", "
               "\"real_time\": %.9g, \"cpu_time\": %.9g, \"time_unit\": \"ns\"}\n",
               first ? "" : ",", name, name, ns, ns);
    else if (!strcmp(format, "go"))
        printf("%s \t 100 \t %.9g ns/op\n", name, ns);
    else if (!strcmp(format, "criterion"))
        printf("%s   time:   [%.9g ns %.9g ns %.9g ns]\n", name, ns, ns, ns);
    else
        printf("%s: %.9g\n", name, ns);
}

int main(int argc, char **argv)
{
    double noise[N_NOISE];
    if (argc < 4)
        return 2;
    const char *const format = argv[1];
    const bool one = !strcmp(format, "regex"); /* as a command, it is one case */
    const char *const filter = value(argc, argv, "--benchmark_filter=")
                                   ?: value(argc, argv, "-test.bench=")
                                          ?: value(argc, argv, "^");
    const char *const count = value(argc, argv, "--benchmark_repetitions=")
                                  ?: value(argc, argv, "-test.count=");
    const int repetitions = count ? atoi(count) : 1;
    bool first = true;
    read_noise(noise);
    if (value(argc, argv, "--benchmark_list_tests") || value(argc, argv, "--list")) {
        for (int c = 0; c < N_CASES; c++)
            printf("%s%s\n", cases[c].name, *format == 'c' ? ": benchmark" : "");
        return 0;
    }
    const double machine = drift(argv[3], noise[DRIFT]);
    if (!strcmp(format, "google-benchmark"))
        puts("{\"context\": {}, \"benchmarks\": [");
    for (int c = 0; c < (one ? 1 : N_CASES); c++) {
        const double process = machine + noise[PROCESS] * normal();
        for (int i = 0; i < repetitions && matches(filter, cases[c].name); i++) {
            const bool delayed = uniform() < noise[DELAYED];
            const double x = process + noise[REPETITION] * normal() +
                             (delayed ? noise[DELAY] * fabs(normal()) : 0);
            print_case(format, cases[c].name,
                       cases[c].ns * (1 + atof(argv[2]) / 100) * exp(x), first);
            first = false;
        }
    }
    if (!strcmp(format, "google-benchmark"))
        puts("]}");
    return 0;
}
