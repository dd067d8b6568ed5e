/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as a program of Google Benchmark does, with times from the file PROGRAM.time.
 * Macros make builds that differ: PAD is bytes before the code; others change one thing.
 * Cases that run for long have SPINS steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PAD
#define PAD 0
#endif
#ifndef STEPS
#define STEPS 3
#endif
#ifndef ENTRY
#define ENTRY 7
#endif
#ifndef LABEL
#define LABEL "sum"
#endif
#ifndef FACTOR
#define FACTOR 1.5
#endif
#ifndef HOOK
#define HOOK abs
#endif
#ifndef HASH
#define HASH 0123456789abcdef
#endif
#ifndef FIRST
#define FIRST rounds
#endif
#ifndef RESULT
#define RESULT rounds
#endif
#ifndef DISTANT
#define DISTANT "two"
#endif
#ifndef PART
#define PART "total"
#endif
#ifndef SPINS
#define SPINS 0
#endif
#ifndef OPTION
#define OPTION 1
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

__asm__(".text\n.fill " TEXT(PAD) ", 1, 0x90\n");

/* Distances to two strings, as compilers make tables of names. */
__asm__(".section .rodata\n.p2align 2\n.type distances, @object\n.size distances, 8\n"
        "distances: .long one_text - distances, two_text - distances\n"
        "one_text: .asciz \"one\"\ntwo_text: .asciz \"" DISTANT "\"\n.text\n");
extern const int distances[] __attribute__((visibility("hidden")));

extern const int option; /* for libraries, if it is exported */
const int option = OPTION;

static int table[] = {1, 2, 3, 4, 5, 6, ENTRY};

static unsigned calls;
static volatile unsigned rounds __attribute__((used)), other __attribute__((used));

static __attribute__((noinline, unused)) int same(int i)
{
    return i;
}

static int (*volatile hook)(int) = HOOK;

/* A name as compilers of Rust make them. */
static __attribute__((constructor)) void begin(void) __asm__("begin17h" TEXT(HASH) "E");
static void begin(void)
{
    calls = 1;
}

static __attribute__((noinline)) int kind(int i)
{
    switch (i % 8) {
    case 0:
        return puts(__FILE__);
    case 1:
        return table[calls % 7];
    case 2:
        return (getenv(LABEL) != NULL) + hook(i);
    case 3:
        return (int)(i * FACTOR);
    case 4:
        return puts((const char *)distances + distances[calls % 2]);
    case 5:
        return puts("grand " PART);
    case 6:
        return i * i;
    default:
        FIRST += calls;
        return (int)RESULT;
    }
}

static int spins;

#ifdef SPIN
extern int SPIN(int sum, int n); /* of a library */
#else
static inline __attribute__((always_inline)) int SPIN(int sum, int n)
{
    for (int i = 0; i < n; i++)
        sum = sum * 5 + i;
    return sum;
}
#endif

static __attribute__((noinline)) int run_kinds(int n)
{
    int sum = 0;
    sum = SPIN(sum, spins);
    for (int i = 1; i < n; i++)
        sum += kind(8 * i + 1 + i % 3);
    calls++;
    return sum;
}

static __attribute__((noinline)) int run_steps(int n)
{
    int sum = n;
    sum = SPIN(sum, spins);
    for (int i = 0; i < STEPS; i++)
        sum = sum * 5 + i;
    return sum == 1 ? puts(PART) : sum;
}

typedef int run_function(int n);
static struct {
    const char *name;
    run_function *run;
} cases[] = {{"kinds", run_kinds}, {"steps", run_steps}};

static double time_of(const char *program)
{
    char path[4096];
    double ns = 0;
    snprintf(path, sizeof path, "%s.time", program);
    FILE *const file = fopen(path, "r");
    if (!file || fscanf(file, "%lf", &ns) != 1)
        exit(9);
    fclose(file);
    return ns;
}

int main(int argc, char **argv)
{
    const char *filter = "";
    int sum = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--benchmark_list_tests"))
            return puts("kinds\nsteps") < 0;
        if (!strncmp(argv[i], "--benchmark_filter=", 19))
            filter = argv[i] + 19;
        if (!strncmp(argv[i], "--benchmark_min_time=", 21) && atof(argv[i] + 21) > 0.1)
            spins = SPINS;
    }
    for (int i = 0; i < 2; i++) {
        if (!strstr(filter, cases[i].name))
            continue;
        sum += cases[i].run(100);
        printf(
            "{\"benchmarks\": [{\"name\": \"%s\", \"iterations\": 9, \"cpu_time\": %g, "
            "\"real_time\": 1, \"time_unit\": \"ns\"}]}\n",
            cases[i].name, time_of(argv[0]));
    }
    return sum == 12345;
}
