/* SPDX-License-Identifier: Apache-2.0 */
/* docs/explain.md tells each cause with the numbers that decide, and each bound. */
#include "findings.h"
#include "inspect.h"
#include "unit.h"

/* The numbers of all rules of each cause; 0: none. */
/* clang-format off */
#define AT_LEAST(fact, x) x
#define AT_MOST(fact, x) x
#define AT_LEAST_OF(fact, k, other) k
#define AT_MOST_OF(fact, k, other) k
#define FASTER(fact, x) x
#define WHOLLY_FASTER(fact, x) x
#define NO_FASTER(fact, x) x
#define NEED(...) 0, ##__VA_ARGS__
#define AGAINST(...) 0, ##__VA_ARGS__
#define FLIPPED(ratio, need, against) need, against,
#define STRUCTURAL(need, against) need, against,
#define MODELLED(need, against) need, against,
#define CAUSE(id, name, text, refute, remedy, rules) {rules 0},
static const double thresholds[INSPECT_CAUSES][128] = {
#include "causes.def"
};
/* clang-format on */

/* A number in one of the ways to write it: 0.1, 10% or "a tenth". */
static bool is_written(double number, const char *text)
{
    static const struct {
        double number;
        const char *words;
    } words[] = {{0.1, "a tenth"},
                 {0.25, "a quarter"},
                 {0.5, "half"},
                 {0.5, "every other"},
                 {0.5, "one in two"}};
    char plain[32], percent[32];
    if (number >= 1e6)
        snprintf(plain, sizeof plain, "%.0f %03.0f 000", floor(number / 1e6),
                 fmod(number / 1e3, 1000));
    else
        snprintf(plain, sizeof plain, number >= 1e4 ? "%.0f 000" : "%g",
                 number >= 1e4 ? number / 1e3 : number);
    snprintf(percent, sizeof percent, "%g%%", 100 * number);
    bool found = strstr(text, plain) || strstr(text, percent);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found |= fabs(words[i].number - number) < 1e-9 && strstr(text, words[i].words);
    return found;
}

/* These stand in conditions of many causes, which the page tells once. */
static bool is_common(double number)
{
    static const double common[] = {0.3, 0.75, 0.77, 0.8};
    bool found = number <= 0 || fabs(number - 1) < 1e-9;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        found |= fabs(common[i] - number) < 1e-9;
    return found;
}

static void expect_thresholds(enum inspect_cause cause, const char *text)
{
    const size_t n = sizeof thresholds[0] / sizeof thresholds[0][0];
    for (size_t i = 0; i < n; i++)
        if (!is_common(thresholds[cause][i]) && !is_written(thresholds[cause][i], text))
            fail_msg("docs/explain.md, %s: %g is missing", inspect_cause_name(cause),
                     thresholds[cause][i]);
}

static enum inspect_cause cause_named(const char *name)
{
    enum inspect_cause i = 0;
    while (i < INSPECT_CAUSES && strcmp(inspect_cause_name(i), name) != 0)
        i++;
    return i;
}

/* It has a section of each cause with the numbers that decide, and a row of each bound.
 */
TEST(test_docs)
{
    char *path = NULL, *line = NULL;
    char section[4096] = "";
    size_t room = 0, causes = 0, bounds = 0;
    enum inspect_cause cause = INSPECT_CAUSES;
    assert_true(asprintf(&path, "%s/docs/explain.md", getenv("SOURCE_ROOT")) > 0);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    while (getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') {
            if (cause != INSPECT_CAUSES)
                expect_thresholds(cause, section);
            cause = line[3] == ' ' ? cause_named(line + 4) : INSPECT_CAUSES;
            causes += cause != INSPECT_CAUSES;
            section[0] = '\0';
        }
        snprintf(section + strlen(section), sizeof section - strlen(section), "%s ",
                 line);
        for (size_t i = 0; i < INSPECT_BOUND_LIST; i++)
            bounds +=
                line[0] == '|' && strstr(line, inspect_fact_name(inspect_bound_list[i]));
    }
    assert_int_equal(causes, INSPECT_CAUSES);
    assert_int_equal(bounds, INSPECT_BOUND_LIST);
    fclose(file);
    free(line);
    free(path);
}
