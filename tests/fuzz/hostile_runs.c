/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile_runs SEED EVERY FROM FILE.json|SAMPLE: puts each of 13 values in the place of
 * each member of a run, one at a time, and lets all that reads runs have it: one in EVERY
 * of these documents, as SEED chooses, from number FROM on. Prints a line for each:
 * number, path, value, and what the reader says against it, or "read". A broken promise
 * ends the program. SAVE=N in the environment: prints document N instead.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "fuzz_json.h"
#include "mutate_json.h"
#include "sample_gate.h"

enum { LONG = 5000, VALUES = 13, PATIENCE = 60, PATH_SIZE = 512 };

static char long_text[LONG + 3];
static const struct {
    const char *name, *json;
} values[VALUES] = {
    {"null", "null"},
    {"true", "true"},
    {"-1", "-1"},
    {"0", "0"},
    {"1e308", "1e308"},
    {"1e-308", "1e-308"},
    {"-0.5", "-0.5"},
    {"empty", "\"\""},
    {"long", long_text},
    {"control", "\"a\\u001b[31m\\u0007\\r\\n\\u009b\""},
    {"command", "\"::error ::a\\n::error::b##[error]##vso[a.b] https://a.b @me\""},
    {"[]", "[]"},
    {"{}", "{}"}};

struct attack {
    const char *original;
    cJSON *tree;
    uint64_t seed;
    unsigned long every, from, n;
};

static struct run *load(const char *name)
{
    struct error error = {.text = ""};
    struct run *run = NULL;

    if (!strcmp(name, "run"))
        return sample_run();
    if (!strcmp(name, "small"))
        return sample_run_small();
    if (!strcmp(name, "gate"))
        return sample_gate();
    if (!strcmp(name, "gate_small"))
        return sample_gate_small(2);
    if (run_load(&run, name, &error))
        fprintf(stderr, "%s\n", error.text);
    return run;
}

/* Not as a part of another word: "info". */
static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || !isalnum((unsigned char)at[-1])) &&
            !isalnum((unsigned char)at[length]))
            return true;
    return false;
}

/* Text that CI, or a site that shows Markdown, would act on. */
static bool acts(const char *text, enum format format)
{
    bool found = strstr(text, "##[") || strstr(text, "##vso[");
    for (const char *line = text; line && !found; line = strchr(line, '\n')) {
        line += strspn(line, " \t\r\n");
        found = format != FORMAT_ANNOTATIONS && format != FORMAT_HTML &&
                !strncmp(line, "::", 2);
    }
    return found || (format == FORMAT_MARKDOWN &&
                     (strstr(text, "https://") || strstr(text, " @me")));
}

/* Ends the program if one of the texts holds nan, inf, a command to CI or a link. */
static void check_texts(const struct run *run)
{
    static const struct text_options options = {.width = 80, .roofs = true};

    for (enum format format = FORMAT_TABLE; format < FORMATS; format++) {
        char *const text = sample_text(run, format, &options);
        if (has_word(text, "nan") || has_word(text, "inf")) {
            fprintf(stderr, "nan or inf in format %s\n", format_name(format));
            abort();
        }
        if (acts(text, format)) {
            fprintf(stderr, "a command or link in format %s\n", format_name(format));
            abort();
        }
        free(text);
    }
}

/* As `compare` does it, with the document that was not changed. */
static void compare(struct run *head, const char *original)
{
    struct error error = {.text = ""};
    struct run *base;

    need(!run_read_json(&base, original, strlen(original), &error));
    if (!run_compare(head, "head.json", base, "base.json", 0.02, &error))
        check_texts(head);
    run_free(base);
}

static void try_text(const struct attack *attack, const char *text)
{
    struct error error = {.text = ""};
    struct run *run;

    alarm(PATIENCE);
    LLVMFuzzerTestOneInput((const uint8_t *)text, strlen(text));
    if (run_read_json(&run, text, strlen(text), &error)) {
        printf("%s\n", error.text);
        return;
    }
    check_texts(run);
    compare(run, attack->original);
    run_free(run);
    puts("read");
}

/* The node is another one for as long as the document is printed. */
static void try_values(struct attack *attack, cJSON *node, const char *path)
{
    const char *const save = getenv("SAVE");

    for (size_t i = 0; i < VALUES; i++) {
        uint64_t chance = attack->seed + ++attack->n;
        if (attack->n < attack->from || mutate_random(&chance) % attack->every ||
            (save && strtoul(save, NULL, 10) != attack->n))
            continue;
        const cJSON old = *node;
        node->type = cJSON_Raw;
        node->valuestring = (char *)values[i].json;
        node->child = NULL;
        char *const text = cJSON_PrintUnformatted(attack->tree);
        *node = old;
        need(text);
        if (save) {
            puts(text);
        } else {
            printf("%lu\t%s\t%s\t", attack->n, path, values[i].name);
            fflush(stdout);
            try_text(attack, text);
        }
        cJSON_free(text);
    }
}

static void walk(struct attack *attack, cJSON *parent, const char *path)
{
    size_t index = 0;

    for (cJSON *child = parent->child; child; child = child->next) {
        char here[PATH_SIZE], name[PATH_SIZE / 2] = "";
        text_plain(child->string ? child->string : "", name, sizeof name);
        if (cJSON_IsObject(parent))
            snprintf(here, sizeof here, "%s%s%s", path, *path ? "." : "", name);
        else
            snprintf(here, sizeof here, "%s[%zu]", path, index++);
        try_values(attack, child, here);
        walk(attack, child, here);
    }
}

int main(int argc, char **argv)
{
    struct run *const run = argc == 5 ? load(argv[4]) : NULL;

    if (!run) {
        fprintf(stderr, "usage: hostile_runs SEED EVERY FROM FILE.json|SAMPLE\n");
        return 2;
    }
    char *const text = sample_text(run, FORMAT_JSON, NULL);
    struct attack attack = {.original = text,
                            .tree = cJSON_Parse(text),
                            .seed = strtoull(argv[1], NULL, 10) << 32,
                            .every = strtoul(argv[2], NULL, 10),
                            .from = strtoul(argv[3], NULL, 10)};

    need(attack.tree && attack.every);
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[0] = long_text[LONG + 1] = '"';
    walk(&attack, attack.tree, "");
    cJSON_Delete(attack.tree);
    free(text);
    run_free(run);
    return 0;
}
