/* SPDX-License-Identifier: Apache-2.0 */
/* The mistakes that people make in JSON, in words. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Tells what is open at the end: '"' a text, '[' brackets, '\0' nothing, or a bracket
 * closes another kind. 64 levels are looked at. */
static inline char json_open(const char *bytes, const char *end)
{
    uint64_t braces = 0, depth = 0; /* a bit of each level, the innermost the lowest */
    bool text = false, escaped = false;
    for (const char *c = bytes; c < end; c++) {
        const bool quote = *c == '"' && !escaped;
        escaped = text && *c == '\\' && !escaped;
        text ^= quote;
        if (text)
            continue;
        if (*c == '[' || *c == '{') {
            braces = braces << 1 | (*c == '{');
            depth++;
        } else if (*c == ']' || *c == '}') {
            if (!depth-- || (braces & 1) != (*c == '}'))
                return '\0';
            braces >>= 1;
        }
    }
    return text ? '"' : depth > 0 ? '[' : '\0';
}

/* The last character in front of `at` that is no space; '\0': there is none. */
static inline char json_before(const char *bytes, const char *at)
{
    while (at > bytes && strchr(" \t\r\n", at[-1]))
        at--;
    return at > bytes ? at[-1] : '\0';
}

/* A fault at `at`, where the parser stopped, and what to do; "" if it is no mistake that
 * people make. The parser stops at the last byte where it wants one more. */
static inline const char *json_mistake(const char *bytes, const char *at, const char *end)
{
    const char c = at < end ? *at : '\0', before = json_before(bytes, at),
               open = json_open(bytes, end);
    const bool ended = before && strchr("\"]}0123456789el", before);
    const char *rest = at;
    if (at < end && !c)
        return ": a text has no zero bytes";
    while (rest < end && isalnum((unsigned char)*rest))
        rest++;
    if (open == '"' && (at + 1 >= end || (at > bytes && at[-1] == '"')))
        return ": a text lacks its closing quote";
    if (at == end || (open && rest + 1 >= end))
        return ": the text ends too early";
    if (c == '}' || c == ']')
        return before == ',' ? ": take out the comma in front of it" : "";
    return c == '/' || c == '#' ? ": it has no comments"
           : c == '\''          ? ": write \" in place of '"
           : c == '"' && ended  ? ": a comma or colon is missing in front of it"
           : isalpha((unsigned char)c)
               ? ": write names and texts in quotes, and true, false, null small"
               : "";
}

/* cJSON stops behind the first character of what should be a key and is none. */
static inline bool json_no_key(const char *bytes, const char *at)
{
    const char c = at > bytes ? at[-1] : '"',
               before = json_before(bytes, at - (c != '"'));
    return !strchr("\" \t\r\n[0123456789", c) &&
           (before == ',' || (before == '{' && c != '}'));
}

/* False if it is one document: `whole`, the parser had read one by `at`, and blanks
 * follow. Otherwise "byte 17, line 2: this is no JSON at '}': ..."; `at` may be NULL. */
static inline bool json_fault(const char *bytes, size_t size, const char *at, bool whole,
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
    if (whole && at == end)
        return false;
    for (const char *c = bytes; c < at; c++)
        line += *c == '\n';
    if (at < end && *at > ' ' && *at < 0x7f)
        snprintf(seen, sizeof seen, " at '%c'", *at);
    snprintf(text, room, "byte %zu, line %zu: %s%s%s", (size_t)(at - bytes), line,
             whole ? "more text after the end of the document" : "this is no JSON", seen,
             whole ? "" : json_mistake(bytes, at, end));
    return true;
}
