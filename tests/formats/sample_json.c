/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a sample run as JSON, for tests that look at the document from outside. */
#include <string.h>

#include "sample_explained.h"
#include "sample_gate.h"
#include "sample_study.h"

int main(int argc, char **argv)
{
    const char *which = argc == 2 ? argv[1] : "";
    struct error error = {.text = ""};
    struct run *run = !strcmp(which, "plan")      ? sample_run_plan()
                      : !strcmp(which, "run")     ? sample_run()
                      : !strcmp(which, "hostile") ? sample_run_hostile()
                      : !strcmp(which, "gate")    ? sample_gate()
                      : !strcmp(which, "why")     ? sample_explained()
                      : !strcmp(which, "study")   ? sample_study_run()
                      : !strcmp(which, "empty")   ? run_new()
                                                  : NULL;
    int code;
    if (!strcmp(which, "study-file")) {
        fputs(sample_study_file, stdout);
        return 0;
    }
    if (!run) {
        fprintf(stderr,
                "usage: sample_json plan|run|hostile|gate|why|study|study-file|empty\n");
        return 2;
    }
    code = run_write_json(run, stdout, &error);
    if (code)
        fprintf(stderr, "%s\n", error.text);
    run_free(run);
    return code ? 1 : 0;
}
