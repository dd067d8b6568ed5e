/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of letters, each with a number: "n1c16h66w66". */
#include <ctype.h>

#include "study.h"

/* Length of the letter and its number at `text`; 0 if there is none. */
static size_t letter_length(const char *text)
{
    const size_t digits =
        isalpha((unsigned char)*text) ? strspn(text + 1, "0123456789") : 0;

    return digits ? digits + 1 : 0;
}

static bool has_letters_alone(const char *shape)
{
    size_t step;

    if (!*shape)
        return false;
    for (; (step = letter_length(shape)); shape += step)
        continue;
    return !*shape;
}

/* The letter and number of `shape` that begin with that letter, or NULL. */
static const char *find_letter(const char *shape, char letter)
{
    for (; *shape; shape += letter_length(shape))
        if (*shape == letter)
            return shape;
    return NULL;
}

static void add_part(struct buffer *out, const char *part)
{
    buffer_plain_n(out, part, letter_length(part));
}

int study_arm_shape(const struct study_arm *arm, const char *at, char **shape,
                    struct error *error)
{
    FREED_BY(buffer_free) struct buffer out = {.text = NULL};
    const char *const set = arm->shape && *arm->shape == '+' ? arm->shape + 1 : NULL;

    if (!set) {
        string_set(shape, arm->shape ?: at);
        return 0;
    }
    if (!has_letters_alone(set) || !at || !has_letters_alone(at))
        return invalid(error, "%s cannot be set in the shape %s", arm->shape,
                       at ?: "of no point");
    for (const char *part = at; *part; part += letter_length(part))
        add_part(&out, find_letter(set, *part) ?: part);
    for (const char *part = set; *part; part += letter_length(part))
        if (!find_letter(at, *part))
            add_part(&out, part);
    string_set(shape, buffer_text(&out));
    return 0;
}
