/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "request/request.h"

/* A piece of the text: an item, or part of one. */
struct span {
    const char *at;
    size_t length;
};

enum { SHOWN = 60, SHAPE_TEXT = 512 };

#define item_error(error, item, why, ...)                                    \
    invalid(error, "'%.*s%s' " why,                                          \
            (int)((item).length > SHOWN ? SHOWN : (item).length), (item).at, \
            (item).length > SHOWN ? "..." : "" __VA_OPT__(, ) __VA_ARGS__)

static struct span span_until(struct span *rest, char separator)
{
    const char *const end = memchr(rest->at, separator, rest->length);
    const size_t length = end ? (size_t)(end - rest->at) : rest->length;
    const struct span first = {rest->at, length};
    rest->at += end ? length + 1 : length;
    rest->length -= end ? length + 1 : length;
    return first;
}

static int add(struct text_list *shapes, const char *text, size_t length,
               struct span item, struct error *error)
{
    if (shapes->n >= SIZES_MAX)
        return item_error(error, item, "makes more than %d sizes", SIZES_MAX);
    text_list_add_n(shapes, text, length);
    return 0;
}

static int add_number(struct text_list *shapes, int64_t value, struct span item,
                      struct error *error)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%" PRId64, value);
    return add(shapes, text, (size_t)length, item, error);
}

/* One number of an item; the reason names it when it is not the whole item. */
static int read_number(struct span part, struct span item, const char *role,
                       int64_t *value, struct error *error)
{
    const char *reason = "";
    if (number_parse(part.at, part.length, value, &reason) == 0)
        return 0;
    const char *const hint = strstr(reason, "whole") || !part.length
                                 ? "; 64,128 is a list, 64x32 a shape, 64..512*2 a range"
                                 : "";
    if (part.length == item.length)
        return item_error(error, item, "%s%s", reason, hint);
    if (!part.length)
        return item_error(error, item, "lacks a %s%s", role, hint);
    const bool cut = part.length > SHOWN;
    return item_error(error, item, "has a bad %s: '%.*s%s' %s%s", role,
                      (int)(cut ? SHOWN : part.length), part.at, cut ? "..." : "", reason,
                      hint);
}

/* FROM..TO, FROM..TO:STEP, FROM..TO*FACTOR; `dots` is where the dots stand. */
static int expand_range(struct span item, const char *dots, struct text_list *shapes,
                        struct error *error)
{
    const struct span first = {item.at, (size_t)(dots - item.at)};
    struct span last = {dots + 2, item.length - first.length - 2};
    struct span by = {last.at + last.length, 0};
    char rule = '\0';
    for (size_t i = 0; i < last.length && !rule; i++)
        if (last.at[i] == ':' || last.at[i] == '*') {
            rule = last.at[i];
            by = (struct span){last.at + i + 1, last.length - i - 1};
            last.length = i;
        }

    int64_t from, to, step = 2;
    int rc = read_number(first, item, "start", &from, error)
                 ?: read_number(last, item, "end", &to, error);
    if (rc == 0 && rule)
        rc = read_number(by, item, rule == ':' ? "step" : "factor", &step, error);
    if (rc != 0)
        return rc;
    if (from > to)
        return item_error(error, item, "runs backwards: write %" PRId64 "..%" PRId64, to,
                          from);
    if (rule == ':' && step == 0)
        return item_error(error, item, "has a step of 0 and would never end");
    if (rule == '*' && step < 2)
        return item_error(error, item, "has a factor below 2 and would never end");
    if (rule != ':' && from == 0 && to > 0)
        return item_error(error, item,
                          "starts at 0, and %s 0 stays 0: write 0,1..%" PRId64
                          ", or a step, 0..%" PRId64 ":64",
                          rule ? "a multiple of" : "twice", to, to);

    /* Refused before anything is made: a short text can ask for a great many sizes. */
    if (rule == ':' && (to - from) / step >= SIZES_MAX)
        return item_error(error, item, "makes more than %d sizes", SIZES_MAX);
    for (int64_t value = from;;) {
        rc = add_number(shapes, value, item, error);
        if (rc != 0)
            return rc;
        if (rule == ':' ? value > to - step : value > to / step)
            return 0;
        value = rule == ':' ? value + step : value * step;
        if (value == from)
            return 0;
    }
}

/* A number, or numbers with an x between them. */
static int expand_shape(struct span item, struct text_list *shapes, struct error *error)
{
    char text[SHAPE_TEXT];
    size_t used = 0;
    bool more = true;

    for (struct span rest = item; more;) {
        more = memchr(rest.at, 'x', rest.length) != NULL;
        const struct span part = span_until(&rest, 'x');
        int64_t value;
        const int rc = read_number(part, item, "dimension", &value, error);
        if (rc != 0)
            return rc;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64,
                                 used ? "x" : "", value);
        if (sizeof text - used < 24)
            return item_error(error, item, "has too many dimensions");
    }
    return add(shapes, text, used, item, error);
}

static int expand_item(struct span item, struct text_list *shapes, struct error *error)
{
    const char *const dots = memmem(item.at, item.length, "..", 2);
    if (dots)
        return expand_range(item, dots, shapes, error);
    const size_t first = strspn(item.at, "0123456789kKMGi");
    if (first && first < item.length && strchr("-:", item.at[first]) &&
        strspn(item.at, "0123456789kKMGi-:") >= item.length)
        return item_error(error, item, "is no range: write %.*s..%.*s", (int)first,
                          item.at, (int)(item.length - first - 1), item.at + first + 1);
    const char c = item.at[0];
    const bool own = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (own)
        return add(shapes, item.at, item.length, item, error);
    return expand_shape(item, shapes, error);
}

int sizes_expand(const char *text, struct text_list *shapes, struct error *error)
{
    const size_t before = shapes->n;
    struct span rest = {text, strlen(text)};
    int rc = 0;

    for (bool more = true; more && rc == 0;) {
        more = memchr(rest.at, ',', rest.length) != NULL;
        const struct span item = span_until(&rest, ',');
        if (item.length == 0)
            rc = invalid(error, "%s",
                         text[0] ? "an item is empty: look for a comma too many"
                                 : "there is no size");
        else if (item.at > text && item.length == 3 && text[0] != '0' &&
                 item.at[0] == '0' && strspn(item.at, "0123456789") == 3)
            rc = item_error(
                error, item,
                "is no size: commas stand between sizes; write 1000 for 1,000");
        else
            rc = expand_item(item, shapes, error);
    }
    if (rc != 0)
        text_list_cut(shapes, before);
    return rc;
}
