/* SPDX-License-Identifier: Apache-2.0 */
/* simdbench doctor: what this machine does to measurements. */
#include <stdlib.h>

#include "doctor/doctor.h"
#include "doctor_private.h"
#include "process/process.h"

enum { BASELINES_MAX = 24 };

int command_doctor(struct options *options)
{
    struct host host;
    struct error error = {.text = ""};
    struct vitals *const vitals = must_have(calloc(1, sizeof *vitals));
    struct baseline *const baseline = must_have(calloc(BASELINES_MAX, sizeof *baseline));
    struct checks *const checks = must_have(calloc(1, sizeof *checks));
    int rc = 0;

    host_read(&host, "");
    vitals_read(vitals, "");
    vitals_measure(vitals);
    checks_host(checks, &host, vitals);
    checks_isas(checks);
    checks_baselines(checks, baseline, baselines_ask(baseline, BASELINES_MAX));
    if (options->format == FORMAT_JSON)
        rc = checks_print_json(checks, stdout, &error);
    else
        checks_print(checks, terminal_colour(stdout), stdout);
    if (rc == 0)
        rc = standard_flush(&error);
    if (rc != 0)
        fprintf(stderr, "simdbench doctor: %s\n", error.text);
    free(vitals);
    free(baseline);
    free(checks);
    return rc ? EXIT_USAGE : EXIT_OK;
}
