/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTML: a run or another document as one page that needs nothing beside it. The page is
 * made of page.html, page.css, the scripts of this folder and Chart.js when simdbench is
 * built (scripts/embed_page.py), and shows the JSON that is put into it here.
 */
#pragma once

#include "model/model.h"
#include "text/text.h"

/* 0, or -ENOTSUP and what to install: this simdbench was built without Chart.js. */
int html_check(struct error *error);
/* -ENOTSUP, or what writing failed with. */
int html_write(const struct run *run, FILE *file, struct error *error);
/* The page of another document that has views: doctor, license, a history, a fleet. Frees
 * it. */
int html_write_json(struct json *json, FILE *file, struct error *error);
