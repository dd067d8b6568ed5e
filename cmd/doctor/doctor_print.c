/* SPDX-License-Identifier: Apache-2.0 */

#include "doctor_private.h"

enum {
    NAME_WIDTH = 20,
    VALUE_AT = NAME_WIDTH + 1,
    VALUE_WIDTH_MAX = 60,
    STATE_WIDTH = 4
};

static void add_state(const struct check *check, bool colour, struct buffer *line)
{
    if (!check->costs[0]) {
        buffer_add(line, colour ? "\033[32mok\033[0m" : "ok");
        return;
    }
    buffer_format(line, "%scosts%s: ", colour ? "\033[33m" : "", colour ? "\033[0m" : "");
    buffer_tell(line, "%s -> %s", check->costs, check->advice);
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

/* A line, in which words that do not fit stand below the value. */
static void print_check(const struct check *check, int width, bool colour,
                        const struct text_page *page)
{
    FREED_BY(buffer_free) struct buffer line = {.text = NULL};
    buffer_plain(&line, check->value);
    const int blanks = width - text_width(buffer_text(&line));
    buffer_format(&line, "%*s  ", blanks > 0 ? blanks : 0, "");
    add_state(check, colour, &line);
    fprintf(page->file, "%-*s ", NAME_WIDTH, check->name);
    text_wrapped_to(page->file, page->width, buffer_text(&line), VALUE_AT, VALUE_AT);
}

/* Lines with something to do come last on a terminal, and first in Markdown. */
void checks_print(const struct checks *checks, bool colour, const struct text_page *page)
{
    struct grid grid = {.at = "l", .columns = 4};
    int width = 0, most = VALUE_WIDTH_MAX;
    fputs(page->markdown ? "# simdbench doctor\n\n" : "", page->file);
    if (page->markdown)
        text_answer(page, make_answer(checks));
    GRID_TEXTS(&grid, "check", "value", "costs", "what to type");
    if (page->width && page->width < VALUE_AT + most + STATE_WIDTH)
        most = page->width - VALUE_AT - STATE_WIDTH;
    for (size_t i = 0; i < checks->n; i++) {
        const int length = (int)strlen(checks->check[i].value);
        width = length > width && length <= most ? length : width;
    }
    for (int pass = 0; pass < 2; pass++)
        FOR_EACH (const struct check, check, checks->check, checks->n) {
            if ((check->costs[0] != '\0') != (page->markdown ? !pass : pass))
                continue;
            if (page->markdown)
                GRID_TEXTS(&grid, check->name, check->value,
                           check->costs[0] ? check->costs : "ok", check->advice);
            else
                print_check(check, width, colour, page);
        }
    grid_write(&grid, page, 0);
    if (!page->markdown)
        text_answer(page, make_answer(checks));
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
