/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "doctor_private.h"

/* Debian packages: what runs them, and what builds their modules; "" for what
 * scripts/setup peers fetches. */
static const struct {
    const char *name, *runs, *builds;
} known[] = {
    {"openblas", "libopenblas0", "libopenblas-dev"},
    {"onednn", "libdnnl2", "libdnnl-dev"},
    {"graphblas", "libgraphblas7", "libgraphblas-dev"},
#if defined __x86_64__
    {"blis", "libblis4-openmp", "libblis4-openmp"},
    {"sleef", "libsleef3", "libsleef3"},
    {"libmvec", "libc6", "libc6"},
    {"mkl", "", ""},
    {"onednn3", "", ""},
#endif
    {"numpy", "python3-numpy", "python3-numpy"},
    {"torch", "python3-torch", "python3-torch"},
};

const char *baseline_name(size_t index)
{
    return index < ARRAY_LEN(known) ? known[index].name : NULL;
}

static const char *package_of(const struct baseline *baseline)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(known[i].name, baseline->name) == 0)
            return baseline->found ? known[i].runs : known[i].builds;
    return NULL;
}

static void check_missing(struct checks *checks, const char *name,
                          const struct baseline *baseline)
{
    char costs[128], advice[160];
    const char *const package = package_of(baseline);
    snprintf(costs, sizeof costs, "nothing can be compared with --baseline=%s",
             baseline->name);
    if (package && !*package)
        snprintf(advice, sizeof advice, "scripts/setup peers, in the source tree");
    else if (package)
        snprintf(advice, sizeof advice, "sudo apt-get install %s%s", package,
                 baseline->found ? "" : ", then scripts/run builds the module");
    else
        snprintf(advice, sizeof advice, "simdbench list modules");
    check_add(checks, name, "%s",
              baseline->found ? baseline->error : "no module of that name");
    check_costs(checks, costs, advice);
}

void checks_baselines(struct checks *checks, const struct baseline *baseline, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct baseline *const one = &baseline[i];
        char name[sizeof checks->check[0].name], advice[256];
        snprintf(name, sizeof name, "baseline %.20s", one->name);
        if (!one->started) {
            check_missing(checks, name, one);
            continue;
        }
        check_add(checks, name, "%s%s%s%s%s",
                  one->version[0] ? one->version : "version not told",
                  one->core[0] ? ", core " : "", one->core, one->isa[0] ? ", " : "",
                  one->isa);
        snprintf(advice, sizeof advice, "simdbench ... --baseline=%s,%s", one->name,
                 one->advice);
        if (one->advice[0])
            check_costs(checks,
                        "it chose narrower vectors than this CPU has: it is slower than "
                        "it could be, and unranked",
                        advice);
    }
}
