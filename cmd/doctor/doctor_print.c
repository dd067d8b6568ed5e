/* SPDX-License-Identifier: Apache-2.0 */

#include "doctor_private.h"

enum { NAME_WIDTH = 20, VALUE_WIDTH_MAX = 60 };

static void print_state(const struct check *check, bool colour, FILE *file)
{
    char costs[2 * sizeof check->costs], advice[2 * sizeof check->advice];
    if (!check->costs[0]) {
        fprintf(file, "%s\n", colour ? "\033[32mok\033[0m" : "ok");
        return;
    }
    text_plain(check->costs, costs, sizeof costs);
    text_plain(check->advice, advice, sizeof advice);
    fprintf(file, "%scosts%s: %s -> %s\n", colour ? "\033[33m" : "",
            colour ? "\033[0m" : "", costs, advice);
}

size_t checks_ok(const struct checks *checks)
{
    size_t n = 0;
    for (size_t i = 0; i < checks->n; i++)
        n += checks->check[i].costs[0] == '\0';
    return n;
}

/* Names what costs, and the commands that go on from here. */
static struct answer make_answer(const struct checks *checks)
{
    struct answer answer = {.n = 0};
    buffer_format(&answer.text, "%zu of %zu checks are ok", checks_ok(checks), checks->n);
    const char *separator = "; these are not: ";
    for (size_t i = 0; i < checks->n; i++) {
        if (!checks->check[i].costs[0])
            continue;
        buffer_tell(&answer.text, "%s%s", separator, checks->check[i].name);
        separator = ", ";
    }
    answer_next(&answer);
    buffer_add(&answer.text, "To measure on a quieter machine: scripts/quiet.sh "
                             "simdbench gemm --sizes=64..512");
    answer_next(&answer);
    return answer;
}

void checks_print(const struct checks *checks, bool colour, FILE *file)
{
    int width = 0;
    for (size_t i = 0; i < checks->n; i++) {
        const int length = (int)strlen(checks->check[i].value);
        width = length > width && length <= VALUE_WIDTH_MAX ? length : width;
    }
    for (int costs = 0; costs < 2; costs++) /* lines with something to do come last */
        FOR_EACH (const struct check, check, checks->check, checks->n) {
            char value[2 * sizeof check->value];
            if ((check->costs[0] != '\0') != costs)
                continue;
            text_plain(check->value, value, sizeof value);
            fprintf(file, "%-*s %-*s  ", NAME_WIDTH, check->name, width, value);
            print_state(check, colour, file);
        }
    text_answer(file, make_answer(checks));
}

void checks_markdown(const struct checks *checks, FILE *file)
{
    struct grid grid = {.at = "l", .columns = 4};
    fputs("# simdbench doctor\n\n", file);
    text_answer_markdown(file, make_answer(checks));
    GRID_TEXTS(&grid, "check", "value", "costs", "what to type");
    for (int ok = 0; ok < 2; ok++) /* costs come first */
        FOR_EACH (const struct check, check, checks->check, checks->n)
            if (check->costs[0] ? !ok : ok)
                GRID_TEXTS(&grid, check->name, check->value,
                           check->costs[0] ? check->costs : "ok", check->advice);
    grid_write(&grid, true, 0, file);
}

void checks_json(const struct checks *checks, struct json *json)
{
    cJSON *const root = json_object(json, NULL, NULL);
    json_answer(json, root, make_answer(checks));
    cJSON *const array = json_array(json, root, "checks");
    FOR_EACH (const struct check, check, checks->check, checks->n) {
        cJSON *const object = json_object(json, array, NULL);
        json_filled(json, object, "check", check->name);
        json_filled(json, object, "value", check->value);
        json_bool(json, object, "ok", !check->costs[0]);
        json_filled(json, object, "costs", check->costs);
        json_filled(json, object, "advice", check->advice);
    }
}
