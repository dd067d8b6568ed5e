/* SPDX-License-Identifier: Apache-2.0 */
/* The mistakes that people make in JSON, in words. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What is wrong at `at`, where the parser stopped, and what to do; "" if it is no mistake
 * that people make. `before` stands in front of it, spaces aside. */
static inline const char *json_mistake(char before, const char *at, const char *end)
{
    const char c = at < end ? *at : '\0';
    const bool last = !c || (at + 1 == end && strchr("[{,:", c));
    const bool ended = before && strchr("\"]}0123456789esl", before);
    if (strchr("}]", c) && c)
        return before == ',' ? ": take out the comma in front of it" : "";
    return last                   ? ": the text ends too early"
           : c == '/' || c == '#' ? ": it has no comments"
           : c == '\''            ? ": write \" in place of '"
           : c == '"' && ended    ? ": a comma or colon is missing in front of it"
           : isalpha((unsigned char)c)
               ? ": write names and texts in quotes, and true, false, null small"
               : "";
}

/* The last character in front of `at` that is no space; '\0': there is none. */
static inline char json_before(const char *bytes, const char *at)
{
    while (at > bytes && strchr(" \t\r\n", at[-1]))
        at--;
    return at > bytes ? at[-1] : '\0';
}

/* cJSON stops behind the first character of what should be a key and is none. */
static inline bool json_no_key(const char *bytes, const char *at)
{
    const char c = at > bytes ? at[-1] : '"',
               before = json_before(bytes, at - (c != '"'));
    return !strchr("\" \t\r\n", c) && (before == ',' || (before == '{' && c != '}'));
}

/* "byte 17, line 2: this is no JSON at '}': ...". `at` is where the parser stopped, or
 * NULL; `whole`: it had read a document by then. */
static inline void json_fault(const char *bytes, size_t size, const char *at, bool whole,
                              char *text, size_t room)
{
    const char *const end = bytes + size;
    size_t line = 1;
    char seen[20] = "";
    at = at ? at : bytes;
    if (!whole && json_no_key(bytes, at))
        at--;
    while (at < end && *at && strchr(" \t\r\n", *at))
        at++;
    for (const char *c = bytes; c < at; c++)
        line += *c == '\n';
    if (at < end && *at > ' ' && *at < 0x7f)
        snprintf(seen, sizeof seen, " at '%c'", *at);
    snprintf(text, room, "byte %zu, line %zu: %s%s%s", (size_t)(at - bytes), line,
             whole ? "more text after the end of the document" : "this is no JSON", seen,
             whole ? "" : json_mistake(json_before(bytes, at), at, end));
}
