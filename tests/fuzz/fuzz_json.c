/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_json.h"
#include "mutate_json.h"
#include "sample_run.h"

static void ensure(bool good, const char *promise)
{
    if (!good) {
        fprintf(stderr, "broken promise: %s\n", promise);
        abort();
    }
}

/* Output must not control a terminal. */
static void check_text(const struct run *run, enum format format, int width)
{
    struct text_options options = {.width = width, .roofs = true};
    char *text = sample_text(run, format, &options);
    size_t step;

    for (const char *c = text; *c; c += step) {
        uint32_t code = 0;
        step = text_utf8((const unsigned char *)c, strnlen(c, 4), &code);
        ensure(step, "all that is printed is UTF-8");
        ensure(!text_unsafe(code) || *c == '\n' || (*c == '\r' && c[1] == '\n') ||
                   (*c == '\t' && (format == FORMAT_BENCHSTAT || format == FORMAT_JSON)),
               "nothing that controls a terminal is printed");
    }
    free(text);
}

/* The same bytes as a study file. */
static void check_study(const uint8_t *data, size_t size)
{
    struct error error = {.text = ""};
    struct run *const run = run_new(), *again;
    struct study *const study = run ? LIST_ADD(run, studies, n_studies) : NULL;

    ensure(study, "memory");
    if (study_read_json(study, (const char *)data, size, &error)) {
        ensure(error.text[0], "an error has a text");
        run_free(run);
        return;
    }
    study_calculate(study);
    study_judge(study);
    char *const first = sample_text(run, FORMAT_JSON, NULL);
    ensure(!run_read_json(&again, first, strlen(first), &error),
           "a run can hold a study");
    char *const second = sample_text(again, FORMAT_JSON, NULL);
    ensure(!strcmp(first, second), "writing a study is stable");
    for (enum format format = FORMAT_TABLE; format < FORMATS; format++)
        check_text(run, format, 60);
    free(first);
    free(second);
    run_free(run);
    run_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {.text = ""};
    struct run *run, *again;
    char *first, *second;
    check_study(data, size);
    if (run_read_json(&run, (const char *)data, size, &error)) {
        ensure(!run && error.text[0], "an error has a text and no run");
        return 0;
    }
    first = sample_text(run, FORMAT_JSON, NULL);
    ensure(!run_read_json(&again, first, strlen(first), &error),
           "what it writes it reads");
    second = sample_text(again, FORMAT_JSON, NULL);
    ensure(!strcmp(first, second), "writing is stable");
    for (enum format format = FORMAT_TABLE; format < FORMATS; format++)
        check_text(run, format, 0);
    check_text(run, FORMAT_TABLE, 60);
    run_summarise(run, GROUP_ALL);
    run_judge(run);
    free(first);
    free(second);
    run_merge(again, run, "folder/b.json");
    run_free(run);
    first = sample_text(again, FORMAT_JSON, NULL);
    ensure(!run_read_json(&run, first, strlen(first), &error), "what it merged it reads");
    check_text(run, FORMAT_TABLE, 100);
    free(first);
    run_free(run);
    run_free(again);
    return 0;
}

#ifdef SIMDBENCH_LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

/* Bytes that were drawn blindly seldom get past the scanner: one in four is another
 * document. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t state = seed;
    char *text = seed % 4 ? NULL : mutate_json((const char *)data, size, &state);
    size_t length = text ? strlen(text) : 0;
    if (length && length <= room)
        memcpy(data, text, length);
    free(text);
    return length && length <= room ? length : LLVMFuzzerMutate(data, size, room);
}
#endif

#ifdef FUZZ_REPLAY
/* Without a fuzzer: runs the files that are named. */
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        uint8_t *bytes = NULL;
        size_t size = 0, got;
        if (!file) {
            perror(argv[i]);
            return 2;
        }
        do {
            uint8_t *bigger = realloc(bytes, size + 65536);
            ensure(bigger, "memory");
            bytes = bigger;
            got = fread(bytes + size, 1, 65536, file);
            size += got;
        } while (got);
        fclose(file);
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    return 0;
}
#endif
