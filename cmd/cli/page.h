/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to cli/: help as plain text for a terminal, or as roff for man. What calls this
 * says each thing once.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct page {
    FILE *file;
    bool roff;
    int column; /* plain: where the right part of an entry begins */
};

/* The line of roff that names the page; nothing in plain text. */
void page_title(const struct page *page, const char *name);
/* A heading above what follows; `level` 0 stands out more than 1. */
void page_heading(const struct page *page, int level, const char *text);
/* roff alone: one line as it is, and one in the fonts of a term. */
void page_line(const struct page *page, const char *text);
void page_term(const struct page *page, const char *text);
/* Words that are wrapped. In roff what stands between ` is bold. */
void page_text(const struct page *page, const char *text);
/* A term, and its meaning beside or below it. In roff a term is bold; words in capitals,
 * which stand for values, are slanted. */
void page_entry(const struct page *page, const char *term, const char *text);
/* A command line, as it is typed; one after the other is a list. */
void page_example(const struct page *page, const char *words, const char *more);
